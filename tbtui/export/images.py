"""Pictures as files, and as a table of what they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.events.images import ImageError, read_pictures
from tbtui.events.values import ValueGone, stored_value
from tbtui.export.media import UNKNOWN_ENDING, MediaKind, Sample
from tbtui.graphics.formats import format_of
from tbtui.graphics.header import PictureError, read_header

if TYPE_CHECKING:
    from tbtui.events.values import Moment


def _samples(payload: bytes, index: int, moment: Moment) -> list[Sample]:
    return [picture_sample(data) for data in read_pictures(stored_value(payload, index, moment)).encoded]


def picture_sample(data: bytes) -> Sample:
    """A picture, and what its header says of it; of what cannot be shown, why."""
    found = format_of(data)
    ending, name = (UNKNOWN_ENDING, None) if found is None else (found.ending, found.name)
    try:
        header = read_header(data)
    except PictureError as error:
        return Sample(data, ending, {"format": name}, str(error))
    return Sample(data, ending, {"format": name, "width": header.width, "height": header.height})


IMAGES = MediaKind("images", ("format", "width", "height"), _samples, (ImageError, ValueGone))
"""`width` and `height` are in pixels, as the picture is shown."""
