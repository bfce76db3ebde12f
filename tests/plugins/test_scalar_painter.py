"""Cards and opened charts of one view: their cache keys and their plot areas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tbtui.plugins.scalars.chart import NoPointsError, ScalarData
from tbtui.plugins.scalars.painter import ScalarRenderer, ScalarSource
from tbtui.settings.settings import ChartSettings, ReferenceLine, TagMerge
from tbtui.view.card_painter import Painter
from tests.helpers.views import FALLING, picture, plain_view, run_of, series, view

if TYPE_CHECKING:
    from tbtui.plugins.scalars.chart import Chart
    from tbtui.view.view import View

TWO = {"a": {"loss": FALLING, "acc": FALLING}, "b": {"loss": tuple(2 * value for value in FALLING)}}


def painter(shown: View | None = None, data: ScalarData | None = None, **settings: Any) -> Painter[Chart]:
    data, shown = data or ScalarData(), shown or plain_view(TWO, **settings)
    return Painter(ScalarSource(data, ScalarRenderer(), shown), data.cards(shown))


# What a card depends on

ALTERING: tuple[dict[str, Any], ...] = (
    {"cursor": 1.0},
    {"cursor": 1.0, "mark": 2.0},
    {"focus": "b"},
    {"baseline": "b"},
    {"row_order": "ascending"},
    {"extremes": True},
    {"superseded": True},
    {"skip_steps": 1},
    {"outliers": "keep"},
    {"x_scale": "log"},
    {"x_range": (0.0, 2.0)},
    {"group_level": 1},
    {"group_pattern": "a|b"},
    {"group_pattern": "("},
    {"linked": True},
    {"charts": {"loss": ChartSettings(y_range=(0.0, 1.0))}},
    {"charts": {"loss": ChartSettings(lines=(ReferenceLine(1.0),))}},
    {"charts": {"loss": ChartSettings(best="max")}},
)


@pytest.mark.parametrize("settings", ALTERING, ids=" ".join)
def test_fingerprint_changes_with_the_picture(settings: dict[str, Any]) -> None:
    assert painter(**settings).paint_key("loss") != painter().paint_key("loss")


@pytest.mark.parametrize(
    "settings",
    [
        {"mark": 2.0},
        {"focus": "gone"},
        {"charts": {"acc": ChartSettings(y_range=(0.0, 1.0))}},
        {"tag_filter": "loss"},
        {"pinned": ("acc",)},
        {"columns": 3},
        {"spread": "minmax"},
        {"joints": (TagMerge(tags=("acc", "other")),)},
    ],
    ids=" ".join,
)
def test_fingerprint_ignores_invisible_changes(settings: dict[str, Any]) -> None:
    assert painter(**settings).paint_key("loss") == painter().paint_key("loss")


def test_fingerprint_includes_focus_if_its_run_or_group_is_drawn() -> None:
    assert painter(focus="b").paint_key("acc") == painter().paint_key("acc")
    runs = {f"adam/s{index}": {"loss": FALLING} for index in range(2)}
    plain, focused = (painter(plain_view(runs, group_level=1, focus=focus)) for focus in (None, "adam"))
    assert plain.paint_key("loss") != focused.paint_key("loss")


@pytest.mark.parametrize("settings", [{"cursor": 1.0}, {"focus": "b"}, {"extremes": True}, {"row_order": "descending"}])
def test_fingerprint_ignores_focus_outside_the_chart(settings: dict[str, Any]) -> None:
    data = ScalarData()
    assert data.chart(plain_view(TWO), "loss") is data.chart(plain_view(TWO, **settings), "loss")


@pytest.mark.parametrize(
    "settings",
    [
        {"x_range": (0.0, 2.0)},
        {"outliers": "keep"},
        {"y_scale": "symlog"},
        {"x_scale": "log"},
        {"charts": {"loss": ChartSettings(y_range=(0.0, 1.0))}},
    ],
)
def test_axis_changes_keep_all_lines(settings: dict[str, Any]) -> None:
    data = ScalarData()
    before, after = data.chart(plain_view(TWO), "loss"), data.chart(plain_view(TWO, **settings), "loss")
    assert after is not before
    assert after.lines is before.lines


# Where one can point


def test_card_reports_plot_area_and_cursor_stops() -> None:
    painted = painter(smoothing=0).paint("acc", 40, 12, focused=True)
    assert painted.plot is not None
    assert painted.stops is not None
    assert painted.stops.tolist() == [0, 1, 2, 3]
    for step, value in enumerate(FALLING):
        column, row = painted.plot.column(step), painted.plot.row(value)
        assert painted.cells.inks[row, column] == 0
    corner = painted.plot.top + painted.plot.height - 1, painted.plot.left - 1
    assert chr(painted.cells.glyphs[corner]) in "│┤"


def test_card_without_focus_computes_no_stops() -> None:
    assert painter().paint("acc", 40, 12, focused=False).stops is None


def test_opened_chart_reports_its_plot_area_below_the_title() -> None:
    opened = painter(smoothing=0).open("acc", 80, 30)
    assert opened.plot is not None
    assert opened.plot.top == 1
    for step, value in enumerate(FALLING):
        assert opened.picture.inks[opened.plot.row(value), opened.plot.column(step)] == 0


def test_card_too_small_has_no_plot_area() -> None:
    painted = painter().paint("acc", 2, 2, focused=True)
    assert (painted.plot, painted.stops) == (None, None)


def test_opened_chart_rows_name_runs_in_order() -> None:
    assert painter().open("loss", 80, 30).runs == ("a", "b")
    assert painter(row_order="descending").open("loss", 80, 30).runs == ("b", "a")
    runs = {f"adam/s{index}": {"loss": FALLING} for index in range(2)}
    opened = painter(plain_view({**runs, "sgd": {"loss": FALLING}}, group_level=1)).open("loss", 80, 30)
    assert opened.runs == ("adam", "sgd")
    assert "adam ×2" in picture(opened.rows)


def test_pick_on_a_curve_returns_its_run() -> None:
    painted = painter(smoothing=0)
    opened = painted.open("loss", 80, 30)
    assert opened.plot is not None
    for run, factor in (("a", 1), ("b", 2)):
        column, row = opened.plot.column(1.5), opened.plot.row(2.5 * factor)
        assert column is not None
        assert row is not None
        assert painted.pick(opened, column, row) == run
    assert painted.pick(opened, opened.plot.left, opened.plot.top + opened.plot.height - 1) is None
    assert painted.pick(painted.open_error("loss", 80, 30, ValueError()), 5, 5) is None


def test_cursor_and_stops_of_enormous_steps_agree() -> None:
    least = 2**62
    made = run_of(series("t", (1, 2, 3, 4), steps=[least + 1000 * index for index in range(4)]))
    opened = painter(view(made)).open("t", 80, 30)
    assert opened.stops is not None
    assert opened.stops.tolist() == [0, 1000, 2000, 3000]
    pointed = painter(view(made, cursor=float(least + 2048), smoothing=0)).open("t", 80, 30)
    assert picture(pointed.rows).split()[2] == "3"
    assert str(least + 2000) in picture(pointed.rows)


# Words around it


def test_title_line_shows_as_many_settings_as_fit() -> None:
    settings = {"cursor": 2.0, "x_range": (0.0, 3.0), "y_scale": "log"}
    wide, narrow = (painter(**settings).open("loss", width, 30).picture.get_row_text(0).rstrip() for width in (90, 50))
    assert wide.startswith("‹ loss  smooth .60 · y log · x step 0–3 · @ step 2")
    assert narrow == "‹ loss  smooth .60 · y log · x step 0–3   esc back"


def test_low_chart_shows_values_in_the_title_without_a_table() -> None:
    low = painter().open("loss", 60, 10)
    assert low.picture.height == 10
    assert low.picture.get_row_text(0).split("   ")[0] == "‹ loss  1.90 – 3.81"


@pytest.mark.parametrize(
    ("settings", "width", "line"),
    [
        ({"cursor": 0.0}, 60, "‹ loss  4 – 8 · @ step 0                            esc back"),
        ({"cursor": 0.0}, 40, "‹ loss  4 – 8 · @ step 0        esc back"),
        ({"cursor": 0.0}, 30, "‹ loss  4 – 8 · @ step 0"),
        ({"cursor": 0.0}, 20, "‹ loss  4 – 8"),
        ({"cursor": 2.0, "mark": 1.0}, 40, "‹ loss  -1.4 – -0.702 · @ 1–2   esc back"),
        ({"cursor": 2.0, "mark": 2.0}, 40, "‹ loss  ±0 · @ 2                esc back"),
        ({"cursor": 0.0, "focus": "b"}, 40, "‹ loss  b 8 · @ step 0          esc back"),
        ({"cursor": 2.0, "mark": 1.0, "focus": "b"}, 40, "‹ loss  b -1.4 · @ 1–2          esc back"),
        ({"cursor": 2.0, "x_axis": "relative"}, 40, "‹ loss  2.67 – 5.35 · @ 2s      esc back"),
    ],
)
def test_low_chart_shows_cursor_values_before_the_way_back(settings: dict[str, Any], width: int, line: str) -> None:
    assert painter(**settings).open("loss", width, 10).picture.get_row_text(0).rstrip() == line


def test_card_without_points_shows_a_reason() -> None:
    shown = painter(plain_view(TWO, solo="b", empty_cards=True))
    with pytest.raises(NoPointsError) as error:
        shown.paint("acc", 60, 9, focused=False)
    broken = picture(shown.paint_error("acc", 60, 9, error.value, focused=False))
    assert "╭ acc ─" in broken
    assert "no visible run has a value of this tag" in broken


def test_joined_card_outline_has_its_title() -> None:
    data, shown = ScalarData(), plain_view(TWO, joints=(TagMerge(tags=("loss", "acc")),))
    key = data.cards(shown).keys[0]
    assert "╭ {acc,loss} ─" in picture(painter(shown, data).paint_outline(key, 40, 9, focused=False))
    assert "╭ {acc,loss} ─" in picture(painter(shown, data).paint(key, 40, 9, focused=False).cells)


def test_names_from_files_are_escaped_in_every_part() -> None:
    evil = "\x1b]0;owned\x07\x1b[2J\u202e"
    runs = {f"a/{evil}{index}": {f"loss/{evil}{tag}": FALLING for tag in "xy"} for index in range(2)}
    data = ScalarData()
    own = ChartSettings(lines=(ReferenceLine(2.0, evil),))
    shown = plain_view(runs, joints=(TagMerge(pattern="(loss)"),), group_pattern="(a/.*)[01]", baseline=f"a/{evil}0")
    key = data.cards(shown).keys[0]
    shown = plain_view(runs, joints=shown.settings.joints, charts={key: own}, focus=f"a/{evil}1", cursor=1.0)
    drawn = painter(shown, data)
    opened = drawn.open(key, 120, 40)
    for cells in (opened.picture, opened.header, opened.rows, drawn.paint(key, 80, 12, focused=True).cells):
        assert not {0x1B, 0x07, 0x202E} & set(np.unique(cells.glyphs).tolist())
