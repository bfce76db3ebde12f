"""What the frame of a card says: where its runs stand, what has become of them, and who they are."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tbtui.charts import numbers
from tbtui.charts.card import LEAST_TITLE
from tbtui.charts.marks import NAN_SIGN
from tbtui.charts.palette import marker
from tbtui.charts.text import cell_width, safe
from tbtui.plugins.histograms.readings import chosen_of
from tbtui.plugins.histograms.words import unrest_words
from tbtui.viewstate.run_names import distinct_names, told_apart

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tbtui.plugins.histograms.recorded import Recorded
    from tbtui.viewstate.pointer import Pointer

LEAST_NAME, MOST_NAME = 8, 32
"""Columns of a run's name in a legend."""

BULLET, CORNERS = 3, 4
"""Columns that stand in front of each name, and at the ends of the legend."""

FRAME = 7
"""Columns of a card that neither its title nor its note can have."""


def note_of(stands: Sequence[str], recorded: Sequence[Recorded], title: str, width: int) -> str:
    """What stands at the right of a card's title: what happened to the values, and where they stand.

    Args:
        stands: Where they stand, in ever fewer words.
        recorded: What the card shows.
        title: Of the card, which is not cut for it.
        width: Columns of the card.
    """
    whole = width - FRAME - cell_width(safe(title))
    room = width - FRAME - min(LEAST_TITLE, cell_width(safe(title)))
    options = list(_options(stands, recorded))
    fitting = [note for note in options if cell_width(note) <= whole] or options[-1:]
    return next((note for note in fitting if cell_width(note) <= room), "")


def _options(stands: Sequence[str], recorded: Sequence[Recorded]) -> Iterator[str]:
    """The note in ever fewer words; that something happened is told last of all."""
    happened = next(filter(None, map(unrest_words, recorded)), ())
    for stand in stands:
        if not (happened and stand.startswith(NAN_SIGN)):
            yield " ".join((*happened[:1], stand)).strip()
    yield from happened or ("",)


def happened_to(recorded: Sequence[Recorded]) -> bool:
    """Whether anything has happened to the values of any run."""
    return any(each.unrest is not None for each in recorded)


def stand_of(recorded: Sequence[Recorded], pointer: Pointer) -> str:
    """`-.0012 ± .051`: mean and deviation where the user looks; of several runs the least and the greatest mean."""
    held = [chosen_of(each, pointer) for each in recorded]
    counted = [reading for reading in held if math.isfinite(reading.mean)]
    if not counted:
        return f"{NAN_SIGN} no histogram" if any(reading.refused for reading in held) else "empty"
    if len(held) > 1:
        means = [reading.mean for reading in counted]
        return " – ".join(dict.fromkeys(map(numbers.brief, (min(means), max(means)))))
    return f"{numbers.brief(counted[0].mean)} ± {numbers.brief(counted[0].std)}"


def legend(
    recorded: Sequence[Recorded], runs: Sequence[str], width: int, focus: str | None = None
) -> list[tuple[str, int]]:
    """The runs of a chart with their inks, the focused one first; nothing where only one run is drawn anywhere.

    Args:
        recorded: What the chart shows.
        runs: All that are drawn, in the order of the run tree.
        width: Columns of the card.
        focus: The run that stands out.
    """
    if len(runs) < 2:
        return []
    room = min(max((width - CORNERS) // len(recorded) - BULLET, LEAST_NAME), MOST_NAME)
    names = dict(zip(runs, told_apart(distinct_names(runs), room), strict=True))
    shown = sorted(recorded, key=lambda each: each.run != focus)
    return [(f"{marker(each.ink)} {names.get(each.run, each.run)}", each.ink) for each in shown]
