"""One line that shows at which steps pictures are stored and which of them is seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts import numbers
from tbtui.charts.step_slider import StepBar, draw_step_bar, step_words
from tbtui.viewstate.axes import KINDS

if TYPE_CHECKING:
    from tbtui.plugins.images.steps import Stop
    from tbtui.viewstate.options import XAxis


def step_bar(shown: Stop, kind: XAxis, width: int, other: Stop | None = None, *, own: bool = False) -> StepBar:
    """`step 312  0 ┼──┼──●──┼ 440  3 of 4 steps`.

    Args:
        shown: The step that is seen.
        kind: The present x axis.
        width: Columns.
        other: The step that it is compared with.
        own: Whether the card follows no cursor: then the step is told to be seen `alone`.
    """
    compared = None if other is None else other.at
    stored, step = shown.stored, f"step {shown.step}"
    place, briefly = shown.place + 1, numbers.step(shown.step)
    words = [*step_words(step, place, len(stored), is_newest=shown.is_newest, briefly=briefly)]
    if own:
        words = [*((f"{step} alone", behind) for _, behind in words[:2]), *words[2:]]
    return draw_step_bar(words, stored.stops, shown.at, compared, KINDS[kind], width)
