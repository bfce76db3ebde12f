"""Texts of the Compare tab: its status, and the details of one cell."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tbtui.charts.cells import Ink
from tbtui.charts.line_chart import BEST_SIGN
from tbtui.charts.numbers import format_count, format_difference, format_distinct
from tbtui.charts.text import cell_width, format_run_name, safe, shorten
from tbtui.frozen import frozen
from tbtui.plugins.comparison.attributes import ATTRIBUTE
from tbtui.plugins.comparison.comparison import (
    MISSING_SIGN,
    choose_delta_ink,
    format_value,
)
from tbtui.plugins.comparison.settings import DELTAS, SORT_DESCENDING, SORT_TAG, STATISTIC
from tbtui.view.row_order import ASCENDING, DESCENDING
from tbtui.view.run_names import fit_run_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.charts.styled_text import Piece
    from tbtui.plugins.comparison.comparison import Detail, Point
    from tbtui.view.view import View


NO_VALUE = "no value of this tag"

GAP = "   "
MIN_NAME_WIDTH, MAX_NAME_WIDTH = 12, 24
"""Columns of a name in the status, where all names are cut alike."""


def sort_sign(*, descending: bool) -> str:
    """Return the sign of the direction of sorting."""
    return DESCENDING if descending else ASCENDING


def format_status(view: View, tags: int, width: int, hidden: int = 0) -> str:
    """Return `best of 33 tags, 4 aside (O) · Δ to adam/seed0 · sorted by loss/val ▲`.

    Args:
        view: The view to draw.
        tags: Number of tags with a column.
        width: Maximum width in columns. Names are cut first; then parts are left out: the baseline, the skipped steps,
            the order.
        hidden: Number of columns that are not shown.
    """
    for dropped in range(len(_OPTIONAL_PARTS) + 1):
        for name_width in range(MAX_NAME_WIDTH, MIN_NAME_WIDTH - 1, -1):
            parts = _build_status_parts(view, name_width)
            hidden_note = f", {hidden:,} aside (O)" if hidden else ""
            text = " · ".join(
                [f"{STATISTIC.value(view.settings)} of {format_count(tags, 'tag')}{hidden_note}"]
                + [part for name, part in parts.items() if name not in _OPTIONAL_PARTS[:dropped]]
            )
            if cell_width(text) <= width:
                return text
    return text


_OPTIONAL_PARTS = "baseline", "skipped", "order"
"""Parts of a status in the order in which they are left out if they do not fit."""


def _build_status_parts(view: View, name_width: int) -> dict[str, str]:
    """Return the parts of the status by name; names are at most `name_width` columns wide."""
    settings, texts = view.settings, {}
    if settings.skip_steps > 0:
        texts["skipped"] = f"from step {settings.skip_steps:,} on"
    if settings.baseline is not None:
        name = fit_run_name(settings.baseline, [run.name for run in view.runs], name_width)
        suffix = "" if settings.baseline in view.snapshot.runs else " (gone)"
        texts["baseline"] = f"{'Δ to' if DELTAS.value(settings) else 'baseline'} {name}{suffix}"
    sort_tag = SORT_TAG.value(settings)
    if sort_tag is not None:
        sign = sort_sign(descending=SORT_DESCENDING.value(settings))
        texts["order"] = f"sorted by {shorten(format_run_name(sort_tag.removeprefix(ATTRIBUTE)), name_width)} {sign}"
    return texts


CHOSEN_PRIORITY = 9
"""Priority of the number that the cell itself shows."""


@frozen
class _Part:
    pieces: tuple[Piece, ...]
    priority: int
    """Parts with the lowest priority are left out first."""


def build_detail_lines(
    detail: Detail, width: int, runs: Sequence[str] = ()
) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Return run and tag, and all numbers with their steps, as many as fit.

    Args:
        detail: Details of a cell.
        width: Columns.
        runs: Names of the runs that the name of the run differs from if it is cut.
    """
    return _name_pieces(detail, width, runs), _number_pieces(detail, width)


def _name_pieces(detail: Detail, width: int, runs: Sequence[str]) -> tuple[Piece, ...]:
    """Return run and tag in full, since the table cuts names, and the number of superseded points."""
    tag = format_run_name(detail.tag)
    left_out = f"{GAP}{detail.superseded:,} superseded" if detail.superseded else ""
    available_width = max(width - len(GAP) - len(left_out), 0)
    run = fit_run_name(detail.name, runs, max(available_width - cell_width(safe(tag)), available_width // 2))
    return (
        (run, Ink.TEXT),
        (GAP, Ink.NONE),
        (shorten(tag, available_width - cell_width(run)), Ink.DIM),
        *([(left_out, Ink.DIM)] if left_out else []),
    )


def _number_pieces(detail: Detail, width: int) -> tuple[Piece, ...]:
    parts = _build_detail_parts(detail)
    while len(parts) > 1 and _total_width(parts) > width:
        parts.remove(min(parts, key=lambda part: part.priority))
    return tuple(piece for part in parts for piece in (*part.pieces, (GAP, Ink.NONE)))[:-1]


def _total_width(parts: list[_Part]) -> int:
    texts = sum(cell_width(safe(text)) for part in parts for text, _ in part.pieces)
    return texts + (len(parts) - 1) * len(GAP)


def _build_detail_parts(detail: Detail) -> list[_Part]:
    points, figure = detail.points, (detail.best or "last") if detail.figure == "best" else detail.figure
    if points is None:
        since = f" from step {detail.skip_steps:,} on" if detail.skip_steps > 0 else ""
        return [_Part(((NO_VALUE + since, Ink.DIM),), CHOSEN_PRIORITY)]
    named = (("last", points.last), ("min", points.least), ("max", points.greatest))
    present = [(name, point) for name, point in named if point is not None]
    texts = format_distinct([point.value for _, point in present], format_value)
    parts = []
    for (name, point), text in zip(present, texts, strict=True):
        is_best = name == detail.best
        priority = 3 if name == "last" else 1 + is_best
        parts.append(_number_part(f"{name} {BEST_SIGN}" if is_best else name, point, text, priority, figure))
    if detail.base is not None and detail.point is not None:
        parts.append(_build_delta_part(detail.point.value - detail.base.value, detail))
    return parts


def _number_part(title: str, point: Point, text: str, priority: int, figure: str) -> _Part:
    chosen = title.startswith(figure)
    ink = Ink.BAD if not math.isfinite(point.value) else Ink.BOLD if chosen else Ink.TEXT
    pieces = ((f"{title} ", Ink.DIM), (text, ink), (f" @ {point.step}", Ink.DIM))
    return _Part(pieces, CHOSEN_PRIORITY if chosen else priority)


def _build_delta_part(delta: float, detail: Detail) -> _Part:
    """Return the difference of the cell to the baseline."""
    if not math.isfinite(delta):
        return _Part((("Δ ", Ink.DIM), (MISSING_SIGN, Ink.DIM)), 4)
    return _Part((("Δ ", Ink.DIM), (format_difference(delta), choose_delta_ink(delta, detail.best))), 4)
