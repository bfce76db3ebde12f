"""Vectorized decoder of many histograms: their payloads are walked in lockstep, and all numbers are gathered at once.

It reads only the layout of usual writers that needs no repair; everything else is read one by one with the same result.
"""

from __future__ import annotations

from dataclasses import field
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.events.histogram import (
    HAS_INFINITE,
    HAS_NAN,
    MAX_EDGE,
    Bars,
    HistogramError,
    HistogramTotals,
    read_histogram,
)
from tbtui.events.tensors import DOUBLE, FLOAT, TensorError
from tbtui.events.values import EventTime, StaleValueError, is_event, read_stored_value
from tbtui.events.wire import BYTES, FIXED64, VARINT, WORD, Messages, choose_field, field_key, read_table, words_in
from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy.typing as npt

    from tbtui.events.wire import FieldTable, Offsets, Words


Rows: TypeAlias = "npt.NDArray[np.int64]"
"""Indices of the requested values."""

MIN_BULK_VALUES = 16
"""Fewer values than this are read faster one by one."""

_MOST_SKIPPED = 8
"""Empty buckets at either end that are passed over in lockstep; PyTorch puts one in front."""

_EVENT = (field_key(1, FIXED64), field_key(2, VARINT), field_key(5, BYTES))
_WALL_TIME, _STEP, _SUMMARY = range(3)
_VALUE = field_key(1, BYTES)
_SUMMARY_VALUE = (
    field_key(1, BYTES),
    field_key(7, BYTES),
    field_key(5, BYTES),
    field_key(8, BYTES),
    field_key(9, BYTES),
)
_HISTO, _TENSOR, _METADATA = 2, 3, 4
_HISTOGRAM = (
    *(field_key(number, FIXED64) for number in range(1, 6)),
    field_key(6, BYTES),
    field_key(7, BYTES),
)
_MIN, _MAX, _NUM, _SUM, _SQUARES, _LIMITS, _COUNTS = range(7)
_TENSOR_PROTO = (
    field_key(1, VARINT),
    field_key(2, BYTES),
    field_key(3, VARINT),
    field_key(4, BYTES),
    field_key(5, BYTES),
    field_key(6, BYTES),
)
_DTYPE, _SHAPE, _CONTENT, _FLOATS, _DOUBLES = 0, 1, 3, 4, 5
_DIM = field_key(2, BYTES)
_DIM_FIELDS = (field_key(1, VARINT), field_key(2, BYTES))


@frozen(eq=False)
class DecodeRequest:
    """Values to read from payloads."""

    data: npt.NDArray[np.uint8]
    """The payloads, followed by eight bytes."""

    starts: npt.NDArray[np.int64]
    """Offset in `data` of each payload."""

    lengths: npt.NDArray[np.int64]
    """Bytes of each payload."""

    indices: npt.NDArray[np.int32]
    """Index in `Event.summary.value`."""

    steps: npt.NDArray[np.int64]
    """Expected step of each event."""

    wall_times: npt.NDArray[np.float64]
    """Expected wall time of each event."""

    def __len__(self) -> int:
        return len(self.starts)

    def payload(self, row: int) -> bytes:
        """Return the payload of value `row`."""
        start = int(self.starts[row])
        return self.data[start : start + int(self.lengths[row])].tobytes()


@frozen(eq=False)
class Part:
    """Some of the histograms, their buckets one after another."""

    rows: Rows
    """Ascending."""

    sizes: npt.NDArray[np.int64]
    """Number of buckets of each."""

    bars: Bars
    """Buckets of all histograms, one after the other."""

    totals: npt.NDArray[np.float64]
    """Sum of the counts of each."""

    written: npt.NDArray[np.float64]
    """Count, sum and sum of squares as written, float64[3, n]."""


def read_bulk(request: DecodeRequest) -> tuple[list[Part], dict[int, str]]:
    """Read the histograms that usual writers wrote and that need no repair.

    Returns:
        The histograms, and why some of the values are none. Values that are in neither are for protobuf.
    """
    if len(request) < MIN_BULK_VALUES:
        return [], {}
    words = words_in(request.data)
    rows, value = _values(request, words)
    is_old = value.has(_HISTO)
    old, tensors = value.messages(_HISTO)[is_old], value.messages(_TENSOR)[~is_old]
    refused: dict[int, str] = {}
    parts = [_of_limits(request.data, words, rows[is_old], old, refused)]
    parts += _of_tensors(request.data, words, rows[~is_old], tensors, refused)
    return [part for part in parts if len(part.rows)], refused


def _values(request: DecodeRequest, words: Words) -> tuple[Rows, FieldTable]:
    """Return the values that hold a histogram or a tensor, in the expected events."""
    ends = request.starts + request.lengths
    rows = np.flatnonzero(ends + WORD <= len(request.data))
    event = read_table(words, Messages(request.starts[rows], ends[rows]), _EVENT)
    fits = event.plain & event.has(_SUMMARY) & _is_of(request, rows, event, words)
    rows = rows[fits]
    indices = request.indices[rows].astype(np.int64)
    chosen = choose_field(words, event.messages(_SUMMARY)[fits], _VALUE, indices)
    value = read_table(words, chosen.messages, _SUMMARY_VALUE)
    fits = chosen.found & value.plain & (value.has(_HISTO) != value.has(_TENSOR))
    unseen = (indices > 0) | (chosen.rest.begins < chosen.rest.ends) | value.has(_METADATA)
    for row in np.flatnonzero(fits & unseen).tolist():
        # The other values and the metadata are not decoded yet, and protobuf decodes an event as a whole or not at all.
        fits[row] = is_event(request.payload(int(rows[row])))
    return rows[fits], value[fits]


def _is_of(request: DecodeRequest, rows: Rows, event: FieldTable, words: Words) -> npt.NDArray[np.bool_]:
    """Return True for events with the expected step and wall time."""
    found, known = event.doubles(_WALL_TIME, words), request.wall_times[rows]
    same = (found == known) | (np.isnan(found) & np.isnan(known))
    return np.asarray(same & (event.numbers(_STEP, words) == request.steps[rows]))


def _of_limits(
    data: npt.NDArray[np.uint8], words: Words, rows: Rows, messages: Messages, refused: dict[int, str]
) -> Part:
    """Return histograms given by the limits of their buckets."""
    fields = read_table(words, messages, _HISTOGRAM)
    limits, counts = fields.messages(_LIMITS), fields.messages(_COUNTS)
    numbers = np.array([fields.doubles(field, words) for field in range(_LIMITS)])
    low, high = np.sort(numbers[[_MIN, _MAX]], axis=0)
    readable = fields.plain & (limits.sizes % WORD == 0) & (counts.sizes % WORD == 0)
    has_nan = np.isnan(low) | np.isnan(high)
    has_infinite = ~has_nan & (np.isinf(low) | np.isinf(high)) & (numbers[_NUM] != 0)
    for wrong, reason in ((has_nan, HAS_NAN), (has_infinite, HAS_INFINITE)):
        refused |= dict.fromkeys(rows[readable & wrong].tolist(), reason)
    usable = readable & (np.abs(low) < MAX_EDGE) & (np.abs(high) < MAX_EDGE) & (limits.sizes == counts.sizes)
    skipped, sizes = _filled(data, words, counts.begins, np.where(usable, counts.sizes // WORD, 0))
    usable = sizes > 0
    skipped, sizes = skipped[usable], sizes[usable]
    ends = np.cumsum(sizes)
    rights = _gather(data, limits.begins[usable] + WORD * skipped, WORD * sizes, "<f8")
    rights[ends - 1] = high[usable]
    lefts = np.empty_like(rights)
    lefts[1:] = rights[:-1]
    lefts[ends - sizes] = low[usable]
    heights = _gather(data, counts.begins[usable] + WORD * skipped, WORD * sizes, "<f8")
    return _sound(rows[usable], sizes, Bars(lefts, rights, heights), numbers[_NUM:_LIMITS, usable])


def _filled(
    data: npt.NDArray[np.uint8], words: Words, begins: Offsets, sizes: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return which of some rows of counts remain without the zeros at both ends.

    Args:
        data: holds the counts.
        words: the same.
        begins: where each row begins.
        sizes: how many counts it has.

    Returns:
        How many counts to pass over and how many to take of each row; none of a row of zeros.
    """
    front, more_in_front = _zeros(words, begins, WORD, sizes)
    back, more_behind = _zeros(words, begins + WORD * (sizes - 1), -WORD, sizes - front)
    for row in np.union1d(more_in_front, more_behind).tolist():
        filled = np.flatnonzero(np.frombuffer(data, "<f8", sizes[row], begins[row]))
        front[row] = filled[0] if len(filled) else sizes[row]
        back[row] = sizes[row] - 1 - filled[-1] if len(filled) else 0
    return front, sizes - front - back


def _zeros(
    words: Words, at: Offsets, stride: int, most: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the number of consecutive zeros from each place on, and the rows that may have more of them."""
    zeros = np.zeros(len(at), np.int64)
    waiting = np.flatnonzero(most > 0)
    for _ in range(_MOST_SKIPPED):
        # Shifted, so that the zero with a minus is one as well.
        waiting = waiting[words[at[waiting] + stride * zeros[waiting]] << np.uint64(1) == 0]
        zeros[waiting] += 1
        waiting = waiting[zeros[waiting] < most[waiting]]
        if not len(waiting):
            break
    return zeros, waiting


def _of_tensors(
    data: npt.NDArray[np.uint8], words: Words, rows: Rows, messages: Messages, refused: dict[int, str]
) -> Iterator[Part]:
    """Yield histograms given by rows of left edge, right edge and count; one part per type of number."""
    fields = read_table(words, messages, _TENSOR_PROTO)
    heights = _heights(words, fields)
    dtypes = fields.numbers(_DTYPE, words)
    stored = np.array([fields.has(one) for one in (_CONTENT, _FLOATS, _DOUBLES)])
    usable = fields.plain & (heights > 0) & (stored.sum(axis=0) == 1)
    for dtype, number, layout in ((DOUBLE, _DOUBLES, "<f8"), (FLOAT, _FLOATS, "<f4")):
        begins = np.where(fields.has(_CONTENT), fields.begins[_CONTENT], fields.begins[number])
        sizes = np.where(fields.has(_CONTENT), fields.ends[_CONTENT], fields.ends[number]) - begins
        fits = usable & (dtypes == dtype) & (sizes == 3 * np.dtype(layout).itemsize * heights)
        lefts, rights, counts = _gather(data, begins[fits], sizes[fits], layout).reshape(-1, 3).astype(np.float64).T
        bars = Bars(lefts, rights, counts)
        _refuse(rows[fits], heights[fits], bars, refused)
        yield _sound(rows[fits], heights[fits], bars, np.full((3, int(fits.sum())), np.nan))


def _heights(words: Words, fields: FieldTable) -> npt.NDArray[np.int64]:
    """Return the rows of each tensor of three columns, int64[n]; 0 for tensors of other shapes."""
    shape = fields.messages(_SHAPE)
    first = choose_field(words, shape, _DIM, np.zeros(len(shape), np.int64))
    second = choose_field(words, first.rest, _DIM, np.zeros(len(shape), np.int64))
    height, width = (read_table(words, dim.messages, _DIM_FIELDS) for dim in (first, second))
    fits = first.found & second.found & (second.rest.sizes == 0) & height.plain & width.plain
    return np.where(fits & (width.numbers(0, words) == 3), height.numbers(0, words), 0)


def _gather(
    data: npt.NDArray[np.uint8], begins: Offsets, sizes: npt.NDArray[np.int64], layout: str
) -> npt.NDArray[np.float64]:
    """Return the numbers of some slices of the data, one after another."""
    view = data.data
    extents = zip(begins.tolist(), (begins + sizes).tolist(), strict=True)
    return np.frombuffer(bytearray().join([view[begin:end] for begin, end in extents]), layout)


def _refuse(rows: Rows, sizes: npt.NDArray[np.int64], bars: Bars, refused: dict[int, str]) -> None:
    """Report histograms whose edges come from a range with a NaN or infinite end."""
    ends = np.cumsum(sizes)
    has_nan = np.isnan(bars.lefts[ends - sizes]) & np.isnan(bars.rights[ends - 1])
    if has_nan.any():
        infinite = np.logical_or.reduceat(np.isinf(bars.lefts) | np.isinf(bars.rights), ends - sizes)
        refused |= dict.fromkeys(rows[has_nan & infinite].tolist(), HAS_INFINITE)
        refused |= dict.fromkeys(rows[has_nan & ~infinite].tolist(), HAS_NAN)


def _sound(rows: Rows, sizes: npt.NDArray[np.int64], bars: Bars, written: npt.NDArray[np.float64]) -> Part:
    """Return the histograms that need no repair."""
    if not len(rows):
        return Part(rows, sizes, bars, np.zeros(0), written)
    ends = np.cumsum(sizes)
    begins = ends - sizes
    backwards = ~(bars.lefts <= bars.rights)
    overlapping = ~(bars.rights[:-1] <= bars.lefts[1:])
    overlapping[ends[:-1] - 1] = False
    backwards[1:] |= overlapping
    with np.errstate(over="ignore", invalid="ignore"):  # counts of both infinities have no sum, and are not sound
        totals = np.add.reduceat(bars.counts, begins)
    sound = (np.minimum.reduceat(bars.counts, begins) >= 0) & (totals < np.inf)
    sound &= (bars.lefts[begins] > -MAX_EDGE) & (bars.rights[ends - 1] < MAX_EDGE)
    sound[np.searchsorted(ends, np.flatnonzero(backwards), side="right")] = False
    if not sound.all():
        is_sound = np.repeat(sound, sizes)
        bars = Bars(bars.lefts[is_sound], bars.rights[is_sound], bars.counts[is_sound])
    return Part(rows[sound], sizes[sound], bars, totals[sound], written[:, sound])


_SAME = 1e-6
"""By how much what a writer says of all values may differ from its buckets."""


@frozen(eq=False)
class HistogramColumns:
    """Histograms, their buckets one after another."""

    sizes: npt.NDArray[np.int64]
    """int64[n]: buckets of each histogram."""

    lefts: npt.NDArray[np.float64]
    """float64[m]: lower edges, finite, ascending within a histogram."""

    rights: npt.NDArray[np.float64]
    """float64[m]: upper edges, none above the next lower one of the same histogram."""

    counts: npt.NDArray[np.float64]
    """float64[m]: counts, finite, not negative."""

    totals: npt.NDArray[np.float64]
    """float64[n]: sum of the counts; 0 for an empty histogram, NaN for one that cannot be drawn."""

    sums: npt.NDArray[np.float64]
    """float64[n]: sum of all values according to the writer; NaN if unknown or impossible."""

    squares: npt.NDArray[np.float64]
    """float64[n]: sum of squares, as `sums`."""

    refused: Mapping[int, str] = field(default_factory=dict)
    """Reasons why values cannot be drawn as histograms, one plain sentence each."""


def read_histograms(request: DecodeRequest) -> HistogramColumns:
    """Read histograms from payloads. Never raises: `refused` lists what cannot be drawn."""
    parts, refused = read_bulk(request)
    single = np.ones(len(request), np.bool_)
    single[list(refused)] = False
    for part in parts:
        single[part.rows] = False
    rows = np.flatnonzero(single)
    if len(rows):
        parts.append(_read_singly(request, rows, refused))
    return _joined(len(request), parts, refused)


def _read_singly(request: DecodeRequest, rows: npt.NDArray[np.int64], refused: dict[int, str]) -> Part:
    """Read values with protobuf."""
    found: dict[int, tuple[Bars, HistogramTotals]] = {}
    for row in rows.tolist():
        one = _read_one(request, row)
        if isinstance(one, str):
            refused[row] = one
        else:
            found[row] = one
    histograms = [bars for bars, _ in found.values()]
    sizes = np.array([len(bars) for bars in histograms], np.int64)
    written = np.array([(totals.count, totals.sum, totals.squares) for _, totals in found.values()]).reshape(-1, 3).T
    # Added up as those read in bulk are, to the last digit.
    totals = np.array([np.add.reduceat(bars.counts, [0])[0] if len(bars) else 0.0 for bars in histograms])
    return Part(np.array(list(found), np.int64), sizes, _chained(histograms), totals, written)


def _read_one(request: DecodeRequest, row: int) -> tuple[Bars, HistogramTotals] | str:
    """Return the histogram of one value, or the reason why it is none."""
    index = int(request.indices[row])
    if index < 0:
        return "an event without values instead of a histogram"
    moment = EventTime(int(request.steps[row]), float(request.wall_times[row]))
    try:
        return read_histogram(read_stored_value(request.payload(row), index, moment))
    except (StaleValueError, HistogramError, TensorError) as error:
        return str(error)


def _joined(count: int, parts: Sequence[Part], refused: Mapping[int, str]) -> HistogramColumns:
    """Return all `count` histograms in order."""
    sizes = np.zeros(count, np.int64)
    totals, written = np.zeros(count), np.full((3, count), np.nan)
    totals[list(refused)] = np.nan
    for part in parts:
        sizes[part.rows], totals[part.rows], written[:, part.rows] = part.sizes, part.totals, part.written
    bars = _in_order([part for part in parts if len(part.bars)])
    sums, squares = _possible(written, bars, sizes, totals)
    return HistogramColumns(sizes, bars.lefts, bars.rights, bars.counts, totals, sums, squares, refused)


def _in_order(parts: Sequence[Part]) -> Bars:
    """Return the buckets of several parts in the order of their rows."""
    if len(parts) == 1:
        return parts[0].bars
    stretches: list[tuple[int, Bars]] = []
    others = [part.rows for part in parts]
    for number, part in enumerate(parts):
        # Between the rows of the other parts, those of this one follow each other as they lie.
        foreign = np.concatenate([rows for other, rows in enumerate(others) if other != number])
        before = np.searchsorted(np.sort(foreign), part.rows)
        first = np.flatnonzero(np.diff(before, prepend=-1))
        edges = np.append(np.cumsum(part.sizes)[first] - part.sizes[first], len(part.bars)).tolist()
        pieces = [_cut(part.bars, begin, end) for begin, end in pairwise(edges)]
        stretches += zip(part.rows[first].tolist(), pieces, strict=True)
    return _chained([bars for _, bars in sorted(stretches, key=lambda stretch: stretch[0])])


def _cut(bars: Bars, begin: int, end: int) -> Bars:
    return Bars(bars.lefts[begin:end], bars.rights[begin:end], bars.counts[begin:end])


def _chained(pieces: Sequence[Bars]) -> Bars:
    """Return the buckets of several pieces one after another."""
    none = [np.zeros(0)]
    return Bars(
        np.concatenate([piece.lefts for piece in pieces] or none),
        np.concatenate([piece.rights for piece in pieces] or none),
        np.concatenate([piece.counts for piece in pieces] or none),
    )


def _possible(
    written: npt.NDArray[np.float64], bars: Bars, sizes: npt.NDArray[np.int64], totals: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the sums of values and squares if they are possible for the buckets, or else NaN."""
    count, sums, squares = written
    filled = sizes > 0
    ends = np.cumsum(sizes)
    least, greatest = np.zeros((2, len(sizes)))
    least[filled], greatest[filled] = bars.lefts[(ends - sizes)[filled]], bars.rights[ends[filled] - 1]
    with np.errstate(over="ignore", invalid="ignore"):
        largest = np.maximum(np.abs(least), np.abs(greatest))
        slack = _SAME * largest * totals
        right = np.abs(count - totals) <= _SAME * totals
        right &= (least * totals - slack <= sums) & (sums <= greatest * totals + slack) & np.isfinite(sums)
        right_squares = right & (sums * sums <= (1 + _SAME) * squares * totals) & np.isfinite(squares)
        right_squares &= squares <= (1 + _SAME) ** 2 * largest * largest * totals
    return np.where(right, sums, np.nan), np.where(right_squares, squares, np.nan)
