"""What the frame of a card says of the quantiles where the user looks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tbtui.charts import numbers
from tbtui.charts.marks import NAN_SIGN
from tbtui.plugins.histograms.readings import chosen_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.plugins.histograms.recorded import Recorded
    from tbtui.viewstate.pointer import Pointer


def stands_of(recorded: Sequence[Recorded], pointer: Pointer) -> tuple[str, ...]:
    """`.021 (-.31 – .42)`, the median between the extremes, and in fewer words `.021`.

    Of several runs it is the least and the greatest median.
    """
    held = [chosen_of(each, pointer) for each in recorded]
    medians = [reading.median for reading in held if math.isfinite(reading.median)]
    if not medians:
        return (f"{NAN_SIGN} no histogram" if any(reading.refused for reading in held) else "empty",)
    if len(held) > 1:
        return (" – ".join(dict.fromkeys(map(numbers.brief, (min(medians), max(medians))))),)
    low, high = held[0].recorded.quantiles[held[0].index, [0, -1]].tolist()
    median = numbers.brief(medians[0])
    return (f"{median} ({numbers.brief(low)} – {numbers.brief(high)})", median) if low < high else (median,)
