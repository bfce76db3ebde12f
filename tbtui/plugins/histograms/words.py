"""What the Histograms tab says about itself, and why it is empty when it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts import numbers
from tbtui.charts.headline import BETWEEN
from tbtui.charts.marks import ABOVE_SIGN, BELOW_SIGN, NAN_SIGN
from tbtui.events.histograms import HAS_INFINITE
from tbtui.plugins.histograms.axes import rows_in_sight
from tbtui.plugins.histograms.readings import chosen_of, marked_of
from tbtui.plugins.histograms.recorded import NothingRecordedError
from tbtui.plugins.histograms.spread import FAR
from tbtui.viewstate.chart_choices import WHOLE
from tbtui.viewstate.ranges import hand_range
from tbtui.viewstate.run_names import distinct_names
from tbtui.viewstate.words import between, x_axis_words, y_axis_word

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tbtui.export.refusals import Refusals
    from tbtui.plugins.histograms.axes import Axes
    from tbtui.plugins.histograms.recorded import Recorded
    from tbtui.viewstate.axes import AxesChosen
    from tbtui.viewstate.choices import Choices
    from tbtui.viewstate.options import HistogramLook
    from tbtui.viewstate.pointer import Pointer
    from tbtui.widgets.file_writing import Written

LOOKS: dict[HistogramLook, str] = {"heat": "heat map", "ridges": "ridges", "overlay": "overlay"}
OUTLIERS = {"auto": "", "ignore": "outliers ignored", "keep": "outliers kept"}


def look_word(choices: Choices) -> str:
    """`heat map, colours log`, `ridges`, `runs together`."""
    if choices.runs_together:
        return "runs together"
    word = LOOKS[choices.histogram_look]
    return f"{word}, colours {choices.heat_scale}" if choices.histogram_look == "heat" else word


def settings(choices: Choices, key: str | None = None, look: str | None = None) -> str:
    """How the charts are drawn, or one of them: `heat map, colours log · y symlog · x step`. Only what matters is told.

    Args:
        choices: What is chosen.
        key: Card of the one chart; None is all of them.
        look: Of the charts; None: as histograms look.
    """
    told = (
        look_word(choices) if look is None else look,
        overview_word(choices) if key is None else "",
        y_axis_word(choices, key),
        OUTLIERS[choices.outliers],
        *x_axis_words(choices, key),
    )
    return BETWEEN.join(filter(None, told))


def overview_word(choices: Choices) -> str:
    """`overview of 98 % of values`: what small cards leave out is told for all of them."""
    if not choices.overview:
        return ""
    return f"overview of {round(100 * (1 - 2 * FAR))} % of values" if choices.outliers == "auto" else "overview"


def step_word(recorded: Sequence[Recorded], pointer: Pointer, *, brief: bool = False) -> str:
    """Which histograms the user looks at: `step 440, the newest`, `step 312`, `step 312 beside 100`.

    Of several runs it is the greatest, which most of them have.
    """
    chosen = max((chosen_of(each, pointer) for each in recorded), key=lambda reading: reading.step)
    marked = marked_of(chosen.recorded, pointer)
    word = f"step {chosen.step}"
    if marked is not None:
        return f"{word} beside {marked.step}"
    return word if brief or pointer.cursor is not None else f"{word}, the newest"


def unrest_words(recorded: Recorded) -> tuple[str, ...]:
    """What happened to the values by the newest step, in ever fewer words; nothing where nothing did.

    `✗ NaN from 120`, `▼ collapsed from 300`, `▲ exploded from 40`.
    """
    found = recorded.unrest
    if found is None:
        return ()
    lost = "Inf" if recorded.refused.get(found.since) == HAS_INFINITE else "NaN"
    sign, word = {
        "lost": (NAN_SIGN, lost),
        "collapsed": (BELOW_SIGN, "collapsed"),
        "exploded": (ABOVE_SIGN, "exploded"),
    }[found.kind]
    since = numbers.step(int(recorded.steps[found.since]))
    return f"{sign} {word} from {since}", f"{sign} {word}", sign


def happened_words(recorded: Sequence[Recorded]) -> Iterator[str]:
    """What happened to the values of each run that anything happened to; where there are several, with its name."""
    names = distinct_names([each.run for each in recorded])
    for each, name in zip(recorded, names, strict=True):
        for word in unrest_words(each)[:1]:
            yield f"{name} {word}" if len(recorded) > 1 else word


def refused_word(recorded: Recorded) -> str:
    """`3 of 300 steps cannot be drawn`; empty where all can."""
    count = len(recorded.refused)
    return f"{count:,} of {len(recorded):,} steps cannot be drawn" if count else ""


def outside_word(outside: float) -> str:
    """`12 values outside`, in few words; empty without any. Fractions of buckets are told as one value at least."""
    if outside < LEAST_OUTSIDE:
        return ""
    count = max(round(outside), 1)
    return f"{count if count < 10_000 else numbers.brief(count)} value{'' if count == 1 else 's'} outside"


def written_word(written: Written, refusals: Refusals) -> str:
    """`1,200 rows in /home/me/histograms.csv; 3 steps left out that cannot be drawn`."""
    word = f"{numbers.counted(written.rows, 'row')} in {written.path}"
    count = refusals.count
    return f"{word}; {numbers.counted(count, 'step')} left out that cannot be drawn" if count else word


LEAST_OUTSIDE = 1e-6
"""Values; what is less is left over from adding up fractions."""


def what_went_wrong(error: Exception) -> str:
    """An error in words for people."""
    if isinstance(error, NothingRecordedError):
        return str(error)
    return f"cannot be drawn: {type(error).__name__}: {error}"


def why_blank(own: Sequence[Recorded], axes: Axes, chosen: AxesChosen) -> str:
    """Why nothing of a chart can be seen; empty when something can."""
    filled = [each for each in own if each.spread.limits is not None]
    if not filled:
        refused = [reason for each in own for reason in each.refused.values()]
        return refused[-1] if len(refused) == sum(map(len, own)) else "no values in any histogram"
    if not any(bool(np.isfinite(each.x).any()) for each in filled):
        return "no histogram of this tag has a time"
    greatest = max(each.spread.limits[1] for each in filled if each.spread.limits is not None)
    if axes.values.scale == "log" and greatest <= 0:
        return "all values ≤ 0: none fits a log axis"
    if axes.along.scale == "log" and not any(bool((each.x > 0).any()) for each in filled):
        return f"every {chosen.x_axis if chosen.x_axis == 'step' else 'time'} is ≤ 0: none fits a log axis"
    whole_x = hand_range(chosen.x_range, axes.along.scale, axes.along.origin) == WHOLE
    if whole_x and hand_range(chosen.y_range, axes.values.scale) == WHOLE:
        return ""
    rows = [slice(None) if whole_x else rows_in_sight(each, axes.along) for each in filled]
    if not any(each.x[at].size for each, at in zip(filled, rows, strict=True)):
        return f"no histogram {between(*chosen.x_range, chosen.x_axis)}"
    low, high = axes.values.low, axes.values.high
    for each, at in zip(filled, rows, strict=True):
        if bool(((each.moments.least[at] <= high) & (each.moments.greatest[at] >= low)).any()):
            return ""
    return f"no value here between {numbers.short(low)} and {numbers.short(high)}"
