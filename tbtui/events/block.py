"""The decoded content of a block of records, as the decoder passes it to the loader."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
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
    """Metadata of a tag in a run, from the first value of the tag.

    TensorBoard keeps the first `SummaryMetadata` of a tag for ever, because writers strip it from later values.
    """

    tag: str
    plugin_name: str
    """The plugin, after the upgrade of old formats; empty if the writer named none."""

    content: bytes = b""
    """The plugin's own metadata message, serialized."""

    data_class: int = 0
    """`SummaryMetadata.data_class`: 0 unknown, 1 scalar, 2 tensor, 3 blob sequence."""

    display_name: str = ""
    description: str = ""
    """Markdown."""


_FIELDS_OF_INFO = attrgetter("tag", "plugin_name", "content", "data_class", "display_name", "description")


@frozen(eq=False, slots=False)
class TagSet:
    """The tags of a run in order of first appearance. Runs that log alike share one, which is compared by identity."""

    infos: tuple[TagInfo, ...]
    alike: TagSet | None = None
    """A set with the same names, whose index is used."""

    changed: tuple[int, ...] = ()
    """The tags whose metadata differ from those in `alike`."""

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the tags."""
        return tuple(info.tag for info in self.infos) if self.alike is None else self.alike.names

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The index of each tag."""
        if self.alike is not None:
            return self.alike.numbers
        return {info.tag: number for number, info in enumerate(self.infos)}

    def with_contents(self, contents: Mapping[int, bytes]) -> TagSet:
        """Return the same tags, some of them with other contents; by the index of the tag."""
        if not contents:
            return self
        infos = list(self.infos)
        for number, content in contents.items():
            tag, plugin_name, _, data_class, display_name, description = _FIELDS_OF_INFO(infos[number])
            infos[number] = TagInfo(tag, plugin_name, content, data_class, display_name, description)
        return TagSet(tuple(infos), self, tuple(contents))


class ScalarColumns(NamedTuple):
    """Values of one scalar tag in the order of the file."""

    steps: npt.NDArray[np.int64]
    wall_times: npt.NDArray[np.float64]
    """Seconds since the epoch."""

    values: npt.NDArray[np.float64]


class ReferenceColumns(NamedTuple):
    """Positions of the values of one tag, in the order of the file."""

    steps: npt.NDArray[np.int64]
    wall_times: npt.NDArray[np.float64]
    """Seconds since the epoch."""

    offsets: npt.NDArray[np.int64]
    """Byte offset in the file of the record's payload (the serialized `Event`)."""

    lengths: npt.NDArray[np.int64]
    """Bytes of that payload."""

    indices: npt.NDArray[np.int32]
    """Index in `Event.summary.value`; -1 if the event itself is the value (graphs, tagged run metadata)."""


@frozen(eq=False)
class EventBlock:
    """The decoded content of one block of records."""

    records: int
    """Number of decoded events."""

    new_tags: tuple[TagInfo, ...] = ()
    """Tags that are new to the run, in order of appearance."""

    scalars: Mapping[str, ScalarColumns] = field(default_factory=dict)
    references: Mapping[str, ReferenceColumns] = field(default_factory=dict)
    first_wall_time: float | None = None
    """Wall time of the first event of any kind, seconds since the epoch; None without events."""

    last_wall_time: float | None = None
    file_version: str | None = None
    """The last `Event.file_version` seen in the block."""

    writer: str | None = None
    """`Event.source_metadata.writer`."""

    session_starts: tuple[tuple[int, float], ...] = ()
    """(step, wall_time) of each `SessionLog` START."""

    damage: tuple[Damage, ...] = ()


@frozen
class DecodedValue:
    """One value of an event that protobuf decoded."""

    tag: int
    """Number of the tag in the run."""

    index: int
    """Index in `Event.summary.value`; -1 for the event itself."""

    number: float
    """NaN for a value that becomes a reference."""


class Points(NamedTuple):
    """All values of a block, in the order of the file or by tag."""

    rows: npt.NDArray[np.int64]
    """The record of each value."""

    tags: npt.NDArray[np.int32]
    indices: npt.NDArray[np.int32]
    numbers: npt.NDArray[np.float64]

    def by_tag(self) -> Points:
        """Return the points sorted by tag; the points of one tag keep their order."""
        # Sorting is several times faster on 16-bit numbers, and few runs have more than 65,536 tags.
        few = not len(self.tags) or self.tags.max() < 1 << 16
        order = np.argsort(self.tags.astype(np.uint16) if few else self.tags, kind="stable")
        return self._select(order)

    def without(self, records: Sequence[int]) -> Points:
        """Return the points without those of some records."""
        return self._select(np.flatnonzero(~np.isin(self.rows, records)))

    def _select(self, selected: npt.NDArray[np.intp]) -> Points:
        return Points(self.rows[selected], self.tags[selected], self.indices[selected], self.numbers[selected])


def merge_points(
    records: int,
    matched: Sequence[tuple[TemplateMatch, npt.NDArray[np.int32]]],
    decoded: Mapping[int, Sequence[DecodedValue]],
) -> Points:
    """Return the values of templates and of protobuf in the order of the file.

    Args:
        records: Number of records in the block.
        matched: Records that match templates, and the tag number of each value of each template,
            int32[templates, values].
        decoded: By record, the values that protobuf decoded.
    """
    counts = np.zeros(records, np.int64)
    for match, _ in matched:
        counts[match.rows] = len(match.values)
    for row, values in decoded.items():
        counts[row] = len(values)
    begins = np.cumsum(counts) - counts
    total = int(counts.sum())
    tags, indices, numbers = np.empty(total, np.int32), np.empty(total, np.int32), np.empty(total)
    for match, numbered in matched:
        for index, column in enumerate(match.values):
            rows = begins[match.rows] + index
            tags[rows], indices[rows], numbers[rows] = numbered[match.templates, index], index, column
    for row, values in decoded.items():
        for position, value in enumerate(values, int(begins[row])):
            tags[position], indices[position], numbers[position] = value.tag, value.index, value.number
    return Points(np.repeat(np.arange(records), counts), tags, indices, numbers)


def split_by_tag(
    points: Points,
    tags: TagRegistry,
    block: RecordBlock,
    steps: npt.NDArray[np.int64],
    wall_times: npt.NDArray[np.float64],
) -> tuple[dict[str, ScalarColumns], dict[str, ReferenceColumns]]:
    """Split values into columns by tag, each in the order of the file.

    Args:
        points: The values, sorted by tag.
        tags: The tags of the run.
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
        points_of_tag = slice(int(ends[tag] - counts[tag]), int(ends[tag]))
        name = tags.infos[tag].tag
        if tags.is_scalar(tag):
            scalars[name] = ScalarColumns(steps[points_of_tag], wall_times[points_of_tag], numbers[points_of_tag])
        else:
            records = rows[points_of_tag]
            references[name] = ReferenceColumns(
                steps[points_of_tag],
                wall_times[points_of_tag],
                block.offsets[records],
                block.lengths[records],
                points.indices[points_of_tag],
            )
    return scalars, references


@dataclass(slots=True)
class _Warning:
    offset: int
    count: int = 0
    bytes_skipped: int = 0


@dataclass(slots=True)
class DecodeWarnings:
    """Warnings of one block; a million of one kind become one `Damage`, at the lowest offset."""

    _warnings: dict[tuple[str, str], _Warning] = field(default_factory=dict)

    def add(self, kind: str, noun: str, offset: int, bytes_skipped: int = 0, count: int = 1) -> None:
        """Add a warning.

        Args:
            kind: `Damage.kind`.
            noun: Counted things, in the plural: `records that hold no event`.
            offset: Byte offset in the file.
            bytes_skipped: Number of bytes skipped; 0 if the record is used.
            count: Number of occurrences.
        """
        warning = self._warnings.setdefault((kind, noun), _Warning(offset))
        warning.offset = min(warning.offset, offset)
        warning.count += count
        warning.bytes_skipped += bytes_skipped

    def damage(self) -> tuple[Damage, ...]:
        """Return one `Damage` for each warning, in the order of the file."""
        warnings = [
            Damage(kind, warning.offset, warning.bytes_skipped, f"{noun}: {warning.count:,}")
            for (kind, noun), warning in self._warnings.items()
        ]
        return tuple(sorted(warnings, key=lambda damage: damage.offset))
