"""Which file systems tell of changes made elsewhere: the local ones do, those over a network do not."""

from __future__ import annotations

import os
from pathlib import Path

_NETWORK_TYPES = frozenset(
    {
        *("9p", "acfs", "afs", "ceph", "cifs", "coda", "davfs", "fhgfs", "gfs2", "glusterfs", "gpfs", "lustre"),
        *("ncpfs", "ocfs2", "orangefs", "panfs", "prl_fs", "pvfs2", "vboxsf", "virtiofs", "wekafs"),
    }
)
_NETWORK_PREFIXES = ("nfs", "smb", "beegfs", "fuse.")
"""`nfs4`, `smb3`, `fuse.sshfs`, `fuse.gcsfuse`, … ; plain `fuseblk` is a local disk."""


def is_network_type(file_system: str) -> bool:
    """Whether a file system of that type, as the kernel calls it, may be written from another machine."""
    return file_system in _NETWORK_TYPES or file_system.startswith(_NETWORK_PREFIXES)


class Mounts:
    """The mounted file systems by device number.

    Where the kernel has no list of mounts (macOS), and for devices that are not in it (subvolumes), everything counts
    as local: a slow poll behind the notifications still finds what they miss.
    """

    def __init__(self, table: Path = Path("/proc/self/mountinfo")) -> None:
        """Args: table: the kernel's list of mounts, in the format of proc(5)."""
        self._table = table
        self._types: dict[int, str] = {}
        self._asked: set[int] = set()

    def is_network(self, device: int) -> bool:
        """Whether the file system with that `st_dev` is one over a network."""
        if device not in self._asked:
            # It may have been mounted since the list was read.
            self._asked.add(device)
            self._types = self._read()
        return is_network_type(self._types.get(device, ""))

    def _read(self) -> dict[int, str]:
        try:
            lines = self._table.read_text(errors="replace").splitlines()
        except OSError:
            return {}
        return dict(filter(None, map(_device_and_type, lines)))


def _device_and_type(line: str) -> tuple[int, str] | None:
    """(device, file system type) from a line of mountinfo; None when it is not one."""
    mount, separator, super_block = line.partition(" - ")
    fields, described = mount.split(), super_block.split()
    if not separator or len(fields) < 3 or not described:
        return None
    major, _, minor = fields[2].partition(":")
    if not (major.isdecimal() and minor.isdecimal()):
        return None
    return os.makedev(int(major), int(minor)), described[0]
