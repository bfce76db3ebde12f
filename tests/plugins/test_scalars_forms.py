"""Forms of the Scalars tab show and change settings."""

from __future__ import annotations

import csv
import os
from typing import TYPE_CHECKING, Any

import pytest

from tbtui.plugins.scalars.pane.forms import ScalarExport, build_chart_fields, build_options_fields, with_chart
from tbtui.settings.settings import ChartSettings, ReferenceLine, Settings
from tbtui.widgets import worker as worker_module
from tbtui.widgets.form_fields import FieldError, Text, apply_options, check_ranges
from tests.helpers.pane_app import pressed
from tests.helpers.scalars_app import ScalarsApp
from tests.helpers.screen_text import screen_text
from tests.helpers.views import plain_view

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from textual.pilot import Pilot

    from tbtui.widgets.form_fields import Field

ODD = Settings(
    smoothing=0.35,
    x_axis="relative",
    x_scale="log",
    y_scale="symlog",
    outliers="keep",
    skip_steps=12,
    extremes=True,
    superseded=True,
    linked=True,
    columns=3,
    empty_cards=True,
    row_order="descending",
    group_level=2,
    group_pattern="(.*)/seed",
    spread="minmax",
    max_steps=2**62 + 1,
)


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_module, "MAX_WAIT_SECONDS", 30)


def untouched(fields: Sequence[Field]) -> dict[str, Any]:
    """What a form hands over that nobody has changed."""
    return {field.name: field.read(field.shown) if isinstance(field, Text) else field.current for field in fields}


def typed(text: str) -> str:
    """Keys that type a text into a field that is emptied first."""
    names = {" ": "space", ".": "full_stop", ",": "comma", "-": "minus", ":": "colon", "/": "slash", "~": "tilde"}
    return " ".join(["ctrl+u", *(names.get(letter, letter) for letter in text)])


# What is shown is what is chosen


def test_form_labels_are_complete_and_leave_room_for_values() -> None:
    labels = {field.name: field.label for field in build_options_fields(Settings(), ())}
    assert (labels["extremes"], labels["row_order"]) == ("mark extremes", "sort table")
    assert max(map(len, labels.values())) <= 40 // 2 - 2


@pytest.mark.parametrize("settings", [Settings(), ODD])
def test_options_form_unchanged_changes_nothing(settings: Settings) -> None:
    fields = build_options_fields(settings, ("a/seed0",))
    assert apply_options(settings, untouched(fields)) == settings
    assert apply_options(Settings(), untouched(build_options_fields(ODD, ()))) == ODD


def test_new_x_axis_drops_ranges_in_its_units_and_y_scale_goes_to_all() -> None:
    held = ChartSettings(x_range=(1, 2), y_range=(3, 4), y_scale="log")
    settings = Settings(charts={"a": held}, x_range=(1, 2), cursor=3.0)
    entered = {**untouched(build_options_fields(settings, ())), "x_axis": "wall", "y_scale": "symlog"}
    changed = apply_options(settings, entered)
    assert (changed.x_axis, changed.x_range, changed.cursor) == ("wall", (None, None), None)
    assert changed.charts == {"a": ChartSettings(y_range=(3, 4))}


@pytest.mark.parametrize(
    "settings",
    [
        Settings(),
        Settings(x_range=(1, 2)),
        Settings(x_range=(1, 2), linked=True),
        Settings(
            x_axis="wall",
            charts={
                "a": ChartSettings("log", (1.79e9, None), (1e-9, 0.1), (ReferenceLine(0.5, "goal"),), "max"),
                "b": ChartSettings(best="min"),
            },
        ),
        Settings(x_axis="relative", charts={"a": ChartSettings(x_range=(0.25, 5400))}),
    ],
)
def test_chart_form_unchanged_changes_nothing(settings: Settings) -> None:
    entered = check_ranges(settings, untouched(build_chart_fields(settings, "a")))
    assert with_chart(settings, "a", entered) == settings


def test_chart_form_x_range_of_a_linked_chart_applies_to_all() -> None:
    settings = Settings(linked=True, x_range=(1, 2), charts={"b": ChartSettings(y_scale="log")})
    entered = {**untouched(build_chart_fields(settings, "a")), "x_from": 5.0, "x_to": None}
    assert with_chart(settings, "a", entered) == Settings(
        linked=True, x_range=(5.0, None), charts={"b": ChartSettings(y_scale="log")}
    )


@pytest.mark.parametrize(
    ("settings", "entered", "name", "reason"),
    [
        (Settings(), {"x_from": 2.0, "x_to": 1.0}, "x_from", "the lower end must be below the upper"),
        (Settings(), {"y_from": 1.0, "y_to": 1.0}, "y_from", "the lower end must be below the upper"),
        (Settings(), {"y_from": 0.0, "y_scale": "log"}, "y_from", "a log axis needs a range above 0"),
        (Settings(y_scale="log"), {"y_to": -1.0}, "y_from", "a log axis needs a range above 0"),
        (Settings(x_scale="log"), {"x_from": 0.0}, "x_from", "a log axis needs a range above 0"),
    ],
)
def test_chart_form_invalid_ranges_are_refused(
    settings: Settings, entered: dict[str, Any], name: str, reason: str
) -> None:
    with pytest.raises(FieldError, match=reason) as error:
        check_ranges(settings, {**untouched(build_chart_fields(settings, "a")), **entered})
    assert error.value.name == name


def test_chart_form_wall_time_is_never_logarithmic() -> None:
    settings = Settings(x_axis="wall", x_scale="log")
    check_ranges(settings, {**untouched(build_chart_fields(settings, "a")), "x_from": -5.0})


# By keys


async def test_options_form_keys_set_options() -> None:
    app = ScalarsApp()
    async with app.run_test(size=(100, 40)) as pilot:
        await pressed(pilot, "o")
        assert "options of all charts" in screen_text(app)
        await pressed(pilot, f"{typed('.9')} down down right down down down right enter")
        assert (app.settings.smoothing, app.settings.x_axis, app.settings.y_scale) == (0.9, "relative", "log")
        assert "smooth .90" in app.pane.status()


async def test_options_form_invalid_value_is_refused_and_escape_cancels() -> None:
    app = ScalarsApp()
    async with app.run_test(size=(100, 40)) as pilot:
        await pressed(pilot, f"o {typed('1')} down right enter")
        assert "✗ between 0 and 0.999" in screen_text(app)
        await pressed(pilot, "escape")
        assert app.settings == Settings(smoothing=0.0)
        assert app.focused is app.grid


async def test_chart_form_keys_set_ranges_and_reference_lines() -> None:
    app = ScalarsApp()
    async with app.run_test(size=(100, 40)) as pilot:
        await pressed(pilot, f"right enter e down {typed('12x')} enter")
        assert "✗ not a number: 12x" in screen_text(app)
        await pressed(pilot, f"{typed('50')} down {typed('20')} enter")
        assert "✗ the lower end must be below the upper" in screen_text(app)
        await pressed(pilot, f"{typed('10')} down down down down {typed('5 goal')} enter")
        assert app.settings.charts == {
            "loss/train": ChartSettings(x_range=(10, 20), lines=(ReferenceLine(5.0, "goal"),))
        }
        assert "goal" in screen_text(app)
        assert "x step 10–20" in app.pane.status()


@pytest.mark.parametrize("key", ["o", "e", "w", "i", "M"])
@pytest.mark.parametrize("size", [(40, 12), (80, 24)])
async def test_forms_fit_small_terminals(key: str, size: tuple[int, int]) -> None:
    app = ScalarsApp()
    async with app.run_test(size=size) as pilot:
        await pressed(pilot, f"{key} up down tab")
        assert "esc" in screen_text(app)
        await pressed(pilot, "escape")
        assert app.focused is app.grid


# About a chart


async def test_about_key_opens_a_page() -> None:
    app = ScalarsApp()
    async with app.run_test(size=(100, 40)) as pilot:
        await pressed(pilot, "right i")
        for text in ("about loss/train", "esc close", "tag loss/train", "a: 100 points at steps 0–99"):
            assert any(text in line for line in app.lines()), text
        await pressed(pilot, "i")
        assert app.focused is app.grid


# Writing


async def written(pilot: Pilot[None], keys: str) -> None:
    await pressed(pilot, keys)
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()


async def test_write_key_writes_chart_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    app = ScalarsApp(charts={"loss/train": ChartSettings(x_range=(10, 19.5))})
    async with app.run_test(size=(100, 40)) as pilot:
        await written(pilot, "right w enter")
        rows = list(csv.DictReader((tmp_path / "loss-train.csv").read_text().splitlines()))
        assert [(row["run"], row["tag"], row["step"]) for row in rows[:2]] == [
            ("a", "loss/train", f"{n}") for n in (10, 11)
        ]
        assert len(rows) == 30
        assert app.said == [f"30 points in {tmp_path}/loss-train.csv"]
        await written(pilot, "w enter")
        assert "✗ loss-train.csv exists already" in screen_text(app)
        await written(pilot, "right up up right enter")
        assert app.said[-1] == f"300 points in {tmp_path}/loss-train.csv"


async def test_write_form_shows_failures(tmp_path: Path) -> None:
    app = ScalarsApp()
    async with app.run_test(size=(160, 40)) as pilot:
        await written(pilot, f"w {typed('')} enter")
        assert "✗ which file?" in screen_text(app)
        await written(pilot, f"{typed('/nowhere/at.csv')} enter")
        assert "✗ /nowhere/at.csv cannot be written" in screen_text(app)
        await written(pilot, f"{typed('/dev/null')} enter")
        assert "✗ /dev/null is not a file" in screen_text(app)
        await written(pilot, "escape")
        assert app.said == []


def entered(path: Path, **changes: Any) -> dict[str, Any]:
    return {"path": path, "format": None, "stored": False, "smoothed": False, "force": False, **changes}


def test_write_to_a_pipe_without_a_reader_does_not_wait(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    writing = ScalarExport(plain_view({"a": {"t": (1.0, 2.0)}}), "t")
    with pytest.raises(FieldError, match="is not a file"):
        writing(entered(tmp_path / "pipe"))


def test_write_stopped_leaves_no_file(tmp_path: Path) -> None:
    writing = ScalarExport(plain_view({"a": {"t": (1.0, 2.0)}}), "t")
    writing.stop()
    assert writing(entered(tmp_path / "t.csv")) is None
    assert list(tmp_path.iterdir()) == []


def test_write_format_follows_the_file_name_unless_chosen(tmp_path: Path) -> None:
    writing = ScalarExport(plain_view({"a": {"t": (1.0, 2.0)}}, smoothing=0.5), "t")
    writing(entered(tmp_path / "t.json", smoothed=True))
    assert '"smoothed": 1.0' in (tmp_path / "t.json").read_text()
    writing(entered(tmp_path / "t.txt", format="jsonl"))
    assert (tmp_path / "t.txt").read_text().count("\n") == 2


def test_write_chart_without_points_shows_a_reason(tmp_path: Path) -> None:
    writing = ScalarExport(plain_view({"a": {"t": (1.0,)}}, skip_steps=9), "t")
    with pytest.raises(FieldError, match="step") as error:
        writing(entered(tmp_path / "t.csv"))
    assert error.value.name == "stored"
    assert list(tmp_path.iterdir()) == []
