"""Texts of the Images tab: its status, notes about a picture, and the table of runs below an opened one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tbtui.charts import numbers
from tbtui.charts.card import SEPARATOR
from tbtui.events.values import StaleValueError, read_stored_value
from tbtui.export.media import UNKNOWN_ENDING, MediaKind, Sample, read_newest_samples
from tbtui.plugins.images.decode import ImageError, read_pictures
from tbtui.plugins.images.settings import BRIGHTNESS, CONTRAST, display_labels
from tbtui.plugins.images.transitions import CARD_STEPS
from tbtui.terminal_images.header import PictureError, detect_format, read_header

if TYPE_CHECKING:
    from tbtui.events.values import EventTime
    from tbtui.plugins.images.read import Stored
    from tbtui.settings.settings import Settings, XAxis
    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot
    from tbtui.terminal_images.capabilities import ImageProtocol, ImageSetting
    from tbtui.terminal_images.decode import Difference, Header


WAYS = {"kitty": "kitty graphics", "sixel": "sixels", "half": "half blocks", "off": "images off"}


def format_settings_label(settings: Settings) -> str:
    """Return the settings of all pictures; defaults are left out."""
    texts = (
        f"brightness {BRIGHTNESS.value(settings):g}" if BRIGHTNESS.value(settings) != 1 else "",
        f"contrast {CONTRAST.value(settings):g}" if CONTRAST.value(settings) != 1 else "",
        *display_labels(settings),
        "superseded too" if settings.superseded else "",
        f"from step {settings.skip_steps}" if settings.skip_steps else "",
        f"x {settings.x_axis}" if settings.x_axis != "step" else "",
    )
    return SEPARATOR.join(filter(None, texts))


def format_protocol(protocol: ImageProtocol | None, setting: ImageSetting) -> str:
    """Return the image protocol, and the reason if it is not the wanted one; empty for the plain default."""
    if protocol is None or (protocol.kind == "half" and setting == "auto"):
        return ""
    return WAYS[protocol.kind] if setting in (protocol.kind, "auto") else f"{WAYS[protocol.kind]}: {protocol.reason}"


def describe_protocol(protocol: ImageProtocol) -> str:
    """Return the image protocol and the reason for it."""
    if protocol.kind == "off":
        return f"{WAYS['off']}, {protocol.reason}"
    texts = (
        f"drawn as {WAYS[protocol.kind]}",
        "small ones as half blocks: tmux keeps few images" if protocol.opened_only else "",
        "in few colours, as the connection is remote"
        if protocol.remote and protocol.kind in ("kitty", "sixel")
        else "",
    )
    cell = f", cells of {protocol.cell.width} × {protocol.cell.height} pixels" if protocol.cell is not None else ""
    return f"{', '.join(filter(None, texts))}: {protocol.reason}{cell}"


def format_status(settings: Settings, protocol: ImageProtocol | None = None) -> str:
    """Return the status of the tab: the shown steps, and settings that are not the default."""
    where = "step: newest" if settings.cursor is None else _format_cursor(settings.cursor, settings.x_axis)
    count = CARD_STEPS.count(settings)
    own_steps = f"{count} alone" if count else ""
    return SEPARATOR.join(
        filter(None, (where, own_steps, format_settings_label(settings), format_protocol(protocol, settings.images)))
    )


def _format_cursor(cursor: float, axis: XAxis) -> str:
    if axis in ("step", "order"):
        return f"step {round(cursor)}" if axis == "step" else f"value {round(cursor)}"
    return numbers.format_clock(cursor) if axis == "wall" else numbers.format_duration(cursor)


def format_header(header: Header, stored: Stored) -> tuple[str, ...]:
    """Return lines about a picture from its header alone; nothing is decoded."""
    return (
        f"{header.width:,} × {header.height:,} pixels",
        f"{header.format}, {header.mode} of {header.bits} bits",
        *([_format_animation(header)] if header.frames > 1 else []),
        f"{len(stored.data):,} bytes encoded",
    )


def _format_animation(header: Header) -> str:
    more = " and more, which are not shown" * header.more_frames
    return f"an animation of {format_frames(header)}{more}"


def format_frames(header: Header) -> str:
    """Return the length of an animation: `24 frames, 2.4s, 10 fps`; empty for a picture of one frame."""
    if header.frames < 2:
        return ""
    film = header.film
    times = "" if film is None else f", {numbers.format_duration(film.seconds)}, {film.rate:.3g} fps"
    return f"{'≥' if header.more_frames else ''}{header.frames:,} frames{times}"


def zoom_text(scale: float) -> str:
    """Return the magnification, such as `2×`, relative to one dot for each pixel."""
    return f"{scale:.3g}×" if not math.isclose(scale, 1) else "actual size"


def format_image_difference(difference: Difference, gain: int = 1) -> str:
    """Return the difference of two pictures as a text: `difference ×16: 12 % of pixels, at most 15 of 255`.

    Args:
        difference: Their difference.
        gain: The factor by which its drawing is brighter.
    """
    title = f"difference ×{gain}" if gain > 1 else "difference"
    share = f"{100 * difference.differing:.3g} % of pixels"
    text = f"{title}: {share}, at most {difference.largest} of 255" if difference.differing else "the same"
    return f"{text} · {difference.note}" if difference.note else text


# Pictures as files, and as a table of what they are.


def _read_samples(payload: bytes, index: int, moment: EventTime) -> list[Sample]:
    return [create_image_sample(data) for data in read_pictures(read_stored_value(payload, index, moment)).encoded]


def create_image_sample(data: bytes) -> Sample:
    """Return a picture and the facts of its header, or the reason why it cannot be shown."""
    image_format = detect_format(data)
    ending, name = (UNKNOWN_ENDING, None) if image_format is None else (image_format.ending, image_format.name)
    try:
        header = read_header(data)
    except PictureError as error:
        return Sample(data, ending, {"format": name}, str(error))
    facts: dict[str, str | float | None] = {
        "format": name,
        "width": header.width,
        "height": header.height,
        "frames": header.frames,
        "duration": round(header.seconds, 6) if header.frames > 1 else None,
    }
    return Sample(data, ending, facts)


IMAGES = MediaKind(
    "images", ("format", "width", "height", "frames", "duration"), _read_samples, (ImageError, StaleValueError)
)
"""`width` and `height` are in pixels, as the picture is shown; `duration` of an animation is in seconds."""


MAX_MEASURED_PIXELS = 4_000_000
"""Pixels of an image that `print` and `inspect` decode for its defects and its range of values: up to 0.1 seconds."""


def format_pixels(data: bytes) -> str:
    """Return facts that need the pixels: `cut short`, or `values 0–2 of 255` if little can be seen of them as stored.

    The text is empty for an animation and for a large image.
    """
    from tbtui.terminal_images.decode import decode

    try:
        header = read_header(data)
        if header.frames > 1 or header.width * header.height > MAX_MEASURED_PIXELS:
            return ""
        decoded = decode(data)
    except PictureError as error:
        return str(error)
    values = decoded.values
    return "; ".join(filter(None, (decoded.note, values.text if values is not None and values.is_narrow else "")))


def describe_newest(run: RunSnapshot, series: ReferenceSeries) -> str:
    """Return a summary of the newest value of a series for `inspect`: `3 × 64×48 PNG`, or why there is no picture."""
    samples, reason = read_newest_samples(IMAGES, run, series)
    if not samples:
        return reason
    first = samples[0]
    if first.problem:
        return first.problem
    header = read_header(first.data)
    several = f"{len(samples):,} × " if len(samples) > 1 else ""
    words = ", ".join(filter(None, (header.format, format_frames(header), format_pixels(first.data))))
    return f"{several}{header.width}×{header.height} {words}"
