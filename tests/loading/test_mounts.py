from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tbtui.loading.discovery import Mounts, is_network_type

if TYPE_CHECKING:
    from pathlib import Path

TABLE = """\
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
36 22 0:40 / /home/some\\040body rw,relatime shared:20 master:1 - nfs4 server:/home rw,vers=4.2
37 22 0:41 / /mnt/bucket rw - fuse.gcsfuse bucket rw
38 22 0:42 / /var/lib/x rw - overlay overlay rw
a line that is none
39 22 zero:x / /odd rw - nfs server rw
40 22
"""


@pytest.mark.parametrize(
    "name",
    ["nfs", "nfs4", "lustre", "fuse.sshfs", "cifs", "smb3", "smbfs", "9p", "beegfs", "gpfs", "ceph", "afs", "virtiofs"],
)
def test_mounts_network_file_systems_are_detected(name: str) -> None:
    assert is_network_type(name)


@pytest.mark.parametrize("name", ["ext4", "xfs", "btrfs", "overlay", "tmpfs", "zfs", "fuseblk", "apfs", ""])
def test_mounts_local_file_systems_are_local(name: str) -> None:
    assert not is_network_type(name)


@pytest.mark.parametrize(
    ("major", "minor", "expected"), [(8, 1, False), (0, 40, True), (0, 41, True), (0, 42, False), (0, 99, False)]
)
def test_mounts_device_is_looked_up_in_the_mount_list(tmp_path: Path, major: int, minor: int, expected: bool) -> None:
    table = tmp_path / "mountinfo"
    table.write_text(TABLE)
    assert Mounts(table).is_network(os.makedev(major, minor)) is expected


def test_mounts_later_mount_is_found(tmp_path: Path) -> None:
    table = tmp_path / "mountinfo"
    table.write_text("")
    mounts = Mounts(table)
    assert not mounts.is_network(os.makedev(8, 1))
    table.write_text(TABLE)
    assert mounts.is_network(os.makedev(0, 40))


def test_mounts_without_a_mount_list_everything_is_local(tmp_path: Path) -> None:
    assert not Mounts(tmp_path / "missing").is_network(0)
