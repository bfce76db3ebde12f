"""Test the errors that the console script itself handles."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import tbtui
from tests.helpers.pty_app import product

CHECKOUT = Path(tbtui.__file__).parents[1]
CORPUS = str(CHECKOUT / "tests" / "corpus")


def run(*words: str, **how: Any) -> subprocess.CompletedProcess[bytes]:
    environ = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    environ.pop("PYTHONUNBUFFERED", None)
    return subprocess.run(product(*words), stderr=subprocess.PIPE, env=environ, timeout=60, check=False, **how)


def test_main_closed_pipe_is_silent() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    ended = run("inspect", "--json", CORPUS, stdout=writing)
    os.close(writing)
    assert ended.returncode == 1
    assert ended.stderr == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no such device")
@pytest.mark.parametrize("words", [("inspect",), ("inspect", "--json"), ("export", "--plugin", "scalars")])
def test_main_full_disk_on_stdout_is_one_line(words: tuple[str, ...]) -> None:
    with Path("/dev/full").open("wb") as full:
        ended = run(*words, CORPUS, stdout=full)
    assert ended.returncode == 2
    assert ended.stderr.splitlines() == [b"tbtui: stdout cannot be written: No space left on device"]


def test_main_without_stdout_prints_one_line() -> None:
    closed = f"exec {shlex.join(product('inspect', CORPUS))} >&-"
    ended = subprocess.run(["sh", "-c", closed], stderr=subprocess.PIPE, timeout=60, check=False)
    assert (ended.returncode, ended.stderr) == (2, b"tbtui: stdout is closed\n")


def test_main_waiting_thread_does_not_delay_the_exit() -> None:
    code = (
        "import sys, threading, time; from tbtui.cli.main import program\n"
        "threading.Thread(target=time.sleep, args=(60,)).start()\n"
        "sys.argv[1:] = ['cache', '--info']; program()"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=30, check=False)
    assert ended.returncode == 0
    assert ended.stdout, "what was buffered is written"


def raising(error: str) -> subprocess.CompletedProcess[bytes]:
    """Run a process whose command raises an error, given as a Python expression."""
    code = (
        "import sys; from tbtui.cli import inspect, main\n"
        f"def run(arguments): raise {error}\n"
        "inspect.run = run; sys.argv[1:] = ['inspect', '.']; main.program()"
    )
    return subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=30, check=False)


def test_main_crash_of_any_command_is_a_report_and_one_line(own_directories: Path) -> None:
    ended = raising(r"LookupError('tag \x1b]0;owned\x07')")
    (path,) = own_directories.rglob("crash.txt")
    assert ended.stderr.decode() == f"tbtui: crashed; the report is in {path}\n"
    assert (ended.returncode, ended.stdout) == (1, b"")
    assert "LookupError: tag ·]0;owned·" in path.read_text("utf-8")


def test_main_out_of_memory_is_no_crash(own_directories: Path) -> None:
    ended = raising("MemoryError")
    assert (ended.returncode, ended.stdout) == (1, b"")
    assert ended.stderr == b"tbtui: not enough memory\n"
    assert not [*own_directories.rglob("crash.txt")]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no such device")
@pytest.mark.parametrize(("words", "code"), [(["print", "missing"], 2), (["inspect", "."], 1), (["--nonsense"], 2)])
def test_main_without_stderr_still_returns_the_exit_code(tmp_path: Path, words: list[str], code: int) -> None:
    environ = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    with Path("/dev/full").open("wb") as full:
        ended = subprocess.run(
            product(*words),
            stdout=subprocess.PIPE,
            stderr=full,
            cwd=tmp_path,
            env=environ,
            timeout=60,
            check=False,
        )
    assert (ended.returncode, ended.stdout) == (code, b"")
