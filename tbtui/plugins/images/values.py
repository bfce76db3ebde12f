"""Images of one tag of one run, for the Python API."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tbtui.api.errors import PayloadError
from tbtui.api.values import Value, Values
from tbtui.export.media import NOTHING_LOGGED
from tbtui.plugins.images.decode import ImageError, read_pictures

if TYPE_CHECKING:
    from typing import TypeAlias

    import numpy.typing as npt
    from PIL.Image import Image as PilImage
    from typing_extensions import Self

    from tbtui.api.values import ValueLocation
    from tbtui.terminal_images.decode import Decoded
    from tbtui.terminal_images.header import Header

    Raw: TypeAlias = bytes
    """`bytes` under another name: the class below has an attribute `bytes`."""


class Image(Value):
    """One image of a step: the first one, or one of `all_of_step`.

    Raises:
        PayloadError: The value cannot be read. `array`, `to_pil`, `width`, `height` and `format` raise it also for
            bytes that are not an image, and for an image too large to decode.
    """

    def __init__(self, location: ValueLocation, sample: int = 0, encoded: tuple[Raw, ...] | None = None) -> None:
        super().__init__(location)
        self.sample = sample
        """Index of the image in its step, from 0."""

        self._read = encoded

    @property
    def bytes(self) -> Raw:
        """Image file as it was logged: mostly PNG; also JPEG, GIF and others."""
        encoded = self._encoded
        if self.sample >= len(encoded):
            raise self._location.error(NOTHING_LOGGED)
        return encoded[self.sample]

    @property
    def all_of_step(self) -> tuple[Self, ...]:
        """All images of the step; writers may log several at once, or none."""
        return tuple(type(self)(self._location, sample, self._encoded) for sample in range(len(self._encoded)))

    @property
    def format(self) -> str:
        """Format detected from the bytes, such as `PNG`."""
        return self._header.format

    @property
    def width(self) -> int:
        """Width in pixels, after the EXIF rotation."""
        return self._header.width

    @property
    def height(self) -> int:
        """Height in pixels, after the EXIF rotation."""
        return self._header.height

    @property
    def note(self) -> str:
        """Remark on the pixels of `array`: the file is truncated, or was reduced to 8 bits; empty if neither."""
        return self._decoded.note

    def array(self) -> npt.NDArray[np.uint8]:
        """Return the pixels as displayed: a new array, uint8[height, width, 3 or 4] (RGB or RGBA).

        An animation gives its first frame, a damaged file the part that can be decoded.
        """
        return np.array(self._decoded.pixels)

    def to_pil(self) -> PilImage:
        """Return the image as Pillow reads it, with the mode and the frames of the file."""
        from tbtui.terminal_images.header import PictureError, open_picture

        try:
            image, _ = open_picture(self.bytes)
            image.load()
        except (PictureError, OSError, SyntaxError, ValueError, EOFError) as error:
            raise self._location.error(str(error)) from error
        return image

    def _repr_png_(self) -> Raw | None:
        return self._get_file("PNG")

    def _repr_jpeg_(self) -> Raw | None:
        return self._get_file("JPEG")

    def _get_file(self, form: str) -> Raw | None:
        """Return the file if it can be read and has this format."""
        try:
            return self.bytes if self.format == form else None
        except PayloadError:
            return None

    @cached_property
    def _encoded(self) -> tuple[Raw, ...]:
        if self._read is not None:
            return self._read
        value = self._location.value()
        try:
            return read_pictures(value).encoded
        except ImageError as error:
            raise self._location.error(str(error)) from error

    @cached_property
    def _header(self) -> Header:
        from tbtui.terminal_images.header import PictureError, read_header

        try:
            return read_header(self.bytes)
        except PictureError as error:
            raise self._location.error(str(error)) from error

    @cached_property
    def _decoded(self) -> Decoded:
        from tbtui.terminal_images.decode import PictureError, decode

        try:
            return decode(self.bytes)
        except PictureError as error:
            raise self._location.error(str(error)) from error


class Images(Values[Image]):
    """Images of a tag: `images[-1].array()`."""

    plugin = "images"

    def _value(self, location: ValueLocation) -> Image:
        return Image(location)
