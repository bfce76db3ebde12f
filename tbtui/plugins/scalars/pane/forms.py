"""Forms and pages of the cards of scalars. Imports no Textual."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.charts.numbers import format_count
from tbtui.plugins.scalars.cards import Cards, build_joined_cards
from tbtui.plugins.scalars.chart import NoPointsError, ScalarData, list_scalar_series
from tbtui.plugins.scalars.export import SCALAR_COLUMNS, SMOOTHED_COLUMNS, build_stored_tables, build_visible_tables
from tbtui.plugins.scalars.number_kind import NumberCharts, NumberKind
from tbtui.settings.entries import (
    format_reference_lines,
    read_pattern,
    read_reference_lines,
)
from tbtui.settings.settings import TagMerge
from tbtui.view.descriptions import describe_tag, summarize_points
from tbtui.widgets.file_saver import FileSaver, create_file_fields, propose_chart_name
from tbtui.widgets.form_fields import (
    CardForms,
    Choice,
    FieldError,
    FileForm,
    Text,
    apply_ranges,
    create_axes_fields,
    create_grid_fields,
    create_points_fields,
    create_range_fields,
    create_row_order_field,
    create_setting_field,
    create_setting_fields,
    group_fields,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from tbtui.export.table import Table
    from tbtui.loading.payloads import Payloads
    from tbtui.settings.settings import Settings
    from tbtui.store.snapshot import ScalarSeries
    from tbtui.view.view import View
    from tbtui.widgets.form_fields import Field


def format_about_lines(view: View, tags: Sequence[str]) -> tuple[str, ...]:
    """Return lines about tags of the drawn runs, as `describe_tag` does."""
    lines = (
        line
        for tag in tags
        for line in (
            *describe_tag(view, "scalars", tag, list(list_scalar_series(view, [tag])), _format_series_details),
            "",
        )
    )
    return tuple(lines)[:-1]


def _format_series_details(series: ScalarSeries) -> Iterator[str]:
    """Yield `440 points at steps 0–439, 12 superseded, 3 NaN`."""
    values = series.values
    odd = ((int(np.count_nonzero(np.isnan(values))), "NaN"), (int(np.count_nonzero(np.isinf(values))), "infinite"))
    yield ", ".join((summarize_points(series, "point"), *(f"{count:,} {label}" for count, label in odd if count)))


POINTS = Choice(
    "stored",
    "points",
    ((False, "visible range"), (True, "all")),
    False,
    "visible range: without superseded and skipped points; all: as stored, in order of arrival",
)
SMOOTHED = Choice("smoothed", "smoothed values", ((False, "no"), (True, "yes")), False, "as a column of their own")


class ScalarExport(FileSaver):
    """Export of one chart.

    Args:
        view: The view to draw.
        key: The chart's card.
        data: Makes chart data.
    """

    no_data_error = NoPointsError
    no_data_field = "stored"

    def __init__(self, view: View, key: str, data: Callable[[], ScalarData] = ScalarData) -> None:
        super().__init__()
        self._view, self._key, self._data = view, key, data

    def tables(self, entered: dict[str, Any]) -> tuple[Sequence[str], Iterator[Table]]:
        """Return columns and tables of visible or of all points."""
        columns = SMOOTHED_COLUMNS if entered["smoothed"] else SCALAR_COLUMNS
        build_tables = build_stored_tables if entered["stored"] else build_visible_tables
        # The data of the pane belong to another thread.
        return columns, build_tables(self._data(), self._view, self._key)


class ScalarForms(CardForms[Cards]):
    """Forms and pages of scalars: a chart also has reference lines and a best value.

    Args:
        data: Makes chart data for a file.
    """

    def __init__(self, data: Callable[[], ScalarData] = ScalarData) -> None:
        self._data = data

    def options_fields(self, view: View) -> Sequence[Field]:
        return build_options_fields(view.settings, tuple(view.snapshot.runs))

    def chart_fields(self, settings: Settings, key: str) -> Sequence[Field]:
        return build_chart_fields(settings, key)

    def with_chart(self, settings: Settings, key: str, entered: dict[str, Any]) -> Settings:
        return with_chart(settings, key, entered)

    def about_lines(self, view: View, cards: Cards, key: str) -> Sequence[str]:
        return format_about_lines(view, cards.list_tags(key))

    def file_form(self, view: View, cards: Cards, key: str) -> FileForm:
        saver = ScalarExport(view, key, self._data)
        return FileForm(
            f"write the data of {cards.title_of(key)}",
            create_file_fields(propose_chart_name("scalars.csv", view, None, cards.title_of(key)), POINTS, SMOOTHED),
            saver,
            saver.stop,
            lambda written: f"{format_count(written.rows, 'point')} in {written.path}",
        )


class NumberForms(ScalarForms):
    """Forms and pages of the charts of a `NumberKind`: the shown number is an option of all charts.

    Args:
        kind: The kind of numbers.
        payloads: Reads the values that are written to a file.
    """

    def __init__(self, kind: NumberKind, payloads: Payloads) -> None:
        super().__init__(partial(NumberCharts, kind, payloads))
        self._kind = kind

    def options_fields(self, view: View) -> Sequence[Field]:
        shown = () if self._kind.shown is None else create_setting_fields(view.settings, self._kind.shown)
        return *shown, *super().options_fields(view)

    def about_lines(self, view: View, cards: Cards, key: str) -> Sequence[str]:  # noqa: ARG002 - the key is the tag
        kind = self._kind
        all_series = [series for _, series in view.references(key, kind.plugin)]
        return tuple(describe_tag(view, kind.plugin, key, all_series, lambda each: [summarize_points(each, kind.noun)]))


def build_options_fields(settings: Settings, runs: Sequence[str]) -> tuple[Field, ...]:
    """Return the fields of all charts.

    Args:
        settings: The present settings.
        runs: Names of all runs, which a pattern must be able to search.
    """
    return (
        *group_fields("Lines", *create_setting_fields(settings, "smoothing", "extremes")),
        *create_axes_fields(settings),
        *create_points_fields(settings),
        *group_fields(
            "Cards",
            *create_grid_fields(settings),
            create_setting_field(settings, "empty_cards"),
            create_row_order_field(settings),
        ),
        *group_fields(
            "Averages",
            create_setting_field(settings, "group_level"),
            create_setting_field(settings, "group_pattern", read=lambda text: read_pattern(text, runs)),
            *create_setting_fields(settings, "spread", "average_end"),
        ),
        *group_fields("Runs", *create_setting_fields(settings, "split_runs", "chain_runs", "fold_runs", "max_steps")),
    )


def build_chart_fields(settings: Settings, key: str) -> tuple[Field, ...]:
    """Return the fields of the chart of card `key`."""
    chart_settings = settings.chart(key)
    bests = ((None, "guessed from the name"), ("min", "smallest"), ("max", "greatest"))
    return (
        *create_range_fields(settings, key),
        Text(
            "lines",
            "reference lines",
            shown=format_reference_lines(chart_settings.lines),
            read=read_reference_lines,
            hint="such as 0.5 goal, 1e-3",
            default="",
        ),
        Choice("best", "best value", bests, chart_settings.best, hint="which one is marked as best", default=None),
    )


def with_chart(settings: Settings, key: str, entered: dict[str, Any]) -> Settings:
    """Return the settings with the entries for the chart of card `key`."""
    return apply_ranges(settings, key, entered, lines=entered["lines"], best=entered["best"])


def join_fields(tags: Sequence[str]) -> tuple[Field, ...]:
    """Return the field of a pattern that joins charts, for when none are marked.

    Args:
        tags: All tags.
    """
    hint = "tags with equal groups share a chart, such as (?:train|val)/(.*)"
    return (Text("pattern", "merge tags by regex", shown="", read=lambda text: read_pattern(text, tags), hint=hint),)


def check_join(tags: Iterable[str], entered: dict[str, Any]) -> str:
    """Return the pattern that was entered if it joins at least two tags.

    Raises:
        FieldError: It joins nothing.
    """
    pattern: str = entered["pattern"]
    if not pattern or not build_joined_cards(TagMerge(pattern=pattern), sorted(tags)):
        raise FieldError("pattern", "merges no two tags" if pattern else "enter a regular expression")
    return pattern
