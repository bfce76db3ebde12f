"""Decode scalar events of many runs at once, whatever their lengths.

The tail of an event is everything after its wall time and step. Two events of one tag differ in their tails by the
bytes of one number, so a tail that is known gives tag and number of every event that has it. All other bytes of a tail
are compared; the hash only selects the known tail. Tails are compared from their ends, where the number is, so that one
step handles events of all lengths.

Protobuf decodes one event of each tail, or the tail has the form that `_parse_plain_info` reads, of a value that holds
a tag and a simple value. All other events are left to the caller. The checksum of a payload follows from the CRC of its
tail and its free bytes.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tbtui.events.block import TagInfo
from tbtui.events.compat import SCALAR, tag_info
from tbtui.events.schema import PARSE_ERRORS, get_message_class
from tbtui.events.templates import STEP_OFFSET, hash_factors, read_numbers
from tbtui.events.tensors import FLOAT, decode_real
from tbtui.events.wire import WORD, decode_varint_numbers, view_substrings, view_words
from tbtui.frozen import frozen
from tbtui.tfrecord.checksum import (
    compute_crc_differences,
    compute_payload_crcs,
    compute_tables_by_distance,
    compute_zero_crcs,
    mask_crcs,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from tbtui.events.wire import Offsets, Words

UNKNOWN = -1
"""Number of the tail of an event that is left to the caller."""

MAX_EVENT_BYTES = 1024
"""Longer events are left to the caller: each word of the longest one costs a step."""

MIN_EVENT_BYTES = 20
MAX_TAILS = 1 << 18
"""Maximum number of tails that are known; a writer may give every event a new tag."""

MAX_LAYOUTS = 8
"""Maximum number of positions of the number that are tried."""

MAX_EXAMPLES = 8
"""Events of one block that are tried as an example of a new layout."""

MAX_REFUSED = 64
"""Examples without a layout after which no more are tried, and events of one layout that have another one."""

_WALL_KEY, _STEP_KEY, _SUMMARY_KEY, _VALUE_KEY, _TAG_KEY, _SIMPLE_KEY = 0x09, 0x10, 0x2A, 0x0A, 0x0A, 0x15
_MAX_STEP_BYTES = 7
_WALL_BYTES = 9
_MIN_PLAIN_BYTES, _MAX_SHORT_LENGTH = 12, 0x80
"""Bytes of a plain tail: keys and lengths of summary, value and tag, a tag, key and bytes of a simple value. All
lengths take one byte."""

_FACTORS = hash_factors(MAX_EVENT_BYTES // WORD + 1)
_HIGH_BYTES = np.array([0, *(~np.uint64((1 << 8 * (WORD - count)) - 1) for count in range(1, WORD + 1))], np.uint64)
"""Masks that keep the last bytes of a word, by their number."""

_LOW_BYTES = np.array([(1 << 8 * count) - 1 for count in range(WORD + 1)], np.uint64)
"""Masks that keep the first bytes of a word, by their number."""


class TailLayout(NamedTuple):
    """The position of the number in a tail."""

    back: int
    """Bytes from the beginning of the number to the end of the event."""

    width: int
    dtype: int
    """`TensorProto.dtype` of its bytes."""


_SIMPLE = TailLayout(4, 4, FLOAT)


class TailMatch(NamedTuple):
    """Tags and numbers of n events, as far as their tails are known."""

    tails: npt.NDArray[np.int32]
    """The tail of each event, an index into `TailCache.infos`; -1 if the event is left to the caller, int32[n]."""

    steps: npt.NDArray[np.int64]
    wall_times: npt.NDArray[np.float64]
    """Seconds since the epoch."""

    numbers: npt.NDArray[np.float64]
    crcs: npt.NDArray[np.uint32]
    """The masked checksum of each payload."""

    layouts: npt.NDArray[np.int8] = np.zeros(0, np.int8)
    """The layout of the tail of each event, an index into `known`."""

    known: tuple[TailLayout, ...] = ()


@frozen(eq=False)
class _Heads:
    """The events that may have a known tail, those with the longest tails first."""

    rows: npt.NDArray[np.int64]
    """Indices of the events."""

    ends: Offsets
    """End of each payload."""

    lengths: npt.NDArray[np.int64]
    """Bytes of each payload."""

    sizes: npt.NDArray[np.int64]
    """Bytes of each tail, which do not increase."""

    wall_times: npt.NDArray[np.float64]
    step_words: Words
    """The bytes of the varint of the step; 0 without a step."""

    step_bytes: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, chosen: npt.NDArray[np.bool_]) -> _Heads:
        return _Heads(
            self.rows[chosen],
            self.ends[chosen],
            self.lengths[chosen],
            self.sizes[chosen],
            self.wall_times[chosen],
            self.step_words[chosen],
            self.step_bytes[chosen],
        )


class _Known:
    """The known tails of one layout."""

    def __init__(self, layout: TailLayout) -> None:
        self.layout = layout
        self._tails: list[int] = []
        """Indices into `TailCache.infos`; -1 for a tail whose events are left to the caller."""

        self._contents: list[bytes] = []
        """The tails with zeros in place of the number, in the order of `_tails`."""

        self._index: _Index | None = None

        self.refused = 0
        """Events that looked like this layout but have another one."""

    @property
    def is_used(self) -> bool:
        """True if a tail is known."""
        return bool(self._tails)

    def add(self, content: bytes, tail: int) -> None:
        """Add a tail."""
        back, width, _ = self.layout
        begin = len(content) - back
        self._contents.append(content[:begin] + bytes(width) + content[begin + width :])
        self._tails.append(tail)
        self._index = None

    def match(self, words: list[Words], heads: _Heads) -> tuple[npt.NDArray[np.int64], Words]:
        """Return the index of the tail of each event, -1 if it is not known, and the hash of each tail."""
        hashes = _hash_tails(words, heads.sizes)
        if not self._tails:
            return np.full(len(heads), -1), hashes
        index = self.index
        rank = np.minimum(np.searchsorted(index.hashes, hashes), len(index.hashes) - 1)
        matches = index.order[rank]
        is_equal = (index.hashes[rank] == hashes) & (index.sizes[matches] == heads.sizes)
        for expected, column in zip(index.words, words, strict=False):
            is_equal[: len(column)] &= expected[matches[: len(column)]] == column
        return np.where(is_equal, matches, -1), hashes

    @property
    def index(self) -> _Index:
        """The tails, to find them."""
        if self._index is None:
            self._index = _Index.build(self._contents, self._tails)
        return self._index


class _Index(NamedTuple):
    """The tails of a layout, sorted by hash."""

    hashes: Words
    """Ascending."""

    order: npt.NDArray[np.int64]
    """The tail of each hash."""

    sizes: npt.NDArray[np.int64]
    words: npt.NDArray[np.uint64]
    """Words from the end of each tail, uint64[words, tails]."""

    crcs: npt.NDArray[np.uint32]
    """The contribution of each tail to the CRC of a payload, without its number."""

    tails: npt.NDArray[np.int32]
    """Index of each tail in `TailCache.infos`, -1 for none; the last one stands for a tail that is not known."""

    @classmethod
    def build(cls, contents: Sequence[bytes], tails: Sequence[int]) -> _Index:
        """Return the index of tails."""
        sizes = np.fromiter(map(len, contents), np.int64)
        width = -(-int(sizes.max()) // WORD) * WORD
        joined = b"".join(content.rjust(width, b"\0") for content in contents)
        words = np.frombuffer(joined, "<u8").reshape(len(contents), -1)[:, ::-1].T.copy()
        hashes = (sizes.astype(np.uint64) * _FACTORS[-1]).copy()
        for word, column in enumerate(words):
            hashes += (column ^ (column >> np.uint64(32))) * _FACTORS[word]
        order = np.argsort(hashes)
        crcs = compute_payload_crcs(contents) ^ compute_zero_crcs(MAX_EVENT_BYTES)[sizes]
        return cls(hashes[order], order, sizes, words, crcs, np.array([*tails, -1], np.int32))


class TailCache:
    """The tails learned so far; all runs share them, because one program writes equal events for each."""

    def __init__(self) -> None:
        self.infos: list[TagInfo] = []
        """The metadata of the tag of each tail, as its first event gives them."""

        self._info_numbers: dict[TagInfo, int] = {}
        self._layouts = [_Known(_SIMPLE)]
        self._refused = 0

    def match(
        self, data: npt.NDArray[np.uint8], starts: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64]
    ) -> TailMatch:
        """Decode n events.

        Args:
            data: Bytes that hold the payloads, and at least `WORD` bytes after the last one.
            starts: Begin of each payload, int64[n]; at least `WORD` bytes are before it.
            lengths: Bytes of each payload, int64[n].
        """
        count = len(starts)
        none = np.zeros(count, np.int64)
        match = TailMatch(
            np.full(count, -1, np.int32),
            none,
            np.zeros(count),
            np.zeros(count),
            np.zeros(count, np.uint32),
            np.zeros(count, np.int8),
        )
        remaining = _read_heads(data, starts, lengths)
        for known in list(self._layouts):
            remaining = self._take(data, known, remaining, match)
        for attempt in range(MAX_EXAMPLES):
            if not len(remaining) or self._refused >= MAX_REFUSED or len(self._layouts) >= MAX_LAYOUTS:
                break
            # The first event of a tag may alone have metadata, so that the others have another layout.
            event = (2 * attempt + 1) * len(remaining) // (2 * MAX_EXAMPLES)
            layout = _find_layout(_read_payload(data, remaining, event))
            # A simple value is found by its key; a tensor may have its number at the same offset.
            if layout is None or any(known.layout == layout for known in self._layouts if known.layout is not _SIMPLE):
                self._refused += 1
                continue
            self._layouts.append(_Known(layout))
            remaining = self._take(data, self._layouts[-1], remaining, match)
        return match._replace(known=tuple(known.layout for known in self._layouts))

    def _take(self, data: npt.NDArray[np.uint8], known: _Known, heads: _Heads, match: TailMatch) -> _Heads:
        """Fill in the events with a tail of one layout, and return the others."""
        layout = known.layout
        may_fit = heads.sizes > layout.back
        if layout is _SIMPLE:
            may_fit &= data[heads.ends - (layout.back + 1)] == _SIMPLE_KEY
        fitting = heads if may_fit.all() else heads[may_fit]
        if not len(fitting):
            return heads
        words = _read_tail_words(data, fitting, layout)
        tails, hashes = known.match(words, fitting)
        unknown = np.flatnonzero(tails < 0)
        if len(unknown) and len(self.infos) < MAX_TAILS:
            _, first = np.unique(hashes[unknown], return_index=True)
            for event in unknown[np.sort(first)].tolist():
                self._learn(known, _read_payload(data, fitting, event), int(fitting.sizes[event]))
            tails, _ = known.match(words, fitting)
        if not known.is_used:
            return heads
        numbers = known.index.tails[tails]
        matched = numbers >= 0
        matching = fitting if matched.all() else fitting[matched]
        if len(matching):
            rows, stored = matching.rows, view_words(data)[matching.ends - layout.back] & _LOW_BYTES[layout.width]
            match.tails[rows] = numbers[matched]
            match.layouts[rows] = self._layouts.index(known)
            match.steps[rows] = decode_varint_numbers(matching.step_words, int(matching.step_bytes.max())).view(
                np.int64
            )
            match.wall_times[rows] = matching.wall_times
            match.numbers[rows] = decode_real(layout.dtype, stored)
            match.crcs[rows] = _compute_checksums(matching, layout, known.index.crcs[tails[matched]], stored)
        is_left = np.ones(len(heads), np.bool_)
        is_left[np.flatnonzero(may_fit)[matched]] = False
        return heads[is_left]

    def _learn(self, known: _Known, payload: bytes, size: int) -> None:
        """Add the tail of an event to a layout."""
        tail = payload[len(payload) - size :]
        info = _parse_plain_info(tail) if known.layout is _SIMPLE else None
        if info is None:
            if known.refused >= MAX_REFUSED:
                return  # the tails of events with several numbers, or of another layout, are all different
            if _find_layout(payload) != known.layout:
                known.refused += 1
                known.add(tail, -1)
                return
            info = tag_info(get_message_class("Event").FromString(payload).summary.value[0])
        number = self._info_numbers.get(info)
        if number is None:
            number = self._info_numbers[info] = len(self.infos)
            self.infos.append(info)
        known.add(tail, number)


def _read_heads(data: npt.NDArray[np.uint8], starts: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64]) -> _Heads:
    """Return the events that begin with a wall time and perhaps a step, and go on with a summary."""
    usable = (lengths >= MIN_EVENT_BYTES) & (lengths <= MAX_EVENT_BYTES)
    rows = np.arange(len(starts)) if usable.all() else np.flatnonzero(usable)
    begins, sizes = starts[rows], lengths[rows]
    pairs = view_substrings(data, 2 * WORD)[begins + 1].view("<u8").reshape(len(begins), 2)
    after = pairs[:, 1]
    has_step = (after & np.uint64(0xFF)) == _STEP_KEY
    widths = np.where(has_step, count_varint_bytes(after >> np.uint64(8)), 0)
    heads = np.where(has_step, STEP_OFFSET + widths, _WALL_BYTES)
    fits = (data[begins] == _WALL_KEY) & (widths <= _MAX_STEP_BYTES) & (data[begins + heads] == _SUMMARY_KEY)
    tails = sizes - heads
    # Sorting is several times faster on 16-bit numbers.
    order = np.argsort((MAX_EVENT_BYTES - tails).astype(np.uint16), kind="stable")
    if not fits.all():
        order = order[fits[order]]
    step_words = (after >> np.uint64(8)) & _LOW_BYTES[np.minimum(widths, WORD)]
    return _Heads(
        rows[order],
        (begins + sizes)[order],
        sizes[order],
        tails[order],
        pairs[:, 0].view(np.float64)[order],
        step_words[order],
        widths[order],
    )


def count_varint_bytes(words: Words) -> npt.NDArray[np.int64]:
    """Return the bytes of the varint at the beginning of each word of seven bytes; 8 if it does not end there."""
    count = np.ones(len(words), np.int64)
    continued = (words & np.uint64(0x80)) != 0
    for byte in range(1, WORD):
        if not continued.any():
            break
        count += continued
        continued &= (words & np.uint64(0x80 << (8 * byte))) != 0
    count[(count == WORD) | continued] = WORD
    return count


def _read_tail_words(data: npt.NDArray[np.uint8], heads: _Heads, layout: TailLayout) -> list[Words]:
    """Return the words of the tails from their ends, each for the events whose tails reach it, without the number."""
    source = view_words(data)
    longest = int(heads.sizes[0])
    reached = np.searchsorted(-heads.sizes, -WORD * np.arange(-(-longest // WORD) + 1), side="left")
    free = _mask_free_bytes(layout)
    columns = []
    for word, (count, full_count) in enumerate(zip(reached[:-1].tolist(), reached[1:].tolist(), strict=True)):
        column = source[heads.ends[:count] - WORD * (word + 1)]
        if full_count < count:
            column[full_count:] &= _HIGH_BYTES[heads.sizes[full_count:count] - WORD * word]
        if word in free:
            column &= free[word]
        columns.append(column)
    return columns


@cache
def _mask_free_bytes(layout: TailLayout) -> dict[int, np.uint64]:
    """Return masks that clear the number, by word from the end."""
    masks: dict[int, int] = {}
    for back in range(layout.back, layout.back - layout.width, -1):
        word, byte = (back - 1) // WORD, -back % WORD
        masks[word] = masks.get(word, (1 << 64) - 1) & ~(0xFF << 8 * byte)
    return {word: np.uint64(mask) for word, mask in masks.items()}


def _hash_tails(words: list[Words], sizes: npt.NDArray[np.int64]) -> Words:
    hashes: Words = sizes.astype(np.uint64) * _FACTORS[-1]
    for word, column in enumerate(words):
        # A product carries differences upwards only, so those of a word's last bytes are moved down first.
        hashes[: len(column)] += (column ^ (column >> np.uint64(32))) * _FACTORS[word]
    return hashes


def _compute_checksums(
    heads: _Heads, layout: TailLayout, tail_crcs: npt.NDArray[np.uint32], stored: Words
) -> npt.NDArray[np.uint32]:
    """Return the masked checksums of payloads with a known tail.

    Args:
        heads: The events.
        layout: Their layout.
        tail_crcs: Contribution of the tail of each to its CRC.
        stored: The bytes of their numbers.
    """
    longest = int(heads.lengths.max())
    tables = compute_tables_by_distance(1 << longest.bit_length())
    crcs = tail_crcs ^ compute_zero_crcs(MAX_EVENT_BYTES)[heads.lengths]
    begins = heads.lengths << 8
    crcs ^= tables.take(begins - (1 << 8) + _WALL_KEY)
    walls = heads.wall_times.view(np.uint8).reshape(-1, WORD)
    for byte in range(WORD):
        crcs ^= tables.take(begins - ((byte + 2) << 8) + walls[:, byte])
    if heads.step_bytes.any():
        has_step = heads.step_bytes > 0
        key = tables.take(begins - (STEP_OFFSET << 8) + _STEP_KEY)
        crcs ^= key if has_step.all() else np.where(has_step, key, np.uint32(0))
        steps = np.ascontiguousarray(heads.step_words).view(np.uint8).reshape(-1, WORD)
        for byte in range(int(heads.step_bytes.max())):
            # A byte of zero adds nothing, wherever it is.
            crcs ^= tables.take(begins - ((STEP_OFFSET + 1 + byte) << 8) + steps[:, byte])
    crcs ^= compute_crc_differences(stored[None], np.array([layout.back - 1]))[0]
    return mask_crcs(crcs)


def _read_payload(data: npt.NDArray[np.uint8], heads: _Heads, event: int) -> bytes:
    end = int(heads.ends[event])
    return data[end - int(heads.lengths[event]) : end].tobytes()


def _find_layout(payload: bytes) -> TailLayout | None:
    """Return the layout of an event with one number; None if it has another form."""
    try:
        numbers = read_numbers(payload)
    except PARSE_ERRORS:
        return None
    if numbers is None or len(numbers) != 1:
        return None
    return TailLayout(len(payload) - numbers[0].offset, numbers[0].width, numbers[0].dtype)


def _parse_plain_info(tail: bytes) -> TagInfo | None:
    """Return the metadata of a tag from the tail of an event with one simple value; None for any other form.

    Protobuf gives the same and takes ten times as long.
    """
    size = len(tail)
    if not _MIN_PLAIN_BYTES <= size <= _MAX_SHORT_LENGTH:
        return None
    name_bytes = size - _MIN_PLAIN_BYTES + 1
    expected = bytes((_SUMMARY_KEY, size - 2, _VALUE_KEY, size - 4, _TAG_KEY, name_bytes))
    if not tail.startswith(expected) or tail[len(expected) + name_bytes] != _SIMPLE_KEY:
        return None
    name = tail[len(expected) : len(expected) + name_bytes]
    try:
        return TagInfo(name.decode(), "scalars", b"", SCALAR)
    except UnicodeDecodeError:
        return None
