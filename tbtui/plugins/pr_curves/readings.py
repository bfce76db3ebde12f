"""Where the user looks in charts of precision-recall curves, and what these say there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.frozen import frozen
from tbtui.viewstate.row_order import in_order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.plugins.pr_curves.data import RunCurve
    from tbtui.viewstate.choices import Choices
    from tbtui.viewstate.options import RowOrder


@frozen
class CurvePointer:
    """Where the user looks in one chart. The default is nowhere."""

    is_chosen: bool = False
    """Whether a step is chosen; otherwise the newest is shown."""

    threshold: float | None = None
    """At which curves are read; None: each where its F1 is best."""

    focus: str | None = None
    """The run that stands out."""

    baseline: str | None = None
    """The run that the others are compared with; it may not be drawn."""

    order: RowOrder = "runs"


NOWHERE = CurvePointer()


def pointer_of(choices: Choices) -> CurvePointer:
    """Where the user looks."""
    return CurvePointer(
        choices.cursor is not None, choices.threshold, choices.focus, choices.baseline, choices.row_order
    )


def leading(runs: Sequence[RunCurve], focus: str | None) -> RunCurve | None:
    """The run that keys go by where they need one: the focused one, otherwise the first that has a curve."""
    drawn = [each for each in runs if each.curve is not None]
    return next((each for each in drawn if each.run == focus), drawn[0] if drawn else None)


def rows_in_order(runs: Sequence[RunCurve], pointer: CurvePointer) -> list[int]:
    """The runs in the order chosen for rows, which is one of areas under their curves."""
    focus = next((index for index, each in enumerate(runs) if each.run == pointer.focus), None)
    return in_order([each.area for each in runs], pointer.order, focus)
