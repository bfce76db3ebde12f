"""The curves that the Distributions tab draws against TensorBoard's own (README.md says how they were recorded)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pytest
from packed_rows import unpacked

from tbtui.loading.loader import Loader
from tbtui.loading.payloads import Payloads
from tbtui.loading.sources import parse_sources
from tbtui.plugins.distributions import painter as drawing_module
from tbtui.plugins.distributions.chart import DistributionChartCache
from tbtui.plugins.distributions.painter import DistributionRenderer, DistributionSource
from tbtui.run_health.summaries import SummaryCache
from tbtui.settings.settings import Settings
from tbtui.view.card_painter import Painter
from tbtui.view.cards import make_card_key
from tbtui.view.run_names import RunColours
from tbtui.view.view import build_view
from tests.helpers.histogram_payloads import Made, MadePayloads, run_with
from tests.helpers.views import view

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.charts.fan import FanChart
    from tbtui.view.view import View

    Floats: TypeAlias = npt.NDArray[np.float64]

Json: TypeAlias = Any

HERE = Path(__file__).parent
CORPUS = HERE.parent / "corpus"
PRECISION = 1e-9
"""Of the greatest value of a histogram."""

SINGLE = float(np.finfo(np.float32).eps)
"""Likewise, where TensorBoard rounds: it has the edges of old histograms as 32-bit floats, not as they were written."""

OLD_WRITERS = ("writers/tbx/", "writers/tf/v1", "writers/torch/")

RECORDED = json.loads((HERE / "histograms.json").read_text(encoding="utf-8"))
SERIES = {entry["name"]: entry for entry in RECORDED["series"]}
KEPT = 3
"""Histograms of each series of a training that were recorded: the first, the middle one and the last."""


def drawn(monkeypatch: pytest.MonkeyPatch, shown: View, key: str, payloads: Payloads) -> Floats:
    """The curves that are handed to the drawing when a card is opened."""
    handed: list[FanChart] = []
    draw = drawing_module.draw_fan

    def noted(chart: FanChart, *size: int) -> object:
        handed.append(chart)
        return draw(chart, *size)

    monkeypatch.setattr(drawing_module, "draw_fan", noted)
    data = DistributionChartCache(payloads)
    cards = data.cards(shown)
    Painter(DistributionSource(data, DistributionRenderer(), shown, cards), cards).open(key, 100, 30)
    (chart,) = handed
    return chart.curves


def assert_same(ours: Floats, entry: Json, precision: float = PRECISION) -> None:
    theirs = np.array([histogram["quantiles"] for histogram in entry["histograms"]])
    size = np.abs(theirs).max(axis=1, keepdims=True)
    assert ours.shape == theirs.shape
    assert (np.abs(ours - theirs) <= precision * size).all()


@pytest.mark.parametrize("name", SERIES)
def test_curves_of_recorded_histograms_equal_tensorboard(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    rows = [unpacked(histogram, RECORDED["ladder"]) for histogram in SERIES[name]["histograms"]]
    runs = {"a": {"w": Made(rows)}}
    shown = view(run_with("a", runs["a"]))
    curves = drawn(monkeypatch, shown, make_card_key("a", "w"), MadePayloads(runs))
    in_one_bucket = [np.count_nonzero(row[:, 2]) <= 1 for row in rows]
    # TensorBoard spreads the values of a single bucket over it; nobody knows where they are, so only the ends agree.
    theirs = np.array([histogram["quantiles"] for histogram in SERIES[name]["histograms"]])
    curves[in_one_bucket, 1:-1] = theirs[in_one_bucket, 1:-1]
    assert_same(curves, SERIES[name])


IN_CORPUS = [name for name in SERIES if (CORPUS / name.partition(": ")[0]).is_dir() and ": " in name]


def test_corpus_has_histograms_of_every_writer() -> None:
    assert {name.split("/")[1] for name in IN_CORPUS} == {"torch", "tbx", "tf"}
    assert len(IN_CORPUS) > 10


@pytest.mark.parametrize("name", IN_CORPUS)
def test_curves_of_event_files_equal_tensorboard(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    directory, _, tag = name.partition(": ")
    stored = Loader(parse_sources([str(CORPUS / directory)]), reload_seconds=0).load_all().snapshot
    run = next(run for run in stored.runs.values() if tag in run.series)
    shown = build_view(stored, Settings(), RunColours(), SummaryCache())
    curves = drawn(monkeypatch, shown, make_card_key(run.name, tag), Payloads())
    at = np.unique(np.linspace(0, len(curves) - 1, KEPT, dtype=int))
    assert_same(curves[at], SERIES[name], SINGLE if name.startswith(OLD_WRITERS) else PRECISION)
