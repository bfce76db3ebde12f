"""Charts of scalars: axes, labels, and the cache of the charts of all views."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeAlias

from tbtui.charts.text import format_run_name
from tbtui.frozen import frozen
from tbtui.maths.x_values import TIME_AXES, guess_wall_time_unit, step_origin
from tbtui.plugins.scalars.cards import BoundTags, CardCache, format_plain_title, join_titles
from tbtui.plugins.scalars.chart_labels import format_empty_message, format_margin_notes
from tbtui.plugins.scalars.line_axes import LineAxes, find_clipped_sides
from tbtui.plugins.scalars.lines import Line, LineKey, make_average, make_line
from tbtui.plugins.scalars.run_groups import group_by_settings
from tbtui.run_health.anomalies import guess_metric_direction
from tbtui.settings.settings import FULL_RANGE
from tbtui.store.snapshot import ScalarSeries
from tbtui.view.card_painter import NoDataError
from tbtui.view.chart_axes import get_axes_settings, get_clock, make_hold_key

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence

    from tbtui.charts.axis import Axis
    from tbtui.maths.x_values import RunClock
    from tbtui.plugins.scalars.cards import Cards
    from tbtui.plugins.scalars.run_groups import Group
    from tbtui.settings.settings import Best, ReferenceLine
    from tbtui.store.snapshot import Metadata, Series
    from tbtui.view.chart_axes import AxesSettings
    from tbtui.view.view import View

    Bounds: TypeAlias = tuple[ScalarSeries | None, ...]
    """Lower and upper bound of each band of a value."""


MAX_CACHED_POINTS = 4_000_000
"""Points of cached charts, about 16 bytes each; the least recently used chart is dropped first."""


MIN_CACHED_CHARTS = 32
"""Charts cached however many points they have: as many as fit on a screen, since the cursor reads all of them."""


class NoPointsError(NoDataError):
    """Raised when there is no point to draw. The message is a sentence for users."""


@frozen(slots=False, eq=False)
class Chart:
    """Data of the chart of one card."""

    key: str
    """Key of the card."""

    tags: tuple[str, ...]
    """One tag, or joined tags in natural order."""

    title: str
    """Title; not yet safe for a terminal, nor are the description and the names of runs."""

    description: str
    """Description of the tag; empty for joined tags."""

    lines: tuple[Line, ...]
    """Lines in the order of the run tree, and for each run in the order of tags; at least one."""

    inks: tuple[int, ...]
    """Ink of each line; an average has the ink of its first run."""

    x_axis: Axis
    y_axis: Axis
    levels: tuple[ReferenceLine, ...] = ()
    best: Best | None = None
    """Direction of the best value; None if it is unknown."""

    empty_reason: str = ""
    """Why no line can be seen; empty when one can."""

    points: int = 0
    """Points of all lines."""

    beyond: tuple[bool, bool] = (False, False)
    """True for values below, and above, the y axis."""

    time_outliers: int = 0
    """Number of points with an absurd wall time that the x axis leaves out."""

    off_axis: int = 0
    """Number of points at steps without a value of the tag that is the x axis."""

    timeless: int = 0
    """Number of points that an axis of times leaves out because their wall time is no number."""

    superseded: int = 0
    """Number of points that the step axis leaves out because later ones superseded them."""

    time_unit: str = ""
    """Unit that wall times seem to be in, such as `milliseconds`; empty: seconds."""

    notes: tuple[str, ...] = ()
    """Notes on missing parts of its layout and on unreadable values; not yet safe for a terminal."""

    in_layout: bool = False
    """True if a layout made the chart: its tags are named even while it has no focus."""

    by_tag: bool = False
    """True if colours distinguish tags, because all lines belong to one run."""


class CardSource(Protocol):
    """Lists the cards of a view."""

    def of(self, view: View) -> Cards:
        """Return the cards in order; the same object as long as nothing changes."""


class ScalarData:
    """Caches the charts of all views. Used by one thread.

    Args:
        most_points: Points of cached charts.
        least_charts: Charts cached however many points they have.
        cards: Lists the cards; None: a card for each tag, and for each set of joined tags.
    """

    def __init__(
        self,
        most_points: int = MAX_CACHED_POINTS,
        least_charts: int = MIN_CACHED_CHARTS,
        cards: CardSource | None = None,
    ) -> None:
        self._most_points = most_points
        self._least_charts = least_charts
        self._cards = CardCache() if cards is None else cards
        self._axes = LineAxes()
        self._charts: OrderedDict[str, tuple[tuple[Hashable, ...], Chart]] = OrderedDict()
        self._view: View | None = None
        self._series: dict[str, tuple[ScalarSeries, ...]] = {}
        self._clocks: dict[str, RunClock] = {}
        """Clocks by run, of the same view."""

    def cards(self, view: View) -> Cards:
        """Return the cards in order; the same object as long as nothing changes."""
        return self._cards.of(view)

    def series(self, view: View, key: str) -> tuple[ScalarSeries, ...]:
        """Return the drawn series of card `key` with points, in the order of the run tree and the tags of a run."""
        if view is not self._view:
            self._view, self._series, self._clocks = view, {}, {}
        cached = self._series.get(key)
        if cached is None:
            cached = self._series[key] = tuple(self.find_series(view, key))
        return cached

    def find_series(self, view: View, key: str) -> Iterator[ScalarSeries]:
        """Yield the drawn series of card `key`. A dashboard that reads them from files overrides it."""
        return list_scalar_series(view, self.cards(view).list_tags(key))

    def notes(self, view: View, key: str) -> tuple[str, ...]:
        """Return sentences about data that the chart of card `key` lacks; not yet safe for a terminal."""
        card = self.cards(view).card(key)
        return () if card is None else card.notes

    def names(self, view: View, key: str) -> set[str]:
        """Return the names of the runs and groups of runs that the chart of card `key` may show."""
        groups = _group_runs(view) if is_averaging(view) else ()
        return {series.run for series in self.series(view, key)}.union(group.name for group in groups)

    def build_chart_key(self, view: View, key: str) -> tuple[Hashable, ...]:
        """Return the cache key of the chart of card `key`: all data and settings that it depends on."""
        settings = view.settings
        chart_settings = settings.chart(key)
        cards = self.cards(view)
        tags = cards.list_tags(key)  # a joined chart names also those that no drawn run holds
        card = cards.card(key)
        notes = () if card is None else (card.title, card.notes, len(view.runs) == 1)
        return (
            self._build_lines_key(view, key),
            get_axes_settings(settings, key),
            chart_settings.lines,
            chart_settings.best,
            tags,
            notes,
        )

    def _build_lines_key(self, view: View, key: str) -> Hashable:
        """Return the part of `build_chart_key` that the lines depend on."""
        settings = view.settings
        return (
            settings.x_axis,
            settings.smoothing,
            settings.skip_steps,
            settings.superseded,
            (settings.spread, settings.average_end, _group_runs(view)) if is_averaging(view) else None,
            tuple(
                (s.run, s.tag, s.revision, view.inks[s.run], self._get_clock(view, s)) for s in self.series(view, key)
            ),
            tuple(map(_build_bounds_key, self._find_bounds(view, key).values())),
        )

    def _get_clock(self, view: View, series: ScalarSeries) -> RunClock:
        """Return the clock of the run of a series of `self.series(view, …)`; its charts need those of many runs."""
        clock = self._clocks.get(series.run)
        if clock is None:
            clock = get_clock(view.snapshot.runs[series.run], view.settings.x_axis, view.settings.x_tag)
            self._clocks[series.run] = clock
        return clock

    def _find_bounds(self, view: View, key: str) -> Mapping[tuple[str, str], Bounds]:
        """Return the series of the bounds of each value of a margin chart, by run and tag."""
        card = self.cards(view).card(key)
        if card is None or not card.bounds:
            return {}
        bounds: dict[tuple[str, str], Bounds] = {}
        for series in self.series(view, key):
            run_series = view.snapshot.runs[series.run].series
            bounds[series.run, series.tag] = tuple(
                _get_scalars(run_series.get(tag))
                for tags in card.bounds.get(series.tag, (BoundTags(),))
                for tag in (tags.lower, tags.upper)
            )
        return bounds

    def chart(self, view: View, key: str) -> Chart:
        """Return the chart of card `key`; at least one drawn run has its tag.

        Raises:
            NoPointsError: When no drawn run holds a point of it, or all are skipped.
        """
        inputs = self.build_chart_key(view, key)
        cached = self._charts.get(key)
        if cached is None or cached[0] != inputs:
            lines = cached[1].lines if cached is not None else ()
            if cached is None or cached[0][0] != inputs[0]:
                series = _drop_skipped(self._find_series(view, key), view.settings.skip_steps)
                lines = _build_lines(view, series, lines, self._find_bounds(view, key), partial(self._get_clock, view))
            cached = inputs, self._make(view, key, lines)
            self._charts[key] = cached
            self._forget(key)
        else:
            self._charts.move_to_end(key)
        return cached[1]

    def _find_series(self, view: View, key: str) -> Sequence[ScalarSeries]:
        """Return the series of a card.

        Raises:
            NoPointsError: There is none; the notes say what is missing.
        """
        card_series = self.series(view, key)
        if not card_series and (notes := self.notes(view, key)):
            raise NoPointsError("; ".join(notes))
        return card_series

    def _make(self, view: View, key: str, lines: tuple[Line, ...]) -> Chart:
        settings, tags = view.settings, self.cards(view).list_tags(key)
        axes_settings, chart_settings = get_axes_settings(settings, key), settings.chart(key)
        line_names = tuple((line.name, line.key.spread) for line in lines)
        hold_key = make_hold_key(view, {run for line in lines for run in line.runs})
        inputs = (settings.smoothing, settings.skip_steps, settings.superseded, line_names, hold_key)
        levels = [level.y for level in chart_settings.lines]
        x_axis, y_axis = self._axes.axes(key, lines, axes_settings, inputs=inputs, levels=levels)
        metadata, card = _collect_metadata(self.series(view, key)), self.cards(view).card(key)
        in_layout = card is not None and card.joint is None
        by_tag = in_layout and len(view.runs) == 1 and len(tags) > 1
        return Chart(
            key=key,
            tags=tags,
            title=(card and card.title) or join_titles([tag_title(tag, metadata.get(tag)) for tag in tags]),
            description=metadata[tags[0]].description if len(tags) == 1 else "",
            lines=lines,
            inks=tuple(tags.index(line.key.tag) if by_tag else view.inks[line.runs[0]] for line in lines),
            x_axis=x_axis,
            y_axis=y_axis,
            levels=chart_settings.lines,
            best=chart_settings.best or guess_direction(tags),
            empty_reason=format_empty_message(lines, x_axis, y_axis, axes_settings),
            points=sum(line.points for line in lines),
            beyond=find_clipped_sides(lines, x_axis, y_axis, axes_settings),
            time_outliers=_time_outliers(lines, axes_settings),
            off_axis=sum(each.off_axis for line in lines for each in line.members or (line,)),
            timeless=sum(each.timeless for line in lines for each in line.members or (line,)),
            superseded=0 if settings.superseded else sum(line.left_out for line in lines),
            time_unit=_time_unit(lines, axes_settings),
            notes=(*self.notes(view, key), *format_margin_notes(lines)),
            in_layout=in_layout,
            by_tag=by_tag,
        )

    def _forget(self, newest: str) -> None:
        """Drop the least recently used charts while there are too many points; the newest always stays."""
        self._charts.move_to_end(newest)
        points = sum(chart.points for _, chart in self._charts.values())
        while points > self._most_points and len(self._charts) > self._least_charts:
            _, (_, chart) = self._charts.popitem(last=False)
            points -= chart.points


def _get_scalars(series: Series | None) -> ScalarSeries | None:
    return series if isinstance(series, ScalarSeries) and len(series) else None


def _build_bounds_key(bounds: Bounds) -> tuple[tuple[str, int] | None, ...]:
    return tuple(None if series is None else (series.tag, series.revision) for series in bounds)


def _time_outliers(lines: Sequence[Line], axes_settings: AxesSettings) -> int:
    if axes_settings.outliers == "keep" or axes_settings.x_range != FULL_RANGE:
        return 0
    return sum(len(each.time_outliers) for line in lines for each in line.members or (line,))


def _time_unit(lines: Sequence[Line], axes_settings: AxesSettings) -> str:
    if axes_settings.x_axis not in TIME_AXES:
        return ""
    starts = (each.wall_times[0] for line in lines for each in line.members or (line,) if each.wall_times is not None)
    return next((unit for start in starts if (unit := guess_wall_time_unit(float(start))[1])), "")


def list_scalar_series(view: View, tags: Sequence[str]) -> Iterator[ScalarSeries]:
    """Yield the drawn series of some tags that hold a point, in the order of the run tree, then of tags."""
    for run in view.runs:
        for tag in tags:
            series = run.series.get(tag)
            if isinstance(series, ScalarSeries) and len(series):
                yield series


def is_averaging(view: View) -> bool:
    """Return True if runs are averaged."""
    return bool(view.settings.group_pattern or view.settings.group_level or view.settings.run_groups)


def tag_title(tag: str, metadata: Metadata | None) -> str:
    """Return the display name of a tag, or else the tag."""
    return format_run_name((metadata and metadata.display_name) or format_plain_title(tag))


def guess_direction(tags: Iterable[str]) -> Best | None:
    """Return the direction of better values, guessed from the names of tags; None if unknown or contradictory."""
    directions = {guess_metric_direction(tag) for tag in tags}
    return directions.pop() if len(directions) == 1 else None


def _group_runs(view: View) -> tuple[Group, ...]:
    return group_by_settings(tuple(run.name for run in view.runs), view.settings)


def _drop_skipped(all_series: Sequence[ScalarSeries], skip: int) -> list[ScalarSeries]:
    """Return the series with a point that is not skipped.

    Raises:
        NoPointsError: When there is none.
    """
    if not all_series:
        raise NoPointsError("no visible run has a value of this tag")
    # The steps of `current` increase, and it holds the greatest of all.
    remaining = [series for series in all_series if series.current.steps[-1] >= skip] if skip else list(all_series)
    if not remaining:
        raise NoPointsError(f"all values are at steps below {skip}, which are skipped")
    return remaining


def _build_lines(
    view: View,
    all_series: Sequence[ScalarSeries],
    previous_lines: Sequence[Line],
    all_bounds: Mapping[tuple[str, str], Bounds],
    clock_of_series: Callable[[ScalarSeries], RunClock],
) -> tuple[Line, ...]:
    """Return the line of each series, or of each group of runs, reusing those of `previous_lines` by key."""
    settings = view.settings
    ends = (series.current.steps[[0, -1]] for series in all_series)
    origin = step_origin(ends) if settings.x_axis == "step" else 0
    lines_by_key = {line.key: line for average in previous_lines for line in (average, *average.members)}
    lines = {}
    for series in all_series:
        key = LineKey(
            series.run,
            series.revision,
            settings.smoothing,
            settings.x_axis,
            origin,
            series.tag,
            settings.skip_steps,
            settings.superseded,
            clock_of_series(series),
            bounds=_build_bounds_key(bounds := all_bounds.get((series.run, series.tag), ())),
        )
        lines[series.run, series.tag] = lines_by_key.get(key) or make_line(series, key, bounds)
    return tuple(_average_groups(view, lines, lines_by_key) if is_averaging(view) else lines.values())


def _average_groups(
    view: View, lines: Mapping[tuple[str, str], Line], lines_by_key: Mapping[LineKey, Line]
) -> Iterator[Line]:
    """Yield the lines of single runs, and the average of each group of several runs."""
    tags = dict.fromkeys(tag for _, tag in lines)
    for group in _group_runs(view):
        for tag in tags:
            members = [line for run in group.runs if (line := lines.get((run, tag))) is not None]
            if len(members) > 1:
                keys = tuple(line.key for line in members)
                key = replace(
                    keys[0],
                    run=group.name,
                    revision=0,
                    members=keys,
                    spread=view.settings.spread,
                    average_end=view.settings.average_end,
                )
                yield lines_by_key.get(key) or make_average(members, key)
            else:
                yield from members


def _collect_metadata(all_series: Iterable[ScalarSeries]) -> dict[str, Metadata]:
    """Return the metadata of each tag: of the first run with a display name, or else of the first run."""
    metadata: dict[str, Metadata] = {}
    for series in all_series:
        if series.tag not in metadata or (series.metadata.display_name and not metadata[series.tag].display_name):
            metadata[series.tag] = series.metadata
    return metadata
