"""Decode pictures to pixels, as far as they are visible; prefetch thumbnails; keep both within a number of bytes."""

from __future__ import annotations

from collections import OrderedDict
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Generic, TypeVar

from tbtui.frozen import frozen
from tbtui.loading.payloads import ByteCache
from tbtui.plugins.images.viewport import seen
from tbtui.terminal_images.decode import Decoded, Frames, PictureError, decode, difference, read_header, resized
from tbtui.terminal_images.header import MAX_PIXELS

Value = TypeVar("Value")

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator
    from typing import TypeAlias

    from tbtui.plugins.images.read import Stored
    from tbtui.plugins.images.viewport import Size, Viewport
    from tbtui.terminal_images.decode import Difference, Header
    from tbtui.terminal_images.decode import Pixels as Picture

    Task: TypeAlias = tuple[Hashable, Callable[[], Value]]


THREADS = 2
"""Pictures that are decoded at the same time; more would take processors from the training that is watched."""

PREFETCHED = 2 * THREADS
"""Pictures that are decoded or queued, so that no thread waits."""


class Prefetcher(Generic[Value]):
    """Run tasks some steps before their results are needed. Used by one thread."""

    def __init__(self) -> None:
        self._threads: ThreadPoolExecutor | None = None
        self._coming: Iterator[Task[Value]] = iter(())
        self._begun: dict[Hashable, Future[Value]] = {}

    def expect(self, coming: Iterator[Task[Value]]) -> None:
        """Begin with other tasks, and forget the tasks before.

        Args:
            coming: Key of each outcome and what makes it, in the order in which they will be taken; taken one by one on
                the caller's thread. What makes it runs on another.
        """
        for begun in self._begun.values():
            begun.cancel()
        self._begun = {}
        self._coming = coming
        self._begin()

    def take(self, key: Hashable) -> Future[Value] | None:
        """Return the result of a task and forget it, None if it has not begun; another task begins in its place."""
        begun = self._begun.pop(key, None)
        if begun is not None:
            self._begin()
        return begun

    def _begin(self) -> None:
        while len(self._begun) < PREFETCHED:
            task = next(self._coming, None)
            if task is None:
                return
            key, make = task
            if self._threads is None:
                self._threads = ThreadPoolExecutor(THREADS, "tbtui-decoding")
            self._begun[key] = self._threads.submit(make)


MAX_THUMBNAIL_BYTES = 24 << 20
"""Bytes of cached pictures at the size that they are shown at."""

MAX_DECODED_BYTES = 4 * MAX_PIXELS
"""Bytes of cached whole pictures, of which the next key may show another part; the largest one fits."""

MAX_HEADERS = 4096


@frozen(eq=False)
class Scaled:
    """A picture, or a part of it, at the size that it is shown at."""

    pixels: Picture
    key: Hashable
    """Identity of these pixels."""

    note: str = ""
    """A defect of the picture, such as a cut file."""

    seconds: float = 0.0
    """Seconds for which this frame of an animation is shown."""


class PixelCache:
    """Decode pictures, and cache those that were needed last. Used by one thread."""

    def __init__(self) -> None:
        self._headers: OrderedDict[Hashable, Header | PictureError] = OrderedDict()
        self._decoded: ByteCache[Decoded | None] = ByteCache(MAX_DECODED_BYTES)
        self._scaled: ByteCache[Scaled | None] = ByteCache(MAX_THUMBNAIL_BYTES)
        self._ahead: Prefetcher[Scaled] = Prefetcher()
        self._playing: tuple[Hashable, Frames] | None = None
        self.decodings = 0
        """Number of pictures that were decoded; tests read it to find decoding that is not needed."""

    def header(self, stored: Stored) -> Header:
        """Return the header of a picture; raise PictureError."""
        known = self._headers.get(stored.identity)
        if known is None:
            try:
                known = read_header(stored.data)
            except PictureError as error:
                known = error
            self._headers[stored.identity] = known
            if len(self._headers) > MAX_HEADERS:
                self._headers.popitem(last=False)
        if isinstance(known, PictureError):
            raise known
        return known

    def expect(self, coming: Iterator[tuple[Stored, Viewport]]) -> None:
        """Begin to decode thumbnails that will be needed, in this order."""
        self._ahead.expect(self._to_decode(coming))

    def _to_decode(self, coming: Iterator[tuple[Stored, Viewport]]) -> Iterator[tuple[Hashable, Callable[[], Scaled]]]:
        for stored, part in coming:
            key = stored.identity, part, None
            if is_thumbnail(part) and not (self._scaled.get(key, _nothing) or self._decoded.get(key[0], _nothing)):
                yield key, partial(_thumbnail, stored, part, self.header(stored).size)

    def scaled(self, stored: Stored, part: Viewport, frame: int | None = None) -> Scaled:
        """Return the visible part of a picture at the size that it is shown at; raise PictureError.

        Args:
            stored: The picture.
            part: Its visible part.
            frame: Frame of an animation; None for any other picture, and for the first frame as a still.
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

    def _whole(self, stored: Stored, part: Viewport) -> Decoded:
        """Return all of a picture; smaller where a thumbnail is enough."""
        known = self._decoded.get(stored.identity, _nothing)
        if known is None:
            self.decodings += 1
            if is_thumbnail(part):
                return decode(stored.data, enough=(part.width, part.height))
            known = decode(stored.data)
            self._decoded.put(stored.identity, known, known.pixels.nbytes)
        return known

    def _frames(self, stored: Stored) -> Frames:
        """Return the frames of an animation; the last one stays open, so that a frame costs one decoding."""
        if self._playing is None or self._playing[0] != stored.identity:
            self._playing = stored.identity, Frames(stored.data)
        return self._playing[1]

    def difference(self, one: Stored, other: Stored) -> Difference:
        """Return the difference of two pictures; raise PictureError."""
        both = [self._whole(stored, _every_pixel(self.header(stored).size)).pixels for stored in (one, other)]
        return difference(*both)


def is_thumbnail(part: Viewport) -> bool:
    """Return True if fewer than all pixels are enough."""
    return part.is_whole and part.scale < 1


def _thumbnail(stored: Stored, part: Viewport, size: Size) -> Scaled:
    """Return a picture that is not cached at its size on the screen; raise PictureError. Runs on any thread."""
    whole = decode(stored.data, enough=(part.width, part.height))
    return Scaled(_seen(whole.pixels, part, size), (stored.identity, part, None), whole.note)


def scaled_difference(found: Difference, of: tuple[Stored, Stored], part: Viewport) -> Scaled:
    """Return the visible part of the difference of two pictures."""
    key = *(stored.identity for stored in of), part
    return Scaled(_seen(found.pixels, part, size_of(found.pixels)), key, found.note)


def size_of(pixels: Picture) -> Size:
    """Return width and height."""
    return int(pixels.shape[1]), int(pixels.shape[0])


def _every_pixel(size: Size) -> Viewport:
    return seen(size, size)


def _seen(pixels: Picture, part: Viewport, size: Size) -> Picture:
    """Cut out the visible part and resize it; the array may be smaller than the picture."""
    width, height = size_of(pixels)
    left, top, right, bottom = part.box
    across, down = width / size[0], height / size[1]
    return resized(pixels, (left * across, top * down, right * across, bottom * down), part.width, part.height)


def _nothing() -> None:
    return None
