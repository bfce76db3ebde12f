"""What the Histograms tab costs from key to cells: a tag of 5,000 steps of 600 buckets, milliseconds, best and median.

    python tests/benchmarks/bench_histograms_tab.py [STEPS]

The picture is of 200 x 50 cells, table and bars and all; what a terminal does with it is not measured.
"""

from __future__ import annotations

import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.helpers.settings import settings_of

sys.path.insert(0, str(Path(__file__).parents[2]))

from bench_histograms import TAG, index, pytorch, write

from tbtui.loading.payloads import Payloads
from tbtui.plugins.histograms.painter import HistogramRenderer, HistogramSource
from tbtui.plugins.histograms.readout import HistogramChartCache
from tbtui.run_health.summaries import SummaryCache
from tbtui.settings.settings import Settings
from tbtui.store.snapshot import StoreSnapshot
from tbtui.view.card_painter import Painter
from tbtui.view.cards import make_card_key
from tbtui.view.run_names import RunColours
from tbtui.view.view import build_view

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tbtui.plugins.histograms.readout import HistogramChart
    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot

SIZE, CARD = (200, 50), (100, 16)
REPEATS = 7
MOVES = 40


class Tab:
    """A pane's worker thread, without the thread.

    Args:
        run: What it shows.
        payloads: Its own, or one that holds something already.
    """

    def __init__(self, run: RunSnapshot, payloads: Payloads | None = None) -> None:
        self.run, self.key = run, make_card_key(run.name, TAG)
        self.data, self.drawing = HistogramChartCache(payloads or Payloads()), HistogramRenderer()
        self.colours, self.summary_cache = RunColours(), SummaryCache()

    def painter(self, settings: Settings) -> Painter[HistogramChart]:
        snapshot = StoreSnapshot(1, {self.run.name: self.run})
        view = build_view(snapshot, settings, self.colours, self.summary_cache)
        cards = self.data.cards(view)
        return Painter(HistogramSource(self.data, self.drawing, view, cards), cards)

    def open(self, settings: Settings) -> None:
        painter = self.painter(settings)
        painter.paint_key(self.key)
        painter.open(self.key, *SIZE)

    def card(self, settings: Settings) -> None:
        painter = self.painter(settings)
        painter.paint_key(self.key)
        painter.paint(self.key, *CARD, focused=True)


def figure(what: str, taken: list[float], goal: str = "") -> None:
    print(f"{what:52} {1e3 * min(taken):8.2f}  median {1e3 * np.median(taken):8.2f}  {goal}")


def timed(what: Callable[[], Any]) -> float:
    began = time.perf_counter()
    what()
    return time.perf_counter() - began


def opened(tab: Tab, settings: Iterator[Settings]) -> list[float]:
    return [timed(lambda chosen=chosen: tab.open(chosen)) for chosen in settings]  # type: ignore[misc]


def part(run: RunSnapshot, count: int, revision: int) -> RunSnapshot:
    """The run when it had fewer steps."""
    series: Any = run.series[TAG]
    columns = ("steps", "wall_times", "files", "offsets", "lengths", "indices")
    short = replace(series, revision=revision, **{name: getattr(series, name)[:count] for name in columns})
    return replace(run, revision=revision, series={TAG: short})


def grown(run: RunSnapshot) -> Iterator[float]:
    """What a new step costs an opened chart."""
    series: ReferenceSeries = run.series[TAG]  # type: ignore[assignment]
    count = len(series)
    tab = Tab(part(run, count - MOVES, 0))
    tab.open(Settings())
    for more in range(1, MOVES):
        tab.run = part(run, count - MOVES + more, more)
        yield timed(lambda: tab.open(Settings()))


def measure(run: RunSnapshot) -> None:
    figure("opened, nothing read yet", [timed(lambda: Tab(run).open(Settings())) for _ in range(REPEATS)], "goal 150")
    payloads = Payloads()
    Tab(run, payloads).open(Settings())
    figure("opened, read and decoded", [timed(lambda: Tab(run, payloads).open(Settings())) for _ in range(REPEATS)])
    figure("card, nothing read yet", [timed(lambda: Tab(run).card(Settings())) for _ in range(REPEATS)], "goal 150")
    tab = Tab(run, payloads)
    tab.card(Settings())
    figure("opened from its card", [timed(lambda: tab.open(Settings()))])
    steps = np.linspace(0, 4_999, MOVES)
    figure("cursor moved", opened(tab, (Settings(cursor=at) for at in steps)), "goal 10")
    figure("two steps", opened(tab, (Settings(cursor=at, mark=7.0) for at in steps)), "goal 10")
    figure("other colours", opened(tab, (settings_of(heat_scale=scale) for scale in ("linear", "log") * 9)), "goal 10")  # type: ignore[arg-type]
    figure("rows of buckets", opened(tab, (settings_of(bucket_rows=True, cursor=at) for at in steps)))
    for look in ("ridges", "overlay"):
        chosen = [settings_of(histogram_look=look, cursor=at) for at in steps]  # type: ignore[arg-type]
        figure(f"{look}: first", opened(tab, iter(chosen[:1])))
        figure(f"{look}: cursor moved", opened(tab, iter(chosen[1:])), "goal 10")
    wide = [Settings(x_range=(at, at + 1_000.0)) for at in steps[:20]]
    figure("moved along steps", opened(tab, iter(wide)))
    figure("a step more", list(grown(run)))


def main() -> None:
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 5_000
    with tempfile.TemporaryDirectory(prefix="tbtui-bench-") as directory:
        path = Path(directory) / "events.out.tfevents.1.bench"
        write(path, pytorch, steps)
        measure(index(path))


if __name__ == "__main__":
    main()
