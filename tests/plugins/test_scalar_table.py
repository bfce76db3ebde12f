"""The table of runs below an opened chart."""

from __future__ import annotations

import math
import re
from textwrap import dedent
from typing import TYPE_CHECKING, Any

import pytest

from tbtui.charts.cells import Ink
from tbtui.charts.series_colours import PALETTE_SIZE
from tbtui.plugins.scalars.cards import CardCache
from tbtui.plugins.scalars.chart import ScalarData
from tbtui.plugins.scalars.readout import create_scalar_cursor
from tbtui.plugins.scalars.readout_table import build_line_table
from tbtui.settings.settings import ChartSettings, TagMerge
from tests.helpers.views import picture, plain_view, run_of, series, view

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tbtui.view.view import View


def table(values: Mapping[str, Sequence[float]], width: int, **settings: Any) -> str:
    return table_of(plain_view({run: {"loss": held} for run, held in values.items()}, **settings), width)


def table_of(shown: View, width: int, key: str = "loss") -> str:
    chart = ScalarData().chart(shown, key)
    pointer = create_scalar_cursor(shown.settings, chart.x_axis.origin)
    return "\n".join(picture(part) for part in build_line_table(chart, width, pointer))


def test_table_contents() -> None:
    values = {"adam/seed0": (2.5, 0.0187, 0.0213), "adam/seed1": (10.0, 12.5, 11.0), "lost": (1.0, math.nan)}
    assert table(values, 80) == dedent("""\
          run           value  smoothed     min @ step  max @ step  step  time
        ● adam/seed0   0.0213    0.4758   0.0187 @ 1 ★     2.5 @ 0     2    2s
        ● adam/seed1  11        11.2755  10      @ 0      12.5 @ 1     2    2s
        ● lost            NaN       NaN   1      @ 0       1   @ 0     1    1s""")


@pytest.mark.parametrize(
    ("width", "titles"),
    [
        (100, ["run", "value", "smoothed", "min", "max", "step", "time", "wall", "time"]),
        (80, ["run", "value", "smoothed", "min", "max", "step", "time"]),
        (60, ["run", "value", "smoothed", "min", "step", "time"]),
        (45, ["run", "smoothed", "min", "step"]),
        (40, ["run", "smoothed", "min", "step"]),
        (24, ["run", "smoothed"]),
        (9, ["run"]),
    ],
)
def test_table_narrow_drops_least_important_columns(width: int, titles: list[str]) -> None:
    header = table({"adam/seed0": (1.0, 2.0, 0.5)}, width).splitlines()[0]
    assert header.replace("@ step", "").split() == titles


def test_table_without_smoothing_has_no_smoothed_column() -> None:
    assert "smoothed" not in table({"a": (1.0, 2.0)}, 90, smoothing=0)


def test_table_run_without_numbers_has_no_extremes() -> None:
    lines = table({"a": (math.nan, math.nan), "b": (1.0, 2.0)}, 90).splitlines()
    assert lines[1].split()[:5] == ["●", "a", "NaN", "NaN", "–"]


def test_table_extremes_are_of_finite_current_values() -> None:
    made = run_of(series("loss", (9, 5, math.inf, 4, 6), steps=(0, 10, 20, 10, 12_345)))
    rows = picture(build_line_table(ScalarData().chart(view(made), "loss"), 90)[1])
    assert "4 @ 10" in rows
    assert "9 @ 0" in rows
    assert "12345" in rows


def test_table_long_names_are_cut_in_the_middle_and_aligned() -> None:
    lines = table({"x" * 200 + "end": (1.0,), "名前": (22.0,)}, 60).splitlines()
    assert "…" in lines[1]
    assert "xend" in lines[1]
    assert "名前" in lines[2]


def test_table_names_drop_common_parts_first() -> None:
    values = {"exp/adam/lr1e-3/seed0": (1.0,), "exp/adam/lr1e-3/seed1": (2.0,)}
    assert "exp/adam/lr1e-3/seed0 " in table(values, 100)
    assert [row.split()[1] for row in table(values, 30).splitlines()[1:]] == ["seed0", "seed1"]


@pytest.mark.parametrize("width", [0, 1, 2, 5])
def test_table_of_any_width_fits(width: int) -> None:
    table({"a": (1.0,)}, width)


THREE = {"a": (4.0, 3.0, 2.0, 1.0), "b": (8.0, 4.0, 2.0, 2.0), "c": (1.0, 1.0, 1.0, 1.0)}
THREE_LOSSES = {run: {"loss": held} for run, held in THREE.items()}


def test_table_shows_values_at_the_cursor() -> None:
    shown = plain_view(THREE_LOSSES, smoothing=0, cursor=1.2)
    assert table_of(shown, 60) == dedent("""\
          run  value  min @ step  max @ step  step  time
        ● a        3     1 @ 3 ★       4 @ 0     1    1s
        ● b        4     2 @ 2         8 @ 0     1    1s
        ● c        1     1 @ 0         1 @ 0     1    1s""")


def test_table_cursor_between_points_reads_the_nearest() -> None:
    made = (
        run_of(series("loss", (1, 2, 3), steps=(0, 10, 20))),
        run_of(series("loss", (5, 6), steps=(0, 100), run_name="b")),
    )
    rows = table_of(view(*made, cursor=16.0), 80).splitlines()
    assert rows[1].split()[2] == "3"
    assert rows[2].split()[2] == "5"


def column(text: str, title: str) -> list[str]:
    """The texts below one title."""
    header, *rows = text.splitlines()
    end = header.index(title) + len(title)
    start = max(header[: end - len(title)].rstrip().rfind("  ") + 1, 0)
    return [row[start:end].split()[-1] for row in rows]


def test_table_shows_differences_to_the_baseline_at_the_cursor() -> None:
    shown = plain_view(THREE_LOSSES, smoothing=0, cursor=1.0, baseline="b")
    assert column(table_of(shown, 100), "Δ baseline") == ["-1", "Δ0", "-3"]


def test_table_baseline_outside_the_chart_is_ignored() -> None:
    shown = plain_view(THREE_LOSSES, baseline="b", hidden_runs=frozenset({"b"}))
    assert column(table_of(shown, 100), "Δ smoothed") == ["–", "–"]
    assert "Δ" not in table_of(plain_view(THREE_LOSSES), 100)


def test_table_difference_of_infinities_is_none() -> None:
    shown = plain_view({"a": {"loss": (math.inf,)}, "b": {"loss": (math.inf,)}, "c": {"loss": (1.0,)}}, baseline="a")
    assert column(table_of(shown, 100), "Δ baseline") == ["Δ0", "NaN", "-Inf"]


def test_table_joined_tags_compare_with_their_own_baseline() -> None:
    runs = {run: {"loss/train": held, "loss/val": tuple(2 * v for v in held)} for run, held in THREE.items()}
    shown = plain_view(runs, smoothing=0, baseline="c", joints=(TagMerge(pattern="(loss)/"),))
    text = table_of(shown, 100, CardCache().of(shown).key_of("loss/val"))
    assert [line.split("  ")[0] for line in text.splitlines()[1:]] == [
        f"{dashes} {run} · {tag}" for run in "abc" for tag, dashes in (("train", "━"), ("val", "╍"))
    ]
    assert column(text, "Δ baseline") == ["±0", "±0", "+1", "+2", "Δ0", "Δ0"]


def test_table_interval_shows_changes() -> None:
    shown = plain_view(THREE_LOSSES, smoothing=0, cursor=0.0, mark=2.0)
    assert table_of(shown, 90) == dedent("""\
          run  start  end  change  change %  min  max   mean
        ● a        4    2      -2      -50%    2    4  3
        ● b        8    2      -6      -75%    2    8  4.667
        ● c        1    1      ±0       ±0%    1    1  1""")


def test_table_interval_before_a_run_starts_has_no_change() -> None:
    runs = {"long": {"loss": (8.0, 4.0, 2.0, 1.0)}, "young": {"loss": (7.0, 5.0)}}
    young = table_of(plain_view(runs, cursor=3.0, mark=2.0), 90).splitlines()[-1]
    assert young.split() == ["●", "young", *"–––––––"]


def test_table_distinct_values_read_differently_if_there_is_room() -> None:
    text = table({"a": (0.9, 0.987651), "b": (0.9, 0.987652), "c": (0.9, 0.5)}, 80, smoothing=0.0, baseline="c")
    assert column(text, "value") == ["0.987651", "0.987652", "0.5"]
    assert column(text, "Δ baseline") == ["+0.487651", "+0.487652", "Δ0"]
    assert text.count("  0.987651") == 2  # the greatest, too


def test_table_mark_without_a_cursor_is_no_interval() -> None:
    assert "start" not in table_of(plain_view(THREE_LOSSES, mark=2.0), 90)


@pytest.mark.parametrize(
    ("width", "titles"),
    [
        (60, ["run", "start", "end", "change", "change", "%", "min", "max", "mean"]),
        (50, ["run", "start", "end", "change", "change", "%", "min", "mean"]),
        (26, ["run", "end", "change", "min"]),
    ],
)
def test_table_interval_narrow_drops_least_important_columns(width: int, titles: list[str]) -> None:
    shown = plain_view(THREE_LOSSES, smoothing=0, cursor=0.0, mark=2.0)
    assert table_of(shown, width).splitlines()[0].split() == titles


def test_table_keeps_the_best_extreme_longer() -> None:
    runs = {run: {"acc": held} for run, held in THREE.items()}
    assert table_of(plain_view(THREE_LOSSES, smoothing=0), 40).splitlines()[0].split()[2:4] == ["min", "@"]
    assert table_of(plain_view(runs, smoothing=0), 40, "acc").splitlines()[0].split()[2:4] == ["max", "@"]
    chosen = plain_view(runs, smoothing=0, charts={"acc": ChartSettings(best="min")})
    assert table_of(chosen, 40, "acc").splitlines()[0].split()[2:4] == ["min", "@"]


def test_table_marks_the_best_of_several_lines() -> None:
    runs = {run: {"acc": held} for run, held in THREE.items()}
    assert [row.count("8 @ 0 ★") for row in table_of(plain_view(runs), 100, "acc").splitlines()] == [0, 0, 1, 0]
    assert "★" not in table({"a": (1.0, 2.0)}, 100)
    assert "★" not in table({"a": (math.nan,), "b": (math.inf,)}, 100)


@pytest.mark.parametrize(
    ("order", "focus", "rows"),
    [
        ("runs", None, "abc"),
        ("ascending", None, "cab"),
        ("descending", None, "bac"),
        ("nearest", "c", "cab"),
        ("nearest", None, "abc"),
    ],
)
def test_table_rows_follow_the_order_at_the_cursor(order: str, focus: str | None, rows: str) -> None:
    shown = plain_view(THREE_LOSSES, smoothing=0, cursor=1.0, row_order=order, focus=focus)
    assert "".join(row[2] for row in table_of(shown, 90).splitlines()[1:]) == rows


@pytest.mark.parametrize(
    ("settings", "titles"),
    [
        ({}, ["value", "smoothed ▲"]),
        ({"smoothing": 0.0}, ["value ▲"]),
        ({"cursor": 2.0, "mark": 0.0}, ["start", "end ▲"]),
        ({"cursor": 0.0, "mark": 2.0}, ["start ▲", "end"]),
    ],
)
def test_table_marks_the_sorting_column(settings: dict[str, Any], titles: list[str]) -> None:
    header = table_of(plain_view(THREE_LOSSES, row_order="ascending", **settings), 60).splitlines()[0]
    assert [title for title in re.split(r"\s{2,}", header.strip()) if title in titles] == titles
    assert header.count("▲") == 1


def test_table_focused_run_is_marked_and_highlighted() -> None:
    shown = plain_view(THREE_LOSSES, focus="b")
    chart = ScalarData().chart(shown, "loss")
    rows = build_line_table(chart, 90, create_scalar_cursor(shown.settings))[1]
    assert [rows.get_row_text(y)[:3] for y in range(3)] == ["● a", "●▸b", "● c"]
    assert rows.inks[1, 2] == Ink.BOLD
    assert rows.inks[0, 2] == Ink.TEXT


def test_table_runs_beyond_the_palette_have_other_bullets() -> None:
    many = {f"r{index:02}": (1.0, 2.0) for index in range(2 * PALETTE_SIZE + 1)}
    bullets = "".join(row[0] for row in table(many, 90).splitlines()[1:])
    assert bullets == "●" * PALETTE_SIZE + "◆" * PALETTE_SIZE + "■"


def test_table_average_has_a_count_and_no_step_over_time() -> None:
    runs = {f"adam/s{index}": {"loss": (4.0 + index, 2.0)} for index in range(3)}
    steps = table_of(plain_view(runs, smoothing=0, group_level=1), 90).splitlines()[1]
    assert steps.split()[:4] == ["●", "adam", "×3", "2"]
    over_time = table_of(plain_view(runs, smoothing=0, group_level=1, x_axis="relative"), 90).splitlines()
    assert "min @ time" in over_time[0]
    assert "2 @ 1s" in over_time[1]
    assert over_time[1].split()[-1] == "1s"
    assert "step" not in over_time[0]


def test_table_shows_wall_time_if_there_is_room() -> None:
    assert "wall time" not in table(THREE, 60)
    assert "2026-09-21 14:13:23" in table(THREE, 110)
