"""Draws the scalar charts of one view."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from tbtui.charts import numbers
from tbtui.charts.annotations import Band, ReferenceLine, draw_empty_message
from tbtui.charts.bundle import MAX_LINES_IN_COLOUR, BundleCache
from tbtui.charts.canvas import DASH_PATTERNS
from tbtui.charts.card import (
    FRAME_MARGIN,
    SEPARATOR,
    RenderCache,
    choose_note,
    compute_body_size,
    measure_remark,
    select_bottom_remark,
    stack_cells,
)
from tbtui.charts.cells import BUNDLE_INKS, Cells, Ink
from tbtui.charts.hit_testing import find_cursor_stops
from tbtui.charts.line_chart import (
    BEST_SIGN,
    CROSSED_SIGN,
    MAX_SIGN,
    MIN_SIGN,
    NAN_SIGN,
    RESTART_SIGN,
    LineChart,
    Sign,
    Trace,
    draw_clip_markers,
    draw_line_picture,
)
from tbtui.charts.series_colours import dash_patterns
from tbtui.charts.text import cell_width, fit, write
from tbtui.plugins.scalars.chart import Chart, NoPointsError, ScalarData
from tbtui.plugins.scalars.chart_labels import format_clipped_label, format_left_out_label, format_settings_label
from tbtui.plugins.scalars.lines import MAX_DETAILED_LINES
from tbtui.plugins.scalars.readout import (
    MAX_LEGEND_NAME_COLUMNS,
    NO_SCALAR_CURSOR,
    Readout,
    build_legend,
    create_scalar_cursor,
    end_labels,
    find_best_point,
    format_brief_values,
    format_unnamed_lines_label,
    is_smoothed,
    list_full_names,
    list_short_names,
    shows_run,
)
from tbtui.view.card_painter import ChartSource, DrawnChart, Painter, create_empty_chart, frame_chart
from tbtui.view.descriptions import format_cursor, format_x_value
from tbtui.view.highlights import separate_inks
from tbtui.view.run_names import fit_names
from tbtui.view.tag_tree import cut_heading

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

    from tbtui.charts.axis import Axis
    from tbtui.charts.chart_layout import PlotArea
    from tbtui.charts.line_chart import LinePicture
    from tbtui.export.drawing.sheet import LegendEntry
    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.picture import Charts
    from tbtui.plugins.scalars.averages import Floats
    from tbtui.plugins.scalars.lines import Line
    from tbtui.plugins.scalars.readout import ScalarCursor
    from tbtui.view.view import View


WARNING_SIGN = "⚠"
"""Sign before a note on what a chart lacks."""

MAX_NOTE_LINES = 3
"""Lines below an opened chart that say what it lacks."""

COUNT_COLUMNS = 6
"""Columns that a note leaves to the count of the legend behind it."""

PARTIAL_PATTERN = 2
"""Dots of an average where not all of its runs are present; see `charts.canvas.DASH_PATTERNS`."""


def build_line_chart(chart: Chart, width: int, height: int, pointer: ScalarCursor = NO_SCALAR_CURSOR) -> LineChart:
    """Return traces, bands, marks and levels of a chart, without cursor.

    From bottom to top: superseded points, raw values, smoothed lines in the reverse order of the run tree, the focused
    run. With many lines, raw values, bands and extremes are left out, and a focused run makes all others faint. With
    more than `MAX_LINES_IN_COLOUR`, all but the highlighted lines are one bundle.

    Args:
        chart: Data of the chart.
        width: Columns of the chart, which limit the names at line ends.
        height: Rows of the chart, which limit their number.
        pointer: State of the cursor, whose focus, baseline and marks are drawn.
    """
    few = len(chart.lines) <= MAX_DETAILED_LINES
    in_focus = frozenset(index for index, line in enumerate(chart.lines) if shows_run(line, pointer.focus))
    order = sorted(range(len(chart.lines)), key=lambda index: (index in in_focus, -index))
    ends = Readout(chart, _hide_cursor(pointer))
    labels = end_labels(ends, width, height)
    highlights = ends.highlights
    bundled = [index for index in order if index not in highlights] if highlights else []
    order = [*reversed(highlights)] if highlights else order
    traces = [
        *_build_superseded_traces(chart, order),
        *(_build_raw_traces(chart, order) if few else ()),
        *(_build_lone_bounds(chart, order) if few else ()),
        *(
            trace
            for index in order
            for trace in _build_line_traces(
                chart, index, labels, faint=not few and not highlights and bool(in_focus) and index not in in_focus
            )
        ),
    ]
    unnamed_label = format_unnamed_lines_label(ends, labels)
    if unnamed_label:
        traces.append(Trace(np.empty(0), np.empty(0), Ink.DIM, label=unnamed_label))
    return LineChart(
        tuple(traces),
        chart.x_axis,
        chart.y_axis,
        tuple(_point_signs(chart, order, pointer, few=few)),
        tuple(_build_bands(chart, order)) if few else (),
        tuple(ReferenceLine(level.y, level.name or numbers.format_number(level.y)) for level in chart.levels),
        bundle=tuple(_bundle_traces(chart, index) for index in bundled),
    )


def _bundle_traces(chart: Chart, index: int) -> Trace:
    line = chart.lines[index]
    return Trace(
        *find_visible_points(line, line.smoothed, chart.x_axis),
        int(BUNDLE_INKS[0]),
        ascending=line.ascending,
        pattern=0,
    )


def _hide_cursor(pointer: ScalarCursor) -> ScalarCursor:
    """Return the state without cursor, for labels at line ends, which do not move with it."""
    return replace(pointer, cursor=None, mark=None)


def _build_line_traces(chart: Chart, index: int, labels: Mapping[int, str], *, faint: bool) -> Iterator[Trace]:
    """Yield the trace of a line; for an average, also a dotted one where some of its runs are missing."""
    line, ink, label = chart.lines[index], chart.inks[index], labels.get(index, "")
    x, y = find_visible_points(line, line.smoothed, chart.x_axis)
    is_partial = None if line.band is None else line.band.count < len(line.members)
    if is_partial is None or not is_partial.any():
        yield Trace(x, y, ink, faint, label, line.ascending, _get_dash_pattern(chart, line))
        return
    # Both traces have the points at which one goes over into the other.
    borders = np.flatnonzero(is_partial[1:] != is_partial[:-1])
    with_borders = is_partial.copy()
    with_borders[borders] = with_borders[borders + 1] = True
    # A line is interrupted where x is not a number; y that is not a number would be marked.
    yield Trace(np.where(is_partial, np.nan, x), y, ink, faint, "", False, _get_dash_pattern(chart, line))
    yield Trace(np.where(with_borders, x, np.nan), y, ink, faint, label, False, PARTIAL_PATTERN)


def find_visible_points(line: Line, values: Floats, x_axis: Axis) -> tuple[Floats, Floats]:
    """Return x and values of a line without points at absurd wall times, unless the x axis includes them."""
    outliers = line.time_outliers
    if len(outliers):
        outliers = outliers[(line.x[outliers] < x_axis.low) | (line.x[outliers] > x_axis.high)]
    return (np.delete(line.x, outliers), np.delete(values, outliers)) if len(outliers) else (line.x, values)


def _get_dash_pattern(chart: Chart, line: Line) -> int | None:
    """Return the dashes of a line: joined tags differ by them; a single tag leaves them to the chart."""
    return None if len(chart.tags) == 1 or chart.by_tag else chart.tags.index(line.key.tag) % len(DASH_PATTERNS)


def _build_raw_traces(chart: Chart, order: Sequence[int]) -> Iterator[Trace]:
    for line, ink in _sort_lines(chart, order):
        if line.smoothed is not line.values and line.edges is None:
            x, y = find_visible_points(line, line.values, chart.x_axis)
            yield Trace(x, y, ink, is_faint=True, ascending=line.ascending, pattern=_get_dash_pattern(chart, line))


def _build_lone_bounds(chart: Chart, order: Sequence[int]) -> Iterator[Trace]:
    """Yield dots at bounds of a margin chart whose counterpart is missing, and lines at the edges of further bands."""
    for line, ink in _sort_lines(chart, order):
        further = (bound for margin in line.further for bound in (margin.lower, margin.upper))
        for bound in (*(() if line.margin is None else line.margin.lone), *further):
            if np.isfinite(bound).any():
                # A line is interrupted where x is not a number; y that is not a number would be marked.
                x = np.where(np.isfinite(bound), line.x, np.nan)
                yield Trace(x, bound, ink, is_faint=True, ascending=False, pattern=PARTIAL_PATTERN)


def _build_superseded_traces(chart: Chart, order: Sequence[int]) -> Iterator[Trace]:
    for line, ink in _sort_lines(chart, order):
        if line.superseded is not None:
            yield Trace(*line.superseded, ink, is_faint=True, ascending=False, pattern=0)


def _build_bands(chart: Chart, order: Sequence[int]) -> Iterator[Band]:
    for line, ink in _sort_lines(chart, order):
        if line.edges is not None:
            yield Band(line.x, *line.edges, ink)


def _point_signs(chart: Chart, order: Sequence[int], pointer: ScalarCursor, *, few: bool) -> Iterator[Sign]:
    for line, ink in _sort_lines(chart, order) if few else ():
        for index in line.restarts:
            yield Sign(float(line.x[index]), RESTART_SIGN, ink, float(line.smoothed[index]))
        for index in line.lost:
            yield Sign(float(line.x[index]), NAN_SIGN, ink, float(line.smoothed[index]))
        yield from build_crossing_signs([(line, ink)])
        if pointer.extremes:
            yield from _build_extreme_signs(line, ink)
    best = find_best_point(chart) if pointer.extremes and chart.best is not None else None
    if best is not None:
        index, point = best
        yield _build_sign(chart.lines[index], point, BEST_SIGN, chart.inks[index])


def build_crossing_signs(lines: Iterable[tuple[Line, int]]) -> Iterator[Sign]:
    """Yield a sign wherever the bounds of a line of a margin chart begin to be crossed."""
    for line, ink in lines:
        if line.margin is not None:
            for index in np.flatnonzero(np.diff(line.margin.crossed.astype(np.int8), prepend=0) > 0).tolist():
                yield Sign(float(line.x[index]), CROSSED_SIGN, ink, float(line.margin.high[index]))


def _build_extreme_signs(line: Line, ink: int) -> Iterator[Sign]:
    for point, sign in ((line.extremes.minimum, MIN_SIGN), (line.extremes.maximum, MAX_SIGN)):
        if point is not None:
            yield _build_sign(line, point, sign, ink)


def _build_sign(line: Line, point: int, sign: str, ink: int) -> Sign:
    """Return a mark at a raw value, which may be far from the smoothed line."""
    return Sign(float(line.x[point]), sign, ink, float(line.values[point]))


def _sort_lines(chart: Chart, order: Sequence[int]) -> Iterator[tuple[Line, int]]:
    return ((chart.lines[index], chart.inks[index]) for index in order)


@dataclass(slots=True, eq=False)
class _Picture:
    """A chart without cursor."""

    lines: LinePicture
    stops: Floats | None = None
    """Positions of the cursor; None until they are needed."""


class ScalarRenderer:
    """Draws charts, and caches them without the cursor, which it draws over them. Used by one thread."""

    def __init__(self) -> None:
        self._cache: RenderCache[Chart, _Picture] = RenderCache()
        self._bundles = BundleCache()
        self._recoloured: WeakKeyDictionary[Chart, Chart] = WeakKeyDictionary()

    def recolour(self, chart: Chart, pointer: ScalarCursor) -> Chart:
        """Return a crowded chart with different colours of its highlighted lines; other charts as they are."""
        if len(chart.lines) <= MAX_LINES_IN_COLOUR:
            return chart
        inks = separate_inks(chart.inks, Readout(chart, _hide_cursor(pointer)).highlights)
        if inks == chart.inks:
            return chart
        recoloured = self._recoloured.get(chart)
        if recoloured is None or recoloured.inks != inks:
            recoloured = self._recoloured[chart] = replace(chart, inks=inks)
        return recoloured

    def card(
        self,
        chart: Chart,
        width: int,
        height: int,
        *,
        focused: bool,
        pointer: ScalarCursor = NO_SCALAR_CURSOR,
        heading: str = "",
    ) -> DrawnChart:
        """Draw a chart in the frame of its card; its title does not repeat `heading`, the focused card has a legend."""
        title = cut_heading(chart.title, heading)
        body = self.body(chart, *compute_body_size(width, height), pointer, with_stops=focused)
        is_named = not body.has_line_names and (
            focused or (chart.in_layout and len(chart.tags) > 1) or len(chart.lines) > MAX_LINES_IN_COLOUR
        )
        values, left_out = format_value_notes(chart, pointer), format_left_out_label(chart)
        full = [SEPARATOR.join((text, left_out)) for text in values] if left_out else []
        note = choose_note([*full[:-1], *values[:-1], *full[-1:], values[-1]], title, width)
        remark = select_bottom_remark(left_out, note)
        warnings = list(_format_brief_notes(chart, width - FRAME_MARGIN - (COUNT_COLUMNS if is_named else 0)))
        if warnings and cell_width(warnings[0][0]) + measure_remark(remark) > width - FRAME_MARGIN:
            remark = ""
        names = list(warnings)
        legend_width = width - FRAME_MARGIN - measure_remark(remark)
        if is_named:
            readout = Readout(chart, pointer)
            names += build_legend(readout, legend_width)
            # The key of the remark is in the footer and the help; the name of a run stands nowhere else on the card.
            for shorter in (remark.partition(" (")[0], ""):
                if len(names) == len(warnings) or cell_width(names[0][0]) + COUNT_COLUMNS <= legend_width:
                    break
                remark, legend_width = shorter, width - FRAME_MARGIN - measure_remark(shorter)
                names = [*warnings, *build_legend(readout, legend_width)]
        spans = format_span_notes(chart, pointer)
        if spans and not any(text in note for text in spans):
            free_columns = legend_width - sum(cell_width(text) + 1 for text, _ in names)
            names += [(text, Ink.DIM) for text in spans[:1] if cell_width(text) <= free_columns]
        return frame_chart(body, title, width, height, focused=focused, note=note, legend=names, remark=remark)

    def body(
        self,
        chart: Chart,
        width: int,
        height: int,
        pointer: ScalarCursor = NO_SCALAR_CURSOR,
        *,
        with_stops: bool = True,
    ) -> DrawnChart:
        """Draw a chart without frame; without a visible line it shows the reason."""
        if width <= 0 or height <= 0:
            return create_empty_chart(width, height)
        still = replace(pointer, cursor=None, mark=None)
        picture = self._cache.picture(
            chart,
            width,
            height,
            still,
            lambda: _Picture(self._draw(build_line_chart(chart, width, height, still), chart.key, width, height)),
        )
        cells, layout = picture.lines.at(pointer.cursor, pointer.mark), picture.lines.layout
        draw_clip_markers(cells, layout, chart.beyond)
        if chart.empty_reason:
            draw_empty_message(cells, chart.empty_reason, layout.plot)
        if with_stops and picture.stops is None:
            picture.stops = find_cursor_stops((line.x for line in chart.lines), layout.plot)
        stops = picture.stops if with_stops else None
        return DrawnChart(cells, layout.plot, stops, picture.lines, layout.margin > 0)

    def _draw(self, lines: LineChart, key: str, width: int, height: int) -> LinePicture:
        bundle = self._bundles.get((key, width, height)) if lines.bundle else None
        return draw_line_picture(lines, width, height, bundle=bundle)


def _format_brief_notes(chart: Chart, width: int) -> Iterator[tuple[str, int]]:
    """Yield the first note of a chart, cut, with the number of the others."""
    if chart.notes:
        more = f" +{len(chart.notes) - 1}" if len(chart.notes) > 1 else ""
        yield fit(f"{WARNING_SIGN} {chart.notes[0]}", max(width - len(more), 1)) + more, Ink.WARN


def format_summary(chart: Chart, pointer: ScalarCursor) -> str:
    """Return a short summary: the value of the run in focus, or else `format_value_note`.

    `seed0 .943`; between mark and cursor the change: `seed0 +0.0074`, `±0 – +0.0074`.
    """
    readings = Readout(chart, pointer)
    focused = readings.focus if len(chart.lines) > 1 else None
    stretches = readings.stretches if focused is None else readings.stretches[focused : focused + 1]
    changes = [stretch.change for stretch in stretches if stretch is not None]
    finite = [change for change in changes if np.isfinite(change)]
    ends = [min(finite), max(finite)] if finite else changes[:1]
    stand = " – ".join(dict.fromkeys(numbers.format_difference(end, digits=3) for end in ends))
    if focused is None:
        return stand or _format_values(readings)
    name = fit_names(list_short_names(chart), MAX_LEGEND_NAME_COLUMNS)[focused]
    return f"{name} {stand or format_brief_values(readings, [focused])[0]}"


def format_value_note(chart: Chart, pointer: ScalarCursor = NO_SCALAR_CURSOR) -> str:
    """Return the longest of `format_value_notes`."""
    return format_value_notes(chart, pointer)[0]


def format_value_notes(chart: Chart, pointer: ScalarCursor = NO_SCALAR_CURSOR) -> tuple[str, ...]:
    """Return ever shorter notes of the drawn values: `last smoothed 0.143 – 1.42`, and the runs without a number.

    At the cursor the values are those there: `@ 312 smoothed 0.15 – 1.5`. Lines without a number come first, as they
    are trouble: `✗ NaN in 2 runs`, or of a single line the step from which on it has none: `✗ NaN @252`.
    """
    trouble, spans = _format_nonfinite(Readout(chart, pointer)), format_span_notes(chart, pointer)
    return (*(f"{trouble}{SEPARATOR}{text}" for text in spans), trouble) if trouble else spans


def format_span_notes(chart: Chart, pointer: ScalarCursor = NO_SCALAR_CURSOR) -> tuple[str, ...]:
    """Return ever shorter notes of the least and the greatest drawn value; none if no value is finite."""
    readout = Readout(chart, pointer)
    span, coarse = _format_range(readout), _format_coarse_range(readout)
    where = "last"
    if pointer.cursor is not None:
        where = f"@ {format_x_value(chart.lines[0].key.x_axis, pointer.cursor + chart.x_axis.origin)}"
    smoothed = "smoothed " if is_smoothed(chart) else ""
    if not span:
        return ()
    shorter = smoothed or f"{where} "
    notes = (f"{where} {smoothed}{span}", f"{shorter}{span}", f"{shorter}{coarse}")
    return tuple(dict.fromkeys(note for note in notes if len(note) <= len(notes[1]) or note == notes[0]))


def _format_values(readings: Readout) -> str:
    """Return the range of drawn values, after the number of runs without a number."""
    return SEPARATOR.join(filter(None, (_format_nonfinite(readings), _format_range(readings))))


def _format_range(readings: Readout) -> str:
    """Return the least and the greatest drawn value, `0.143 – 1.42`; empty if none is finite."""
    values = readings.shown
    finite = values[np.isfinite(values)]
    ends = [float(finite.min()), float(finite.max())] if len(finite) else []
    texts = format_brief_values(readings, [0]) if len(values) == 1 and ends else numbers.format_brief_distinct(ends)
    return " – ".join(dict.fromkeys(texts))


def _format_coarse_range(readings: Readout) -> str:
    """Return the range in fiftieths of its size, `0.08 – 0.93`; the exact one of a single value or an extreme size."""
    values = readings.shown
    finite = values[np.isfinite(values)]
    size = float(finite.max() - finite.min()) if len(finite) else 0.0
    if not MIN_COARSE_RANGE <= size < MAX_COARSE_RANGE:
        return _format_range(readings)
    decimals = max(math.ceil(-math.log10(size / 50)), 0)
    ends = (round(float(end), decimals) + 0.0 for end in (finite.min(), finite.max()))  # + 0.0: no negative zero
    return " – ".join(f"{end:.{decimals}f}" for end in ends)


MIN_COARSE_RANGE, MAX_COARSE_RANGE = 1e-3, 1e4
"""Sizes of a range of values that plain decimals can express in a few characters."""


def _format_nonfinite(readings: Readout) -> str:
    """Return `✗ NaN in 2 runs`, or of a single line `✗ NaN @252`; empty if all drawn values are finite."""
    nonfinite = np.flatnonzero(~np.isfinite(readings.shown))
    if not len(nonfinite):
        return ""
    text = f"✗ {numbers.format_brief(float(readings.shown[nonfinite[0]]))}"
    lines = readings.chart.lines
    if len(lines) == 1:
        return text + _format_since(readings)
    runs = {lines[index].key.run for index in nonfinite}  # a run may have lines of several tags
    return f"{text} in {numbers.format_count(len(runs), 'run')}"


def _format_since(readings: Readout) -> str:
    """Return ` @252`: the step from which the only line has no number; empty without steps."""
    line, index = readings.chart.lines[0], readings.indices[0]
    if line.steps is None:
        return ""
    finite = np.flatnonzero(np.isfinite(line.values[: index + 1]))
    return f" @{numbers.format_step(int(line.steps[finite[-1] + 1 if len(finite) else 0]))}"


class ScalarSource(ChartSource[Chart]):
    """Draws the scalar charts of one view.

    Args:
        data: Chart data, kept from view to view.
        renderer: Renderer of the charts; kept from view to view.
        view: The view to draw.
    """

    def __init__(self, data: ScalarData, renderer: ScalarRenderer, view: View) -> None:
        self._data = data
        self._renderer = renderer
        self._view = view

    def paint_key(self, key: str) -> Hashable:
        settings = self._view.settings
        focus = settings.focus if settings.focus in self._data.names(self._view, key) else None
        return (
            self._data.build_chart_key(self._view, key),
            self.settings_label(key),
            replace(create_scalar_cursor(settings), focus=focus),
        )

    def chart(self, key: str, *, is_open: bool = False) -> Chart:  # noqa: ARG002 - an opened chart shows the same
        chart = self._data.chart(self._view, key)
        if self._view.settings.colour_by:
            return chart  # the colours mean a hyperparameter
        return self._renderer.recolour(chart, self._create_cursor(chart))

    def card(self, chart: Chart, width: int, height: int, *, focused: bool, heading: str = "") -> DrawnChart:
        return self._renderer.card(
            chart, width, height, focused=focused, pointer=self._create_cursor(chart), heading=heading
        )

    def detail(self, chart: Chart, width: int, height: int, *, has_table: bool) -> DrawnChart:  # noqa: ARG002
        """Draw a chart in full size, and below it notes on missing data."""
        notes = chart.notes[: min(MAX_NOTE_LINES, max(height - 6, 0))]
        drawn_chart = self._renderer.body(chart, width, height - len(notes), self._create_cursor(chart))
        if not notes:
            return drawn_chart
        lines = Cells.blank(len(notes), width)
        for y, note in enumerate(notes):
            write(lines, y, 0, fit(f"{WARNING_SIGN} {note}", width), Ink.WARN)
        return replace(drawn_chart, cells=stack_cells(drawn_chart.cells, lines))

    def table(self, chart: Chart, width: int) -> tuple[Cells, Cells, tuple[str, ...]]:
        from tbtui.plugins.scalars.readout_table import build_line_table  # only opened charts have a table

        return *build_line_table(chart, width, self._create_cursor(chart)), self.list_line_runs(chart)

    def list_line_runs(self, chart: Chart) -> tuple[str, ...]:
        return tuple(chart.lines[line].key.run for line in Readout(chart, self._create_cursor(chart)).rows)

    def build_title_texts(self, chart: Chart, drawn_chart: DrawnChart, *, has_table: bool) -> tuple[str, ...]:  # noqa: ARG002
        if has_table:
            return self.settings_label(chart.key), format_clipped_label(chart.beyond), format_left_out_label(chart)
        pointer = self._create_cursor(chart)
        cursor = format_cursor(self._view.settings, brief=pointer.mark is not None)
        return format_summary(chart, pointer), cursor, format_left_out_label(chart)

    def settings_label(self, key: str) -> str:
        return format_settings_label(self._view.settings, key, [run.name for run in self._view.runs])

    def lines(self, chart: Chart, plot: PlotArea) -> list[tuple[str, Trace]]:
        return [
            (line.key.run, Trace(*find_visible_points(line, line.smoothed, plot.x_axis), 0, ascending=line.ascending))
            for line in reversed(chart.lines)
        ]

    def _create_cursor(self, chart: Chart) -> ScalarCursor:
        return create_scalar_cursor(self._view.settings, chart.x_axis.origin)


def create_scalar_charts(view: View, _payloads: Payloads) -> Charts:
    """Return one chart per tag, with a legend of all lines."""
    return create_charts(ScalarData(), view)


def create_charts(data: ScalarData, view: View) -> Charts:
    """Return the charts of all cards of a view, with a legend of all lines."""
    from tbtui.export.drawing.sheet import LegendEntry  # heavy, and the dashboard needs it only to save a picture
    from tbtui.plugins.picture import Charts

    cards = data.cards(view)

    def legend(keys: Sequence[str]) -> Iterator[LegendEntry]:
        for key in keys:
            try:
                chart = data.chart(view, key)
            except NoPointsError:
                continue
            dashes = dash_patterns(chart.inks)
            joint = len(chart.tags) > 1 and not chart.by_tag
            for name, line, ink in zip(list_full_names(chart), chart.lines, chart.inks, strict=True):
                yield LegendEntry(name, ink, chart.tags.index(line.key.tag) if joint else dashes[ink])

    caption = format_settings_label(view.settings, runs=[run.name for run in view.runs])
    return Charts(cards.keys, Painter(ScalarSource(data, ScalarRenderer(), view), cards), legend, caption)
