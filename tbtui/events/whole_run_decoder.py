"""Decode the records of many runs at once, each run as a whole.

A block holds all records of some runs that were never read before. One step of numpy works on all of them, so the cost
follows the bytes, not the number of runs, files or tags. Runs that log the same tags in the same order share the order
in which their points are stored, and their tags.

A run with anything unusual is not decoded: a wrong checksum, a wall time that is not a number, a number that protobuf
has to decode. `RunDecoder` decodes such a run, and gives the same for all others.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tbtui.events.block import DecodeWarnings, ReferenceColumns, TagSet
from tbtui.events.compat import tag_info
from tbtui.events.decoder import SCALARS, ProtobufDecoder, TagRegistry
from tbtui.events.file_templates import VERSION, FileTemplates
from tbtui.events.scalar_tails import UNKNOWN, TailCache
from tbtui.events.versions import WALL_BYTES, WALL_KEY, read_rest
from tbtui.events.wire import words_in
from tbtui.tfrecord.file_batches import last_records
from tbtui.tfrecord.framing import RecordBlock, find_mismatches

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    from tbtui.events.block import TagInfo
    from tbtui.events.scalar_tails import TailMatch
    from tbtui.tfrecord.file_batches import FileBytes, FramedFiles

MAX_SEQUENCES = 16
"""Maximum number of sequences of tags that are remembered."""

MAX_EVENTS = 64
"""Maximum number of events without numbers that are remembered; runs of a search share some."""

MAX_NEW_EVENTS = 4096
"""Maximum number of events of which the hash is remembered, because they were seen once."""

MAX_HEADS = 1000
"""Maximum number of different first events that are remembered; writers have a few."""


class WholeFileFacts(NamedTuple):
    """Facts about the records of one file."""

    records: int
    first_wall_time: float | None
    """Seconds since the epoch; None without records."""

    last_wall_time: float | None
    writer: str | None
    last_record: bytes
    """Header and footer of the last record; empty without records."""


class FileFacts(NamedTuple):
    """Facts about the records of n files."""

    records: list[int]
    first_wall_times: list[float | None]
    last_wall_times: list[float | None]
    writers: list[str | None]
    last_records: list[bytes]

    def of(self, number: int) -> WholeFileFacts:
        """Return the facts about one file."""
        records, firsts, lasts, writers, ends = self
        return WholeFileFacts(records[number], firsts[number], lasts[number], writers[number], ends[number])

    def part(self, begin: int, end: int) -> FileFacts:
        """Return the facts about some files."""
        records, firsts, lasts, writers, ends = self
        return FileFacts(records[begin:end], firsts[begin:end], lasts[begin:end], writers[begin:end], ends[begin:end])

    def extended(self, count: int) -> FileFacts:
        """Return the same facts with those of `count` files that were not read."""
        records, firsts, lasts, writers, ends = self
        none: list[None] = [None] * count
        return FileFacts(
            [*records, *([0] * count)], [*firsts, *none], [*lasts, *none], [*writers, *none], [*ends, *([b""] * count)]
        )


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
    """By tag: the positions of all other values, and their files."""

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


class _Event(NamedTuple):
    """An event that only holds values that are no scalars."""

    step: int
    infos: tuple[TagInfo, ...]
    """Metadata of the tag of each value."""


class WholeRunDecoder:
    """Decodes runs; remembers the tails of events and the tags of runs for the next ones."""

    def __init__(self) -> None:
        self._tails = TailCache()
        self._templates = FileTemplates(self._tails)
        self._names = np.zeros(0, np.int32)
        """For each tag of the tails: the first one with the same name."""

        self._name_numbers: dict[str, int] = {}
        self._sequences: dict[bytes, _Sequence | None] = {}
        self._tag_sets: dict[tuple[int, ...], TagSet] = {}
        self._heads: dict[bytes, str | None] = {}
        """Writers by the bytes after the wall time of events that only give the version of the file."""

        self._events = _KnownEvents()

    def decode(self, files: FileBytes, run_begins: npt.NDArray[np.int64]) -> list[WholeRun | None]:
        """Return the content of each run; None for a run that has to be decoded in another way.

        Args:
            files: Bytes of the files of the runs.
            run_begins: Index of the first file of each run, and the number of files, int64[runs + 1].
        """
        framed, match, writers = self._templates.decode(files)
        block = _Block(files, framed, match)
        bounds = np.searchsorted(framed.files, run_begins).tolist()
        others = block.others
        heads = self._read_heads(block, others)
        is_usable = block.are_usable(run_begins, framed)
        other_rows = others.tolist()
        position = 0
        runs: list[WholeRun | None] = []
        for run, (begin, end) in enumerate(pairwise(bounds)):
            stop = position
            while stop < len(other_rows) and other_rows[stop] < end:
                stop += 1
            singles = [row for row in other_rows[position:stop] if row not in heads]
            position = stop
            first, last = int(run_begins[run]), int(run_begins[run + 1])
            whole_run = self._decode_run(block, begin, end, singles, (first, last)) if is_usable[run] else None
            runs.append(whole_run)
        facts = block.facts(heads, files, writers)
        return [
            None if whole_run is None else whole_run._replace(facts=facts.part(first, last))
            for whole_run, (first, last) in zip(runs, pairwise(run_begins.tolist()), strict=True)
        ]

    def _read_heads(self, block: _Block, rows: npt.NDArray[np.int64]) -> dict[int, str | None]:
        """Return the writer of each event that only gives the version of its file, and fill in its wall time."""
        writers: dict[int, str | None] = {}
        data, starts = block.record_block.data.data, block.record_block.starts
        begins = starts[rows]
        has_wall = block.record_block.data[begins] == WALL_KEY
        rows, begins = rows[has_wall], begins[has_wall]
        ends = begins + block.record_block.lengths[rows]
        block.wall_times[rows] = words_in(block.record_block.data)[begins + 1].view(np.float64)
        for row, begin, end in zip(rows.tolist(), (begins + WALL_BYTES).tolist(), ends.tolist(), strict=True):
            rest = data[begin:end].tobytes()
            if rest not in self._heads:
                version = read_rest(rest) if len(self._heads) < MAX_HEADS else None
                if version is None:
                    continue
                self._heads[rest] = version.writer
            writers[row] = self._heads[rest]
        return writers

    def _decode_run(
        self, block: _Block, begin: int, end: int, singles: Sequence[int], files: tuple[int, int]
    ) -> WholeRun | None:
        """Return the content of a run.

        Args:
            block: The records of all runs.
            begin: Its first record.
            end: The record after its last one.
            singles: Those of its records that protobuf decodes.
            files: Index of its first file, and of the file after its last one.
        """
        sequence = self._sequence(block.tails[begin:end])
        if sequence is None:
            return None
        tags, starts = sequence.tags, sequence.starts
        references: dict[str, tuple[ReferenceColumns, npt.NDArray[np.int32]]] = {}
        if singles:
            registry = TagRegistry()
            values = _decode_singles(block, begin, singles, sequence, registry, self._events)
            if values is None:
                return None
            counts = np.zeros(len(registry), np.int64)
            numbers = [registry.get(info.tag) for info in sequence.infos]
            if not all(map(registry.is_scalar, numbers)):
                return None
            counts[numbers] = np.diff(starts)
            tags, starts = registry.tag_set, np.concatenate(([0], np.cumsum(counts)))
            references = block.references(values, registry, files[0])
        rows = sequence.selection + begin
        own_files: npt.NDArray[np.int32] | None = None
        if files[1] - files[0] > 1:
            own_files = (block.files[rows] - files[0]).astype(np.int32)
            own_files = own_files if own_files.any() else None
        return WholeRun(
            tags,
            starts,
            block.steps[rows],
            block.wall_times[rows],
            block.numbers[rows],
            own_files,
            references,
            _NO_FACTS,
        )

    def _sequence(self, tails: npt.NDArray[np.int32]) -> _Sequence | None:
        """Return the order in which a run with these tails is stored; None if a tail is not of a scalar tag."""
        key = tails.tobytes()
        if key not in self._sequences:
            if len(self._sequences) >= MAX_SEQUENCES:
                self._sequences.clear()
            self._sequences[key] = self._new_sequence(tails)
        return self._sequences[key]

    def _new_sequence(self, tails: npt.NDArray[np.int32]) -> _Sequence | None:
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


class _Block:
    """The records of a block, as far as they are decoded."""

    def __init__(self, files: FileBytes, framed: FramedFiles, match: TailMatch) -> None:
        data, starts, lengths = files.data, framed.starts, framed.lengths
        self.files, self.tails, self.numbers = framed.files, match.tails, match.numbers
        self.steps, self.wall_times = match.steps, match.wall_times
        offsets = starts - files.begins[framed.files]
        self.record_block = RecordBlock(data, starts, lengths, offsets, (), at_end=True, truncated=False)
        self.others = np.flatnonzero(self.tails == UNKNOWN)
        """The records that protobuf decodes."""

        stored = words_in(data)[starts + lengths].astype(np.uint32)  # the low half of a word
        is_wrong = match.crcs != stored
        is_wrong[self.others] = False
        is_wrong[self.others[find_mismatches(data, starts[self.others], lengths[self.others])]] = True
        self._is_wrong = is_wrong
        self.tails[self.tails == VERSION] = UNKNOWN  # they hold no value

    def are_usable(self, run_begins: npt.NDArray[np.int64], framed: FramedFiles) -> list[bool]:
        """Return for each run if all its files are whole, and its checksums and wall times are valid."""
        left_out = np.concatenate(([0], np.cumsum(~framed.is_whole)))
        usable = left_out[run_begins[1:]] == left_out[run_begins[:-1]]
        wrong = np.flatnonzero(self._is_wrong | np.isnan(self.wall_times))
        if len(wrong):
            usable[np.searchsorted(run_begins, framed.files[wrong], side="right") - 1] = False
        return [bool(each) for each in usable]

    def facts(
        self,
        heads: dict[int, str | None],
        files: FileBytes,
        known: Iterable[tuple[npt.NDArray[np.int64], str | None]],
    ) -> FileFacts:
        """Return the facts about all files.

        Args:
            heads: The writer of each event that only gives the version of its file.
            files: Bytes of the files.
            known: Files and their writers.
        """
        begins = files.begins
        count = len(begins) - 1
        counts = np.bincount(self.files, minlength=count)
        writers: list[str | None] = [None] * count
        for numbers, name in known:
            if name is not None:
                for number in numbers.tolist():
                    writers[number] = name
        rows = list(heads)
        for file, writer in zip(self.files[rows].tolist(), heads.values(), strict=True):
            writers[file] = writers[file] or writer
        ends = np.cumsum(counts)
        has_records = counts > 0
        last = ends[has_records] - 1
        firsts, lasts = self.wall_times[(ends - counts)[has_records]].tolist(), self.wall_times[last].tolist()
        records = last_records(files.data, self.record_block.starts[last], self.record_block.lengths[last])
        if not has_records.all():
            firsts, lasts, records = (
                _spread(each, has_records, missing) for each, missing in ((firsts, None), (lasts, None), (records, b""))
            )
        return FileFacts(counts.tolist(), firsts, lasts, writers, records)

    def references(
        self, values: dict[int, list[tuple[int, int]]], registry: TagRegistry, first_file: int
    ) -> dict[str, tuple[ReferenceColumns, npt.NDArray[np.int32]]]:
        """Return the columns of the values that are no scalars, by tag.

        Args:
            values: Tag and index of the values of each record.
            registry: The tags of the run.
            first_file: Index of the first file of the run.
        """
        positions: dict[int, tuple[list[int], list[int]]] = {}
        for row, tag_indices in values.items():
            for tag, index in tag_indices:
                rows, indices = positions.setdefault(tag, ([], []))
                rows.append(row)
                indices.append(index)
        # The columns of all tags are taken at once; those of a tag are parts of them.
        own = np.array([row for rows, _ in positions.values() for row in rows], np.int64)
        steps, wall_times = self.steps[own], self.wall_times[own]
        offsets, lengths = self.record_block.offsets[own], self.record_block.lengths[own]
        files = (self.files[own] - first_file).astype(np.int32)
        references = {}
        begin = 0
        for tag, (rows, indices) in positions.items():
            part = slice(begin, begin + len(rows))
            columns = ReferenceColumns(
                steps[part], wall_times[part], offsets[part], lengths[part], np.array(indices, np.int32)
            )
            references[registry.infos[tag].tag] = columns, files[part]
            begin = part.stop
        return references


_NO_FACTS = FileFacts([], [], [], [], [])


def _spread(values: list[Any], is_present: npt.NDArray[np.bool_], missing: Any) -> list[Any]:
    """Return the next value for each True of `is_present`, and `missing` for each False."""
    following = iter(values)
    return [next(following) if is_held else missing for is_held in is_present.tolist()]


def _decode_singles(
    block: _Block,
    begin: int,
    rows: Sequence[int],
    sequence: _Sequence,
    registry: TagRegistry,
    known_events: _KnownEvents,
) -> dict[int, list[tuple[int, int]]] | None:
    """Decode some records of a run with protobuf, and register all its tags in order of first appearance.

    Returns:
        Tag and index of the values of each record; None if the run has to be decoded in another way.
    """
    warnings = DecodeWarnings()
    decoder = ProtobufDecoder(block.record_block, registry, warnings)
    values_by_row: dict[int, list[tuple[int, int]]] = {}
    known = list(zip(sequence.first_rows, sequence.infos, strict=True))[::-1]
    for row in rows:
        while known and known[-1][0] + begin < row:
            registry.of_info(known.pop()[1])
        payload = block.record_block.payload(row)
        rest = payload[WALL_BYTES:] if payload[:1] == bytes((WALL_KEY,)) else b""
        known_event = known_events.events.get(rest)
        if known_event is not None:
            # Its wall time was found with those of the heads.
            block.steps[row] = known_event.step
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
                known_events.note(event, rest)
    while known:
        registry.of_info(known.pop()[1])
    result = decoder.result
    if result.lost or result.writer is not None or warnings.damage():
        return None
    if any(registry.is_scalar(tag) for values in values_by_row.values() for tag, _ in values):
        return None
    return values_by_row


class _KnownEvents:
    """Events that only hold values that are no scalars, and that several runs share."""

    def __init__(self) -> None:
        self.events: dict[bytes, _Event] = {}
        """By the bytes after the wall time."""

        self._seen: set[int] = set()
        """Hashes of the bytes of events that were seen once. Most are never seen again, such as hyperparameters."""

    def note(self, event: Any, rest: bytes) -> None:
        """Remember an event when it is seen for the second time."""
        if hash(rest) not in self._seen:
            if len(self._seen) >= MAX_NEW_EVENTS:
                self._seen.clear()
            self._seen.add(hash(rest))
            return
        if event.WhichOneof("what") != "summary" or event.source_metadata.writer or not event.wall_time:
            return
        # The first field is a wall time. Without it there is none: no later field counts as the wall time.
        if type(event).FromString(rest).wall_time:
            return
        infos = tuple(map(tag_info, event.summary.value))
        if not infos or any(info.plugin_name == SCALARS for info in infos):
            return
        if len(self.events) >= MAX_EVENTS:
            self.events.clear()
        self.events[rest] = _Event(event.step, infos)
