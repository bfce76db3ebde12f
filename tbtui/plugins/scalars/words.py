"""What the Scalars tab says about itself, and why it is empty when it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tbtui.viewstate.choices import Choices
    from tbtui.viewstate.view import View

READING = ("Reading the logs …", "")


def why_empty(view: View) -> tuple[str, str]:
    """Why there is no card at all, and what to do about it."""
    choices = view.choices
    if not view.snapshot.runs:
        return "No event files yet", "Charts appear here as soon as a run writes its first values."
    if "scalars" not in view.snapshot.plugin_names:
        return "No scalars in these runs", "Charts appear here as soon as a run writes one."
    if not view.runs:
        if choices.run_filter and not choices.hidden_runs:
            return f"No run matches {choices.run_filter}", "Change the run filter with / in the list of runs."
        return "No run is switched on", "Press a in the list of runs to show them all."
    if choices.tag_filter:
        return f"No scalar tag matches {choices.tag_filter}", "Change the tag filter with /."
    if choices.hidden_groups:
        return "All groups of tags are folded away", "Unfold them with space in the list of tags."
    return "No scalars in the runs that are shown", "Switch others on in the list of runs."


def smoothing_word(smoothing: float) -> str:
    """`smooth .60`, `smooth .999`, `smooth off`."""
    if smoothing <= 0:
        return "smooth off"
    text = f"{smoothing:.3f}".removesuffix("0")
    return f"smooth {text.removeprefix('0')}"


def settings(choices: Choices, tag: str | None = None) -> str:
    """How the charts are drawn, or one of them: `smooth .60 · y log · x step`."""
    log = choices.log_all if tag is None else choices.log_y(tag)
    return " · ".join((smoothing_word(choices.smoothing), *(("y log",) if log else ()), f"x {choices.x_axis}"))
