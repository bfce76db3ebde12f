"""A dashboard in one folder with one registry entry is found everywhere, with a kind of data of its own."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import tbtui
from tbtui.cli.main import main
from tbtui.cli.options import dashboard as dashboard_options
from tbtui.events.writer import EventFileWriter
from tbtui.loading import payloads as payloads_module
from tbtui.loading.loader import Loader
from tbtui.loading.payloads import Payloads, read_payloads
from tbtui.loading.sources import parse_sources
from tbtui.plugins import registry
from tbtui.plugins.base import InspectFacts
from tbtui.settings.persistence import SavedState, build_state_document, read_state
from tbtui.settings.settings import Settings
from tests.helpers.log_directory import FILE, START
from tests.helpers.screen_text import screen_lines, screen_text, until
from tests.helpers.scripted_dashboard import FakeLoader, dashboard
from tests.toy_dashboard import PLUGIN
from tests.toy_dashboard.chart import LEVELS
from tests.toy_dashboard.decode import Levels
from tests.toy_dashboard.settings import COLUMN

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tbtui.app.app import Dashboard
    from tbtui.loading.payloads import PayloadBlock
    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot

SIZE = (110, 40)


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "PLUGINS", (*registry.PLUGINS, PLUGIN))


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """Return a log directory whose only data are levels, of a plugin that TensorBoard does not know."""
    return write_levels(tmp_path / "logs", [(0, (3.0, 10.0)), (1, (7.5, 20.0)), (2, (5.0, 30.0))])


@pytest.fixture
def damaged_logs(tmp_path: Path) -> Path:
    """Return a log directory in which the second of three levels lacks its temperature."""
    return write_levels(tmp_path / "logs", [(0, (3.0, 10.0)), (1, (7.5,)), (2, (5.0, 30.0))])


def write_levels(logs: Path, levels: list[tuple[int, tuple[float, ...]]], run: str = "tank") -> Path:
    path = logs / run / FILE
    path.parent.mkdir(parents=True)
    with EventFileWriter(str(path), wall_time=START) as writer:
        for index, (step, level) in enumerate(levels):
            writer.tensor("water", np.array(level, np.float32), "levels", step, START + index)
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
        await until(pilot, lambda: "╭ level · water ─" in screen_text(app) and "tank 5.40" in screen_text(app))
        assert "1 Levels" in screen_text(app)


async def test_toy_card_opens_with_a_table_of_runs(logs: Path) -> None:
    app = app_of(logs)
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "╭ level · water ─" in screen_text(app))
        app.query_one("CardGrid").focus()
        await pilot.press("enter")
        await until(pilot, lambda: "‹ level · water" in screen_text(app))
        await pilot.press("comma")
        await until(pilot, lambda: "@ step 2" in screen_text(app))
        rows = [line.partition("▏")[2].split() for line in screen_lines(app)]
        assert ["●", "tank", "5"] in [row[:3] for row in rows]


async def test_toy_key_changes_its_setting_and_help_lists_it(logs: Path) -> None:
    app = app_of(logs)
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "╭ level · water ─" in screen_text(app))
        app.query_one("CardGrid").focus()
        await pilot.press("m")
        await until(pilot, lambda: "╭ temperature · water ─" in screen_text(app))
        await pilot.press("question_mark")
        await until(pilot, lambda: "number: temperature" in screen_text(app))


async def test_toy_options_form_changes_its_setting(logs: Path) -> None:
    app = app_of(logs)
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "╭ level · water ─" in screen_text(app))
        app.query_one("CardGrid").focus()
        await pilot.press("o")
        await until(pilot, lambda: "number" in screen_text(app))
        await pilot.press("right", "enter")
        await until(pilot, lambda: "╭ temperature · water ─" in screen_text(app))


def test_toy_setting_survives_the_settings_file() -> None:
    kept = SavedState(settings=COLUMN.next(Settings()))
    read = read_state(json.loads(json.dumps(build_state_document(kept))), registry.list_plugin_settings())
    assert COLUMN.value(read.settings) == "temperature"


def test_read_state_unknown_value_of_the_toy_returns_the_default() -> None:
    document = {"version": 1, "choices": {"plugin_settings": {COLUMN.name: "gone"}}}
    assert COLUMN.value(read_state(document, [COLUMN]).settings) == "level"


def test_completion_of_tab_offers_the_toy() -> None:
    assert "levels" in dashboard_options.command_parser().offers["tab"]()


def test_print_shows_toy_as_first_data(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = output(capsys, "print", str(logs))
    assert "level · water · 1 run · steps 0–2" in text
    assert output(capsys, "print", str(logs), "--plugin", "levels") == text


def test_picture_contains_the_toy_chart(logs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "levels.svg"
    output(capsys, "print", str(logs), "-o", str(path))
    assert ">level · water<" in path.read_text()


def test_option_of_the_toy_selects_the_number_that_is_printed(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = output(capsys, "print", str(logs), "--levels-column", "temperature")
    assert "temperature · water · 1 run · steps 0–2" in text
    with pytest.raises(SystemExit):
        main(["export", str(logs), "--levels-column", "temperature"])
    assert "--levels-column" in capsys.readouterr().err


def test_export_writes_the_toy_table(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = output(capsys, "export", str(logs), "--plugin", "levels").splitlines()
    assert lines[0] == "run,tag,step,wall_time,level,temperature"
    assert lines[2].startswith("tank,water,1,")
    assert lines[2].endswith(",7.5,20.0")


def test_export_current_leaves_out_superseded_levels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    levels = [(0, 1.0), (1, 2.0), (2, 3.0), (1, 4.0), (2, 5.0)]
    logs = write_levels(tmp_path / "logs", [(step, (level, 0.0)) for step, level in levels])
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
    assert "a tensor of shape [1] instead of a level, which has 2 numbers" in printed.err


def test_print_names_the_unreadable_level(damaged_logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = " ".join(output(capsys, "print", str(damaged_logs)).split())
    assert "tank, step 1: a tensor of shape [1] instead of a level, which has 2 numbers" in text
    assert "✗" not in text


def test_print_makes_the_name_of_a_run_safe(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    logs = write_levels(tmp_path / "logs", [(0, (1.0,)), (1, (1.0, 2.0))], run="a\x1b[2Jb")
    assert "a·[2Jb, step 0: " in output(capsys, "print", str(logs))


def test_print_reports_a_tag_without_readable_levels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    logs = write_levels(tmp_path / "logs", [(step, (1.0,)) for step in range(5)])
    text = " ".join(output(capsys, "print", str(logs)).split())
    assert "tank, step 2: a tensor of shape [1]" in text
    assert "2 more unreadable levels" in text


async def test_pane_shows_the_unreadable_level(damaged_logs: Path) -> None:
    app = app_of(damaged_logs)
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "⚠ tank, step 1: a tensor of shape [1]" in screen_text(app))
        assert "✗" not in screen_text(app)


async def test_pane_reads_each_level_once(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    points: list[int] = []

    def read(run: RunSnapshot, series: ReferenceSeries, wanted: Any, **how: Any) -> Iterator[PayloadBlock]:
        points.extend(wanted.tolist())
        return read_payloads(run, series, wanted, **how)

    monkeypatch.setattr(payloads_module, "read_payloads", read)
    app = app_of(logs)
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "╭ level · water ─" in screen_text(app))
        app.query_one("CardGrid").focus()
        await pilot.press("m", "enter", "comma")
        await until(pilot, lambda: "‹ temperature · water" in screen_text(app))
    assert points == [0, 1, 2]


def test_levels_view_of_a_restart_shows_current_points(tmp_path: Path) -> None:
    levels = [(0, 1.0), (1, 2.0), (2, 3.0), (1, 4.0), (2, 5.0)]
    logs = write_levels(tmp_path / "logs", [(step, (level, 0.0)) for step, level in levels])
    (run,) = Loader(parse_sources([str(logs)])).load_all().snapshot.runs.values()
    series = run.references("water", "levels")
    assert series is not None
    payloads = Payloads()
    assert LEVELS.numbers(payloads, run, series).columns["level"].tolist() == [1, 2, 3, 4, 5]
    assert LEVELS.numbers(payloads, run, series.current).columns["level"].tolist() == [1, 4, 5]


def test_python_api_raises_for_the_unreadable_level(damaged_logs: Path) -> None:
    values = tbtui.open(damaged_logs, cache=False)["tank"].values("levels", "water")
    with pytest.raises(tbtui.PayloadError, match=r"at step 1: a tensor of shape \[1\] instead of a level"):
        _ = values[1].level


def test_inspect_shows_facts_of_readable_levels(damaged_logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [line.split() for line in output(capsys, "inspect", str(damaged_logs)).splitlines()]
    assert ["water", "3", "0…2", "5", "30"] in rows


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
    with pytest.raises(ValueError, match=r"no values are read as 'level'; .*: did you mean 'levels'\?"):
        run.values("level", "water")


@pytest.mark.parametrize("name", ["images", "histograms", "audio", "text", "pr_curves"])
def test_values_by_name_refuses_a_tag_of_the_toy(logs: Path, name: str) -> None:
    run = tbtui.open(logs, cache=False)["tank"]
    with pytest.raises(tbtui.UnknownTagError, match="holds levels"):
        run.values(name, "water")


def test_inspect_adds_the_toy_facts(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [line.split() for line in output(capsys, "inspect", str(logs)).splitlines()]
    assert ["levels", "values", "steps", "level", "temperature"] in rows
    assert ["water", "3", "0…2", "5", "30"] in rows


def test_help_lists_the_toy(capsys: pytest.CaptureFixture[str]) -> None:
    assert "levels" in help_of(capsys, "print")
    assert "of levels level, temperature: the numbers that were logged" in " ".join(help_of(capsys, "export").split())
