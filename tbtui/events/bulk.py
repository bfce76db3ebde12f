"""Reading many scalar events at once with numpy.

Heads (wall time and step) are parsed for all records of a block, then records of one class are compared with the
templates of `shapes.py`. Whatever fits none is left to protobuf; the result is the same, only slower.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tbtui.events.dtypes import real_values
from tbtui.events.shapes import LONGEST_PAYLOAD, WORD
from tbtui.events.wire import stretches_in, varint_numbers, words_in
from tbtui.frozen import frozen
from tbtui.records.block import FOOTER_BYTES
from tbtui.records.checksum import masked

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from tbtui.events.shapes import Layout, ShapeCache, ShapeClass
    from tbtui.records.block import RecordBlock

_WALL_KEY, _STEP_KEY = 0x09, 0x10
_SHORTEST_PAYLOAD = 16
_MOST_STEP_BYTES = 7
_FEWEST_RECORDS = 12
"""Fewer records of one class than this, and one more for every word, are read by protobuf sooner."""
_FEWEST_ALIKE = 3
"""Records that must be alike before a template is learned from one of them."""
_MOST_ROUNDS = 8
"""Examples tried in one class of one block, from all over it: others of its length may have no skeleton."""


class Matched(NamedTuple):
    """Records of one layout that were read in bulk."""

    rows: npt.NDArray[np.int64]
    """Which records of the block, ascending."""

    layout: Layout
    templates: npt.NDArray[np.int64]
    """The template of each record, an index into `layout.tags`."""

    values: tuple[npt.NDArray[np.float64], ...]
    """For each value of the summary the number of each record."""

    wrong: npt.NDArray[np.int64]
    """The records whose payload does not match its checksum."""

    def without(self, lost: npt.NDArray[np.int64]) -> Matched:
        """These without some records of the block."""
        kept = ~np.isin(self.rows, lost)
        values = tuple(column[kept] for column in self.values)
        return self._replace(rows=self.rows[kept], templates=self.templates[kept], values=values)


class Heads(NamedTuple):
    """What stands at the beginning of every record that may be read in bulk."""

    rows: npt.NDArray[np.int64]
    """Which records of the block."""

    starts: npt.NDArray[np.int64]
    lengths: npt.NDArray[np.int64]
    wall_times: npt.NDArray[np.float64]
    step_words: npt.NDArray[np.uint64]
    """Where the step stands, if there is one: at most the first seven bytes are its own."""

    step_bytes: npt.NDArray[np.int64]
    """Bytes of the step's varint; 0 when the record has none."""


def read_bulk(
    block: RecordBlock,
    shapes: ShapeCache,
    wall_times: npt.NDArray[np.float64],
    steps: npt.NDArray[np.int64],
) -> list[Matched]:
    """Read all records that fit a template, and learn templates from the others.

    Args:
        block: The records.
        shapes: Templates known so far; new ones are added.
        wall_times: float64[n], filled in for the records read.
        steps: int64[n], filled in for the records read.
    """
    if len(block) < _FEWEST_RECORDS:
        return []
    words = words_in(block.data)
    heads = _heads(block)
    matched = []
    for members, key in _classes(heads):
        shape = shapes.class_of(key)
        length, step_bytes = int(heads.lengths[members[0]]), int(heads.step_bytes[members[0]])
        if shape.hopeless or len(members) < _FEWEST_RECORDS + length // WORD:
            continue
        starts = heads.starts[members]
        width = -(-length // WORD) * WORD
        columns = list(stretches_in(block.data, width)[starts].view("<u8").reshape(len(starts), -1).T)
        for found, layout, templates in _match(block, shapes, shape, starts, length, step_bytes, columns):
            rows = heads.rows[members[found]]
            places = starts[found]
            wall_times[rows] = heads.wall_times[members[found]]
            steps[rows] = varint_numbers(heads.step_words[members[found]], step_bytes).view(np.int64)
            numbers = [words[places + number.offset] for number in layout.numbers]
            values = tuple(map(real_values, (number.dtype for number in layout.numbers), numbers))
            free = [heads.wall_times[members[found]].view(np.uint64), heads.step_words[members[found]], *numbers]
            stored = words[places + (length - FOOTER_BYTES)] >> np.uint64(32)
            wrong = rows[masked(layout.crcs_of(templates, length, free)) != stored]
            matched.append(Matched(rows, layout, templates, values, wrong))
    return matched


def _heads(block: RecordBlock) -> Heads:
    """Heads of the records that begin with a wall time, are of a usable length, and are not the last in the buffer."""
    usable = (block.lengths >= _SHORTEST_PAYLOAD) & (block.lengths <= LONGEST_PAYLOAD)
    usable &= block.starts + block.lengths + WORD <= len(block.data)
    rows = np.flatnonzero(usable)
    starts = block.starts[rows]
    pairs = stretches_in(block.data, 2 * WORD)[starts + 1].view("<u8").reshape(len(starts), 2)
    wall_times, after = pairs[:, 0].view(np.float64), pairs[:, 1]
    step_bytes = _step_bytes(after)
    fits = (block.data[starts] == _WALL_KEY) & (step_bytes <= _MOST_STEP_BYTES)
    if not fits.all():
        rows, starts, step_bytes = rows[fits], starts[fits], step_bytes[fits]
        wall_times, after = wall_times[fits], after[fits]
    return Heads(rows, starts, block.lengths[rows], wall_times, after >> np.uint64(8), step_bytes)


def _step_bytes(words: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """Bytes of the varint that follows a step's key in each word, 0 without the key, 8 when longer than a word."""
    count = np.ones(len(words), np.int64)
    going_on = words & np.uint64(0x8080808080808000)
    for byte in range(1, WORD):
        continued = ((going_on & np.uint64(0x80 << (8 * byte))) != 0) & (count == byte)
        if not continued.any():
            break
        count += continued
    return np.where((words & np.uint64(0xFF)) == _STEP_KEY, count, 0)


def _classes(heads: Heads) -> Iterator[tuple[npt.NDArray[np.int64], int]]:
    """Indices of the heads of each class, in the order of the file, with the class's key."""
    keys = (heads.lengths * WORD + heads.step_bytes).astype(np.uint16)
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    bounds = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    for members in np.split(order, bounds):
        if len(members):
            yield members, int(keys[members[0]])


def _match(
    block: RecordBlock,
    shapes: ShapeCache,
    shape: ShapeClass,
    starts: npt.NDArray[np.int64],
    length: int,
    step_bytes: int,
    columns: list[npt.NDArray[np.uint64]],
) -> Iterator[tuple[npt.NDArray[np.int64], Layout, npt.NDArray[np.int64]]]:
    """Records of one class by layout: indices into `starts`, the layout, the template of each."""
    left: npt.NDArray[np.int64] = np.arange(len(starts))
    for known in list(shape.layouts):
        found, templates, left = _match_layout(known, left, columns)
        if len(found):
            yield found, known, templates
    for attempt in range(_MOST_ROUNDS):
        if len(left) < _FEWEST_RECORDS or shapes.full:
            return
        payloads = _Payloads(block.data, starts[left], length)
        layout = shapes.layout_of(shape, payloads[attempt * len(left) // _MOST_ROUNDS], step_bytes)
        if layout is None:
            continue
        _learn(shapes, layout, payloads, _masked(layout, left, columns))
        found, templates, left = _match_layout(layout, left, columns)
        if len(found):
            yield found, layout, templates


def _match_layout(
    layout: Layout, left: npt.NDArray[np.int64], columns: list[npt.NDArray[np.uint64]]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Those of the records `left` that fit one of a layout's templates, their templates, and the other records."""
    if not len(left):
        return left, left, left
    templates = layout.match(_masked(layout, left, columns))
    fits = templates >= 0
    return left[fits], templates[fits], left[~fits]


def _masked(
    layout: Layout, left: npt.NDArray[np.int64], columns: list[npt.NDArray[np.uint64]]
) -> dict[int, npt.NDArray[np.uint64]]:
    """The words of the records `left` with a layout's free bytes blanked."""
    everything = len(left) == len(columns[0])
    return {word: (columns[word] if everything else columns[word][left]) & layout.mask[word] for word in layout.columns}


def _learn(shapes: ShapeCache, layout: Layout, payloads: _Payloads, masked: dict[int, npt.NDArray[np.uint64]]) -> None:
    """Learn a template from one of every few records that are alike."""
    _, first, counts = np.unique(layout.hashes(masked), return_index=True, return_counts=True)
    for index in first[counts >= _FEWEST_ALIKE].tolist():
        shapes.learn(layout, payloads[index])


@frozen(eq=False)
class _Payloads:
    """Payloads of records of one length."""

    data: npt.NDArray[np.uint8]
    starts: npt.NDArray[np.int64]
    length: int

    def __getitem__(self, index: int) -> bytes:
        start = int(self.starts[index])
        return self.data[start : start + self.length].tobytes()
