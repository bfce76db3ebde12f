from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

import pytest

from tbtui.loading import loader as loader_module
from tbtui.loading.malloc_trim import trim_memory

if TYPE_CHECKING:
    from tbtui.loading.loader import Loader
    from tests.helpers.log_directory import LogDirectory


class Library:
    """Fake C library with `malloc_trim` alone."""

    def __init__(self) -> None:
        self.calls: list[int] = []

    def malloc_trim(self, left: int) -> int:
        self.calls.append(left)
        return 1


def test_malloc_trim_calls_the_c_library(monkeypatch: pytest.MonkeyPatch) -> None:
    library = Library()
    monkeypatch.setattr(ctypes, "CDLL", lambda name: library)
    trim_memory()
    assert library.calls == [0]


@pytest.mark.parametrize("error", [OSError("no such library"), AttributeError("malloc_trim")])
def test_malloc_trim_unsupported_library_is_not_called(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def refuse(name: str | None) -> Library:
        raise error

    monkeypatch.setattr(ctypes, "CDLL", refuse)
    trim_memory()


def test_malloc_trim_runs_after_large_reads_only(
    logs: LogDirectory, loader: Loader, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[None] = []
    monkeypatch.setattr(loader_module, "trim_memory", lambda: calls.append(None))
    monkeypatch.setattr(loader_module, "TRIM_BYTES", 160_000)
    logs.log("run", range(1_000))
    loader.load_all()
    assert len(calls) == 1
    logs.log("run", [1_000])
    loader.load_all()
    assert len(calls) == 1
