"""Pictures of fans, ridges and overlays at three sizes, as they are kept in `pictures/`, with the shades of cells.

A change that is meant: look at what `python tests/charts/test_area_pictures.py` writes, and commit it.
"""

from __future__ import annotations

import math
from datetime import timezone
from pathlib import Path

import numpy as np
import pytest

from tbtui.charts.annotations import ReferenceLine
from tbtui.charts.area_curves import (
    OverlayChart,
    RidgeChart,
    build_curves_by_age,
    count_max_ridges,
    draw_overlay,
    draw_ridges,
)
from tbtui.charts.axis import Axis
from tbtui.charts.fan import FanChart, draw_fan
from tbtui.charts.line_chart import RESTART_SIGN, Sign
from tests.helpers.shaded_cells import text

PICTURES = Path(__file__).with_name("pictures")
SIZES = ((14, 4), (30, 7), (72, 20))

NORMAL = np.array([-3.5, -1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 3.5])
X = np.arange(400.0)
SPREAD = NORMAL * (0.1 + np.exp(-X / 80))[:, None] + np.sin(X / 60)[:, None] / 2
STEPS = Axis(0, 400, kind="step")

EDGES = np.linspace(-4, 4, 31)
MIDDLES = (EDGES[:-1] + EDGES[1:]) / 2


def fan(x: np.ndarray, curves: np.ndarray, y_axis: Axis = Axis(-4, 4), **more: object) -> FanChart:  # type: ignore[type-arg]  # noqa: B008
    return FanChart(x, curves, 0, STEPS, y_axis, **more)  # type: ignore[arg-type]


def gaps() -> FanChart:
    curves = SPREAD.copy()
    curves[150:200], curves[300] = math.nan, math.nan
    return fan(X, curves, signs=(Sign(100, RESTART_SIGN, 0),))


def spiky() -> FanChart:
    curves = SPREAD.copy()
    curves[200, 8], curves[260, 0] = 3.8, -3.8
    return fan(X, curves)


FANS = {
    "fan": lambda: fan(X, SPREAD),
    "fan of few steps": lambda: fan(X[::80], SPREAD[::80]),
    "fan of one step": lambda: fan(X[200:201], SPREAD[:1]),
    "fan of a constant": lambda: fan(X, np.full((400, 9), 1.5)),
    "fan with spikes": spiky,
    "fan with gaps": gaps,
    "fan on a log axis": lambda: fan(X, SPREAD, Axis(0.01, 10, "log")),
    "fan on a symlog axis": lambda: fan(X, SPREAD, Axis(-10, 10, "symlog", threshold=0.1)),
    "fan with a level": lambda: fan(X, SPREAD, levels=(ReferenceLine(1.0, "goal"),)),
}
"""By name; those are drawn with a cursor at 137 and a mark at 260."""


def counts(steps: int) -> np.ndarray:  # type: ignore[type-arg]
    """Histograms that grow wider and split in two."""
    part = np.linspace(0, 1, steps)[:, None]
    return np.exp(-((np.abs(MIDDLES) - 1.5 * part) ** 2) * (4 - 3 * part)) * (10 - 4 * part)


def pictured(name: str, width: int, height: int) -> str:
    """One picture at one size."""
    if name in FANS:
        return text(draw_fan(FANS[name](), width, height, timezone.utc).at(137, 260))
    if name.startswith("ridges"):
        steps = 12 if "many" in name else count_max_ridges(height)
        chart = RidgeChart(counts(steps), np.linspace(0, 400, steps), EDGES, 0, Axis(-4, 4), STEPS)
        cursor = (190.0, 400.0) if "cursor" in name else (None, None)
        return text(draw_ridges(chart, width, height).at(*cursor))
    at = np.linspace(0, 400, 4)
    curves = build_curves_by_age(EDGES, counts(4), at, [f"step {step:.0f}" for step in at], 0)
    return text(draw_overlay(OverlayChart(curves, Axis(-4, 4), Axis(0, 12)), width, height).at(130.0))


NAMES = (*FANS, "ridges", "ridges with a cursor", "ridges of many steps", "overlay with a cursor")


def pictures(name: str) -> str:
    """One of them at all sizes, one below the other."""
    return "\n\n".join(f"{width}x{height}\n{pictured(name, width, height)}" for width, height in SIZES) + "\n"


def file_of(name: str) -> Path:
    return PICTURES / f"{name.replace(' ', '_')}.txt"


@pytest.mark.parametrize("name", NAMES)
def test_pictures(name: str) -> None:
    assert pictures(name) == file_of(name).read_text("utf-8")


if __name__ == "__main__":
    for name in NAMES:
        file_of(name).write_text(pictures(name), "utf-8")
