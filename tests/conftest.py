"""Isolate tests from the settings of the user and the machine, and from the directories of the user.

Because of this file pytest makes the modules of this folder (`made_up`, `pty_app`) importable for all tests.
"""

from __future__ import annotations

import gc
import os
import time
from itertools import count
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# Objects made while tests are collected live to the end, so there is no garbage to find. (gc.freeze would hide them
# from Hypothesis, which looks for references to its random numbers.)
gc.disable()

# Textual reads these once, when it is imported: colours and animations of the user would change the drawings.
for name in [name for name in os.environ if name.startswith("TEXTUAL")]:
    del os.environ[name]
for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES"):
    os.environ.pop(name, None)
os.environ["TEXTUAL_ANIMATIONS"] = "none"

# Wall times are drawn as local clock time.
os.environ["TZ"] = "UTC"
time.tzset()

# A property has the same examples in every run, so that a failure is due to the change. To search for new ones:
# pytest -m hypothesis --hypothesis-profile search
settings.register_profile("same", derandomize=True, deadline=None)
# The second suite of CI tests other versions of dependencies, for which fewer examples are enough.
settings.register_profile("few", max_examples=20, derandomize=True, deadline=None)
settings.register_profile("search", max_examples=1000, deadline=None, print_blob=True)
# Takes a night: pytest -m hypothesis --hypothesis-profile nightly -o timeout=0
settings.register_profile("nightly", max_examples=100_000, deadline=None, print_blob=True)
settings.load_profile("same")


def pytest_collection_finish() -> None:
    """Enable garbage collection for the tests.

    Rarely: with the usual thresholds it takes a quarter of the time of tests of the app, whose widgets are cycles.
    """
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


def pytest_xdist_auto_num_workers() -> int:
    """Return one worker more than cores: tests of the app seldom wait, and each worker imports all tests."""
    return 1 + (os.cpu_count() or 1)


@pytest.fixture(scope="session", autouse=True)
def pace() -> None:
    """Make pilots faster. This imports Textual, after the environment is set above."""
    from tests.helpers.pilot_clock import take_over

    take_over()


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yield paths of directories that do not exist yet; for `tmp_path` pytest would list all earlier ones each time."""
    folder = tmp_path_factory.mktemp("homes")
    return (folder / str(number) for number in count())


@pytest.fixture(autouse=True)
def own_directories(homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a home for this test alone, with the platform's cache, state, config and data directories in it."""
    home = next(homes)
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    for kind in ("CACHE", "STATE", "CONFIG", "DATA"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(home / kind.lower()))
    told = home / "state" / "tbtui" / "keys_told"  # a first start shows a toast, which tests of pictures do not expect
    told.parent.mkdir(parents=True)
    told.write_text("1\n", "utf-8")
    return home


@pytest.fixture(autouse=True)
def root_label() -> Iterator[None]:
    """Forget the name of the log directory that a command of the test has set."""
    from tbtui.charts.text import set_root_label

    yield
    set_root_label("")
