"""What fans, ridges and overlays cost: milliseconds a picture, at 120x40 unless it says otherwise, the best of many.

Run it alone on a machine that does nothing else: `python tests/benchmarks/bench_fan.py`.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parent)]

from bench_charts import HEIGHT, WIDTH, best, report  # noqa: E402 - found only now

from tbtui.charts.area_curves import (  # noqa: E402
    OverlayChart,
    RidgeChart,
    build_curves_by_age,
    draw_overlay,
    draw_ridges,
)
from tbtui.charts.axis import Axis  # noqa: E402
from tbtui.charts.fan import (  # noqa: E402
    FanChart,
    draw_fan,
)

if TYPE_CHECKING:
    from tbtui.maths.domain import Scale

REPEATS = 50
NORMAL = np.array([-3.5, -1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 3.5])
"""The curves of a fan, for a normal distribution."""


def fan(steps: int, scale: Scale = "linear") -> FanChart:
    """A distribution whose spread goes down, with noise."""
    noise = np.random.default_rng(0).standard_normal((steps, 1))
    x = np.arange(float(steps))
    curves = NORMAL * np.exp(-2 * x / steps)[:, None] * (1 + noise / 10) + np.sin(8 * x / steps)[:, None] / 10
    return FanChart(x, curves, 0, Axis(0, steps, kind="step"), Axis(0.01 if scale == "log" else -4, 4, scale))


def fans() -> None:
    """Fans of many and of few steps, and the cursor."""
    for what, chart, width, height, wanted in (
        ("5,000 steps", fan(5000), WIDTH, HEIGHT, "at most 5"),
        ("5,000 steps, log", fan(5000, "log"), WIDTH, HEIGHT, "at most 5"),
        ("5,000 steps, 38x10", fan(5000), 38, 10, ""),
        ("20 steps", fan(20), WIDTH, HEIGHT, ""),
        ("100,000 steps", fan(100_000), WIDTH, HEIGHT, ""),
    ):
        report(f"fan, {what}", best(partial(draw_fan, chart, width, height), REPEATS), wanted)
    picture = draw_fan(fan(5000), WIDTH, HEIGHT)
    report("fan, the cursor moves", best(lambda: picture.at(2500.0, 1000.0), REPEATS))


def histograms() -> None:
    """Twelve histograms of 120 bins, as ridges and as curves."""
    edges = np.linspace(-4, 4, 121)
    counts = np.exp(-((edges[:-1] + np.linspace(-1, 1, 12)[:, None]) ** 2) * 2)
    at = np.arange(12.0)
    value_axis, step_axis = Axis(-4, 4), Axis(0, 11, kind="step")
    ridges = RidgeChart(counts, at, edges, 0, value_axis, step_axis)
    report("ridges, 12", best(lambda: draw_ridges(ridges, WIDTH, HEIGHT), REPEATS))
    picture = draw_ridges(ridges, WIDTH, HEIGHT)
    report("ridges, the cursor moves", best(lambda: picture.at(5.0, 2.0), REPEATS))
    curves = build_curves_by_age(edges, counts, at, [f"step {step}" for step in range(12)], 0)
    overlay = draw_overlay(OverlayChart(curves, value_axis, Axis(0, 1)), WIDTH, HEIGHT)
    report("overlay, 12, with a cursor", best(lambda: overlay.at(5.0, 2.0), REPEATS))


if __name__ == "__main__":
    fans()
    histograms()
