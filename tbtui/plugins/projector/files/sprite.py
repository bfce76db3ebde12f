"""Read sprites: one picture that holds a small picture for each point, in rows from left to right.

TensorBoard's list of neighbours assumes as many rows as columns and counts within the filtered points, so that it shows
wrong pictures after a selection (issue 4611 of TensorBoard). Here the number of columns is that of whole pictures in
the width, and a point keeps its number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.frozen import frozen
from tbtui.plugins.projector.files.config import MAX_IMAGE_SIDE
from tbtui.tfrecord.file import open_file

if TYPE_CHECKING:
    import numpy.typing as npt

MAX_FILE_BYTES = 256 << 20


class SpriteError(Exception):
    """The sprite cannot be read; the text is the reason."""


@frozen(eq=False)
class Sprite:
    """A decoded sprite."""

    pixels: npt.NDArray[np.uint8]
    """uint8[height, width, 3]."""

    width: int
    """Width of one picture in pixels."""

    height: int

    @property
    def columns(self) -> int:
        """Pictures in a row."""
        return int(self.pixels.shape[1]) // self.width

    @property
    def count(self) -> int:
        """Number of pictures."""
        return self.columns * (int(self.pixels.shape[0]) // self.height)

    def picture(self, point: int) -> npt.NDArray[np.uint8] | None:
        """Return the picture of a point, uint8[height, width, 3]; None if the sprite is too small."""
        row, column = divmod(point, max(self.columns, 1))
        part = self.pixels[row * self.height : (row + 1) * self.height, column * self.width : (column + 1) * self.width]
        return part if part.shape[:2] == (self.height, self.width) else None


def read_sprite(path: str, size: tuple[int, int] | None) -> Sprite:
    """Decode a sprite.

    Args:
        path: The file, in any format that Pillow reads.
        size: Width and height of one picture.

    Raises:
        SpriteError: It cannot be decoded.
        OSError: It cannot be read.
    """
    from io import BytesIO

    from PIL import Image, UnidentifiedImageError

    if size is None:
        raise SpriteError("the configuration has no single_image_dim [width, height]")
    with open_file(path) as file:
        if file.size > MAX_FILE_BYTES:
            raise SpriteError(f"the sprite has {file.size:,} bytes; at most {MAX_FILE_BYTES:,} are read")
        data = file.read(0, file.size).tobytes()
    try:
        with Image.open(BytesIO(data)) as image:
            if max(image.size) > MAX_IMAGE_SIDE:
                raise SpriteError(
                    f"the sprite has {image.width} x {image.height} pixels; at most {MAX_IMAGE_SIDE} per side are read"
                )
            pixels = np.asarray(image.convert("RGB"))
    except SpriteError:
        raise
    except UnidentifiedImageError as error:  # its text has the address of the buffer
        raise SpriteError("the sprite is not an image of a known format") from error
    except Exception as error:  # Pillow raises errors of many kinds for damaged files
        raise SpriteError(f"the sprite cannot be decoded: {error}") from error
    width, height = size
    if width > pixels.shape[1] or height > pixels.shape[0]:
        raise SpriteError(
            f"a picture of {width} x {height} pixels does not fit the sprite of {pixels.shape[1]} x {pixels.shape[0]}"
        )
    return Sprite(pixels, width, height)
