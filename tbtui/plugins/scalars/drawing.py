"""A chart of lines as cells: in the frame of a card, or on its own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts import numbers
from tbtui.charts.beyond import draw_beyond
from tbtui.charts.card import body_size, draw_card
from tbtui.charts.cells import Cells
from tbtui.charts.kept_pictures import KeptPictures
from tbtui.charts.line_chart import line_picture
from tbtui.charts.stops import stops_in
from tbtui.charts.why_blank import say_why
from tbtui.frozen import frozen
from tbtui.plugins.scalars.data import NoPointsError
from tbtui.plugins.scalars.labels import LEGEND_NAME, legend, short_names
from tbtui.plugins.scalars.readings import NOWHERE, Readings
from tbtui.plugins.scalars.traces import line_chart
from tbtui.viewstate.run_names import told_apart

if TYPE_CHECKING:
    from tbtui.charts.chart_layout import PlotArea
    from tbtui.charts.line_chart import LinePicture
    from tbtui.plugins.scalars.data import Chart
    from tbtui.plugins.scalars.lines import Floats
    from tbtui.plugins.scalars.readings import Pointer


@frozen(eq=False)
class Drawn:
    """A chart as cells, and where data lies within them."""

    cells: Cells
    plot: PlotArea | None
    """None where there is no room for any."""

    stops: Floats | None = None
    """Where the cursor may stand, on its x axis; None likewise, and where nobody asked."""

    named: bool = False
    """Whether its lines have their names at their ends."""

    picture: LinePicture | None = None
    """What the cells are of; None where there is no room for any."""


@dataclass(slots=True, eq=False)
class _Picture:
    """A chart without cursor."""

    lines: LinePicture
    stops: Floats | None = None
    """Where a cursor may stand; None as long as nobody asked."""


class Drawing:
    """Draws charts, and keeps them as long as they are charts: a cursor is put over them. Used by one thread."""

    def __init__(self) -> None:
        self._kept: KeptPictures[Chart, _Picture] = KeptPictures()

    def card(self, chart: Chart, width: int, height: int, *, focused: bool, pointer: Pointer = NOWHERE) -> Drawn:
        """A chart in its frame: what it is and where it stands above it; below the focused one its legend."""
        body = self.body(chart, *body_size(width, height), pointer, with_stops=focused)
        names = legend(Readings(chart, pointer)) if focused and not body.named else []
        note = note_of(chart, pointer)
        cells = draw_card(chart.title, body.cells, width, height, focused=focused, note=note, legend=names)
        return Drawn(cells, None if body.plot is None else body.plot.moved(1, 1), body.stops, body.named, body.picture)

    def body(
        self, chart: Chart, width: int, height: int, pointer: Pointer = NOWHERE, *, with_stops: bool = True
    ) -> Drawn:
        """A chart without frame; where nothing can be drawn it says why."""
        if width <= 0 or height <= 0:
            return Drawn(Cells.blank(max(height, 0), max(width, 0)), None)
        still = replace(pointer, cursor=None, mark=None)
        picture = self._kept.picture(
            chart,
            width,
            height,
            still,
            lambda: _Picture(line_picture(line_chart(chart, width, height, still), width, height)),
        )
        cells, layout = picture.lines.at(pointer.cursor, pointer.mark), picture.lines.layout
        draw_beyond(cells, layout, chart.beyond)
        if chart.blank:
            say_why(cells, chart.blank, layout.plot)
        if with_stops and picture.stops is None:
            picture.stops = stops_in((line.x for line in chart.lines), layout.plot)
        return Drawn(cells, layout.plot, picture.stops if with_stops else None, layout.margin > 0, picture.lines)


def what_went_wrong(error: Exception) -> str:
    """An error in words for people."""
    return str(error) if isinstance(error, NoPointsError) else f"cannot be drawn: {type(error).__name__}: {error}"


def stand_of(chart: Chart, pointer: Pointer) -> str:
    """What a table would tell, in a few words: of the run in focus, otherwise as `note_of` of all.

    `seed0 .943`; over a stretch how much they change: `seed0 +0.0074`, `±0 – +0.0074`.
    """
    readings = Readings(chart, pointer)
    one = readings.focus if len(chart.lines) > 1 else None
    stretches = readings.stretches if one is None else readings.stretches[one : one + 1]
    changes = [stretch.change for stretch in stretches if stretch is not None]
    finite = [change for change in changes if np.isfinite(change)]
    ends = [min(finite), max(finite)] if finite else changes[:1]
    stand = " – ".join(dict.fromkeys(numbers.signed(end, digits=3) for end in ends))
    if one is None:
        return stand or note_of(chart, pointer)
    name = told_apart(short_names(chart), LEGEND_NAME)[one]
    return f"{name} {stand or numbers.brief(float(readings.shown[one]))}"


def note_of(chart: Chart, pointer: Pointer = NOWHERE) -> str:
    """Where the lines stand as they are drawn, at the cursor or at their ends.

    The value, or the least and the greatest of all; and how many are NaN.
    """
    values = Readings(chart, pointer).shown
    finite = values[np.isfinite(values)]
    ends = (finite.min(), finite.max()) if len(finite) else ()
    stand = " – ".join(dict.fromkeys(numbers.brief(float(value)) for value in ends))
    lost = values[~np.isfinite(values)]
    if not len(lost):
        return stand
    count = f"{len(lost)} " if len(values) > 1 else ""
    return f"✗ {count}{numbers.brief(float(lost[0]))} {stand}".rstrip()
