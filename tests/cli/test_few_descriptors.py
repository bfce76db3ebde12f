"""Test that a process with a low limit of open files reads all runs without a crash."""

from __future__ import annotations

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
RUNS = 300
FEW = 64

LENDING = """
import sys
from tbtui.loading.workers import pool
from tbtui.loading import loader
pool.MIN_TOTAL_BYTES = pool.MIN_RUN_BYTES = loader._ROUND_BYTES = 1
from tbtui.cli.main import program
program()
"""
"""Run tbtui with workers for logs of any size."""


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> LogDirectory:
    logs = LogDirectory(tmp_path_factory.mktemp("many") / "logs")
    content = logs.log("run0", range(20)).read_bytes()
    for number in range(1, RUNS):
        path = logs.path(f"run{number}")
        path.parent.mkdir()
        path.write_bytes(content)
    return logs


def read(logs: LogDirectory, most: int, *words: str) -> subprocess.CompletedProcess[bytes]:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return subprocess.run(
        [sys.executable, "-c", LENDING, *words, "--no-cache", str(logs.root)],
        capture_output=True,
        env={"PYTHONPATH": CHECKOUT, "PATH": "/usr/bin:/bin"},
        preexec_fn=partial(resource.setrlimit, resource.RLIMIT_NOFILE, (most, hard)),
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("command", ["inspect --json", "export"])
def test_few_descriptors_all_runs_are_read(logs: LogDirectory, command: str) -> None:
    expected = read(logs, 1024, *command.split(), "--jobs", "1")
    assert expected.stdout.count(b"loss") >= RUNS
    ended = read(logs, FEW // 4, *command.split(), "--jobs", "4")
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert ended.stdout == expected.stdout


def test_few_descriptors_dashboard_shows_and_follows_all_runs(logs: LogDirectory) -> None:
    command = ["sh", "-c", f'ulimit -n {FEW}; exec "$@"', "sh", *product("--fresh", "--jobs", "4", "--no-cache")]
    with PtyApp([*command, str(logs.root)]) as app:
        app.until(rf"{RUNS} runs")
        logs.log("newcomer", range(3))
        app.until(rf"{RUNS + 1} runs")
        app.send("q")
        assert app.wait() == 0
