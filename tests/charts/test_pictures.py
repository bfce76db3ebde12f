"""Pictures of charts of every kind at four sizes, as they are kept in `pictures/`.

A change that is meant: look at what `python tests/charts/test_pictures.py` writes, and commit it.
"""

from __future__ import annotations

import math
from datetime import timezone
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tbtui.charts.annotations import Band, ReferenceLine
from tbtui.charts.axis import Axis
from tbtui.charts.line_chart import BEST_SIGN, MAX_SIGN, MIN_SIGN, RESTART_SIGN, LineChart, Sign, Trace, draw_line_chart
from tbtui.maths.domain import choose_symlog_threshold, compute_extent, compute_limits
from tbtui.maths.x_values import step_origin, step_x

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from tbtui.charts.axis import Kind
    from tbtui.maths.domain import Scale

PICTURES = Path(__file__).with_name("pictures")
SIZES = ((20, 5), (40, 12), (120, 40), (300, 80))

X = np.arange(400.0)
DECAY = 2.4 * np.exp(-X / 80) + 0.02


def axis(
    arrays: Sequence[npt.NDArray[np.float64]],
    kind: Kind = "number",
    scale: Scale = "linear",
    origin: int = 0,
) -> Axis:
    """The axis that data gets when nothing is chosen by hand."""
    values = np.concatenate(arrays)
    threshold = choose_symlog_threshold(values, 0.1 if kind == "number" else 0.0) if scale == "symlog" else 1.0
    padding = 0.05 if kind == "number" else 0.0
    ends = compute_limits(compute_extent(arrays, scale=scale), scale=scale, threshold=threshold, padding=padding)
    return Axis(*ends, scale, kind, origin, threshold)


def chart(*traces: Trace, x: Scale = "linear", y: Scale = "linear", kind: Kind = "step", **more: object) -> LineChart:
    x_axis = axis([trace.x for trace in traces], kind, x)
    return LineChart(traces, x_axis, axis([trace.y for trace in traces], scale=y), **more)  # type: ignore[arg-type]


def waves(count: int) -> tuple[Trace, ...]:
    """Lines that fall and cross, each with a label."""
    lines = (DECAY * (1 + ink / 6) + 0.15 * np.sin(X / (9 + 4 * ink)) for ink in range(count))
    return tuple(Trace(X, y, ink, label=f"run{ink} {y[-1]:.2f}") for ink, y in enumerate(lines))


def spikes() -> Trace:
    """A million points, four of them far out."""
    y = np.sin(np.arange(1_000_000) / 50_000)
    y[[100_003, 400_001, 400_002, 899_999]] = 9, -7, 8, 6
    return Trace(np.arange(1_000_000.0), y, 0, ascending=True)


def beyond_exact() -> LineChart:
    steps = 2**60 + np.arange(0, 4000, 10)
    origin = step_origin([steps])
    x = step_x(steps, origin)
    return LineChart((Trace(x, DECAY, 0),), axis([x], "step", origin=origin), axis([DECAY]), cursor=1500.0)


def missing() -> Trace:
    y = np.select(
        [X == 100, (X > 180) & (X < 220), X == 260, X == 300, X > 380],
        [math.nan] * 2 + [math.inf, -math.inf, math.nan],
        DECAY,
    )
    return Trace(X, y, 0)


SIGNED = 40 * np.exp(-X / 60) * np.cos(X / 7)
MEAN, SPREAD = DECAY + 0.2, 0.1 + DECAY / 5
RISE = 1.8 * (1 - np.exp(-X / 60))
SIGNS = (
    Sign(120, RESTART_SIGN, 0),
    Sign(399, MIN_SIGN, 0, 0.04),
    Sign(0, MAX_SIGN, 0, 2.42),
    Sign(300, BEST_SIGN, 0, 0.08),
)

CHARTS = {
    "one line": lambda: chart(Trace(X, DECAY, 0)),
    "eight lines": lambda: chart(*waves(8)),
    "raw line behind": lambda: chart(Trace(X, DECAY + 0.2 * np.sin(X * 2), 0, is_faint=True), Trace(X, DECAY, 0)),
    "log y": lambda: chart(Trace(X, DECAY / 2.4 * 10 ** (X / 200), 0), Trace(X, np.exp(-X / 40), 1), y="log"),
    "symlog y": lambda: chart(Trace(X, SIGNED, 0), y="symlog"),
    "log x": lambda: chart(*waves(2), x="log"),
    "log x of times": lambda: chart(Trace(X**2 / 3, DECAY, 0), x="log", kind="duration"),
    "symlog x": lambda: chart(Trace(X * 25, DECAY, 0), x="symlog"),
    "both log": lambda: chart(Trace(X, 3 / (1 + X), 0), x="log", y="log"),
    "bands": lambda: chart(
        Trace(X, MEAN, 0),
        Trace(X, RISE, 1),
        bands=(Band(X, MEAN - SPREAD, MEAN + SPREAD, 0), Band(X, RISE - 0.2, RISE + 0.3, 1)),
    ),
    "cursor": lambda: chart(*waves(2), cursor=137.0),
    "stretch": lambda: chart(*waves(2), cursor=137.0, mark=260.0),
    "cursor in time": lambda: chart(Trace(X * 40, DECAY, 0), kind="duration", cursor=7380.0),
    "levels": lambda: chart(
        *waves(2),
        levels=(ReferenceLine(1.5, "target"), ReferenceLine(0.1, "human level"), ReferenceLine(9, "out of sight")),
    ),
    "signs": lambda: chart(Trace(X, DECAY, 0), signs=SIGNS),
    "no numbers": lambda: chart(missing()),
    "single point": lambda: chart(Trace(np.array([7.0]), np.array([0.3]), 0)),
    "constant": lambda: chart(Trace(X, np.full(400, 0.25), 0)),
    "spikes among a million": lambda: chart(spikes()),
    "equal x": lambda: chart(Trace(np.full(400, 5.0), DECAY, 0)),
    "decreasing x": lambda: chart(Trace(X[::-1].copy(), DECAY, 0)),
    "steps beyond exact floats": beyond_exact,
    "enormous values": lambda: chart(Trace(X, SIGNED * 4e306, 0)),
    "tiny values": lambda: chart(Trace(X, SIGNED * 1e-300, 0), y="symlog"),
    "nothing": lambda: chart(Trace(X[:0], X[:0], 0)),
}


def file_of(name: str) -> Path:
    return PICTURES / f"{name.replace(' ', '_')}.txt"


def pictures(name: str) -> str:
    """A chart at all sizes, one below the other."""
    shown = []
    for width, height in SIZES:
        text = draw_line_chart(CHARTS[name](), width, height, timezone.utc).text()
        shown.append(f"{width}x{height}\n" + "\n".join(line.rstrip() for line in text.split("\n")))
    return "\n\n".join(shown) + "\n"


@pytest.mark.parametrize("name", CHARTS)
def test_pictures(name: str) -> None:
    assert pictures(name) == file_of(name).read_text("utf-8")


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    for name in CHARTS:
        file_of(name).write_text(pictures(name), "utf-8")
