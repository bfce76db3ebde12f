"""Forms and pages of the cards of histograms. Imports no Textual."""

from __future__ import annotations

from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.charts import numbers
from tbtui.export.table import SkippedValues
from tbtui.maths.histograms import iter_blocks, select_rows
from tbtui.plugins.histograms.chart import find_visible_rows
from tbtui.plugins.histograms.export import (
    BUCKET_COLUMNS,
    QUANTILE_COLUMNS,
    build_bucket_table,
    build_histogram_tables,
    build_quantile_table,
)
from tbtui.plugins.histograms.read import load_histograms
from tbtui.plugins.histograms.readout import HistogramChartCache, export_message
from tbtui.plugins.histograms.series import PLUGIN_NAME, NothingRecordedError
from tbtui.plugins.histograms.settings import BUCKET_ROWS, HEAT_SCALE, STYLE
from tbtui.settings.settings import FULL_RANGE, convert_range
from tbtui.view.cards import RunCards
from tbtui.view.descriptions import describe_tag, summarize_points
from tbtui.widgets.file_saver import FileSaver, create_file_fields, propose_chart_name
from tbtui.widgets.form_fields import (
    CardForms,
    Choice,
    FileForm,
    create_axes_fields,
    create_grid_fields,
    create_points_fields,
    create_row_order_field,
    create_setting_field,
    create_setting_fields,
    group_fields,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tbtui.export.table import Table
    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.histograms.export import TableOf
    from tbtui.plugins.histograms.read import Histograms
    from tbtui.settings.settings import Settings
    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot
    from tbtui.view.view import View
    from tbtui.widgets.form_fields import Field


MAX_LISTED_REASONS = 20
"""Ranges of steps that cannot be drawn and are listed one by one."""


def format_about_lines(payloads: Payloads, view: View, tag: str, run_name: str | None) -> tuple[str, ...]:
    """Return lines about a tag, as `describe_tag` does.

    Args:
        payloads: Reader of the histograms.
        view: The view to draw.
        tag: The tag.
        run_name: The only run; None for all drawn runs.
    """
    runs_and_series = list(view.references(tag, PLUGIN_NAME, run_name))
    runs = {run.name: run for run, _ in runs_and_series}
    details_of = partial(_format_series_details, payloads, runs)
    return tuple(describe_tag(view, PLUGIN_NAME, tag, [series for _, series in runs_and_series], details_of))


def _format_series_details(payloads: Payloads, runs: dict[str, RunSnapshot], series: ReferenceSeries) -> Iterator[str]:
    """Yield `440 histograms at steps 0–439`, the numbers of buckets and values, and steps that cannot be drawn."""
    yield summarize_points(series, "histogram")
    histograms = load_histograms(payloads, runs[series.run], series)
    is_drawn = ~np.isnan(histograms.totals)
    if bool(is_drawn.any()):
        sizes, totals = np.diff(histograms.starts)[is_drawn], histograms.totals[is_drawn]
        buckets, values = _format_span(sizes.min(), sizes.max()), _format_span(totals.min(), totals.max())
        yield f"{buckets} buckets each, as stored; {values} values"
        exact = int(np.count_nonzero(np.isfinite(histograms.sums[is_drawn])))
        if exact < len(totals):
            scope = "" if exact == 0 else f" of {len(totals) - exact:,} of them"
            yield f"mean and deviation{scope} are computed from the middles of buckets: the writer did not log them"
    yield from _format_error_lines(histograms)


def _format_span(low: float, high: float) -> str:
    ends = dict.fromkeys(numbers.format_number(float(end)) for end in (low, high))
    return "–".join(ends)


def _format_error_lines(histograms: Histograms) -> Iterator[str]:
    """Yield `✗ steps 120–307, 14 of them: a NaN is among the values of this step`, one line per range and reason."""
    stretches = []
    for reason, indices in groupby(sorted(histograms.errors), key=histograms.errors.__getitem__):
        steps = histograms.steps[list(indices)]
        ends = f"step {steps[0]}" if len(steps) == 1 else f"{len(steps):,} steps from {steps[0]} to {steps[-1]}"
        stretches.append(f"✗ {ends}: {reason}")
    yield from stretches[:MAX_LISTED_REASONS]
    if len(stretches) > MAX_LISTED_REASONS:
        yield f"✗ and {len(stretches) - MAX_LISTED_REASONS:,} more ranges of steps"


CHUNK_ROWS = 1 << 16
"""Rows made before the export checks for a cancel."""


def export_fields(name: str = "histograms.csv", *, quantiles: bool = False) -> tuple[Field, ...]:
    """Return the fields of an export to the proposed file; `quantiles` are offered first, or buckets."""
    return create_file_fields(
        name,
        Choice(
            "quantiles",
            "rows",
            ((False, "buckets"), (True, "steps with quantiles")),
            quantiles,
            "a row a bucket; or a row a step, with its count and the values at TensorBoard's basis points",
        ),
        Choice(
            "stored",
            "steps",
            ((False, "visible range"), (True, "all")),
            False,
            "visible range: without superseded and skipped points; all: as stored, in order of arrival",
        ),
    )


class HistogramExport(FileSaver):
    """Export of one chart.

    Args:
        payloads: Reader of the histograms.
        view: The view to draw.
        key: The chart's card.
    """

    no_data_error = NothingRecordedError
    no_data_field = "stored"

    def __init__(self, payloads: Payloads, view: View, key: str) -> None:
        super().__init__()
        self._payloads, self._view, self._key = payloads, view, key
        self.skipped = SkippedValues()
        """Steps that cannot be drawn and are left out of the file."""

    def tables(self, entered: dict[str, Any]) -> tuple[Sequence[str], Iterator[Table]]:
        """Return columns and tables of buckets or quantiles, of visible or of all steps."""
        self.skipped = SkippedValues()
        columns, table_of = (
            (QUANTILE_COLUMNS, build_quantile_table) if entered["quantiles"] else (BUCKET_COLUMNS, build_bucket_table)
        )
        return columns, self._build_stored_tables(table_of) if entered["stored"] else self._build_visible_tables(
            table_of
        )

    def _build_stored_tables(self, table_of: TableOf) -> Iterator[Table]:
        # Made anew, as below: what the pane has is used by its own thread.
        cards = HistogramChartCache(self._payloads).cards(self._view)
        run, tag = cards.run_of(self._key), cards.tag_of(self._key)
        yield from build_histogram_tables(self._view.references(tag, PLUGIN_NAME, run), table_of, self.skipped)

    def _build_visible_tables(self, table_of: TableOf) -> Iterator[Table]:
        chart = HistogramChartCache(self._payloads).chart(self._view, self._key)
        along = chart.axes.along
        is_whole = convert_range(self._view.settings.get_x_range(self._key), along.scale, along.origin) == FULL_RANGE
        for series in chart.series:
            rows = slice(0, len(series)) if is_whole else find_visible_rows(series, along)
            errors = {index: why for index, why in series.errors.items() if rows.start <= index < rows.stop}
            self.skipped.requested += rows.stop - rows.start
            self.skipped.count += len(errors)
            steps, wall_times = series.steps[rows], series.wall_times[rows]
            buckets = series.select(np.arange(rows.start, rows.stop))
            for block in iter_blocks(buckets, CHUNK_ROWS):
                yield table_of(series.run, series.tag, steps[block], wall_times[block], select_rows(buckets, block))


class HistogramForms(CardForms[RunCards]):
    """Forms and pages of the Histograms and the Distributions tab.

    Args:
        payloads: Reader of the histograms.
        options: Returns the fields of all charts.
        quantiles_first: True if the file form offers quantiles of steps first, otherwise buckets.
    """

    def __init__(
        self, payloads: Payloads, options: Callable[[Settings], Sequence[Field]], *, quantiles_first: bool = False
    ) -> None:
        self._payloads = payloads
        self._options = options
        self._quantiles_first = quantiles_first

    def options_fields(self, view: View) -> Sequence[Field]:
        return self._options(view.settings)

    def about_lines(self, view: View, cards: RunCards, key: str) -> Sequence[str]:
        return format_about_lines(self._payloads, view, cards.tag_of(key), cards.run_of(key))

    def file_form(self, view: View, cards: RunCards, key: str) -> FileForm:
        writing = HistogramExport(self._payloads, view, key)
        return FileForm(
            f"write the histograms of {cards.name_of(key)}",
            export_fields(
                propose_chart_name("histograms.csv", view, cards.run_of(key), cards.title_of(key)),
                quantiles=self._quantiles_first,
            ),
            writing,
            writing.stop,
            lambda written: export_message(written, writing.skipped),
        )


def build_options_fields(settings: Settings) -> tuple[Field, ...]:
    """Return the fields of all charts."""
    table = group_fields(
        "Table of an opened chart", create_setting_field(settings, BUCKET_ROWS), create_row_order_field(settings)
    )
    return (
        *group_fields("View", *create_setting_fields(settings, STYLE, HEAT_SCALE)),
        *create_axes_fields(settings),
        *create_points_fields(settings),
        *build_cards_fields(settings),
        *table,
    )


def build_cards_fields(settings: Settings) -> tuple[Field, ...]:
    """Return the fields of the cards: one run or all of them, the overview, cards in a row."""
    fields = create_setting_fields(settings, "runs_together", "overview")
    return group_fields("Cards", *fields, *create_grid_fields(settings))
