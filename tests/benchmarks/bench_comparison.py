"""The comparison table of 300 runs of 5,000 tags: milliseconds from a key or a view to the finished picture.

Made in memory and drawn at 120x40 without a terminal: `python tests/benchmarks/bench_comparison.py`.
"""

from __future__ import annotations

import asyncio
import gc
import statistics
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import psutil

from tbtui.plugins.comparison.settings import SORT_TAG, STATISTIC

sys.path.insert(0, str(Path(__file__).parents[2]))

from textual.app import App, ComposeResult

from tbtui.plugins.comparison.pane.pane import ComparisonPane
from tbtui.plugins.registry import run_folder
from tbtui.run_health.summaries import SummaryCache
from tbtui.settings.settings import Settings
from tbtui.store.snapshot import Metadata, RunSnapshot, ScalarSeries, StoreSnapshot
from tbtui.view.run_names import RunColours
from tbtui.view.view import build_view
from tbtui.widgets.data_grid import DataGrid

if TYPE_CHECKING:
    from collections.abc import Callable

    from tbtui.view.view import View
    from tbtui.widgets.pane import Choose

RUNS, TAGS, POINTS = 300, 5000, 200
REPEATS = 40
SCALAR = Metadata("scalars", data_class=1)


def series(run: str, tag: str, seed: int, revision: int = 1, points: int = POINTS) -> ScalarSeries:
    """A falling curve; the arrays of 1,000 different ones are shared, or they would not fit into memory."""
    steps, times, values = CURVES[seed % len(CURVES)]
    return ScalarSeries(run, tag, SCALAR, revision, steps[:points], times[:points], values[:points])


def curves() -> list[tuple[Any, Any, Any]]:
    """Steps, wall times and values of 1,000 curves."""
    noise = np.random.default_rng(0)
    steps = np.arange(POINTS + 1, dtype=np.int64)
    falling = np.exp(-steps / 50) + noise.random((1000, POINTS + 1)) / 10
    return [(steps, 1.79e9 + steps.astype(np.float64), values) for values in falling]


CURVES = curves()
NAMES = [f"layer{number // 10}/weight{number % 10}" for number in range(TAGS)]


def store() -> StoreSnapshot:
    """All runs with all tags."""
    names = [f"sweep/lr{number // 10}/seed{number % 10}" for number in range(RUNS)]
    runs = {
        name: RunSnapshot(
            name, 1, {tag: series(name, tag, 7 * row + column) for column, tag in enumerate(NAMES)}, has_descents=False
        )
        for row, name in enumerate(names)
    }
    return StoreSnapshot(1, runs)


class Shown(App[None]):
    """The pane, and as much of the app as gives it its views."""

    def __init__(self, snapshot: StoreSnapshot) -> None:
        super().__init__()
        self.snapshot = snapshot
        self.settings = Settings()
        self._colours, self._facts, self._folder = RunColours(), SummaryCache(), run_folder()
        self.pane = ComparisonPane()

    def compose(self) -> ComposeResult:
        yield self.pane

    @property
    def grid(self) -> DataGrid:
        """The table."""
        return self.query_one(DataGrid)

    def view(self) -> View:
        """As the app would hand it on."""
        return build_view(self._folder.fold(self.snapshot), self.settings, self._colours, self._facts)

    def on_choose(self, message: Choose) -> None:
        """Apply what is asked for."""
        self.settings = message.of(self.settings)
        self.pane.show(self.view())

    def live(self, number: int) -> View:
        """The view after another value of one series."""
        name = next(iter(self.snapshot.runs))
        run = self.snapshot.runs[name]
        changed = series(name, NAMES[1], number, revision=number + 2, points=POINTS - number % 2)
        grown = replace(run, revision=number + 2, series={**run.series, NAMES[1]: changed})
        self.snapshot = replace(self.snapshot, runs={**self.snapshot.runs, name: grown})
        return self.view()


async def measure(
    app: Shown, name: str, act: Callable[[Any], object], given: Callable[[int], Any] = lambda number: number
) -> None:
    """Repeat something: how long until what is in sight is painted, and until all is worked out.

    `given` makes what it is done with, which is not counted.
    """
    first, all_done = [], []
    for number in range(REPEATS):
        held = given(number)
        began = time.perf_counter()
        act(held)
        while "…" in app.grid.get_text():  # noqa: ASYNC110 - the moment is what is measured
            await asyncio.sleep(0.0005)
        update = app.screen._compositor.render_partial_update()
        if update is not None:
            update.render_segments(app.console)
        first.append(1000 * (time.perf_counter() - began))
        if not app.pane.worker._is_quiet():
            await app.pane.idle()
        all_done.append(1000 * (time.perf_counter() - began))
        await settled(app)
    figures = " ".join(f"{statistics.median(taken):8.2f} ({max(taken):6.1f})" for taken in (first, all_done))
    print(f"{name:<40} {figures}", flush=True)


async def settled(app: Shown) -> None:
    """Let messages run until nothing is left to do."""
    for _ in range(5):
        await asyncio.sleep(0)
        await app.pane.idle()


def memory() -> float:
    """Megabytes of this process."""
    return psutil.Process().memory_info().rss / 1e6


async def main() -> None:
    """Open, scroll, sort, update."""
    began = time.perf_counter()
    app = Shown(store())
    print(f"{RUNS} runs of {TAGS} tags made in {time.perf_counter() - began:.1f} s")
    print(f"{'milliseconds, median (worst)':<40} {'in sight':<17} {'all'}")
    async with app.run_test(size=(120, 40)) as pilot:
        view = app.view()
        gc.collect()  # what is there now is old: no key has to wait for it to be looked through
        began = time.perf_counter()
        app.pane.show(view)
        while "…" in app.grid.get_text() or not app.grid.columns_in_sight:  # noqa: ASYNC110 - likewise
            await asyncio.sleep(0.001)
        shown = time.perf_counter() - began
        await app.pane.idle()
        print(f"{'open':<40} {1000 * shown:8.2f} {1000 * (time.perf_counter() - began):17.2f}")
        await pilot.pause()
        opened = memory()
        await scroll(app)
        await change(app)
        print(f"{memory() - opened:.1f} MB more than when it was opened")


async def scroll(app: Shown) -> None:
    """Move the cursor through the table."""
    grid = app.grid
    await measure(app, "a row down", lambda _: grid.action_move(1))
    await measure(app, "a page of rows", lambda number: grid.action_move_page(1 if number % 14 < 7 else -1))
    await measure(app, "a column to the right, one of them new", lambda _: grid.action_move_column(1))
    await measure(app, "to a tag far away, all columns new", lambda number: grid.move_to_column(NAMES[97 * number]))
    await measure(app, "there and back", lambda number: grid.move_to_column(NAMES[97 * (number % 2)]))


async def change(app: Shown) -> None:
    """Other settings and other data, shown at once."""
    pane = app.pane

    def show(settings: Settings) -> None:
        app.settings = settings
        pane.show(app.view())

    app.grid.move_to_column(NAMES[0])
    await measure(app, "a live value", pane.show, app.live)
    await measure(app, "another figure", lambda number: show(STATISTIC.next(app.settings)))
    await measure(
        app, "another baseline", lambda number: show(replace(app.settings, baseline=f"sweep/lr0/seed{number % 10}"))
    )
    await measure(app, "sort by another column", lambda number: show(SORT_TAG.with_value(app.settings, NAMES[number])))
    app.settings = SORT_TAG.with_value(replace(app.settings, baseline=None), NAMES[1])
    await measure(app, "a live value in the sorted column", pane.show, app.live)


if __name__ == "__main__":
    asyncio.run(main())
