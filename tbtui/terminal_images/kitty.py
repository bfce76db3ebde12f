"""Pictures for terminals that take pixels in the way of kitty: escape sequences, and which pictures the terminal holds.

A picture is sent once and stays in the terminal under a number. With placeholders it is then shown by cells of text
that say that number: whoever moves, covers or removes text does so with the picture, tmux too. Terminals without them
have pictures put at a place instead, over the text, where they have to be taken away again.

Nothing here writes: what is to be written is returned.

Source: kitty, "Terminal graphics protocol".
"""

from __future__ import annotations

from base64 import b64encode
from collections import OrderedDict
from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

from tbtui.charts.cells import MAX_PLACEHOLDERS, NO_COLOUR, NUMBERED, Cells, Ink, colour_pairs, placeholders
from tbtui.frozen import frozen
from tbtui.terminal_images.half_blocks import quantize_to_palette

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterator, Sequence

    from tbtui.terminal_images.decode import Pixels

MAX_CHUNK_CHARS = 4096
"""Characters of a picture in one sequence at most; the protocol allows no more."""

MAX_IMAGES = 240
"""That the terminal is given to hold."""

MAX_IMAGE_BYTES = 128 << 20
"""Of their pixels, four each. kitty itself drops the oldest beyond 320 MB."""

ZLIB_LEVEL = 2
"""Of zlib: what more would save takes longer than to send it."""

_COLOURS = range(16, 256)
"""Of a terminal; those before are the sixteen that are written in another way."""

_PALETTE = 256
_PLACEMENT = 1
"""A picture is at one place at a time."""

_QUIET = "q=2"
"""No answer is wanted: it would arrive as keys."""


@frozen
class KittyImage:
    """A picture as it is sent."""

    payload: str
    """PNG in base64."""

    width: int
    """In pixels."""

    height: int
    """Likewise."""

    @property
    def held_bytes(self) -> int:
        """What it takes in the terminal."""
        return 4 * self.width * self.height


def encode(pixels: Pixels, *, palette: bool = False) -> KittyImage:
    """A picture as it is sent, which may take some milliseconds.

    Args:
        pixels: See `graphics.pictures.Pixels`, as many as it has on the screen: what the terminal enlarges is blurred.
        palette: Whether 256 colours do: a photo takes a third of the bytes, a plot about as many.
    """
    image = quantize_to_palette(pixels, _PALETTE) if palette else Image.fromarray(np.ascontiguousarray(pixels))
    file = BytesIO()
    image.save(file, "PNG", compress_level=ZLIB_LEVEL)
    return KittyImage(b64encode(file.getvalue()).decode("ascii"), pixels.shape[1], pixels.shape[0])


def image_ids(namespace: int, most: int = MAX_IMAGES) -> tuple[int, ...]:
    """Numbers for pictures, each told by a colour and a mark of its placeholders.

    The lowest byte of a number is one of the 256 colours that a terminal has by number: unlike true colours these reach
    it as they are, whatever Rich, tmux and the terminal itself make of others. The highest byte is the mark.

    Args:
        namespace: Any number; programs in one terminal that differ in it (they do in 254 of 255 cases) do not take each
            other's pictures.
        most: How many there are at most.
    """
    return tuple((namespace % 0xFF + 1) << 24 | colour for colour in _COLOURS[:most])


class KittyImageCache:
    """Which pictures the terminal holds; those used last are kept.

    Args:
        ids: Numbers for as many pictures, see `image_ids`.
        placeholders: Whether pictures are shown by cells of text; otherwise they are put over the text.
        tmux: Whether tmux stands between, which has to be asked to let what is sent through.
        most_bytes: Of the pixels of all pictures that are held.
    """

    def __init__(
        self, ids: Sequence[int], *, placeholders: bool = True, tmux: bool = False, most_bytes: int = MAX_IMAGE_BYTES
    ) -> None:
        self._free = list(reversed(ids))
        self._placeholders = placeholders
        self._tmux = tmux
        self._most_bytes = most_bytes
        self._held: OrderedDict[Hashable, _Held] = OrderedDict()

    def __contains__(self, key: Hashable) -> bool:
        return key in self._held

    def __len__(self) -> int:
        return len(self._held)

    @property
    def held_bytes(self) -> int:
        """What all of them take in the terminal."""
        return sum(held.size for held in self._held.values())

    def put(self, key: Hashable, image: KittyImage, columns: int, rows: int, shown: Collection[Hashable] = ()) -> str:
        """Have the terminal hold a picture.

        Args:
            key: Of the picture; where there is one of that key it is replaced, wherever it is shown.
            image: The picture.
            columns: Cells that it fills, no more than `MOST`.
            rows: Likewise.
            shown: Keys of those that are dropped last: they are on the screen.

        Returns:
            What is to be written; it shows nothing yet.
        """
        parts = [self.drop(key)]
        size = image.held_bytes
        while self._held and (not self._free or self.held_bytes + size > self._most_bytes):
            parts.append(self.drop(self._least_used(shown)))
        held = self._held[key] = _Held(
            self._free.pop(), min(columns, MAX_PLACEHOLDERS), min(rows, MAX_PLACEHOLDERS), size
        )
        virtual = f",U=1,c={held.columns},r={held.rows}" if self._placeholders else ""
        action = "T" if self._placeholders else "t"
        parts += self._sent(f"a={action},f=100,i={held.number}{virtual},{_QUIET}", image.payload)
        return "".join(parts)

    def cells(self, key: Hashable) -> Cells:
        """The cells that show a picture which is held, in a terminal with placeholders."""
        held = self._held[key]
        self._held.move_to_end(key)
        glyphs = placeholders(held.rows, held.columns, held.number >> 24)
        colours = np.full(glyphs.shape, colour_pairs(NUMBERED + (held.number & 0xFF), NO_COLOUR))
        return Cells(glyphs, np.full(glyphs.shape, Ink.NONE, np.int16), colours)

    def place(self, key: Hashable, row: int, column: int) -> str:
        """What puts a picture which is held over the text, or elsewhere than before, without placeholders.

        Args:
            key: Of the picture.
            row: Of its upper left cell on the whole screen, from 0.
            column: Likewise.
        """
        held = self._held[key]
        self._held.move_to_end(key)
        where = f"a=p,i={held.number},p={_PLACEMENT},c={held.columns},r={held.rows},C=1,{_QUIET}"
        return at_cell(row, column, self._command(where))

    def lift(self, key: Hashable) -> str:
        """What takes a picture away from the text; the terminal goes on holding it."""
        held = self._held.get(key)
        return "" if held is None else self._command(f"a=d,d=i,i={held.number},p={_PLACEMENT},{_QUIET}")

    def drop(self, key: Hashable) -> str:
        """What has the terminal forget a picture, wherever it is shown."""
        held = self._held.pop(key, None)
        if held is None:
            return ""
        self._free.append(held.number)
        return self._command(f"a=d,d=I,i={held.number},{_QUIET}")

    def clear(self) -> str:
        """What has the terminal forget all of them."""
        return "".join([self.drop(key) for key in tuple(self._held)])

    def _least_used(self, shown: Collection[Hashable]) -> Hashable:
        return next((key for key in self._held if key not in shown), next(iter(self._held)))

    def _sent(self, keys: str, payload: str) -> Iterator[str]:
        for start in range(0, len(payload), MAX_CHUNK_CHARS):
            more = int(start + MAX_CHUNK_CHARS < len(payload))
            yield self._command(
                f"{keys},m={more}" if not start else f"m={more},{_QUIET}", payload[start : start + MAX_CHUNK_CHARS]
            )

    def _command(self, keys: str, payload: str = "") -> str:
        command = f"\x1b_G{keys};{payload}\x1b\\" if payload else f"\x1b_G{keys}\x1b\\"
        return through_tmux(command) if self._tmux else command


@frozen
class _Held:
    number: int
    columns: int
    rows: int
    size: int


def through_tmux(sequence: str) -> str:
    """A sequence that tmux hands to the terminal as it is, where `allow-passthrough` is on."""
    doubled = sequence.replace("\x1b", "\x1b\x1b")
    return f"\x1bPtmux;{doubled}\x1b\\"


def at_cell(row: int, column: int, sequence: str) -> str:
    """A sequence that is written at a cell of the screen, from 0, with the cursor back where it was afterwards."""
    return f"\x1b7\x1b[{row + 1};{column + 1}H{sequence}\x1b8"
