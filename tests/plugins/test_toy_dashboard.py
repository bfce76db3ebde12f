"""A dashboard in one folder with one registry entry is found everywhere, with a kind of data of its own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

import tbtui
from tbtui.cli.main import main
from tbtui.cli.options import dashboard as dashboard_options
from tbtui.events.writer import EventFileWriter
from tbtui.loading.loader import Loader
from tbtui.loading.sources import parse_sources
from tbtui.plugins import registry
from tbtui.settings.persistence import SavedState, read_state, state_document
from tbtui.settings.settings import Settings
from tests.helpers.log_directory import FILE, START
from tests.helpers.screen_text import screen_text, until
from tests.helpers.scripted_dashboard import FakeLoader, dashboard
from tests.toy_dashboard import MARKER, PLUGIN

if TYPE_CHECKING:
    from pathlib import Path

    from tbtui.app.app import Dashboard

SIZE = (110, 40)


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "PLUGINS", (*registry.PLUGINS, PLUGIN))


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """Return a log directory whose only data are levels, of a plugin that TensorBoard does not know."""
    path = tmp_path / "logs" / "tank" / FILE
    path.parent.mkdir(parents=True)
    with EventFileWriter(str(path), wall_time=START) as writer:
        for step, level in enumerate((3.0, 7.5, 5.0)):
            writer._tensor("water", np.array(level, np.float32), "levels", step, START + step)
    return tmp_path / "logs"


def app_of(logs: Path, **changes: object) -> Dashboard:
    loaded = Loader(parse_sources([str(logs)])).load_all()
    return dashboard(FakeLoader(loaded.snapshot), plugins=None, **changes)


def output(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(list(words)) == 0
    return capsys.readouterr().out


def help_of(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    with pytest.raises(SystemExit) as ended:
        main([*words, "--help"])
    assert ended.value.code == 0
    return capsys.readouterr().out


async def test_toy_tab_appears_and_shows_its_data(logs: Path) -> None:
    app = app_of(logs)
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "★ water tank [3.0, 7.5, 5.0]" in screen_text(app))
        assert "1 Levels" in screen_text(app)


async def test_toy_key_changes_its_setting_and_help_lists_it(logs: Path) -> None:
    app = app_of(logs)
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "★ water" in screen_text(app))
        app.query_one("LevelList").focus()
        await pilot.press("m")
        await until(pilot, lambda: "✚ water" in screen_text(app))
        await pilot.press("question_mark")
        await until(pilot, lambda: "marker of a level: plus" in screen_text(app))
        assert "Levels" in screen_text(app)


def test_toy_setting_survives_the_settings_file() -> None:
    kept = SavedState(choices=MARKER.next(Settings()))
    read = read_state(json.loads(json.dumps(state_document(kept))))
    assert MARKER.value(read.choices) == "plus"


def test_setting_with_unknown_value_returns_the_default() -> None:
    assert MARKER.value(Settings(plugin_settings={MARKER.name: "gone"})) == "star"


def test_completion_of_tab_offers_the_toy() -> None:
    assert "levels" in dashboard_options.command_parser().offers["tab"]()


def test_print_shows_toy_as_first_data(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = output(capsys, "print", str(logs))
    assert "water" in text
    assert "tank: [3.0, 7.5, 5.0]" in text
    assert output(capsys, "print", str(logs), "--plugin", "levels") == text


def test_picture_contains_the_toy_chart(logs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "levels.svg"
    output(capsys, "print", str(logs), "-o", str(path))
    assert "[3.0, 7.5, 5.0]" in path.read_text()
    assert "levels over steps" in path.read_text()


def test_export_writes_the_toy_table(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = output(capsys, "export", str(logs), "--plugin", "levels").splitlines()
    assert lines[0] == "run,tag,step,wall_time,level"
    assert lines[2].startswith("tank,water,1,")
    assert lines[2].endswith(",7.5")


def test_export_all_writes_the_toy_table(logs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output(capsys, "export", str(logs), "--plugin", "all", "-o", str(tmp_path / "all"))
    manifest = json.loads((tmp_path / "all" / "manifest.json").read_text())
    assert "levels.csv" in [file["file"] for file in manifest["files"]]
    assert manifest["tags_left_out"] == {}


def test_python_api_returns_toy_values(logs: Path) -> None:
    run = tbtui.open(logs, cache=False)["tank"]
    values = run.values("levels", "water")
    assert [value.level for value in values] == [3.0, 7.5, 5.0]


def test_python_api_error_names_the_toy_call(logs: Path) -> None:
    run = tbtui.open(logs, cache=False)["tank"]
    with pytest.raises(tbtui.UnknownTagError, match=r"ask values\('levels', tag\)"):
        run.images("water")
    with pytest.raises(ValueError, match="no values are read as 'depths'"):
        run.values("depths", "water")


@pytest.mark.parametrize("name", ["images", "histograms", "audio", "text", "pr_curves"])
def test_values_by_name_refuses_a_tag_of_the_toy(logs: Path, name: str) -> None:
    run = tbtui.open(logs, cache=False)["tank"]
    with pytest.raises(tbtui.UnknownTagError, match="holds levels"):
        run.values(name, "water")


def test_inspect_adds_the_toy_facts(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [line.split() for line in output(capsys, "inspect", str(logs)).splitlines()]
    assert ["levels", "values", "steps", "highest"] in rows
    assert ["water", "3", "0…2", "7.5"] in rows


def test_help_lists_the_toy(capsys: pytest.CaptureFixture[str]) -> None:
    assert "levels" in help_of(capsys, "print")
    assert "  of levels         level: the number that was logged" in help_of(capsys, "export")
