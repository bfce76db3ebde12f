"""Painter of chart cards: lays out a card and an opened card around the charts that a dashboard draws."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from tbtui.charts.card import (
    SEPARATOR,
    compute_body_size,
    draw_card,
    draw_error_card,
    draw_placeholder_card,
    draw_title_line,
    stack_cells,
)
from tbtui.charts.cells import Cells, Ink
from tbtui.charts.hit_testing import find_nearest_line
from tbtui.charts.text import fit, write
from tbtui.frozen import frozen
from tbtui.view.painted_cards import OpenedCard, PaintedCard, choose_table_height
from tbtui.view.tag_tree import cut_heading

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence
    from typing import TypeAlias

    import numpy as np
    import numpy.typing as npt

    from tbtui.charts.chart_layout import PlotArea
    from tbtui.charts.fan import FanPicture
    from tbtui.charts.line_chart import LinePicture, Trace

    Floats: TypeAlias = npt.NDArray[np.float64]


@frozen(eq=False)
class DrawnChart:
    """A chart as cells, with the position of its data."""

    cells: Cells
    plot: PlotArea | None = None
    """Plot area within `cells`; None without room for one."""

    stops: Floats | None = None
    """Positions of the cursor on the x axis; None without room, or if the caller needs none."""

    body: LinePicture | FanPicture | None = None
    """The chart without cursor, for vector files; None without a chart of lines."""

    has_line_names: bool = False
    """True if lines carry their names at their ends."""

    outside: float = 0.0
    """Number of visible values that the y axis leaves out."""

    value_stops: Floats | None = None
    """Positions of the cursor at every visible value, for keys that move by one; None: those of `stops`."""


def create_empty_chart(width: int, height: int) -> DrawnChart:
    """Return the chart of a card that is too small for one."""
    return DrawnChart(Cells.blank(max(height, 0), max(width, 0)))


def frame_chart(
    chart: DrawnChart,
    title: str,
    width: int,
    height: int,
    *,
    focused: bool,
    note: str,
    note_ink: int = Ink.DIM,
    legend: Sequence[tuple[str, int]] = (),
    remark: str = "",
) -> DrawnChart:
    """Return a chart within the frame of its card.

    Args:
        chart: Drawn in the size that `compute_body_size` leaves it.
        title: Title of the card; not yet safe for a terminal.
        width: Columns of the card.
        height: Rows of the card.
        focused: True if the card has the focus.
        note: Text at the right of the title.
        note_ink: Ink of the note.
        legend: Names below the chart, with their inks.
        remark: Text at the right of them, such as points that are left out.
    """
    cells = draw_card(
        title,
        chart.cells,
        width,
        height,
        focused=focused,
        note=note,
        note_ink=note_ink,
        legend=legend,
        remark=remark,
    )
    return replace(chart, cells=cells, plot=None if chart.plot is None else chart.plot.translate(1, 1))


class NoDataError(LookupError):
    """Raised when a card has no data to draw. The message is one plain sentence with the reason."""


def format_error(error: Exception) -> str:
    """Return an error as a sentence for users; not yet safe for a terminal."""
    return str(error) if isinstance(error, NoDataError) else f"cannot be drawn: {type(error).__name__}: {error}"


class TitledChart(Protocol):
    """Data of one chart."""

    @property
    def title(self) -> str:
        """Title of the chart; not yet safe for a terminal."""


Chart = TypeVar("Chart", bound=TitledChart)


class ChartSource(Protocol[Chart]):
    """Draws the charts of one view of a dashboard. All methods run on the worker thread, one call at a time.

    `paint_key`, `chart` and `detail` are required. `paint_key` holds everything that alters the cells of a card besides
    its size and focus: the revisions of its series, the settings of its axes, and of `Settings` whatever it draws, such
    as `cursor`, `mark`, `focus` and `row_order`. A card with an equal key is not painted again.
    """

    def paint_key(self, key: str) -> Hashable:
        """Return the cache key of card `key`: everything that alters its cells."""

    def chart(self, key: str, *, is_open: bool = False) -> Chart:
        """Return the data of the chart of a card, or of the opened card.

        Raises:
            NoDataError: There is nothing to draw. The card shows the reason.
        """

    def detail(self, chart: Chart, width: int, height: int, *, has_table: bool) -> DrawnChart:
        """Draw a chart in full size, without frame.

        `stops` of the result are x values of its x axis. If that has an `origin` (of enormous steps), it is subtracted
        from them and from the x of the lines, while `Settings.cursor` and `mark` include it.
        """

    def card(self, chart: Chart, width: int, height: int, *, focused: bool, heading: str = "") -> DrawnChart:
        """Draw a chart in the frame of its card, by default without notes and legend; `heading` is not repeated."""
        body = self.detail(chart, *compute_body_size(width, height), has_table=False)
        return frame_chart(body, cut_heading(chart.title, heading), width, height, focused=focused, note="")

    def table(self, chart: Chart, width: int) -> tuple[Cells, Cells, tuple[str, ...]]:  # noqa: ARG002
        """Return header and rows of the table below an opened chart, and the run of each row; by default no table."""
        return Cells.blank(1, width), Cells.blank(0, width), ()

    def list_line_runs(self, chart: Chart) -> tuple[str, ...]:  # noqa: ARG002 - for overrides
        """Return the run of each line, or the group of an average, in the order in which keys select them."""
        return ()

    def build_title_texts(self, chart: Chart, drawn_chart: DrawnChart, *, has_table: bool) -> Iterable[str]:  # noqa: ARG002
        """Return the texts beside the title of an opened chart; empty ones are skipped.

        Without a table, the first text is the last one to be cut.
        """
        return ()

    def settings_label(self, key: str) -> str:  # noqa: ARG002
        """Return the text beside the title of a card that cannot be drawn."""
        return ""

    def describe(self, error: Exception) -> str:
        """Return an error as a sentence for users."""
        return format_error(error)

    def lines(self, chart: Chart, plot: PlotArea) -> Sequence[tuple[str, Trace]]:  # noqa: ARG002
        """Return the lines of a chart with their runs, in drawing order, so that the mouse finds them."""
        return ()

    def run_at(self, chart: Chart, plot: PlotArea, column: int, row: int) -> str | None:
        """Return the run whose line is nearest to a cell of the picture; None if no line is near."""
        lines = self.lines(chart, plot)
        nearest = find_nearest_line([trace for _, trace in lines], plot, column, row)
        return None if nearest is None else lines[nearest][0]

    def extend(self, opened: OpenedCard, chart: Chart, drawn_chart: DrawnChart) -> OpenedCard:  # noqa: ARG002
        """Return an opened card with parts that are specific to this dashboard."""
        return opened


class Titles(Protocol):
    """Cards that have titles."""

    def title_of(self, key: str) -> str:
        """Return the title of a card; not yet safe for a terminal."""


class Painter(Generic[Chart]):
    """Paints the cards of one view: a `CardPainter` and an `OpenPainter`.

    `outline` runs on the UI thread and uses nothing but the titles of the cards.

    Args:
        source: Draws the charts.
        cards: The cards of the view.
    """

    def __init__(self, source: ChartSource[Chart], cards: Titles) -> None:
        self.source = source
        self.cards = cards

    def paint_key(self, key: str) -> Hashable:
        """Return the cache key of card `key`, without size and focus: equal keys give equal cells."""
        return self.source.paint_key(key)

    def paint(self, key: str, width: int, height: int, *, focused: bool, heading: str = "") -> PaintedCard:
        """Draw card `key` with its frame."""
        chart = self.source.chart(key)
        drawn_chart = self.source.card(chart, width, height, focused=focused, heading=heading)
        return PaintedCard(
            drawn_chart.cells,
            drawn_chart.plot,
            drawn_chart.stops,
            body=drawn_chart.body,
            value_stops=drawn_chart.value_stops,
            runs=self.source.list_line_runs(chart) if focused else (),
        )

    def paint_outline(self, key: str, width: int, height: int, *, focused: bool, heading: str = "") -> Cells:
        """Return the card before its first frame."""
        return draw_placeholder_card(cut_heading(self.cards.title_of(key), heading), width, height, focused=focused)

    def paint_error(
        self, key: str, width: int, height: int, error: Exception, *, focused: bool, heading: str = ""
    ) -> Cells:
        """Return the card with the reason why there is no chart."""
        title = cut_heading(self.cards.title_of(key), heading)
        return draw_error_card(title, self.source.describe(error), width, height, focused=focused)

    def open(self, key: str, width: int, height: int) -> OpenedCard:
        """Draw `key` in full size: title, chart, and as many rows of its table as fit."""
        chart = self.source.chart(key, is_open=True)
        header, rows, runs = self.source.table(chart, width)
        table_rows = choose_table_height(rows, height)
        drawn_chart = self.source.detail(chart, width, height - table_rows - 1, has_table=bool(table_rows))
        words = filter(None, self.source.build_title_texts(chart, drawn_chart, has_table=bool(table_rows)))
        title = draw_title_line(chart.title, SEPARATOR.join(words), width, prefer_side_text=not table_rows)
        plot = None if drawn_chart.plot is None else drawn_chart.plot.translate(1, 0)
        opened = OpenedCard(
            key,
            stack_cells(title, drawn_chart.cells),
            header,
            rows,
            plot,
            drawn_chart.stops,
            runs,
            drawn_chart.value_stops,
        )
        return self.source.extend(opened, chart, drawn_chart)

    def open_error(self, key: str, width: int, height: int, error: Exception) -> OpenedCard:
        """Return the opened card with the reason why there is no chart."""
        body = Cells.blank(max(height - 1, 0), width)
        write(body, body.height // 3, 2, fit(self.source.describe(error), width - 2), Ink.WARN)
        title = draw_title_line(self.cards.title_of(key), self.source.settings_label(key), width)
        return OpenedCard(key, stack_cells(title, body), Cells.blank(0, width), Cells.blank(0, width))

    def pick(self, opened: OpenedCard, column: int, row: int) -> str | None:
        """Return the run whose line is nearest to a cell of the picture; None if no line is near."""
        if opened.plot is None:
            return None
        return self.source.run_at(self.source.chart(opened.key, is_open=True), opened.plot, column, row)
