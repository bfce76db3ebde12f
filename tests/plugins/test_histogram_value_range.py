"""Value ranges of histograms, and the axis limits that follow from them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.maths.histograms import find_value_limits
from tbtui.plugins.histograms import value_range as spread_module
from tbtui.plugins.histograms.value_range import choose_axis_limits, compute_value_range, merge_ranges
from tests.helpers.buckets import buckets_of, of_values

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from tbtui.maths.domain import Limits, Scale
    from tbtui.settings.settings import Outliers

    Rows = npt.NDArray[np.float64]

GENERATOR = np.random.default_rng(1)
NORMAL = of_values(GENERATOR.normal(0, 1, 20_000))
FAR_BUCKET = np.array([[1000.0, 1001.0, 1.0]])


def shown(
    histograms: Sequence[Rows], outliers: Outliers = "auto", scale: Scale = "linear", threshold: float = 1.0
) -> Limits | None:
    buckets = buckets_of(histograms)
    return choose_axis_limits(
        compute_value_range(buckets), find_value_limits(buckets, scale), outliers, scale, threshold
    )


def test_value_range_of_an_ordinary_tag_is_complete() -> None:
    whole = NORMAL[0, 0], NORMAL[-1, 1]
    assert shown([NORMAL] * 30) == whole == shown([NORMAL] * 30, "keep")
    for values in (GENERATOR.uniform(3, 4, 5000), GENERATOR.laplace(0, 1, 5000), GENERATOR.exponential(1, 5000)):
        rows = of_values(values, 60)
        assert shown([rows] * 10) == (rows[0, 0], rows[-1, 1])


def test_value_range_ignores_one_outlier() -> None:
    limits = shown([np.vstack((NORMAL, FAR_BUCKET)), *[NORMAL] * 9])
    assert limits is not None
    assert limits[0] == NORMAL[0, 0]
    assert NORMAL[-1, 1] <= limits[1] < 20
    assert shown([np.vstack((NORMAL, FAR_BUCKET)), *[NORMAL] * 9], "keep") == (NORMAL[0, 0], 1001.0)


def test_value_range_ignores_one_outlying_step_of_hundreds() -> None:
    steps = [NORMAL * (1000, 1000, 1) if step == 77 else NORMAL for step in range(300)]
    limits = shown(steps)
    assert limits is not None
    assert -20 < limits[0] <= NORMAL[0, 0]
    assert NORMAL[-1, 1] <= limits[1] < 20


def test_value_range_shows_a_lasting_change() -> None:
    steps = [NORMAL * (1000, 1000, 1) if step >= 285 else NORMAL for step in range(300)]
    limits = shown(steps)
    assert limits is not None
    assert limits[0] < -3000
    assert limits[1] > 3000


def test_value_range_ignores_at_most_a_twentieth_at_each_end() -> None:
    limits = shown([of_values(np.linspace(0, 100, 10_000), 1000)] * 3, "ignore")
    assert limits == pytest.approx((5, 95), abs=6)  # a sixteenth of the value


def test_value_range_ignores_nothing_for_a_hardly_shorter_axis() -> None:
    tails = np.array([[-11.0, -10.0, 5.0], [10.0, 11.0, 5.0]])
    assert shown([np.vstack((tails[:1], NORMAL, tails[1:]))] * 5) == (-11.0, 11.0)


def test_value_range_overview_ignores_a_hundredth_at_each_end() -> None:
    buckets = buckets_of([of_values(np.linspace(0, 100, 10_000), 1000)] * 3)
    spread = compute_value_range(buckets)
    assert choose_axis_limits(spread, spread.limits, "auto", overview=True) == pytest.approx((1, 99), abs=7)
    assert choose_axis_limits(spread, spread.limits, "keep", overview=True) == spread.limits
    single = buckets_of([np.array([[2.0, 2.0, 7.0]])])
    assert choose_axis_limits(compute_value_range(single), (2.0, 2.0), "auto", overview=True) == (2.0, 2.0)


def test_value_range_mostly_zero_uses_the_other_values() -> None:
    zeros = np.array([[-1e-12, 1e-12, 99_000.0]])
    some = of_values(np.abs(GENERATOR.normal(0, 1, 100)) + 0.1)
    sparse = np.vstack((zeros, some))
    assert shown([sparse] * 20) == (-1e-12, some[-1, 1])
    assert shown([np.vstack((sparse, FAR_BUCKET * (1, 1, 0.01)))] + [sparse] * 20) is not None


def test_value_range_of_a_single_bucket_shows_it() -> None:
    assert shown([np.array([[2.0, 3.0, 7.0]])] * 5) == (2.0, 3.0)
    assert shown([np.array([[2.0, 2.0, 7.0]])] * 5) == (2.0, 2.0)
    assert shown([np.array([[-7.0, -7.0, 1.0]])], "ignore") == (-7.0, -7.0)


def test_value_range_of_nothing_is_none() -> None:
    empty = np.array([[0.0, 1.0, 0.0]])
    for histograms in ([], [np.zeros((0, 3))], [empty, empty]):
        for outliers in ("auto", "ignore", "keep"):
            assert shown(histograms, outliers) is None  # type: ignore[arg-type]
    assert shown([empty, NORMAL]) == (NORMAL[0, 0], NORMAL[-1, 1])
    assert shown([np.array([[-3.0, -1.0, 5.0]])], scale="log") is None


def test_value_range_log_scale_uses_positive_values() -> None:
    rows = np.array([[-5.0, -1.0, 9.0], [-1.0, 0.5, 3.0], [0.5, 2.0, 3.0], [2.0, 8.0, 1.0]])
    assert shown([rows], scale="log") == (0.5, 8.0)
    assert shown([rows], "keep", "log") == (0.5, 8.0)
    assert shown([np.array([[-1.0, 4.0, 3.0]])], scale="log") == (4.0, 4.0)


def test_value_range_steps_have_equal_weight() -> None:
    few = [NORMAL * (100, 100, 1e-3)] * 50
    assert shown([*few, *[NORMAL] * 50]) == (100 * NORMAL[0, 0], 100 * NORMAL[-1, 1])


def test_value_range_of_many_histograms_is_sampled_but_for_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spread_module, "MAX_SAMPLED_HISTOGRAMS", 10)
    steps = [NORMAL * (1 + step / 1000, 1 + step / 1000, 1) for step in range(1, 95)]
    steps[33] = NORMAL * (3, 3, 1)
    spread = compute_value_range(buckets_of(steps))
    assert spread.limits == (3 * NORMAL[0, 0], 3 * NORMAL[-1, 1])
    assert spread.lows.weights.sum() == pytest.approx(90, abs=10)
    assert compute_value_range(buckets_of([np.zeros((0, 3))] * 40 + [NORMAL])).limits == (NORMAL[0, 0], NORMAL[-1, 1])
    assert compute_value_range(buckets_of([NORMAL, *[np.zeros((0, 3))] * 40])).limits == (NORMAL[0, 0], NORMAL[-1, 1])


edges = st.floats(-1e300, 1e300, allow_nan=False)


@st.composite
def histograms(draw: st.DrawFn) -> Rows:
    ends = sorted(draw(st.lists(edges, min_size=2, max_size=12)))
    counts = draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 1e9]), min_size=len(ends) - 1, max_size=len(ends) - 1))
    return np.column_stack([ends[:-1], ends[1:], counts])


@given(st.lists(histograms(), max_size=6), st.sampled_from(["linear", "log", "symlog"]))
def test_value_range_is_within_all_values(steps: list[Rows], scale: Scale) -> None:
    buckets = buckets_of(steps)
    everything = find_value_limits(buckets, scale)
    for outliers in ("auto", "ignore", "keep"):
        limits = shown(steps, outliers, scale)
        if everything is None:
            assert limits is None
        elif outliers == "keep":
            assert limits == everything
        else:
            assert limits is not None
            assert limits[0] <= limits[1]
            assert all(map(math.isfinite, limits))
            assert everything[0] <= limits[0] or scale == "log"
            assert limits[1] <= everything[1]


@given(st.lists(histograms(), max_size=8), st.integers(0, 8))
def test_value_range_of_parts_equals_that_of_the_whole(steps: list[Rows], cut: int) -> None:
    whole, parts = (
        compute_value_range(buckets_of(steps)),
        [compute_value_range(buckets_of(each)) for each in (steps[:cut], steps[cut:])],
    )
    together = merge_ranges(parts)
    assert together.limits == whole.limits
    if whole.limits is not None:
        assert together.lows.weights.sum() == pytest.approx(whole.lows.weights.sum())
        assert np.all(np.diff(together.lows.positions) > 0)
        assert np.all(np.diff(together.highs.positions) > 0)
