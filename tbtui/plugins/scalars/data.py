"""From a view to what its charts show: frozen, and worked out anew only where something changed."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tbtui.charts.text import nameable
from tbtui.plugins.scalars.axes import HeldAxes
from tbtui.plugins.scalars.lines import Line, LineKey, line_of
from tbtui.plugins.scalars.tags import ShownTags
from tbtui.series.axes import step_origin
from tbtui.store.snapshot import ScalarSeries
from tbtui.viewstate.tag_tree import TF1_SUFFIX

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from tbtui.charts.axis import Axis
    from tbtui.store.snapshot import Metadata
    from tbtui.viewstate.view import View

MOST_POINTS = 4_000_000
"""Points of charts kept for the next look at them, about 16 bytes each; what is longest unseen goes first."""


class NoPointsError(LookupError):
    """There is nothing to draw; the message says so in a sentence."""


@dataclass(frozen=True, slots=True, eq=False)
class Chart:
    """What the chart of one tag shows."""

    tag: str
    title: str
    """Not yet made safe for a terminal; neither is the description nor any run name."""

    description: str
    lines: tuple[Line, ...]
    """In the order of the run tree; at least one."""

    inks: tuple[int, ...]
    """Series ink of each line."""

    x_axis: Axis
    y_axis: Axis

    @property
    def points(self) -> int:
        """Points of all lines."""
        return sum(len(line.x) for line in self.lines)


class ScalarData:
    """The charts of all views shown so far. Used by one thread."""

    def __init__(self, most_points: int = MOST_POINTS) -> None:
        self._most_points = most_points
        self._tags = ShownTags()
        self._axes = HeldAxes()
        self._charts: OrderedDict[str, tuple[Hashable, Chart]] = OrderedDict()

    def tags(self, view: View) -> tuple[str, ...]:
        """Tags that have a card, in order."""
        return self._tags.of(view)

    def look(self, view: View, tag: str) -> Hashable:
        """Everything that the chart of `tag` depends on: equal looks are equal charts."""
        choices = view.choices
        series = tuple((s.run, s.revision, view.inks[s.run]) for s in scalar_series(view, tag))
        return choices.smoothing, choices.x_axis, choices.y_scale_of(tag), series

    def chart(self, view: View, tag: str) -> Chart:
        """The chart of a tag that at least one drawn run holds.

        Raises:
            NoPointsError: When no drawn run holds a point of it.
        """
        look = self.look(view, tag)
        known = self._charts.get(tag)
        if known is not None and known[0] == look:
            self._charts.move_to_end(tag)
            return known[1]
        chart = self._make(view, tag, known[1].lines if known is not None else ())
        self._charts[tag] = look, chart
        self._charts.move_to_end(tag)
        self._forget()
        return chart

    def _make(self, view: View, tag: str, known: tuple[Line, ...]) -> Chart:
        choices, all_series = view.choices, list(scalar_series(view, tag))
        if not all_series:
            raise NoPointsError("no run that is shown holds a value of this tag")
        lines = _lines(all_series, view, {line.key: line for line in known})
        log = choices.y_scale_of(tag) == "log"
        shown = (choices.smoothing, choices.x_axis, log, tuple(series.run for series in all_series))
        x_axis, y_axis = self._axes.axes(tag, lines, choices.x_axis, log=log, shown=shown)
        metadata = next((s.metadata for s in all_series if s.metadata.display_name), all_series[0].metadata)
        inks = tuple(view.inks[series.run] for series in all_series)
        return Chart(tag, title_of(tag, metadata), metadata.description, lines, inks, x_axis, y_axis)

    def _forget(self) -> None:
        """Drop the charts longest unseen while there are too many points; the newest always stays."""
        points = sum(chart.points for _, chart in self._charts.values())
        while points > self._most_points and len(self._charts) > 1:
            _, (_, chart) = self._charts.popitem(last=False)
            points -= chart.points


def scalar_series(view: View, tag: str) -> Iterator[ScalarSeries]:
    """The drawn series of a tag that hold a point, in the order of the run tree."""
    for run in view.runs:
        series = run.series.get(tag)
        if isinstance(series, ScalarSeries) and len(series):
            yield series


def _lines(all_series: list[ScalarSeries], view: View, known: dict[LineKey, Line]) -> tuple[Line, ...]:
    """The line of each series; those known by the same key are kept."""
    choices = view.choices
    # Points that no restart superseded have ascending steps, so the ends are enough.
    origin = step_origin(series.current.steps[[0, -1]] for series in all_series) if choices.x_axis == "step" else 0
    lines = []
    for series in all_series:
        key = LineKey(series.run, series.revision, choices.smoothing, choices.x_axis, origin)
        lines.append(known.get(key) or line_of(series, key))
    return tuple(lines)


def title_of(tag: str, metadata: Metadata) -> str:
    """The name to show for a tag: the display name when the writer gave one."""
    return nameable(metadata.display_name or tag.removesuffix(TF1_SUFFIX))
