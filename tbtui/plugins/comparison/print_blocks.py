"""Print a comparison: one value per run and tag, the best of each marked. The longer of both lists is in the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.cells import Ink
from tbtui.charts.line_chart import BEST_SIGN
from tbtui.charts.numbers import format_count
from tbtui.plugins.comparison.columns import ColumnOrder, count_runs, find_differing, order_tags
from tbtui.plugins.comparison.comparison import find_best_runs, find_point, format_values
from tbtui.plugins.comparison.settings import STATISTIC
from tbtui.report.blocks import MISSING, Column, Heading, InkText, Notes, Table
from tbtui.report.options import MAX_ROWS, note_left_out
from tbtui.run_health.anomalies import find_metric_direction
from tbtui.store.snapshot import ScalarSeries
from tbtui.view.cards import NO_TAGS, ShownTags
from tbtui.view.run_names import fit_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tbtui.report.blocks import Block
    from tbtui.report.options import PrintOptions
    from tbtui.view.view import View

MAX_COLUMNS = 24
TITLE_WIDTH = 20
"""Maximum width of a column title."""

FIGURE_TITLES = {
    "last": "last values",
    "best": "best values, last ones where best is unknown",
    "min": "least values",
    "max": "greatest values",
}


def build_comparison_blocks(view: View, options: PrintOptions) -> Iterator[Block]:
    """Yield one table, which continues below itself if it is too wide."""
    order = order_printed_tags(view)
    tags = (*order.usual, *order.sparse)
    runs = [run.name for run in view.runs if any(tag in run.series for tag in tags)]
    down_runs = len(runs) >= len(tags)
    max_tags = options.tags(len(tags), min(MAX_COLUMNS if down_runs else MAX_ROWS, len(order.usual)))
    max_runs = options.runs(len(runs), MAX_ROWS if down_runs else MAX_COLUMNS)
    shown_tags, shown_runs = tags[:max_tags], runs[:max_runs]
    values = {tag: _tag_cells(view, tag, shown_runs) for tag in shown_tags}
    if down_runs:
        titles = list(fit_names(tuple(shown_tags), TITLE_WIDTH))
        rows = tuple(
            (InkText(run, view.inks[run]), *(values[tag].get(run, MISSING) for tag in shown_tags)) for run in shown_runs
        )
    else:
        titles = list(fit_names(tuple(shown_runs), TITLE_WIDTH))
        rows = tuple((InkText(tag), *(values[tag].get(run, MISSING) for run in shown_runs)) for tag in shown_tags)
    yield Heading("comparison", f"{FIGURE_TITLES[STATISTIC.value(view.settings)]}, {BEST_SIGN} the best of a tag")
    yield Table((Column("run" if down_runs else "tag", "left"), *map(Column, titles)), rows, continues_below=True)
    width = options.target.width
    notes = (
        _format_superseded_note(view, shown_tags, shown_runs),
        note_left_out(tags, max_tags, "tag", width),
        note_left_out(runs, max_runs, "run", width),
    )
    if any(notes):
        yield Notes(tuple(filter(None, notes)))


def order_printed_tags(view: View) -> ColumnOrder:
    """Return the tags in the order of the Compare tab; sparse ones are left out unless they are requested."""
    tag_sets = [view.summaries[run.name].tags.get("scalars", NO_TAGS) for run in view.runs]
    tags = ShownTags("scalars").of(view)
    return order_tags(tags, count_runs(tag_sets), view.settings, find_differing(view.runs))


def _format_superseded_note(view: View, tags: Sequence[str], runs: Sequence[str]) -> str:
    """Return `12 superseded points are not compared`; empty without any."""
    series = (view.snapshot.runs[run].series.get(tag) for run in runs for tag in tags)
    superseded = sum(each.superseded for each in series if isinstance(each, ScalarSeries))
    if not superseded or _counts_all(view):
        return ""
    verb = "is" if superseded == 1 else "are"
    return f"{format_count(superseded, 'superseded point')} {verb} not compared (--superseded)"


def _counts_all(view: View) -> bool:
    """Return True if superseded points are compared as well."""
    return view.settings.superseded or view.settings.x_axis != "step"


def _tag_cells(view: View, tag: str, runs: list[str]) -> Mapping[str, InkText]:
    """Return the cell of each run that has a value."""
    settings = view.settings
    best = find_metric_direction(tag, settings)
    points = {}
    for name in runs:
        series = view.snapshot.runs[name].series.get(tag)
        if not isinstance(series, ScalarSeries):
            continue
        if (
            point := find_point(series, STATISTIC.value(settings), best, with_superseded=_counts_all(view))
        ) is not None:
            points[name] = point.value
    winners = find_best_runs(points, best)
    texts = format_values(points, best, None, None)
    return {
        run: InkText(f"{BEST_SIGN} {text}" if run in winners else text, Ink.GOOD if run in winners else ink)
        for run, (text, ink) in texts.items()
    }
