"""Forms and pages of the cards of PR curves. Imports no Textual."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.charts import numbers
from tbtui.charts.numbers import format_count
from tbtui.export.table import SkippedValues
from tbtui.plugins.pr_curves.export import CURVE_COLUMNS, build_curve_tables
from tbtui.plugins.pr_curves.read import PLUGIN_NAME
from tbtui.plugins.pr_curves.settings import THRESHOLD
from tbtui.plugins.shown_steps import NoValueError, list_shown_steps
from tbtui.settings.entries import NUMBER, check_range, make_optional
from tbtui.view.cards import RunCards
from tbtui.view.descriptions import describe_tag, summarize_points
from tbtui.widgets.file_saver import FileSaver, create_file_fields, propose_chart_name
from tbtui.widgets.form_fields import (
    CardForms,
    Choice,
    FieldError,
    FileForm,
    Text,
    create_grid_fields,
    create_setting_field,
    group_fields,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tbtui.export.output import SavedFile
    from tbtui.export.table import Table
    from tbtui.plugins.pr_curves.chart import CurveChartCache, RunCurve
    from tbtui.settings.settings import Settings
    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot
    from tbtui.view.view import View
    from tbtui.widgets.form_fields import Field


EXPLAINED = (
    "AUC (AP) is average precision: the area under the curve as steps, the precision at each threshold times the recall"
    " gained since the one before. Above the last threshold at which anything is predicted to be positive there is no"
    " precision, and no curve. Thresholds are not stored: they lie evenly between 0 and 1."
)
"""Explanation of the numbers of the table, a paragraph."""


def format_about_lines(data: CurveChartCache, view: View, tag: str) -> tuple[str, ...]:
    """Return lines about a tag, as `describe_tag` does, and an explanation of the table.

    Args:
        data: Cache of the charts; used by one thread.
        view: The view to draw.
        tag: The tag; also the key of its card.
    """
    try:
        curves = {each.run: each for each in data.chart(view, tag).runs}
    except NoValueError:
        curves = {}
    all_series = [series for _, series in data.series(view, tag)]
    return (*describe_tag(view, PLUGIN_NAME, tag, all_series, partial(_format_curve_details, curves)), "", EXPLAINED)


def _format_curve_details(curves: Mapping[str, RunCurve], series: ReferenceSeries) -> Iterator[str]:
    """Yield `5 curves at steps 88–440`, and the thresholds and statistics of the drawn one."""
    yield summarize_points(series, "curve")
    each = curves.get(series.run)
    if each is None:
        return
    if each.curve is None:
        yield f"✗ step {each.step}: {each.error}"
        return
    curve, best = each.curve, each.curve.at(None)
    count, nonfinite_count = curve.rows.shape[1], int(curve.is_nonfinite.sum())
    yield f"step {each.step}: {numbers.format_count(count, 'threshold')}, {curve.shown:,} of them drawn"
    if nonfinite_count:
        yield f"✗ step {each.step}: no number at {nonfinite_count:,} of them"
    if best is not None and best.f1 is not None:
        best_text = f"best F1 {numbers.format_number(best.f1)} at threshold {numbers.format_number(best.threshold)}"
        yield f"step {each.step}: average precision {numbers.format_number(curve.area)}, {best_text}"


STEPS = Choice(
    "steps",
    "steps",
    (("drawn", "the one that is drawn"), ("current", "visible range"), ("stored", "all")),
    "drawn",
    "visible range: neither superseded (unless these are shown) nor skipped; all: as stored, in order of arrival",
)
"""Field of an export."""


class CurveExport(FileSaver):
    """Export of one chart: one row per stored threshold.

    Args:
        view: The view to draw.
        tag: Tag of the chart.
    """

    no_data_error = NoValueError
    no_data_field = "steps"

    def __init__(self, view: View, tag: str) -> None:
        super().__init__()
        self._view, self._tag = view, tag
        self.skipped = SkippedValues()
        """Steps that hold no curve and are left out of the file."""

    def tables(self, entered: dict[str, Any]) -> tuple[Sequence[str], Iterator[Table]]:
        """Return columns and tables of the selected steps."""
        self.skipped = SkippedValues()
        return CURVE_COLUMNS, self._build_tables(entered["steps"])

    def _build_tables(self, steps: str) -> Iterator[Table]:
        is_any = False
        for table in build_curve_tables(self._select_series(steps), self.skipped):
            is_any = True
            yield table
        if not is_any:
            why = self.skipped.first.reason if self.skipped.first else "no step is in the visible range"
            raise NoValueError(f"nothing to write: {why}")

    def _select_series(self, steps: str) -> Iterator[tuple[RunSnapshot, ReferenceSeries]]:
        settings = self._view.settings
        for run, series in self._view.references(self._tag, PLUGIN_NAME):
            if steps == "stored":
                yield run, series
                continue
            with suppress(NoValueError):
                shown = list_shown_steps(self._view, run.name, self._tag, PLUGIN_NAME, "curve")
                rows = np.array([shown.nearest(settings.cursor).point]) if steps == "drawn" else shown.points
                yield run, shown.series.part(rows)


def export_message(written: SavedFile, skipped: SkippedValues) -> str:
    """Return `635 rows in /home/me/pr_curves.csv; 1 step left out, no curve`."""
    text = f"{format_count(written.rows, 'row')} in {written.path}"
    count = skipped.count
    return f"{text}; {format_count(count, 'step')} left out, no curve" if count else text


class CurveForms(CardForms[RunCards]):
    """Forms and pages of PR curves: a chart has a range of recall and one of precision.

    Args:
        data: Charts of the views; used by one thread.
    """

    def __init__(self, data: CurveChartCache) -> None:
        self._data = data

    def options_fields(self, view: View) -> Sequence[Field]:
        return build_options_fields(view.settings)

    def chart_fields(self, settings: Settings, key: str) -> Sequence[Field]:
        return build_chart_fields(settings, key)

    def check_chart(self, settings: Settings, entered: dict[str, Any]) -> dict[str, Any]:
        return check_chart(settings, entered)

    def with_chart(self, settings: Settings, key: str, entered: dict[str, Any]) -> Settings:
        return with_chart(settings, key, entered)

    def about_lines(self, view: View, cards: RunCards, key: str) -> Sequence[str]:
        return format_about_lines(self._data, view, cards.tag_of(key))

    def file_form(self, view: View, cards: RunCards, key: str) -> FileForm:
        writing = CurveExport(view, key)
        return FileForm(
            f"write the curves of {cards.name_of(key)}",
            create_file_fields(
                propose_chart_name("pr_curves.csv", view, cards.run_of(key), cards.title_of(key)), STEPS
            ),
            writing,
            writing.stop,
            lambda written: export_message(written, writing.skipped),
        )


def build_options_fields(settings: Settings) -> tuple[Field, ...]:
    """Return the fields of all charts."""
    return (
        *group_fields(
            "Curves",
            create_setting_field(settings, THRESHOLD),
            create_setting_field(settings, "x_axis", label="steps by", hint="unit of the cursor that all tabs share"),
            create_setting_field(settings, "skip_steps", hint="hide curves before this step"),
            create_setting_field(settings, "superseded", hint="show curves overwritten by a restart"),
        ),
        *group_fields(
            "Cards",
            create_setting_field(
                settings, "overview", hint="many small cards, in the order in which tags were written"
            ),
            *create_grid_fields(settings),
            create_setting_field(settings, "row_order", hint="in an opened chart's table, by the area under the curve"),
        ),
    )


def build_chart_fields(settings: Settings, key: str) -> tuple[Field, ...]:
    """Return the fields of the chart of card `key`."""
    chart_settings, entry = settings.chart(key), make_optional(NUMBER, "0 to 1, or as the data has it")
    ends = (("recall", chart_settings.across_range), ("precision", chart_settings.y_range))
    return tuple(
        Text(f"{name}_{word}", f"{name} {word}", entry.format(end), entry.read, entry.hint, "")
        for name, chosen in ends
        for word, end in zip(("from", "to"), chosen, strict=True)
    )


def check_chart(_settings: Settings, entered: dict[str, Any]) -> dict[str, Any]:
    """Return the entries for one chart if its ranges are valid for axes.

    Raises:
        FieldError: A range cannot be an axis.
    """
    for name in ("recall", "precision"):
        _check_ends(entered, f"{name}_from", f"{name}_to")
    return entered


def _check_ends(entered: dict[str, Any], low: str, high: str) -> None:
    try:
        check_range((entered[low], entered[high]), "linear")
    except ValueError as error:
        raise FieldError(low, str(error)) from None


def with_chart(settings: Settings, key: str, entered: dict[str, Any]) -> Settings:
    """Return the settings with the entries for the chart of card `key`."""
    across, down = ((entered[f"{name}_from"], entered[f"{name}_to"]) for name in ("recall", "precision"))
    return replace(settings, charts=settings.with_chart(key, across_range=across, y_range=down))
