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

    from tbtui.viewstate.options import Best
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


def value_text(value: float, *, digits: int = numbers.DIGITS) -> str:
    """`0.0213`, `✗NaN`, `✗-Inf`."""
    return (NAN_SIGN if not math.isfinite(value) else "") + numbers.short(value, NUMBER_WIDTH, digits)


def _delta_text(delta: float, *, digits: int) -> str:
    return numbers.signed(delta, NUMBER_WIDTH, digits)


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
    deltas: dict[str, float] = {}
    if base is not None and math.isfinite(base):
        deltas = {run: value - base for run, value in values.items() if run != baseline and math.isfinite(value)}
    told = {run: value for run, value in values.items() if run not in deltas}
    texts = dict(zip(told, numbers.told_apart([*told.values()], value_text), strict=True))
    texts |= zip(deltas, numbers.told_apart([*deltas.values()], _delta_text), strict=True)
    return {run: (texts[run], _ink(value, deltas.get(run), best)) for run, value in values.items()}


def _ink(value: float, delta: float | None, best: Best | None) -> int:
    if delta is not None:
        return delta_ink(delta, best)
    return Ink.TEXT if math.isfinite(value) else Ink.BAD


def cell_of(text: Piece, room: int, *, best: bool) -> Cell:
    """A number with its decimal point `room` from the end of the column."""
    number, ink = text
    if best:
        return _BEST, (placed(number, room, NUMBER_WIDTH), Ink.BOLD if ink == Ink.TEXT else ink)
    return _NOT_BEST, (placed(number, room, NUMBER_WIDTH), ink)
