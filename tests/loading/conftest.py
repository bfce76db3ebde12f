from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tbtui.loading.loader import Loader
from tbtui.loading.sources import parse_sources
from tests.helpers.log_directory import START, Clock, LogDirectory

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def logs(tmp_path: Path) -> LogDirectory:
    return LogDirectory(tmp_path / "logs")


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def loader(logs: LogDirectory, clock: Clock) -> Loader:
    """Return a loader of the log directory, driven by `step` and `load_all` with constant clocks."""
    return Loader(parse_sources([str(logs.root)]), clock=clock, now=lambda: START)
