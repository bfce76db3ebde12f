"""Frames of cards: painted on the background thread, kept as long as nothing that alters the look has changed."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

from tbtui.charts.card import broken_card, outline_card
from tbtui.charts.cells import Cells, Ink
from tbtui.charts.headline import below, headline
from tbtui.charts.text import fit, write
from tbtui.frozen import frozen
from tbtui.viewstate.cursor import stops_of

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Hashable, Iterator, Sequence

    import numpy as np
    import numpy.typing as npt

    from tbtui.charts.chart_layout import PlotArea
    from tbtui.charts.fan import FanPicture
    from tbtui.charts.line_chart import LinePicture
    from tbtui.graphics.insets import Inset

    Floats: TypeAlias = npt.NDArray[np.float64]

KEPT = 256
"""Frames kept; a hundred kB each in the widest terminal, and far more cards than one looks back at."""


MARK_SIGN, PIN_SIGN = "◆", "↑"
"""Stand at the corner of a card that is marked, or pinned."""


@frozen(eq=False)
class Painted:
    """A card as it is drawn."""

    cells: Cells
    plot: PlotArea | None = None
    """Where data lies within `cells`; None where there is nothing to point at."""

    stops: Floats | None = None
    """As `Opened.stops`: the cursor can be moved on a card too."""

    insets: tuple[Inset, ...] = ()
    """Pictures in pixels among `cells`."""

    body: LinePicture | FanPicture | None = None
    """The chart in the frame, for who draws its lines finer than in cells; None where it has none."""


@frozen(eq=False)
class Plotted:
    """A chart as it stands on the screen: what keys and mouse work on."""

    key: str
    plot: PlotArea
    stops: Floats
    """Where the cursor may stand, not counted from the axis' origin."""

    slides: bool = False
    """Whether it is but a bar of steps: the mouse drags the cursor along it, and nothing is zoomed."""


def plotted(key: str, plot: PlotArea | None, stops: Floats | None) -> Plotted | None:
    """The chart of a card; None where there is nothing to point at."""
    return None if plot is None else Plotted(key, plot, stops_of(plot, stops))


class CardPainter(Protocol):
    """Draws the cards of one view. All but `outline` run off the UI thread, one call at a time."""

    def look(self, key: str) -> Hashable:
        """Everything that alters the look of card `key` beside its size and focus: equal looks are equal pictures."""

    def paint(self, key: str, width: int, height: int, *, focused: bool) -> Painted:
        """Draw card `key`, frame and all."""

    def outline(self, key: str, width: int, height: int, *, focused: bool) -> Cells:
        """The card without its content, to stand there until the first frame is painted. Must take next to no time."""

    def broken(self, key: str, width: int, height: int, error: Exception, *, focused: bool) -> Cells:
        """The card when `look` or `paint` raised `error`: says in plain words what went wrong."""


@runtime_checkable
class ForeseeingPainter(Protocol):
    """A painter that can do with several threads what takes long of its cards."""

    def foresee(self, cards: Sequence[Wanted]) -> None:
        """Begin with cards that will be painted next, in that order; it need not come to it."""


@frozen(eq=False)
class Opened:
    """A card in full size: a picture, and below it a table of which as many rows are shown as fit."""

    key: str
    picture: Cells
    header: Cells
    """One row."""

    rows: Cells
    plot: PlotArea | None = None
    """Where data lies within `picture`; None where there is nothing to point at."""

    stops: Floats | None = None
    """x values at which the cursor may stand, float64[k], ascending: data points in sight, at most one a column.

    They are in the units of `plot.x_axis`. Where steps are enormous these count from the axis' origin; what is chosen
    (`Choices.cursor`, `mark`, ranges) never does: it is stop + origin, the same in every chart.
    """

    runs: tuple[str, ...] = ()
    """The run of each row of the table: its name, or for an average its group's."""


class OpenPainter(Protocol):
    """Draws a card in full size. Runs off the UI thread, one call at a time."""

    def look(self, key: str) -> Hashable:
        """As `CardPainter.look`."""

    def open(self, key: str, width: int, height: int) -> Opened:
        """Draw `key` for `width` x `height` cells: the picture leaves as many rows as the table may take."""

    def pick(self, opened: Opened, column: int, row: int) -> str | None:
        """The run whose line is nearest to a cell of the picture; None when none is near."""

    def broken_open(self, key: str, width: int, height: int, error: Exception) -> Opened:
        """The same when `look` or `open` raised `error`."""


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


class Titles(Protocol):
    """Cards that have titles."""

    def title_of(self, key: str) -> str:
        """Return the title of a card; not yet safe for a terminal."""


class CardFallback:
    """Draws what stands in the place of a chart that is not there: an outline, or the reason.

    Args:
        cards: The cards of the view.
        describe: Returns an error as a sentence for users.
    """

    def __init__(self, cards: Titles, describe: Callable[[Exception], str]) -> None:
        self._cards = cards
        self._describe = describe

    def outline(self, key: str, width: int, height: int, *, focused: bool) -> Cells:
        """Return the card before its first frame."""
        return outline_card(self._cards.title_of(key), width, height, focused=focused)

    def broken(self, key: str, width: int, height: int, error: Exception, *, focused: bool) -> Cells:
        """Return the card with the reason why there is no chart."""
        why = self._describe(error)
        return broken_card(self._cards.title_of(key), why, width, height, focused=focused)

    def broken_open(self, key: str, width: int, height: int, error: Exception, settings: str) -> Opened:
        """Return the card in full size with the reason why there is no chart; `settings` stands beside the title."""
        body = Cells.blank(max(height - 1, 0), width)
        write(body, body.height // 3, 2, fit(self._describe(error), width - 2), Ink.WARN)
        title = headline(self._cards.title_of(key), settings, width)
        return Opened(key, below(title, body), Cells.blank(0, width), Cells.blank(0, width))


@frozen
class Wanted:
    """One card in sight."""

    key: str
    width: int
    height: int
    focused: bool


@frozen(eq=False)
class Frame:
    """A painted card and everything that its look depends on."""

    wanted: Wanted
    look: Hashable
    cells: Cells
    plot: PlotArea | None = None
    stops: Floats | None = None
    insets: tuple[Inset, ...] = ()

    def with_focus(self, *, focused: bool) -> Cells:
        """The frame, where need be with its border in the other ink: it stands until the right one is painted."""
        if focused == self.wanted.focused:
            return self.cells
        was, now = (Ink.FAINT, Ink.ACCENT) if focused else (Ink.ACCENT, Ink.FAINT)
        inks = self.cells.inks.copy()
        for edge in (inks[0], inks[-1], inks[:, 0], inks[:, -1]):
            edge[edge == was] = now
        return Cells(self.cells.glyphs, inks, self.cells.colours)


def with_sign(cells: Cells, sign: str) -> Cells:
    """A card with a sign at its corner."""
    if not sign or not cells.height or not cells.width:
        return cells
    signed = cells.copy()
    signed.glyphs[0, 0], signed.inks[0, 0] = ord(sign), Ink.ACCENT
    return signed


class ShownFrames:
    """The frame that each card shows, or showed when it was last in sight. Belongs to the UI thread."""

    def __init__(self, kept: int = KEPT) -> None:
        self._kept = kept
        self._frames: dict[str, tuple[Frame, int]] = {}
        self._taken = 0

    def take(self, frame: Frame) -> None:
        """Have the card show this frame from now on."""
        if frame is not self.of(frame.wanted):
            self._taken += 1
            self._frames.pop(frame.wanted.key, None)
            self._frames[frame.wanted.key] = frame, self._taken
            if len(self._frames) > self._kept:
                del self._frames[next(iter(self._frames))]

    def keep(self, keys: Container[str]) -> None:
        """Forget the frames of all other cards."""
        self._frames = {key: shown for key, shown in self._frames.items() if key in keys}

    def of(self, wanted: Wanted) -> Frame | None:
        """The frame of a card, if it has the wanted size."""
        frame, _ = self._frames.get(wanted.key, (None, 0))
        same = frame is not None and (frame.wanted.width, frame.wanted.height) == (wanted.width, wanted.height)
        return frame if same else None

    def urgency(self, wanted: Wanted) -> tuple[int, int]:
        """Sort key: what is not shown, then a moved focus, then the stalest frame, so that no card starves."""
        frame, taken = self.of(wanted), self._frames.get(wanted.key, (None, 0))[1]
        if frame is None:
            return 0, taken
        return 1 + (frame.wanted.focused == wanted.focused), taken


class FrameCache:
    """The last painted frames, newest last. Used on the background thread alone."""

    def __init__(self, kept: int = KEPT) -> None:
        self._kept = kept
        self._frames: OrderedDict[tuple[Wanted, Hashable], Frame] = OrderedDict()
        self.painted = 0
        """How often a frame had to be painted, for whoever asks whether the cache hits."""

    def frames(self, painter: CardPainter, wanted: Sequence[Wanted]) -> Iterator[Frame]:
        """The frame of each wanted card, in that order; painted when none is kept for its present look."""
        if isinstance(painter, ForeseeingPainter) and len(wanted) > 1:
            painter.foresee([card for card in wanted if not self._is_kept(painter, card)])
        for card in wanted:
            yield self._frame(painter, card)

    def _frame(self, painter: CardPainter, card: Wanted) -> Frame:
        try:
            look = painter.look(card.key)
            return self._kept_frame(card, look) or self._keep(_painted(painter, card, look))
        except Exception as error:  # noqa: BLE001 - shown on the card; the other cards stay
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
    """Opens cards, unless one would look as what it has yielded last. Used on the background thread alone.

    It compares with its own last result, not with what the UI thread showed when it asked: others may be on their way.
    """

    def __init__(self) -> None:
        self._last: tuple[object, ...] = ()

    def open(self, painter: OpenPainter, key: str, width: int, height: int, place: int) -> Iterator[Opened]:
        """The card in full size; nothing where it would look as it does.

        Args:
            painter: Draws it.
            key: The card.
            width: Columns.
            height: Rows.
            place: Another number wherever the former picture is no longer there to stay.
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
