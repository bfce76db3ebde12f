"""Texts of counts, edges and statistics of histograms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.plugins.histograms.value_labels import (
    count_label,
    format_content_label,
    format_edge_labels,
    format_mean_label,
    format_one_bucket_label,
)


@pytest.mark.parametrize(
    ("count", "label"),
    [
        (29.999999999999996, "30"),
        (30.000000000000004, "30"),
        (34.13333333, "~34.133"),
        (0.37, "~0.37"),
        (1234.6, "~1,235"),
        (1234567, "1,234,567"),
        (0, "0"),
        (1e16, "1e16"),
    ],
)
def test_count_label_rounds_and_marks_fractions(count: float, label: str) -> None:
    assert count_label(count) == label


def test_edge_labels_near_a_large_number_are_differences() -> None:
    assert format_edge_labels([1e8, 1e8 + 2, 1e8 + 4, 1e8 + 6]) == ["100M", "+2", "+4", "+6"]
    assert format_edge_labels([1e8 + 0.5, 1e8 + 2.5]) == ["100M+0.5", "+2.5"]
    assert format_edge_labels([-1e8 - 4, -1e8 - 2]) == ["-100M-4", "-2"]


def test_edge_labels_near_one_have_the_digits_they_need() -> None:
    assert format_edge_labels([1 - 1e-6, 1, 1 + 1e-6]) == ["0.999999", "1", "1.000001"]
    assert format_edge_labels([0.0, 0.5, 1.0]) == ["0", "0.5", "1"]


@given(
    st.floats(-1e9, 1e9),
    st.floats(1e-6, 1e6),
    st.integers(2, 20),
)
def test_edge_labels_of_even_bins_differ(low: float, width: float, bins: int) -> None:
    edges = np.unique(low + np.arange(bins) * width).tolist()
    if min(np.diff(edges), default=width) < width / 2:
        return
    labels = format_edge_labels(edges)
    assert len(set(labels)) == len(edges)


@pytest.mark.parametrize(
    ("mean", "std", "label"),
    [
        (0.96963, 0.00494, "0.970 ± 0.005"),
        (4.8, 2.64, "4.8 ± 2.6"),
        (-0.0012, 0.051, "-0.0012 ± 0.051"),
        (1.2e8, 3e5, "120M ± 300k"),
        (0.25, float("nan"), "0.25"),
        (7, 0, "7"),
    ],
)
def test_mean_label_has_the_digits_of_the_deviation(mean: float, std: float, label: str) -> None:
    assert format_mean_label(mean, std, is_exact=True) == label
    assert format_mean_label(mean, std, is_exact=False) == f"~{label}"


def test_one_bucket_label_rounds_edges_outwards() -> None:
    assert format_one_bucket_label(512, 0.95557, 0.98374) == "all 512 in one bucket, 0.95 to 0.99"
    assert format_one_bucket_label(1200, -3, 170) == "all 1,200 in one bucket, -3 to 170"
    assert format_one_bucket_label(10, 1e8, 1e8 + 8) == "all 10 in one bucket, 100M to 100.00001M"


def test_content_label_of_values_without_distribution() -> None:
    assert format_content_label(0, float("nan"), float("nan"), is_one_bucket=False) == "no values in this histogram"
    assert format_content_label(3, 0.5, 0.5, is_one_bucket=False) == "all 3 values are 0.5"
    assert format_content_label(3, 0.0, 0.5, is_one_bucket=True) == "all 3 in one bucket, 0.0 to 0.5"
    assert format_content_label(3, 0.0, 0.5, is_one_bucket=False) == ""
