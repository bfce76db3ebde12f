"""What every test stands on: no settings of the person or machine that runs them. Makes `tests` importable too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No colour switch, no Textual setting, and a state and cache directory that goes with the test."""
    for name in ("NO_COLOR", "TEXTUAL_ANIMATIONS", "TEXTUAL_THEME", "TEXTUAL_FPS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
