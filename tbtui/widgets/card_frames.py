"""Painting of cards on the background thread, with a cache of frames by everything that alters their look."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

from tbtui.charts.cells import Cells, Ink
from tbtui.frozen import frozen
from tbtui.settings.zoom import cursor_stops

if TYPE_CHECKING:
    from collections.abc import Container, Hashable, Iterator, Sequence

    import numpy as np
    import numpy.typing as npt

    from tbtui.charts.fan import FanPicture
    from tbtui.charts.layout import PlotArea
    from tbtui.charts.line_chart import LinePicture
    from tbtui.terminal_images.encode import Inset

    Floats: TypeAlias = npt.NDArray[np.float64]

KEPT = 256
"""Maximum number of cached frames; each takes 100 kB in the widest terminal."""


MARK_SIGN, PIN_SIGN = "◆", "↑"
"""Signs in the corner of a marked and of a pinned card."""


@frozen(eq=False)
class Painted:
    """A drawn card."""

    cells: Cells
    plot: PlotArea | None = None
    """Plot area within `cells`; None if the mouse has nothing to point at."""

    stops: Floats | None = None
    """Like `Opened.stops`: keys move the cursor on a card, too."""

    insets: tuple[Inset, ...] = ()
    """Images in pixels among `cells`."""

    body: LinePicture | FanPicture | None = None
    """The chart in the frame, for vector files that draw its lines finer than cells; None without a chart."""


@frozen(eq=False)
class Plotted:
    """A chart on the screen that keys and mouse work on."""

    key: str
    plot: PlotArea
    stops: Floats
    """Positions of the cursor, not counted from the origin of the axis."""

    slides: bool = False
    """True for a bar of steps: the mouse drags the cursor along it and zooms nothing."""


def plotted(key: str, plot: PlotArea | None, stops: Floats | None) -> Plotted | None:
    """Return the chart of a card; None if the mouse has nothing to point at."""
    return None if plot is None else Plotted(key, plot, cursor_stops(plot, stops))


class CardPainter(Protocol):
    """Draws the cards of one view. All methods but `outline` run on the background thread, one call at a time."""

    def look(self, key: str) -> Hashable:
        """Return everything that alters card `key` besides its size and focus: equal looks give equal cells."""

    def paint(self, key: str, width: int, height: int, *, focused: bool) -> Painted:
        """Draw card `key` with its frame."""

    def outline(self, key: str, width: int, height: int, *, focused: bool) -> Cells:
        """Return the card without content, for the time before its first frame. Runs on the UI thread; must be fast."""

    def broken(self, key: str, width: int, height: int, error: Exception, *, focused: bool) -> Cells:
        """Return the card with the reason after `look` or `paint` raised `error`."""


@runtime_checkable
class ForeseeingPainter(Protocol):
    """A painter that prepares several cards at once on threads of its own."""

    def foresee(self, cards: Sequence[Wanted]) -> None:
        """Begin to prepare the cards that will probably be painted next, in that order."""


@frozen(eq=False)
class Opened:
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


class OpenPainter(Protocol):
    """Draws a card in full size. Runs on the background thread, one call at a time."""

    def look(self, key: str) -> Hashable:
        """Return the same as `CardPainter.look`."""

    def open(self, key: str, width: int, height: int) -> Opened:
        """Draw `key` in `width` x `height` cells; the picture leaves the rows that the table may take."""

    def pick(self, opened: Opened, column: int, row: int) -> str | None:
        """Return the run whose line is nearest to a cell of the picture; None if no line is near."""

    def broken_open(self, key: str, width: int, height: int, error: Exception) -> Opened:
        """Return the card with the reason after `look` or `open` raised `error`."""


MIN_TABLE_HEIGHT = 14
"""Rows of a pane from which an opened card has a table; lower panes give all their rows to the chart."""

TABLE_SHARE = 2, 5
"""Part of the rows that the table takes at most, its header included."""


def table_height(rows: Cells, height: int) -> int:
    """Return the rows that the table of an opened card takes, its header included; 0 where there is no room.

    Args:
        rows: All rows of the table.
        height: Rows of the pane.
    """
    part, whole = TABLE_SHARE
    return min(rows.height + 1, height * part // whole) if height >= MIN_TABLE_HEIGHT else 0


@frozen
class Wanted:
    """Key, size and focus of a card in sight."""

    key: str
    width: int
    height: int
    focused: bool


@frozen(eq=False)
class Frame:
    """A painted card with everything that its look depends on."""

    wanted: Wanted
    look: Hashable
    cells: Cells
    plot: PlotArea | None = None
    stops: Floats | None = None
    insets: tuple[Inset, ...] = ()

    def with_focus(self, *, focused: bool) -> Cells:
        """Return the cells, with the other ink in the border if the focus differs, until the right frame is painted."""
        if focused == self.wanted.focused:
            return self.cells
        was, now = (Ink.FAINT, Ink.ACCENT) if focused else (Ink.ACCENT, Ink.FAINT)
        inks = self.cells.inks.copy()
        for edge in (inks[0], inks[-1], inks[:, 0], inks[:, -1]):
            edge[edge == was] = now
        return Cells(self.cells.glyphs, inks, self.cells.colours)


def with_sign(cells: Cells, sign: str) -> Cells:
    """Return a card with a sign in its corner."""
    if not sign or not cells.height or not cells.width:
        return cells
    signed = cells.copy()
    signed.glyphs[0, 0], signed.inks[0, 0] = ord(sign), Ink.ACCENT
    return signed


class ShownFrames:
    """Holds the last frame of each card. Belongs to the UI thread."""

    def __init__(self, kept: int = KEPT) -> None:
        self._kept = kept
        self._frames: dict[str, tuple[Frame, int]] = {}
        self._taken = 0

    def take(self, frame: Frame) -> None:
        """Store the frame that a card shows from now on."""
        if frame is not self.of(frame.wanted):
            self._taken += 1
            self._frames.pop(frame.wanted.key, None)
            self._frames[frame.wanted.key] = frame, self._taken
            if len(self._frames) > self._kept:
                del self._frames[next(iter(self._frames))]

    def keep(self, keys: Container[str]) -> None:
        """Drop the frames of all other cards."""
        self._frames = {key: shown for key, shown in self._frames.items() if key in keys}

    def of(self, wanted: Wanted) -> Frame | None:
        """Return the frame of a card if it has the wanted size."""
        frame, _ = self._frames.get(wanted.key, (None, 0))
        same = frame is not None and (frame.wanted.width, frame.wanted.height) == (wanted.width, wanted.height)
        return frame if same else None

    def urgency(self, wanted: Wanted) -> tuple[int, int]:
        """Return a sort key: no frame first, then a moved focus, then the stalest frame, so that no card starves."""
        frame, taken = self.of(wanted), self._frames.get(wanted.key, (None, 0))[1]
        if frame is None:
            return 0, taken
        return 1 + (frame.wanted.focused == wanted.focused), taken


class FrameCache:
    """Caches the last painted frames, newest last. Belongs to the background thread."""

    def __init__(self, kept: int = KEPT) -> None:
        self._kept = kept
        self._frames: OrderedDict[tuple[Wanted, Hashable], Frame] = OrderedDict()
        self.painted = 0
        """Number of painted frames, so that tests and benchmarks can measure cache hits."""

    def frames(self, painter: CardPainter, wanted: Sequence[Wanted]) -> Iterator[Frame]:
        """Yield the frame of each wanted card, in that order, from the cache if its look is unchanged."""
        if isinstance(painter, ForeseeingPainter) and len(wanted) > 1:
            painter.foresee([card for card in wanted if not self._is_kept(painter, card)])
        for card in wanted:
            yield self._frame(painter, card)

    def _frame(self, painter: CardPainter, card: Wanted) -> Frame:
        try:
            look = painter.look(card.key)
            return self._kept_frame(card, look) or self._keep(_painted(painter, card, look))
        except Exception as error:  # noqa: BLE001 - shown on the card; other cards remain
            cells = painter.broken(card.key, card.width, card.height, error, focused=card.focused)
            return Frame(card, None, cells)

    def _is_kept(self, painter: CardPainter, card: Wanted) -> bool:
        try:
            return (card, painter.look(card.key)) in self._frames
        except Exception:  # noqa: BLE001 - shown on the card when its turn comes
            return True

    def _kept_frame(self, card: Wanted, look: Hashable) -> Frame | None:
        frame = self._frames.get((card, look))
        if frame is not None:
            self._frames.move_to_end((card, look))
        return frame

    def _keep(self, frame: Frame) -> Frame:
        self.painted += 1
        self._frames[frame.wanted, frame.look] = frame
        while len(self._frames) > self._kept:
            self._frames.popitem(last=False)
        return frame


def _painted(painter: CardPainter, card: Wanted, look: Hashable) -> Frame:
    painted = painter.paint(card.key, card.width, card.height, focused=card.focused)
    return Frame(card, look, painted.cells, painted.plot, painted.stops, painted.insets)


class OpenedLast:
    """Draws a card in full size unless it looks like the last result. Belongs to the background thread.

    It compares with its own last result, not with what the UI thread shows: other results may be on their way.
    """

    def __init__(self) -> None:
        self._last: tuple[object, ...] = ()

    def open(self, painter: OpenPainter, key: str, width: int, height: int, place: int) -> Iterator[Opened]:
        """Yield the card in full size; nothing if it looks like the last result.

        Args:
            painter: Draws the card.
            key: Key of the card.
            width: Columns of the view.
            height: Rows of the view.
            place: A number that changes whenever the view has discarded its former picture.
        """
        try:
            asked = place, painter.look(key)
            if asked == self._last:
                return
            opened = painter.open(key, width, height)
            self._last = asked
        except Exception as error:  # noqa: BLE001 - shown in place of the chart
            self._last = ()
            opened = painter.broken_open(key, width, height, error)
        yield opened
