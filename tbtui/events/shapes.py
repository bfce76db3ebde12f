"""Templates of scalar events: which records are alike but for wall time, step and values.

Records of one class have the same length and the same number of bytes in their step. Within a class a *layout* says
which bytes are free (wall time, step, values), and a *template* holds the other bytes of the records of some tags. A
record is a template's when all bytes that are not free are equal, which is compared in full: hashing only chooses the
template to compare with. What a template means was read by protobuf from one record of its own, so every record that
matches means the same but for the free bytes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from tbtui.events.compat import tag_of
from tbtui.events.dtypes import real_values
from tbtui.events.messages import PARSE_ERRORS, message
from tbtui.events.skeleton import NoSkeleton, Number, numbers_in
from tbtui.events.tensors import scalar_of
from tbtui.frozen import frozen
from tbtui.records.checksum import crc_differences, crcs

if TYPE_CHECKING:
    import numpy.typing as npt

WORD = 8
LONGEST_PAYLOAD = 4096
"""Longer events gain nothing from templates; protobuf reads them."""
STEP_OFFSET = 10
"""Where the step's varint begins: after the wall time (9 bytes) and the step's own key."""
MOST_TEMPLATES = 1 << 16
"""Templates kept in all, so that tags made up for every event cannot fill the memory."""
MOST_FAILURES = 32
"""Examples without a skeleton after which a class that has shown no other is given up."""


def _hash_factors(count: int) -> npt.NDArray[np.uint64]:
    """Odd numbers without a pattern, by the rule of splitmix64: `numpy.random` would take 10 ms to import."""
    mixed = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)) | np.uint64(1))


_HASH_FACTORS = _hash_factors(LONGEST_PAYLOAD // WORD)


def words_of(payload: bytes) -> npt.NDArray[np.uint64]:
    """The payload as 8-byte little-endian words, the last one filled up with zeros."""
    padded = payload + bytes(-len(payload) % WORD)
    return np.frombuffer(padded, "<u8").astype(np.uint64)


@frozen(eq=False)
class _Index:
    """A layout's templates by hash."""

    hashes: npt.NDArray[np.uint64]
    """Ascending."""

    order: npt.NDArray[np.int64]
    """The template of each hash."""

    words: npt.NDArray[np.uint64]
    """Masked words, uint64[words, templates]."""


@dataclass(eq=False)
class Layout:
    """Templates whose free bytes are the same."""

    numbers: tuple[Number, ...]
    """Where the values stand, in the order of the summary."""

    mask: npt.NDArray[np.uint64]
    """Words in which the bytes that are not free are 0xFF."""

    step_bytes: int
    """Bytes of the step's varint; 0 when the records have none."""

    tags: list[tuple[str, ...]] = field(default_factory=list)
    """For each template the tag of each value."""

    _words: bytearray = field(default_factory=bytearray)
    """The masked words of each template, one after the other."""

    _index: _Index | None = None
    _crcs: npt.NDArray[np.uint32] | None = None

    @property
    def columns(self) -> list[int]:
        """The words that are not free altogether."""
        return [int(word) for word in np.flatnonzero(self.mask)]

    def add(self, words: npt.NDArray[np.uint64], tags: tuple[str, ...]) -> None:
        """Learn a template from the words of one of its records."""
        self._words += (words & self.mask).tobytes()
        self.tags.append(tags)
        self._index = self._crcs = None

    def hashes(self, columns: dict[int, npt.NDArray[np.uint64]]) -> npt.NDArray[np.uint64]:
        """A hash of the bytes that are not free, from masked columns of words."""
        total = np.zeros(len(next(iter(columns.values()))), np.uint64)
        for word, column in columns.items():
            # A product carries differences upwards only: those of a word's last bytes are brought down first.
            total += (column ^ (column >> np.uint64(32))) * _HASH_FACTORS[word]
        return total

    def match(self, columns: dict[int, npt.NDArray[np.uint64]]) -> npt.NDArray[np.int64]:
        """The template of each record, -1 for none, from masked columns of words."""
        hashes = self.hashes(columns)
        if not self.tags:
            return np.full(len(hashes), -1)
        index = self._index or self._sort()
        rank = np.minimum(np.searchsorted(index.hashes, hashes), len(index.hashes) - 1)
        same = index.hashes[rank] == hashes
        found = index.order[rank]
        for word, column in columns.items():
            same &= index.words[word][found] == column
        return np.where(same, found, -1)

    def crcs_of(
        self, templates: npt.NDArray[np.int64], length: int, free: list[npt.NDArray[np.uint64]]
    ) -> npt.NDArray[np.uint32]:
        """The CRCs of payloads, told by what is free in them: the bytes of a template need be looked at once.

        Args:
            templates: The template of each record.
            length: Bytes of each.
            free: Words that begin with the wall time, the step and each of the values of each record.
        """
        if self._crcs is None:
            size = WORD * len(self.mask)
            self._crcs = crcs(bytes(self._words[at : at + length]) for at in range(0, len(self._words), size))
        found = self._crcs[templates]
        places = [
            (1, WORD),
            (STEP_OFFSET, self.step_bytes),
            *((number.offset, number.width) for number in self.numbers),
        ]
        for words, (offset, width) in zip(free, places, strict=True):
            own = words & np.uint64((1 << 8 * width) - 1)
            found ^= crc_differences(own[None], np.array([length - 1 - offset]))[0]
        return found

    def _sort(self) -> _Index:
        words = np.frombuffer(bytes(self._words), np.uint64).reshape(len(self.tags), len(self.mask)).T.copy()
        hashes = self.hashes({word: words[word] for word in self.columns})
        order = np.argsort(hashes)
        self._index = _Index(hashes[order], order, words)
        return self._index


@dataclass(eq=False)
class ShapeClass:
    """What is known of records of one length and one number of step bytes."""

    layouts: list[Layout] = field(default_factory=list)
    failures: int = 0
    """Records that were tried as an example and have no skeleton."""

    @property
    def hopeless(self) -> bool:
        """Whether so many examples had no skeleton that no more are tried."""
        return not self.layouts and self.failures >= MOST_FAILURES


class ShapeCache:
    """The templates learned so far, shared by all runs: writers of one program make the same shapes."""

    def __init__(self) -> None:
        self.classes: dict[int, ShapeClass] = {}
        self._templates = 0

    def class_of(self, key: int) -> ShapeClass:
        """The class with this key."""
        return self.classes.setdefault(key, ShapeClass())

    @property
    def full(self) -> bool:
        """Whether no more templates are learned."""
        return self._templates >= MOST_TEMPLATES

    def layout_of(self, shape: ShapeClass, payload: bytes, step_bytes: int) -> Layout | None:
        """The layout of a record, known or new; None when the record has no skeleton."""
        read = _read(payload)
        if read is None:
            shape.failures += 1
            return None
        numbers, _ = read
        for layout in shape.layouts:
            if layout.numbers == numbers:
                return layout
        layout = Layout(numbers, _mask(len(payload), step_bytes, numbers), step_bytes)
        shape.layouts.append(layout)
        return layout

    def learn(self, layout: Layout, payload: bytes) -> None:
        """Add the template of one record to a layout, unless the record has another layout."""
        read = _read(payload)
        if read is not None and read[0] == layout.numbers and not self.full:
            layout.add(words_of(payload), read[1])
            self._templates += 1


def _read(payload: bytes) -> tuple[tuple[Number, ...], tuple[str, ...]] | None:
    """Places and tags of a record's numbers, if what stands at the places is what protobuf reads from the record."""
    try:
        numbers = numbers_in(payload)
        event = message("Event").FromString(payload)
    except (NoSkeleton, *PARSE_ERRORS):
        return None
    values = event.summary.value
    if not values or len(values) != len(numbers):
        return None
    for number, value in zip(numbers, values, strict=True):
        expected = value.simple_value if value.HasField("simple_value") else scalar_of(value.tensor)
        word = int.from_bytes(payload[number.offset : number.offset + number.width], "little")
        found = real_values(number.dtype, np.array([word], np.uint64))
        if expected is None or not np.array_equal(found, [expected], equal_nan=True):
            return None
    return numbers, tuple(tag_of(value) for value in values)


def _mask(length: int, step_bytes: int, numbers: tuple[Number, ...]) -> npt.NDArray[np.uint64]:
    kept = np.zeros(-(-length // WORD) * WORD, np.uint8)
    kept[:length] = 0xFF
    kept[1:9] = 0
    kept[STEP_OFFSET : STEP_OFFSET + step_bytes] = 0
    for number in numbers:
        kept[number.offset : number.offset + number.width] = 0
    return kept.view("<u8").astype(np.uint64)
