"""One line that shows at which steps pictures are stored and which of them is seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts import numbers
from tbtui.charts.step_slider import StepBar, draw_step_bar
from tbtui.viewstate.axes import KINDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.plugins.images.steps import Stop
    from tbtui.viewstate.choices import XAxis


def step_bar(shown: Stop, kind: XAxis, width: int, other: Stop | None = None, *, own: bool = False) -> StepBar:
    """`step 312  0 ┼──┼──●──┼ 440  4 steps, newest`.

    Args:
        shown: The step that is seen.
        kind: The present x axis.
        width: Columns.
        other: The step that it is compared with.
        own: Whether the card follows no cursor.
    """
    compared = None if other is None else other.at
    return draw_step_bar(_words(shown, own=own), shown.stored.stops, shown.at, compared, KINDS[kind], width)


def _words(shown: Stop, *, own: bool) -> Iterator[tuple[str, str]]:
    """What stands before the slider and behind it, in fewer and fewer words."""
    count = len(shown.stored)
    steps = f"{count:,} step{'' if count == 1 else 's'}"
    alone = " alone" if own else ""
    yield f"step {shown.step}{alone}", f"{steps}, newest" if shown.is_newest else steps
    yield f"step {shown.step}{alone}", steps
    yield f"step {shown.step}", ""
    yield numbers.step(shown.step), ""
