"""Decode the records of many runs at once, each run as a whole.

A block holds all records of some runs that were never read before. One step of numpy works on all of them, so the cost
follows the bytes, not the number of runs, files or tags. Runs that log the same tags in the same order share the order
in which their points are stored, and their tags.

A run with anything unusual is not decoded: a wrong checksum, a wall time that is not a number, a number that protobuf
has to decode. `RunDecoder` decodes such a run, and gives the same for all others.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tbtui.events.block import DecodeWarnings, ReferenceColumns, TagSet
from tbtui.events.decoder import SCALARS, ProtobufDecoder, TagRegistry
from tbtui.events.event_patterns import EventPatterns
from tbtui.events.file_templates import FileTemplates
from tbtui.events.record_columns import FileFacts, FileRecords
from tbtui.events.scalar_tails import TailCache
from tbtui.events.versions import WALL_BYTES, WALL_KEY, read_rest
from tbtui.events.wire import view_words
from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import numpy.typing as npt

    from tbtui.events.block import TagInfo
    from tbtui.events.event_patterns import KnownEvent
    from tbtui.tfrecord.file_batches import FileBytes


MAX_SEQUENCES = 16
"""Maximum number of sequences of tags that are remembered."""

MAX_HEADS = 1000
"""Maximum number of different first events that are remembered; writers have a few."""

MAX_DECODED_RUNS = 512
"""Maximum number of runs that are decoded in one step, which bounds the memory that one of them keeps alive."""

MAX_SHAPE_BYTES = 4 << 20
"""Maximum size of the sequences of tails of the shapes that are remembered; the shapes take ten times as much."""

MAX_SHAPES = 256
"""Maximum number of shapes that are remembered; a search may have one for each combination of its words."""


class WholeRun(NamedTuple):
    """The content of a run."""

    tags: TagSet
    starts: npt.NDArray[np.int64]
    """Index of the first scalar of each tag, and the number of scalars, int64[tags + 1]."""

    steps: npt.NDArray[np.int64]
    wall_times: npt.NDArray[np.float64]
    """Seconds since the epoch."""

    values: npt.NDArray[np.float64]
    files: npt.NDArray[np.int32] | None
    """The file of each scalar; None: all are in the first one."""

    references: dict[str, tuple[ReferenceColumns, npt.NDArray[np.int32]]]
    """By tag: the positions of all other values, and their files; read-only."""

    has_ascending_steps: bool
    """True if the steps of all tags strictly ascend."""

    has_ascending_times: bool
    """True if the wall times of no tag descend."""

    has_rising_times: bool
    """True if the wall times of all tags strictly ascend and are finite."""

    facts: FileFacts


class _Sequence(NamedTuple):
    """The order in which the scalars of a run are stored: by tag, those of a tag in order of arrival."""

    selection: npt.NDArray[np.int64]
    """The record of each scalar."""

    starts: npt.NDArray[np.int64]
    infos: tuple[TagInfo, ...]
    """Metadata of each tag, from its first event, in order of first appearance."""

    first_rows: list[int]
    """The first record of each tag."""

    tags: TagSet


class _Single(NamedTuple):
    """A record that holds no scalar."""

    row: int
    rest: bytes
    """Its bytes after the wall time; empty if it does not begin with one."""

    event: KnownEvent | None
    """The result of `EventPatterns.find` for these bytes."""


@frozen(eq=False)
class _Shape:
    """The common part of runs that log alike: which record holds which value of which tag."""

    tags: TagSet
    starts: npt.NDArray[np.int64]
    """As in `WholeRun`."""

    selection: npt.NDArray[np.int64]
    """The record of each scalar, counted from the first one of the run."""

    is_boundary: npt.NDArray[np.bool_]
    """For each scalar and the next one: they are of different tags, bool[scalars - 1]."""

    others: npt.NDArray[np.int64]
    """The record of each other value, tag after tag."""

    references: tuple[tuple[str, slice, npt.NDArray[np.int32]], ...]
    """Each tag of other values, its part of `others`, and the index of each value in its event."""

    contents: tuple[tuple[int, int, slice], ...] = ()
    """Tags whose content differs between the runs: the index of the tag, and where the content is: the index of the
    single record, and the part of its bytes after the wall time."""


class WholeRunDecoder:
    """Decodes runs; remembers the tails of events and the tags of runs for the next ones.

    Args:
        pause: Called between two pieces of work of a few milliseconds; it may wait.
    """

    def __init__(self, pause: Callable[[], None] = lambda: None) -> None:
        self._pause = pause
        self._tails = TailCache()
        self._templates = FileTemplates(self._tails, pause)
        self._names = np.zeros(0, np.int32)
        """For each tag of the tails: the first one with the same name."""

        self._name_numbers: dict[str, int] = {}
        self._sequences: dict[bytes, _Sequence | None] = {}
        self._tag_sets: dict[tuple[int, ...], TagSet] = {}
        self._heads: dict[bytes, str | None] = {}
        """Writers by the bytes after the wall time of events that only give the version of the file."""

        self._events = EventPatterns()
        self._shapes: dict[tuple[object, ...], _Shape | None] = {}
        """By the tails of the records of a run, the positions of its single records, and what is known of these."""

        self._shape_bytes = 0

    def decode(self, files: FileBytes, run_begins: npt.NDArray[np.int64]) -> list[WholeRun | None]:
        """Return the content of each run; None for a run that has to be decoded in another way.

        Args:
            files: Bytes of the files of the runs.
            run_begins: Index of the first file of each run, and the number of files, int64[runs + 1].
        """
        framed, match, writers = self._templates.decode(files)
        self._pause()
        block = FileRecords(files, framed, match)
        bounds = np.searchsorted(framed.files, run_begins)
        heads, singles = self._read_singles(block, block.others)
        own_singles = np.searchsorted([single.row for single in singles], bounds).tolist()
        is_usable = block.are_usable(run_begins, framed)
        runs_by_shape: dict[_Shape, list[int]] = {}
        for run, (begin, end) in enumerate(pairwise(bounds.tolist())):
            if is_usable[run]:
                shape = self._find_shape(block, begin, end, singles[own_singles[run] : own_singles[run + 1]])
                if shape is not None:
                    runs_by_shape.setdefault(shape, []).append(run)
        facts = block.facts(heads, files, writers)
        decoded: list[WholeRun | None] = [None] * (len(run_begins) - 1)
        for shape, runs in runs_by_shape.items():
            for first in range(0, len(runs), MAX_DECODED_RUNS):
                self._pause()
                part = runs[first : first + MAX_DECODED_RUNS]
                contents = [
                    tuple(singles[own_singles[run] + single].rest[place] for _, single, place in shape.contents)
                    for run in part
                ]
                for run, whole_run in zip(
                    part, _decode_runs(block, shape, bounds, run_begins, part, contents, facts), strict=True
                ):
                    decoded[run] = whole_run
        return decoded

    def _read_singles(
        self, block: FileRecords, rows: npt.NDArray[np.int64]
    ) -> tuple[dict[int, str | None], list[_Single]]:
        """Return the events that hold no scalar, and fill in their wall times.

        Returns:
            The writer of each event that only gives the version of its file, and all other events.
        """
        writers: dict[int, str | None] = {}
        singles: list[_Single] = []
        data, starts = block.record_block.data.data, block.record_block.starts
        begins = starts[rows]
        has_wall = block.record_block.data[begins] == WALL_KEY
        timed = rows[has_wall]
        block.wall_times[timed] = view_words(block.record_block.data)[begins[has_wall] + 1].view(np.float64)
        ends = np.where(has_wall, begins + block.record_block.lengths[rows], 0)
        for row, begin, end in zip(rows.tolist(), (begins + WALL_BYTES).tolist(), ends.tolist(), strict=True):
            rest = data[begin:end].tobytes()
            if rest not in self._heads:
                event = self._events.find(rest)
                is_other = event is not None or not rest or len(self._heads) >= MAX_HEADS
                version = None if is_other else read_rest(rest)
                if version is None:
                    singles.append(_Single(row, rest, event))
                    continue
                self._heads[rest] = version.writer
            writers[row] = self._heads[rest]
        return writers, singles

    def _find_shape(self, block: FileRecords, begin: int, end: int, singles: Sequence[_Single]) -> _Shape | None:
        """Return the shape of a run; None if it has to be decoded in another way.

        Args:
            block: The records of all runs.
            begin: Its first record.
            end: The record after its last one.
            singles: Those of its records that hold no scalar.
        """
        tails = block.tails[begin:end]
        # An event may be known since another run of the block was decoded.
        events = [single.event or self._events.find(single.rest) for single in singles]
        for single, event in zip(singles, events, strict=True):
            if event is not None and event.step:
                block.steps[single.row] = event.step
        if None in events:
            # The content of an event that is known as a pattern is that of another run.
            whole = [None if event is None or event.content is not None else event for event in events]
            return self._create_shape(block, begin, tails, singles, whole)
        own_tails = tails.tobytes()
        key = (own_tails, *(single.row - begin for single in singles), *events)
        if key not in self._shapes:
            if len(self._shapes) >= MAX_SHAPES or self._shape_bytes >= MAX_SHAPE_BYTES:
                self._shapes.clear()
                self._shape_bytes = 0
            shape = self._create_shape(block, begin, tails, singles, events)
            self._shapes[key] = None if shape is None else _with_contents(shape, events)
            self._shape_bytes += len(own_tails)
        return self._shapes[key]

    def _create_shape(
        self,
        block: FileRecords,
        begin: int,
        tails: npt.NDArray[np.int32],
        singles: Sequence[_Single],
        events: Sequence[KnownEvent | None],
    ) -> _Shape | None:
        """Return the shape of a run, decoding its events that are not known."""
        sequence = self._find_sequence(tails)
        if sequence is None:
            return None
        tags, starts = sequence.tags, sequence.starts
        rows: list[int] = []
        references: list[tuple[str, slice, npt.NDArray[np.int32]]] = []
        if singles:
            registry = TagRegistry()
            values = _decode_singles(block, begin, singles, events, sequence, registry, self._events)
            if values is None:
                return None
            numbers = [registry.get(info.tag) for info in sequence.infos]
            if not all(map(registry.is_scalar, numbers)):
                return None
            counts = np.zeros(len(registry), np.int64)
            counts[numbers] = np.diff(starts)
            tags, starts = registry.tag_set, np.concatenate(([0], np.cumsum(counts)))
            positions: dict[int, list[tuple[int, int]]] = {}
            for row, tag_indices in values.items():
                for tag, index in tag_indices:
                    positions.setdefault(tag, []).append((row - begin, index))
            for tag, own in positions.items():
                part = slice(len(rows), len(rows) + len(own))
                rows += [row for row, _ in own]
                indices = np.array([index for _, index in own], np.int32)
                indices.flags.writeable = False
                references.append((registry.infos[tag].tag, part, indices))
        is_boundary = np.zeros(max(len(sequence.selection) - 1, 0), np.bool_)
        ends = starts[1:-1] - 1
        is_boundary[ends[(ends >= 0) & (ends < len(is_boundary))]] = True
        return _Shape(tags, starts, sequence.selection, is_boundary, np.array(rows, np.int64), tuple(references))

    def _find_sequence(self, tails: npt.NDArray[np.int32]) -> _Sequence | None:
        """Return the order in which a run with these tails is stored; None if a tail is not of a scalar tag."""
        key = tails.tobytes()
        if key not in self._sequences:
            if len(self._sequences) >= MAX_SEQUENCES:
                self._sequences.clear()
            self._sequences[key] = self._create_sequence(tails)
        return self._sequences[key]

    def _create_sequence(self, tails: npt.NDArray[np.int32]) -> _Sequence | None:
        rows = np.flatnonzero(tails >= 0)
        tails = tails[rows]
        names = self._name_of()[tails]
        first = np.full(len(self._names), -1)
        # Of several assignments to one element, the last one counts: that of the first row.
        first[names[::-1]] = np.arange(len(names))[::-1]
        present = np.flatnonzero(first >= 0)
        present = present[np.argsort(first[present])]
        rank = np.zeros(len(first), np.uint16 if len(present) < 1 << 16 else np.int64)
        rank[present] = np.arange(len(present))
        own = rank[names]
        starts = np.concatenate(([0], np.cumsum(np.bincount(own, minlength=len(present))))).astype(np.int64)
        numbers = tuple(tails[first[present]].tolist())
        infos = tuple(self._tails.infos[number] for number in numbers)
        if any(info.plugin_name != SCALARS for info in infos):
            return None
        tags = self._tag_sets.get(numbers)
        if tags is None:
            if len(self._tag_sets) >= MAX_SEQUENCES:
                self._tag_sets.clear()
            tags = self._tag_sets[numbers] = TagSet(infos)
        selection = rows[np.argsort(own, kind="stable")]
        return _Sequence(selection, starts, infos, rows[first[present]].tolist(), tags)

    def _name_of(self) -> npt.NDArray[np.int32]:
        """Return for each tag of the tails the first one with the same name."""
        known = len(self._names)
        infos = self._tails.infos
        if known < len(infos):
            new = [self._name_numbers.setdefault(info.tag, number) for number, info in enumerate(infos[known:], known)]
            self._names = np.concatenate((self._names, np.array(new, np.int32)))
        return self._names


def _with_contents(shape: _Shape, events: Iterable[KnownEvent | None]) -> _Shape:
    """Return the shape of runs with the same events, whose contents differ."""
    contents = []
    seen: set[str] = set()
    for single, event in enumerate(events):
        if event is not None:
            for info in event.infos:
                if event.content is not None and info.tag not in seen:
                    contents.append((shape.tags.numbers[info.tag], single, event.content))
                seen.add(info.tag)
    return replace(shape, contents=tuple(contents)) if contents else shape


class _FileColumns(NamedTuple):
    """The files of the values of a run; runs of one shape whose files have equally many records share them."""

    scalars: npt.NDArray[np.int32] | None
    """None: all are in the first one."""

    others: npt.NDArray[np.int32]

    @classmethod
    def of(cls, counts: npt.NDArray[np.int64], shape: _Shape) -> _FileColumns:
        """Return the columns of a run, given the number of records of each file."""
        files = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
        scalars, others = files[shape.selection], files[shape.others]
        scalars.flags.writeable = others.flags.writeable = False
        return cls(scalars if scalars.any() else None, others)


def _decode_runs(
    block: FileRecords,
    shape: _Shape,
    bounds: npt.NDArray[np.int64],
    run_begins: npt.NDArray[np.int64],
    runs: Sequence[int],
    contents: Sequence[tuple[bytes, ...]],
    facts: FileFacts,
) -> Iterator[WholeRun]:
    """Yield the content of runs of one shape.

    Args:
        block: The records of all runs.
        shape: The shape.
        bounds: The first record of each run.
        run_begins: The first file of each run.
        runs: Indices of the runs.
        contents: Those of `shape.contents` of each run.
        facts: Facts about all files.
    """
    begins = bounds[runs][:, None]
    scalars, others = begins + shape.selection, begins + shape.others
    steps, wall_times, numbers = block.steps[scalars], block.wall_times[scalars], block.numbers[scalars]
    has_ascending_steps = ((steps[:, 1:] > steps[:, :-1]) | shape.is_boundary).all(axis=1).tolist()
    has_ascending_times = ((wall_times[:, 1:] >= wall_times[:, :-1]) | shape.is_boundary).all(axis=1).tolist()
    is_rising = ((wall_times[:, 1:] > wall_times[:, :-1]) | shape.is_boundary).all(axis=1)
    has_rising_times = (is_rising & np.isfinite(wall_times).all(axis=1)).tolist()
    other_columns = (
        block.steps[others],
        block.wall_times[others],
        block.record_block.offsets[others],
        block.record_block.lengths[others],
    )
    first_files, last_files = run_begins[runs], run_begins[1:][runs]
    for column in (steps, wall_times, numbers, *other_columns):
        column.flags.writeable = False
    files_by_counts: dict[bytes, _FileColumns] = {}
    numbers_of_tags = [number for number, _, _ in shape.contents]
    for row, (first_file, last_file) in enumerate(zip(first_files.tolist(), last_files.tolist(), strict=True)):
        own = [column[row] for column in other_columns]
        counts = block.counts[first_file:last_file]
        key = counts.tobytes()
        if key not in files_by_counts:
            files_by_counts[key] = _FileColumns.of(counts, shape)
        files, other_files = files_by_counts[key]
        references = {
            tag: (ReferenceColumns(own[0][part], own[1][part], own[2][part], own[3][part], indices), other_files[part])
            for tag, part, indices in shape.references
        }
        tags = shape.tags.with_contents(dict(zip(numbers_of_tags, contents[row], strict=True)))
        yield WholeRun(
            tags,
            shape.starts,
            steps[row],
            wall_times[row],
            numbers[row],
            files,
            references,
            has_ascending_steps[row],
            has_ascending_times[row],
            has_rising_times[row],
            facts.part(first_file, last_file),
        )


def _decode_singles(
    block: FileRecords,
    begin: int,
    singles: Sequence[_Single],
    events: Sequence[KnownEvent | None],
    sequence: _Sequence,
    registry: TagRegistry,
    patterns: EventPatterns,
) -> dict[int, list[tuple[int, int]]] | None:
    """Decode some records of a run with protobuf, and register all its tags in order of first appearance.

    Returns:
        Tag and index of the values of each record; None if the run has to be decoded in another way.
    """
    warnings = DecodeWarnings()
    decoder = ProtobufDecoder(block.record_block, registry, warnings)
    values_by_row: dict[int, list[tuple[int, int]]] = {}
    known = list(zip(sequence.first_rows, sequence.infos, strict=True))[::-1]
    for (row, rest, _), known_event in zip(singles, events, strict=True):
        while known and known[-1][0] + begin < row:
            registry.of_info(known.pop()[1])
        if known_event is not None:
            values_by_row[row] = [(registry.of_info(info), index) for index, info in enumerate(known_event.infos)]
        else:
            event = decoder.parse(row)
            if event is None or math.isnan(event.wall_time):
                return None
            block.wall_times[row], block.steps[row] = event.wall_time, event.step
            decoder.read(row, event)
            values = decoder.result.values.get(row)
            if values is not None:
                values_by_row[row] = [(value.tag, value.index) for value in values]
            if rest:
                patterns.learn(event, rest)
    while known:
        registry.of_info(known.pop()[1])
    result = decoder.result
    if result.lost or result.writer is not None or warnings.damage():
        return None
    if any(registry.is_scalar(tag) for values in values_by_row.values() for tag, _ in values):
        return None
    return values_by_row
