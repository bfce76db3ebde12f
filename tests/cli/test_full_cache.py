"""Test that an unusable cache is reported once and changes nothing else."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

import tbtui
from tests.helpers.log_directory import LogDirectory
from tests.helpers.pty_app import PtyApp, product

CHECKOUT = str(Path(tbtui.__file__).parents[1])
STEPS = 45_000
"""Steps of more than 2 MB: smaller runs are read whole, without an index."""

ROOM = 4096
"""Maximum file size in bytes, which simulates a full disk; pipes and terminals are not affected."""

LIMITED = """
import os, resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), resource.RLIM_INFINITY))
os.execvp(sys.argv[2], sys.argv[2:])
"""
"""Command prefix that runs tbtui with this file size limit."""


@pytest.fixture
def logs(tmp_path: Path) -> LogDirectory:
    logs = LogDirectory(tmp_path / "logs")
    for run in ("a", "b", "c"):
        logs.log(run, range(STEPS))
    for path in logs.root.rglob("*tfevents*"):
        os.utime(path, (1.6e9, 1.6e9))  # files just written have an age that changes between two commands
    return logs


def environment(tmp_path: Path, cache: Path) -> dict[str, str]:
    return {
        **os.environ,
        "PYTHONPATH": CHECKOUT,
        "XDG_CACHE_HOME": str(cache),
        "XDG_STATE_HOME": str(tmp_path / "state"),
    }


def ended(tmp_path: Path, cache: Path, room: int, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        product(*words),
        capture_output=True,
        text=True,
        env=environment(tmp_path, cache),
        preexec_fn=partial(resource.setrlimit, resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY)),
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("command", ["inspect", "export"])
def test_full_cache_disk_is_reported_once_and_all_is_read(tmp_path: Path, logs: LogDirectory, command: str) -> None:
    whole = ended(tmp_path, tmp_path / "cache", resource.RLIM_INFINITY, command, "--no-cache", str(logs.root))
    full = ended(tmp_path, tmp_path / "cache", ROOM, command, "--jobs", "2", str(logs.root))
    assert (full.returncode, full.stdout) == (0, whole.stdout)
    assert full.stderr.count("\n") == 1
    assert "cache/tbtui" in full.stderr
    assert "cannot be written: File too large (nothing is lost" in full.stderr
    left = [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    assert left == [], "nothing half-written stays"


@pytest.mark.parametrize("command", ["inspect", "export"])
def test_cache_that_cannot_be_created_is_reported_once(tmp_path: Path, logs: LogDirectory, command: str) -> None:
    (tmp_path / "file").touch()
    read = ended(tmp_path, tmp_path / "file", resource.RLIM_INFINITY, command, str(logs.root))
    assert read.returncode == 0
    assert read.stderr.count("\n") == 1
    assert "cannot be written: Not a directory (nothing is lost" in read.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_read_only_cache_is_reported_once(tmp_path: Path, logs: LogDirectory) -> None:
    (tmp_path / "cache").mkdir(mode=0o500)
    read = ended(tmp_path, tmp_path / "cache", resource.RLIM_INFINITY, "inspect", str(logs.root))
    assert read.returncode == 0
    assert read.stderr.count("\n") == 1
    assert "cannot be written: Permission denied" in read.stderr


def test_full_cache_dashboard_reports_it_and_continues(tmp_path: Path, logs: LogDirectory) -> None:
    command = [sys.executable, "-c", LIMITED, str(ROOM), *product(str(logs.root))]
    with PtyApp(command, env=environment(tmp_path, tmp_path / "cache")) as app:
        app.until("the cache cannot be written")
        app.until("loss")
        logs.log("d", range(STEPS))
        app.until("4 runs")
        app.send("+", "q")
        assert app.wait() == 0
    assert b"rashed" not in bytes(app.raw)
