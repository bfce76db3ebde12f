"""Draws the precision-recall charts of one view."""

from __future__ import annotations

import math
from dataclasses import field, replace
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts import numbers
from tbtui.charts.annotations import draw_empty_message
from tbtui.charts.axis import to_columns, to_rows
from tbtui.charts.card import (
    SEPARATOR,
    RenderCache,
    choose_note,
    compute_body_size,
    measure_remark,
    select_bottom_remark,
    stack_cells,
)
from tbtui.charts.cells import BUNDLE_INKS, Ink
from tbtui.charts.hit_testing import find_nearest_point
from tbtui.charts.line_chart import (
    BASELINE_SIGN,
    BEST_SIGN,
    NAN_SIGN,
    LineChart,
    Sign,
    Trace,
    draw_line_picture,
    draw_signs,
)
from tbtui.charts.number_columns import format_column
from tbtui.charts.numbers import format_number
from tbtui.charts.series_colours import get_series_marker
from tbtui.charts.step_slider import draw_step_slider, iter_slider_labels
from tbtui.charts.text import write
from tbtui.frozen import frozen
from tbtui.maths.stops import has_shared_positions
from tbtui.plugins.picture import Charts, run_legend_entries
from tbtui.plugins.pr_curves.chart import Chart, CurveChartCache, find_highlights, find_leading_run, order_rows
from tbtui.plugins.pr_curves.chart_labels import (
    AXES,
    format_left_out_label,
    format_problem_labels,
    format_readout_labels,
    format_settings_label,
    format_steps_label,
    step_label,
    title_labels,
    zoom_labels,
)
from tbtui.plugins.pr_curves.curve import NO_CURVE_CURSOR, build_curve_line, create_curve_cursor, find_gap_points
from tbtui.view.card_painter import ChartSource, DrawnChart, Painter, create_empty_chart, frame_chart
from tbtui.view.chart_axes import AXIS_KINDS
from tbtui.view.highlights import build_highlight_legend
from tbtui.view.painted_cards import OpenedCard
from tbtui.view.row_order import mark_order
from tbtui.view.run_names import CORNERS, build_run_legend, shorten_to_distinct
from tbtui.view.run_table import NO_VALUE, TableRow, create_column, draw_run_table
from tbtui.view.tag_tree import cut_heading

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

    import numpy.typing as npt

    from tbtui.charts.cells import Cells
    from tbtui.charts.chart_layout import PlotArea
    from tbtui.charts.line_chart import LinePicture
    from tbtui.charts.step_slider import StepSlider
    from tbtui.export.drawing.sheet import LegendEntry
    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.pr_curves.chart import RunCurve
    from tbtui.plugins.pr_curves.curve import Curve, CurveCursor, ThresholdReadout
    from tbtui.plugins.pr_curves.read import Floats
    from tbtui.view.run_table import TableColumn
    from tbtui.view.view import View


def format_card_notes(chart: Chart, pointer: CurveCursor) -> tuple[str, ...]:
    """Return notes at the right of the title of a card, the shortest last: `✗ step 264 · AUC .97–.99`."""
    sign = f"{NAN_SIGN} " if format_problem_labels(chart.runs) else ""
    area, step = format_area_label(chart.runs), step_label(chart.runs, pointer).removesuffix(", the newest")
    notes = (f"{sign}{step}{SEPARATOR}{area}", f"{sign}{area}", sign.strip())
    left_out = format_left_out_label(chart.runs)
    return (f"{notes[0]}{SEPARATOR}{left_out}", *notes) if left_out else notes


def format_area_label(runs: Sequence[RunCurve]) -> str:
    """Return `AUC .985`; for several runs the smallest and the largest area; `AUC –` without one."""
    areas = [each.area for each in runs if math.isfinite(each.area)]
    ends = dict.fromkeys(map(numbers.format_brief, (min(areas), max(areas)))) if areas else ("–",)
    return f"AUC {'–'.join(ends)}"


MAX_MARKED_CURVES = 12
"""Maximum number of curves with signs; with more, only the focused one has signs, and the others are faint."""


class CurveRenderer:
    """Draws charts, and caches them without cursor, which is drawn over them. Used by one thread."""

    def __init__(self) -> None:
        self._cache: RenderCache[Chart, LinePicture] = RenderCache()

    def card(
        self,
        chart: Chart,
        width: int,
        height: int,
        *,
        focused: bool,
        pointer: CurveCursor = NO_CURVE_CURSOR,
        runs: Sequence[str] = (),
        heading: str = "",
    ) -> DrawnChart:
        """Draw a chart in the frame of its card: title and summary above, runs below.

        Args:
            chart: Data of the chart.
            width: Columns of the card.
            height: Rows of the card.
            focused: True if the card has the focus.
            pointer: State of the cursor.
            runs: Names of all drawn runs, which the legend keeps distinct.
            heading: Name of the group above the card, which its title does not repeat.
        """
        body = self.body(chart, *compute_body_size(width, height), pointer)
        title = cut_heading(chart.title, heading)
        note = choose_note(format_card_notes(chart, pointer), title, width)
        remark = select_bottom_remark(format_left_out_label(chart.runs), note)
        legend_width = width - measure_remark(remark)
        legend = _build_highlights_legend(chart, pointer, legend_width - CORNERS) or build_run_legend(
            chart.runs, runs, legend_width, pointer.focus
        )
        return frame_chart(
            body,
            title,
            width,
            height,
            focused=focused,
            note=note,
            note_ink=Ink.WARN if format_problem_labels(chart.runs) else Ink.DIM,
            legend=legend,
            remark=remark,
        )

    def body(self, chart: Chart, width: int, height: int, pointer: CurveCursor = NO_CURVE_CURSOR) -> DrawnChart:
        """Draw a chart without frame; without a visible curve it shows the reason."""
        if width <= 0 or height <= 0:
            return create_empty_chart(width, height)
        picture = self._cache.picture(
            chart,
            width,
            height,
            (pointer.focus, pointer.baseline),
            lambda: draw_line_picture(build_line_chart(chart, pointer.focus, pointer.baseline), width, height),
        )
        cells, plot = picture.at(), picture.layout.plot
        draw_axis_names(cells, plot)
        if chart.empty_reason:
            draw_empty_message(cells, chart.empty_reason, plot)
        elif pointer.threshold is not None:
            draw_signs(cells, list(_build_threshold_marks(chart, pointer)), plot)
        return DrawnChart(cells, replace(plot, zoom_centre=_zoom_centre(chart, pointer)), body=picture)


AXIS_NAMES = "↑ precision  → recall"
WITH_SIGN = f"{AXIS_NAMES}  {BEST_SIGN} best F1"


def draw_axis_names(cells: Cells, plot: PlotArea) -> None:
    """Write the names of the axes and the sign of the best points at the lower left, unless a dot is there.

    Curves are rare there.
    """
    names = (
        WITH_SIGN if bool((cells.glyphs == ord(BEST_SIGN)).any()) and len(WITH_SIGN) + 2 <= plot.width else AXIS_NAMES
    )
    width = len(names)
    for row in range(plot.top + plot.height - 1, plot.top + plot.height // 2, -1):
        columns = slice(plot.left + 1, plot.left + 1 + width)
        if width + 2 <= plot.width and bool((cells.glyphs[row, columns] == ord(" ")).all()):
            write(cells, row, plot.left + 1, names, Ink.DIM)
            return


def build_line_chart(chart: Chart, focus: str | None = None, baseline: str | None = None) -> LineChart:
    """Return the lines of a chart and their signs.

    From bottom to top: curves of the marked step, curves in the reverse order of the run tree, the focused one. With
    more than `MAX_LINES_IN_COLOUR`, all but the highlighted curves are one bundle.
    """
    ordered = _sort_for_drawing(chart.runs, focus)
    highlights = find_highlights(chart.runs, focus, baseline)
    bundled = [each for each in ordered if each.run not in highlights] if highlights else []
    ordered = [each for each in ordered if each.run in highlights] if highlights else ordered
    crowded = len(ordered) > MAX_MARKED_CURVES and any(each.run == focus for each in ordered)
    traces = [
        *(_trace(each.marked, each.ink, faint=True) for each in ordered if each.marked is not None),
        *(
            _trace(each.curve, each.ink, faint=crowded and each.run != focus)
            for each in ordered
            if each.curve is not None
        ),
    ]
    bundle = tuple(_trace(each.curve, int(BUNDLE_INKS[0]), faint=False) for each in bundled if each.curve is not None)
    return LineChart(tuple(traces), chart.x_axis, chart.y_axis, tuple(_build_signs(ordered, focus)), bundle=bundle)


def _build_highlights_legend(chart: Chart, pointer: CurveCursor, width: int) -> list[tuple[str, int]]:
    """Return `best lr=1e-3`, `worst lr=1e-1` … in their inks; empty if all curves have their colours."""
    reasons = find_highlights(chart.runs, pointer.focus, pointer.baseline)
    if not reasons:
        return []
    runs, inks = [each.run for each in chart.runs], [each.ink for each in chart.runs]
    return build_highlight_legend({runs.index(run): reason for run, reason in reasons.items()}, runs, inks, width)


def _sort_for_drawing(runs: Sequence[RunCurve], focus: str | None) -> list[RunCurve]:
    ordered = list(reversed(runs))
    ordered.sort(key=lambda each: each.run == focus)
    return ordered


def _trace(curve: Curve, ink: int, *, faint: bool) -> Trace:
    x, y, ascending = build_curve_line(curve)
    return Trace(x, y, ink, faint, ascending=ascending)


def _build_signs(ordered: Sequence[RunCurve], focus: str | None) -> Iterator[Sign]:
    """Yield signs at the best F1 of each curve, and over them at points after which a curve is not finite."""
    signed = [each for each in ordered if len(ordered) <= MAX_MARKED_CURVES or each.run == focus]
    for each in signed:
        yield from _sign_on_curve(each, None, BEST_SIGN)
    for each in signed:
        for x, y in find_gap_points(each.curve) if each.curve is not None else ():
            yield Sign(x, NAN_SIGN, each.ink, y)


def _build_threshold_marks(chart: Chart, pointer: CurveCursor) -> Iterator[Sign]:
    """Yield the marker of each run on its curve at the selected threshold."""
    ordered = _sort_for_drawing(chart.runs, pointer.focus)
    for each in ordered:
        if len(ordered) <= MAX_MARKED_CURVES or each.run == pointer.focus:
            yield from _sign_on_curve(each, pointer.threshold, get_series_marker(each.ink))


def _sign_on_curve(each: RunCurve, threshold: float | None, sign: str) -> Iterator[Sign]:
    point = None if each.curve is None else each.curve.point(threshold)
    if point is not None:
        yield Sign(point[0], sign, each.ink, point[1])


def _zoom_centre(chart: Chart, pointer: CurveCursor) -> tuple[float, float]:
    """Return the point that a zoom by key keeps in place: of the leading run, at the threshold or at its best F1."""
    leading = find_leading_run(chart.runs, pointer.focus)
    if leading is None or leading.curve is None:
        return math.nan, math.nan
    return leading.curve.point(pointer.threshold) or leading.curve.point(None) or (math.nan, math.nan)


AREA = "AUC (AP)"
"""The area under the curve is average precision: see `maths.pr_curves.average_precision`."""


def draw_curve_table(
    runs: Sequence[RunCurve], width: int, pointer: CurveCursor = NO_CURVE_CURSOR
) -> tuple[Cells, Cells, tuple[str, ...]]:
    """Return header (one row), rows (one for each run, in the chosen order), and the run of each row.

    Args:
        runs: Runs of a chart.
        width: Columns.
        pointer: State of the cursor; without a threshold each run is read at its best F1.
    """
    names = [each.run for each in runs]
    rows = [
        TableRow(each.run, short_name, each.ink, each.run == pointer.focus)
        for each, short_name in zip(runs, shorten_to_distinct(names), strict=True)
    ]
    order = order_rows(runs, pointer)
    header, body = draw_run_table(rows, _build_table_columns(runs, pointer), width, order)
    return header, body, tuple(names[index] for index in order)


def _build_table_columns(runs: Sequence[RunCurve], pointer: CurveCursor) -> list[TableColumn]:
    read = [None if each.curve is None else each.curve.at(pointer.threshold) for each in runs]
    best = [None if each.curve is None else each.curve.at(None) for each in runs]
    reasons = find_highlights(runs, pointer.focus, pointer.baseline)
    longest = max(map(len, reasons.values()), default=0)
    return [
        *([create_column("", [reasons.get(each.run, "").ljust(longest) for each in runs], 9)] if reasons else ()),
        create_column("step", [each.label.removeprefix("step ") for each in runs], 5),
        create_column("threshold", _format_readings(read, lambda reading: reading.threshold), 7),
        create_column(
            "precision", _format_readings(read, lambda reading: reading.precision), 9, pair="precision, recall"
        ),
        create_column("recall", _format_readings(read, lambda reading: reading.recall), 9, pair="precision, recall"),
        create_column("F1", _format_readings(read, lambda reading: reading.f1), 8),
        create_column("TP", _format_readings(read, lambda reading: reading.true_positives), 6, pair="counts"),
        create_column("FP", _format_readings(read, lambda reading: reading.false_positives), 6, pair="counts"),
        create_column("TN", _format_readings(read, lambda reading: reading.true_negatives), 6, pair="counts"),
        create_column("FN", _format_readings(read, lambda reading: reading.false_negatives), 6, pair="counts"),
        create_column(
            mark_order(AREA, pointer.order, pointer.focus),
            _format_column_values(None if math.isnan(each.area) else each.area for each in runs),
            10,
        ),
        *_build_delta_columns(runs, pointer.baseline),
        create_column(
            "best F1 @ threshold",
            _format_readings(best, lambda reading: reading.f1),
            5,
            [
                "" if reading is None else f" @ {format_number(reading.threshold, digits=3)} {BEST_SIGN}"
                for reading in best
            ],
        ),
    ]


def _format_readings(
    readings: Sequence[ThresholdReadout | None], get_value: Callable[[ThresholdReadout], float | None]
) -> list[str]:
    return _format_column_values(None if reading is None else get_value(reading) for reading in readings)


def _format_column_values(values: Iterable[float | None], *, with_signs: bool = False) -> list[str]:
    """Return the numbers of a column in one notation; a missing one has its own sign."""
    all_values = list(values)
    texts = iter(format_column([value for value in all_values if value is not None], with_signs=with_signs))
    return [NO_VALUE if value is None else next(texts) for value in all_values]


def _build_delta_columns(runs: Sequence[RunCurve], baseline: str | None) -> list[TableColumn]:
    """Return columns of differences of the area: to the baseline, and to the same run at the marked step."""
    columns = []
    if baseline is not None:
        base = next((each.area for each in runs if each.run == baseline), math.nan)
        baseline_signs = [BASELINE_SIGN if each.run == baseline else None for each in runs]
        texts = _format_differences([each.area - base for each in runs])
        columns.append(
            create_column("Δ AUC", [sign or text for sign, text in zip(baseline_signs, texts, strict=True)], 8)
        )
    if any(each.marked_step is not None for each in runs):
        marked = [math.nan if each.marked is None else each.area - each.marked.area for each in runs]
        columns.append(create_column("Δ AUC @ step", _format_differences(marked), 8, _format_marked_steps(runs)))
    return columns


def _format_differences(differences: Sequence[float]) -> list[str]:
    return _format_column_values(
        (None if math.isnan(difference) else difference for difference in differences), with_signs=True
    )


def _format_marked_steps(runs: Sequence[RunCurve]) -> list[str]:
    return [f" @ {each.marked_label.removeprefix('step ')}" if each.marked_label else "" for each in runs]


@frozen(eq=False)
class DrawnCurves(DrawnChart):
    """A chart in full size, with the slider of steps in its last row."""

    slider: PlotArea | None = None
    """Track of the slider within `cells`."""


@frozen(eq=False)
class OpenedCurves(OpenedCard):
    """A card in full size, in which the user also chooses a threshold."""

    slider: PlotArea | None = None
    """Track of the slider of steps within the picture."""

    thresholds: Floats = field(default_factory=lambda: np.empty(0))
    """Thresholds of all drawn points, float64[k], ascending."""

    visible_thresholds: Floats = field(default_factory=lambda: np.empty(0))
    """Those of them between which a key moves: each changes something that can be seen."""

    default_threshold: float | None = None
    """Threshold at the best F1 of the leading run, which is read while none is selected; None without one."""


class CurveSource(ChartSource[Chart]):
    """Draws the precision-recall charts of one view.

    Args:
        data: Chart data, kept from view to view.
        renderer: Renderer of the charts; kept from view to view.
        view: The view to draw.
    """

    def __init__(self, data: CurveChartCache, renderer: CurveRenderer, view: View) -> None:
        self._data = data
        self._renderer = renderer
        self._view = view
        self._runs = tuple(run.name for run in view.runs)
        self._cursor = create_curve_cursor(view.settings)

    def paint_key(self, key: str) -> Hashable:
        return self._data.build_chart_key(self._view, key), self._runs, self._cursor

    def chart(self, key: str, *, is_open: bool = False) -> Chart:  # noqa: ARG002 - an opened chart shows the same
        return self._data.chart(self._view, key)

    def card(self, chart: Chart, width: int, height: int, *, focused: bool, heading: str = "") -> DrawnChart:
        drawn_chart = self._renderer.card(
            chart, width, height, focused=focused, pointer=self._cursor, runs=self._runs, heading=heading
        )
        return replace(drawn_chart, stops=self._data.stops(self._view, chart.key))

    def detail(self, chart: Chart, width: int, height: int, *, has_table: bool) -> DrawnChart:
        """Draw a chart in full size; above a table, a slider of steps takes the last row."""
        stops = self._data.stops(self._view, chart.key)
        drawn_chart = self._renderer.body(chart, width, height - has_table, self._cursor)
        if not has_table:
            return replace(drawn_chart, stops=stops)
        bar = self._step_bar(chart, stops, width)
        track = None if bar.plot is None else bar.plot.translate(drawn_chart.cells.height, 0)
        return DrawnCurves(
            stack_cells(drawn_chart.cells, bar.cells), drawn_chart.plot, stops, drawn_chart.body, slider=track
        )

    def extend(self, opened: OpenedCard, chart: Chart, drawn_chart: DrawnChart) -> OpenedCurves:
        slider = drawn_chart.slider if isinstance(drawn_chart, DrawnCurves) else None
        leading = find_leading_run(chart.runs, self._cursor.focus)
        reading = None if leading is None or leading.curve is None else leading.curve.at(None)
        thresholds = _collect_thresholds(chart.runs)
        return OpenedCurves(
            key=opened.key,
            picture=opened.picture,
            header=opened.header,
            rows=opened.rows,
            plot=opened.plot,
            stops=opened.stops,
            runs=opened.runs,
            value_stops=opened.value_stops,
            slider=None if slider is None else slider.translate(1, 0),
            thresholds=thresholds,
            visible_thresholds=thresholds[find_visible_changes(leading, thresholds, drawn_chart.plot)],
            default_threshold=None if reading is None else reading.threshold,
        )

    def table(self, chart: Chart, width: int) -> tuple[Cells, Cells, tuple[str, ...]]:
        return draw_curve_table(chart.runs, width, self._cursor)

    def list_line_runs(self, chart: Chart) -> tuple[str, ...]:
        return tuple(each.run for each in chart.runs)

    def build_title_texts(self, chart: Chart, drawn_chart: DrawnChart, *, has_table: bool) -> tuple[str, ...]:  # noqa: ARG002
        runs, pointer = chart.runs, self._cursor
        if has_table:
            return *title_labels(runs, pointer), *zoom_labels(self._view.settings, chart.key), AXES
        leading = find_leading_run(runs, pointer.focus)
        reading = None if leading is None or leading.curve is None else leading.curve.at(pointer.threshold)
        brief, details = format_readout_labels(reading, pointer), (format_area_label(runs), step_label(runs, pointer))
        return (*details, *brief) if pointer.threshold is None else (*brief, *details)

    def settings_label(self, key: str) -> str:
        return format_settings_label(self._view.settings, key)

    def lines(self, chart: Chart, plot: PlotArea) -> list[tuple[str, Trace]]:  # noqa: ARG002
        return [
            (each.run, _trace(each.curve, each.ink, faint=False)) for each in chart.runs[::-1] if each.curve is not None
        ]

    def find_threshold(self, opened: OpenedCard, column: int, row: int) -> float | None:
        """Return the threshold of the nearest point, on the line nearest to a cell of the picture; None without one."""
        plot = opened.plot
        if plot is None:
            return None
        chart = self.chart(opened.key)
        run = self.run_at(chart, plot, column, row)
        curve = next((each.curve for each in chart.runs if each.run == run), None)
        if curve is None:
            return None
        across = plot.x_axis.unit(curve.recall) - plot.x_axis.unit(plot.get_x(column))
        down = plot.y_axis.unit(curve.precision) - plot.y_axis.unit(plot.get_y(row))
        # Rows are about twice as high as columns are wide.
        away = np.hypot(plot.width * across, 2 * plot.height * down)
        away[curve.is_nonfinite] = np.inf
        return float(curve.thresholds[int(np.argmin(away))])

    def _step_bar(self, chart: Chart, stops: Floats, width: int) -> StepSlider:
        """Return the slider of steps, one row below the plot."""
        settings = self._view.settings
        cursor, mark = settings.cursor, None if settings.cursor is None else settings.mark
        position = len(stops) if cursor is None or not len(stops) else find_nearest_point(stops, cursor) + 1
        noun = "value" if has_shared_positions(stops) else "step"
        words = iter_slider_labels(
            format_steps_label(chart.runs), position, len(stops), is_newest=cursor is None, noun=noun
        )
        return draw_step_slider(words, stops, cursor, mark, AXIS_KINDS[settings.x_axis], width)


def _collect_thresholds(runs: Sequence[RunCurve]) -> Floats:
    curves = [each.curve.thresholds[: each.curve.shown] for each in runs if each.curve is not None]
    return np.asarray(np.unique(np.concatenate([*curves, np.empty(0)])))


VISIBLE_THRESHOLDS = 100
"""Thresholds from 0 to 1 that differ visibly as numbers."""


def find_visible_changes(leading: RunCurve | None, thresholds: Floats, plot: PlotArea | None) -> npt.NDArray[np.bool_]:
    """Return the thresholds at which a cell of the leading curve, or a hundredth, begins; the ends too, bool[k].

    A curve may have thousands of thresholds, so that neighbours share a cell.

    Args:
        leading: The run that keys follow.
        thresholds: float64[k], ascending.
        plot: Plot area of the chart.
    """
    hundredths = np.floor(thresholds * VISIBLE_THRESHOLDS + 1e-9)
    is_change = np.append(True, hundredths[1:] > hundredths[:-1])[: len(thresholds)]
    is_change[-1:] = True
    if leading is not None and leading.curve is not None and plot is not None and len(thresholds):
        curve = leading.curve
        indices = np.minimum(np.searchsorted(curve.thresholds[: curve.shown], thresholds), curve.shown - 1)
        columns = to_columns(plot.x_axis, curve.recall, plot.width)[indices]
        rows = to_rows(plot.y_axis, curve.precision, plot.height)[indices]
        is_change[1:] |= (np.diff(columns) != 0) | (np.diff(rows) != 0)
    return is_change


PLANE = "precision (up) over recall (across), best F1 ★"


def create_pr_curve_charts(view: View, payloads: Payloads) -> Charts:
    """Return one chart per tag, with a curve for every run."""
    data = CurveChartCache(payloads)
    cards = data.cards(view)

    def legend(keys: Sequence[str]) -> Iterator[LegendEntry]:
        shown = {each.run for key in keys for each in data.chart(view, key).runs}
        return run_legend_entries(view, shown)

    caption = SEPARATOR.join((PLANE, format_settings_label(view.settings)))
    return Charts(
        cards.keys, Painter(CurveSource(data, CurveRenderer(), view), cards), legend, caption, names_in_frame=True
    )
