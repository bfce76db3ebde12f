"""Test that every command accepts --jobs and gives the same output with any number."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from tbtui.cli.main import main
from tbtui.loading.workers.process import WorkerProcess
from tests.helpers.log_directory import LogDirectory

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def steady_ages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop the clock of `inspect`, so that a second run tells the same ages, however long the first one took."""
    now = time.time()
    monkeypatch.setattr("tbtui.cli.inspect.command.time", SimpleNamespace(time=lambda: now))


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[WorkerProcess]:
    """Use workers for logs of any size from the first read on."""
    workers: list[WorkerProcess] = []
    begin = WorkerProcess.__init__

    def counted(self: WorkerProcess, **how: Any) -> None:
        begin(self, **how)
        workers.append(self)

    monkeypatch.setattr(WorkerProcess, "__init__", counted)
    monkeypatch.setattr("tbtui.loading.workers.pool.MIN_TOTAL_BYTES", 1)
    monkeypatch.setattr("tbtui.loading.workers.pool.MIN_RUN_BYTES", 1)
    monkeypatch.setattr("tbtui.loading.loader._ROUND_BYTES", 1)
    monkeypatch.setattr("tbtui.loading.run.MAX_RUN_BYTES", 0)  # small runs are read whole, without workers
    return workers


@pytest.fixture
def logs(tmp_path: Path) -> LogDirectory:
    logs = LogDirectory(tmp_path / "logs")
    for number in range(6):
        logs.log(f"run{number}", range(number, 100))
    return logs


@pytest.mark.parametrize("command", ["inspect", "inspect --json", "inspect --check", "export"])
@pytest.mark.parametrize(("count", "workers"), [(0, 0), (1, 0), (2, 1), (4, 3)])
def test_jobs_any_number_gives_the_same_output(
    logs: LogDirectory,
    started: list[WorkerProcess],
    capsys: pytest.CaptureFixture[str],
    command: str,
    count: int,
    workers: int,
) -> None:
    words = [*command.split(), "--no-cache", str(logs.root)]
    assert main([*words, "--jobs", "1"]) == 0
    expected = capsys.readouterr()
    assert started == []
    assert main([*words, "--jobs", str(count)]) == 0
    assert capsys.readouterr() == expected
    assert len(started) == workers


def test_jobs_default_follows_the_cores(
    logs: LogDirectory, started: list[WorkerProcess], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tbtui.loading.loader.choose_jobs", lambda: 3)
    assert main(["inspect", "--no-cache", str(logs.root)]) == 0
    assert len(started) == 2
