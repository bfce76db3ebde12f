"""What the app says in words: how much is shown, how fresh it is, and why a screen is empty."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.numbers import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.app.outlook import Outlook
    from tbtui.loading.state import FileProblem, LoadState


def of_all(some: int, count: int, noun: str) -> str:
    """`7 runs`, or `2 of 7 runs` where not all are shown."""
    return counted(count, noun) if some == count else f"{some:,} of {counted(count, noun)}"


def progress(state: LoadState) -> str:
    """`loading 43 %` until everything that was there at the start has been read."""
    if state.complete:
        return ""
    if not state.bytes_total:
        return "loading"
    return f"loading {min(99, 100 * state.bytes_read // state.bytes_total)} %"


def damaged_files(problems: Sequence[FileProblem]) -> int:
    """How many files are damaged; one that is merely empty is not."""
    return len({problem.path for problem in problems if problem.state != "empty"})


def told_files(problems: Sequence[FileProblem]) -> str:
    """`2 damaged files, 1 empty`; nothing when there are none."""
    damaged, empty = damaged_files(problems), len({problem.path for problem in problems if problem.state == "empty"})
    told = [counted(damaged, "damaged file")] if damaged else []
    if empty:
        told.append(f"{empty} empty" if damaged else counted(empty, "empty file"))
    return ", ".join(told)


def why_empty(outlook: Outlook, label: str) -> tuple[str, str] | None:
    """Why there is nothing to draw and what to do about it; None when there is something.

    Args:
        outlook: What is loaded and chosen.
        label: The log directory as the user wrote it.
    """
    state, choices = outlook.state, outlook.choices
    runs = state.snapshot.runs
    if not runs:
        if not state.complete:
            return f"looking for event files in {label}", ""
        return f"waiting for the first event file in {label}", "it appears here as soon as it is written"
    if not outlook.passing:
        hidden = "the run" if len(runs) == 1 else f"all {counted(len(runs), 'run')}"
        return f"the filter “{choices.run_filter}” hides {hidden}", "press escape to clear it"
    if outlook.plugin is None:
        return _without_data(outlook)
    if not outlook.shown:
        return "every run is switched off", "press a in the list of runs, to which tab or b leads, to switch them on"
    if not outlook.all_tags:
        return (
            f"no {outlook.plugin.shows} in the runs that are shown",
            "press space in the list of runs, to which tab or b leads, to switch others on",
        )
    if not outlook.tags:
        hidden = "the tag" if len(outlook.all_tags) == 1 else f"all {counted(len(outlook.all_tags), 'tag')}"
        return f"the filter “{choices.tag_filter}” hides {hidden}", "press escape to clear it"
    return None


def _without_data(outlook: Outlook) -> tuple[str, str]:
    held = sorted({plugin for facts in outlook.facts.values() for plugin in facts.tags})
    if held:
        return f"nothing to draw in these runs yet: they hold {', '.join(held)}", ""
    if not outlook.state.complete:
        return "reading", ""
    return "no values in these runs yet", "they appear here as soon as they are written"
