"""Many histograms at once, as flat columns."""

from __future__ import annotations

from dataclasses import field
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from tbtui.events.histogram_bulk import Part, Wanted, read_bulk
from tbtui.events.histograms import Bars, HistogramError, Written, read_histogram
from tbtui.events.tensors import TensorError
from tbtui.events.values import Moment, ValueGone, stored_value
from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

_SAME = 1e-6
"""By how much what a writer says of all values may differ from its buckets."""


@frozen(eq=False)
class HistogramColumns:
    """Histograms, their buckets one after the other."""

    sizes: npt.NDArray[np.int64]
    """int64[n]: buckets of each histogram."""

    lefts: npt.NDArray[np.float64]
    """float64[m]: lower edges, finite, ascending within a histogram."""

    rights: npt.NDArray[np.float64]
    """float64[m]: upper edges, none above the next lower one of the same histogram."""

    counts: npt.NDArray[np.float64]
    """float64[m]: finite, not negative."""

    totals: npt.NDArray[np.float64]
    """float64[n]: sum of the counts; 0 for a histogram of nothing, NaN for one that is refused."""

    sums: npt.NDArray[np.float64]
    """float64[n]: sum of all values as the writer knew it; NaN where it did not say, or something impossible."""

    squares: npt.NDArray[np.float64]
    """float64[n]: likewise the sum of their squares."""

    refused: Mapping[int, str] = field(default_factory=dict)
    """Why a value is no histogram that can be drawn, one plain sentence each."""


def read_histograms(wanted: Wanted) -> HistogramColumns:
    """Read values that are histograms from their payloads. Never raises: what cannot be drawn is `refused`."""
    parts, refused = read_bulk(wanted)
    single = np.ones(len(wanted), np.bool_)
    single[list(refused)] = False
    for part in parts:
        single[part.rows] = False
    rows = np.flatnonzero(single)
    if len(rows):
        parts.append(_read_singly(wanted, rows, refused))
    return _joined(len(wanted), parts, refused)


def _read_singly(wanted: Wanted, rows: npt.NDArray[np.int64], refused: dict[int, str]) -> Part:
    """Read values with protobuf."""
    found: dict[int, tuple[Bars, Written]] = {}
    for row in rows.tolist():
        one = _read_one(wanted, row)
        if isinstance(one, str):
            refused[row] = one
        else:
            found[row] = one
    histograms = [bars for bars, _ in found.values()]
    sizes = np.array([len(bars) for bars in histograms], np.int64)
    written = np.array([(said.count, said.sum, said.squares) for _, said in found.values()]).reshape(-1, 3).T
    # Added up as those read in bulk are, to the last digit.
    totals = np.array([np.add.reduceat(bars.counts, [0])[0] if len(bars) else 0.0 for bars in histograms])
    return Part(np.array(list(found), np.int64), sizes, _chained(histograms), totals, written)


def _read_one(wanted: Wanted, row: int) -> tuple[Bars, Written] | str:
    """The histogram of one value, or why it is none."""
    index = int(wanted.indices[row])
    if index < 0:
        return "an event without values stands here in place of a histogram"
    moment = Moment(int(wanted.steps[row]), float(wanted.wall_times[row]))
    try:
        return read_histogram(stored_value(wanted.payload(row), index, moment))
    except (ValueGone, HistogramError, TensorError) as error:
        return str(error)


def _joined(count: int, parts: Sequence[Part], refused: Mapping[int, str]) -> HistogramColumns:
    """All of `count` histograms in their order."""
    sizes = np.zeros(count, np.int64)
    totals, written = np.zeros(count), np.full((3, count), np.nan)
    totals[list(refused)] = np.nan
    for part in parts:
        sizes[part.rows], totals[part.rows], written[:, part.rows] = part.sizes, part.totals, part.written
    bars = _in_order([part for part in parts if len(part.bars)])
    sums, squares = _possible(written, bars, sizes, totals)
    return HistogramColumns(sizes, bars.lefts, bars.rights, bars.counts, totals, sums, squares, refused)


def _in_order(parts: Sequence[Part]) -> Bars:
    """The buckets of several parts in the order of their rows."""
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
    """The buckets of several pieces one after the other."""
    none = [np.zeros(0)]
    return Bars(
        np.concatenate([piece.lefts for piece in pieces] or none),
        np.concatenate([piece.rights for piece in pieces] or none),
        np.concatenate([piece.counts for piece in pieces] or none),
    )


def _possible(
    written: npt.NDArray[np.float64], bars: Bars, sizes: npt.NDArray[np.int64], totals: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """The sums of values and of squares where they can be those of the values in the buckets, else NaN."""
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
