"""What the Distributions tab costs, from event files to cells: milliseconds, the best of several.

    python tests/benchmarks/bench_distributions.py [STEPS]

One tag of 5,000 steps by PyTorch's rule, 600 buckets each. Run it alone on a machine that does nothing else.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from tests.helpers.settings import settings_of

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parent)]

from bench_charts import best, report  # noqa: E402 - found only now
from bench_histograms import TAG, index, pytorch, write  # noqa: E402

from tbtui.loading.payloads import Payloads  # noqa: E402
from tbtui.plugins.distributions.chart import DistributionChartCache  # noqa: E402
from tbtui.plugins.distributions.painter import DistributionRenderer, DistributionSource  # noqa: E402
from tbtui.run_health.summaries import SummaryCache  # noqa: E402
from tbtui.settings.settings import ChartSettings  # noqa: E402
from tbtui.store.snapshot import StoreSnapshot  # noqa: E402
from tbtui.view.card_painter import Painter  # noqa: E402
from tbtui.view.cards import make_card_key  # noqa: E402
from tbtui.view.run_names import RunColours  # noqa: E402
from tbtui.view.view import build_view  # noqa: E402

if TYPE_CHECKING:
    from tbtui.plugins.distributions.chart import DistributionChart
    from tbtui.store.snapshot import RunSnapshot

STEPS = 5000
REPEATS = 20
CARD, OPENED = (60, 12), (120, 40)


class Tab:
    """The tab over one run, as it is kept from view to view."""

    def __init__(self, run: RunSnapshot) -> None:
        self.stored = StoreSnapshot(1, {run.name: run})
        self.key = make_card_key(run.name, TAG)
        self.data, self.drawing = DistributionChartCache(Payloads()), DistributionRenderer()
        self.colours, self.summary_cache = RunColours(), SummaryCache()
        self.painter()

    def painter(self, **settings: object) -> Painter[DistributionChart]:
        """Draws a view."""
        shown = build_view(self.stored, settings_of(**settings), self.colours, self.summary_cache)  # type: ignore[arg-type]
        cards = self.data.cards(shown)
        return Painter(DistributionSource(self.data, self.drawing, shown, cards), cards)

    def paint(self, **settings: object) -> None:
        """A card."""
        self.painter(**settings).paint(self.key, *CARD, focused=True)

    def open(self, **settings: object) -> None:
        """A chart in full size."""
        self.painter(**settings).open(self.key, *OPENED)


def main(steps: int) -> None:
    """Open the tab, then do what keys do."""
    with tempfile.TemporaryDirectory(prefix="tbtui-bench-") as directory:
        path = Path(directory) / "events.out.tfevents.1.host"
        write(path, pytorch, steps)
        run = index(path)
        report(f"a card of {steps:,} steps, read and drawn", best(lambda: Tab(run).paint(), 5), "at most 150")
        tab = Tab(run)
        tab.paint()

        def redrawn() -> None:
            tab.drawing = DistributionRenderer()
            tab.paint()

        report("the same card drawn again", best(redrawn, REPEATS), "at most 10")
        cursors = iter(range(10_000))
        report("the cursor moves", best(lambda: tab.paint(cursor=float(next(cursors))), REPEATS))
        tab.open()
        report("the cursor moves, opened", best(lambda: tab.open(cursor=float(next(cursors))), REPEATS))
        ends = iter(range(1, 10_000))

        def zoomed() -> None:
            chosen = {tab.key: ChartSettings(x_range=(float(next(ends)), steps / 2))}
            tab.open(charts=chosen)

        report("zoomed along x, opened", best(zoomed, REPEATS), "at most 10")

        def scaled() -> None:
            chosen = {tab.key: ChartSettings(y_range=(-1.0 / next(ends), 1.0))}
            tab.open(charts=chosen)

        report("zoomed along y, opened", best(scaled, REPEATS), "at most 10")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else STEPS)
