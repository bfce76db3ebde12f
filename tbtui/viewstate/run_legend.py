"""Which run is which, in the bottom line of a card's frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from tbtui.charts.palette import marker
from tbtui.viewstate.run_names import distinct_names, told_apart

if TYPE_CHECKING:
    from collections.abc import Sequence

LEAST_NAME, MOST_NAME = 8, 32
"""Columns of a run's name in a legend."""

BULLET, CORNERS = 3, 4
"""Columns that stand in front of each name, and at the ends of the legend."""


class OfRun(Protocol):
    """What a chart shows of one run."""

    @property
    def run(self) -> str:
        """Its name; not yet made safe for a terminal."""

    @property
    def ink(self) -> int:
        """Its series ink."""


def run_legend(
    shown: Sequence[OfRun], runs: Sequence[str], width: int, focus: str | None = None
) -> list[tuple[str, int]]:
    """The runs of a chart with their inks, the focused one first; nothing where only one run is drawn anywhere.

    Args:
        shown: What the chart shows.
        runs: All that are drawn, in the order of the run tree: the names tell each from all of them.
        width: Columns of the card.
        focus: The run that stands out.
    """
    if len(runs) < 2 or not shown:
        return []
    room = min(max((width - CORNERS) // len(shown) - BULLET, LEAST_NAME), MOST_NAME)
    names = dict(zip(runs, told_apart(distinct_names(runs), room), strict=True))
    ordered = sorted(shown, key=lambda each: each.run != focus)
    return [(f"{marker(each.ink)} {names.get(each.run, each.run)}", each.ink) for each in ordered]
