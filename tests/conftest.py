"""What every test stands on: no settings of the person or machine that runs it, and nothing left in their directories.

Its place also makes the modules of this folder (`made_up`, `pty_app`) importable for all tests.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from pathlib import Path

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
settings.register_profile("search", max_examples=1000, deadline=None, print_blob=True)
settings.load_profile("same")


def pytest_xdist_auto_num_workers() -> int:
    """Two workers a core: half of what a test of the app takes is waiting for a thread, a timer or a terminal."""
    return 2 * (os.cpu_count() or 1)


@pytest.fixture(autouse=True)
def own_directories(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home of this test alone, with the platform's cache, state, config and data directories in it."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    for kind in ("CACHE", "STATE", "CONFIG", "DATA"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(home / kind.lower()))
    return home
