"""What a block of records says: the frozen values that the events room hands to loading."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tbtui.frozen import frozen
from tbtui.tfrecord.file import Damage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from tbtui.events.decoder import TagRegistry
    from tbtui.events.templates import TemplateMatch
    from tbtui.tfrecord.framing import RecordBlock


@frozen
class TagInfo:
    """What the first value of a tag in a run says about all of that tag's values.

    TensorBoard keeps the first `SummaryMetadata` of a tag for ever, because writers strip it from later values.
    """

    tag: str
    plugin_name: str
    """The plugin after old formats were brought up to date; empty when the writer named none."""

    content: bytes = b""
    """The plugin's own metadata message, serialized."""

    data_class: int = 0
    """`SummaryMetadata.data_class`: 0 unknown, 1 scalar, 2 tensor, 3 blob sequence."""

    display_name: str = ""
    description: str = ""
    """Markdown."""


class ScalarColumns(NamedTuple):
    """Values of one scalar tag in the order of the file."""

    steps: npt.NDArray[np.int64]
    wall_times: npt.NDArray[np.float64]
    """Seconds since the epoch."""

    values: npt.NDArray[np.float64]


class ReferenceColumns(NamedTuple):
    """Where the values of one tag lie in the file, in the order of the file."""

    steps: npt.NDArray[np.int64]
    wall_times: npt.NDArray[np.float64]
    """Seconds since the epoch."""

    offsets: npt.NDArray[np.int64]
    """Byte offset in the file of the record's payload (the serialized `Event`)."""

    lengths: npt.NDArray[np.int64]
    """Bytes of that payload."""

    indices: npt.NDArray[np.int32]
    """Index in `Event.summary.value`; -1 when the event itself is the value (graphs, tagged run metadata)."""


@frozen(eq=False)
class EventBlock:
    """Everything that one block of records says."""

    records: int
    """How many events were read."""

    new_tags: tuple[TagInfo, ...] = ()
    """Tags that this run had not shown before, in order of appearance."""

    scalars: Mapping[str, ScalarColumns] = field(default_factory=dict)
    references: Mapping[str, ReferenceColumns] = field(default_factory=dict)
    first_wall_time: float | None = None
    """Wall time of the block's first event (any kind), seconds since the epoch; None when there is none."""

    last_wall_time: float | None = None
    file_version: str | None = None
    """The last `Event.file_version` seen in the block."""

    writer: str | None = None
    """`Event.source_metadata.writer` when given."""

    session_starts: tuple[tuple[int, float], ...] = ()
    """(step, wall_time) of each `SessionLog` START."""

    damage: tuple[Damage, ...] = ()


# Values of a block, read in bulk or one by one, put in order and cut into one set of columns a tag.


@frozen
class DecodedValue:
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


def merge_points(
    records: int,
    matched: Sequence[tuple[TemplateMatch, npt.NDArray[np.int32]]],
    readings: Mapping[int, Sequence[DecodedValue]],
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


def split_by_tag(
    points: Points,
    tags: TagRegistry,
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


# What could not be read of a block, gathered so that a million of the same trouble are one note.


@dataclass(slots=True)
class _Trouble:
    offset: int
    count: int = 0
    bytes_skipped: int = 0


@dataclass(slots=True)
class DecodeWarnings:
    """Troubles of one block by what they are; each becomes one `Damage` at the first place it was met."""

    _troubles: dict[tuple[str, str], _Trouble] = field(default_factory=dict)

    def add(self, kind: str, what: str, offset: int, bytes_skipped: int = 0, count: int = 1) -> None:
        """Note a trouble.

        Args:
            kind: `Damage.kind`.
            what: What is counted, in the plural: `records that hold no event`.
            offset: Byte offset in the file.
            bytes_skipped: 0 when what is there was used.
            count: How many of them.
        """
        trouble = self._troubles.setdefault((kind, what), _Trouble(offset))
        trouble.offset = min(trouble.offset, offset)
        trouble.count += count
        trouble.bytes_skipped += bytes_skipped

    def damage(self) -> tuple[Damage, ...]:
        """One `Damage` for each trouble, in the order of the file."""
        found = [
            Damage(kind, trouble.offset, trouble.bytes_skipped, f"{what}: {trouble.count:,}")
            for (kind, what), trouble in self._troubles.items()
        ]
        return tuple(sorted(found, key=lambda damage: damage.offset))
