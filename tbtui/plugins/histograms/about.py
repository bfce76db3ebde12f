"""What is known of the histograms of a card beside their picture."""

from __future__ import annotations

from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts import numbers
from tbtui.plugins.histograms.points import PLUGIN_NAME
from tbtui.viewstate.about import about_tag, counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.loading.histograms import Histograms
    from tbtui.loading.payloads import Payloads
    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot
    from tbtui.viewstate.view import View

MOST_REFUSED = 20
"""Stretches of refused steps that are told one by one."""


def about(payloads: Payloads, view: View, tag: str, run_name: str | None) -> tuple[str, ...]:
    """Lines about a tag, as `about_tag` has them.

    Args:
        payloads: Reads the histograms.
        view: What is shown.
        tag: Which tag.
        run_name: Of which run alone; None is all that are drawn.
    """
    held = list(view.references(tag, PLUGIN_NAME, run_name))
    runs = {run.name: run for run, _ in held}
    told = partial(_told, payloads, runs)
    return tuple(about_tag(view, PLUGIN_NAME, tag, [series for _, series in held], told))


def _told(payloads: Payloads, runs: dict[str, RunSnapshot], series: ReferenceSeries) -> Iterator[str]:
    """`440 histograms at steps 0–439`, how many buckets and values each has, and which cannot be drawn and why."""
    yield counted(series, "histogram")
    held = payloads.histograms(runs[series.run], series)
    drawn = ~np.isnan(held.totals)
    if bool(drawn.any()):
        sizes, totals = np.diff(held.starts)[drawn], held.totals[drawn]
        yield f"{_span(sizes.min(), sizes.max())} buckets each, as stored; {_span(totals.min(), totals.max())} values"
        exact = int(np.count_nonzero(np.isfinite(held.sums[drawn])))
        if exact < len(totals):
            whose = "" if exact == 0 else f" of {len(totals) - exact:,} of them"
            yield f"mean and deviation{whose} are worked out from the middles of buckets: the writer did not say them"
    yield from _refused(held)


def _span(low: float, high: float) -> str:
    ends = dict.fromkeys(numbers.short(float(end)) for end in (low, high))
    return "–".join(ends)


def _refused(held: Histograms) -> Iterator[str]:
    """`✗ steps 120–307, 14 of them: a NaN is among the values of this step`, for each stretch with one reason."""
    stretches = []
    for reason, indices in groupby(sorted(held.refused), key=held.refused.__getitem__):
        steps = held.steps[list(indices)]
        ends = f"step {steps[0]}" if len(steps) == 1 else f"{len(steps):,} steps from {steps[0]} to {steps[-1]}"
        stretches.append(f"✗ {ends}: {reason}")
    yield from stretches[:MOST_REFUSED]
    if len(stretches) > MOST_REFUSED:
        yield f"✗ and {len(stretches) - MOST_REFUSED:,} more stretches"
