"""Test the end of the demo's process and its message. Each test forks from a fresh interpreter."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.helpers.pty_app import PtyApp

if TYPE_CHECKING:
    from pathlib import Path

WATCH = """
import select, sys
import tbtui.cli.demo.process as process

def simulate(directory, end_here):
    (directory / "run").mkdir()
    {how_it_ends}

process._simulate = simulate
with process.Demo() as demo:
    select.select([demo._reason], [], [], 30)
    print(demo.get_complaint())
print(demo.directory.exists())
"""


@pytest.mark.parametrize(
    ("how_it_ends", "complaint"),
    [
        ("raise OSError(28, 'No space left on device')", "[Errno 28] No space left on device"),
        ("import a_library_that_is_not_there", "No module named 'a_library_that_is_not_there'"),
        ("1 / 0", "it ended unexpectedly"),
    ],
)
def test_demo_failure_is_reported_and_leaves_nothing(tmp_path: Path, how_it_ends: str, complaint: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", WATCH.format(how_it_ends=how_it_ends)],
        env={"TMPDIR": str(tmp_path), "PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.stdout.splitlines() == [complaint, "False"]
    assert list(tmp_path.iterdir()) == []


NO_PLACE = """
import sys, tempfile
tempfile._candidate_tempdir_list = lambda: []
from tbtui.cli.main import main
sys.exit(main(["--demo"]))
"""


def test_demo_without_a_temporary_directory_is_reported(tmp_path: Path) -> None:
    """Make every directory for temporary files unwritable."""
    program = [sys.executable, "-c", NO_PLACE]
    with PtyApp(program, size=(200, 10)) as app:
        assert app.wait() == 2
        assert b"tbtui: no directory for the demo's logs can be created: No usable temporary directory" in app.raw
        assert app.raw.count(b"\n") == 1
