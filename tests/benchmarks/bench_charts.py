"""What drawing costs, beside plotext: milliseconds a picture at 120x40, the best of many.

Run it alone on a machine that does nothing else: `python tests/benchmarks/bench_charts.py`.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import plotext

sys.path.insert(0, str(Path(__file__).parents[2]))

from tbtui.charts.axis import Axis
from tbtui.charts.line_chart import LineChart, Trace, draw_line_chart
from tbtui.charts.text import shorten
from tbtui.series.smoothing import smooth

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

WIDTH, HEIGHT = 120, 40
MILLION = 1_000_000


def best(work: Callable[[], object], repeats: int) -> float:
    """Milliseconds of the fastest of several runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times) * 1e3


def report(what: str, milliseconds: float, wanted: str = "") -> None:
    """One line of the table."""
    print(f"{what:58} {milliseconds:9.2f} ms   {wanted}")


def walks(count: int, points: int) -> list[npt.NDArray[np.float64]]:
    """Random walks, the same ones each time."""
    steps = np.random.default_rng(0).standard_normal((count, points))
    return list(np.cumsum(steps, axis=1))


def chart(lines: list[npt.NDArray[np.float64]], *, raw: bool = False) -> LineChart:
    """The lines over their index, with their raw twins behind them when asked for."""
    x = np.arange(len(lines[0]), dtype=np.float64)
    faint = [Trace(x, y, ink, faint=True) for ink, y in enumerate(lines) if raw]
    bright = [Trace(x, y, ink) for ink, y in enumerate(lines)]
    low, high = min(float(np.nanmin(y)) for y in lines), max(float(np.nanmax(y)) for y in lines)
    return LineChart((*faint, *bright), Axis(0, len(x), kind="step"), Axis(low, high))


def by_plotext(lines: list[npt.NDArray[np.float64]]) -> None:
    """The same picture by plotext 6."""
    figure = plotext.figure
    figure.clear()
    figure.plot_size(WIDTH, HEIGHT)
    x = np.arange(len(lines[0])).tolist()
    for y in lines:
        signal = figure.signal(x, y.tolist(), marker="braille")
        signal.lines(True)
        figure.draw(signal)
    figure.build().string(colorless=True)


def drawing() -> None:
    """Charts of common and of hard kinds."""
    eight, million = walks(8, 1000), walks(1, MILLION)
    ours = best(lambda: draw_line_chart(chart(eight), WIDTH, HEIGHT), 50)
    report("8 lines of 1,000 points", ours, "2.5 wanted")
    report("the same with raw lines behind", best(lambda: draw_line_chart(chart(eight, raw=True), WIDTH, HEIGHT), 50))
    large = chart(million)
    report("1 line of 1,000,000 points", best(lambda: draw_line_chart(large, WIDTH, HEIGHT), 20), "3 wanted")
    torn = million[0].copy()
    torn[::100] = np.nan
    holes = chart([torn])
    report("the same with 10,000 NaN", best(lambda: draw_line_chart(holes, WIDTH, HEIGHT), 10))
    shuffled = Trace(np.random.default_rng(1).permutation(MILLION).astype(np.float64), million[0], 0)
    tangle = LineChart((shuffled,), large.x_axis, large.y_axis)
    report("1,000,000 points in no order", best(lambda: draw_line_chart(tangle, WIDTH, HEIGHT), 3))
    theirs = best(lambda: by_plotext(eight), 3)
    report("plotext, 8 lines of 1,000 points", theirs, f"{theirs / ours:.0f} times as long")


def everything_else() -> None:
    """Smoothing and text."""
    for points in (2000, MILLION):
        values = walks(1, points)[0]
        report(f"smoothing {points:,} points", best(lambda values=values: smooth(values, 0.6), 10))  # type: ignore[misc]
    tag = "\x1b漢\u202e" * 1333
    report("making a tag of 4,000 characters safe and short", best(lambda: shorten(tag, 40), 50))


if __name__ == "__main__":
    drawing()
    everything_else()
