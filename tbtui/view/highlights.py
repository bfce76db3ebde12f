"""The lines of a crowded chart that keep their colours, on a dimmed bundle of all others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.bundle import MAX_LINES_IN_COLOUR
from tbtui.charts.series_colours import PALETTE_SIZE
from tbtui.charts.text import ELLIPSIS, cell_width
from tbtui.view.run_names import fit_run_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy.typing as npt

    from tbtui.settings.settings import Best

    Floats = npt.NDArray[np.float64]


ALIKE = ((0, 5, 6, 7), (1, 4), (2, 7, 9), (3, 10))
"""Groups of colours that are hard to tell apart in thin lines: (blues), (amber, yellow), (greens), (mauve, magenta). In
16 colours on white a group is a colour and its bright variant."""


def separate_inks(inks: Sequence[int], highlighted: Iterable[int]) -> tuple[int, ...]:
    """Return the inks of all lines of a crowded chart, so that highlighted lines have different colours.

    Hundreds of runs share a few colours, and dashes cannot be seen in a steep line. A highlighted line whose colour is
    like that of a more important one gets the first other colour in this chart.

    Args:
        inks: Ink of each line.
        highlighted: Indices of the highlighted lines, the most important first.
    """
    separate, taken = list(inks), set[int]()
    for index in highlighted:
        colour = inks[index] % PALETTE_SIZE
        if colour in taken:
            colour = separate[index] = next((free for free in range(PALETTE_SIZE) if free not in taken), colour)
        taken.update({colour}, *(family for family in ALIKE if colour in family))
    return tuple(separate)


def find_leaders(values: Floats, starts: Floats, best: Best | None) -> dict[int, str]:
    """Return the lines of a crowded chart that lead, by index, with the reason; empty if all lines keep their colours.

    They are the best and the worst value, and the run that began last: that changes less often than the run written
    last.

    Args:
        values: float64[lines], the value that is compared; NaN without one.
        starts: float64[lines], wall time at which the run began; NaN or -inf without one.
        best: Better end of the values; None if it is not known, as of weights.
    """
    if len(values) <= MAX_LINES_IN_COLOUR:
        return {}
    leaders: dict[int, list[str]] = {}
    finite = np.flatnonzero(np.isfinite(values))
    if len(finite):
        low, high = int(finite[values[finite].argmin()]), int(finite[values[finite].argmax()])
        first, last = (high, low) if best == "max" else (low, high)
        names = ("best", "worst") if best is not None else ("lowest", "highest")
        for index, name in zip((first, last), names, strict=True):
            leaders.setdefault(index, []).append(name)
    if np.isfinite(starts).any():
        leaders.setdefault(int(np.nanargmax(starts)), []).append("newest")
    return {index: ", ".join(names) for index, names in leaders.items()}


def add_chosen(leaders: Mapping[int, str], chosen: Iterable[tuple[int | None, str]]) -> dict[int, str]:
    """Return the lines that the user chose, such as the baseline and the selected run, then the leaders.

    Args:
        leaders: Result of `find_leaders`; nothing is chosen where it is empty.
        chosen: Index of a line, None if the chart lacks it, and the reason.
    """
    if not leaders:
        return {}
    reasons = {index: name for index, name in chosen if index is not None}
    first = {index: ", ".join(filter(None, (name, leaders.get(index)))) for index, name in reasons.items()}
    return first | {index: name for index, name in leaders.items() if index not in first}


MIN_NAME_COLUMNS, MAX_NAME_COLUMNS = 8, 20
"""Minimum and maximum columns of the name of a highlighted run in a legend."""

MIN_CUT_NAME_COLUMNS = 12
"""Names that have to be cut get at least these columns, and the legend leaves the last ones out: `2.6… 0` says
nothing."""


def build_highlight_legend(
    highlights: Mapping[int, str], runs: Sequence[str], inks: Sequence[int], room: int
) -> list[tuple[str, int]]:
    """Return `best lr=1e-3`, `worst lr=1e-1` … in their inks, with names that share the room.

    Args:
        highlights: Reasons by index of a run; at least one.
        runs: Names of all runs of the chart.
        inks: Their inks.
        room: Columns.
    """
    left = room - sum(cell_width(reason) + 2 for reason in highlights.values())
    columns = max(min(left // len(highlights), MAX_NAME_COLUMNS), MIN_NAME_COLUMNS)
    names = [fit_run_name(runs[index], runs, columns) for index in highlights]
    if any(ELLIPSIS in name for name in names):
        names = [fit_run_name(runs[index], runs, max(columns, MIN_CUT_NAME_COLUMNS)) for index in highlights]
    return [(f"{reason} {name}", inks[index]) for (index, reason), name in zip(highlights.items(), names, strict=True)]
