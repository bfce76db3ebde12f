"""From a view to what its charts show: frozen, and worked out anew only where something changed."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from typing import TYPE_CHECKING

from tbtui.charts.text import nameable
from tbtui.frozen import frozen
from tbtui.plugins.scalars.axes import LineAxes, beyond
from tbtui.plugins.scalars.cards import Cards, ShownCards, plain_title
from tbtui.plugins.scalars.groups import groups_of
from tbtui.plugins.scalars.lines import Line, LineKey, average_of, line_of
from tbtui.plugins.scalars.names import joint_title
from tbtui.plugins.scalars.words import why_blank
from tbtui.series.axes import step_origin
from tbtui.store.snapshot import ScalarSeries
from tbtui.viewstate.axes import axes_chosen, held_while
from tbtui.viewstate.best import best_by_name

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

    from tbtui.charts.axis import Axis
    from tbtui.plugins.scalars.groups import Group
    from tbtui.store.snapshot import Metadata
    from tbtui.viewstate.chart_choices import ReferenceLine
    from tbtui.viewstate.options import Best
    from tbtui.viewstate.view import View

MOST_POINTS = 4_000_000
"""Points of charts kept for the next look at them, about 16 bytes each; what is longest unseen goes first."""

LEAST_CHARTS = 32
"""Charts kept however many points they have: as many as are in sight at once, since a cursor looks at all of them."""


class NoPointsError(LookupError):
    """There is nothing to draw; the message says so in a sentence."""


@frozen(slots=False, eq=False)
class Chart:
    """What the chart of one card shows."""

    key: str
    """Of the card."""

    tags: tuple[str, ...]
    """In natural order: one, or those that are joined."""

    title: str
    """Not yet made safe for a terminal; neither is the description nor any run name."""

    description: str
    """Of the tag; empty where several are joined."""

    lines: tuple[Line, ...]
    """In the order of the run tree, the tags of a run in turn; at least one."""

    inks: tuple[int, ...]
    """Series ink of each line: of an average that of its first run."""

    x_axis: Axis
    y_axis: Axis
    levels: tuple[ReferenceLine, ...] = ()
    best: Best | None = None
    """Whether the least or the greatest value is the best; None where that is not known."""

    blank: str = ""
    """Why no line can be seen; empty when one can."""

    points: int = 0
    """Points of all lines."""

    beyond: tuple[bool, bool] = (False, False)
    """Whether there are values below, and above, what the y axis shows."""


class ScalarData:
    """The charts of all views shown so far. Used by one thread."""

    def __init__(self, most_points: int = MOST_POINTS, least_charts: int = LEAST_CHARTS) -> None:
        self._most_points = most_points
        self._least_charts = least_charts
        self._cards = ShownCards()
        self._axes = LineAxes()
        self._charts: OrderedDict[str, tuple[tuple[Hashable, ...], Chart]] = OrderedDict()
        self._view: View | None = None
        self._series: dict[str, tuple[ScalarSeries, ...]] = {}

    def cards(self, view: View) -> Cards:
        """Which cards there are, in order; the same object as long as they are the same."""
        return self._cards.of(view)

    def series(self, view: View, key: str) -> tuple[ScalarSeries, ...]:
        """The drawn series of card `key` that hold a point, in the order of the run tree, the tags of a run in turn."""
        if view is not self._view:
            self._view, self._series = view, {}
        known = self._series.get(key)
        if known is None:
            known = self._series[key] = tuple(scalar_series(view, self.cards(view).tags_of(key)))
        return known

    def names(self, view: View, key: str) -> set[str]:
        """The runs, and groups of runs, that the chart of card `key` may show."""
        groups = _groups(view) if is_averaging(view) else ()
        return {series.run for series in self.series(view, key)}.union(group.name for group in groups)

    def look(self, view: View, key: str) -> tuple[Hashable, ...]:
        """Everything that the chart of card `key` depends on: equal looks are equal charts."""
        choices = view.choices
        own = choices.chart(key)
        tags = self.cards(view).tags_of(key)  # a joined chart names also those that no drawn run holds
        return self._lines_look(view, key), axes_chosen(choices, key), own.lines, own.best, tags

    def _lines_look(self, view: View, key: str) -> Hashable:
        """Everything that the lines of the chart depend on."""
        choices = view.choices
        return (
            choices.x_axis,
            choices.smoothing,
            choices.skip_steps,
            choices.superseded,
            (choices.spread, _groups(view)) if is_averaging(view) else None,
            tuple((s.run, s.tag, s.revision, view.inks[s.run]) for s in self.series(view, key)),
        )

    def chart(self, view: View, key: str) -> Chart:
        """The chart of card `key`, of which at least one drawn run holds a tag.

        Raises:
            NoPointsError: When no drawn run holds a point of it, or all are skipped.
        """
        look = self.look(view, key)
        known = self._charts.get(key)
        if known is None or known[0] != look:
            lines = known[1].lines if known is not None else ()
            if known is None or known[0][0] != look[0]:
                lines = _lines(view, _unskipped(self.series(view, key), view.choices.skip_steps), lines)
            known = look, self._make(view, key, lines)
            self._charts[key] = known
            self._forget(key)
        else:
            self._charts.move_to_end(key)
        return known[1]

    def _make(self, view: View, key: str, lines: tuple[Line, ...]) -> Chart:
        choices, tags = view.choices, self.cards(view).tags_of(key)
        chosen, own = axes_chosen(choices, key), choices.chart(key)
        drawn = tuple((line.name, line.key.spread) for line in lines)
        held = held_while(view, {run for line in lines for run in line.runs})
        shown = (choices.smoothing, choices.skip_steps, choices.superseded, drawn, held)
        levels = [level.y for level in own.lines]
        x_axis, y_axis = self._axes.axes(key, lines, chosen, shown=shown, levels=levels)
        metadata = _metadata(self.series(view, key))
        return Chart(
            key,
            tags,
            joint_title([title_of(tag, metadata.get(tag)) for tag in tags]),
            metadata[tags[0]].description if len(tags) == 1 else "",
            lines,
            tuple(view.inks[line.runs[0]] for line in lines),
            x_axis,
            y_axis,
            own.lines,
            own.best or best_of_tags(tags),
            why_blank(lines, x_axis, y_axis, chosen),
            sum(line.points for line in lines),
            beyond(lines, x_axis, y_axis, chosen),
        )

    def _forget(self, newest: str) -> None:
        """Drop the charts longest unseen while there are too many points; the newest always stays."""
        self._charts.move_to_end(newest)
        points = sum(chart.points for _, chart in self._charts.values())
        while points > self._most_points and len(self._charts) > self._least_charts:
            _, (_, chart) = self._charts.popitem(last=False)
            points -= chart.points


def scalar_series(view: View, tags: Sequence[str]) -> Iterator[ScalarSeries]:
    """The drawn series of some tags that hold a point, in the order of the run tree, the tags of a run in turn."""
    for run in view.runs:
        for tag in tags:
            series = run.series.get(tag)
            if isinstance(series, ScalarSeries) and len(series):
                yield series


def is_averaging(view: View) -> bool:
    """Whether runs are averaged."""
    return bool(view.choices.group_pattern or view.choices.group_level)


def title_of(tag: str, metadata: Metadata | None) -> str:
    """The name to show for a tag: the display name when the writer gave one."""
    return nameable((metadata and metadata.display_name) or plain_title(tag))


def best_of_tags(tags: Iterable[str]) -> Best | None:
    """Which end of the values is the good one by the names of tags; None where they do not tell, or do not agree."""
    told = {best_by_name(tag) for tag in tags}
    return told.pop() if len(told) == 1 else None


def _groups(view: View) -> tuple[Group, ...]:
    return groups_of(tuple(run.name for run in view.runs), view.choices)


def _unskipped(all_series: Sequence[ScalarSeries], skip: int) -> list[ScalarSeries]:
    """The series that have a point at a step that is not skipped.

    Raises:
        NoPointsError: When there is none.
    """
    if not all_series:
        raise NoPointsError("no run that is shown holds a value of this tag")
    # Points that no restart superseded have ascending steps, so the last is the greatest.
    kept = [series for series in all_series if series.current.steps[-1] >= skip] if skip else list(all_series)
    if not kept:
        raise NoPointsError(f"all values are at steps below {skip}, which are skipped")
    return kept


def _lines(view: View, all_series: Sequence[ScalarSeries], known: Sequence[Line]) -> tuple[Line, ...]:
    """The line of each series, or of each group of runs; those known by the same key are kept."""
    choices = view.choices
    ends = (series.current.steps[[0, -1]] for series in all_series)
    origin = step_origin(ends) if choices.x_axis == "step" else 0
    held = {line.key: line for average in known for line in (average, *average.members)}
    lines = {}
    for series in all_series:
        key = LineKey(
            series.run,
            series.revision,
            choices.smoothing,
            choices.x_axis,
            origin,
            series.tag,
            choices.skip_steps,
            choices.superseded,
        )
        lines[series.run, series.tag] = held.get(key) or line_of(series, key)
    return tuple(_averaged(view, lines, held) if is_averaging(view) else lines.values())


def _averaged(view: View, lines: Mapping[tuple[str, str], Line], held: Mapping[LineKey, Line]) -> Iterator[Line]:
    """The lines of runs by themselves, and of each group of several the average."""
    tags = dict.fromkeys(tag for _, tag in lines)
    for group in _groups(view):
        for tag in tags:
            members = [line for run in group.runs if (line := lines.get((run, tag))) is not None]
            if len(members) > 1:
                keys = tuple(line.key for line in members)
                key = replace(keys[0], run=group.name, revision=0, members=keys, spread=view.choices.spread)
                yield held.get(key) or average_of(members, key)
            else:
                yield from members


def _metadata(all_series: Iterable[ScalarSeries]) -> dict[str, Metadata]:
    """What is known of each tag: of the first run that gives it a display name, otherwise of the first."""
    metadata: dict[str, Metadata] = {}
    for series in all_series:
        if series.tag not in metadata or (series.metadata.display_name and not metadata[series.tag].display_name):
            metadata[series.tag] = series.metadata
    return metadata
