"""Decode the sounds of a value and detect their formats.

The first bytes of a file decide its format; the content type that a writer gives is not used.
"""

from __future__ import annotations

import struct
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.events.event_prefix import (
    TENSOR,
    Span,
    find_field,
    find_shape,
    find_value,
    is_converted,
    iter_fields,
    read_tensor_shape,
)
from tbtui.events.schema import decode_text
from tbtui.events.tensors import TensorError, to_array
from tbtui.events.values import read_stored_value
from tbtui.events.wire import FIXED32
from tbtui.frozen import frozen

if TYPE_CHECKING:
    from tbtui.events.event_prefix import ByteSource
    from tbtui.events.values import EventTime


@frozen
class SoundFormat:
    """Sound file format."""

    name: str
    """Common name."""

    ending: str
    """Suffix of file names, such as `.wav`."""

    begins: tuple[bytes, ...]
    """Possible first bytes of a file."""


WAV = SoundFormat("WAV", ".wav", (b"RIFF", b"RIFX", b"RF64"))

OTHERS = (
    SoundFormat("MP3", ".mp3", (b"ID3", b"\xff\xfb", b"\xff\xfa", b"\xff\xf3", b"\xff\xf2", b"\xff\xe3", b"\xff\xe2")),
    SoundFormat("Ogg", ".ogg", (b"OggS",)),
    SoundFormat("FLAC", ".flac", (b"fLaC",)),
    SoundFormat("AIFF", ".aiff", (b"FORM",)),
    SoundFormat("AU", ".au", (b".snd",)),
)


def detect_format(data: bytes) -> SoundFormat | None:
    """Return the format of a sound from at least its first 12 bytes; None if unknown."""
    if data.startswith(WAV.begins):
        return WAV if data[8:12] == b"WAVE" else None
    return next((candidate for candidate in OTHERS if data.startswith(candidate.begins)), None)


_STRINGS, _AUDIO, _ENCODED = 8, 6, 4
"""Fields: strings of a tensor, old form of a value, file in the old form."""

_SAMPLE_RATE = 1
"""Field of `Summary.Audio`."""

_IS_CONVERTED = 3
"""Field of `AudioPluginData`: true for a value of one sound that TensorBoard converted from the old form."""

MAX_STRINGS = 1024
"""Maximum number of strings of a tensor whose sounds are located without reading them."""


class SoundsError(ValueError):
    """A value holds no sounds; the message is one plain sentence."""


@frozen(eq=False)
class Sound:
    """One sound file."""

    data: bytes
    """Bytes as they were written, nearly always WAV."""

    label: str = ""
    """Markdown; not yet made safe for a terminal."""

    content_type: str = ""
    """Content type, such as `audio/wav`; only the old form has one."""

    logged_rate: float | None = None
    """Sample rate that the writer logged next to the file; only the old form has one."""


def read_sounds(payload: bytes, index: int, moment: EventTime | None = None) -> tuple[Sound, ...]:
    """Return the sounds of the value at `index` of a serialized `Event`.

    A tensor of the new form has one row per sound: bytes and label. A tensor without labels is a list of bytes. The
    old form holds one sound. (TensorBoard `plugins/audio/summary_v2.py`, `summary.proto`.)

    Raises:
        StaleValueError: The value is no longer there; see `read_stored_value`.
        SoundsError: The value holds no sounds.
    """
    value = read_stored_value(payload, index, moment)
    kind = value.WhichOneof("value")
    if kind == "audio":
        old = value.audio
        rate = float(old.sample_rate) or None
        return (Sound(bytes(old.encoded_audio_string), "", decode_text(old.content_type), rate),)
    if kind != "tensor":
        raise SoundsError("this value holds no sounds")
    return _split_tensor(value.tensor)


def _split_tensor(tensor: Any) -> tuple[Sound, ...]:
    try:
        array = to_array(tensor)
    except TensorError as error:
        raise SoundsError(str(error)) from error
    if array.dtype != object:
        raise SoundsError(f"sounds are expected here, but there is a tensor of {array.dtype}")
    if array.ndim == 2 and array.shape[1] >= 1:
        labels = array[:, 1].tolist() if array.shape[1] > 1 else [b""] * len(array)
        return tuple(
            Sound(data, _decode_label(label)) for data, label in zip(array[:, 0].tolist(), labels, strict=True)
        )
    if array.ndim < 2:
        return tuple(Sound(data) for data in np.atleast_1d(array).tolist())
    shape = "×".join(map(str, array.shape))
    raise SoundsError(f"sounds are expected here, but there is a tensor of shape {shape}")


def _decode_label(label: bytes) -> str:
    return label.decode("utf-8", "replace")


def locate_sounds(payload: ByteSource, size: int, index: int) -> list[tuple[Span, Span]] | None:
    """Locate the sounds and labels of the value at `index` of an `Event` without reading them.

    Args:
        payload: Serialized `Event`; only the headers of its fields are read.
        size: Size of the event in bytes.
        index: Index of the value.

    Returns:
        Byte ranges of sound and label; None if the layout is unusual, so that protobuf must decode it.
    """
    try:
        value = find_value(payload, index, size)
        for number, span in iter_fields(payload, value):
            if number == _AUDIO:
                return [(find_field(payload, span, _ENCODED), Span(0, 0))]
            if number == TENSOR:
                shape = read_tensor_shape(payload, span)
                strings_read = (string for field, string in iter_fields(payload, span) if field == _STRINGS)
                strings = list(islice(strings_read, MAX_STRINGS + 1))
                break
        else:
            return None
    except LookupError:
        return None
    if len(shape) == 2 and shape[1] == 2 and 0 < 2 * shape[0] == len(strings) and strings[-1].end <= size:
        return list(zip(strings[::2], strings[1::2], strict=True))
    return None


def find_logged_rate(payload: ByteSource, size: int, index: int) -> float | None:
    """Return the logged sample rate of a sound of the old form at `index` of an `Event`; None without one."""
    try:
        audio = find_field(payload, find_value(payload, index, size), _AUDIO)
        rates = [span for number, span in iter_fields(payload, audio, FIXED32) if number == _SAMPLE_RATE]
        packed = bytes(payload[position] for span in rates[-1:] for position in range(span.begin, span.end))
    except LookupError:
        return None
    return struct.unpack("<f", packed)[0] or None if len(packed) == 4 else None


def is_single_sound(content: bytes) -> bool:
    """Return True if the plugin metadata, a serialized `AudioPluginData`, promise one sound per value."""
    return is_converted(content, _IS_CONVERTED)


def count_sounds(head: bytes, index: int) -> int | None:
    """Count the sounds of a value from the first bytes of its event.

    Args:
        head: First bytes of a serialized `Event`; may be cut anywhere.
        index: Index of the value in the summary of the event.

    Returns:
        The number of sounds; None if these bytes do not hold it.
    """
    shape = find_shape(head, index, _AUDIO)
    if shape is None:
        return None
    return shape[0] if shape else 1
