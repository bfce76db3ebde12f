from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tbtui.maths.histograms import Buckets, find_filled_ends, find_value_limits, iter_blocks, select_rows
from tests.helpers.bucket_strategies import histograms
from tests.helpers.buckets import buckets_of, joined


def tables(buckets: Buckets) -> list[tuple[list[tuple[float, ...]], str]]:
    """Return the rows of each histogram and its total as a string, since NaN is not equal to NaN."""
    rows = list(zip(buckets.lefts.tolist(), buckets.rights.tolist(), buckets.counts.tolist(), strict=True))
    cuts = buckets.starts.tolist()
    assert (cuts[0], cuts[-1]) == (0, len(rows))
    return [(rows[cuts[at] : cuts[at + 1]], str(total)) for at, total in enumerate(buckets.totals.tolist())]


@given(histograms(), st.data())
def test_buckets_slice_equals_a_list_slice(buckets: Buckets, data: st.DataObject) -> None:
    all_of_them, size = tables(buckets), len(buckets)
    some = data.draw(st.slices(size))
    assert tables(select_rows(buckets, some)) == all_of_them[some]
    if size:
        picked = data.draw(hnp.arrays(np.int64, st.integers(0, 8), elements=st.integers(-size, size - 1)))
        assert tables(select_rows(buckets, picked)) == [all_of_them[index] for index in picked]


@pytest.mark.parametrize("rows", [slice(1, 2), np.array([1]), np.array([False, True, False])])
def test_buckets_slices_share_memory(rows: slice | np.ndarray) -> None:
    buckets = buckets_of([joined([0, 1, 2], [3, 4])] * 3, sums=[1, 2, 3], squares=[4, 5, 6])
    middle = select_rows(buckets, rows)
    assert np.shares_memory(middle.counts, buckets.counts)
    assert (middle.sums.tolist(), middle.squares.tolist()) == ([2], [5])


@given(histograms(), st.integers(1, 30))
def test_buckets_blocks_cover_all_in_order(buckets: Buckets, most: int) -> None:
    found = list(iter_blocks(buckets, most))
    assert [index for block in found for index in range(len(buckets))[block]] == list(range(len(buckets)))
    for block in found:
        sizes = np.diff(buckets.starts)[block]
        assert len(sizes)
        assert sizes[:-1].sum() <= 2 * most


@given(histograms())
def test_buckets_ends_are_the_nonzero_counts(buckets: Buckets) -> None:
    found = list(zip(*(ends.tolist() for ends in find_filled_ends(buckets)), strict=True))
    expected = []
    for row in range(len(buckets)):
        counted = [at for at in range(buckets.starts[row], buckets.starts[row + 1]) if buckets.counts[at]]
        expected += [(row, counted[0], counted[-1])] if counted else []
    assert found == expected


@pytest.mark.parametrize(
    ("rows", "linear", "log"),
    [
        ([joined([-1, 0, 2, 5], [3, 1, 0])], (-1, 2), (2, 2)),
        ([joined([0, 1, 2, 5, 9], [0, 1, 1, 0])], (1, 5), (1, 5)),
        ([joined([0.5, 1], [1]), joined([-9, -8], [2]), ()], (-9, 1), (0.5, 1)),
        ([[[0, 0, 4]]], (0, 0), None),
        ([[[7, 7, 4]]], (7, 7), (7, 7)),
        ([joined([0, 1], [0]), ()], None, None),
        ([], None, None),
    ],
)
def test_buckets_value_limits(
    rows: list[list[list[float]]], linear: tuple[float, float] | None, log: tuple[float, float] | None
) -> None:
    assert find_value_limits(buckets_of(rows)) == linear
    assert find_value_limits(buckets_of(rows), "log") == log
