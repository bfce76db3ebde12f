"""The sounds of one value: files as they were written, with their labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from tbtui.events.messages import text
from tbtui.events.tensors import TensorError, to_array
from tbtui.events.values import stored_value

if TYPE_CHECKING:
    from tbtui.events.values import Moment

_SUMMARY, _VALUE, _TENSOR, _SHAPE, _DIM, _SIZE = 5, 1, 8, 2, 2, 1
"""Numbers of the fields on the way from an `Event` to how long the first dimension of a value's tensor is."""

_STRINGS, _AUDIO, _ENCODED = 8, 6, 4
"""Of a tensor's strings; of a value's old form, and of the file in it."""

_BYTES = 2
"""The wire type of messages, strings and bytes."""


class SoundsError(ValueError):
    """A value that holds no sounds; the message is one plain sentence."""


@dataclass(frozen=True, slots=True, eq=False)
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


class Bytes(Protocol):
    """A serialized message, in memory or not."""

    def __getitem__(self, at: int, /) -> int:
        """One byte; raises IndexError where it is not known."""


class Span(NamedTuple):
    """Where something lies in a serialized `Event`."""

    begin: int
    end: int


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
        value = _field(payload, *_field(payload, 0, size, _SUMMARY), _VALUE, index)
        if (old := _found(payload, value, _AUDIO)) is not None:
            return [(Span(*_field(payload, *old, _ENCODED)), Span(0, 0))]
        tensor = _field(payload, *value, _TENSOR)
        shape = _field(payload, *tensor, _SHAPE)
        sizes: list[int] = []
        while (dim := _found(payload, shape, _DIM, len(sizes))) is not None:
            sizes.append(_varint(payload, dim[0] + 1)[0])
        strings: list[Span] = []
        at = tensor[0]
        while (string := _found(payload, (at, tensor[1]), _STRINGS)) is not None and len(strings) < MOST_STRINGS:
            strings.append(Span(*string))
            at = string[1]
    except LookupError:
        return None
    if len(sizes) == 2 and sizes[1] == 2 and len(strings) == 2 * sizes[0] and strings[-1].end <= size:
        return list(zip(strings[::2], strings[1::2], strict=True))
    return None


MOST_STRINGS = 1024
"""Of a tensor whose sounds are found without being read."""


def _found(payload: Bytes, message: tuple[int, int], number: int, index: int = 0) -> tuple[int, int] | None:
    """As `_field`, or None where the message ends without."""
    try:
        return _field(payload, *message, number, index)
    except LookupError as error:
        if isinstance(error, IndexError):
            raise
        return None


def sound_count(head: bytes, index: int) -> int | None:
    """How many sounds the value at `index` of an `Event` holds, told from its first bytes.

    Writers put the shape of a tensor before what is in it, so that nothing of a sound has to be read to count them.

    Args:
        head: The first bytes of the serialized `Event`, some hundreds.
        index: Of the value.

    Returns:
        None where that cannot be told.
    """
    try:
        begin, end = _field(head, 0, 1 << 62, _SUMMARY)
        begin, end = _field(head, begin, end, _VALUE, index)
        begin, end = _field(head, begin, end, _TENSOR)
        begin, end = _field(head, begin, end, _SHAPE)
        begin, end = _field(head, begin, end, _DIM)
        size, _ = _varint(head, begin + 1)
    except LookupError:
        return None
    return size if head[begin] == _SIZE << 3 and size < 1 << 31 else None


def _field(head: Bytes, at: int, end: int, number: int, index: int = 0) -> tuple[int, int]:
    """Where a message begins and ends that is a field of the one from `at` to before `end`.

    Raises:
        LookupError: There is none, or it lies beyond the bytes that are known.
    """
    while at < end:
        key, at = _varint(head, at)
        wire = key & 7
        if wire == _BYTES:
            length, at = _varint(head, at)
            if key >> 3 == number:
                if not index:
                    return at, at + length
                index -= 1
            at += length
        elif wire == 0:
            _, at = _varint(head, at)
        elif wire in (1, 5):
            at += 8 if wire == 1 else 4
        else:
            break
    raise LookupError


def _varint(head: Bytes, at: int) -> tuple[int, int]:
    """A number, and where the next byte is. Raises IndexError beyond the bytes that are known."""
    number = shift = 0
    while True:
        byte = head[at]
        number |= (byte & 0x7F) << shift
        at += 1
        if byte < 0x80:
            return number, at
        shift += 7
        if shift > 63:
            raise IndexError
