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
from tbtui.events.wire import (
    BYTES,
    FIXED64,
    VARINT,
    WORD,
    Messages,
    choose_field,
    encode_field_key,
    read_table,
    view_words,
)
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

_EVENT = (encode_field_key(1, FIXED64), encode_field_key(2, VARINT), encode_field_key(5, BYTES))
_WALL_TIME, _STEP, _SUMMARY = range(3)
_VALUE = encode_field_key(1, BYTES)
_SUMMARY_VALUE = (
    encode_field_key(1, BYTES),
    encode_field_key(7, BYTES),
    encode_field_key(5, BYTES),
    encode_field_key(8, BYTES),
    encode_field_key(9, BYTES),
)
_HISTO, _TENSOR, _METADATA = 2, 3, 4
_HISTOGRAM = (
    *(encode_field_key(number, FIXED64) for number in range(1, 6)),
    encode_field_key(6, BYTES),
    encode_field_key(7, BYTES),
)
_MIN, _MAX, _NUM, _SUM, _SQUARES, _LIMITS, _COUNTS = range(7)
_TENSOR_PROTO = (
    encode_field_key(1, VARINT),
    encode_field_key(2, BYTES),
    encode_field_key(3, VARINT),
    encode_field_key(4, BYTES),
    encode_field_key(5, BYTES),
    encode_field_key(6, BYTES),
)
_DTYPE, _SHAPE, _CONTENT, _FLOATS, _DOUBLES = 0, 1, 3, 4, 5
_DIM = encode_field_key(2, BYTES)
_DIM_FIELDS = (encode_field_key(1, VARINT), encode_field_key(2, BYTES))


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
        The histograms, and the reasons why values cannot be drawn, by row. All other values are left to protobuf.
    """
    if len(request) < MIN_BULK_VALUES:
        return [], {}
    words = view_words(request.data)
    rows, value = _find_values(request, words)
    is_old = value.has(_HISTO)
    old, tensors = value.messages(_HISTO)[is_old], value.messages(_TENSOR)[~is_old]
    errors: dict[int, str] = {}
    parts = [_decode_limits(request.data, words, rows[is_old], old, errors)]
    parts += _decode_tensors(request.data, words, rows[~is_old], tensors, errors)
    return [part for part in parts if len(part.rows)], errors


def _find_values(request: DecodeRequest, words: Words) -> tuple[Rows, FieldTable]:
    """Return the values that hold a histogram or a tensor, in the expected events."""
    ends = request.starts + request.lengths
    rows = np.flatnonzero(ends + WORD <= len(request.data))
    event = read_table(words, Messages(request.starts[rows], ends[rows]), _EVENT)
    is_readable = event.plain & event.has(_SUMMARY) & _matches_request(request, rows, event, words)
    rows = rows[is_readable]
    indices = request.indices[rows].astype(np.int64)
    value_field = choose_field(words, event.messages(_SUMMARY)[is_readable], _VALUE, indices)
    value = read_table(words, value_field.messages, _SUMMARY_VALUE)
    is_readable = value_field.found & value.plain & (value.has(_HISTO) != value.has(_TENSOR))
    is_unverified = (indices > 0) | (value_field.rest.begins < value_field.rest.ends) | value.has(_METADATA)
    for row in np.flatnonzero(is_readable & is_unverified).tolist():
        # The other values and the metadata are not decoded yet, and protobuf decodes an event as a whole or not at all.
        is_readable[row] = is_event(request.payload(int(rows[row])))
    return rows[is_readable], value[is_readable]


def _matches_request(request: DecodeRequest, rows: Rows, event: FieldTable, words: Words) -> npt.NDArray[np.bool_]:
    """Return a mask of the events with the expected step and wall time."""
    stored_times, expected_times = event.doubles(_WALL_TIME, words), request.wall_times[rows]
    has_time = (stored_times == expected_times) | (np.isnan(stored_times) & np.isnan(expected_times))
    return np.asarray(has_time & (event.numbers(_STEP, words) == request.steps[rows]))


def _decode_limits(
    data: npt.NDArray[np.uint8], words: Words, rows: Rows, messages: Messages, errors: dict[int, str]
) -> Part:
    """Decode histograms of summaries, which store the upper limits of their buckets."""
    fields = read_table(words, messages, _HISTOGRAM)
    limits, counts = fields.messages(_LIMITS), fields.messages(_COUNTS)
    numbers = np.array([fields.doubles(field, words) for field in range(_LIMITS)])
    low, high = np.sort(numbers[[_MIN, _MAX]], axis=0)
    is_readable = fields.plain & (limits.sizes % WORD == 0) & (counts.sizes % WORD == 0)
    has_nan = np.isnan(low) | np.isnan(high)
    has_infinite = ~has_nan & (np.isinf(low) | np.isinf(high)) & (numbers[_NUM] != 0)
    for is_wrong, reason in ((has_nan, HAS_NAN), (has_infinite, HAS_INFINITE)):
        errors |= dict.fromkeys(rows[is_readable & is_wrong].tolist(), reason)
    is_usable = is_readable & (np.abs(low) < MAX_EDGE) & (np.abs(high) < MAX_EDGE) & (limits.sizes == counts.sizes)
    skipped_counts, sizes = _trim_zeros(data, words, counts.begins, np.where(is_usable, counts.sizes // WORD, 0))
    is_usable = sizes > 0
    skipped_counts, sizes = skipped_counts[is_usable], sizes[is_usable]
    ends = np.cumsum(sizes)
    rights = _gather(data, limits.begins[is_usable] + WORD * skipped_counts, WORD * sizes, "<f8")
    rights[ends - 1] = high[is_usable]
    lefts = np.empty_like(rights)
    lefts[1:] = rights[:-1]
    lefts[ends - sizes] = low[is_usable]
    heights = _gather(data, counts.begins[is_usable] + WORD * skipped_counts, WORD * sizes, "<f8")
    return _select_valid(rows[is_usable], sizes, Bars(lefts, rights, heights), numbers[_NUM:_LIMITS, is_usable])


def _trim_zeros(
    data: npt.NDArray[np.uint8], words: Words, starts: Offsets, sizes: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Trim the zeros at both ends of rows of counts.

    Args:
        data: The payloads.
        words: The payloads as integers of eight bytes at any offset.
        starts: Offset of each row in `data`.
        sizes: Number of counts of each row.

    Returns:
        Number of counts before the first other than 0, and number of counts up to the last one; 0 for a row of zeros.
    """
    front, more_in_front = _count_zeros(words, starts, WORD, sizes)
    back, more_behind = _count_zeros(words, starts + WORD * (sizes - 1), -WORD, sizes - front)
    for row in np.union1d(more_in_front, more_behind).tolist():
        filled = np.flatnonzero(np.frombuffer(data, "<f8", sizes[row], starts[row]))
        front[row] = filled[0] if len(filled) else sizes[row]
        back[row] = sizes[row] - 1 - filled[-1] if len(filled) else 0
    return front, sizes - front - back


def _count_zeros(
    words: Words, offsets: Offsets, stride: int, max_zeros: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the number of consecutive zeros from each offset on, and the rows that may have more of them."""
    zeros = np.zeros(len(offsets), np.int64)
    remaining = np.flatnonzero(max_zeros > 0)
    for _ in range(_MOST_SKIPPED):
        # Shifted, so that the zero with a minus is one as well.
        remaining = remaining[words[offsets[remaining] + stride * zeros[remaining]] << np.uint64(1) == 0]
        zeros[remaining] += 1
        remaining = remaining[zeros[remaining] < max_zeros[remaining]]
        if not len(remaining):
            break
    return zeros, remaining


def _decode_tensors(
    data: npt.NDArray[np.uint8], words: Words, rows: Rows, messages: Messages, errors: dict[int, str]
) -> Iterator[Part]:
    """Decode histograms of tensors with rows of left edge, right edge and count. Yields one part per type of number."""
    fields = read_table(words, messages, _TENSOR_PROTO)
    heights = _count_buckets(words, fields)
    dtypes = fields.numbers(_DTYPE, words)
    stored = np.array([fields.has(field) for field in (_CONTENT, _FLOATS, _DOUBLES)])
    is_usable = fields.plain & (heights > 0) & (stored.sum(axis=0) == 1)
    for dtype, number, layout in ((DOUBLE, _DOUBLES, "<f8"), (FLOAT, _FLOATS, "<f4")):
        starts = np.where(fields.has(_CONTENT), fields.begins[_CONTENT], fields.begins[number])
        sizes = np.where(fields.has(_CONTENT), fields.ends[_CONTENT], fields.ends[number]) - starts
        is_type = is_usable & (dtypes == dtype) & (sizes == 3 * np.dtype(layout).itemsize * heights)
        lefts, rights, counts = (
            _gather(data, starts[is_type], sizes[is_type], layout).reshape(-1, 3).astype(np.float64).T
        )
        bars = Bars(lefts, rights, counts)
        _report_nonfinite_ranges(rows[is_type], heights[is_type], bars, errors)
        yield _select_valid(rows[is_type], heights[is_type], bars, np.full((3, int(is_type.sum())), np.nan))


def _count_buckets(words: Words, fields: FieldTable) -> npt.NDArray[np.int64]:
    """Return the number of rows of each tensor of three columns, int64[n]; 0 for tensors of other shapes."""
    shape = fields.messages(_SHAPE)
    first = choose_field(words, shape, _DIM, np.zeros(len(shape), np.int64))
    second = choose_field(words, first.rest, _DIM, np.zeros(len(shape), np.int64))
    height, width = (read_table(words, dim.messages, _DIM_FIELDS) for dim in (first, second))
    has_two_dimensions = first.found & second.found & (second.rest.sizes == 0) & height.plain & width.plain
    return np.where(has_two_dimensions & (width.numbers(0, words) == 3), height.numbers(0, words), 0)


def _gather(
    data: npt.NDArray[np.uint8], starts: Offsets, sizes: npt.NDArray[np.int64], layout: str
) -> npt.NDArray[np.float64]:
    """Return the numbers in slices of the data, concatenated."""
    view = data.data
    extents = zip(starts.tolist(), (starts + sizes).tolist(), strict=True)
    return np.frombuffer(bytearray().join([view[start:end] for start, end in extents]), layout)


def _report_nonfinite_ranges(rows: Rows, sizes: npt.NDArray[np.int64], bars: Bars, errors: dict[int, str]) -> None:
    """Report histograms whose edges come from a range with a NaN or infinite end."""
    ends = np.cumsum(sizes)
    has_nan = np.isnan(bars.lefts[ends - sizes]) & np.isnan(bars.rights[ends - 1])
    if has_nan.any():
        has_infinite = np.logical_or.reduceat(np.isinf(bars.lefts) | np.isinf(bars.rights), ends - sizes)
        errors |= dict.fromkeys(rows[has_nan & has_infinite].tolist(), HAS_INFINITE)
        errors |= dict.fromkeys(rows[has_nan & ~has_infinite].tolist(), HAS_NAN)


def _select_valid(rows: Rows, sizes: npt.NDArray[np.int64], bars: Bars, written: npt.NDArray[np.float64]) -> Part:
    """Return the histograms that need no repair."""
    if not len(rows):
        return Part(rows, sizes, bars, np.zeros(0), written)
    ends = np.cumsum(sizes)
    starts = ends - sizes
    is_descending = ~(bars.lefts <= bars.rights)
    is_overlapping = ~(bars.rights[:-1] <= bars.lefts[1:])
    is_overlapping[ends[:-1] - 1] = False
    is_descending[1:] |= is_overlapping
    with np.errstate(over="ignore", invalid="ignore"):  # counts of both infinities have no sum, and are not sound
        totals = np.add.reduceat(bars.counts, starts)
    is_valid = (np.minimum.reduceat(bars.counts, starts) >= 0) & (totals < np.inf)
    is_valid &= (bars.lefts[starts] > -MAX_EDGE) & (bars.rights[ends - 1] < MAX_EDGE)
    is_valid[np.searchsorted(ends, np.flatnonzero(is_descending), side="right")] = False
    if not is_valid.all():
        is_valid_bucket = np.repeat(is_valid, sizes)
        bars = Bars(bars.lefts[is_valid_bucket], bars.rights[is_valid_bucket], bars.counts[is_valid_bucket])
    return Part(rows[is_valid], sizes[is_valid], bars, totals[is_valid], written[:, is_valid])


_SAME = 1e-6
"""Relative difference up to which the count and the sums of a writer agree with its buckets."""


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

    errors: Mapping[int, str] = field(default_factory=dict)
    """Reasons why values cannot be drawn as histograms, one plain sentence each."""


def read_histograms(request: DecodeRequest) -> HistogramColumns:
    """Read histograms from payloads. Never raises: `HistogramColumns.errors` lists what cannot be drawn."""
    parts, errors = read_bulk(request)
    is_single = np.ones(len(request), np.bool_)
    is_single[list(errors)] = False
    for part in parts:
        is_single[part.rows] = False
    rows = np.flatnonzero(is_single)
    if len(rows):
        parts.append(_read_singly(request, rows, errors))
    return _join_parts(len(request), parts, errors)


def _read_singly(request: DecodeRequest, rows: npt.NDArray[np.int64], errors: dict[int, str]) -> Part:
    """Read values with protobuf."""
    decoded: dict[int, tuple[Bars, HistogramTotals]] = {}
    for row in rows.tolist():
        histogram = _read_one(request, row)
        if isinstance(histogram, str):
            errors[row] = histogram
        else:
            decoded[row] = histogram
    histograms = [bars for bars, _ in decoded.values()]
    sizes = np.array([len(bars) for bars in histograms], np.int64)
    written = np.array([(totals.count, totals.sum, totals.squares) for _, totals in decoded.values()]).reshape(-1, 3).T
    # Added up as those read in bulk are, to the last digit.
    totals = np.array([np.add.reduceat(bars.counts, [0])[0] if len(bars) else 0.0 for bars in histograms])
    return Part(np.array(list(decoded), np.int64), sizes, _concatenate_bars(histograms), totals, written)


def _read_one(request: DecodeRequest, row: int) -> tuple[Bars, HistogramTotals] | str:
    """Return the histogram of one value, or the reason why it cannot be drawn."""
    index = int(request.indices[row])
    if index < 0:
        return "an event without values instead of a histogram"
    event_time = EventTime(int(request.steps[row]), float(request.wall_times[row]))
    try:
        return read_histogram(read_stored_value(request.payload(row), index, event_time))
    except (StaleValueError, HistogramError, TensorError) as error:
        return str(error)


def _join_parts(count: int, parts: Sequence[Part], errors: Mapping[int, str]) -> HistogramColumns:
    """Return all `count` histograms in order."""
    sizes = np.zeros(count, np.int64)
    totals, written = np.zeros(count), np.full((3, count), np.nan)
    totals[list(errors)] = np.nan
    for part in parts:
        sizes[part.rows], totals[part.rows], written[:, part.rows] = part.sizes, part.totals, part.written
    bars = _sort_bars([part for part in parts if len(part.bars)])
    sums, squares = _select_valid_sums(written, bars, sizes, totals)
    return HistogramColumns(sizes, bars.lefts, bars.rights, bars.counts, totals, sums, squares, errors)


def _sort_bars(parts: Sequence[Part]) -> Bars:
    """Return the buckets of several parts in the order of their rows."""
    if len(parts) == 1:
        return parts[0].bars
    stretches: list[tuple[int, Bars]] = []
    others = [part.rows for part in parts]
    for number, part in enumerate(parts):
        # Between the rows of the other parts, those of this one follow each other as they lie.
        other_rows = np.concatenate([rows for other, rows in enumerate(others) if other != number])
        rows_before = np.searchsorted(np.sort(other_rows), part.rows)
        first = np.flatnonzero(np.diff(rows_before, prepend=-1))
        edges = np.append(np.cumsum(part.sizes)[first] - part.sizes[first], len(part.bars)).tolist()
        pieces = [_cut(part.bars, start, end) for start, end in pairwise(edges)]
        stretches += zip(part.rows[first].tolist(), pieces, strict=True)
    return _concatenate_bars([bars for _, bars in sorted(stretches, key=lambda stretch: stretch[0])])


def _cut(bars: Bars, start: int, end: int) -> Bars:
    return Bars(bars.lefts[start:end], bars.rights[start:end], bars.counts[start:end])


def _concatenate_bars(pieces: Sequence[Bars]) -> Bars:
    """Return the buckets of several pieces, concatenated."""
    none = [np.zeros(0)]
    return Bars(
        np.concatenate([piece.lefts for piece in pieces] or none),
        np.concatenate([piece.rights for piece in pieces] or none),
        np.concatenate([piece.counts for piece in pieces] or none),
    )


def _select_valid_sums(
    written: npt.NDArray[np.float64], bars: Bars, sizes: npt.NDArray[np.int64], totals: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the stored sums of values and squares where they agree with the buckets, else NaN."""
    count, sums, squares = written
    has_buckets = sizes > 0
    ends = np.cumsum(sizes)
    minimum, maximum = np.zeros((2, len(sizes)))
    minimum[has_buckets], maximum[has_buckets] = (
        bars.lefts[(ends - sizes)[has_buckets]],
        bars.rights[ends[has_buckets] - 1],
    )
    with np.errstate(over="ignore", invalid="ignore"):
        largest = np.maximum(np.abs(minimum), np.abs(maximum))
        tolerance = _SAME * largest * totals
        is_possible = np.abs(count - totals) <= _SAME * totals
        is_possible &= (
            (minimum * totals - tolerance <= sums) & (sums <= maximum * totals + tolerance) & np.isfinite(sums)
        )
        has_possible_squares = is_possible & (sums * sums <= (1 + _SAME) * squares * totals) & np.isfinite(squares)
        has_possible_squares &= squares <= (1 + _SAME) ** 2 * largest * largest * totals
    return np.where(is_possible, sums, np.nan), np.where(has_possible_squares, squares, np.nan)
