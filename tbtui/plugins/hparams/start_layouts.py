"""Decode starts of sessions that equal a known one but for numbers, such as those of the other runs of a search.

The messages of a search have the same names, and those of one size mostly have their numbers at the same offsets. A
start that protobuf decoded is a layout of further ones: all other bytes are compared at once, and the numbers are taken
from their offsets. That takes a tenth of the time.
"""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator

Start = TypeVar("Start")


MAX_LAYOUTS = 256
"""Maximum number of layouts, such as one for each combination of the words of a search."""

MAX_USELESS = 32
"""Maximum number of layouts that matched no other message; then no more are learned."""

MAX_BYTES = 16 << 10
"""Maximum size of a message that has a layout."""

MAX_MASKS = 8
"""Maximum number of different sets of offsets of the numbers in messages of one size."""

_VERSION, _START = 0x08, 0x1A
_ENTRY, _BEGAN, _TEXTS = 0x0A, 0x29, (0x12, 0x1A, 0x22)
_KEY, _VALUE, _NUMBER = 0x0A, 0x12, 0x11
_NUMBER_BYTES = 8
_CONTINUED = 0x80


class _Number(NamedTuple):
    offset: int
    """Offset of its 8 bytes in the message."""

    name: str | None
    """Name of the hyperparameter; None: the time at which the session started."""


@frozen
class StartLayout(Generic[Start]):
    """The common part of messages that differ only in numbers."""

    start: Start
    """The message from which it was learned."""

    names: tuple[str, ...]
    """Name of the hyperparameter of each number but the time."""

    time_index: int | None
    """Index among the numbers of the time at which the session started; None: the message has none."""


class _LearnedLayout(Generic[Start]):
    """A layout, with a mark after its first use."""

    def __init__(self, layout: StartLayout[Start], numbers: Struct) -> None:
        self.layout, self.numbers = layout, numbers
        self.has_served = False


class StartLayouts(Generic[Start]):
    """The layouts learned so far. Threads may share them: a layout is complete before it is stored."""

    def __init__(self) -> None:
        self._by_size: dict[int, dict[int, dict[int, _LearnedLayout[Start]]]] = {}
        """By size; by the bits that belong to no number; by their values."""

        self._count = self._useless = 0

    def find(self, content: bytes) -> tuple[StartLayout[Start], tuple[float, ...]] | None:
        """Return the layout of a serialized `HParamsPluginData`, and its numbers; None if no layout fits."""
        by_mask = self._by_size.get(len(content))
        if by_mask is None:
            return None
        bits = int.from_bytes(content, "little")
        for mask, by_bits in tuple(by_mask.items()):
            match = by_bits.get(bits & mask)
            if match is not None:
                if not match.has_served:
                    match.has_served = True
                    self._useless -= 1
                return match.layout, match.numbers.unpack(content)
        return None

    def learn(self, content: bytes, start: Start) -> None:
        """Remember the layout of a message that protobuf decoded, if it has one."""
        if self._count >= MAX_LAYOUTS or self._useless >= MAX_USELESS or len(content) > MAX_BYTES:
            return
        try:
            numbers = list(_find_numbers(content))
        except (_UnusualError, IndexError, UnicodeDecodeError):
            return
        form, end, mask = "<", 0, (1 << 8 * len(content)) - 1
        for number in numbers:
            form += f"{number.offset - end}xd"
            end = number.offset + _NUMBER_BYTES
            mask &= ~(((1 << 8 * _NUMBER_BYTES) - 1) << 8 * number.offset)
        names = [number.name for number in numbers]
        time_index = names.index(None) if None in names else None
        layout = StartLayout(start, tuple(name for name in names if name is not None), time_index)
        learned = _LearnedLayout(layout, Struct(f"{form}{len(content) - end}x"))
        by_mask = self._by_size.setdefault(len(content), {})
        if mask not in by_mask and len(by_mask) >= MAX_MASKS:
            return
        self._count += 1
        self._useless += 1
        by_mask.setdefault(mask, {})[int.from_bytes(content, "little") & mask] = learned


class _UnusualError(ValueError):
    """The message has other fields than hyperparameters, texts and a time, or has one of them twice."""


def _find_numbers(content: bytes) -> Iterator[_Number]:
    """Yield the numbers of a message, in their order.

    Raises:
        _UnusualError: The message has no layout.
        IndexError: It ends too early.
        UnicodeDecodeError: A name is not UTF-8: two of these may become the same.
    """
    offset = 2 if content[0] == _VERSION and content[1] < _CONTINUED else 0
    if content[offset] != _START:
        raise _UnusualError
    size, offset = _read_length(content, offset + 1)
    if offset + size != len(content):
        raise _UnusualError
    names: set[str] = set()
    has_time = False
    while offset < len(content):
        field = content[offset]
        if field == _BEGAN and not has_time:
            has_time = True
            yield _Number(offset + 1, None)
            offset += 1 + _NUMBER_BYTES
            continue
        size, begin = _read_length(content, offset + 1)
        offset = begin + size
        if field == _ENTRY:
            name, number_offset = _read_entry(content, begin, offset)
            if name in names:
                raise _UnusualError
            names.add(name)
            if number_offset is not None:
                yield _Number(number_offset, name)
        elif field not in _TEXTS:
            raise _UnusualError
    if offset != len(content):
        raise _UnusualError


def _read_entry(content: bytes, begin: int, end: int) -> tuple[str, int | None]:
    """Return the name of a hyperparameter, and the offset of its number; None if its value is no number."""
    if content[begin] != _KEY:
        raise _UnusualError
    size, offset = _read_length(content, begin + 1)
    name = content[offset : offset + size].decode()
    offset += size
    if content[offset] != _VALUE:
        raise _UnusualError
    size, offset = _read_length(content, offset + 1)
    if offset + size != end:
        raise _UnusualError
    is_number = size == 1 + _NUMBER_BYTES and content[offset] == _NUMBER
    return name, offset + 1 if is_number else None


def _read_length(content: bytes, offset: int) -> tuple[int, int]:
    """Return the length of a field, and the offset of its content."""
    length = shift = 0
    while True:
        byte = content[offset]
        offset += 1
        length |= (byte & (_CONTINUED - 1)) << shift
        if byte < _CONTINUED:
            return length, offset
        shift += 7
