"""The target of a comparison: the run or step with which a picture, mesh, text or step is compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.settings.settings import Settings


def find_chosen_run(run: str, holders: Sequence[str], settings: Settings) -> str | None:
    """Return the run selected for comparison: the baseline, else the focused run; None if neither holds the data.

    Args:
        run: The run that is compared.
        holders: Runs that hold the same data, in order.
        settings: Baseline and selected run.
    """
    return next((name for name in (settings.baseline, settings.focus) if name != run and name in holders), None)


def choose_comparison_run(run: str, holders: Sequence[str], settings: Settings) -> str | None:
    """Return the run to compare a run with: the selected one, else the next with the data; None without another.

    Args:
        run: As for `find_chosen_run`.
        holders: As for `find_chosen_run`.
        settings: As for `find_chosen_run`.
    """
    if (chosen := find_chosen_run(run, holders, settings)) is not None:
        return chosen
    others = [name for name in holders if name != run]
    if run not in holders:
        return next(iter(others), None)
    return others[holders.index(run) % len(others)] if others else None


def choose_comparison_step(index: int, count: int) -> int | None:
    """Return the step to compare a step with: the previous one, for the first step the next one; None without another.

    Args:
        index: The step that is compared.
        count: Number of steps.
    """
    if index > 0:
        return index - 1
    return index + 1 if index + 1 < count else None
