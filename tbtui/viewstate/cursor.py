"""Where the cursor stands that all charts share, the stretch selected from it, and the run in focus.

Every function is handed the choices as they are by then and what the user saw when the key was pressed: of keys that
come faster than pictures each counts. What is chosen does not count from an axis' origin, so that it means the same in
every chart.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from tbtui.charts.chart_layout import PlotArea
    from tbtui.viewstate.choices import Choices

    Floats: TypeAlias = npt.NDArray[np.float64]


def stops_of(plot: PlotArea, stops: Floats | None) -> Floats:
    """Where the cursor may stand, not counted from the axis' origin; none where a chart has no points in sight."""
    return np.empty(0) if stops is None else stops + _origin(plot)


def _origin(plot: PlotArea) -> float:
    """What values on the axis of steps are counted from."""
    return 0.0 if plot.along is None else float(plot.along.origin)


def cursor_moved(choices: Choices, stops: Floats, count: int) -> Choices:
    """Move the cursor so many stops on; one that is not there yet comes in from the side it is moved away from.

    Args:
        choices: As they are by now.
        stops: From `stops_of`.
        count: Negative moves to the left.
    """
    if not len(stops):
        return choices
    return replace(choices, cursor=_moved(choices.cursor, stops, count))


def step_moved(choices: Choices, stops: Floats, count: int) -> Choices:
    """The same where without a cursor the newest step is seen: it is moved from there, and until then goes on with it.

    Args:
        choices: As they are by now.
        stops: From `stops_of`.
        count: Negative moves back.
    """
    if choices.cursor is None:
        if count > 0 or not len(stops):
            return choices
        choices = replace(choices, cursor=float(stops[-1]))
    return cursor_moved(choices, stops, count)


def _moved(cursor: float | None, stops: Floats, count: int) -> float:
    if cursor is None:
        index = count - 1 if count > 0 else len(stops) + count
    elif count > 0:
        index = int(np.searchsorted(stops, cursor, "right")) + count - 1
    else:
        index = int(np.searchsorted(stops, cursor, "left")) + count
    return float(stops[max(0, min(index, len(stops) - 1))])


def cursor_near(choices: Choices, plot: PlotArea, stops: Floats, at: float) -> Choices:
    """Put the cursor at the stop that looks nearest to a place of a chart; without any stop right there.

    Args:
        choices: As they are by now.
        plot: Where the chart was painted.
        stops: From `stops_of`.
        at: The place, on the axis of steps; where the picture has none nothing can be pointed at.
    """
    if plot.along is None:
        return choices
    if len(stops):
        apart = np.abs(plot.along.unit(stops - plot.along.origin) - plot.along.unit(at))
        return replace(choices, cursor=float(stops[np.argmin(apart)]))
    return replace(choices, cursor=at + plot.along.origin)


def no_cursor(choices: Choices) -> Choices:
    """Forget cursor and stretch."""
    return replace(choices, cursor=None, mark=None)


def has_stretch(choices: Choices) -> bool:
    """Whether there is a stretch, and one with a length: just begun it has none."""
    return choices.cursor is not None and choices.mark not in (None, choices.cursor)


def stretch_begun(choices: Choices, stops: Floats) -> Choices:
    """Begin a stretch at the cursor, or give up the one begun."""
    if choices.mark is not None:
        return replace(choices, mark=None)
    choices = cursor_moved(choices, stops, -1) if choices.cursor is None else choices
    return replace(choices, mark=choices.cursor)


def focus_moved(choices: Choices, runs: Sequence[str], count: int) -> Choices:
    """Select another run of a table.

    Args:
        choices: As they are by now.
        runs: The run of each row; one may have several.
        count: How many runs further down; from no run it goes to the first, or up to the last.
    """
    known = list(dict.fromkeys(runs))
    if not known:
        return choices
    if choices.focus in known:
        index = known.index(choices.focus) + count
    else:
        index = count - 1 if count > 0 else len(known) + count
    return replace(choices, focus=known[max(0, min(index, len(known) - 1))])
