"""A dashboard in one folder with one registry entry is found everywhere, with a kind of data of its own."""

from __future__ import annotations

import json
from dataclasses import replace
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
from tbtui.plugins.base import InspectFacts
from tbtui.settings.persistence import SavedState, read_state, state_document
from tbtui.settings.settings import Settings
from tests.helpers.log_directory import FILE, START
from tests.helpers.screen_text import screen_text, until
from tests.helpers.scripted_dashboard import FakeLoader, dashboard
from tests.toy_dashboard import MARKER, PLUGIN
from tests.toy_dashboard.decode import Levels
from tests.toy_dashboard.pane.cards import LevelCardsPane

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
    return write_levels(tmp_path / "logs", [(0, 3.0), (1, 7.5), (2, 5.0)])


@pytest.fixture
def damaged_logs(tmp_path: Path) -> Path:
    """Return a log directory in which the second of three levels is a text."""
    return write_levels(tmp_path / "logs", [(0, 3.0), (1, b"high"), (2, 5.0)])


def write_levels(logs: Path, levels: list[tuple[int, float | bytes]], run: str = "tank") -> Path:
    path = logs / run / FILE
    path.parent.mkdir(parents=True)
    with EventFileWriter(str(path), wall_time=START) as writer:
        for index, (step, level) in enumerate(levels):
            array = np.array(level, object if isinstance(level, bytes) else np.float32)
            writer.tensor("water", array, "levels", step, START + index)
    return logs


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


async def test_toy_pane_of_cards_shows_and_opens_a_card(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plugin = replace(PLUGIN, load_pane=lambda: LevelCardsPane)
    monkeypatch.setattr(registry, "PLUGINS", (*registry.PLUGINS[:-1], plugin))
    app = app_of(logs)
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "╭ water ─" in screen_text(app) and "tank [3.0, 7.5, 5.0]" in screen_text(app))
        app.query_one("CardGrid").focus()
        await pilot.press("enter")
        await until(pilot, lambda: "‹ water" in screen_text(app) and "tank [3.0, 7.5, 5.0]" in screen_text(app))


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
    kept = SavedState(settings=MARKER.next(Settings()))
    read = read_state(json.loads(json.dumps(state_document(kept))), registry.plugin_settings())
    assert MARKER.value(read.settings) == "plus"


def test_read_state_unknown_value_of_the_toy_returns_the_default() -> None:
    document = {"version": 1, "choices": {"plugin_settings": {MARKER.name: "gone"}}}
    assert MARKER.value(read_state(document, [MARKER]).settings) == "star"


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


def test_export_current_leaves_out_superseded_levels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    logs = write_levels(tmp_path / "logs", [(0, 1.0), (1, 2.0), (2, 3.0), (1, 4.0), (2, 5.0)])
    lines = output(capsys, "export", str(logs), "--plugin", "levels", "--current").splitlines()
    assert [(line.split(",")[2], line.split(",")[4]) for line in lines[1:]] == [
        ("0", "1.0"),
        ("1", "4.0"),
        ("2", "5.0"),
    ]


def test_export_counts_the_unreadable_level(damaged_logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(damaged_logs), "--plugin", "levels"]) == 0
    printed = capsys.readouterr()
    assert [line.split(",")[2] for line in printed.out.splitlines()[1:]] == ["0", "2"]
    assert "the tensor is not a single number" in printed.err


def test_print_names_the_unreadable_level(damaged_logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = output(capsys, "print", str(damaged_logs))
    assert "tank: [3.0, 5.0]" in text
    assert "step 1: the tensor is not a single number" in text


def test_print_makes_the_name_of_a_run_safe(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    logs = write_levels(tmp_path / "logs", [(0, 1.0)], run="a\x1b[2Jb")
    assert "a·[2Jb: [1.0]" in output(capsys, "print", str(logs))


async def test_pane_shows_the_unreadable_level(damaged_logs: Path) -> None:
    app = app_of(damaged_logs)
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "[3.0, 5.0] step 1: the tensor is not a single number" in screen_text(app))


def test_python_api_raises_for_the_unreadable_level(damaged_logs: Path) -> None:
    values = tbtui.open(damaged_logs, cache=False)["tank"].values("levels", "water")
    with pytest.raises(tbtui.PayloadError, match="at step 1: the tensor is not a single number"):
        _ = values[1].level


def test_inspect_shows_facts_of_readable_levels(damaged_logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [line.split() for line in output(capsys, "inspect", str(damaged_logs)).splitlines()]
    assert ["water", "3", "0…2", "5"] in rows


def test_inspect_goes_on_after_an_exception_of_facts(
    logs: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_arguments: object) -> None:
        raise RuntimeError

    facts = {"levels": InspectFacts(("highest", "lowest"), fail)}
    monkeypatch.setattr(registry, "PLUGINS", (*registry.PLUGINS[:-1], replace(PLUGIN, facts=facts)))
    rows = [line.split() for line in output(capsys, "inspect", str(logs)).splitlines()]
    assert ["levels", "values", "steps", "highest", "lowest"] in rows
    assert ["water", "3", "0…2", "unreadable"] in rows


def test_export_all_writes_the_toy_table(logs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output(capsys, "export", str(logs), "--plugin", "all", "-o", str(tmp_path / "all"))
    manifest = json.loads((tmp_path / "all" / "manifest.json").read_text())
    assert "levels.csv" in [file["file"] for file in manifest["files"]]
    assert manifest["tags_left_out"] == {}


def test_python_api_returns_toy_values(logs: Path) -> None:
    run = tbtui.open(logs, cache=False)["tank"]
    values = run.values("levels", "water")
    assert [value.level for value in values] == [3.0, 7.5, 5.0]


def test_python_api_values_of_a_class_are_those_of_its_plugin(logs: Path) -> None:
    values = tbtui.open(logs, cache=False)["tank"].values(Levels, "water")
    assert (type(values), values[1].level) == (Levels, 7.5)
    with pytest.raises(tbtui.UnknownTagError, match="'water' of 'tank' holds levels, not images"):
        tbtui.open(logs, cache=False)["tank"].values(tbtui.Images, "water")


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
    assert "of levels level: the number that was logged" in " ".join(help_of(capsys, "export").split())
