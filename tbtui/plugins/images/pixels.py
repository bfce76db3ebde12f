"""Encoded pictures as pixels: only of what is seen, kept within a number of bytes."""

from __future__ import annotations

from collections import OrderedDict
from functools import partial
from typing import TYPE_CHECKING

from tbtui.frozen import frozen
from tbtui.graphics.adjust import difference
from tbtui.graphics.frames import Frames
from tbtui.graphics.header import MOST_PIXELS
from tbtui.graphics.pictures import Decoded, PictureError, decode, read_header, resized
from tbtui.loading.byte_cache import ByteCache
from tbtui.plugins.images.ahead import Ahead
from tbtui.plugins.images.sight import seen

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

    from tbtui.graphics.adjust import Difference
    from tbtui.graphics.pictures import Header
    from tbtui.graphics.pictures import Pixels as Picture
    from tbtui.plugins.images.data import Stored
    from tbtui.plugins.images.sight import Seen, Size

MOST_THUMBNAIL_BYTES = 24 << 20
"""Of pictures as large as they are shown."""

MOST_DECODED_BYTES = 4 * MOST_PIXELS
"""Of whole pictures, of which another part may be asked for with the next key: there is room for the largest."""

MOST_HEADERS = 4096


@frozen(eq=False)
class Scaled:
    """A picture, or a part of it, as large as it is shown."""

    pixels: Picture
    key: Hashable
    """Tells it from all others."""

    note: str = ""
    """What is not as it should be with it."""

    seconds: float = 0.0
    """For which this frame of an animation is shown."""


class Pixels:
    """Decodes pictures, and keeps those that were asked for last. Used by one thread."""

    def __init__(self) -> None:
        self._headers: OrderedDict[Hashable, Header | PictureError] = OrderedDict()
        self._decoded: ByteCache[Decoded | None] = ByteCache(MOST_DECODED_BYTES)
        self._scaled: ByteCache[Scaled | None] = ByteCache(MOST_THUMBNAIL_BYTES)
        self._ahead: Ahead[Scaled] = Ahead()
        self._playing: tuple[Hashable, Frames] | None = None
        self.decodings = 0
        """How often a picture had to be decoded, for whoever asks whether anything is that does not show."""

    def header(self, stored: Stored) -> Header:
        """What a picture is; raises PictureError."""
        known = self._headers.get(stored.identity)
        if known is None:
            try:
                known = read_header(stored.data)
            except PictureError as error:
                known = error
            self._headers[stored.identity] = known
            if len(self._headers) > MOST_HEADERS:
                self._headers.popitem(last=False)
        if isinstance(known, PictureError):
            raise known
        return known

    def expect(self, coming: Iterator[tuple[Stored, Seen]]) -> None:
        """Begin to decode thumbnails that will be asked for, in that order."""
        self._ahead.expect(self._to_decode(coming))

    def _to_decode(self, coming: Iterator[tuple[Stored, Seen]]) -> Iterator[tuple[Hashable, Callable[[], Scaled]]]:
        for stored, part in coming:
            key = stored.identity, part, None
            if is_thumbnail(part) and not (self._scaled.get(key, _nothing) or self._decoded.get(key[0], _nothing)):
                yield key, partial(_thumbnail, stored, part, self.header(stored).size)

    def scaled(self, stored: Stored, part: Seen, frame: int | None = None) -> Scaled:
        """What is seen of a picture, as large as it is shown; raises PictureError.

        Args:
            stored: The picture.
            part: What of it.
            frame: Which frame of an animation; None of any other picture, and for the first one as a still.
        """
        key = stored.identity, part, frame
        known = self._scaled.get(key, _nothing)
        if known is None:
            size = self.header(stored).size
            if (begun := self._ahead.take(key)) is not None:
                self.decodings += 1
                known = begun.result()
            elif frame is None:
                whole = self._whole(stored, part)
                known = Scaled(_seen(whole.pixels, part, size), key, whole.note)
            else:
                shown = self._frames(stored).at(frame)
                known = Scaled(_seen(shown.pixels, part, size), key, "", shown.seconds)
            self._scaled.put(key, known, known.pixels.nbytes)
        return known

    def _whole(self, stored: Stored, part: Seen) -> Decoded:
        """All of a picture, smaller where a thumbnail is all that is asked for."""
        known = self._decoded.get(stored.identity, _nothing)
        if known is None:
            self.decodings += 1
            if is_thumbnail(part):
                return decode(stored.data, enough=(part.width, part.height))
            known = decode(stored.data)
            self._decoded.put(stored.identity, known, known.pixels.nbytes)
        return known

    def _frames(self, stored: Stored) -> Frames:
        """The animation that was looked at last stays open: its next frame needs but its own decoding."""
        if self._playing is None or self._playing[0] != stored.identity:
            self._playing = stored.identity, Frames(stored.data)
        return self._playing[1]

    def difference(self, one: Stored, other: Stored) -> Difference:
        """What differs between two pictures; raises PictureError."""
        both = [self._whole(stored, _every_pixel(self.header(stored).size)).pixels for stored in (one, other)]
        return difference(*both)


def is_thumbnail(part: Seen) -> bool:
    """Whether less than all pixels are enough."""
    return part.is_whole and part.scale < 1


def _thumbnail(stored: Stored, part: Seen, size: Size) -> Scaled:
    """A picture that is not kept, as large as it is shown; raises PictureError. For any thread."""
    whole = decode(stored.data, enough=(part.width, part.height))
    return Scaled(_seen(whole.pixels, part, size), (stored.identity, part, None), whole.note)


def scaled_difference(found: Difference, of: tuple[Stored, Stored], part: Seen) -> Scaled:
    """What is seen of the difference of two pictures, as large as it is shown."""
    key = *(stored.identity for stored in of), part
    return Scaled(_seen(found.pixels, part, size_of(found.pixels)), key, found.note)


def size_of(pixels: Picture) -> Size:
    """Width and height."""
    return int(pixels.shape[1]), int(pixels.shape[0])


def _every_pixel(size: Size) -> Seen:
    return seen(size, size)


def _seen(pixels: Picture, part: Seen, size: Size) -> Picture:
    """Cut out what is seen, and bring it to its size on the screen; the array may be smaller than the picture."""
    width, height = size_of(pixels)
    left, top, right, bottom = part.box
    across, down = width / size[0], height / size[1]
    return resized(pixels, (left * across, top * down, right * across, bottom * down), part.width, part.height)


def _nothing() -> None:
    return None
