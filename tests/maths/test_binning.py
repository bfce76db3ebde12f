from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tbtui.maths import histograms as binning
from tbtui.maths.histograms import Buckets, display_edges, rebin, select_rows
from tests.helpers.bucket_strategies import ascending, histograms
from tests.helpers.buckets import buckets_of, joined


def bucket_by_bucket(buckets: Buckets, edges: np.ndarray) -> np.ndarray:
    """Reference implementation of the documented rule with exact numbers."""
    values = np.zeros((len(buckets), len(edges) - 1))
    marks = [Fraction(edge) for edge in edges.tolist()]
    bounds = list(pairwise(marks))
    for row in range(len(buckets)):
        one = select_rows(buckets, slice(row, row + 1))
        columns = [map(Fraction, column.tolist()) for column in (one.lefts, one.rights, one.counts)]
        for left, right, count in zip(*columns, strict=True):
            for index, (low, high) in enumerate(bounds):
                if left == right:
                    inside = low <= left < high or left == high == marks[-1]
                    values[row, index] += float(count) if inside else 0.0
                else:
                    values[row, index] += float(count * max(min(right, high) - max(left, low), 0) / (right - left))
    values[np.isnan(buckets.totals)] = np.nan
    return values


def assert_close(ours: np.ndarray, theirs: np.ndarray, buckets: Buckets) -> None:
    np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9 * np.nanmax(buckets.totals, initial=1e-300))


@pytest.mark.parametrize(
    ("rows", "counts"),
    [
        (joined([0, 1, 2, 3, 4], [1, 2, 3, 4]), [1, 2, 3, 4]),
        (joined([0, 4], [8]), [2, 2, 2, 2]),
        (joined([0.5, 1.5], [8]), [4, 4, 0, 0]),
        (joined([-4, 8], [12]), [1, 1, 1, 1]),
        ([[1, 1, 5]], [0, 5, 0, 0]),
        ([[0, 0, 5], [4, 4, 7]], [5, 0, 0, 7]),
        ([[-1, -1, 5], [4.5, 4.5, 7]], [0, 0, 0, 0]),
        (joined([-2, -1, 0], [3, 4]), [0, 0, 0, 0]),
        (joined([4, 5, 6], [3, 4]), [0, 0, 0, 0]),
        (joined([0.1, 0.2, 0.3, 2.3, 2.4], [1, 2, 0, 4]), [3, 0, 4, 0]),
        (joined([0.1, 0.2, 0.9, 2.9, 3.1], [1, 2, 20, 4]), [4, 10, 11, 2]),
        ([[0.1, 0.2, 1], [2.5, 3.5, 2]], [1, 0, 1, 1]),
        ([], [0, 0, 0, 0]),
    ],
)
def test_rebin_into_four_bins(rows: list[list[float]], counts: list[float]) -> None:
    np.testing.assert_allclose(rebin(buckets_of([rows]), np.arange(5.0)), [counts], rtol=1e-12)


def test_rebin_into_log_bins() -> None:
    buckets = buckets_of([joined([0.5, 2, 11, 20], [3, 9, 18]), joined([10, 1000], [990])])
    np.testing.assert_allclose(rebin(buckets, np.array([1.0, 10.0, 100.0])), [[2 + 8, 1 + 18], [0, 90]])


def test_rebin_unreadable_histogram_has_no_counts() -> None:
    counts = rebin(buckets_of([[[0, 1, 2]], (), ()], refused=[1]), np.array([0.0, 0.5, 1.0]))
    np.testing.assert_array_equal(counts, [[1, 1], [np.nan, np.nan], [0, 0]])


def test_rebin_value_at_an_inexact_edge_is_above_it() -> None:
    edges = np.linspace(-0.3, 0.3, 7)
    buckets = buckets_of([[[edge, edge, 1] for edge in edges], joined(edges, [1] * 6)])
    assert rebin(buckets, edges).tolist() == [[1, 1, 1, 1, 1, 2], [1, 1, 1, 1, 1, 1]]


def test_rebin_bins_narrower_than_float_spacing_are_distinct() -> None:
    buckets = buckets_of([[[1, 1, 3]], joined([1, 2], [4])])
    edges = np.array([1.0, 1.0, 1.0, np.nextafter(1, 2)])
    assert rebin(buckets, edges).tolist() == [[0, 0, 3], [0, 0, pytest.approx(4 * np.spacing(1.0))]]


@given(histograms(), ascending())
def test_rebin_equals_the_reference_per_bucket(buckets: Buckets, edges: np.ndarray) -> None:
    assert_close(rebin(buckets, edges), bucket_by_bucket(buckets, edges), buckets)


@given(histograms(), st.integers(-20, 20), st.sampled_from([0.1, 0.25, 1.0, 3.0, 1e3]), st.integers(1, 12))
def test_rebin_fast_path_equals_the_general_path(buckets: Buckets, low: int, width: float, bins: int) -> None:
    edges = low + np.arange(bins + 1) * width
    fast = rebin(buckets, edges)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(binning, "_is_even", lambda edges: False)
        np.testing.assert_array_equal(fast, rebin(buckets, edges))
    assert_close(fast, bucket_by_bucket(buckets, edges), buckets)


@given(histograms(), st.integers(1, 40))
def test_rebin_loses_no_count_within_the_edges(buckets: Buckets, bins: int) -> None:
    counts = rebin(buckets, display_edges(buckets, bins))
    assert (counts[~np.isnan(buckets.totals)] >= 0).all()
    np.testing.assert_allclose(counts.sum(axis=1), buckets.totals, rtol=1e-9, atol=1e-300)


@given(histograms(), ascending(), st.data(), st.integers(1, 20))
def test_rebin_selected_rows_equal_those_of_all(
    buckets: Buckets, edges: np.ndarray, data: st.DataObject, block: int
) -> None:
    counts, size = rebin(buckets, edges), len(buckets)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(binning, "_BLOCK", block)
        some = data.draw(st.slices(size))
        np.testing.assert_array_equal(rebin(buckets, edges, some), counts[some])
        if size:
            picked = data.draw(hnp.arrays(np.int64, st.integers(0, 8), elements=st.integers(0, size - 1)))
            np.testing.assert_array_equal(rebin(buckets, edges, picked), counts[picked])


def test_display_edges_span_the_float_range() -> None:
    buckets = buckets_of([[[-1.7e308, 1.7e308, 40]]])
    edges = display_edges(buckets, 40)
    assert (np.diff(edges) > 0).all()
    np.testing.assert_allclose(rebin(buckets, edges), np.ones((1, 40)))


@pytest.mark.parametrize(
    ("rows", "low", "high"),
    [
        ([joined([-1, 0, 2], [0, 1])], -1, 2),
        ([joined([0, 1], [1]), joined([5, 7], [1])], 0, 7),
        ([[[0, 0, 3]]], -1, 1),
        ([[[11, 11, 3]]], 9, 13.1),
        ([[[-9.5, -9.5, 3]]], -9.5 / 1.1 - 1, -9.45),
        ([[[-11, -11, 3]]], -13.1, -9),
        ([[[-1e9, -1e9, 3]]], -1.1e9 - 1, -1e9 / 1.1 + 1),
        ([], -1, 1),
        ([(), ()], -1, 1),
    ],
)
def test_display_edges_known_values(rows: list[list[list[float]]], low: float, high: float) -> None:
    edges = display_edges(buckets_of(rows))
    assert len(edges) == 31
    assert (edges[0], edges[-1]) == (pytest.approx(low), pytest.approx(high))
    np.testing.assert_allclose(np.diff(edges), (high - low) / 30, rtol=1e-6)


@pytest.mark.parametrize("value", [1.7e308, -1.7e308, 5e-324, -10.0, np.nextafter(-10, 0), -10.4])
def test_display_edges_contain_any_single_value(value: float) -> None:
    buckets = buckets_of([[[value, value, 3]]])
    edges = display_edges(buckets)
    assert edges[0] < edges[-1]
    assert edges[0] <= value <= edges[-1]
    assert np.isfinite(edges).all()
    assert rebin(buckets, edges).sum() == 3


def test_rebin_edges_span_the_float_range() -> None:
    most = np.finfo(np.float64).max
    buckets = buckets_of([joined([-most, 0, most], [1, 3])])
    edges = display_edges(buckets, 4)
    np.testing.assert_allclose(edges, [-most, -most / 2, 0, most / 2, most])
    np.testing.assert_allclose(rebin(buckets, edges), [[0.5, 0.5, 1.5, 1.5]])
