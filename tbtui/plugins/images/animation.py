"""The frames of an animation: each is drawn over those before it, so going on is cheap and going back is not."""

from __future__ import annotations

from tbtui.graphics.header import PictureError, open_picture
from tbtui.graphics.pictures import Decoded, load, to_pixels, to_rgb

USUAL_SECONDS = 0.1
"""For which a frame is shown that does not say, or says nothing above `LEAST_SECONDS`: what browsers do."""

LEAST_SECONDS = 0.011


class Animation:
    """Decodes frames as they are asked for.

    Args:
        data: The file.

    Raises:
        PictureError: It is none that can be shown.
    """

    def __init__(self, data: bytes) -> None:
        self._image, self._header = open_picture(data)

    def frame(self, number: int) -> Decoded:
        """One frame, counted from 0; raises PictureError."""
        self._seek(number)
        note = load(self._image)
        try:
            converted, told = to_rgb(self._image, self._header.bits)
            pixels = to_pixels(converted, None)
        except Exception as error:
            raise PictureError(f"frame {number + 1} is damaged") from error
        return Decoded(pixels, self._header, note or told)

    def seconds(self, number: int) -> float:
        """For which a frame is shown; raises PictureError."""
        self._seek(number)
        told = self._image.info.get("duration")
        seconds = told / 1000 if isinstance(told, (int, float)) else 0.0
        return seconds if seconds >= LEAST_SECONDS else USUAL_SECONDS

    def _seek(self, number: int) -> None:
        if self._image.tell() == number:
            return
        try:
            self._image.seek(number)
        except Exception as error:
            raise PictureError(f"frame {number + 1} cannot be read: the animation is damaged") from error
