"""Drawn cards, and the interfaces of the painters that draw them in a grid and in full size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    import numpy as np
    import numpy.typing as npt

    from tbtui.charts.cells import Cells
    from tbtui.charts.chart_layout import PlotArea
    from tbtui.charts.fan import FanPicture
    from tbtui.charts.line_chart import LinePicture
    from tbtui.terminal_images.encode import ImagePlacement

    Floats: TypeAlias = npt.NDArray[np.float64]


@frozen(eq=False)
class PaintedCard:
    """A drawn card."""

    cells: Cells
    plot: PlotArea | None = None
    """Plot area within `cells`; None if the mouse has nothing to point at."""

    stops: Floats | None = None
    """Like `OpenedCard.stops`: keys move the cursor on a card, too."""

    insets: tuple[ImagePlacement, ...] = ()
    """Images in pixels among `cells`."""

    body: LinePicture | FanPicture | None = None
    """The chart in the frame, for vector files that draw its lines finer than cells; None without a chart."""

    value_stops: Floats | None = None
    """Like `OpenedCard.value_stops`."""

    runs: tuple[str, ...] = ()
    """Run of each line, or the group of an average, in the order in which keys select them."""


class CardPainter(Protocol):
    """Draws the cards of one view. All methods but `outline` run on the worker thread, one call at a time."""

    def paint_key(self, key: str) -> Hashable:
        """Return the cache key of card `key`, without size and focus: equal keys give equal cells."""

    def paint(self, key: str, width: int, height: int, *, focused: bool, heading: str = "") -> PaintedCard:
        """Draw card `key` with its frame.

        Args:
            key: Key of the card.
            width: Columns of the card.
            height: Rows of the card.
            focused: True if the card has the focus.
            heading: Name of the group in the heading above the card, which the title of the card does not repeat.
        """

    def paint_outline(self, key: str, width: int, height: int, *, focused: bool, heading: str = "") -> Cells:
        """Return the card without content, for the time before its first frame. Runs on the UI thread; must be fast."""

    def paint_error(
        self, key: str, width: int, height: int, error: Exception, *, focused: bool, heading: str = ""
    ) -> Cells:
        """Return the card with the reason after `paint_key` or `paint` raised `error`."""


@runtime_checkable
class PrefetchingPainter(Protocol):
    """A painter that prepares several cards at once on threads of its own."""

    def prefetch(self, cards: Sequence[CardRequest]) -> None:
        """Start to prepare the cards that will probably be painted next, in that order."""


@frozen(eq=False)
class OpenedCard:
    """A card in full size: a picture, and below it as many rows of a table as fit."""

    key: str
    picture: Cells
    header: Cells
    """One row."""

    rows: Cells
    plot: PlotArea | None = None
    """Plot area within `picture`; None if the mouse has nothing to point at."""

    stops: Floats | None = None
    """x values of the cursor, float64[k], ascending: the data points in sight, at most one per column.

    The unit is that of `plot.x_axis`. If steps are enormous, stops count from the origin of the axis. Settings
    (`Settings.cursor`, `mark`, ranges) never do: they are stop + origin, the same in every chart.
    """

    runs: tuple[str, ...] = ()
    """Run of each row of the table; for an average, the name of its group."""

    value_stops: Floats | None = None
    """x values of all data points in sight, for keys that move the cursor by one; None: those of `stops`."""


class OpenPainter(Protocol):
    """Draws a card in full size. Runs on the worker thread, one call at a time."""

    def paint_key(self, key: str) -> Hashable:
        """Return the same as `CardPainter.paint_key`."""

    def open(self, key: str, width: int, height: int) -> OpenedCard:
        """Draw `key` in `width` x `height` cells; the picture leaves rows free for the table."""

    def pick(self, opened: OpenedCard, column: int, row: int) -> str | None:
        """Return the run whose line is nearest to a cell of the picture; None if no line is near."""

    def open_error(self, key: str, width: int, height: int, error: Exception) -> OpenedCard:
        """Return the card with the reason after `paint_key` or `open` raised `error`."""


MIN_TABLE_HEIGHT = 14
"""Rows of a pane from which an opened card has a table; lower panes give all their rows to the chart."""


TABLE_SHARE = 2, 5
"""Part of the rows that the table takes at most, its header included."""


def choose_table_height(rows: Cells, height: int) -> int:
    """Return the rows of the table of an opened card, including its header; 0 without rows or space for it.

    Args:
        rows: All rows of the table.
        height: Rows of the pane.
    """
    part, denominator = TABLE_SHARE
    return min(rows.height + 1, height * part // denominator) if rows.height and height >= MIN_TABLE_HEIGHT else 0


@frozen
class CardRequest:
    """Key, size, focus and heading of a visible card."""

    key: str
    width: int
    height: int
    focused: bool
    heading: str = ""
    """Name of the group in the heading above the card; empty without a heading."""

    def fits(self, other: CardRequest) -> bool:
        """Return True if both have the same size and heading, whichever has the focus."""
        return (self.width, self.height, self.heading) == (other.width, other.height, other.heading)
