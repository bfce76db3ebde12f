"""What is known of the curves of a card beside their picture."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tbtui.charts import numbers
from tbtui.plugins.pr_curves.points import PLUGIN_NAME, NoCurveError
from tbtui.viewstate.about import about_tag, counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tbtui.plugins.pr_curves.data import CurveData, RunCurve
    from tbtui.store.snapshot import ReferenceSeries
    from tbtui.viewstate.view import View

EXPLAINED = (
    "AUC (AP) is average precision: the area under the curve as steps, the precision at each threshold times the recall"
    " gained since the one before. Behind the last threshold at which anything is predicted to be positive there is no"
    " precision, and no curve. Thresholds are not stored: they lie evenly between 0 and 1."
)
"""What the figures of the table are; a paragraph."""


def about(data: CurveData, view: View, tag: str) -> tuple[str, ...]:
    """Lines about a tag, as `about_tag` has them, and what the figures of the table are.

    Args:
        data: Where charts are from; used by one thread.
        view: What is shown.
        tag: Which tag; also the key of its card.
    """
    try:
        drawn = {each.run: each for each in data.chart(view, tag).runs}
    except NoCurveError:
        drawn = {}
    all_series = [series for _, series in data.series(view, tag)]
    return (*about_tag(view, PLUGIN_NAME, tag, all_series, partial(_told, drawn)), "", EXPLAINED)


def _told(drawn: Mapping[str, RunCurve], series: ReferenceSeries) -> Iterator[str]:
    """`5 curves at steps 88–440`, and of the one that is drawn how many thresholds it has and what its figures are."""
    yield counted(series, "curve")
    each = drawn.get(series.run)
    if each is None:
        return
    if each.curve is None:
        yield f"✗ step {each.step}: {each.refused}"
        return
    curve, best = each.curve, each.curve.at(None)
    count, lost = curve.rows.shape[1], int(curve.lost.sum())
    yield f"step {each.step}: {numbers.counted(count, 'threshold')}, {curve.shown:,} of them drawn"
    if lost:
        yield f"✗ step {each.step}: no number at {lost:,} of them"
    if best is not None and best.f1 is not None:
        found = f"best F1 {numbers.short(best.f1)} at threshold {numbers.short(best.threshold)}"
        yield f"step {each.step}: average precision {numbers.short(curve.area)}, {found}"
