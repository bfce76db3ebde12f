"""Read the fields of many protobuf messages at once: one step reads the next field of every message.

Only the forms that writers use are read: keys of one byte, lengths and numbers of at most seven. Any other message is
marked, and protobuf reads it. Wire format: protobuf encoding guide.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
"""Wire types; `BYTES` is a length and that number of bytes."""

WORD = 8

Words: TypeAlias = "npt.NDArray[np.uint64]"
Offsets: TypeAlias = "npt.NDArray[np.int64]"
"""Offsets in the buffer that holds the messages."""

_KEYS = 1 << 8
_FIXED_SIZES = np.full(8, -1)
_FIXED_SIZES[[FIXED64, FIXED32]] = 8, 4


def encode_field_key(number: int, wire: int) -> int:
    """Return the byte in front of a field; `number` below 16."""
    return number << 3 | wire


_READABLE = np.zeros(_KEYS, np.bool_)
_READABLE[[encode_field_key(number, wire) for number in range(1, 16) for wire in (VARINT, FIXED64, BYTES, FIXED32)]] = (
    True
)


@frozen(eq=False)
class Messages:
    """Byte ranges of messages in a buffer."""

    begins: Offsets
    ends: Offsets

    def __len__(self) -> int:
        return len(self.begins)

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """Bytes of each message."""
        return self.ends - self.begins

    def __getitem__(self, rows: npt.NDArray[np.int64] | npt.NDArray[np.bool_]) -> Messages:
        return Messages(self.begins[rows], self.ends[rows])


@frozen(eq=False)
class FieldTable:
    """Byte ranges of fields: one column for each requested field, one row for each message."""

    begins: npt.NDArray[np.int64]
    """int64[fields, n]: begin of the content of each field, after its key and length."""

    ends: npt.NDArray[np.int64]
    """int64[fields, n]: its end; 0 for a field that the message does not have."""

    plain: npt.NDArray[np.bool_]
    """bool[n]: the message holds only these fields, each at most once. The other rows must not be used."""

    def __getitem__(self, rows: npt.NDArray[np.bool_]) -> FieldTable:
        return FieldTable(self.begins[:, rows], self.ends[:, rows], self.plain[rows])

    def has(self, field: int) -> npt.NDArray[np.bool_]:
        """Return True for each message that has a field, bool[n]."""
        return np.asarray(self.ends[field] > 0)

    def messages(self, field: int) -> Messages:
        """Return the content of a field as messages; a missing one is empty."""
        return Messages(self.begins[field], self.ends[field])

    def doubles(self, field: int, words: Words) -> npt.NDArray[np.float64]:
        """Return the numbers of a field of 64 bits, float64[n]; 0 if it is missing, as in protobuf."""
        return np.where(self.has(field), words[self.begins[field]].view(np.float64), 0.0)

    def numbers(self, field: int, words: Words) -> npt.NDArray[np.int64]:
        """Return the numbers of a varint field, int64[n]; 0 if it is missing."""
        numbers, _ = decode_varints(words[self.begins[field]])
        return np.where(self.has(field), numbers.view(np.int64), 0)


class ChosenField(NamedTuple):
    """One element of a repeated field of each message."""

    messages: Messages
    """Content of the element."""

    found: npt.NDArray[np.bool_]
    """bool[n]: the element exists, and only elements of the field precede it."""

    rest: Messages
    """The bytes of the message after the element."""


def read_table(words: Words, messages: Messages, keys: Sequence[int]) -> FieldTable:
    """Read fields of n messages.

    Args:
        words: The buffer; every message ends at least eight bytes before the buffer does.
        messages: Their byte ranges.
        keys: Keys of the fields.
    """
    column_of = np.full(_KEYS, -1)
    column_of[list(keys)] = np.arange(len(keys))
    begins, ends = np.zeros((2, len(keys), len(messages)), np.int64)
    plain = np.ones(len(messages), np.bool_)
    rows = np.flatnonzero(messages.begins < messages.ends)
    offsets = messages.begins[rows]
    while len(rows):
        field = _find_next_fields(words, offsets, messages.ends[rows])
        columns = column_of[field.keys]
        expected = field.readable & (columns >= 0) & (ends[columns, rows] == 0)
        if not expected.all():
            plain[rows[~expected]] = False
            rows, columns, field = rows[expected], columns[expected], field[expected]
        begins[columns, rows], ends[columns, rows] = field.begins, field.ends
        offsets = field.ends
        rows, offsets = _select(rows, offsets, offsets < messages.ends[rows])
    return FieldTable(begins, ends, plain)


def choose_field(words: Words, messages: Messages, key: int, ranks: npt.NDArray[np.int64]) -> ChosenField:
    """Find one element in each of n messages that begin with a repeated field.

    Args:
        words: The buffer, as for `read_table`.
        messages: Their byte ranges.
        key: Key of the field.
        ranks: Index of the element in each message, int64[n].
    """
    begins, ends = np.zeros((2, len(messages)), np.int64)
    exists = np.zeros(len(messages), np.bool_)
    rows = np.flatnonzero((messages.begins < messages.ends) & (ranks >= 0))
    offsets = messages.begins[rows]
    rank = 0
    while len(rows):
        field = _find_next_fields(words, offsets, messages.ends[rows])
        is_element = field.readable & (field.keys == key)
        is_chosen = is_element & (ranks[rows] == rank)
        begins[rows[is_chosen]], ends[rows[is_chosen]] = field.begins[is_chosen], field.ends[is_chosen]
        exists[rows[is_chosen]] = True
        rows, offsets = _select(rows, field.ends, is_element & ~is_chosen & (field.ends < messages.ends[rows]))
        rank += 1
    return ChosenField(Messages(begins, ends), exists, Messages(np.where(exists, ends, messages.ends), messages.ends))


def view_words(data: npt.NDArray[np.uint8]) -> Words:
    """Return the eight bytes from each offset on as one little-endian number, uint64[len(data) - 7]: a view."""
    words: Words = np.ndarray((max(0, len(data) - WORD + 1),), "<u8", buffer=data, strides=(1,))
    return words


def view_substrings(data: npt.NDArray[np.uint8], width: int) -> npt.NDArray[np.void]:
    """Return the `width` bytes from each offset on, void[len(data) - width + 1]: a view.

    Taking a stretch costs as much as taking a word, so adjacent words are taken as one stretch.
    """
    stretches: npt.NDArray[np.void]
    stretches = np.ndarray((max(0, len(data) - width + 1),), f"V{width}", buffer=data, strides=(1,))
    return stretches


def decode_varints(words: Words) -> tuple[Words, Offsets]:
    """Return the varint at the beginning of each word, and its bytes: 0 if it does not end in the word."""
    numbers = words & np.uint64(0x7F)
    widths = np.ones(len(words), np.int64)
    continued = (words & np.uint64(0x80)) != 0
    for byte in range(1, WORD):
        if not continued.any():
            return numbers, widths
        part = words >> np.uint64(8 * byte)
        numbers |= np.where(continued, (part & np.uint64(0x7F)) << np.uint64(7 * byte), np.uint64(0))
        widths += continued
        continued &= (part & np.uint64(0x80)) != 0
    widths[continued] = 0
    return numbers, widths


def decode_varint_numbers(words: Words, max_bytes: int) -> Words:
    """Return the numbers of varints of at most `max_bytes` bytes, each followed by zeros in its word.

    Args:
        words: uint64[any shape].
        max_bytes: Bytes of the longest varint.
    """
    numbers = np.zeros(words.shape, np.uint64)
    for byte in range(max_bytes):
        numbers |= ((words >> np.uint64(8 * byte)) & np.uint64(0x7F)) << np.uint64(7 * byte)
    return numbers


@frozen(eq=False)
class _Fields:
    """The next field of some messages."""

    keys: npt.NDArray[np.int64]
    begins: Offsets
    ends: Offsets
    readable: npt.NDArray[np.bool_]

    def __getitem__(self, rows: npt.NDArray[np.bool_]) -> _Fields:
        return _Fields(self.keys[rows], self.begins[rows], self.ends[rows], self.readable[rows])


def _find_next_fields(words: Words, offsets: Offsets, ends: Offsets) -> _Fields:
    """Return the fields at `offsets`, one for each message; `ends` is the end of each message."""
    field_words = words[offsets]
    keys = (field_words & np.uint64(_KEYS - 1)).view(np.int64)
    wires = keys & 7
    sizes = _FIXED_SIZES[wires]
    begins = offsets + 1
    readable = _READABLE[keys]
    has_varint = (wires == VARINT) | (wires == BYTES)
    if has_varint.any():
        numbers, widths = decode_varints(field_words >> np.uint64(8))
        # The shift by the key leaves seven bytes of the word: a varint that needs the eighth is not complete.
        readable &= ~has_varint | ((widths > 0) & (widths < WORD))
        is_bytes = wires == BYTES
        begins += np.where(is_bytes, widths, 0)
        sizes = np.where(is_bytes, numbers.view(np.int64), np.where(has_varint, widths, sizes))
    stops = begins + sizes
    readable &= stops <= ends
    return _Fields(keys, begins, stops, readable)


def _select(rows: Offsets, offsets: Offsets, selected: npt.NDArray[np.bool_]) -> tuple[Offsets, Offsets]:
    return (rows, offsets) if selected.all() else (rows[selected], offsets[selected])
