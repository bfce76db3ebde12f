"""Frames of cards: painted on the worker thread, cached by everything that they depend on, shown by the UI thread."""

from __future__ import annotations

from collections import OrderedDict, deque
from typing import TYPE_CHECKING, TypeAlias

from tbtui.charts.cells import Cells, Ink
from tbtui.frozen import frozen
from tbtui.settings.chart_navigation import find_cursor_stops
from tbtui.view.painted_cards import CardPainter, CardRequest, OpenedCard, OpenPainter, PaintedCard, PrefetchingPainter

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Hashable, Iterator, Sequence

    import numpy as np
    import numpy.typing as npt

    from tbtui.charts.chart_layout import PlotArea

    Floats: TypeAlias = npt.NDArray[np.float64]

MAX_CACHED_FRAMES = 256
"""Maximum number of cached frames; each takes 100 kB in the widest terminal."""

MAX_WAITING_ACTIONS = 100
"""Maximum number of keys that wait for a card; the oldest ones are dropped."""

MARK_SIGN, PIN_SIGN = "◆", "↑"
"""Signs in the corner of a marked and of a pinned card."""


@frozen(eq=False)
class PlottedChart:
    """A chart on the screen that keys and mouse work on."""

    key: str
    plot: PlotArea
    stops: Floats
    """Positions of the cursor, at most one per column, not counted from the origin of the axis."""

    slides: bool = False
    """True for a bar of steps: the mouse drags the cursor along it and zooms nothing."""

    value_stops: Floats | None = None
    """Positions of the cursor at every value in sight; None: those of `stops`."""

    @classmethod
    def of_card(
        cls, key: str, plot: PlotArea | None, stops: Floats | None, value_stops: Floats | None = None
    ) -> PlottedChart | None:
        """Return the chart of a card; None if the mouse has nothing to point at.

        Args:
            key: Key of the card.
            plot: Plot area of its picture.
            stops: x values in sight, as in `OpenedCard.stops`.
            value_stops: As in `OpenedCard.value_stops`.
        """
        if plot is None:
            return None
        values = None if value_stops is None else find_cursor_stops(plot, value_stops)
        return cls(key, plot, find_cursor_stops(plot, stops), value_stops=values)


class WaitingActions:
    """Actions of keys that were pressed before the card that they work on was drawn. Belongs to the UI thread."""

    def __init__(self) -> None:
        self._actions: deque[tuple[str, Callable[[], object]]] = deque(maxlen=MAX_WAITING_ACTIONS)

    def add(self, key: str, act: Callable[[], object]) -> None:
        """Add an action of card `key`."""
        self._actions.append((key, act))

    def take(self, key: str) -> Sequence[Callable[[], object]]:
        """Remove and return the actions of card `key`, which is drawn now, in order."""
        due = [act for of_key, act in self._actions if of_key == key]
        if due:
            self.discard_others({of_key for of_key, _ in self._actions if of_key != key})
        return due

    def discard_others(self, keys: Container[str]) -> None:
        """Forget the actions of all cards but these."""
        remaining = [(key, act) for key, act in self._actions if key in keys]
        self._actions = deque(remaining, maxlen=MAX_WAITING_ACTIONS)

    def __bool__(self) -> bool:
        return bool(self._actions)

    def clear(self) -> None:
        """Forget all actions."""
        self._actions.clear()


@frozen(eq=False)
class Frame:
    """A painted card with the request and the key that it was painted for."""

    request: CardRequest
    paint_key: Hashable
    card: PaintedCard

    def draw_focus(self, *, focused: bool) -> Cells:
        """Return the cells with the border of a focused or an unfocused card, until such a frame is painted."""
        cells = self.card.cells
        if focused == self.request.focused:
            return cells
        before, after = (Ink.FAINT, Ink.ACCENT) if focused else (Ink.ACCENT, Ink.FAINT)
        inks = cells.inks.copy()
        for edge in (inks[0], inks[-1], inks[:, 0], inks[:, -1]):
            edge[edge == before] = after
        return Cells(cells.glyphs, inks, cells.colours)


def put_sign(cells: Cells, sign: str) -> Cells:
    """Return a copy of a card with a sign in its corner."""
    if not sign or not cells.height or not cells.width:
        return cells
    signed = cells.copy()
    signed.glyphs[0, 0], signed.inks[0, 0] = ord(sign), Ink.ACCENT
    return signed


class ShownFrames:
    """Holds the last frame of each card. Belongs to the UI thread."""

    def __init__(self, max_frames: int = MAX_CACHED_FRAMES) -> None:
        self._max_frames = max_frames
        self._frames: dict[str, tuple[Frame, int]] = {}
        self._order = 0

    def add(self, frame: Frame) -> None:
        """Store the frame that a card shows from now on."""
        if frame is not self.of(frame.request):
            self._order += 1
            self._frames.pop(frame.request.key, None)
            self._frames[frame.request.key] = frame, self._order
            if len(self._frames) > self._max_frames:
                del self._frames[next(iter(self._frames))]

    def discard_others(self, keys: Container[str]) -> None:
        """Drop the frames of all cards but these."""
        self._frames = {key: entry for key, entry in self._frames.items() if key in keys}

    def of(self, request: CardRequest) -> Frame | None:
        """Return the frame of a card if it has the requested size, below the same heading."""
        frame, _ = self._frames.get(request.key, (None, 0))
        return frame if frame is not None and frame.request.fits(request) else None

    def urgency(self, request: CardRequest) -> tuple[int, int]:
        """Return a sort key: no frame first, then a moved focus, then the stalest frame, so that no card starves."""
        frame, order = self.of(request), self._frames.get(request.key, (None, 0))[1]
        if frame is None:
            return 0, order
        return 1 + (frame.request.focused == request.focused), order


class FrameCache:
    """Caches the last painted frames, newest last. Belongs to the worker thread."""

    def __init__(self, max_frames: int = MAX_CACHED_FRAMES) -> None:
        self._max_frames = max_frames
        self._frames: OrderedDict[tuple[CardRequest, Hashable], Frame] = OrderedDict()
        self.painted = 0
        """Number of painted frames, so that tests and benchmarks can measure cache hits."""

    def frames(self, painter: CardPainter, requests: Sequence[CardRequest]) -> Iterator[Frame]:
        """Yield the frame of each requested card, in that order, from the cache if it is painted already."""
        if isinstance(painter, PrefetchingPainter) and len(requests) > 1:
            painter.prefetch([card for card in requests if not self._is_cached(painter, card)])
        for card in requests:
            yield self._frame(painter, card)

    def _frame(self, painter: CardPainter, card: CardRequest) -> Frame:
        try:
            paint_key = painter.paint_key(card.key)
            return self._find_frame(card, paint_key) or self._paint(painter, card, paint_key)
        except Exception as error:  # noqa: BLE001 - shown on the card; other cards remain
            cells = painter.paint_error(
                card.key, card.width, card.height, error, focused=card.focused, heading=card.heading
            )
            return Frame(card, None, PaintedCard(cells))

    def _is_cached(self, painter: CardPainter, card: CardRequest) -> bool:
        try:
            return (card, painter.paint_key(card.key)) in self._frames
        except Exception:  # noqa: BLE001 - shown on the card when its turn comes
            return True

    def _find_frame(self, card: CardRequest, paint_key: Hashable) -> Frame | None:
        frame = self._frames.get((card, paint_key))
        if frame is not None:
            self._frames.move_to_end((card, paint_key))
        return frame

    def _paint(self, painter: CardPainter, card: CardRequest, paint_key: Hashable) -> Frame:
        painted = painter.paint(card.key, card.width, card.height, focused=card.focused, heading=card.heading)
        frame = Frame(card, paint_key, painted)
        self.painted += 1
        self._frames[frame.request, frame.paint_key] = frame
        while len(self._frames) > self._max_frames:
            self._frames.popitem(last=False)
        return frame


class OpenedCardCache:
    """Draws a card in full size unless its picture would equal the last one. Belongs to the worker thread.

    It compares with its own last result, not with what the UI thread shows: other results may be on their way.
    """

    def __init__(self) -> None:
        self._last: tuple[object, ...] = ()

    def open(self, painter: OpenPainter, key: str, width: int, height: int, generation: int) -> Iterator[OpenedCard]:
        """Yield the card in full size; nothing if its picture would equal the last one.

        Args:
            painter: Draws the card.
            key: Key of the card.
            width: Columns of the view.
            height: Rows of the view.
            generation: A number that changes whenever the view has discarded its former picture.
        """
        try:
            state = generation, painter.paint_key(key)
            if state == self._last:
                return
            opened = painter.open(key, width, height)
            self._last = state
        except Exception as error:  # noqa: BLE001 - shown in place of the chart
            self._last = ()
            opened = painter.open_error(key, width, height, error)
        yield opened
