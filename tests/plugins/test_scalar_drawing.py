"""Charts as pictures: compared as blocks of characters, so that a failing test shows the drawing."""

from __future__ import annotations

import math
from dataclasses import replace
from textwrap import dedent
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tbtui.charts.bundle import MAX_LINES_IN_COLOUR
from tbtui.charts.canvas import DASH_PATTERNS
from tbtui.charts.card import draw_error_card, draw_placeholder_card
from tbtui.charts.cells import BUNDLE_INKS, FAINT_FROM, Ink
from tbtui.charts.series_colours import PALETTE_SIZE
from tbtui.plugins.scalars import painter as drawing_module
from tbtui.plugins.scalars import readout as labels
from tbtui.plugins.scalars.chart import NoPointsError, ScalarData
from tbtui.plugins.scalars.chart_labels import format_clipped_label
from tbtui.plugins.scalars.lines import MAX_DETAILED_LINES
from tbtui.plugins.scalars.painter import ScalarRenderer, format_value_note
from tbtui.plugins.scalars.readout import Readout, ScalarCursor
from tbtui.plugins.scalars.readout_table import build_line_table
from tbtui.settings.settings import ROW_ORDERS, SCALES, X_AXES, ChartSettings, ReferenceLine, TagMerge
from tbtui.view.card_painter import format_error
from tbtui.view.run_names import RunColours
from tests.helpers.property_examples import examples
from tests.helpers.views import FALLING, picture, plain_view, run_of, series, view

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tbtui.charts.cells import Cells
    from tbtui.plugins.scalars.chart import Chart

NAN, INF = math.nan, math.inf


def chart(values: Mapping[str, Sequence[float]], **settings: Any) -> Chart:
    return ScalarData().chart(plain_view({run: {"loss": held} for run, held in values.items()}, **settings), "loss")


def block(text: str) -> str:
    return dedent(text).strip("\n")


def test_card_shows_title_and_axes() -> None:
    card = ScalarRenderer().card(chart({"a": FALLING}, smoothing=0), 30, 9, focused=False).cells
    assert picture(card) == block("""
        ╭ loss ────────────── last 1 ╮
        │4 ┤⠢⢄⣀                      │
        │  │   ⠉⠒⠢⢄⡀                 │
        │  │       ⠈⠉⠒⠤⢄⡀            │
        │2 ┤            ⠈⠑⠒⠤⣀⡀       │
        │  │                 ⠈⠑⠢⠤⣀   │
        │  │                      ⠉⠑⠢│
        │   0       1       2       3│
        ╰────────────────────────────╯
    """)


def test_card_focused_has_the_accent_colour_and_a_legend() -> None:
    two = chart({"run/seed0": FALLING, "run/seed1": (4, 4, 4, 2)})
    focused, other = (ScalarRenderer().card(two, 40, 10, focused=is_focused).cells for is_focused in (True, False))
    assert focused.get_row_text(9).startswith("╰ seed0 seed1 ─")
    assert other.get_row_text(9) == "╰" + "─" * 38 + "╯"
    assert focused.inks[5, 0] == Ink.ACCENT
    assert other.inks[5, 0] == Ink.FAINT
    assert {focused.inks[9, 2], focused.inks[9, 8]} == {0, 1}


def test_card_wide_names_lines_at_their_ends() -> None:
    card = (
        ScalarRenderer()
        .card(chart({"run/seed0": FALLING, "run/seed1": (4, 4, 4, 2)}, smoothing=0), 80, 10, focused=True)
        .cells
    )
    text = picture(card)
    assert "seed0 1" in text
    assert "seed1 2" in text
    assert "seed" not in card.get_row_text(9)


@pytest.mark.parametrize(
    ("values", "note"),
    [
        pytest.param({"a": FALLING}, "last smoothed 1.90", id="one line: the smoothed value it ends at"),
        pytest.param(
            {"a": FALLING, "b": (1, 2.5), "c": (1, 2)}, "last smoothed 1.62 – 1.94", id="several: least and greatest"
        ),
        pytest.param({"a": FALLING, "b": FALLING}, "last smoothed 1.90", id="equal ones once"),
        pytest.param({"a": (1, NAN)}, "✗ NaN @1", id="the only line is lost"),
        pytest.param(
            {"a": (1, NAN), "b": FALLING, "c": (1, NAN)},
            "✗ NaN in 2 runs · last smoothed 1.90",
            id="two lines are lost",
        ),
        pytest.param({"a": (1, -INF)}, "✗ -Inf @1", id="infinity"),
        pytest.param({"a": (1e38,)}, "last 1e38", id="huge"),
        pytest.param({"a": (NAN, 0.02134)}, "last smoothed 0.0213", id="it found back"),
    ],
)
def test_card_note(values: dict[str, Sequence[float]], note: str) -> None:
    assert format_value_note(chart(values)) == note


def test_card_note_counts_runs_and_not_their_lines() -> None:
    lost, fine = (1.0, NAN), FALLING
    held = plain_view(
        {"a": {"loss": lost, "val": lost}, "b": {"loss": fine, "val": fine}},
        joints=(TagMerge(tags=("loss", "val")),),
    )
    data = ScalarData()
    assert format_value_note(data.chart(held, data.cards(held).keys[0])).startswith("✗ NaN in 1 run ·")


def test_end_labels_show_drawn_values_in_the_order_of_lines() -> None:
    values = {"low": (4.0, 1.0, 1.0, 3.0), "mid": (4.0, 2.0, 2.0, 2.0), "top": (4.0, 3.5, 3.5, 1.0)}
    for smoothing, note, told in (
        (0.6, "last smoothed 2.20 – 2.40", ["mid 2.20", "low 2.22", "top 2.40"]),
        (0, "last 1 – 3", ["low 3", "mid 2", "top 1"]),
    ):
        made = chart(values, smoothing=smoothing)
        assert format_value_note(made) == note
        rows = picture(body(made, 80, 12)).splitlines()
        named = [label for row in rows for label in told if row.endswith(label)]
        assert named == sorted(told, key=lambda label: -float(label.split()[1]))


@pytest.mark.parametrize(
    ("values", "settings", "message"),
    [
        ((NAN, NAN), {}, "no value is a finite number"),
        ((INF, -INF), {}, "no value is a finite number"),
        ((0.0, -3.0), {"y_scale": "log"}, "all values ≤ 0: none fits a log axis"),
        ((0.0, -3.0), {}, None),
        ((NAN, 1.0), {"y_scale": "log"}, None),
    ],
)
def test_card_without_lines_shows_a_reason(
    values: Sequence[float], settings: dict[str, Any], message: str | None
) -> None:
    text = picture(ScalarRenderer().body(chart({"a": values}, **settings), 50, 8).cells)
    if message is None:
        assert "value" not in text
    else:
        assert message in text


def test_raw_lines_are_faint_behind_few_smoothed_lines() -> None:
    values = tuple(float(value) for value in np.tile((0.0, 4.0), 20))

    def faint_cells(runs: int, smoothing: float) -> int:
        cells = ScalarRenderer().body(chart({f"r{i}": values for i in range(runs)}, smoothing=smoothing), 50, 10).cells
        return int(np.count_nonzero(cells.inks >= FAINT_FROM))

    assert faint_cells(2, 0.9) > 0
    assert faint_cells(2, 0.0) == 0
    assert faint_cells(MAX_DETAILED_LINES + 1, 0.9) == 0


def test_crowded_chart_is_drawn_line_by_line_and_updated() -> None:
    drawing = ScalarRenderer()
    values: dict[str, Sequence[float]] = {f"r{index}": (0.0, float(index)) for index in range(MAX_DETAILED_LINES + 1)}
    assert picture(drawing.body(chart(values, smoothing=0), 40, 8).cells) == picture(
        ScalarRenderer().body(chart(values, smoothing=0), 40, 8).cells
    )
    values["r0"] = (0.0, 5.0, 9.0)
    grown = picture(drawing.body(chart(values, smoothing=0), 40, 8).cells)
    assert grown == picture(ScalarRenderer().body(chart(values, smoothing=0), 40, 8).cells)
    assert "⠉" in grown


SPIKE = [1e6 if step == 50 else float(step % 7) for step in range(100)]


@pytest.mark.parametrize(
    ("values", "settings", "signs"),
    [
        (SPIKE, {}, "▲"),
        ([-value for value in SPIKE], {}, "▼"),
        (SPIKE, {"smoothing": 0.0}, "▲"),
        (SPIKE, {"outliers": "keep"}, ""),
        (SPIKE, {"charts": {"loss": ChartSettings(y_range=(0.0, 3.0))}}, ""),  # whoever asked for it knows
        (SPIKE, {"charts": {"loss": ChartSettings(x_range=(60.0, 90.0))}}, ""),
        ([float(step % 7) for step in range(100)], {"outliers": "ignore"}, "▲▼"),
        ([NAN, INF], {}, ""),
    ],
)
def test_values_outside_the_axis_are_marked(values: list[float], settings: dict[str, Any], signs: str) -> None:
    made = chart({"a": values}, **settings)
    drawn = ScalarRenderer().body(made, 60, 12)
    assert drawn.plot is not None
    axis = "".join(row[drawn.plot.left - 1] for row in picture(drawn.cells).splitlines() if len(row) >= drawn.plot.left)
    assert "".join(sign for sign in axis if sign in "▲▼") == signs
    assert format_clipped_label(made.beyond) == {
        "▲": "values above the axis",
        "▼": "values below the axis",
        "": "",
    }.get(signs, "values outside the axis")


def test_bands_outside_the_axis_are_reported() -> None:
    again = [step % 7 for step in range(40, 100)]
    resumed = run_of(series("loss", (*SPIKE, *again), steps=(*range(100), *range(40, 100))))
    beyond = [ScalarData().chart(view(resumed, superseded=seen), "loss").beyond for seen in (False, True)]
    assert beyond == [(False, False), (False, True)]
    pair = {"a/0": SPIKE, "a/1": [-value for value in SPIKE]}  # of which the mean is 0 everywhere
    assert chart(pair, smoothing=0, group_level=1, spread="minmax").beyond == (True, True)
    assert chart(pair, smoothing=0, group_level=1, spread="minmax", outliers="keep").beyond == (False, False)


def test_restart_is_marked_where_the_run_resumed() -> None:
    made = run_of(series("loss", (4, 3, 2, 3, 2, 1), steps=(0, 1, 2, 1, 2, 3)))
    assert picture(body(ScalarData().chart(view(made), "loss"), 40, 8)).count("↻") == 1


def test_first_nan_of_a_line_is_marked() -> None:
    assert "✗" in picture(ScalarRenderer().body(chart({"a": (3, 2, NAN, NAN)}), 40, 8).cells)


def test_names_from_files_are_escaped() -> None:
    evil = run_of(
        series("loss", FALLING, display_name="\x1b]0;owned\x07\x1b[2J\u202elrtb\nx", run_name="a/\x1b[31mred\u202e")
    )
    other = run_of(series("loss", FALLING, run_name="a/b\tc"))
    made = ScalarData().chart(view(evil, other), "loss")
    for card in (
        ScalarRenderer().card(made, 60, 10, focused=True).cells,
        ScalarRenderer().card(made, 120, 12, focused=False).cells,
    ):
        assert not {"\x1b", "\x07", "\n", "\t", "\u202e"} & set(card.text().replace("\n", "", card.height - 1))


def test_outline_shows_the_title() -> None:
    assert picture(draw_placeholder_card("loss", 12, 3, focused=False)) == block("""
        ╭ loss ────╮
        │          │
        ╰──────────╯
    """)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (NoPointsError("no visible run has a value of this tag"), "no visible run has a value"),
        (ValueError("limits"), "cannot be drawn: ValueError: limits"),
    ],
)
def test_card_error_is_shown_on_the_card(error: Exception, words: str) -> None:
    assert words in picture(draw_error_card("loss", format_error(error), 60, 8, focused=False))


@settings(deadline=None)
@given(
    st.lists(st.lists(st.floats(), min_size=1, max_size=30), min_size=1, max_size=4),
    st.integers(0, 130),
    st.integers(0, 40),
    st.booleans(),
    st.sampled_from(["step", "relative", "wall"]),
    st.booleans(),
)
def test_any_values_at_any_size_are_drawn(
    values: list[list[float]], width: int, height: int, focused: bool, x_axis: str, log: bool
) -> None:
    made = chart(
        {f"run{index}": held for index, held in enumerate(values)}, x_axis=x_axis, y_scale="log" if log else "linear"
    )
    card = ScalarRenderer().card(made, width, height, focused=focused).cells
    assert (card.height, card.width) == (height, width)
    picture(card)


@pytest.mark.parametrize(
    "values",
    [(1e38, -1e38), (1e-38, 2e-38), (5.0, 5.0, 5.0), (7.0,), (1.7e308, -1.7e308), (5e-324, 0.0)],
    ids=["huge", "tiny", "constant", "one point", "the largest", "the smallest"],
)
def test_labels_stay_short_and_leave_room_for_the_plot(values: Sequence[float]) -> None:
    cells = body(chart({"a": values}), 50, 8)
    assert np.count_nonzero(cells.inks == 0) > 0
    gutter = cells.get_row_text(0).index("│") if "│" in cells.get_row_text(0) else cells.get_row_text(0).index("┤")
    assert gutter <= 10


@pytest.mark.parametrize("steps", [(-5, -1, 0), (-(2**63), 2**63 - 1), (2**62, 2**62 + 1)])
def test_any_steps_are_drawn(steps: tuple[int, ...]) -> None:
    made = run_of(series("loss", [1.0] * len(steps), steps=steps))
    card = ScalarRenderer().card(ScalarData().chart(view(made), "loss"), 60, 10, focused=False).cells
    assert np.count_nonzero(card.inks == 0) > 0


# Joined tags, averages, marks, crowds, cursor


def joined(runs: Mapping[str, Mapping[str, Sequence[float]]], **settings: Any) -> Chart:
    shown = plain_view(runs, joints=(TagMerge(pattern="(loss)/"),), **settings)
    data = ScalarData()
    return data.chart(shown, data.cards(shown).key_of("loss/val"))


def body(made: Chart, width: int = 60, height: int = 12, **pointer: Any) -> Cells:
    return ScalarRenderer().body(made, width, height, ScalarCursor(**pointer)).cells


def test_joined_tags_share_the_run_colour_and_differ_in_dashes() -> None:
    flat = {"loss/train": (1.0,) * 50, "loss/val": (2.0,) * 50}
    made = joined({"a": flat}, smoothing=0)
    assert made.title == "loss/{train,val}"
    assert made.inks == (0, 0)
    cells = body(made)
    lit = [np.flatnonzero(cells.inks[y] == 0) for y in range(cells.height)]
    whole, dashed = sorted((len(columns) for columns in lit if len(columns)), reverse=True)
    assert dashed < whole


def test_legend_of_joined_tags_names_distinct_parts_of_runs_and_tags() -> None:
    tags = {"loss/train": FALLING, "loss/val": FALLING}
    one, two = (joined(dict.fromkeys(names, tags)) for names in (("exp/a",), ("exp/a", "exp/b")))
    assert ScalarRenderer().card(one, 50, 9, focused=True).cells.get_row_text(8).startswith("╰ ━ train ╍ val ─")
    legend = ScalarRenderer().card(two, 56, 9, focused=True).cells.get_row_text(8)
    assert legend.startswith("╰ ━ train ╍ val a b ─")
    assert ScalarRenderer().card(two, 22, 9, focused=True).cells.get_row_text(8) == "╰ ━ train ╍ val ⋯+2 ─╯"


def test_legend_of_joined_tags_shows_dashes() -> None:
    runs = {name: {"loss/val": FALLING} for name in "ab"} | {"off": {"loss/train": FALLING}}
    joint = TagMerge(tags=("loss/train", "loss/val"))
    data, shown = ScalarData(), plain_view(runs, joints=(joint,), hidden_runs=frozenset({"off"}), empty_cards=True)
    made = data.chart(shown, data.cards(shown).key_of("loss/val"))
    assert made.tags == ("loss/train", "loss/val")
    assert [name for name, _ in labels.build_legend(Readout(made))] == ["╍ val", "a", "b"]
    assert len(labels.DASH_SIGNS) == len(DASH_PATTERNS)


def test_average_is_one_line_with_a_band_in_the_first_colour() -> None:
    runs = {f"adam/s{index}": [float(value + index) for value in range(20)] for index in range(3)}
    made = chart(runs, smoothing=0, group_level=1)
    assert [line.name for line in made.lines] == ["adam ×3"]
    cells = body(made)
    assert np.count_nonzero(cells.inks == 0) > 20
    assert np.count_nonzero(cells.inks == FAINT_FROM) > 20


def test_average_losing_a_run_is_marked() -> None:
    made = chart({"adam/s0": (3, 2, 1), "adam/s1": (3, NAN, NAN)}, smoothing=0, group_level=1)
    assert picture(body(made)).count("✗") == 1


def test_extremes_and_the_best_of_all_are_marked_on_request() -> None:
    made = chart({"a": (3, 5, 2, 4), "b": (3, 6, 1, 4)}, smoothing=0)
    assert not set("▾▴★") & set(picture(body(made)))
    marked = picture(body(made, extremes=True))
    assert [marked.count(sign) for sign in "▾▴★"] == [1, 2, 1]
    crowd = chart({f"r{index}": (3, 5, index, 4) for index in range(MAX_DETAILED_LINES + 1)}, smoothing=0)
    marked = picture(body(crowd, extremes=True))
    assert [marked.count(sign) for sign in "▾▴★"] == [0, 0, 1]


def test_extremes_without_a_best_direction_are_marked_only() -> None:
    runs = {"a": {"lr": (3, 5, 2, 4)}, "b": {"lr": (3, 6, 1, 4)}}
    for own, count in ((None, 0), ("max", 1)):
        made = ScalarData().chart(plain_view(runs, smoothing=0, charts={"lr": ChartSettings(best=own)}), "lr")
        marked = picture(body(made, extremes=True))
        assert marked.count("★") == count
        assert "▾" in marked
        assert picture(build_line_table(made, 90)[1]).count("★") == count


def test_superseded_points_are_faint_and_shown_on_request() -> None:
    made = series("loss", (9, 8, 8, 5, 3, 1), steps=(0, 10, 20, 10, 20, 30))

    def faint(superseded: bool) -> int:
        shown = ScalarData().chart(view(run_of(made), smoothing=0, superseded=superseded), "loss")
        return int(np.count_nonzero(body(shown).inks == FAINT_FROM))

    assert faint(superseded=False) == 0
    assert faint(superseded=True) > 5


@pytest.mark.parametrize(
    ("width", "note", "bottom"),
    [
        (60, " last 1 · 2 superseded (u) ╮", "──╯"),
        (36, " last 1 ╮", "── 2 superseded (u) ╯"),
        (20, " validation/loss ─╮", "╰ 2 superseded (u) ╯"),
    ],
)
def test_card_counts_superseded_points_and_keeps_its_value(width: int, note: str, bottom: str) -> None:
    made = series("validation/loss", (9, 8, 8, 5, 3, 1), steps=(0, 10, 20, 9, 20, 30))
    shown = ScalarData().chart(view(run_of(made), smoothing=0), "validation/loss")
    cells = ScalarRenderer().card(shown, width, 9, focused=False).cells
    assert cells.get_row_text(0).endswith(note)
    assert cells.get_row_text(8).endswith(bottom)


def test_reference_lines_have_names_or_values() -> None:
    own = ChartSettings(lines=(ReferenceLine(2.0, "target"), ReferenceLine(3.5)))
    text = picture(body(chart({"a": FALLING}, charts={"loss": own})))
    assert "target" in text
    assert "3.5" in text


def test_focused_run_is_on_top() -> None:
    made = chart({"a": FALLING, "b": FALLING}, smoothing=0)
    assert set(body(made).inks[body(made).inks >= 0].tolist()) == {0}
    assert set(body(made, focus="b").inks[body(made).inks >= 0].tolist()) == {1}
    assert set(body(made, focus="nobody").inks[body(made).inks >= 0].tolist()) == {0}


def test_crowd_only_the_focused_run_is_bright() -> None:
    made = chart({f"r{index:02}": (0.0, float(index)) for index in range(MAX_DETAILED_LINES + 1)}, smoothing=0)
    assert not bool((body(made).inks >= FAINT_FROM).any())
    inks = body(made, focus="r05").inks
    assert set(inks[(inks >= 0) & (inks < FAINT_FROM)].tolist()) == {5}
    assert bool((inks >= FAINT_FROM).any())


def crowd(values: Callable[[int], Sequence[float]], runs: int = 300, tag: str = "loss") -> Chart:
    """A chart of many runs, of which the one before the last began last."""
    starts = [100.0 * (index if index < runs - 1 else 0) for index in range(runs)]
    held = [
        series(tag, values(index), wall_times=[start + step for step in range(len(values(index)))], run_name=name)
        for index, (start, name) in enumerate(zip(starts, (f"r{index:03}" for index in range(runs)), strict=True))
    ]
    return ScalarData().chart(view(*map(run_of, held), smoothing=0), tag)


def test_crowd_narrow_card_names_its_leaders_beside_superseded_points() -> None:
    made = crowd(lambda index: (float(index), float(index)))
    shown = replace(made, superseded=100, title="train/loss of the whole sweep")
    bottom = ScalarRenderer().card(shown, 60, 14, focused=True).cells.get_row_text(13)
    assert bottom == "╰ best r000 worst r299 newest r298 ──── 100 superseded (u) ╯"


def test_crowd_card_shortens_the_count_of_superseded_points_for_its_best_run() -> None:
    made = crowd(lambda index: (float(index), float(index)))
    shown = replace(made, superseded=100, title="train/loss of the whole sweep")
    bottom = ScalarRenderer().card(shown, 38, 14, focused=True).cells.get_row_text(13)
    assert bottom == "╰ best r000 ⋯+2 ───── 100 superseded ╯"


def test_crowd_is_a_bundle_with_bright_and_named_leaders() -> None:
    made = crowd(lambda index: (1.0, float(index)))
    drawn = body(made, 120, 14, focus="r150", baseline="r200")
    text = picture(drawn)
    named = [line for line in text.splitlines() if "r" in line]
    assert [words.split()[-3:] for words in named] == [
        ["r299", "299", "worst"],
        ["r298", "298", "newest"],
        ["r200", "200", "baseline"],
        ["▸r150", "150", "selected"],
        ["r000", "0", "best"],
    ]
    assert "⋯ 295 dimmed" in text
    assert set(drawn.inks[drawn.inks >= 0].tolist()) == {0, 150, 200, 298, 299}
    assert bool(np.isin(drawn.inks, BUNDLE_INKS).any())


def test_crowd_begins_above_the_number_of_lines_in_colour() -> None:
    for runs, is_bundle in ((MAX_LINES_IN_COLOUR, False), (MAX_LINES_IN_COLOUR + 1, True)):
        drawn = body(crowd(lambda index: (1.0, float(index)), runs))
        assert bool(np.isin(drawn.inks, BUNDLE_INKS).any()) is is_bundle


def test_crowd_names_ends_by_what_is_known_of_the_tag() -> None:
    for tag, names in (("loss", "best r000"), ("accuracy", "worst r000"), ("norm", "lowest r000")):
        card = ScalarRenderer().card(crowd(lambda index: (1.0, float(index)), tag=tag), 60, 10, focused=False).cells
        assert names in card.get_row_text(9)


def test_crowd_leaders_are_finite_where_any_is() -> None:
    made = crowd(lambda index: (1.0, NAN if index in (0, 299) else float(index)))
    assert Readout(made).leaders == {1: "best", 298: "worst, newest"}
    lost = crowd(lambda index: (1.0, NAN))
    assert Readout(lost).leaders == {298: "newest"}


def test_crowd_table_begins_with_the_leaders() -> None:
    made = crowd(lambda index: (1.0, float(index)))
    _, rows = build_line_table(made, 80)
    assert [rows.get_row_text(y).split()[1:3] for y in range(4)] == [
        ["r000", "best"],
        ["r299", "worst"],
        ["r298", "newest"],
        ["r001", "1"],
    ]
    _, rows = build_line_table(made, 80, ScalarCursor(order="descending"))
    assert rows.get_row_text(0).split()[1:3] == ["r299", "worst"]
    assert rows.get_row_text(2).split()[1:3] == ["r297", "297"]


def test_legend_has_the_order_of_the_rows() -> None:
    made = chart({"a": (1, 2), "b": (2, 1)}, smoothing=0)
    card = ScalarRenderer().card(made, 40, 9, focused=True, pointer=ScalarCursor(order="ascending")).cells
    assert card.get_row_text(8).startswith("╰ b a ─")


def test_legend_runs_beyond_the_palette_have_markers() -> None:
    shown = view(
        run_of(series("loss", FALLING)),
        run_of(series("loss", FALLING, run_name="b")),
        colours=RunColours({"a": 1, "b": 1 + PALETTE_SIZE}),
    )
    card = ScalarRenderer().card(ScalarData().chart(shown, "loss"), 40, 9, focused=True).cells
    assert card.get_row_text(8).startswith("╰ ● a ◆ b ─")


def test_note_describes_values_at_the_cursor() -> None:
    made = chart({"a": FALLING, "b": (1, 1, 1, 1)})
    assert format_value_note(made) == "last smoothed 1 – 1.90"
    assert format_value_note(made, ScalarCursor(cursor=0.0)) == "@ 0 smoothed 1 – 4"
    assert format_value_note(made, ScalarCursor(cursor=99.0)) == "@ 99 smoothed 1 – 1.90"


def test_cursor_is_drawn_between_lines_and_labelled() -> None:
    made = chart({"a": FALLING}, smoothing=0)
    text = picture(body(made, 40, 8, cursor=2.0))
    assert text.count("╎") == 6
    assert "╎" not in picture(body(made, 40, 8, cursor=99.0))
    both = body(made, 40, 16, cursor=2.0, mark=1.0)
    assert "━" in picture(both)


def test_cursor_move_redraws_no_line(monkeypatch: pytest.MonkeyPatch) -> None:
    made, drawing = chart({"a": FALLING, "b": FALLING}), ScalarRenderer()
    drawing.body(made, 40, 8)
    monkeypatch.setattr(drawing_module, "draw_line_picture", None)
    moved = [drawing.body(made, 40, 8, ScalarCursor(cursor=x)).cells.text() for x in (0.0, 1.0, 2.0)]
    assert len(set(moved)) == 3


@settings(deadline=None, max_examples=examples(60))
@given(
    st.lists(st.lists(st.floats(), min_size=1, max_size=12), min_size=1, max_size=14),
    st.integers(0, 130),
    st.integers(0, 30),
    st.builds(
        ScalarCursor,
        cursor=st.none() | st.floats(-1e308, 1e308),
        mark=st.none() | st.floats(-1e308, 1e308),
        focus=st.sampled_from([None, "x/run0", "x", "gone"]),
        baseline=st.sampled_from([None, "x/run1", "gone"]),
        order=st.sampled_from(ROW_ORDERS),
        extremes=st.booleans(),
    ),
    st.fixed_dictionaries(
        {
            "x_axis": st.sampled_from(X_AXES),
            "x_scale": st.sampled_from(SCALES),
            "y_scale": st.sampled_from(SCALES),
            "group_level": st.integers(0, 1),
            "x_range": st.tuples(st.none() | st.floats(), st.none() | st.floats()),
        }
    ),
)
def test_any_values_in_any_view_are_drawn(
    values: list[list[float]], width: int, height: int, pointer: ScalarCursor, settings: dict[str, Any]
) -> None:
    made = chart({f"x/run{index}": held for index, held in enumerate(values)}, **settings)
    card = ScalarRenderer().card(made, width, height, focused=True, pointer=pointer)
    assert (card.cells.height, card.cells.width) == (height, width)
    picture(card.cells)
    for part in build_line_table(made, width, pointer):
        picture(part)
