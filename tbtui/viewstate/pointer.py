"""Where the user looks in the charts of a view."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from tbtui.viewstate.choices import Choices
    from tbtui.viewstate.options import RowOrder


@frozen
class Pointer:
    """Where the user looks in one chart. The default is nowhere."""

    cursor: float | None = None
    """On the chart's x axis, likewise the mark."""

    mark: float | None = None
    """The other end of a stretch; None without a cursor."""

    focus: str | None = None
    """The run that stands out."""

    baseline: str | None = None
    """The run that the others are compared with; it may not be drawn."""

    order: RowOrder = "runs"


NOWHERE = Pointer()


def pointer_of(choices: Choices, origin: int = 0) -> Pointer:
    """Where the user looks in a chart whose x axis counts from `origin`."""
    cursor, mark = (None if x is None else float(x - origin) for x in (choices.cursor, choices.mark))
    return Pointer(cursor, mark if cursor is not None else None, choices.focus, choices.baseline, choices.row_order)
