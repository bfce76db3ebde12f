"""What every test stands on: no settings of the person or machine that runs it, and nothing left in their directories.

Its place also makes the modules of this folder (`made_up`, `pty_app`) importable for all tests.
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

# What collecting makes stays to the end: there is nothing to be found in it. (To freeze it, too, would hide it from
# Hypothesis, which asks who holds its random numbers.)
gc.disable()

# Before any test imports Textual, which reads these once: colours and animations of a person's choosing would change
# what is drawn.
for name in [name for name in os.environ if name.startswith("TEXTUAL")]:
    del os.environ[name]
for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES"):
    os.environ.pop(name, None)
os.environ["TEXTUAL_ANIMATIONS"] = "none"

# Wall times are drawn as local clock time.
os.environ["TZ"] = "UTC"
time.tzset()

# A property is tried on the same examples in every run, so that a change fails for what it changed. New examples are
# looked for on purpose: pytest -m hypothesis --hypothesis-profile search
settings.register_profile("same", derandomize=True, deadline=None)
# The second suite of CI looks for what other versions break: fewer examples tell.
settings.register_profile("few", max_examples=20, derandomize=True, deadline=None)
settings.register_profile("search", max_examples=1000, deadline=None, print_blob=True)
# A night's work: pytest -m hypothesis --hypothesis-profile nightly -o timeout=0
settings.register_profile("nightly", max_examples=100_000, deadline=None, print_blob=True)
settings.load_profile("same")


def pytest_collection_finish() -> None:
    """From here on there is garbage."""
    gc.enable()


def pytest_xdist_auto_num_workers() -> int:
    """One worker more than cores: tests of the app seldom wait, and each worker imports all tests."""
    return 1 + (os.cpu_count() or 1)


@pytest.fixture(scope="session", autouse=True)
def pace() -> None:
    """Pilots do not wait by the clock. Imports Textual, which the environment above is for."""
    from pilot_pace import take_over

    take_over()


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Directories that are not there yet; pytest would look through all that it made for each new one."""
    folder = tmp_path_factory.mktemp("homes")
    return (folder / str(number) for number in count())


@pytest.fixture(autouse=True)
def own_directories(homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home of this test alone, with the platform's cache, state, config and data directories in it."""
    home = next(homes)
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    for kind in ("CACHE", "STATE", "CONFIG", "DATA"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(home / kind.lower()))
    return home
