"""Quantiles and common bins of histograms against TensorBoard's own (README.md says how they were recorded)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pytest
from packed_rows import unpacked

from tbtui.maths.histograms import display_edges, rebin
from tbtui.maths.statistics import interpolate_quantiles
from tests.helpers.buckets import buckets_of

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats: TypeAlias = npt.NDArray[np.float64]

Json: TypeAlias = Any

PRECISION = 1e-12
RECORDED = json.loads((Path(__file__).parent / "histograms.json").read_text(encoding="utf-8"))
SERIES = {entry["name"]: entry for entry in RECORDED["series"]}


def rows_of(entries: list[Json]) -> list[Floats]:
    return [unpacked(histogram, RECORDED["ladder"]) for entry in entries for histogram in entry["histograms"]]


def assert_same_values(ours: Floats, theirs: Floats, histograms: list[Floats]) -> None:
    """But for the last digits of the largest edge of each histogram."""
    largest = np.array([np.abs(rows[:, :2]).max(initial=0) for rows in histograms])
    assert (np.abs(ours - theirs) <= PRECISION * largest[:, None]).all()


@pytest.mark.parametrize("entry", SERIES.values(), ids=SERIES)
def test_quantiles_equal_tensorboard(entry: Json) -> None:
    histograms = rows_of([entry])
    theirs = np.array([histogram["quantiles"] for histogram in entry["histograms"]])
    assert_same_values(interpolate_quantiles(buckets_of(histograms)), theirs, histograms)


def test_quantiles_of_many_histograms_at_once_equal_tensorboard() -> None:
    """Histograms of one bucket, of hundreds and of none stand side by side."""
    histograms = rows_of(RECORDED["series"])
    theirs = np.array([kept["quantiles"] for entry in RECORDED["series"] for kept in entry["histograms"]])
    assert_same_values(interpolate_quantiles(buckets_of(histograms)), theirs, histograms)


@pytest.mark.parametrize("entry", [entry for entry in SERIES.values() if entry["x"]], ids=lambda entry: entry["name"])
def test_common_bins_equal_tensorboard(entry: Json) -> None:
    histograms = rows_of([entry])
    buckets = buckets_of(histograms)
    edges = display_edges(buckets)
    largest = np.abs(edges).max()
    np.testing.assert_allclose(edges[:-1], entry["x"], rtol=0, atol=PRECISION * largest)
    assert edges[-1] == pytest.approx(entry["x"][-1] + entry["dx"], abs=PRECISION * largest)
    theirs = np.array([histogram["bins"] for histogram in entry["histograms"]], np.float64)
    if entry["x"][-1] + entry["dx"] < edges[-1]:
        # By rounding TensorBoard's last bin ends below the greatest value of all, which it leaves out.
        theirs[:, -1] += [rows[(rows[:, :2] == edges[-1]).all(axis=1), 2].sum() for rows in histograms]
    rounding = np.spacing(largest) / entry["dx"]
    assert (np.abs(rebin(buckets, edges) - theirs) <= (PRECISION + rounding) * buckets.totals[:, None]).all()


def test_common_bins_without_buckets_are_none() -> None:
    (entry,) = (entry for entry in SERIES.values() if not entry["x"])
    assert rebin(buckets_of(rows_of([entry])), np.arange(31.0)).tolist() == [[0.0] * 30] * 2
