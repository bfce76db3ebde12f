"""Test the cache: every command uses it, `tbtui cache` shows and deletes it."""

from __future__ import annotations

import os
import time
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from tbtui.cli.main import main
from tbtui.tfrecord.file import OpenFile
from tests.helpers.log_directory import LogDirectory

if TYPE_CHECKING:
    from collections.abc import Callable

STEPS = 45_000
"""More than 2 MB: smaller runs are read whole, without an index."""


@pytest.fixture(autouse=True)
def steady_ages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop the clock of `inspect`, so that a second run tells the same ages, however long the first one took."""
    now = time.time()
    monkeypatch.setattr("tbtui.cli.inspect.command.time", SimpleNamespace(time=lambda: now))


@pytest.fixture
def logs(tmp_path: Path) -> LogDirectory:
    logs = LogDirectory(tmp_path / "logs")
    logs.log("run", range(STEPS))
    return logs


@pytest.fixture
def run_command(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    def run(*words: str) -> tuple[int, str, str]:
        code = main(words)
        out, err = capsys.readouterr()
        return code, out, err

    return run


@pytest.fixture
def bytes_read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    counts = []
    fill = OpenFile.fill
    monkeypatch.setattr(OpenFile, "fill", lambda *args: counts.append(fill(*args)) or counts[-1])
    return counts


def index_folder() -> Path:
    return Path(os.environ["XDG_CACHE_HOME"]) / "tbtui" / "index"


@pytest.mark.parametrize("words", [("inspect",), ("inspect", "--json"), ("export",)])
def test_second_run_does_not_read_the_files(
    logs: LogDirectory, run_command: Callable[..., tuple[int, str, str]], bytes_read: list[int], words: tuple[str, ...]
) -> None:
    first = run_command(*words, str(logs.root))
    size = logs.path("run").stat().st_size
    assert sum(bytes_read) >= size
    bytes_read.clear()
    assert run_command(*words, str(logs.root)) == first
    assert sum(bytes_read) < size / 10


@pytest.mark.parametrize("words", [("inspect", "--no-cache"), ("inspect", "--check"), ("export", "--no-cache")])
def test_commands_that_need_payloads_read_the_files(
    logs: LogDirectory, run_command: Callable[..., tuple[int, str, str]], bytes_read: list[int], words: tuple[str, ...]
) -> None:
    first = run_command(*words, str(logs.root))
    assert not index_folder().exists()
    run_command(words[0], str(logs.root))
    bytes_read.clear()
    assert run_command(*words, str(logs.root)) == first
    assert sum(bytes_read) >= logs.path("run").stat().st_size


def test_cache_size_is_printed_and_cleared(
    logs: LogDirectory, run_command: Callable[..., tuple[int, str, str]]
) -> None:
    assert run_command("cache") == (0, f"0 indexes, 0 B of at most 1.1 GB in {index_folder()}\n", "")
    assert run_command("cache", "--clear") == (0, f"deleted 0 indexes, 0 B in {index_folder()}\n", "")
    run_command("inspect", str(logs.root))
    size = sum(path.stat().st_size for path in index_folder().iterdir()) / 1e6
    assert run_command("cache", "--info") == (0, f"1 index, {size:.1f} MB of at most 1.1 GB in {index_folder()}\n", "")
    assert run_command("cache", "--clear") == (0, f"deleted 1 index, {size:.1f} MB in {index_folder()}\n", "")
    assert list(index_folder().iterdir()) == []


def test_unwritable_cache_is_reported_once(
    logs: LogDirectory,
    run_command: Callable[..., tuple[int, str, str]],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    fine = run_command("inspect", "--no-cache", str(logs.root))
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    code, out, err = run_command("inspect", str(logs.root))
    assert (code, out) == fine[:2]
    assert err == (
        f"tbtui: {tmp_path}/file/tbtui/index cannot be written: Not a directory"
        " (nothing is lost, but it will be read anew the next time; see --no-cache)\n"
    )


def test_cache_clear_failure_is_reported(
    logs: LogDirectory, run_command: Callable[..., tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    run_command("inspect", str(logs.root))

    def refuse(path: Path, **_: bool) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "unlink", refuse)
    code, out, err = run_command("cache", "--clear")
    (path,) = index_folder().iterdir()
    assert (code, out, err) == (1, "", f"tbtui: {path}: Permission denied\n")


def test_damaged_index_is_ignored(logs: LogDirectory, run_command: Callable[..., tuple[int, str, str]]) -> None:
    first = run_command("inspect", str(logs.root))
    (path,) = index_folder().iterdir()
    for content in (b"", b"\0" * 1000, path.read_bytes()[:-3], os.urandom(500)):
        path.write_bytes(content)
        assert run_command("inspect", str(logs.root)) == first
