"""What the frame of a card says: which step it shows, and how large the areas under its curves are."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tbtui.charts import numbers
from tbtui.charts.headline import BETWEEN
from tbtui.charts.marks import NAN_SIGN
from tbtui.plugins.pr_curves.words import step_word, trouble_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.plugins.pr_curves.data import Chart, RunCurve
    from tbtui.plugins.pr_curves.readings import CurvePointer


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
