"""Between what the user can choose: the names of all ways to draw, and the limits of what is a number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.charts.axis import Scale
    from tbtui.graphics.capabilities import Wanted

Value = TypeVar("Value")

XAxis: TypeAlias = Literal["step", "relative", "wall"]
X_AXES: tuple[XAxis, ...] = ("step", "relative", "wall")
"""In the order in which the key walks through them; likewise the tuples below."""

SCALES: tuple[Scale, ...] = ("linear", "log", "symlog")

Outliers: TypeAlias = Literal["auto", "ignore", "keep"]
OUTLIERS: tuple[Outliers, ...] = ("auto", "ignore", "keep")

RowOrder: TypeAlias = Literal["runs", "ascending", "descending", "nearest"]
ROW_ORDERS: tuple[RowOrder, ...] = ("runs", "ascending", "descending", "nearest")

Spread: TypeAlias = Literal["std", "minmax"]
SPREADS: tuple[Spread, ...] = ("std", "minmax")

Best: TypeAlias = Literal["min", "max"]
BESTS: tuple[Best, ...] = ("min", "max")

Figure: TypeAlias = Literal["last", "best", "min", "max"]
FIGURES: tuple[Figure, ...] = ("last", "best", "min", "max")

HistogramLook: TypeAlias = Literal["heat", "ridges", "overlay"]
HISTOGRAM_LOOKS: tuple[HistogramLook, ...] = ("heat", "ridges", "overlay")

HeatScale: TypeAlias = Literal["log", "linear"]
HEAT_SCALES: tuple[HeatScale, ...] = ("log", "linear")

Comparison: TypeAlias = Literal["off", "beside", "difference"]
COMPARISONS: tuple[Comparison, ...] = ("off", "beside", "difference")

IMAGES: tuple[Wanted, ...] = ("auto", "kitty", "sixel", "half", "off")

MOST_BRIGHTNESS, MOST_CONTRAST = 2.0, 5.0
"""TensorBoard's upper ends; 0 is the lower one of both, 1 shows a picture as it is."""

AudioLook: TypeAlias = Literal["waveform", "spectrogram"]
AUDIO_LOOKS: tuple[AudioLook, ...] = ("waveform", "spectrogram")

MOST_SMOOTHING = 0.999
"""TensorBoard's upper end; with 1 no line would ever leave its first value."""

SMOOTHINGS = (*(step / 20 for step in range(20)), 0.99, MOST_SMOOTHING)
"""The weights that the keys walk through: steps of .05, and finer near the end, where each counts for more."""

MOST_COLUMNS = 8
"""Cards a row at most."""


def following(values: Sequence[Value], value: Value) -> Value:
    """The value that follows in a cycle."""
    return values[(values.index(value) + 1) % len(values)]


def next_smoothing(weight: float, steps: int) -> float:
    """The weight `steps` further up (or down, where negative) from the one nearest to `weight`."""
    nearest = min(range(len(SMOOTHINGS)), key=lambda index: abs(SMOOTHINGS[index] - weight))
    return SMOOTHINGS[max(0, min(nearest + steps, len(SMOOTHINGS) - 1))]
