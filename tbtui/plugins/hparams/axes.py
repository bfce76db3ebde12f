"""Axes of columns: positions of numbers, words, NaN and missing values, so that every session has a position."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tbtui.frozen import frozen
from tbtui.maths.rank_anova import compute_mid_ranks
from tbtui.plugins.hparams import labels
from tbtui.view.natural_order import make_natural_key
from tbtui.view.terms import format_range_terms, format_term_number, format_value_terms

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.plugins.hparams.settings import AxisScale
    from tbtui.settings.settings import Best
    from tbtui.view.attributes import AttributeColumn

MAX_EVEN = 8
"""Numbers of at most this many values are at equal distances, like words."""

LOG_RATIO = 50
"""A log scale is chosen by itself if all numbers are positive and the greatest is more than this times the least."""


@frozen(slots=False, eq=False)
class ColumnAxis:
    """The axis of one column."""

    key: str
    name: str
    """Name of the attribute in a filter."""

    title: str
    column: AttributeColumn
    scale: AxisScale | None = None
    """None: chosen by the data."""

    best: Best | None = None
    """Better end of a metric, which is at the top; None: the greatest value is."""

    @property
    def position_inputs(self) -> tuple[object, ...]:
        """All inputs of the positions except the column."""
        return self.name, self.title, self.scale, self.best

    @cached_property
    def is_even(self) -> bool:
        """True if the values are at equal distances."""
        if not self.column.is_numeric:
            return True
        return self.scale is None and len(np.unique(self._finite)) <= MAX_EVEN and self.best is None

    @cached_property
    def _finite(self) -> npt.NDArray[np.float64]:
        numbers = self.column.rounded
        return numbers[self.column.is_number & np.isfinite(numbers)]

    @cached_property
    def present_scale(self) -> AxisScale:
        """Scale of the numbers; a log scale is impossible where one is not positive."""
        finite = self._finite
        can_be_log = len(finite) > 0 and bool((finite > 0).all())
        if self.scale == "rank" or (self.scale == "log" and can_be_log) or self.scale == "linear":
            return self.scale
        is_wide = can_be_log and float(finite.max()) > LOG_RATIO * float(finite.min())
        return "log" if is_wide else "linear"

    @cached_property
    def levels(self) -> tuple[tuple[float | str | bool, int], ...]:
        """Values at equal distances, each with the first row that has it: numbers, then words."""
        codes, firsts = np.unique(self.column.level_codes, return_index=True)
        del codes
        value_rows = [(self.column.value(row), row) for row in firsts.tolist()]
        levels = [(value, row) for value, row in value_rows if value is not None and value == value]  # noqa: PLR0124
        levels.sort(key=lambda pair: (not isinstance(pair[0], float), pair[0] if isinstance(pair[0], float) else 0.0))
        words = [pair for pair in levels if not isinstance(pair[0], float)]
        words.sort(key=lambda pair: make_natural_key(str(pair[0])))
        return tuple([pair for pair in levels if isinstance(pair[0], float)] + words)

    @cached_property
    def positions(self) -> npt.NDArray[np.float64]:
        """Position of each row from 0 at the bottom to 1 at the top, float64[n]; NaN where `is_nan` or `is_missing`."""
        positions = self._compute_even_positions() if self.is_even else self._compute_scaled_positions()
        return 1 - positions if self.best == "min" else positions

    def _compute_even_positions(self) -> npt.NDArray[np.float64]:
        codes, inverse = np.unique(self.column.level_codes, return_inverse=True)
        level_positions = np.full(len(codes), np.nan)
        rows = [row for _, row in self.levels]
        last = max(len(rows) - 1, 1)
        level_positions[inverse.reshape(-1)[rows]] = [0.5] if len(rows) == 1 else np.arange(len(rows)) / last
        return np.asarray(level_positions[inverse.reshape(-1)])

    def _compute_scaled_positions(self) -> npt.NDArray[np.float64]:
        numbers = np.where(self.column.is_number & np.isfinite(self.column.rounded), self.column.rounded, np.nan)
        is_finite = ~np.isnan(numbers)
        if not is_finite.any():
            return np.full(len(numbers), np.nan)
        if self.present_scale == "rank":
            positions = np.full(len(numbers), np.nan)
            positions[is_finite] = compute_mid_ranks(numbers[is_finite]) / max(int(is_finite.sum()) - 1, 1)
            return positions
        with np.errstate(invalid="ignore", divide="ignore"):
            scaled = np.log(numbers) if self.present_scale == "log" else numbers / 4
        low, high = float(np.nanmin(scaled)), float(np.nanmax(scaled))
        return np.where(is_finite, (scaled - low) / (high - low) if high > low else 0.5, np.nan)

    @cached_property
    def is_nan(self) -> npt.NDArray[np.bool_]:
        """True for rows whose number is not finite, bool[n]."""
        return self.column.is_number & ~np.isfinite(self.column.numbers) & np.isnan(self.positions)

    @cached_property
    def is_missing(self) -> npt.NDArray[np.bool_]:
        """True for rows without a value, bool[n]."""
        return ~self.column.present

    @property
    def ends(self) -> tuple[str, str]:
        """Texts at the bottom and at the top."""
        if self.is_even and self.levels:
            texts = labels.format_value(self.levels[0][0]), labels.format_value(self.levels[-1][0])
        elif len(self._finite):
            texts = labels.format_value(float(self._finite.min())), labels.format_value(float(self._finite.max()))
        else:
            return "", ""
        return (texts[1], texts[0]) if self.best == "min" else texts

    @property
    def scale_label(self) -> str:
        """`log` or `rank`; empty on a linear scale, and at equal distances."""
        return "" if self.is_even or self.present_scale == "linear" else self.present_scale

    def build_range_terms(self, first: int, second: int) -> str:
        """Return the terms that select the values from one row to another; empty if one of them has no position."""
        positions = self.positions[[first, second]]
        if np.isnan(positions).any():
            return ""
        if self.column.is_numeric:
            low, high = sorted(float(self.column.numbers[row]) for row in (first, second))
            return format_range_terms(self.name, float(format_term_number(low)), float(format_term_number(high)))
        low, high = sorted(positions.tolist())
        chosen = [value for value, row in self.levels if low <= self.positions[row] <= high]
        return format_value_terms(self.name, (labels.filter_word(value) for value in chosen))
