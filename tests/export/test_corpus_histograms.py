"""Compare exported histograms of real files with values decoded one by one by protobuf."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tbtui.cli.main import main
from tbtui.events.histogram import read_histogram
from tbtui.events.values import read_stored_value
from tbtui.export.formats import FORMATS
from tbtui.loading.loader import Loader
from tbtui.loading.sources import parse_sources
from tbtui.store.snapshot import ReferenceSeries
from tests.helpers.tables import rows_of

if TYPE_CHECKING:
    from tbtui.export.formats import Format
    from tbtui.store.snapshot import RunSnapshot

CORPUS = Path(__file__).parents[1] / "corpus"
POINTS = np.array([0, 668, 1587, 3085, 5000, 6915, 8413, 9332, 10000])


@pytest.fixture(scope="module")
def runs() -> dict[str, RunSnapshot]:
    return dict(Loader(parse_sources([str(CORPUS)]), reload_seconds=0).load_all().snapshot.runs)


def histograms(runs: dict[str, RunSnapshot]) -> list[tuple[str, str, int, float, list[tuple[float, float, float]]]]:
    """Return run, tag, step, wall time and buckets of each histogram, decoded one by one."""
    found = []
    for run in runs.values():
        for series in run.series.values():
            if isinstance(series, ReferenceSeries) and series.metadata.plugin_name == "histograms":
                for point in range(len(series)):
                    start, length = int(series.offsets[point]), int(series.lengths[point])
                    payload = Path(run.files[series.files[point]].path).read_bytes()[start : start + length]
                    bars, _ = read_histogram(read_stored_value(payload, int(series.indices[point])))
                    buckets = list(zip(bars.lefts.tolist(), bars.rights.tolist(), bars.counts.tolist(), strict=True))
                    moment = int(series.steps[point]), float(series.wall_times[point])
                    found.append((run.name, series.tag, *moment, buckets))
    return found


def exported(form: Format, plugin: str, directory: Path) -> list[tuple[object, ...]]:
    path = directory / f"all.{form}"
    assert main(["export", str(CORPUS), "--plugin", plugin, "-o", str(path)]) == 0
    return rows_of(path.read_bytes().decode(), form)


@pytest.mark.parametrize("form", FORMATS)
def test_corpus_histogram_buckets_equal_tensorboard(form: Format, runs: dict[str, RunSnapshot], tmp_path: Path) -> None:
    expected = [(*where, *bucket) for *where, buckets in histograms(runs) for bucket in buckets]
    assert exported(form, "histograms", tmp_path) == expected
    assert len(expected) > 1_000


@pytest.mark.parametrize("form", FORMATS)
def test_corpus_histogram_quantiles_of_every_histogram(
    form: Format, runs: dict[str, RunSnapshot], tmp_path: Path
) -> None:
    rows = exported(form, "distributions", tmp_path)
    made = histograms(runs)
    assert [row[:4] for row in rows] == [tuple(where) for *where, _ in made]
    assert len({row[0] for row in rows}) >= 5
    for (*_, count, least, _, _, _, median, _, _, _, greatest), (*_, buckets) in zip(rows, made, strict=True):
        lefts, rights, counts = np.array(buckets).T
        assert count == counts.sum()
        assert (least, greatest) == (lefts[0], rights[-1])
        at_most, less = counts[lefts <= median].sum(), counts[rights < median].sum()
        assert less <= count / 2 <= at_most


KNOWN = {
    ("writers/torch/run1", "h_const"): [(1, 1, 10)],
    ("writers/torch/run1", "hraw"): [(-1, -0.5, 1), (-0.5, 0.5, 2), (0.5, 1, 1)],
    ("writers/tf/v2", "h_const"): [(1, 1, 0), (1, 1, 0), (1, 1, 0), (1, 1, 10)],
    ("writers/tf/v2", "h_empty"): [(0, 0, 0)] * 4,
}
"""Buckets from TensorBoard's own loader for ten ones, four numbers, ten ones, and no values."""


def test_corpus_histogram_known_values_are_exported(tmp_path: Path) -> None:
    rows = exported("csv", "histograms", tmp_path)
    for (run, tag), buckets in KNOWN.items():
        assert [row[4:] for row in rows if row[:2] == (run, tag)] == buckets


def test_corpus_histogram_quantiles_of_four_numbers(tmp_path: Path) -> None:
    (found,) = [row[5:] for row in exported("csv", "distributions", tmp_path) if row[1] == "hraw"]
    expected = np.interp(POINTS, [0, 2500, 7500, 10000], [-1, -0.5, 0.5, 1])
    np.testing.assert_allclose(np.array(found, np.float64), expected, rtol=0, atol=1e-12)
