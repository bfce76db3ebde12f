"""A chart source with the three required methods: what it gets from `ChartSource` and `Painter`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.axis import Axis
from tbtui.charts.hit_testing import find_cursor_stops
from tbtui.charts.line_chart import LineChart, Trace, draw_line_picture
from tbtui.frozen import frozen
from tbtui.view.card_painter import ChartSource, DrawnChart, NoDataError, Painter, format_error
from tbtui.view.cards import RunCards
from tests.helpers.views import picture

if TYPE_CHECKING:
    from collections.abc import Hashable

    from tbtui.charts.chart_layout import PlotArea

X = np.array([0.0, 1.0, 2.0])


@frozen(eq=False)
class Lines:
    """Two level lines."""

    title: str


class LineSource(ChartSource[Lines]):
    """Draws two level lines."""

    def paint_key(self, key: str) -> Hashable:
        return key

    def chart(self, key: str, *, is_open: bool = False) -> Lines:
        if key == "none":
            raise NoDataError("no run has a value")
        return Lines(key)

    def detail(self, chart: Lines, width: int, height: int, *, has_table: bool) -> DrawnChart:
        axes = Axis(0, 2), Axis(0, 4)
        traces = tuple(trace for _, trace in self.lines(chart, None))
        drawn = draw_line_picture(LineChart(traces, *axes), width, height)
        plot = drawn.layout.plot
        return DrawnChart(drawn.at(), plot, find_cursor_stops([X], plot), drawn)

    def lines(self, chart: Lines, plot: PlotArea | None) -> list[tuple[str, Trace]]:
        return [(run, Trace(X, np.full(3, y), ink)) for ink, (run, y) in enumerate((("low", 1.0), ("high", 3.0)))]


def painter() -> Painter[Lines]:
    return Painter(LineSource(), RunCards(("t",), {"t": (None, "t")}))


def test_painter_frames_the_detail_of_a_source() -> None:
    card = painter().paint("t", 30, 8, focused=False)
    lines = picture(card.cells).splitlines()
    assert lines[0].startswith("╭ t ─")
    assert lines[-1].startswith("╰──")
    assert card.stops is not None
    assert card.stops.tolist() == [0, 1, 2]


def test_painter_opens_a_source_without_table_in_full_size() -> None:
    opened = painter().open("t", 40, 20)
    assert (opened.picture.height, opened.rows.height, opened.runs) == (20, 0, ())
    assert picture(opened.picture).startswith("‹ t")


def test_painter_finds_the_run_of_the_nearest_line() -> None:
    paint = painter()
    opened = paint.open("t", 40, 20)
    assert opened.plot is not None
    rows = [opened.plot.clamp_row(y) for y in (1.0, 3.0)]
    column = opened.plot.left + opened.plot.width // 2
    assert [paint.pick(opened, column, row) for row in rows] == ["low", "high"]


def test_painter_shows_the_reason_why_a_card_has_no_chart() -> None:
    error = NoDataError("no run has a value")
    assert "no run has a value" in picture(painter().paint_error("none", 40, 8, error, focused=False))
    assert "no run has a value" in picture(painter().open_error("none", 40, 8, error).picture)


def test_error_text_names_the_class_of_other_errors() -> None:
    assert format_error(KeyError("x")) == "cannot be drawn: KeyError: 'x'"
