"""Records that take a tag back to a step it has reached, and so take the place of what was logged since.

A run that goes on from a checkpoint logs such records; a wrong bit in a step or a tag makes one. What they would hide
is too much to be hidden by bytes that are wrong, so they are compared with their checksums, unlike the others.
"""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    import numpy.typing as npt

    from tbtui.events.block import ReferenceColumns, ScalarColumns
    from tbtui.events.columns import Points
    from tbtui.events.tags import RunTags

_NO_STEP = int(np.iinfo(np.int64).min)
"""In the place of the step that a tag has reached when it has shown none."""


class ReachedSteps:
    """The step of the last point of each tag of a run, in the order of its files."""

    def __init__(self) -> None:
        self._of: dict[str, int] = {}

    def put(self, columns: Mapping[str, ScalarColumns] | Mapping[str, ReferenceColumns]) -> None:
        """Take note of where some tags are now."""
        for tag, points in columns.items():
            self._of[tag] = points.steps.item(-1)

    def learn(self, steps: Mapping[str, int]) -> None:
        """Take over how far some tags were read by another decoder."""
        self._of.update(steps)

    def of(self, tags: Iterable[str]) -> npt.NDArray[np.int64]:
        """How far tags are, int64[tags]."""
        return np.array(list(map(self.of_tag, tags)), np.int64)

    def of_tag(self, tag: str) -> int:
        """How far a tag is."""
        return self._of.get(tag, _NO_STEP)


def going_back(
    points: Points,
    tags: RunTags,
    reached: ReachedSteps,
    steps: npt.NDArray[np.int64],
    repeats: npt.NDArray[np.bool_],
) -> npt.NDArray[np.int64]:
    """The records that take the place of others, where all before them are believed.

    Args:
        points: The values of a block, by tag.
        tags: Of the run.
        reached: How far they were before the block.
        steps: int64[records].
        repeats: bool[records]: which count also when they only repeat the step that was reached.

    Returns:
        Rows, ascending.
    """
    rows, numbers = points.rows, points.tags
    here, before = steps[rows], np.empty(len(rows), np.int64)
    before[1:] = here[:-1]
    begins = np.ones(len(rows), np.bool_)
    begins[1:] = numbers[1:] != numbers[:-1]
    before[begins] = reached.of(tags.infos[number].tag for number in numbers[begins].tolist())
    back = (here < before) | ((here == before) & (before > _NO_STEP) & repeats[rows])
    back[1:] &= begins[1:] | (rows[1:] != rows[:-1])  # of several values of a tag in one record none hides another
    found = np.zeros(len(steps), np.bool_)
    found[rows[back]] = True
    return np.flatnonzero(found)


def refused(
    points: Points,
    tags: RunTags,
    reached: ReachedSteps,
    steps: npt.NDArray[np.int64],
    repeats: npt.NDArray[np.bool_],
    may_hide: Callable[[int], bool],
) -> Iterator[int]:
    """The records that would take the place of others and may not.

    One after the other: whether it takes the place of others is judged by those before it that are believed.

    Args:
        points: The values of a block in the order of the file.
        tags: Of the run.
        reached: How far they were before the block.
        steps: int64[records].
        repeats: As for `going_back`.
        may_hide: Whether a record that does may.
    """
    at: dict[int, int] = {}
    values: Iterator[tuple[int, int]] = zip(points.rows.tolist(), points.tags.tolist(), strict=True)
    by_record: Iterator[tuple[int, Iterator[Any]]] = groupby(values, key=itemgetter(0))
    for row, of_record in by_record:
        numbers, step = [number for _, number in of_record], int(steps[row])
        for number in numbers:
            if number not in at:
                at[number] = reached.of_tag(tags.infos[number].tag)
        limit = max(map(at.__getitem__, numbers))
        if (step < limit or (step == limit > _NO_STEP and repeats[row])) and not may_hide(row):
            yield row
        else:
            at.update(dict.fromkeys(numbers, step))
