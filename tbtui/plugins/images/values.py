"""Images of one tag of one run."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tbtui.api.errors import PayloadError
from tbtui.api.values import Value, Values
from tbtui.plugins.images.decode import ImageError, read_pictures

if TYPE_CHECKING:
    from typing import TypeAlias

    import numpy.typing as npt
    from PIL.Image import Image as PilImage
    from typing_extensions import Self

    from tbtui.api.values import Place
    from tbtui.terminal_images.decode import Decoded
    from tbtui.terminal_images.header import Header

    Raw: TypeAlias = bytes
    """Under another name, for classes that have an attribute of that name."""


class Image(Value):
    """One picture of a step, the first unless it is one of `all_of_step`.

    Everything but its step and place raises `PayloadError` where it cannot be read, and `array`, `to_pil`, `width`,
    `height` and `format` also where the bytes are no picture, or one that is too large to be decoded.
    """

    def __init__(self, place: Place, sample: int = 0, encoded: tuple[Raw, ...] | None = None) -> None:
        super().__init__(place)
        self.sample = sample
        """Which picture of the step, counted from 0."""

        self._read = encoded

    @property
    def bytes(self) -> Raw:
        """The file as it was logged: mostly PNG, else JPEG, GIF and others."""
        encoded = self._encoded
        if self.sample >= len(encoded):
            raise self._place.refused("nothing was logged at this step")
        return encoded[self.sample]

    @property
    def all_of_step(self) -> tuple[Self, ...]:
        """All pictures of its step: writers may log several at once, or none."""
        return tuple(type(self)(self._place, sample, self._encoded) for sample in range(len(self._encoded)))

    @property
    def format(self) -> str:
        """Such as `PNG`, told by the bytes themselves."""
        return self._header.format

    @property
    def width(self) -> int:
        """In pixels, set upright."""
        return self._header.width

    @property
    def height(self) -> int:
        """Likewise."""
        return self._header.height

    @property
    def note(self) -> str:
        """What is odd about the pixels of `array`: the picture is cut short, or was brought to 8 bits; or empty."""
        return self._decoded.note

    def array(self) -> npt.NDArray[np.uint8]:
        """Its pixels as they are shown, uint8[height, width, 3 or 4]: red, green, blue, and alpha where it has any.

        Of an animation they are those of the first frame, of a damaged file what it still holds. It is a new array.
        """
        return np.array(self._decoded.pixels)

    def to_pil(self) -> PilImage:
        """As Pillow reads it, with the mode and the frames of the file."""
        from tbtui.terminal_images.header import PictureError, open_picture

        try:
            image, _ = open_picture(self.bytes)
            image.load()
        except (PictureError, OSError, SyntaxError, ValueError, EOFError) as error:
            raise self._place.refused(str(error)) from error
        return image

    def _repr_png_(self) -> Raw | None:
        """For notebooks."""
        return self._file_of("PNG")

    def _repr_jpeg_(self) -> Raw | None:
        """Likewise."""
        return self._file_of("JPEG")

    def _file_of(self, form: str) -> Raw | None:
        """The file if it is in that format, and can be read."""
        try:
            return self.bytes if self.format == form else None
        except PayloadError:
            return None

    @cached_property
    def _encoded(self) -> tuple[Raw, ...]:
        if self._read is not None:
            return self._read
        value = self._place.value()
        try:
            return read_pictures(value).encoded
        except ImageError as error:
            raise self._place.refused(str(error)) from error

    @cached_property
    def _header(self) -> Header:
        from tbtui.terminal_images.header import PictureError, read_header

        try:
            return read_header(self.bytes)
        except PictureError as error:
            raise self._place.refused(str(error)) from error

    @cached_property
    def _decoded(self) -> Decoded:
        from tbtui.terminal_images.decode import PictureError, decode

        try:
            return decode(self.bytes)
        except PictureError as error:
            raise self._place.refused(str(error)) from error


class Images(Values[Image]):
    """The images of a tag: `images[-1].array()`."""

    plugin = "images"

    def _value(self, place: Place) -> Image:
        return Image(place)
