"""Whoever has no home, as in many a container, does without what is kept; nothing is written elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import platformdirs
import pytest

from tbtui.cli.session import create_report
from tbtui.loading.cache.format import IndexContents
from tbtui.loading.cache.index_folder import open_user_folder
from tbtui.settings.persistence import SavedState as KeptChoices
from tbtui.settings.persistence import SettingsFile


@pytest.fixture(params=["raises", "names another place"])
def no_home(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty current directory of somebody without a home, by what versions of platformdirs do."""

    def path_of(*_: Any, **__: Any) -> Path:
        if request.param == "raises":
            raise RuntimeError("could not determine the home directory")
        return Path("~/.cache/tbtui")

    monkeypatch.setattr(platformdirs, "user_cache_path", path_of)
    monkeypatch.setattr(platformdirs, "user_state_path", path_of)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_no_home_disables_the_index_and_gives_a_reason(no_home: Path) -> None:
    folder = open_user_folder()
    assert not folder.contains("run")
    assert folder.read("run") is None
    assert not folder.write("run", IndexContents({}, {}))
    assert folder.failure is not None
    assert folder.measure_usage().files == folder.clear().files == 0
    assert list(no_home.iterdir()) == []


def test_no_home_still_reports_a_crash(no_home: Path) -> None:
    report = create_report()
    report.add(ValueError("broken"))
    told = report.write()
    assert told is not None
    assert "crashed (ValueError: broken); the report could not be written" in told
    assert list(no_home.iterdir()) == []


def test_no_home_has_no_saved_settings(no_home: Path) -> None:
    saved = SettingsFile.of_paths(["logs"])
    assert saved.load() == KeptChoices()
    with pytest.raises(OSError, match="Not a directory"):
        saved.save(KeptChoices())
    assert list(no_home.iterdir()) == []
