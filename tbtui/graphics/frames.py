"""The frames of an animation, decoded one at a time when they are asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.frozen import frozen
from tbtui.graphics.header import MOST_PIXELS, PictureError, open_picture, orientation_of, quiet_pillow
from tbtui.graphics.pictures import to_pixels, to_rgb

if TYPE_CHECKING:
    from tbtui.graphics.pictures import Pixels

SHORTEST, USUAL = 0.02, 0.1
"""Seconds: a frame that claims to be shown for less than the first is shown for the second, as in browsers; most such
claims are a zero that means nothing."""


@frozen(eq=False)
class Frame:
    """A picture of an animation."""

    pixels: Pixels
    """See `graphics.pictures.Pixels`."""

    seconds: float
    """How long it is shown."""


class Frames:
    """The frames of a GIF, WebP or PNG; any other picture has one.

    Most frames only say what differs from the one before. So in order each costs its own decoding, and going back costs
    that of all before it. Belongs to one thread at a time.

    Args:
        data: The file.

    Raises:
        PictureError: No picture, none that can be shown, or too large a one.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._image, self.header = open_picture(data)

    def __len__(self) -> int:
        return self.header.frames

    def at(self, index: int, *, enough: tuple[int, int] | None = None) -> Frame:
        """One of them.

        Args:
            index: From 0 on.
            enough: Width and height that need not be exceeded, as for `decode`.

        Raises:
            PictureError: There is no such frame, or it cannot be decoded.
        """
        if index < self._image.tell():
            self._image, _ = open_picture(self._data)  # Pillow loses its place in a PNG that is rewound twice
        quiet_pillow()
        image = self._image
        try:
            if len(self) > 1:
                image.seek(index)
            if image.width * image.height > MOST_PIXELS:
                raise ValueError(image.size)
            image.load()
            converted, _ = to_rgb(image, self.header.bits)
            pixels = to_pixels(converted, enough, orientation_of(image))
            seconds = float(image.info.get("duration", 0)) / 1000
        except Exception as error:
            raise PictureError(f"frame {index + 1} of {len(self)} cannot be decoded") from error
        return Frame(pixels, seconds if seconds >= SHORTEST else USUAL)
