"""Decode many scalar events at once with numpy, by templates: records that differ only in wall time, step and values.

Records of one class have the same length and the same number of bytes in their step. Within a class a layout gives the
free bytes (wall time, step, values), and a template holds the other bytes of the records of some tags. A record matches
a template if all bytes that are not free are equal. All of them are compared; the hash only selects the template.
Protobuf decodes one record of each template, so every matching record means the same except for the free bytes.
Protobuf also decodes all records without a template, with the same result in more time.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tbtui.events.compat import tag_of
from tbtui.events.scalar_layout import Number, UnsupportedLayout, find_numbers
from tbtui.events.schema import PARSE_ERRORS, get_message_class
from tbtui.events.tensors import decode_real, read_scalar
from tbtui.events.wire import decode_varint_numbers, view_substrings, view_words
from tbtui.frozen import frozen
from tbtui.tfrecord.checksum import compute_crc_differences, compute_payload_crcs, mask_crcs
from tbtui.tfrecord.framing import FOOTER_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from tbtui.tfrecord.framing import RecordBlock


WORD = 8
MAX_TEMPLATE_BYTES = 4096
"""Longer events gain nothing from templates; protobuf decodes them."""
STEP_OFFSET = 10
"""Offset of the step's varint: after the wall time (9 bytes) and the key of the step."""
MAX_TEMPLATES = 1 << 16
"""Maximum number of templates of all runs; a writer may give every event a new tag."""
MAX_FAILURES = 32
"""Examples in an unsupported layout after which a class without layouts is not tried again."""


def hash_factors(count: int) -> npt.NDArray[np.uint64]:
    """Return odd pseudo-random numbers (splitmix64); importing `numpy.random` takes 10 ms."""
    mixed = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)) | np.uint64(1))


_HASH_FACTORS = hash_factors(MAX_TEMPLATE_BYTES // WORD)


def pack_payload_words(payload: bytes) -> npt.NDArray[np.uint64]:
    """Return a payload as 8-byte little-endian words; the last one is padded with zeros."""
    padded = payload + bytes(-len(payload) % WORD)
    return np.frombuffer(padded, "<u8").astype(np.uint64)


@frozen(eq=False)
class _Index:
    """The templates of a layout, sorted by hash."""

    hashes: npt.NDArray[np.uint64]
    """Ascending."""

    order: npt.NDArray[np.int64]
    """The template of each hash."""

    words: npt.NDArray[np.uint64]
    """Masked words, uint64[words, templates]."""


@dataclass(eq=False)
class ScalarLayout:
    """The templates with the same free bytes."""

    numbers: tuple[Number, ...]
    """Positions of the values, in the order of the summary."""

    mask: npt.NDArray[np.uint64]
    """Words; the bytes that are not free are 0xFF."""

    step_bytes: int
    """Bytes of the step's varint; 0 without a step."""

    tags: list[tuple[str, ...]] = field(default_factory=list)
    """Tags of the values of each template."""

    _words: bytearray = field(default_factory=bytearray)
    """The masked words of each template, one after the other."""

    _index: _Index | None = None
    _crcs: npt.NDArray[np.uint32] | None = None

    @property
    def columns(self) -> list[int]:
        """Indices of the words that have a byte that is not free."""
        return [int(word) for word in np.flatnonzero(self.mask)]

    def add(self, words: npt.NDArray[np.uint64], tags: tuple[str, ...]) -> None:
        """Add a template from the words of one of its records."""
        self._words += (words & self.mask).tobytes()
        self.tags.append(tags)
        self._index = self._crcs = None

    def compute_hashes(self, columns: dict[int, npt.NDArray[np.uint64]]) -> npt.NDArray[np.uint64]:
        """Return a hash of the bytes that are not free, from masked columns of words."""
        total = np.zeros(len(next(iter(columns.values()))), np.uint64)
        for word, column in columns.items():
            # A product carries differences upwards only, so those of a word's last bytes are moved down first.
            total += (column ^ (column >> np.uint64(32))) * _HASH_FACTORS[word]
        return total

    def match(self, columns: dict[int, npt.NDArray[np.uint64]]) -> npt.NDArray[np.int64]:
        """Return the template of each record, or -1, from masked columns of words."""
        hashes = self.compute_hashes(columns)
        if not self.tags:
            return np.full(len(hashes), -1)
        index = self._index or self._sort()
        rank = np.minimum(np.searchsorted(index.hashes, hashes), len(index.hashes) - 1)
        is_equal = index.hashes[rank] == hashes
        matches = index.order[rank]
        for word, column in columns.items():
            is_equal &= index.words[word][matches] == column
        return np.where(is_equal, matches, -1)

    def compute_crcs(
        self, templates: npt.NDArray[np.int64], length: int, free: list[npt.NDArray[np.uint64]]
    ) -> npt.NDArray[np.uint32]:
        """Return the CRCs of payloads, computed from their free bytes and the CRC of their template.

        Args:
            templates: The template of each record.
            length: Bytes of each payload.
            free: Words of each record: its wall time, its step and each of its values.
        """
        if self._crcs is None:
            size = WORD * len(self.mask)
            self._crcs = compute_payload_crcs(
                bytes(self._words[start : start + length]) for start in range(0, len(self._words), size)
            )
        crcs = self._crcs[templates]
        free_ranges = [
            (1, WORD),
            (STEP_OFFSET, self.step_bytes),
            *((number.offset, number.width) for number in self.numbers),
        ]
        for words, (offset, width) in zip(free, free_ranges, strict=True):
            free_bytes = words & np.uint64((1 << 8 * width) - 1)
            crcs ^= compute_crc_differences(free_bytes[None], np.array([length - 1 - offset]))[0]
        return crcs

    def _sort(self) -> _Index:
        words = np.frombuffer(bytes(self._words), np.uint64).reshape(len(self.tags), len(self.mask)).T.copy()
        hashes = self.compute_hashes({word: words[word] for word in self.columns})
        order = np.argsort(hashes)
        self._index = _Index(hashes[order], order, words)
        return self._index


@dataclass(eq=False)
class TemplateClass:
    """The layouts of records of one length and one number of step bytes."""

    layouts: list[ScalarLayout] = field(default_factory=list)
    failures: int = 0
    """Number of records that were tried as an example and have an unsupported layout."""

    @property
    def is_unsupported(self) -> bool:
        """Return True if no more examples are tried."""
        return not self.layouts and self.failures >= MAX_FAILURES


class TemplateCache:
    """The templates learned so far; all runs share them, because one program writes equal events for each."""

    def __init__(self) -> None:
        self.classes: dict[int, TemplateClass] = {}
        self._templates = 0

    def get_class(self, key: int) -> TemplateClass:
        """Return the class with a key; create it if it is new."""
        return self.classes.setdefault(key, TemplateClass())

    @property
    def is_full(self) -> bool:
        """Return True if no more templates are learned."""
        return self._templates >= MAX_TEMPLATES

    def layout_of(self, template_class: TemplateClass, payload: bytes, step_bytes: int) -> ScalarLayout | None:
        """Return the layout of a record, known or new; None if it is not supported."""
        read = _read_layout(payload)
        if read is None:
            template_class.failures += 1
            return None
        numbers, _ = read
        for layout in template_class.layouts:
            if layout.numbers == numbers:
                return layout
        layout = ScalarLayout(numbers, _build_mask(len(payload), step_bytes, numbers), step_bytes)
        template_class.layouts.append(layout)
        return layout

    def learn(self, layout: ScalarLayout, payload: bytes) -> None:
        """Add the template of a record to a layout, unless the record has another layout."""
        read = _read_layout(payload)
        if read is not None and read[0] == layout.numbers and not self.is_full:
            layout.add(pack_payload_words(payload), read[1])
            self._templates += 1


def _read_layout(payload: bytes) -> tuple[tuple[Number, ...], tuple[str, ...]] | None:
    """Return positions and tags of a record's numbers; None if protobuf decodes other numbers."""
    try:
        numbers = find_numbers(payload)
        event = get_message_class("Event").FromString(payload)
    except (UnsupportedLayout, *PARSE_ERRORS):
        return None
    values = event.summary.value
    if not values or len(values) != len(numbers):
        return None
    for number, value in zip(numbers, values, strict=True):
        expected = value.simple_value if value.HasField("simple_value") else read_scalar(value.tensor)
        word = int.from_bytes(payload[number.offset : number.offset + number.width], "little")
        decoded = decode_real(number.dtype, np.array([word], np.uint64))
        if expected is None or not np.array_equal(decoded, [expected], equal_nan=True):
            return None
    return numbers, tuple(tag_of(value) for value in values)


def read_numbers(payload: bytes) -> tuple[Number, ...] | None:
    """Return the positions of the numbers of a scalar event; None if protobuf decodes other numbers."""
    read = _read_layout(payload)
    return None if read is None else read[0]


def _build_mask(length: int, step_bytes: int, numbers: tuple[Number, ...]) -> npt.NDArray[np.uint64]:
    mask = np.zeros(-(-length // WORD) * WORD, np.uint8)
    mask[:length] = 0xFF
    mask[1:9] = 0
    mask[STEP_OFFSET : STEP_OFFSET + step_bytes] = 0
    for number in numbers:
        mask[number.offset : number.offset + number.width] = 0
    return mask.view("<u8").astype(np.uint64)


_WALL_KEY, _STEP_KEY = 0x09, 0x10
_MIN_PAYLOAD_BYTES = 16
_MAX_STEP_BYTES = 7
_MIN_RECORDS = 12
"""Minimum number of records of one class. Each 8-byte word of their length adds one: protobuf decodes fewer faster."""
_MIN_EQUAL = 3
"""Minimum number of equal records before a template is learned from one of them."""
_MAX_EXAMPLES = 8
"""Examples tried in one class of one block, taken from all of it: some may have an unsupported layout."""


class TemplateMatch(NamedTuple):
    """Records of one layout that match templates."""

    rows: npt.NDArray[np.int64]
    """Indices of the records in the block, ascending."""

    layout: ScalarLayout
    templates: npt.NDArray[np.int64]
    """The template of each record, an index into `layout.tags`."""

    values: tuple[npt.NDArray[np.float64], ...]
    """For each value of the summary: the number of each record, float64[n]."""

    wrong: npt.NDArray[np.int64]
    """The records whose payload does not match its checksum."""

    def without(self, lost: npt.NDArray[np.int64]) -> TemplateMatch:
        """Return the match without some records of the block."""
        is_remaining = ~np.isin(self.rows, lost)
        values = tuple(column[is_remaining] for column in self.values)
        return self._replace(rows=self.rows[is_remaining], templates=self.templates[is_remaining], values=values)


class EventPrefixes(NamedTuple):
    """Wall time and step of every record that may match a template."""

    rows: npt.NDArray[np.int64]
    """Indices of the records in the block."""

    starts: npt.NDArray[np.int64]
    lengths: npt.NDArray[np.int64]
    wall_times: npt.NDArray[np.float64]
    step_words: npt.NDArray[np.uint64]
    """Eight bytes at the position of the step; at most the first seven belong to it."""

    step_bytes: npt.NDArray[np.int64]
    """Bytes of the step's varint; 0 without a step."""


def match_templates(
    block: RecordBlock,
    templates: TemplateCache,
    wall_times: npt.NDArray[np.float64],
    steps: npt.NDArray[np.int64],
) -> list[TemplateMatch]:
    """Decode all records that match a template, and learn templates from the others.

    Args:
        block: The records.
        templates: The templates known so far; new ones are added.
        wall_times: float64[n], filled in for matching records.
        steps: int64[n], filled in for matching records.
    """
    if len(block) < _MIN_RECORDS:
        return []
    words = view_words(block.data)
    prefixes = _read_prefixes(block)
    matched = []
    for members, key in _iter_classes(prefixes):
        template_class = templates.get_class(key)
        length, step_bytes = int(prefixes.lengths[members[0]]), int(prefixes.step_bytes[members[0]])
        if template_class.is_unsupported or len(members) < _MIN_RECORDS + length // WORD:
            continue
        starts = prefixes.starts[members]
        width = -(-length // WORD) * WORD
        columns = list(view_substrings(block.data, width)[starts].view("<u8").reshape(len(starts), -1).T)
        for matches, layout, matching in _iter_matches(
            block, templates, template_class, starts, length, step_bytes, columns
        ):
            rows = prefixes.rows[members[matches]]
            begins = starts[matches]
            wall_times[rows] = prefixes.wall_times[members[matches]]
            steps[rows] = decode_varint_numbers(prefixes.step_words[members[matches]], step_bytes).view(np.int64)
            numbers = [words[begins + number.offset] for number in layout.numbers]
            values = tuple(map(decode_real, (number.dtype for number in layout.numbers), numbers))
            free = [
                prefixes.wall_times[members[matches]].view(np.uint64),
                prefixes.step_words[members[matches]],
                *numbers,
            ]
            stored = words[begins + (length - FOOTER_BYTES)] >> np.uint64(32)
            wrong = rows[mask_crcs(layout.compute_crcs(matching, length, free)) != stored]
            matched.append(TemplateMatch(rows, layout, matching, values, wrong))
    return matched


def _read_prefixes(block: RecordBlock) -> EventPrefixes:
    """Return the prefixes of records of a usable length that begin with a wall time and are not last in the buffer."""
    usable = (block.lengths >= _MIN_PAYLOAD_BYTES) & (block.lengths <= MAX_TEMPLATE_BYTES)
    usable &= block.starts + block.lengths + WORD <= len(block.data)
    rows = np.flatnonzero(usable)
    starts = block.starts[rows]
    pairs = view_substrings(block.data, 2 * WORD)[starts + 1].view("<u8").reshape(len(starts), 2)
    wall_times, after = pairs[:, 0].view(np.float64), pairs[:, 1]
    step_bytes = _count_step_bytes(after)
    fits = (block.data[starts] == _WALL_KEY) & (step_bytes <= _MAX_STEP_BYTES)
    if not fits.all():
        rows, starts, step_bytes = rows[fits], starts[fits], step_bytes[fits]
        wall_times, after = wall_times[fits], after[fits]
    return EventPrefixes(rows, starts, block.lengths[rows], wall_times, after >> np.uint64(8), step_bytes)


def _count_step_bytes(words: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """Return the bytes of the varint after a step's key in each word: 0 without the key, 8 if it exceeds the word."""
    count = np.ones(len(words), np.int64)
    continuation_bits = words & np.uint64(0x8080808080808000)
    for byte in range(1, WORD):
        continued = ((continuation_bits & np.uint64(0x80 << (8 * byte))) != 0) & (count == byte)
        if not continued.any():
            break
        count += continued
    return np.where((words & np.uint64(0xFF)) == _STEP_KEY, count, 0)


def _iter_classes(prefixes: EventPrefixes) -> Iterator[tuple[npt.NDArray[np.int64], int]]:
    """Yield the indices of the prefixes of each class, in the order of the file, and the key of the class."""
    keys = (prefixes.lengths * WORD + prefixes.step_bytes).astype(np.uint16)
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    bounds = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    for members in np.split(order, bounds):
        if len(members):
            yield members, int(keys[members[0]])


def _iter_matches(
    block: RecordBlock,
    cache: TemplateCache,
    template_class: TemplateClass,
    starts: npt.NDArray[np.int64],
    length: int,
    step_bytes: int,
    columns: list[npt.NDArray[np.uint64]],
) -> Iterator[tuple[npt.NDArray[np.int64], ScalarLayout, npt.NDArray[np.int64]]]:
    """Yield the matching records of one class by layout: indices into `starts`, the layout, the template of each."""
    remaining: npt.NDArray[np.int64] = np.arange(len(starts))
    for known in list(template_class.layouts):
        matches, templates, remaining = _match_layout(known, remaining, columns)
        if len(matches):
            yield matches, known, templates
    for attempt in range(_MAX_EXAMPLES):
        if len(remaining) < _MIN_RECORDS or cache.is_full:
            return
        payloads = _Payloads(block.data, starts[remaining], length)
        layout = cache.layout_of(template_class, payloads[attempt * len(remaining) // _MAX_EXAMPLES], step_bytes)
        if layout is None:
            continue
        _learn_templates(cache, layout, payloads, _mask_words(layout, remaining, columns))
        matches, templates, remaining = _match_layout(layout, remaining, columns)
        if len(matches):
            yield matches, layout, templates


def _match_layout(
    layout: ScalarLayout, rows: npt.NDArray[np.int64], columns: list[npt.NDArray[np.uint64]]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the records of `left` that match a template of a layout, their templates, and the other records."""
    if not len(rows):
        return rows, rows, rows
    templates = layout.match(_mask_words(layout, rows, columns))
    fits = templates >= 0
    return rows[fits], templates[fits], rows[~fits]


def _mask_words(
    layout: ScalarLayout, rows: npt.NDArray[np.int64], columns: list[npt.NDArray[np.uint64]]
) -> dict[int, npt.NDArray[np.uint64]]:
    """Return the words of the records `left` with the free bytes of a layout set to zero."""
    is_all = len(rows) == len(columns[0])
    return {word: (columns[word] if is_all else columns[word][rows]) & layout.mask[word] for word in layout.columns}


def _learn_templates(
    cache: TemplateCache, layout: ScalarLayout, payloads: _Payloads, masked: dict[int, npt.NDArray[np.uint64]]
) -> None:
    """Learn a template from one of every few equal records."""
    _, first, counts = np.unique(layout.compute_hashes(masked), return_index=True, return_counts=True)
    for index in first[counts >= _MIN_EQUAL].tolist():
        cache.learn(layout, payloads[index])


@frozen(eq=False)
class _Payloads:
    """Payloads of records of one length."""

    data: npt.NDArray[np.uint8]
    starts: npt.NDArray[np.int64]
    length: int

    def __getitem__(self, index: int) -> bytes:
        start = int(self.starts[index])
        return self.data[start : start + self.length].tobytes()
