"""Axes of charts: pure maps between values, dots and cells, in both directions.

A plot of `n` cells has `2 n` dot columns across or `4 n` dot rows down. The low end of the axis is the centre of the
first dot, the high end the centre of the last. Positions in dots go from 0 to `count - 1` and may be fractions.
"""

from __future__ import annotations

import math
from dataclasses import field
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from tbtui.frozen import frozen
from tbtui.maths.domain import Scale, from_scale, to_scale

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.maths.domain import Limits


Kind: TypeAlias = Literal["number", "step", "duration", "wall"]

DOTS_ACROSS, DOTS_DOWN = 2, 4
"""Braille dots in a cell."""


@frozen
class Axis:
    """One axis of a chart.

    Raises:
        ValueError: The limits are not finite, not in order, or not positive on a log scale; or `resolve_scale`
            rejects the scale. `maths.domain` returns valid limits for any data.
    """

    low: float
    high: float
    scale: Scale = "linear"
    kind: Kind = "number"
    """Kind of the labels: numbers, whole steps, durations (seconds) or wall times (seconds since the epoch)."""

    origin: int = 0
    """Amount subtracted from enormous steps (see `maths.x_values.step_origin`); only labels use it."""

    threshold: float = 1.0
    """Magnitude at which a symlog scale changes from linear to logarithmic."""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise ValueError(f"axis limits must be finite and in order: {self.low} to {self.high}")
        if self.scale == "log" and self.low <= 0:
            raise ValueError(f"a log axis needs positive limits: {self.low} to {self.high}")
        if self.scale != resolve_scale(self.scale, self.kind, self.origin):
            raise ValueError(f"no {self.scale} scale for {self.kind} values from {self.origin}")

    def unit(self, values: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return the positions of values, 0 at the low end and 1 at the high end; NaN if the scale cannot show them."""
        # Halving keeps the span of two huge limits of opposite sign finite, without loss of precision.
        low, high = self._scale_limits()
        span = high / 2 - low / 2
        positions = self._to_scale(np.asarray(values, np.float64))
        if span == 0:  # limits so close that they are equal on the scale, or after halving
            return np.where(np.isfinite(positions), 0.5, np.nan)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            return np.asarray((positions / 2 - low / 2) / span)

    def value(self, units: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return the values at positions: the inverse of `unit`."""
        units = np.asarray(units, np.float64)
        low, high = self._scale_limits()
        with np.errstate(over="ignore", invalid="ignore"):
            return from_scale(low * (1 - units) + high * units, self.scale, self._finite_threshold)

    def _scale_limits(self) -> tuple[float, float]:
        """Return the limits on the scale."""
        if self.scale == "linear":
            return self.low, self.high
        low, high = self._to_scale(np.array([self.low, self.high])).tolist()
        return low, high

    def _to_scale(self, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        return to_scale(values, self.scale, self._finite_threshold)

    @property
    def _finite_threshold(self) -> float:
        """Threshold, raised if necessary so that the quotient of a limit and the threshold stays finite."""
        return max(self.threshold, 1e-300 * max(-self.low, self.high))


@frozen
class ValueAxis(Axis):
    """An axis with equal distances between neighbouring values, even between values at the same step."""

    x: npt.NDArray[np.float64] = field(default_factory=lambda: np.empty(0), compare=False)
    """Steps or times of the values, float64[n], ascending and finite; equal for values at one step."""

    stops: npt.NDArray[np.float64] = field(default_factory=lambda: np.empty(0), compare=False)
    """Position of each value, float64[n], strictly ascending (`maths.stops.value_stops`)."""

    def unit(self, values: npt.ArrayLike) -> npt.NDArray[np.float64]:
        first, last = self._find_visible_indices()
        if first >= last:
            return Axis.unit(self, values)
        values = np.asarray(values, np.float64)
        positions = (np.interp(values, self.stops, np.arange(len(self.stops))) - first) / (last - first)
        below, above = values < min(self.low, self.stops[0]), values > max(self.high, self.stops[-1])
        return np.where(below, -1.0, np.where(above, 2.0, positions))

    def value(self, units: npt.ArrayLike) -> npt.NDArray[np.float64]:
        first, last = self._find_visible_indices()
        if first >= last:
            return Axis.value(self, units)
        indices = first + np.asarray(units, np.float64) * (last - first)
        return np.asarray(np.interp(indices, np.arange(len(self.stops)), self.stops))

    def _find_visible_indices(self) -> tuple[int, int]:
        """Return the first and the last value between the limits."""
        return int(self.x.searchsorted(self.low)), int(self.x.searchsorted(self.high, "right")) - 1


def resolve_scale(scale: Scale, kind: Kind, origin: int = 0) -> Scale:
    """Return the scale that an axis can have; times of day and steps counted from an origin are linear."""
    return "linear" if kind == "wall" or origin else scale


def to_dot_columns(axis: Axis, values: npt.ArrayLike, cells: int) -> npt.NDArray[np.float64]:
    """Return the dot columns (fractions) of values on a horizontal axis `cells` wide; some may be outside."""
    with np.errstate(over="ignore"):
        return axis.unit(values) * (DOTS_ACROSS * cells - 1)


def to_dot_rows(axis: Axis, values: npt.ArrayLike, cells: int) -> npt.NDArray[np.float64]:
    """Return the dot rows (fractions, 0 at the top) of values on a vertical axis `cells` high."""
    with np.errstate(over="ignore"):
        return (1 - axis.unit(values)) * (DOTS_DOWN * cells - 1)


def from_dot_columns(axis: Axis, dots: npt.ArrayLike, cells: int) -> npt.NDArray[np.float64]:
    """Return the values at dot columns: the inverse of `to_dot_columns`."""
    return axis.value(np.asarray(dots) / (DOTS_ACROSS * cells - 1))


def column_edges(axis: Axis, cells: int) -> npt.NDArray[np.float64]:
    """Return the values between the dot columns of a horizontal axis, and at its outer sides."""
    return from_dot_columns(axis, np.arange(DOTS_ACROSS * cells + 1) - 0.5, cells)


def from_dot_rows(axis: Axis, dots: npt.ArrayLike, cells: int) -> npt.NDArray[np.float64]:
    """Return the values at dot rows: the inverse of `to_dot_rows`."""
    return axis.value(1 - np.asarray(dots) / (DOTS_DOWN * cells - 1))


def round_to_dots(dots: npt.ArrayLike) -> npt.NDArray[np.intp]:
    """Return whole dots; halves are rounded up, which keeps distances of one dot (rounding to even does not)."""
    return np.floor(np.asarray(dots) + 0.5).astype(np.intp)


def to_columns(axis: Axis, values: npt.ArrayLike, cells: int) -> npt.NDArray[np.intp]:
    """Return the cell columns of values; -1 outside the axis."""
    return _convert_dots_to_cells(to_dot_columns(axis, values, cells), DOTS_ACROSS, cells)


def to_rows(axis: Axis, values: npt.ArrayLike, cells: int) -> npt.NDArray[np.intp]:
    """Return the cell rows of values, 0 at the top; -1 outside the axis."""
    return _convert_dots_to_cells(to_dot_rows(axis, values, cells), DOTS_DOWN, cells)


def _convert_dots_to_cells(positions: npt.NDArray[np.float64], dots: int, cells: int) -> npt.NDArray[np.intp]:
    inside = (positions >= -0.5) & (positions < dots * cells - 0.5)
    return np.where(inside, round_to_dots(np.where(inside, positions, 0.0)) // dots, -1)


def get_column_value(axis: Axis, column: int, cells: int) -> float:
    """Return the value at the middle of a cell column."""
    return float(from_dot_columns(axis, DOTS_ACROSS * column + 0.5, cells))


def get_row_value(axis: Axis, row: int, cells: int) -> float:
    """Return the value at the middle of a cell row."""
    return float(from_dot_rows(axis, DOTS_DOWN * row + 1.5, cells))


MIN_SPAN_ULPS = 64
"""Minimum span of an axis in distances of neighbouring floats, so that the columns of a chart have distinct values."""


def zoom_limits(axis: Axis, at: float, factor: float) -> Limits:
    """Return the limits of an axis zoomed about a value.

    Args:
        axis: The current axis.
        at: Value with a fixed position; a value that the scale cannot show stands for the middle.
        factor: Factor of the length on the scale, above 0: 0.5 shows half, 2 twice as much.

    Returns:
        Low and high end; those of `axis` at the limit of floats (or, for steps, of whole numbers).
    """
    unit_position = float(axis.unit(at))
    if not math.isfinite(unit_position):
        unit_position = 0.5
    return _validate_limits(axis, unit_position * (1 - factor), unit_position + (1 - unit_position) * factor)


def pan_limits(axis: Axis, fraction: float) -> Limits:
    """Return the limits of an axis moved by a fraction of its length: 0.25 is a quarter to the right or up.

    Returns:
        Low and high end; those of `axis` at the limit of floats.
    """
    return _validate_limits(axis, fraction, 1 + fraction)


def _validate_limits(axis: Axis, first: float, last: float) -> Limits:
    """Return the values at two positions if they are valid limits, else the current limits."""
    low, high = axis.value([first, last]).tolist()
    if not (math.isfinite(low) and math.isfinite(high)) or (axis.scale == "log" and low <= 0):
        return axis.low, axis.high
    min_span = MIN_SPAN_ULPS * math.ulp(max(abs(low), abs(high)))
    if axis.kind == "step":
        min_span = max(min_span, min(1.0, axis.high - axis.low))
    return (low, high) if high - low >= min_span else (axis.low, axis.high)
