"""Charts of scalars: axes, labels, and the cache of the charts of all views."""

from __future__ import annotations

import math
from collections import OrderedDict
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np

from tbtui.charts import numbers
from tbtui.charts.axis import supported_scale
from tbtui.charts.card import SEPARATOR
from tbtui.charts.text import visible_name
from tbtui.frozen import frozen
from tbtui.maths.axes import from_scale, step_origin, to_scale
from tbtui.maths.domain import LINEAR_SHARE, axis_span, extent, without_outliers
from tbtui.maths.x_values import TIME_AXES, wall_time_unit
from tbtui.plugins.scalars.cards import BoundTags, CardCache, joined_title, plain_title
from tbtui.plugins.scalars.series import (
    MAX_DETAILED_LINES,
    Line,
    LineKey,
    averaged_groups,
    groups_of,
    make_average,
    make_line,
)
from tbtui.run_health.anomalies import direction_by_name
from tbtui.settings.filters import cached_filter
from tbtui.settings.settings import FULL_RANGE, usable_range
from tbtui.store.snapshot import ScalarSeries
from tbtui.view.axes import (
    AXIS_KINDS,
    HeldAxes,
    axes_hold_key,
    axes_settings_of,
    clock_of,
    threshold_of,
    x_axis,
    y_axis,
)
from tbtui.view.descriptions import range_phrase, x_axis_labels, y_axis_label

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

    from tbtui.charts.axis import Axis
    from tbtui.maths.axes import Scale
    from tbtui.maths.domain import Limits
    from tbtui.maths.x_values import RunClock
    from tbtui.plugins.scalars.cards import Cards
    from tbtui.plugins.scalars.series import Floats, Group
    from tbtui.settings.settings import Best, Outliers, ReferenceLine, Settings
    from tbtui.store.snapshot import Metadata, Series
    from tbtui.view.axes import AxesSettings
    from tbtui.view.view import View

    Bounds: TypeAlias = tuple[ScalarSeries | None, ...]
    """Lower and upper bound of each band of a value."""


def visible_values(
    drawn: Iterable[tuple[Line, Floats]], x_axis: Axis | None = None, scale: Scale = "linear", threshold: float = 1.0
) -> Floats:
    """Return the values that an x axis shows, and those at which lines cross its ends: float64[n] of all lines.

    Args:
        drawn: Lines, which give x, and the values drawn at it: their own or others.
        x_axis: The visible part; None: everything.
        scale: Scale of the y axis.
        threshold: Threshold of a symlog scale.
    """
    if x_axis is None:
        parts = [values for _, values in drawn]
        return np.concatenate(parts) if parts else np.empty(0)
    parts, crossings = [], []
    low, high = x_axis.low, x_axis.high
    for line, values in drawn:
        x = line.x
        if not line.ascending:
            parts.append(values[(x >= low) & (x <= high)])
            continue
        first, end = int(x.searchsorted(low)), int(x.searchsorted(high, "right"))
        parts.append(values[first:end])
        for index, place in ((first, 0.0), (end, 1.0)):
            if 0 < index < len(x):
                crossings.append((place, x[index - 1], x[index], values[index - 1], values[index]))
    if crossings:
        parts.append(_crossed(np.array(crossings).T, x_axis, scale, threshold))
    return np.concatenate(parts) if parts else np.empty(0)


def _crossed(crossings: Floats, x_axis: Axis, scale: Scale, threshold: float) -> Floats:
    """Return the values of lines where they cross an end of the axis.

    Args:
        crossings: float64[5, n]: the place, x of the points before and after it, their values.
        x_axis: The visible part.
        scale: Scale of the y axis.
        threshold: Threshold of a symlog scale.
    """
    place, x, y = crossings[0], x_axis.unit(crossings[1:3]), to_scale(crossings[3:5], scale, threshold)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        part = np.where(x[1] > x[0], (place - x[0]) / (x[1] - x[0]), 1.0)
        return from_scale(y[0] * (1 - part) + y[1] * part, scale, threshold)


MAX_BACKGROUND_STRETCH = 2.0
"""Far raw values, bands and reference lines may make the y axis at most this many times as long."""

MIN_RANKED_VALUES = 40
MAX_RANKED_VALUES = 1 << 16
"""Values sorted to find outliers. With fewer than the minimum a twentieth is none; of more than the maximum, some are
skipped.
"""


class LineAxes:
    """Axes of all charts drawn so far: limits grow in nice steps, and start anew when the settings change."""

    def __init__(self) -> None:
        self._axes = HeldAxes()

    def axes(
        self,
        key: str,
        lines: Sequence[Line],
        chosen: AxesSettings,
        *,
        shown: Hashable = None,
        levels: Sequence[float] = (),
    ) -> tuple[Axis, Axis]:
        """Return the x and the y axis of a chart.

        Args:
            key: Key of the card.
            lines: At least one.
            chosen: Settings of the axes.
            shown: State of the view beside `chosen` and `levels`. While all three are equal, limits are held.
            levels: y of the reference lines.
        """
        shown = (chosen, shown, tuple(levels))
        former_x, former_y = self._axes.former(key, shown)
        origin = lines[0].key.origin
        x_scale = supported_scale(chosen.x_scale, AXIS_KINDS[chosen.x_axis], origin)
        ends = [_x_ends(line, x_scale, chosen.outliers) for line in lines]
        x, x_held = x_axis(ends, chosen, origin, former_x)
        in_sight = x if usable_range(chosen.x_range, x.scale, x.origin) != FULL_RANGE else None
        scale = chosen.y_scale
        # One array: with hundreds of lines, looking through each costs far more than putting them together.
        drawn = [(line, line.smoothed) for line in lines]
        main = visible_values(drawn, in_sight, scale)
        threshold = threshold_of(main, LINEAR_SHARE, scale, former_y)
        if in_sight is not None and scale == "symlog":  # only now it is known where lines enter and leave
            main = visible_values(drawn, in_sight, scale, threshold)
        behind = background_of(lines, levels, in_sight, scale, threshold)
        y, y_held = y_axis(y_extent(main, behind, scale, threshold, chosen.outliers), chosen, threshold, former_y)
        self._axes.keep(key, shown, x_held, y_held)
        return x, y


def clipped_sides(lines: Sequence[Line], x: Axis, y: Axis, chosen: AxesSettings) -> tuple[bool, bool]:
    """Return whether visible values lie below and above the y axis. Both are False if its range was set by hand."""
    if usable_range(chosen.y_range, y.scale) != FULL_RANGE or all(_holds(y, line) for line in lines):
        return False, False
    in_sight = x if usable_range(chosen.x_range, x.scale, x.origin) != FULL_RANGE else None
    main = visible_values([(line, line.smoothed) for line in lines], in_sight, y.scale, y.threshold)
    behind = background_of(lines, (), in_sight, y.scale, y.threshold)
    values = np.concatenate([main, behind.raw, behind.superseded, *behind.others])
    values = values[np.isfinite(values)]
    return bool((values < y.low).any()), bool((values > y.high).any())


def _holds(y: Axis, line: Line) -> bool:
    """Return True if an axis shows all values of a line and of its band; smoothed values lie between the raw ones."""
    least, greatest = line.extremes.least, line.extremes.greatest
    drawn = [] if least is None or greatest is None else [line.values[[least, greatest]]]
    drawn += _edges(line)
    drawn += [] if line.superseded is None else [line.superseded[1]]
    return not any(((part < y.low) | (part > y.high)).any() for part in drawn)


def _edges(line: Line) -> list[Floats]:
    """Return the edges of the band of a line, those of its further bands, and bounds that are alone."""
    margins = [*filter(None, [line.margin]), *line.further]
    further = [edge for margin in line.further for edge in (margin.low, margin.high)]
    return [*(line.edges or ()), *further, *(bound for margin in margins for bound in margin.lone)]


def _x_ends(line: Line, scale: Scale, outliers: Outliers) -> Floats:
    """Return values that include the least and the greatest x, and those next to zero if the scale needs them."""
    x, superseded = line.x, line.superseded
    if line.key.x_axis in ("step", "order"):
        zero = int(x.searchsorted(0.0))
        x = x[[0, -1]] if scale == "linear" else np.concatenate([x[[0, -1]], x[max(zero - 1, 0) : zero + 2]])
    elif outliers != "keep" and len(line.time_outliers):
        x = np.delete(x, line.time_outliers)
    return x if superseded is None else np.concatenate([x, superseded[0]])


@frozen(eq=False)
class Background:
    """Values drawn behind the lines, float64[n] each."""

    raw: Floats
    """Raw values of smoothed lines; the y axis shows most of them."""

    superseded: Floats
    """Superseded points on request; the y axis shows them."""

    others: tuple[Floats, ...]
    """Bands and reference lines; one too far from the lines is not shown."""


def background_of(
    lines: Sequence[Line],
    levels: Sequence[float] = (),
    in_sight: Axis | None = None,
    scale: Scale = "linear",
    threshold: float = 1.0,
) -> Background:
    """Return the values drawn behind the lines; with many lines there are no raw values and no bands."""
    few = len(lines) <= MAX_DETAILED_LINES
    raw = [(line, line.values) for line in lines if few and line.smoothed is not line.values and line.edges is None]
    edges = [(line, edge) for line in lines if few for edge in _edges(line)]
    superseded = [
        y if in_sight is None else y[(x >= in_sight.low) & (x <= in_sight.high)]
        for x, y in (line.superseded for line in lines if line.superseded is not None)
    ]
    return Background(
        visible_values(raw, in_sight, scale, threshold),
        np.concatenate(superseded) if superseded else np.empty(0),
        (*([visible_values(edges, in_sight, scale, threshold)] if edges else ()), *(np.array([y]) for y in levels)),
    )


def y_extent(
    main: Floats, behind: Background, scale: Scale = "linear", threshold: float = 1.0, outliers: Outliers = "auto"
) -> Limits | None:
    """Return the limits of the y axis.

    TensorBoard leaves out a twentieth of the values at each end, and all raw ones: that is `ignore`; `keep` leaves out
    nothing. `auto` leaves out values only if the chart would be flat with them (most charts lose nothing, and few
    points are never outliers). Of raw values it leaves out at most a twentieth at each end, if they are far from the
    rest; bands and reference lines if they are far from the lines.
    """
    if outliers == "ignore":
        return extent([main], scale=scale, ignore_outliers=True)
    limits = extent([main], scale=scale)
    if outliers == "keep":
        return _union(limits, extent([behind.raw, behind.superseded, *behind.others], scale=scale))
    if limits is not None:
        limits = _without_outliers(main, limits, scale, threshold)
    limits = _union(
        limits, extent([behind.raw[:: 1 + len(behind.raw) // MAX_RANKED_VALUES]], scale=scale, ignore_outliers=True)
    )
    room = math.inf if limits is None else MAX_BACKGROUND_STRETCH * axis_span(limits, scale, threshold)
    superseded = extent([behind.superseded], scale=scale)
    if superseded is not None:
        limits = _union(limits, _without_outliers(behind.superseded, superseded, scale, threshold))
    for values in (behind.raw, *behind.others):
        wider = _union(limits, extent([values], scale=scale))
        if wider is not None and axis_span(wider, scale, threshold) <= room:
            limits = wider
    return limits


def _union(limits: Limits | None, others: Limits | None) -> Limits | None:
    if limits is None or others is None:
        return others if limits is None else limits
    return min(limits[0], others[0]), max(limits[1], others[1])


def _without_outliers(values: Floats, everything: Limits, scale: Scale, threshold: float) -> Limits:
    if len(values) < MIN_RANKED_VALUES:
        return everything
    most = extent([values[:: 1 + len(values) // MAX_RANKED_VALUES]], scale=scale, ignore_outliers=True)
    return everything if most is None else without_outliers(values, most, scale, threshold) or everything


def smoothing_label(smoothing: float) -> str:
    """Return `smooth .60`, `smooth .999` or `smooth off`."""
    if smoothing <= 0:
        return "smooth off"
    text = f"{smoothing:.3f}".removesuffix("0")
    return f"smooth {text.removeprefix('0')}"


def settings_label(settings: Settings, key: str | None = None, runs: Sequence[str] | None = None) -> str:
    """Return how the charts, or one of them, are drawn: `smooth .60 · y log · x step 120–400`. Defaults are left out.

    Args:
        settings: The settings.
        key: Card of one chart; None: all charts.
        runs: Names of the runs that are drawn, to tell how many averages there are of them.
    """
    parts = (
        smoothing_label(settings.smoothing),
        _average_word(settings, runs),
        y_axis_label(settings, key),
        {"auto": "", "ignore": "outliers ignored", "keep": "outliers kept"}[settings.outliers],
        *x_axis_labels(settings, key),
    )
    return SEPARATOR.join(filter(None, parts))


def clipped_label(sides: tuple[bool, bool]) -> str:
    """Return `values above the axis`, `… below …`, `… outside …`; empty if the axis shows all of them."""
    where = {(True, False): "below", (False, True): "above", (True, True): "outside"}.get(sides)
    return f"values {where} the axis" if where else ""


def left_out_label(chart: Chart, *, brief: bool = False) -> str:
    """Return what the chart leaves out, and doubts about its times: `11 superseded (u)`.

    Args:
        chart: Data of the chart.
        brief: Without key and details, for a card.
    """
    parts = (
        f"{chart.superseded:,} superseded{'' if brief else ' (u)'}" if chart.superseded else "",
        f"{chart.time_outliers:,} off the x axis" if chart.time_outliers else "",
        f"{chart.timeless:,} without a time" if chart.timeless else "",
        f"{chart.off_axis:,} off the x axis" if chart.off_axis else "",
        f"times in {chart.time_unit}?" if chart.time_unit else "",
    )
    return SEPARATOR.join(filter(None, parts))


def _average_word(settings: Settings, runs: Sequence[str] | None) -> str:
    """Return `mean ±std of 3 groups`."""
    if not (settings.group_pattern or settings.group_level or settings.run_groups):
        return ""
    word = f"mean {'±std' if settings.spread == 'std' else 'min–max'}"
    if runs is None:
        return word
    groups = len(averaged_groups(groups_of(runs, settings)))
    error = None if settings.run_groups else cached_filter(settings.group_pattern).error
    if settings.group_pattern and error:
        return f"nothing averaged: pattern {error}"
    return f"{word} of {numbers.counted(groups, 'group')}" if groups else "no runs to average"


def empty_message(lines: Sequence[Line], x_axis: Axis, y_axis: Axis, chosen: AxesSettings) -> str:
    """Return why no line of a chart is visible; empty if one is."""
    greatest = [line.values[line.extremes.greatest] for line in lines if line.extremes.greatest is not None]
    if not greatest:
        return "no value is a finite number"
    if y_axis.scale == "log" and max(greatest) <= 0:
        return "all values ≤ 0: none fits a log axis"
    if chosen.x_axis == "tag" and not any(bool(np.isfinite(line.x).any()) for line in lines):
        return f"no value at a step of {chosen.x_tag or 'the tag on the x axis'}"
    if x_axis.scale == "log" and not any(bool((line.x > 0).any()) for line in lines):
        noun = {"step": "step", "tag": chosen.x_tag}.get(chosen.x_axis, "time")
        return f"every {noun} is ≤ 0: none fits a log axis"
    x_range = usable_range(chosen.x_range, x_axis.scale, x_axis.origin)
    y_range = usable_range(chosen.y_range, y_axis.scale)
    in_sight = None if x_range == FULL_RANGE else x_axis
    if in_sight is None and y_range == FULL_RANGE:
        return ""
    found = False
    for line in lines:
        values = visible_values([(line, line.smoothed)], in_sight, y_axis.scale, y_axis.threshold)
        values = values[np.isfinite(values)]
        if len(values) and values.min() <= y_axis.high and values.max() >= y_axis.low:
            return ""
        found |= bool(len(values))
    if found:
        return f"no value here between {numbers.short(y_axis.low)} and {numbers.short(y_axis.high)}"
    return f"no value {range_phrase(*chosen.x_range, chosen.x_axis)}"


MAX_CACHED_POINTS = 4_000_000
"""Points of cached charts, about 16 bytes each; the least recently used chart is dropped first."""

MIN_CACHED_CHARTS = 32
"""Charts cached however many points they have: as many as fit on a screen, since the cursor reads all of them."""


class NoPointsError(LookupError):
    """There is nothing to draw; the message is a sentence for users."""


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
    """In the order of the run tree, and for each run in the order of tags; at least one."""

    inks: tuple[int, ...]
    """Ink of each line; an average has the ink of its first run."""

    x_axis: Axis
    y_axis: Axis
    levels: tuple[ReferenceLine, ...] = ()
    best: Best | None = None
    """Direction of the best value; None if it is unknown."""

    blank: str = ""
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
    """Parts of the layout that the chart lacks; not yet safe for a terminal."""

    in_layout: bool = False
    """True if a layout made the chart: its tags are named even while it has no focus."""

    by_tag: bool = False
    """True if the colour of a line stands for its tag, because all lines belong to one run."""


class CardSource(Protocol):
    """Lists the cards of a view."""

    def of(self, view: View) -> Cards:
        """Return the cards in order; the same object as long as nothing changes."""


class ScalarData:
    """The charts of all views shown so far. Used by one thread.

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

    def cards(self, view: View) -> Cards:
        """Return the cards in order; the same object as long as nothing changes."""
        return self._cards.of(view)

    def series(self, view: View, key: str) -> tuple[ScalarSeries, ...]:
        """Return the drawn series of card `key` with points, in the order of the run tree and the tags of a run."""
        if view is not self._view:
            self._view, self._series = view, {}
        known = self._series.get(key)
        if known is None:
            known = self._series[key] = tuple(scalar_series(view, self.cards(view).tags_of(key)))
        return known

    def names(self, view: View, key: str) -> set[str]:
        """Return the runs, and groups of runs, that the chart of card `key` may show."""
        groups = _groups(view) if is_averaging(view) else ()
        return {series.run for series in self.series(view, key)}.union(group.name for group in groups)

    def look(self, view: View, key: str) -> tuple[Hashable, ...]:
        """Everything that the chart of card `key` depends on: equal looks are equal charts."""
        settings = view.settings
        own = settings.chart(key)
        cards = self.cards(view)
        tags = cards.tags_of(key)  # a joined chart names also those that no drawn run holds
        card = cards.card(key)
        notes = () if card is None else (card.title, card.notes, len(view.runs) == 1)
        return self._lines_look(view, key), axes_settings_of(settings, key), own.lines, own.best, tags, notes

    def _lines_look(self, view: View, key: str) -> Hashable:
        """Everything that the lines of the chart depend on."""
        settings = view.settings
        return (
            settings.x_axis,
            settings.smoothing,
            settings.skip_steps,
            settings.superseded,
            (settings.spread, settings.average_end, _groups(view)) if is_averaging(view) else None,
            tuple((s.run, s.tag, s.revision, view.inks[s.run], _clock(view, s)) for s in self.series(view, key)),
            tuple(map(_bounds_key, self._bounds(view, key).values())),
        )

    def _bounds(self, view: View, key: str) -> Mapping[tuple[str, str], Bounds]:
        """Return the series of the bounds of each value of a margin chart, by run and tag."""
        card = self.cards(view).card(key)
        if card is None or not card.bounds:
            return {}
        found: dict[tuple[str, str], Bounds] = {}
        for series in self.series(view, key):
            held = view.snapshot.runs[series.run].series
            found[series.run, series.tag] = tuple(
                _scalars(held.get(tag))
                for tags in card.bounds.get(series.tag, (BoundTags(),))
                for tag in (tags.lower, tags.upper)
            )
        return found

    def chart(self, view: View, key: str) -> Chart:
        """Return the chart of card `key`; at least one drawn run has its tag.

        Raises:
            NoPointsError: When no drawn run holds a point of it, or all are skipped.
        """
        look = self.look(view, key)
        known = self._charts.get(key)
        if known is None or known[0] != look:
            lines = known[1].lines if known is not None else ()
            if known is None or known[0][0] != look[0]:
                series = _unskipped(self._held(view, key), view.settings.skip_steps)
                lines = _lines(view, series, lines, self._bounds(view, key))
            known = look, self._make(view, key, lines)
            self._charts[key] = known
            self._forget(key)
        else:
            self._charts.move_to_end(key)
        return known[1]

    def _held(self, view: View, key: str) -> Sequence[ScalarSeries]:
        """Return the series of a card.

        Raises:
            NoPointsError: There is none; a layout says what it lacks.
        """
        held, card = self.series(view, key), self.cards(view).card(key)
        if not held and card is not None and card.notes:
            raise NoPointsError("; ".join(card.notes))
        return held

    def _make(self, view: View, key: str, lines: tuple[Line, ...]) -> Chart:
        settings, tags = view.settings, self.cards(view).tags_of(key)
        chosen, own = axes_settings_of(settings, key), settings.chart(key)
        drawn = tuple((line.name, line.key.spread) for line in lines)
        hold_key = axes_hold_key(view, {run for line in lines for run in line.runs})
        shown = (settings.smoothing, settings.skip_steps, settings.superseded, drawn, hold_key)
        levels = [level.y for level in own.lines]
        x_axis, y_axis = self._axes.axes(key, lines, chosen, shown=shown, levels=levels)
        metadata, card = _metadata(self.series(view, key)), self.cards(view).card(key)
        in_layout = card is not None and card.joint is None
        by_tag = in_layout and len(view.runs) == 1
        return Chart(
            key=key,
            tags=tags,
            title=(card and card.title) or joined_title([tag_title(tag, metadata.get(tag)) for tag in tags]),
            description=metadata[tags[0]].description if len(tags) == 1 else "",
            lines=lines,
            inks=tuple(tags.index(line.key.tag) if by_tag else view.inks[line.runs[0]] for line in lines),
            x_axis=x_axis,
            y_axis=y_axis,
            levels=own.lines,
            best=own.best or best_of_tags(tags),
            blank=empty_message(lines, x_axis, y_axis, chosen),
            points=sum(line.points for line in lines),
            beyond=clipped_sides(lines, x_axis, y_axis, chosen),
            time_outliers=_time_outliers(lines, chosen),
            off_axis=sum(each.off_axis for line in lines for each in line.members or (line,)),
            timeless=sum(each.timeless for line in lines for each in line.members or (line,)),
            superseded=0 if settings.superseded else sum(line.left_out for line in lines),
            time_unit=_time_unit(lines, chosen),
            notes=(*(card.notes if card is not None else ()), *margin_notes(lines)),
            in_layout=in_layout,
            by_tag=by_tag,
        )

    def _forget(self, newest: str) -> None:
        """Drop the charts longest unseen while there are too many points; the newest always stays."""
        self._charts.move_to_end(newest)
        points = sum(chart.points for _, chart in self._charts.values())
        while points > self._most_points and len(self._charts) > self._least_charts:
            _, (_, chart) = self._charts.popitem(last=False)
            points -= chart.points


def margin_notes(lines: Sequence[Line]) -> Iterator[str]:
    """Yield what is wrong with the bounds of lines, one sentence each."""
    if any(line.members and any(member.margin is not None for member in line.members) for line in lines):
        yield "the band is that of the averaged runs, not the logged bounds"
    margins = [margin for line in lines for margin in (line.margin, *line.further) if margin is not None]
    if len(lines) > MAX_DETAILED_LINES and margins:
        yield f"no bands: more than {MAX_DETAILED_LINES} lines"
    crossed = sum(int(margin.crossed.sum()) for margin in margins)
    if crossed:
        yield f"bounds crossed at {numbers.counted(crossed, 'point')}"
    between = sum(int(margin.interpolated.sum()) for margin in margins)
    if between:
        yield f"bounds interpolated at {numbers.counted(between, 'point')}"
    missing = sum(int((~margin.has_both).sum()) for margin in margins if np.isfinite(margin.low).any())
    if missing:
        yield f"no bounds at {numbers.counted(missing, 'point')}"


def _scalars(series: Series | None) -> ScalarSeries | None:
    return series if isinstance(series, ScalarSeries) and len(series) else None


def _bounds_key(bounds: Bounds) -> tuple[tuple[str, int] | None, ...]:
    return tuple(None if series is None else (series.tag, series.revision) for series in bounds)


def _time_outliers(lines: Sequence[Line], chosen: AxesSettings) -> int:
    if chosen.outliers == "keep" or chosen.x_range != FULL_RANGE:
        return 0
    return sum(len(each.time_outliers) for line in lines for each in line.members or (line,))


def _time_unit(lines: Sequence[Line], chosen: AxesSettings) -> str:
    if chosen.x_axis not in TIME_AXES:
        return ""
    starts = (each.wall_times[0] for line in lines for each in line.members or (line,) if each.wall_times is not None)
    return next((unit for start in starts if (unit := wall_time_unit(float(start))[1])), "")


def scalar_series(view: View, tags: Sequence[str]) -> Iterator[ScalarSeries]:
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
    return visible_name((metadata and metadata.display_name) or plain_title(tag))


def best_of_tags(tags: Iterable[str]) -> Best | None:
    """Return whether small or large values are better, by the names of tags; None if unknown or contradictory."""
    directions = {direction_by_name(tag) for tag in tags}
    return directions.pop() if len(directions) == 1 else None


def _groups(view: View) -> tuple[Group, ...]:
    return groups_of(tuple(run.name for run in view.runs), view.settings)


def _unskipped(all_series: Sequence[ScalarSeries], skip: int) -> list[ScalarSeries]:
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


def _clock(view: View, series: ScalarSeries) -> RunClock:
    return clock_of(view.snapshot.runs[series.run], view.settings.x_axis, view.settings.x_tag)


def _lines(
    view: View,
    all_series: Sequence[ScalarSeries],
    known: Sequence[Line],
    all_bounds: Mapping[tuple[str, str], Bounds],
) -> tuple[Line, ...]:
    """Return the line of each series, or of each group of runs; lines in `known` with the same key are reused."""
    settings = view.settings
    ends = (series.current.steps[[0, -1]] for series in all_series)
    origin = step_origin(ends) if settings.x_axis == "step" else 0
    known_lines = {line.key: line for average in known for line in (average, *average.members)}
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
            _clock(view, series),
            bounds=_bounds_key(bounds := all_bounds.get((series.run, series.tag), ())),
        )
        lines[series.run, series.tag] = known_lines.get(key) or make_line(series, key, bounds)
    return tuple(_averaged(view, lines, known_lines) if is_averaging(view) else lines.values())


def _averaged(view: View, lines: Mapping[tuple[str, str], Line], known_lines: Mapping[LineKey, Line]) -> Iterator[Line]:
    """Yield the lines of single runs, and the average of each group of several runs."""
    tags = dict.fromkeys(tag for _, tag in lines)
    for group in _groups(view):
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
                yield known_lines.get(key) or make_average(members, key)
            else:
                yield from members


def _metadata(all_series: Iterable[ScalarSeries]) -> dict[str, Metadata]:
    """Return the metadata of each tag: of the first run with a display name, or else of the first run."""
    metadata: dict[str, Metadata] = {}
    for series in all_series:
        if series.tag not in metadata or (series.metadata.display_name and not metadata[series.tag].display_name):
            metadata[series.tag] = series.metadata
    return metadata
