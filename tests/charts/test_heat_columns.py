"""Steps in columns: averaged, spread out, left out at pauses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.charts.axis import Axis, to_columns
from tbtui.charts.heat_map import fill_heat_columns


def shown(x: list[float], axis: Axis, width: int, *, refused: tuple[int, ...] = ()) -> str:
    """Which step each column shows, as a letter; `.` none, `!` one that is refused, `*` a mixture."""
    shares = np.eye(len(x))
    shares[list(refused)] = np.nan
    columns = fill_heat_columns(np.array(x, np.float64), shares, axis, width)
    letters = []
    for row, bad in zip(columns.shares, columns.has_missing, strict=True):
        steps = np.flatnonzero(row)
        if len(steps) > 1:
            letters.append("*")
        elif bad:
            letters.append("!" if not len(steps) else "?")
        else:
            letters.append(chr(ord("a") + steps[0]) if len(steps) else ".")
    return "".join(letters)


def test_each_step_reaches_half_way_to_its_neighbours() -> None:
    assert shown([0, 10, 20, 30], Axis(0, 30), 12) == "aabbbbccccdd"
    assert shown([0, 10, 30], Axis(0, 30), 12) == "aabbbbbbcccc"


def test_steps_in_one_column_are_averaged_to_a_distribution() -> None:
    x = np.arange(1000.0)
    shares = np.random.default_rng(0).dirichlet(np.ones(8), 1000)
    columns = fill_heat_columns(x, shares, Axis(0, 999), 10)
    assert np.allclose(columns.shares.sum(axis=1), 1)
    there = to_columns(Axis(0, 999), x, 10) == 3
    assert 90 < np.count_nonzero(there) < 110
    assert np.allclose(columns.shares[3], shares[there].mean(axis=0))


def test_every_step_that_has_a_column_of_its_own_is_seen() -> None:
    assert shown([0, 1, 2, 3, 40], Axis(0, 40), 41)[:4] == "abcd"


@pytest.mark.parametrize(
    ("x", "columns"),
    [
        ([*range(10), *range(30, 40)], "abcdefghij....................klmnopqrst"),
        ([*range(0, 10, 2), *range(40, 50, 2)], "abbccddee" + "." * 31 + "ffgghhiij"),
        ([0, 1, 2, 3, 20], "abcd................e"),
    ],
)
def test_pauses_stay_blank(x: list[float], columns: str) -> None:
    assert shown(x, Axis(0, max(x)), len(columns)) == columns


def test_steps_that_come_ever_more_seldom_leave_no_gaps() -> None:
    assert "." not in shown([1, 2, 5, 10, 20, 50, 100], Axis(1, 100), 100)
    assert "." not in shown([*range(20), *range(20, 400, 20)], Axis(0, 380), 120)


def test_the_usual_distance_may_change_on_the_way() -> None:
    assert "." not in shown([*range(5), *range(10, 60, 10)], Axis(0, 50), 100)


def test_on_a_log_axis_steps_in_even_ratio_leave_no_gaps() -> None:
    assert "." not in shown([10.0**power for power in range(7)], Axis(1, 1e6, "log"), 80)
    assert "." not in shown([*range(1, 200, 8)], Axis(1, 193, "log"), 80)


def test_a_log_axis_leaves_out_what_has_no_place() -> None:
    assert shown([-5, 0, 1, 10, 100], Axis(1, 100, "log"), 9) == shown([1, 10, 100], Axis(1, 100, "log"), 9).translate(
        {ord("a"): "c", ord("b"): "d", ord("c"): "e"}
    )


@pytest.mark.parametrize(("width", "least", "most"), [(1, 1, 1), (20, 2, 4), (100, 8, 16)])
def test_a_single_step_has_a_sensible_width(width: int, least: int, most: int) -> None:
    seen = shown([5], Axis(0, 10), width)
    assert least <= seen.count("a") <= most
    assert abs(len(seen) - len(seen.lstrip(".")) - (len(seen) - len(seen.rstrip(".")))) <= 1


def test_beyond_the_first_and_the_last_it_reaches_as_far_as_is_usual() -> None:
    assert shown([10, 20, 30], Axis(0, 60), 60).strip(".").count("c") == 10
    assert shown([10, 20, 30], Axis(0, 60), 60).startswith("." * 5 + "aa")


def test_steps_out_of_sight_reach_into_it() -> None:
    assert shown([0, 100, 200], Axis(60, 140), 8) == "b" * 8
    assert shown([0, 100, 200], Axis(20, 180), 16) == "aaabbbbbbbbbbccc"
    assert shown([0, 100, 200], Axis(110, 120), 5) == "bbbbb"


def test_refused_histograms_are_told_and_do_not_take_part() -> None:
    assert shown([0, 10, 20, 30], Axis(0, 30), 12, refused=(1,)) == "aa!!!!ccccdd"
    x, shares = np.arange(4.0), np.full((4, 2), 0.5)
    shares[2] = np.nan
    columns = fill_heat_columns(x, shares, Axis(0, 3), 1)
    assert columns.shares.tolist() == [[0.5, 0.5]]
    assert columns.has_missing.tolist() == [True]


def test_steps_at_one_place_are_averaged() -> None:
    assert shown([5, 5, 5], Axis(0, 10), 3) == ".*."


def test_no_steps_are_no_columns() -> None:
    assert shown([], Axis(0, 10), 4) == "...."
    assert shown([float("nan")], Axis(0, 10), 4) == "...."


@given(st.lists(st.integers(0, 400), max_size=60), st.integers(1, 50), st.sampled_from(["linear", "log", "symlog"]))
def test_columns_are_distributions_or_nothing_and_no_step_in_sight_is_lost(
    steps: list[int], width: int, scale: str
) -> None:
    x = np.sort(np.array(steps, np.float64))
    shares = np.eye(len(x)) if len(x) else np.zeros((0, 3))
    columns = fill_heat_columns(x, shares, Axis(1, 300, scale), width)  # type: ignore[arg-type]
    totals = columns.shares.sum(axis=1)
    assert np.all(np.isclose(totals, 1) | (totals == 0))
    assert not columns.has_missing.any()
    inside = (x >= 1) & (x <= 300)
    assert np.all(columns.shares.sum(axis=0)[inside] > 0)
