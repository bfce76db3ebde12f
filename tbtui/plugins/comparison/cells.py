"""Points of one column as cells of a table: numbers in line, the best of them marked."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tbtui.charts import numbers
from tbtui.charts.cells import Ink
from tbtui.charts.columns import placed
from tbtui.charts.marks import BEST_SIGN, NAN_SIGN

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tbtui.viewstate.choices import Best
    from tbtui.widgets.grid_source import Cell
    from tbtui.widgets.line import Piece

NUMBER_WIDTH = 8
"""Holds any number, and in most columns also what puts their points in line."""

WIDTH = 2 + NUMBER_WIDTH
"""A number after the sign of the best and a blank."""

_BEST: Piece = (f"{BEST_SIGN} ", Ink.GOOD)
_NOT_BEST: Piece = ("  ", Ink.NONE)

MISSING_SIGN = "–"
MISSING: Cell = (_NOT_BEST, (placed(MISSING_SIGN, 0, NUMBER_WIDTH), Ink.FAINT))


def value_text(value: float) -> str:
    """`0.0213`, `✗NaN`, `✗-Inf`."""
    return numbers.short(value) if math.isfinite(value) else NAN_SIGN + numbers.short(value)


def delta_text(delta: float, width: int = 1 + NUMBER_WIDTH) -> str:
    """`+0.0106`, `-1.2`, `±0`, in at most `width` columns, at least 8: digits are given up before the width is."""
    if delta == 0:
        return "±0"
    return ("+" if delta > 0 else "-") + numbers.short(abs(delta), width - 1)


def delta_ink(delta: float, best: Best | None) -> int:
    """Good where a run does better than the baseline, bad where it does worse, plain where nobody knows."""
    if delta == 0:
        return Ink.DIM
    if best is None:
        return Ink.TEXT
    return Ink.GOOD if (delta < 0) == (best == "min") else Ink.BAD


def best_runs(values: Mapping[str, float], best: Best | None) -> frozenset[str]:
    """The runs that hold the best finite value; none where all that have one do, for then there is nothing to tell."""
    if best is None:
        return frozenset()
    finite = {run: value for run, value in values.items() if math.isfinite(value)}
    if not finite:
        return frozenset()
    goal = min(finite.values()) if best == "min" else max(finite.values())
    found = frozenset(run for run, value in finite.items() if value == goal)
    return found if len(found) < len(finite) else frozenset()


def texts_of(
    values: Mapping[str, float], best: Best | None, base: float | None, baseline: str | None
) -> dict[str, Piece]:
    """The number of each run and its ink, not yet in line.

    Args:
        values: Run to value.
        best: Whether less or more is better; None where that is not known.
        base: Where differences are shown, what they are differences to; to a value that is not finite there are none.
        baseline: The run whose own value `base` is.
    """
    if base is None or not math.isfinite(base):
        return {run: _value_piece(value) for run, value in values.items()}
    texts: dict[str, Piece] = {}
    for run, value in values.items():
        delta = value - base
        differs = run != baseline and math.isfinite(value)
        texts[run] = (delta_text(delta, NUMBER_WIDTH), delta_ink(delta, best)) if differs else _value_piece(value)
    return texts


def _value_piece(value: float) -> Piece:
    return value_text(value), Ink.TEXT if math.isfinite(value) else Ink.BAD


def cell_of(text: Piece, room: int, *, best: bool) -> Cell:
    """A number with its decimal point `room` from the end of the column."""
    number, ink = text
    if best:
        return _BEST, (placed(number, room, NUMBER_WIDTH), Ink.BOLD if ink == Ink.TEXT else ink)
    return _NOT_BEST, (placed(number, room, NUMBER_WIDTH), ink)
