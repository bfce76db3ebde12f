"""What the frame of a card says: which step it shows, how large the areas under its curves are, and whose they are."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tbtui.charts import numbers
from tbtui.charts.headline import BETWEEN
from tbtui.charts.marks import NAN_SIGN
from tbtui.charts.palette import marker
from tbtui.plugins.pr_curves.words import step_word, trouble_words
from tbtui.viewstate.run_names import distinct_names, told_apart

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.plugins.pr_curves.data import Chart, RunCurve
    from tbtui.plugins.pr_curves.readings import CurvePointer

LEAST_NAME, MOST_NAME = 8, 32
"""Columns of a run's name in a legend."""

BULLET, CORNERS = 3, 4
"""Columns that stand in front of each name, and at the ends of the legend."""


def notes_of(chart: Chart, pointer: CurvePointer) -> tuple[str, ...]:
    """What may stand at the right of a card's title, in ever fewer words: `✗ step 264 · AUC .97–.99`."""
    sign = f"{NAN_SIGN} " if trouble_words(chart.runs) else ""
    area, step = area_word(chart.runs), step_word(chart.runs, pointer).partition(",")[0]
    return f"{sign}{step}{BETWEEN}{area}", f"{sign}{area}", sign.strip()


def area_word(runs: Sequence[RunCurve]) -> str:
    """`AUC .985`; of several runs the least and the greatest area, `AUC –` where there is none."""
    areas = [each.area for each in runs if math.isfinite(each.area)]
    ends = dict.fromkeys(map(numbers.brief, (min(areas), max(areas)))) if areas else ("–",)
    return f"AUC {'–'.join(ends)}"


def legend(
    shown: Sequence[RunCurve], runs: Sequence[str], width: int, focus: str | None = None
) -> list[tuple[str, int]]:
    """The runs of a chart with their inks, the focused one first; nothing where only one run is drawn anywhere.

    Args:
        shown: What the chart shows.
        runs: All that are drawn, in the order of the run tree.
        width: Columns of the card.
        focus: The run that stands out.
    """
    if len(runs) < 2:
        return []
    room = min(max((width - CORNERS) // len(shown) - BULLET, LEAST_NAME), MOST_NAME)
    names = dict(zip(runs, told_apart(distinct_names(runs), room), strict=True))
    ordered = sorted(shown, key=lambda each: each.run != focus)
    return [(f"{marker(each.ink)} {names.get(each.run, each.run)}", each.ink) for each in ordered]
