"""The partner of a comparison: what a picture, mesh, text or step is compared with. It is never itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.settings.settings import Settings


def chosen_run(run: str, holders: Sequence[str], settings: Settings) -> str | None:
    """Return the run that the user compares with: the baseline, else the selected run; None if neither holds the data.

    Args:
        run: The run that is compared.
        holders: Runs that hold the same data, in order.
        settings: Baseline and selected run.
    """
    return next((name for name in (settings.baseline, settings.focus) if name != run and name in holders), None)


def partner_run(run: str, holders: Sequence[str], settings: Settings) -> str | None:
    """Return the run to compare a run with: the chosen one, else the next that holds the data; None without any other.

    Args:
        run: As of `chosen_run`.
        holders: As of `chosen_run`.
        settings: As of `chosen_run`.
    """
    if (chosen := chosen_run(run, holders, settings)) is not None:
        return chosen
    others = [name for name in holders if name != run]
    if run not in holders:
        return next(iter(others), None)
    return others[holders.index(run) % len(others)] if others else None


def partner_step(index: int, count: int) -> int | None:
    """Return the step to compare a step with: the one before, for the first one the one behind; None without another.

    Args:
        index: The step that is compared.
        count: Number of steps.
    """
    if index > 0:
        return index - 1
    return index + 1 if index + 1 < count else None
