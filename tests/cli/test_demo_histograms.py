"""Test the histograms of the demo as the dashboard reads them from its files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tbtui.cli.demo.process import HISTORY_TICKS, TICK_SECONDS, DemoWriter
from tbtui.cli.demo.simulation import HISTOGRAMS_EVERY, LAYERS, STEPS_PER_TICK
from tbtui.loading.loader import Loader
from tbtui.loading.payloads import Payloads
from tbtui.loading.sources import parse_sources
from tbtui.maths.statistics import Anomaly, compute_moments, find_anomaly
from tbtui.plugins.histograms.read import load_histograms
from tbtui.store.snapshot import ReferenceSeries

if TYPE_CHECKING:
    from pathlib import Path

    from tbtui.plugins.histograms.read import Histograms

DIVERGES = "sgd_lr1_diverges"


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the files of the first screen of the demo."""
    made = tmp_path_factory.mktemp("demo")
    writer = DemoWriter(made)
    writer.write_history(HISTORY_TICKS, TICK_SECONDS, 1_790_000_000.0)
    writer.close()
    return made


@pytest.fixture(scope="module")
def histograms(directory: Path) -> dict[str, dict[str, Histograms]]:
    """Return the histograms of each run by tag."""
    snapshot = Loader(parse_sources([str(directory)]), reload_seconds=0).load_all().snapshot
    payloads = Payloads()
    return {
        run.name: {
            series.tag: load_histograms(payloads, run, series)
            for series in run.series.values()
            if isinstance(series, ReferenceSeries) and series.metadata.plugin_name == "histograms"
        }
        for run in snapshot.runs.values()
    }


def marks(histograms: dict[str, Histograms]) -> dict[str, Anomaly | None]:
    return {
        tag: find_anomaly(compute_moments(held.buckets), held.not_finite.tolist()) for tag, held in histograms.items()
    }


def test_demo_runs_have_all_histograms_from_the_first_screen(
    histograms: dict[str, dict[str, Histograms]],
) -> None:
    assert len(histograms) >= 6
    for held in histograms.values():
        assert list(held) == [f"{kind}/{layer.name}" for layer in LAYERS for kind in ("weights", "gradients")]
        assert min(len(found) for found in held.values()) >= 0.9 * HISTORY_TICKS / HISTOGRAMS_EVERY


def test_demo_diverging_gradients_are_the_only_anomalies(
    histograms: dict[str, dict[str, Histograms]],
) -> None:
    for run, held in histograms.items():
        wrong = {tag: (mark.kind, int(held[tag].steps[mark.since])) for tag, mark in marks(held).items() if mark}
        if run != DIVERGES:
            assert wrong == {}
            continue
        kinds = {f"gradients/{layer.name}": "collapsed" if layer.dies else "lost" for layer in LAYERS}
        assert {tag: kind for tag, (kind, _) in wrong.items()} == kinds
        (since,) = {step for _, step in wrong.values()}
        assert since == 350 * STEPS_PER_TICK


def test_demo_files_of_the_first_screen_are_small(directory: Path) -> None:
    assert sum(path.stat().st_size for path in directory.rglob("*tfevents*")) < 4_000_000
