"""What the Compare tab says of itself and of the cell under the cursor."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tbtui.charts.cells import Ink
from tbtui.charts.marks import BEST_SIGN
from tbtui.charts.numbers import counted, signed
from tbtui.charts.text import cell_width, nameable, safe, shorten
from tbtui.frozen import frozen
from tbtui.plugins.comparison.cells import MISSING_SIGN, delta_ink, value_text
from tbtui.viewstate.row_order import ASCENDING, DESCENDING

if TYPE_CHECKING:
    from tbtui.plugins.comparison.data import Detail
    from tbtui.plugins.comparison.points import Point
    from tbtui.viewstate.view import View
    from tbtui.widgets.line import Piece

FAILED = "the runs cannot be compared"
NO_VALUE = "no value of this tag"

BETWEEN = "   "
LEAST_NAME, MOST_NAME = 12, 24
"""Columns of a name in the status, where all names are cut alike."""


def sort_sign(*, descending: bool) -> str:
    """Which way a column is sorted."""
    return DESCENDING if descending else ASCENDING


def status(view: View, tags: int, width: int) -> str:
    """`best of 33 tags · Δ to adam/seed0 · sorted by loss/val ▲`.

    Args:
        view: What is shown.
        tags: How many columns there are.
        width: Columns it should take at most. Names are cut first; then what else the table shows goes: the baseline,
            the steps left out, the order.
    """
    for gone in range(len(_LESS) + 1):
        for longest in range(MOST_NAME, LEAST_NAME - 1, -1):
            parts = _status_parts(view, longest)
            text = " · ".join(
                [f"{view.choices.figure} of {counted(tags, 'tag')}"]
                + [part for name, part in parts.items() if name not in _LESS[:gone]]
            )
            if cell_width(text) <= width:
                return text
    return text


_LESS = "baseline", "skipped", "order"
"""Parts of a status in the order in which they go where there is no room."""


def _status_parts(view: View, longest: int) -> dict[str, str]:
    """What is worth saying of the table, no name longer than so many columns."""
    choices, parts = view.choices, {}
    if choices.skip_steps > 0:
        parts["skipped"] = f"from step {choices.skip_steps:,} on"
    if choices.baseline is not None:
        name = shorten(nameable(choices.baseline), longest)
        gone = "" if choices.baseline in view.snapshot.runs else " (gone)"
        parts["baseline"] = f"{'Δ to' if choices.deltas else 'baseline'} {name}{gone}"
    if choices.sort_tag is not None:
        sign = sort_sign(descending=choices.sort_descending)
        parts["order"] = f"sorted by {shorten(nameable(choices.sort_tag), longest)} {sign}"
    return parts


CHOSEN = 9
"""Worth of the number that stands in the cell itself."""


@frozen
class _Part:
    pieces: tuple[Piece, ...]
    worth: int
    """What is worth least goes first where there is no room."""


def detail_lines(detail: Detail, width: int) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Which cell it is, and all its numbers with their steps, as much as fits into `width` columns."""
    return _names(detail, width), _numbers(detail, width)


def _names(detail: Detail, width: int) -> tuple[Piece, ...]:
    """A run and a tag: there is little room for their names in the table."""
    run, tag = nameable(detail.name), nameable(detail.tag)
    room = max(width - len(BETWEEN), 0)
    run = shorten(run, max(room - cell_width(safe(tag)), room // 2))
    return (run, Ink.TEXT), (BETWEEN, Ink.NONE), (shorten(tag, room - cell_width(run)), Ink.DIM)


def _numbers(detail: Detail, width: int) -> tuple[Piece, ...]:
    parts = _parts(detail)
    while len(parts) > 1 and _width(parts) > width:
        parts.remove(min(parts, key=lambda part: part.worth))
    return tuple(piece for part in parts for piece in (*part.pieces, (BETWEEN, Ink.NONE)))[:-1]


def _width(parts: list[_Part]) -> int:
    texts = sum(cell_width(safe(text)) for part in parts for text, _ in part.pieces)
    return texts + (len(parts) - 1) * len(BETWEEN)


def _parts(detail: Detail) -> list[_Part]:
    points, figure = detail.points, (detail.best or "last") if detail.figure == "best" else detail.figure
    if points is None:
        since = f" from step {detail.skip_steps:,} on" if detail.skip_steps > 0 else ""
        return [_Part(((NO_VALUE + since, Ink.DIM),), CHOSEN)]
    parts = [_number("last", points.last, 3, figure)]
    for name, point in (("min", points.least), ("max", points.greatest)):
        if point is not None:
            is_best = name == detail.best
            parts.append(_number(f"{name} {BEST_SIGN}" if is_best else name, point, 1 + is_best, figure))
    if detail.base is not None and detail.told is not None:
        parts.append(_delta(detail.told.value - detail.base.value, detail))
    return parts


def _number(title: str, point: Point, worth: int, figure: str) -> _Part:
    chosen = title.startswith(figure)
    ink = Ink.BAD if not math.isfinite(point.value) else Ink.BOLD if chosen else Ink.TEXT
    pieces = ((f"{title} ", Ink.DIM), (value_text(point.value), ink), (f" @ {point.step}", Ink.DIM))
    return _Part(pieces, CHOSEN if chosen else worth)


def _delta(delta: float, detail: Detail) -> _Part:
    """How far the figure in the cell is from the baseline's."""
    if not math.isfinite(delta):
        return _Part((("Δ ", Ink.DIM), (MISSING_SIGN, Ink.DIM)), 4)
    return _Part((("Δ ", Ink.DIM), (signed(delta), delta_ink(delta, detail.best))), 4)
