"""Values of a block, read in bulk or one by one, put in order and cut into one set of columns a tag."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tbtui.events.block import ReferenceColumns, ScalarColumns
from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from tbtui.events.bulk import Matched
    from tbtui.events.tags import RunTags
    from tbtui.records.block import RecordBlock


@frozen
class Reading:
    """One value of an event that protobuf read."""

    tag: int
    """Number of the tag in the run."""

    index: int
    """Index in `Event.summary.value`; -1 for the event itself."""

    number: float
    """NaN for a value that is kept as a reference."""


class Points(NamedTuple):
    """All values of a block, in the order of the file or by tag."""

    rows: npt.NDArray[np.int64]
    """The record of each value."""

    tags: npt.NDArray[np.int32]
    indices: npt.NDArray[np.int32]
    numbers: npt.NDArray[np.float64]

    def by_tag(self) -> Points:
        """These sorted by tag, those of one tag in the order they had."""
        # Sorting is several times faster on 16-bit numbers, and few runs have more tags than they can count.
        few = not len(self.tags) or self.tags.max() < 1 << 16
        order = np.argsort(self.tags.astype(np.uint16) if few else self.tags, kind="stable")
        return self._taken(order)

    def without(self, records: Sequence[int]) -> Points:
        """These but for those of some records."""
        return self._taken(np.flatnonzero(~np.isin(self.rows, records)))

    def _taken(self, which: npt.NDArray[np.intp]) -> Points:
        return Points(self.rows[which], self.tags[which], self.indices[which], self.numbers[which])


def gather(
    records: int,
    matched: Sequence[tuple[Matched, npt.NDArray[np.int32]]],
    readings: Mapping[int, Sequence[Reading]],
) -> Points:
    """Put values in the order of the file, whichever way they were read.

    Args:
        records: How many records the block has.
        matched: Records read in bulk, and the tag number of each value of each template, int32[templates, values].
        readings: By record, the values that protobuf read.
    """
    counts = np.zeros(records, np.int64)
    for match, _ in matched:
        counts[match.rows] = len(match.values)
    for row, values in readings.items():
        counts[row] = len(values)
    places = np.cumsum(counts) - counts
    total = int(counts.sum())
    tags, indices, numbers = np.empty(total, np.int32), np.empty(total, np.int32), np.empty(total)
    for match, numbered in matched:
        for index, column in enumerate(match.values):
            where = places[match.rows] + index
            tags[where], indices[where], numbers[where] = numbered[match.templates, index], index, column
    for row, values in readings.items():
        for place, reading in enumerate(values, int(places[row])):
            tags[place], indices[place], numbers[place] = reading.tag, reading.index, reading.number
    return Points(np.repeat(np.arange(records), counts), tags, indices, numbers)


def split(
    points: Points,
    tags: RunTags,
    block: RecordBlock,
    steps: npt.NDArray[np.int64],
    wall_times: npt.NDArray[np.float64],
) -> tuple[dict[str, ScalarColumns], dict[str, ReferenceColumns]]:
    """Cut values into columns by tag, each in the order of the file.

    Args:
        points: The values, by tag.
        tags: The run's tags, which say what is a scalar.
        block: The records.
        steps: int64[records].
        wall_times: float64[records], seconds since the epoch.
    """
    rows, numbers = points.rows, points.numbers
    steps, wall_times = steps[rows], wall_times[rows]
    counts = np.bincount(points.tags, minlength=len(tags))
    ends = np.cumsum(counts)
    scalars: dict[str, ScalarColumns] = {}
    references: dict[str, ReferenceColumns] = {}
    for tag in np.flatnonzero(counts).tolist():
        part = slice(int(ends[tag] - counts[tag]), int(ends[tag]))
        name = tags.infos[tag].tag
        if tags.is_scalar(tag):
            scalars[name] = ScalarColumns(steps[part], wall_times[part], numbers[part])
        else:
            where = rows[part]
            references[name] = ReferenceColumns(
                steps[part], wall_times[part], block.offsets[where], block.lengths[where], points.indices[part]
            )
    return scalars, references
