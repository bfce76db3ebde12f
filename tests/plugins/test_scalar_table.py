"""The table of runs below an opened chart, and the names in tight places."""

from __future__ import annotations

import math
from textwrap import dedent
from typing import TYPE_CHECKING, Any

import pytest

from tbtui.plugins.scalars.data import ScalarData
from tbtui.plugins.scalars.readings import pointer_of
from tbtui.plugins.scalars.table import run_table
from tbtui.viewstate.run_names import distinct_names
from tests.plugins.made_views import picture, plain_view, run_of, series, view

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tbtui.viewstate.view import View


def table(values: Mapping[str, Sequence[float]], width: int, **choices: Any) -> str:
    return table_of(plain_view({run: {"loss": held} for run, held in values.items()}, **choices), width)


def table_of(shown: View, width: int, key: str = "loss") -> str:
    chart = ScalarData().chart(shown, key)
    pointer = pointer_of(shown.choices, chart.x_axis.origin)
    return "\n".join(picture(part) for part in run_table(chart, width, pointer))


def test_the_table() -> None:
    values = {"adam/seed0": (2.5, 0.0187, 0.0213), "adam/seed1": (10.0, 12.5, 11.0), "lost": (1.0, math.nan)}
    assert table(values, 80) == dedent("""\
          run           value  smoothed     min @ step  max @ step  step  time
        ● adam/seed0   0.0213   0.47578   0.0187 @ 1 ★     2.5 @ 0     2    2s
        ● adam/seed1  11       11.276    10      @ 0      12.5 @ 1     2    2s
        ● lost            NaN       NaN   1      @ 0       1   @ 0     1    1s""")


@pytest.mark.parametrize(
    ("width", "titles"),
    [
        (100, ["run", "value", "smoothed", "min", "max", "step", "time", "wall", "time"]),
        (80, ["run", "value", "smoothed", "min", "max", "step", "time"]),
        (60, ["run", "value", "smoothed", "min", "step", "time"]),
        (45, ["run", "value", "min", "step", "time"]),
        (40, ["run", "value", "min", "step"]),
        (24, ["run", "value", "step"]),
        (9, ["run"]),
    ],
)
def test_what_is_worth_least_goes_first_when_the_table_is_too_wide(width: int, titles: list[str]) -> None:
    header = table({"adam/seed0": (1.0, 2.0, 0.5)}, width).splitlines()[0]
    assert header.replace("@ step", "").split() == titles


def test_without_smoothing_there_is_no_column_for_it() -> None:
    assert "smoothed" not in table({"a": (1.0, 2.0)}, 90, smoothing=0)


def test_a_run_without_a_number_has_no_extremes() -> None:
    lines = table({"a": (math.nan, math.nan), "b": (1.0, 2.0)}, 90).splitlines()
    assert lines[1].split()[:5] == ["●", "a", "NaN", "NaN", "–"]


def test_extremes_are_of_all_finite_current_values() -> None:
    made = run_of(series("loss", (9, 5, math.inf, 4, 6), steps=(0, 10, 20, 10, 12_345)))
    rows = picture(run_table(ScalarData().chart(view(made), "loss"), 90)[1])
    assert "4 @ 10" in rows
    assert "9 @ 0" in rows
    assert "12345" in rows


def test_long_names_lose_their_middle_and_wide_ones_stay_aligned() -> None:
    lines = table({"x" * 200 + "end": (1.0,), "名前": (22.0,)}, 60).splitlines()
    assert "…" in lines[1]
    assert "xend" in lines[1]
    assert "名前" in lines[2]


def test_where_names_do_not_fit_what_they_share_goes_first() -> None:
    values = {"exp/adam/lr1e-3/seed0": (1.0,), "exp/adam/lr1e-3/seed1": (2.0,)}
    assert "exp/adam/lr1e-3/seed0 " in table(values, 100)
    assert [row.split()[1] for row in table(values, 30).splitlines()[1:]] == ["seed0", "seed1"]


@pytest.mark.parametrize("width", [0, 1, 2, 5])
def test_any_width(width: int) -> None:
    table({"a": (1.0,)}, width)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("exp/adam/seed0", "exp/adam/seed1"), ("seed0", "seed1")),
        (("lr1e-3_seed0", "lr1e-3_seed11"), ("seed0", "seed11")),
        (("train", "validation"), ("train", "validation")),
        (("exp/a",), ("exp/a",)),
        (("exp", "exp/a"), ("exp", "exp/a")),
        ((), ()),
    ],
)
def test_what_all_names_begin_with_is_left_out(names: tuple[str, ...], expected: tuple[str, ...]) -> None:
    assert distinct_names(names) == expected
