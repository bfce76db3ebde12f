from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tbtui.maths import statistics as module
from tbtui.maths.histograms import Buckets, select_rows
from tbtui.maths.statistics import BASIS_POINTS, interpolate_quantiles
from tests.helpers.bucket_strategies import COUNTS, ascending, histograms
from tests.helpers.buckets import buckets_of, joined


@pytest.mark.parametrize(
    ("rows", "values"),
    [
        (joined([0, 1], [10]), [point / 10_000 for point in BASIS_POINTS]),
        ([[0, 1, 0], [1, 2, 4], [2, 2, 0], [3, 4, 4]], [0, 0.2672, 0.6348, 1.234, 2.0, 2.766, 3.3652, 3.7328, 4.0]),
        (joined([0.0] * 5, [0, 0, 0, 7]), [0.0] * 9),
        (joined([3.5] * 5, [0, 0, 0, 7]), [3.5] * 9),
        ([], [0.0] * 9),
        (joined([1, 2, 3], [0, 0]), [3.0] * 9),
    ],
)
def test_quantiles_known_values(rows: list[list[float]], values: list[float]) -> None:
    np.testing.assert_allclose(interpolate_quantiles(buckets_of([rows])), [values], rtol=1e-12)


def test_quantiles_median_at_a_gap_is_above_it() -> None:
    assert interpolate_quantiles(buckets_of([joined([0, 1, 2, 3], [5, 0, 5])]), [5000]) == 2.0


def test_quantiles_unreadable_histogram_has_none() -> None:
    values = interpolate_quantiles(buckets_of([[[0, 1, 2]], (), [[5, 5, 1]]], refused=[1]), [0, 10_000])
    np.testing.assert_array_equal(values, [[0, 1], [np.nan, np.nan], [5, 5]])


def test_quantiles_without_histograms_or_buckets() -> None:
    assert interpolate_quantiles(buckets_of([])).shape == (0, 9)
    assert interpolate_quantiles(buckets_of([(), ()])).tolist() == [[0.0] * 9] * 2


def test_quantiles_edges_and_counts_near_the_float_limit() -> None:
    most = np.finfo(np.float64).max
    values = interpolate_quantiles(buckets_of([joined([-most, most], [1]), joined([0, 1, 2], [most / 4, most / 4])]))
    np.testing.assert_allclose(values[0], (np.array(BASIS_POINTS) / 5000 - 1) * most)
    np.testing.assert_allclose(values[1], np.array(BASIS_POINTS) / 5000)


@given(histograms())
def test_quantiles_ascend_within_the_edges(buckets: Buckets) -> None:
    values = interpolate_quantiles(buckets)
    for index, row in enumerate(values):
        one = select_rows(buckets, slice(index, index + 1))
        if np.isnan(one.totals[0]):
            assert np.isnan(row).all()
        elif len(one.lefts):
            assert one.lefts[0] <= row[0]
            assert (np.diff(row) >= 0).all()
            assert row[-1] <= one.rights[-1]


@given(histograms(), st.integers(1, 40))
def test_quantiles_do_not_depend_on_other_histograms(buckets: Buckets, cells: int) -> None:
    alone = [interpolate_quantiles(select_rows(buckets, slice(index, index + 1))) for index in range(len(buckets))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_CELLS", cells)
        together = interpolate_quantiles(buckets)
    np.testing.assert_array_equal(together, np.concatenate([np.zeros((0, 9)), *alone]))


@given(ascending(least=3), st.data())
def test_quantiles_of_a_split_bucket_are_unchanged(edges: np.ndarray, data: st.DataObject) -> None:
    size = len(edges) - 1
    counts = data.draw(st.lists(COUNTS.filter(lambda count: count >= 1), min_size=size, max_size=size))
    cut, share = data.draw(st.integers(0, size - 1)), data.draw(st.floats(0.1, 0.9))
    left, right = edges[cut], edges[cut + 1]
    middle = left * (1 - share) + right * share
    assume(left < middle < right)
    share = (middle / 2 - left / 2) / (right / 2 - left / 2)
    pieces = joined(np.insert(edges, cut + 1, middle), np.insert(counts, cut + 1, counts[cut] * (1 - share)).tolist())
    pieces[cut, 2] = counts[cut] * share
    whole, split = interpolate_quantiles(buckets_of([joined(edges, counts), pieces]))
    np.testing.assert_allclose(split, whole, rtol=1e-6, atol=1e-6 * max(np.abs(edges)))


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60))
def test_quantiles_extremes_are_the_minimum_and_maximum(values: list[float]) -> None:
    """The minimum and the maximum are buckets of zero width."""
    ordered = sorted(values)
    found = interpolate_quantiles(buckets_of([[[value, value, 1] for value in ordered]]), [0, 10_000])
    np.testing.assert_allclose(found, [[ordered[0], ordered[-1]]], rtol=1e-12, atol=1e-12 * max(map(abs, ordered)))
