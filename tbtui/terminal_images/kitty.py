"""Kitty graphics: escape sequences, and a cache of the images that the terminal holds.

An image is sent once and stays in the terminal under an image id. With placeholders, cells of text with that id show
it, so moving, covering or removing the text does the same to the image, in tmux too. Without placeholders images are
placed over the text and must be removed again.

Nothing here writes: functions return the sequences to write. Source: kitty, "Terminal graphics protocol".
"""

from __future__ import annotations

from base64 import b64encode
from collections import OrderedDict
from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

from tbtui.charts.cells import MAX_PLACEHOLDERS, NO_COLOUR, NUMBERED, Cells, Ink, build_placeholders, colour_pairs
from tbtui.frozen import frozen
from tbtui.terminal_images.quantization import quantize_to_palette

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterator, Sequence

    from tbtui.terminal_images.decode import Pixels

MAX_CHUNK_CHARS = 4096
"""Maximum characters of an image in one sequence, set by the protocol."""

MAX_IMAGES = 240
"""Maximum number of images in the terminal."""

MAX_IMAGE_BYTES = 128 << 20
"""Maximum bytes of their pixels, four each. kitty itself drops the oldest beyond 320 MB."""

ZLIB_LEVEL = 2
"""zlib level: higher levels take longer than sending the bytes they save."""

_COLOURS = range(16, 256)
"""Colours by number; those before are the sixteen with other sequences."""

_PALETTE = 256
_PLACEMENT = 1
"""An image has one placement at a time."""

_QUIET = "q=2"
"""Suppresses answers, which would arrive as keys."""


@frozen
class KittyImage:
    """An image in the form in which it is sent."""

    payload: str
    """PNG in base64."""

    width: int
    """Width in pixels."""

    height: int
    """Height in pixels."""

    @property
    def stored_bytes(self) -> int:
        """Return its size in the terminal."""
        return 4 * self.width * self.height


def encode(pixels: Pixels, *, palette: bool = False) -> KittyImage:
    """Encode an image, which may take some milliseconds.

    Args:
        pixels: See `terminal_images.decode.Pixels`, in the size on the screen: the terminal blurs images that it
            enlarges.
        palette: Reduce to 256 colours: a photo takes a third of the bytes, a plot about as many.
    """
    image = quantize_to_palette(pixels, _PALETTE) if palette else Image.fromarray(np.ascontiguousarray(pixels))
    file = BytesIO()
    image.save(file, "PNG", compress_level=ZLIB_LEVEL)
    return KittyImage(b64encode(file.getvalue()).decode("ascii"), pixels.shape[1], pixels.shape[0])


def list_image_ids(namespace: int, count: int = MAX_IMAGES) -> tuple[int, ...]:
    """Return image ids. Placeholders encode an id in their colour and a diacritic.

    The lowest byte of an id is the number of one of the 256 colours of a terminal. Rich and tmux pass these unchanged,
    unlike true colours. The highest byte, which the diacritic encodes, is derived from `namespace`.

    Args:
        namespace: Any number; programs in one terminal that differ in it (in 254 of 255 cases) do not replace each
            other's images.
        count: Maximum number of images.
    """
    return tuple((namespace % 0xFF + 1) << 24 | colour for colour in _COLOURS[:count])


class KittyImageCache:
    """Cache of the images that the terminal stores; the least recently used ones are deleted.

    Args:
        ids: Ids of the images, see `list_image_ids`.
        placeholders: True if cells of text show the images; False if they are placed over the text.
        tmux: True to wrap sequences for tmux.
        max_bytes: Maximum bytes of the pixels of all images.
    """

    def __init__(
        self, ids: Sequence[int], *, placeholders: bool = True, tmux: bool = False, max_bytes: int = MAX_IMAGE_BYTES
    ) -> None:
        self._free = list(reversed(ids))
        self._placeholders = placeholders
        self._tmux = tmux
        self._max_bytes = max_bytes
        self._entries: OrderedDict[Hashable, _Entry] = OrderedDict()

    def __contains__(self, key: Hashable) -> bool:
        return key in self._entries

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def stored_bytes(self) -> int:
        """Return the size of all images in the terminal."""
        return sum(entry.size for entry in self._entries.values())

    def put(self, key: Hashable, image: KittyImage, columns: int, rows: int, shown: Collection[Hashable] = ()) -> str:
        """Return the sequence that sends an image to the terminal, without showing it.

        Args:
            key: Key of the image; an image with the same key is replaced wherever it is shown.
            image: The image.
            columns: Columns that it fills, at most `MAX_PLACEHOLDERS`.
            rows: Rows that it fills, at most `MAX_PLACEHOLDERS`.
            shown: Keys of images on the screen, which are dropped last.
        """
        sequences = [self.drop(key)]
        size = image.stored_bytes
        while self._entries and (not self._free or self.stored_bytes + size > self._max_bytes):
            sequences.append(self.drop(self._find_least_used(shown)))
        entry = self._entries[key] = _Entry(
            self._free.pop(), min(columns, MAX_PLACEHOLDERS), min(rows, MAX_PLACEHOLDERS), size
        )
        virtual = f",U=1,c={entry.columns},r={entry.rows}" if self._placeholders else ""
        action = "T" if self._placeholders else "t"
        sequences += self._iter_chunks(f"a={action},f=100,i={entry.image_id}{virtual},{_QUIET}", image.payload)
        return "".join(sequences)

    def cells(self, key: Hashable) -> Cells:
        """Return the cells that show a held image in a terminal with placeholders."""
        entry = self._entries[key]
        self._entries.move_to_end(key)
        glyphs = build_placeholders(entry.rows, entry.columns, entry.image_id >> 24)
        colours = np.full(glyphs.shape, colour_pairs(NUMBERED + (entry.image_id & 0xFF), NO_COLOUR))
        return Cells(glyphs, np.full(glyphs.shape, Ink.NONE, np.int16), colours)

    def place(self, key: Hashable, row: int, column: int) -> str:
        """Return the sequence that places a held image over the text, or moves it, without placeholders.

        Args:
            key: Key of the image.
            row: Row of its upper left cell on the whole screen, from 0.
            column: Column of that cell, from 0.
        """
        entry = self._entries[key]
        self._entries.move_to_end(key)
        controls = f"a=p,i={entry.image_id},p={_PLACEMENT},c={entry.columns},r={entry.rows},C=1,{_QUIET}"
        return write_at_cell(row, column, self._build_command(controls))

    def hide(self, key: Hashable) -> str:
        """Return the sequence that hides an image; the terminal still stores it."""
        entry = self._entries.get(key)
        return "" if entry is None else self._build_command(f"a=d,d=i,i={entry.image_id},p={_PLACEMENT},{_QUIET}")

    def drop(self, key: Hashable) -> str:
        """Return the sequence that deletes an image from the terminal, wherever it is shown."""
        entry = self._entries.pop(key, None)
        if entry is None:
            return ""
        self._free.append(entry.image_id)
        return self._build_command(f"a=d,d=I,i={entry.image_id},{_QUIET}")

    def clear(self) -> str:
        """Return the sequence that deletes all images."""
        return "".join([self.drop(key) for key in tuple(self._entries)])

    def _find_least_used(self, shown: Collection[Hashable]) -> Hashable:
        return next((key for key in self._entries if key not in shown), next(iter(self._entries)))

    def _iter_chunks(self, controls: str, payload: str) -> Iterator[str]:
        for start in range(0, len(payload), MAX_CHUNK_CHARS):
            more = int(start + MAX_CHUNK_CHARS < len(payload))
            yield self._build_command(
                f"{controls},m={more}" if not start else f"m={more},{_QUIET}", payload[start : start + MAX_CHUNK_CHARS]
            )

    def _build_command(self, controls: str, payload: str = "") -> str:
        command = f"\x1b_G{controls};{payload}\x1b\\" if payload else f"\x1b_G{controls}\x1b\\"
        return wrap_for_tmux(command) if self._tmux else command


@frozen
class _Entry:
    image_id: int
    columns: int
    rows: int
    size: int


def wrap_for_tmux(sequence: str) -> str:
    """Wrap a sequence so that tmux passes it to the terminal unchanged, if `allow-passthrough` is on."""
    doubled = sequence.replace("\x1b", "\x1b\x1b")
    return f"\x1bPtmux;{doubled}\x1b\\"


def write_at_cell(row: int, column: int, sequence: str) -> str:
    """Return a sequence that is written at a cell of the screen, from 0, and restores the cursor."""
    return f"\x1b7\x1b[{row + 1};{column + 1}H{sequence}\x1b8"
