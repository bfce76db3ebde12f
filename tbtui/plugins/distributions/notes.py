"""What the frame of a card says: where its runs stand, what has become of them, and who they are."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tbtui.charts import numbers
from tbtui.charts.marks import ABOVE_SIGN, BELOW_SIGN, NAN_SIGN
from tbtui.charts.palette import marker
from tbtui.charts.text import cell_width, safe
from tbtui.plugins.distributions.readings import NOWHERE, Reading
from tbtui.viewstate.run_names import distinct_names, told_apart

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.plugins.distributions.curves import Curves
    from tbtui.plugins.distributions.data import Chart
    from tbtui.plugins.distributions.readings import Pointer

LEGEND_NAME = 24
"""Columns of a run's name in a legend, at most."""

UNREST = {"lost": f"{NAN_SIGN} NaN", "collapsed": f"{BELOW_SIGN} collapsed", "exploded": f"{ABOVE_SIGN} exploded"}


def unrest_word(curves: Curves, *, brief: bool = False) -> str:
    """What has become of the values of a run: `✗ NaN from 120`, or but the sign; empty where all is well."""
    found = curves.recorded.unrest
    if found is None:
        return ""
    said = UNREST[found.kind]
    return said[0] if brief else f"{said} from {numbers.step(int(curves.recorded.steps[found.since]))}"


def note_of(chart: Chart, pointer: Pointer = NOWHERE, width: int | None = None) -> str:
    """What stands at the right of a card's title: what happened, and the median between the extremes.

    Args:
        chart: Of the card.
        pointer: Where the user looks; nowhere is the newest histogram.
        width: Columns of the card, so that the title is not cut for more than the median; None: there is room.
    """
    unrest = next(filter(None, map(unrest_word, chart.curves)), "")
    sign = next((unrest_word(curves, brief=True) for curves in chart.curves if curves.recorded.unrest), "")
    stand = _stand(chart, pointer)
    brief = stand.partition(" (")[0]
    options = [(unrest, stand), (unrest, brief), (sign, brief)]
    notes = [" ".join(filter(None, each)) for each in options]
    room = math.inf if width is None else width - 7 - cell_width(safe(chart.title))
    return next((note for note in notes if cell_width(note) <= room), notes[-1])


def _stand(chart: Chart, pointer: Pointer) -> str:
    """`.021 (-.31 – .42)`; of several runs the least and the greatest median."""
    held = [Reading(curves, curves.index_at(pointer.cursor)) for curves in chart.curves]
    medians = [reading.median for reading in held if math.isfinite(reading.median)]
    if not medians:
        return f"{NAN_SIGN} NaN"
    if len(chart.curves) > 1:
        return " – ".join(dict.fromkeys(map(numbers.brief, (min(medians), max(medians)))))
    values = held[0].values.tolist()
    return f"{numbers.brief(medians[0])} ({numbers.brief(values[0])} – {numbers.brief(values[-1])})"


def legend(chart: Chart, runs: Sequence[str], pointer: Pointer = NOWHERE) -> list[tuple[str, int]]:
    """The runs of a chart with their inks, the focused one first; nothing where only one run is drawn anywhere.

    Args:
        chart: Whose.
        runs: All that are drawn, in the order of the run tree.
        pointer: Whose focus is wanted.
    """
    if len(runs) < 2:
        return []
    names = dict(zip(runs, told_apart(distinct_names(runs), LEGEND_NAME), strict=True))
    shown = sorted(chart.curves, key=lambda curves: curves.recorded.run != pointer.focus)
    return [
        (f"{marker(curves.recorded.ink)} {names.get(curves.recorded.run, curves.recorded.run)}", curves.recorded.ink)
        for curves in shown
    ]
