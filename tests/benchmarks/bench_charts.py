"""What drawing costs, beside plotext: milliseconds a picture, at 120x40 unless it says otherwise, the best of many.

Run it alone on a machine that does nothing else: `python tests/benchmarks/bench_charts.py`.
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import plotext

sys.path.insert(0, str(Path(__file__).parents[2]))

from tbtui.charts.annotations import Band
from tbtui.charts.axis import Axis
from tbtui.charts.line_chart import LineChart, Trace, draw_line_chart
from tbtui.charts.text import shorten
from tbtui.maths.smoothing import smooth

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
    faint = [Trace(x, y, ink, is_faint=True) for ink, y in enumerate(lines) if raw]
    bright = [Trace(x, y, ink) for ink, y in enumerate(lines)]
    low, high = min(float(np.nanmin(y)) for y in lines), max(float(np.nanmax(y)) for y in lines)
    return LineChart((*faint, *bright), Axis(0, len(x), kind="step"), Axis(low, high))


def by_plotext(lines: list[npt.NDArray[np.float64]], width: int = WIDTH, height: int = HEIGHT) -> None:
    """The same picture by plotext 6."""
    figure = plotext.figure
    figure.clear()
    figure.plot_size(width, height)
    x = np.arange(len(lines[0])).tolist()
    for y in lines:
        signal = figure.signal(x, y.tolist(), marker="braille")
        signal.lines(True)
        figure.draw(signal)
    figure.build().string(colorless=True)


def beside_plotext() -> None:
    """The sizes that the dashboard promises, and how many times as long plotext takes."""
    for count, points, width, height, wanted, repeats in (
        (8, 1000, WIDTH, HEIGHT, 3, 50),
        (20, 1000, 38, 10, 1, 50),
        (300, 1000, 100, 30, 15, 20),
        (1, MILLION, WIDTH, HEIGHT, 5, 20),
    ):
        lines = walks(count, points)
        drawn = chart(lines)
        ours = best(lambda: draw_line_chart(drawn, width, height), repeats)  # noqa: B023 - called at once
        theirs = best(lambda: by_plotext(lines, width, height), 2 if count * points < MILLION else 1)  # noqa: B023
        name = f"{count} line{'s' * (count > 1)} of {points:,} points at {width}x{height}"
        report(name, ours, f"{wanted} wanted; plotext {theirs:.0f} ms, {theirs / ours:.0f} times as long")


def drawing() -> None:
    """Charts of common and of hard kinds."""
    eight, million = walks(8, 1000), walks(1, MILLION)
    report("8 lines with raw lines behind", best(lambda: draw_line_chart(chart(eight, raw=True), WIDTH, HEIGHT), 50))
    lines = chart(eight)
    x = lines.traces[0].x
    bands = tuple(Band(x, y - 5, y + 5, ink) for ink, y in enumerate(eight))
    banded = replace(lines, bands=bands, cursor=500.0)
    report("8 lines with bands and a cursor", best(lambda: draw_line_chart(banded, WIDTH, HEIGHT), 50))
    bent = LineChart(lines.traces, Axis(1, 1000, "log", "step"), Axis(-100, 100, "symlog"))
    report("8 lines, both axes bent", best(lambda: draw_line_chart(bent, WIDTH, HEIGHT), 50))
    large = chart(million)
    torn = million[0].copy()
    torn[::100] = np.nan
    holes = chart([torn])
    report("1,000,000 points, 10,000 of them NaN", best(lambda: draw_line_chart(holes, WIDTH, HEIGHT), 10))
    shuffled = Trace(np.random.default_rng(1).permutation(MILLION).astype(np.float64), million[0], 0)
    tangle = LineChart((shuffled,), large.x_axis, large.y_axis)
    report("1,000,000 points in no order", best(lambda: draw_line_chart(tangle, WIDTH, HEIGHT), 3))


def everything_else() -> None:
    """Smoothing and text."""
    for points in (2000, MILLION):
        values = walks(1, points)[0]
        report(f"smoothing {points:,} points", best(lambda values=values: smooth(values, 0.6), 10))  # type: ignore[misc]
    tag = "\x1b漢\u202e" * 1333
    report("making a tag of 4,000 characters safe and short", best(lambda: shorten(tag, 40), 50))


if __name__ == "__main__":
    beside_plotext()
    drawing()
    everything_else()
