"""Frames of cards: painted on the background thread, kept as long as nothing that alters the look has changed."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from tbtui.charts.cells import Cells

KEPT = 256
"""Frames kept; a hundred kB each in the widest terminal, and far more cards than one looks back at."""


class CardPainter(Protocol):
    """Draws the cards of one view. All but `outline` run off the UI thread, one call at a time."""

    def look(self, key: str) -> Hashable:
        """Everything that alters the look of card `key` beside its size and focus: equal looks are equal pictures."""

    def paint(self, key: str, width: int, height: int, *, focused: bool) -> Cells:
        """Draw card `key`, frame and all."""

    def outline(self, key: str, width: int, height: int, *, focused: bool) -> Cells:
        """The card without its content, to stand there until the first frame is painted. Must take next to no time."""

    def broken(self, key: str, width: int, height: int, error: Exception, *, focused: bool) -> Cells:
        """The card when `look` or `paint` raised `error`: says in plain words what went wrong."""


@dataclass(frozen=True, slots=True, eq=False)
class Opened:
    """A card in full size: a picture, and below it a table of which as many rows are shown as fit."""

    key: str
    picture: Cells
    header: Cells
    """One row."""

    rows: Cells


class OpenPainter(Protocol):
    """Draws a card in full size. Runs off the UI thread."""

    def look(self, key: str) -> Hashable:
        """As `CardPainter.look`."""

    def open(self, key: str, width: int, height: int) -> Opened:
        """Draw `key` for `width` x `height` cells: the picture leaves as many rows as the table may take."""

    def broken_open(self, key: str, width: int, height: int, error: Exception) -> Opened:
        """The same when `look` or `open` raised `error`."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """One card in sight."""

    key: str
    width: int
    height: int
    focused: bool


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A painted card and everything that its look depends on."""

    wanted: Wanted
    look: Hashable
    cells: Cells


class FrameCache:
    """The last painted frames, newest last. Used on the background thread alone."""

    def __init__(self, kept: int = KEPT) -> None:
        self._kept = kept
        self._frames: OrderedDict[tuple[Wanted, Hashable], Frame] = OrderedDict()
        self.painted = 0
        """How often a frame had to be painted, for whoever asks whether the cache hits."""

    def frames(self, painter: CardPainter, wanted: Sequence[Wanted]) -> Iterator[Frame]:
        """The frame of each wanted card, in that order; painted when none is kept for its present look."""
        for card in wanted:
            yield self._frame(painter, card)

    def _frame(self, painter: CardPainter, card: Wanted) -> Frame:
        try:
            look = painter.look(card.key)
            return self._kept_frame(card, look) or self._keep(
                Frame(card, look, painter.paint(card.key, card.width, card.height, focused=card.focused))
            )
        except Exception as error:  # noqa: BLE001 - shown on the card; the other cards stay
            cells = painter.broken(card.key, card.width, card.height, error, focused=card.focused)
            return Frame(card, None, cells)

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
