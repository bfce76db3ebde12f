"""The fields of many protobuf messages read in lockstep: one step reads the next field of every message.

Only what writers write is read: keys of one byte, lengths and numbers of at most seven. Whatever else stands in a
message is not an error, it is for protobuf to read. Wire format: protobuf encoding guide.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from tbtui.events.skeleton import BYTES, FIXED32, FIXED64, VARINT
from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

WORD = 8

Words: TypeAlias = "npt.NDArray[np.uint64]"
Places: TypeAlias = "npt.NDArray[np.int64]"
"""Offsets in the buffer that holds the messages."""

_KEYS = 1 << 8
_FIXED = np.full(8, -1)
_FIXED[[FIXED64, FIXED32]] = 8, 4


def key(number: int, wire: int) -> int:
    """The byte in front of a field; `number` below 16."""
    return number << 3 | wire


_READABLE = np.zeros(_KEYS, np.bool_)
_READABLE[[key(number, wire) for number in range(1, 16) for wire in (VARINT, FIXED64, BYTES, FIXED32)]] = True


def words_in(data: npt.NDArray[np.uint8]) -> Words:
    """The eight bytes from each place on as one little-endian number, uint64[len(data) - 7]: a view."""
    words: Words = np.ndarray((max(0, len(data) - WORD + 1),), "<u8", buffer=data, strides=(1,))
    return words


def stretches_in(data: npt.NDArray[np.uint8], width: int) -> npt.NDArray[np.void]:
    """The `width` bytes from each place on, void[len(data) - width + 1]: a view.

    Picking a stretch takes as long as picking a word, so many words that lie together are picked as one.
    """
    stretches: npt.NDArray[np.void]
    stretches = np.ndarray((max(0, len(data) - width + 1),), f"V{width}", buffer=data, strides=(1,))
    return stretches


def varints(words: Words) -> tuple[Words, Places]:
    """The varint at the beginning of each word, and how many bytes it has: 0 when it does not end in the word."""
    numbers = words & np.uint64(0x7F)
    widths = np.ones(len(words), np.int64)
    going_on = (words & np.uint64(0x80)) != 0
    for byte in range(1, WORD):
        if not going_on.any():
            return numbers, widths
        part = words >> np.uint64(8 * byte)
        numbers |= np.where(going_on, (part & np.uint64(0x7F)) << np.uint64(7 * byte), np.uint64(0))
        widths += going_on
        going_on &= (part & np.uint64(0x80)) != 0
    widths[going_on] = 0
    return numbers, widths


def varint_numbers(words: Words, most_bytes: int) -> Words:
    """The numbers of varints that each fill a word, the bytes behind them zero.

    Args:
        words: uint64[any shape].
        most_bytes: Of each varint.
    """
    numbers = np.zeros(words.shape, np.uint64)
    for byte in range(most_bytes):
        numbers |= ((words >> np.uint64(8 * byte)) & np.uint64(0x7F)) << np.uint64(7 * byte)
    return numbers


@frozen(eq=False)
class Messages:
    """Where some messages lie in a buffer."""

    begins: Places
    ends: Places

    def __len__(self) -> int:
        return len(self.begins)

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """Bytes of each."""
        return self.ends - self.begins

    def __getitem__(self, rows: npt.NDArray[np.int64] | npt.NDArray[np.bool_]) -> Messages:
        return Messages(self.begins[rows], self.ends[rows])


@frozen(eq=False)
class Table:
    """One column a field that was asked for, one row a message."""

    begins: npt.NDArray[np.int64]
    """int64[fields, n]: where the content of each field begins: behind its key and its length."""

    ends: npt.NDArray[np.int64]
    """int64[fields, n]: where it ends; 0 for a field that the message does not have."""

    plain: npt.NDArray[np.bool_]
    """bool[n]: the message holds nothing but these fields, each at most once. The other rows say nothing."""

    def __getitem__(self, rows: npt.NDArray[np.bool_]) -> Table:
        return Table(self.begins[:, rows], self.ends[:, rows], self.plain[rows])

    def has(self, field: int) -> npt.NDArray[np.bool_]:
        """Which messages have a field, bool[n]."""
        return np.asarray(self.ends[field] > 0)

    def messages(self, field: int) -> Messages:
        """The content of a field as messages; those that are not there are empty."""
        return Messages(self.begins[field], self.ends[field])

    def doubles(self, field: int, words: Words) -> npt.NDArray[np.float64]:
        """The numbers of a field of 64 bits, float64[n]; 0 where it is missing, as protobuf has it."""
        return np.where(self.has(field), words[self.begins[field]].view(np.float64), 0.0)

    def numbers(self, field: int, words: Words) -> npt.NDArray[np.int64]:
        """The numbers of a varint field, int64[n]; 0 where it is missing."""
        numbers, _ = varints(words[self.begins[field]])
        return np.where(self.has(field), numbers.view(np.int64), 0)


def table(words: Words, messages: Messages, keys: Sequence[int]) -> Table:
    """Read the fields of messages.

    Args:
        words: the buffer; every message ends at least eight bytes before the buffer does.
        messages: n of them.
        keys: of the fields.
    """
    column_of = np.full(_KEYS, -1)
    column_of[list(keys)] = np.arange(len(keys))
    begins, ends = np.zeros((2, len(keys), len(messages)), np.int64)
    plain = np.ones(len(messages), np.bool_)
    rows = np.flatnonzero(messages.begins < messages.ends)
    at = messages.begins[rows]
    while len(rows):
        found = _next(words, at, messages.ends[rows])
        columns = column_of[found.keys]
        wanted = found.readable & (columns >= 0) & (ends[columns, rows] == 0)
        if not wanted.all():
            plain[rows[~wanted]] = False
            rows, columns, found = rows[wanted], columns[wanted], found[wanted]
        begins[columns, rows], ends[columns, rows] = found.begins, found.ends
        at = found.ends
        rows, at = _going_on(rows, at, at < messages.ends[rows])
    return Table(begins, ends, plain)


class Chosen(NamedTuple):
    """One of the equal fields of each message."""

    messages: Messages
    """Its content."""

    found: npt.NDArray[np.bool_]
    """bool[n]: it is there, and nothing but fields of its kind stands before it."""

    rest: Messages
    """What stands behind it in the message."""


def choose(words: Words, messages: Messages, wanted: int, ranks: npt.NDArray[np.int64]) -> Chosen:
    """Find one field of each message that is a list of equal ones.

    Args:
        words: the buffer, as for `table`.
        messages: n of them.
        wanted: the key of the fields.
        ranks: int64[n], which of them, counted from 0.
    """
    begins, ends = np.zeros((2, len(messages)), np.int64)
    found = np.zeros(len(messages), np.bool_)
    rows = np.flatnonzero((messages.begins < messages.ends) & (ranks >= 0))
    at = messages.begins[rows]
    rank = 0
    while len(rows):
        field = _next(words, at, messages.ends[rows])
        right = field.readable & (field.keys == wanted)
        here = right & (ranks[rows] == rank)
        begins[rows[here]], ends[rows[here]] = field.begins[here], field.ends[here]
        found[rows[here]] = True
        rows, at = _going_on(rows, field.ends, right & ~here & (field.ends < messages.ends[rows]))
        rank += 1
    return Chosen(Messages(begins, ends), found, Messages(np.where(found, ends, messages.ends), messages.ends))


@frozen(eq=False)
class _Fields:
    """The next field of some messages."""

    keys: npt.NDArray[np.int64]
    begins: Places
    ends: Places
    readable: npt.NDArray[np.bool_]

    def __getitem__(self, rows: npt.NDArray[np.bool_]) -> _Fields:
        return _Fields(self.keys[rows], self.begins[rows], self.ends[rows], self.readable[rows])


def _next(words: Words, at: Places, ends: Places) -> _Fields:
    """The fields at `at`, one a message; `ends` is where their messages end."""
    here = words[at]
    keys = (here & np.uint64(_KEYS - 1)).view(np.int64)
    wires = keys & 7
    sizes = _FIXED[wires]
    begins = at + 1
    readable = _READABLE[keys]
    counted = (wires == VARINT) | (wires == BYTES)
    if counted.any():
        numbers, widths = varints(here >> np.uint64(8))
        # The word's last byte is the key's, shifted out: a varint that needs it is not whole.
        readable &= ~counted | ((widths > 0) & (widths < WORD))
        is_bytes = wires == BYTES
        begins += np.where(is_bytes, widths, 0)
        sizes = np.where(is_bytes, numbers.view(np.int64), np.where(counted, widths, sizes))
    stops = begins + sizes
    readable &= stops <= ends
    return _Fields(keys, begins, stops, readable)


def _going_on(rows: Places, at: Places, going_on: npt.NDArray[np.bool_]) -> tuple[Places, Places]:
    return (rows, at) if going_on.all() else (rows[going_on], at[going_on])
