"""Decode pictures to pixels, as far as they are visible; prefetch thumbnails; keep both within a number of bytes."""

from __future__ import annotations

import math
from collections import OrderedDict
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from tbtui.frozen import frozen
from tbtui.loading.payloads import ByteCache
from tbtui.plugins.images.viewport import find_visible_part
from tbtui.terminal_images.decode import (
    Decoded,
    Frames,
    PictureError,
    amplify,
    decode,
    measure_difference,
    read_header,
    resize,
)
from tbtui.terminal_images.frame_selection import choose_frames, is_scanned, measure_changes, spread_frames
from tbtui.terminal_images.header import MAX_PIXELS

Value = TypeVar("Value")

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator
    from typing import TypeAlias

    from tbtui.plugins.images.read import Stored
    from tbtui.plugins.images.viewport import Box, Size, VisiblePart
    from tbtui.terminal_images.colour_mapping import Tone, ValueRange
    from tbtui.terminal_images.decode import Difference, Header
    from tbtui.terminal_images.decode import Pixels as Picture
    from tbtui.terminal_images.frame_selection import Changes

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
        """Replace the tasks that are expected, and begin the first ones.

        Args:
            coming: Key and function of each task, in the order in which results will be taken. The caller's thread
                iterates; the functions run on other threads.
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
"""Bytes of cached whole pictures, for keys that move the viewport; the largest picture fits."""

MAX_STRIP_BYTES = 12 << 20
"""Bytes of cached film strips."""

MAX_OPEN_FILMS = 2
"""Animations that are played at the same time: one, and the one that it is compared with."""

MAX_HEADERS = 4096


@frozen(eq=False)
class Scaled:
    """A picture, or a part of it, at its size on the screen."""

    pixels: Picture
    key: Hashable
    """Identity of these pixels."""

    note: str = ""
    """A defect of the picture, such as a cut file."""

    seconds: float = 0.0
    """Seconds for which this frame of an animation is shown."""

    values: ValueRange | None = None
    """Range of the values of the whole picture as stored, as far as it is known."""


class PixelCache:
    """Decode pictures, and cache those that were needed last. Used by one thread."""

    def __init__(self) -> None:
        self._headers: OrderedDict[Hashable, Header | PictureError] = OrderedDict()
        self._boxes: OrderedDict[Hashable, Box] = OrderedDict()
        self._decoded: ByteCache[Decoded] = ByteCache(MAX_DECODED_BYTES)
        self._scaled: ByteCache[Scaled] = ByteCache(MAX_THUMBNAIL_BYTES)
        self._ahead: Prefetcher[Scaled] = Prefetcher()
        self._playing: OrderedDict[Hashable, Frames] = OrderedDict()
        self._strips: ByteCache[tuple[Scaled, ...]] = ByteCache(MAX_STRIP_BYTES)
        self._changes: OrderedDict[Hashable, Changes] = OrderedDict()
        self._differences: tuple[Hashable, FrameDifferences] | None = None
        self.decodings = 0
        """Number of pictures that were decoded; tests read it to find decoding that is not needed."""

    def header(self, stored: Stored) -> Header:
        """Return the header of a picture; raise PictureError."""
        cached = self._headers.get(stored.identity)
        if cached is None:
            try:
                cached = read_header(stored.data)
            except PictureError as error:
                cached = error
            self._headers[stored.identity] = cached
            if len(self._headers) > MAX_HEADERS:
                self._headers.popitem(last=False)
        if isinstance(cached, PictureError):
            raise cached
        return cached

    def find_content_box(self, stored: Stored) -> Box:
        """Return the picture without its plain margins, in pixels; all of an animation. Raise PictureError."""
        header = self.header(stored)
        full_box = (0, 0, header.width, header.height)
        if header.frames > 1:
            return full_box
        box = self._boxes.get(stored.identity)
        if box is None:
            box = _find_content(decode(stored.data, enough=TRIMMED_SIZE).pixels, header.size) or full_box
            self._boxes[stored.identity] = box
            if len(self._boxes) > MAX_HEADERS:
                self._boxes.popitem(last=False)
        return box

    def expect(self, coming: Iterator[tuple[Stored, VisiblePart]], tone: Tone = "stored") -> None:
        """Begin to decode thumbnails that will be needed, in this order."""
        self._ahead.expect(self._to_decode(coming, tone))

    def _to_decode(
        self, coming: Iterator[tuple[Stored, VisiblePart]], tone: Tone
    ) -> Iterator[tuple[Hashable, Callable[[], Scaled]]]:
        for stored, part in coming:
            key = stored.identity, part, None, tone
            is_known = self._scaled.get(key) or self._decoded.get((stored.identity, tone))
            if is_thumbnail(part) and not is_known:
                yield key, partial(_decode_thumbnail, stored, part, self.header(stored).size, tone)

    def scale(self, stored: Stored, part: VisiblePart, frame: int | None = None, tone: Tone = "stored") -> Scaled:
        """Return the visible part of a picture at its size on the screen; raise PictureError.

        Args:
            stored: The picture.
            part: Its visible part.
            frame: Frame of an animation; None for any other picture, and for the first frame as a still.
            tone: How values become colours.
        """
        key = stored.identity, part, frame, tone
        cached = self._scaled.get(key)
        if cached is None:
            size = self.header(stored).size
            if (begun := self._ahead.take(key)) is not None:
                self.decodings += 1
                cached = begun.result()
            elif frame is None:
                source = self._decode_full(stored, part, tone)
                cached = Scaled(_crop(source.pixels, part, size), key, source.note, values=source.values)
            else:
                shown = self._get_frames(stored).at(frame, tone=tone)
                cached = Scaled(_crop(shown.pixels, part, size), key, "", shown.seconds)
            self._scaled.put(key, cached, cached.pixels.nbytes)
        return cached

    def _decode_full(self, stored: Stored, part: VisiblePart, tone: Tone = "stored") -> Decoded:
        """Return all of a picture; smaller where a thumbnail is enough."""
        cached = self._decoded.get((stored.identity, tone))
        if cached is None:
            self.decodings += 1
            if is_thumbnail(part):
                return decode(stored.data, enough=(part.width, part.height), tone=tone)
            cached = decode(stored.data, tone=tone)
            self._decoded.put((stored.identity, tone), cached, cached.pixels.nbytes)
        return cached

    def _get_frames(self, stored: Stored) -> Frames:
        """Return the frames of an animation; the last two stay open, so that a frame costs one decoding."""
        frames = self._playing.pop(stored.identity, None) or Frames(stored.data)
        self._playing[stored.identity] = frames
        if len(self._playing) > MAX_OPEN_FILMS:
            self._playing.popitem(last=False)
        return frames

    def choose_frames(self, stored: Stored, count: int) -> tuple[int, ...]:
        """Return the frames of an animation that show best what changes in it; raise PictureError."""
        header = self.header(stored)
        if not is_scanned(header):
            return spread_frames(header.frames, count)
        changes = self._changes.pop(stored.identity, None)
        if changes is None:
            changes = measure_changes(Frames(stored.data))
        self._changes[stored.identity] = changes
        if len(self._changes) > MAX_HEADERS:
            self._changes.popitem(last=False)
        return choose_frames(changes, count)

    def strip(self, stored: Stored, frames: tuple[int, ...], area: Size, tone: Tone = "stored") -> tuple[Scaled, ...]:
        """Return some frames of an animation, each reduced to a room in dots; raise PictureError.

        The last strips are kept: an animation that plays draws its strip again for each frame.
        """
        key = stored.identity, frames, area, tone
        cached = self._strips.get(key)
        if cached is None:
            size, decoder = self.header(stored).size, Frames(stored.data)
            part = find_visible_part(size, area)
            cached = tuple(
                Scaled(_crop(decoder.at(frame, tone=tone).pixels, part, size), (key, frame)) for frame in frames
            )
            self._strips.put(key, cached, sum(scaled.pixels.nbytes for scaled in cached))
        return cached

    def values(self, stored: Stored) -> ValueRange | None:
        """Return the range of the values of a picture; raise PictureError."""
        return self._decode_full(stored, _create_full_viewport(self.header(stored).size)).values

    def difference(self, first: Stored, second: Stored, frame: int = 0) -> Difference:
        """Return the difference of two pictures, or of one frame of two animations; raise PictureError."""
        return measure_difference(*(self._frame_pixels(stored, frame) for stored in (first, second)))

    def _frame_pixels(self, stored: Stored, frame: int) -> Picture:
        header = self.header(stored)
        if header.frames > 1:
            return self._get_frames(stored).at(frame % header.frames).pixels
        return self._decode_full(stored, _create_full_viewport(header.size)).pixels

    def frame_seconds(self, stored: Stored, frame: int) -> float:
        """Return for how long a frame of an animation is shown; 0 for a picture of one frame; raise PictureError."""
        count = self.header(stored).frames
        return self._get_frames(stored).at(frame % count).seconds if count > 1 else 0.0

    def frame_differences(self, first: Stored, second: Stored, count: int) -> FrameDifferences | None:
        """Return the differences of the frames of two animations.

        The last result is kept: it is shown below every frame.

        Args:
            first: An animation, or a still picture.
            second: The animation or picture to compare with.
            count: Number of frames that are compared.

        Returns:
            One for each frame; None if the animations are too large to decode all frames.
        """
        key = first.identity, second.identity
        if self._differences is None or self._differences[0] != key:
            if any(
                header.frames > 1 and not is_scanned(header) for header in (self.header(first), self.header(second))
            ):
                return None
            films = [
                _Still(self._frame_pixels(each, 0)) if self.header(each).frames == 1 else Frames(each.data)
                for each in (first, second)
            ]
            means, bright = np.zeros(count), 0
            for frame in range(count):
                of_frame = measure_difference(*(film.at(frame).pixels for film in films))
                means[frame], bright = of_frame.mean, max(bright, of_frame.bright)
            self._differences = key, FrameDifferences(means, bright)
        return self._differences[1]


@frozen(eq=False)
class FrameDifferences:
    """Differences of the frames of two animations."""

    means: Changes
    """Mean over pixels and channels of each frame, 0 to 255."""

    bright: int
    """The greatest `Difference.bright` of all frames, which are drawn with one gain."""


@frozen(eq=False)
class _Still:
    """A picture in place of the frames of an animation."""

    pixels: Picture

    def at(self, _index: int) -> _Still:
        return self


def is_thumbnail(part: VisiblePart) -> bool:
    """Return True if fewer than all pixels are enough."""
    return part.is_whole and part.scale < 1


TRIMMED_SIZE = (512, 512)
"""Width and height that suffice to find the margins of a picture."""

MARGIN_TOLERANCE = 12
"""Difference of a channel, of 255, within which a pixel has the colour of the margin: the noise of a JPEG."""


def _find_content(pixels: Picture, size: Size) -> Box | None:
    """Return the part of a picture inside margins of one colour, in pixels of the file; None if there are none."""
    colours = pixels.astype(np.int16)
    if pixels.shape[2] == 4:
        colours[pixels[..., 3] == 0] = 0  # what is transparent has no colour
    corners = colours[[0, 0, -1, -1], [0, -1, 0, -1]]
    if np.abs(corners - corners[0]).max() > MARGIN_TOLERANCE:
        return None
    is_content = (np.abs(colours - corners[0]) > MARGIN_TOLERANCE).any(axis=2)
    rows, columns = np.flatnonzero(is_content.any(axis=1)), np.flatnonzero(is_content.any(axis=0))
    if not len(rows):
        return None
    across, down = size[0] / pixels.shape[1], size[1] / pixels.shape[0]
    return (
        math.floor(columns[0] * across),
        math.floor(rows[0] * down),
        min(math.ceil((columns[-1] + 1) * across), size[0]),
        min(math.ceil((rows[-1] + 1) * down), size[1]),
    )


def _decode_thumbnail(stored: Stored, part: VisiblePart, size: Size, tone: Tone) -> Scaled:
    """Return a picture that is not cached at its size on the screen; raise PictureError. Runs on any thread."""
    decoded = decode(stored.data, enough=(part.width, part.height), tone=tone)
    key = stored.identity, part, None, tone
    return Scaled(_crop(decoded.pixels, part, size), key, decoded.note, values=decoded.values)


def scale_difference(
    difference: Difference, pictures: tuple[Stored, Stored], part: VisiblePart, frame: int = 0, gain: int = 1
) -> Scaled:
    """Return the visible part of the difference of two pictures, or of one frame of two animations, times a gain."""
    key = *(stored.identity for stored in pictures), part, frame, gain
    pixels = amplify(difference.pixels, gain)
    return Scaled(_crop(pixels, part, get_size(pixels)), key, difference.note)


def get_size(pixels: Picture) -> Size:
    """Return width and height."""
    return int(pixels.shape[1]), int(pixels.shape[0])


def _create_full_viewport(size: Size) -> VisiblePart:
    return find_visible_part(size, size)


def _crop(pixels: Picture, part: VisiblePart, size: Size) -> Picture:
    """Cut out the visible part and resize it; the array may be smaller than the picture."""
    width, height = get_size(pixels)
    left, top, right, bottom = part.box
    across, down = width / size[0], height / size[1]
    return resize(pixels, (left * across, top * down, right * across, bottom * down), part.width, part.height)
