"""What the Scalars tab says about itself, and why it is empty when it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tbtui.viewstate.choices import Choices

READING = "reading the logs …"
FOLDED = "all groups of tags are folded away", "press space in the list of tags to unfold them"
"""The one reason for which a view of matching tags has no card; the others are told in the pane's place."""


def smoothing_word(smoothing: float) -> str:
    """`smooth .60`, `smooth .999`, `smooth off`."""
    if smoothing <= 0:
        return "smooth off"
    text = f"{smoothing:.3f}".removesuffix("0")
    return f"smooth {text.removeprefix('0')}"


def settings(choices: Choices, tag: str | None = None) -> str:
    """How the charts are drawn, or one of them: `smooth .60 · y log · x step`."""
    log = (choices.y_scale if tag is None else choices.y_scale_of(tag)) == "log"
    return " · ".join((smoothing_word(choices.smoothing), *(("y log",) if log else ()), f"x {choices.x_axis}"))
