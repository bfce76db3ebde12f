"""Which format a sound is in, told by its first bytes: what a writer says of it is not believed."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.events.schema import text
from tbtui.events.tensors import TensorError, to_array
from tbtui.events.values import stored_value
from tbtui.events.wire import TENSOR, Span, converted_in, field, fields, shape_in, tensor_shape, value_in
from tbtui.frozen import frozen

if TYPE_CHECKING:
    from tbtui.events.values import Moment
    from tbtui.events.wire import Bytes


@frozen
class SoundFormat:
    """A format that writers use."""

    name: str
    """As people call it."""

    ending: str
    """Of the names of its files, such as `.wav`."""

    begins: tuple[bytes, ...]
    """How its files may begin."""


WAV = SoundFormat("WAV", ".wav", (b"RIFF", b"RIFX", b"RF64"))

OTHERS = (
    SoundFormat("MP3", ".mp3", (b"ID3", b"\xff\xfb", b"\xff\xf3")),
    SoundFormat("Ogg", ".ogg", (b"OggS",)),
    SoundFormat("FLAC", ".flac", (b"fLaC",)),
    SoundFormat("AIFF", ".aiff", (b"FORM",)),
    SoundFormat("AU", ".au", (b".snd",)),
)


def sound_format(data: bytes) -> SoundFormat | None:
    """The format of a sound, of which the first 12 bytes are enough; None for anything else."""
    if data.startswith(WAV.begins):
        return WAV if data[8:12] == b"WAVE" else None
    return next((found for found in OTHERS if data.startswith(found.begins)), None)


# The sounds of one value: files as they were written, with their labels.


_STRINGS, _AUDIO, _ENCODED = 8, 6, 4
"""Of a tensor's strings; of a value's old form, and of the file in it."""

_CONVERTED = 3
"""Of `AudioPluginData`."""

MOST_STRINGS = 1024
"""Of a tensor whose sounds are found without being read."""


class SoundsError(ValueError):
    """A value that holds no sounds; the message is one plain sentence."""


@frozen(eq=False)
class Sound:
    """One file."""

    data: bytes
    """As it was written; a WAV, nearly always."""

    label: str = ""
    """Markdown; not yet made safe for a terminal."""

    content_type: str = ""
    """`audio/wav`, where a writer of the old form said it."""


def sounds_of(payload: bytes, index: int, moment: Moment | None = None) -> tuple[Sound, ...]:
    """The sounds of the value at `index` of a serialized `Event`.

    A tensor of the new form has a row a sound, of bytes and label; one without labels is a list of bytes. The old form
    is one sound. (TensorBoard `plugins/audio/summary_v2.py`, `summary.proto`.)

    Raises:
        ValueGone: As `stored_value`.
        SoundsError: It holds something else.
    """
    value = stored_value(payload, index, moment)
    kind = value.WhichOneof("value")
    if kind == "audio":
        old = value.audio
        return (Sound(bytes(old.encoded_audio_string), "", text(old.content_type)),)
    if kind != "tensor":
        raise SoundsError("this value holds no sounds")
    return _of_tensor(value.tensor)


def _of_tensor(tensor: Any) -> tuple[Sound, ...]:
    try:
        array = to_array(tensor)
    except TensorError as error:
        raise SoundsError(str(error)) from error
    if array.dtype != object:
        raise SoundsError(f"sounds are expected here, but there is a tensor of {array.dtype}")
    if array.ndim == 2 and array.shape[1] >= 1:
        labels = array[:, 1].tolist() if array.shape[1] > 1 else [b""] * len(array)
        return tuple(Sound(data, _label(label)) for data, label in zip(array[:, 0].tolist(), labels, strict=True))
    if array.ndim < 2:
        return tuple(Sound(data) for data in np.atleast_1d(array).tolist())
    shape = "×".join(map(str, array.shape))
    raise SoundsError(f"sounds are expected here, but there is a tensor of shape {shape}")


def _label(label: bytes) -> str:
    return label.decode("utf-8", "replace")


def sound_spans(payload: Bytes, size: int, index: int) -> list[tuple[Span, Span]] | None:
    """Where the sounds of the value at `index` of an `Event` lie, and their labels, without reading them.

    Args:
        payload: The serialized `Event`; little of it is looked at.
        size: Its bytes.
        index: Of the value.

    Returns:
        None where it is not as writers write it: protobuf may know better.
    """
    try:
        value = value_in(payload, index, size)
        for number, span in fields(payload, value):
            if number == _AUDIO:
                return [(field(payload, span, _ENCODED), Span(0, 0))]
            if number == TENSOR:
                shape = tensor_shape(payload, span)
                held = (string for of, string in fields(payload, span) if of == _STRINGS)
                strings = list(islice(held, MOST_STRINGS + 1))
                break
        else:
            return None
    except LookupError:
        return None
    if len(shape) == 2 and shape[1] == 2 and 0 < 2 * shape[0] == len(strings) and strings[-1].end <= size:
        return list(zip(strings[::2], strings[1::2], strict=True))
    return None


def was_single(content: bytes) -> bool:
    """Whether the metadata of a tag, a serialized `AudioPluginData`, say that its values hold one sound each."""
    return converted_in(content, _CONVERTED)


def sound_count(head: bytes, index: int) -> int | None:
    """How many sounds a value has, told from the first bytes of its event alone.

    Args:
        head: The first bytes of a serialized `Event`; it may end anywhere.
        index: Of the value in the event's summary.

    Returns:
        None when these bytes do not tell.
    """
    shape = shape_in(head, index, _AUDIO)
    if shape is None:
        return None
    return shape[0] if shape else 1
