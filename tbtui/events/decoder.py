"""Decode blocks of records: scalars become columns, everything else becomes references."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from heapq import merge
from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.events.block import DecodedValue, DecodeWarnings, EventBlock, merge_points, split_by_tag
from tbtui.events.compat import graph_infos, tag_info, tag_of
from tbtui.events.partial_event import read_partial_event
from tbtui.events.repeating_batches import find_pattern
from tbtui.events.schema import PARSE_ERRORS, message, text
from tbtui.events.templates import TemplateCache, match_templates
from tbtui.events.tensors import scalar_of
from tbtui.tfrecord.framing import OVERHEAD_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import numpy.typing as npt

    from tbtui.events.block import Points, TagInfo
    from tbtui.events.repeating_batches import BatchPattern
    from tbtui.events.templates import TemplateMatch
    from tbtui.tfrecord.framing import RecordBlock


# Reading events one by one with protobuf, the judge of all faster ways.


CHECKSUM_MISMATCHES = "records that do not match their checksum"
_SESSION_START = 1
"""`SessionLog.status`."""


@dataclass(slots=True)
class ProtobufResult:
    """What the events of a block that protobuf read say."""

    readings: dict[int, list[DecodedValue]] = field(default_factory=dict)
    """By record, the values."""

    lost: list[int] = field(default_factory=list)
    """Records that cannot be decoded, or whose payload does not match its checksum."""

    file_version: str | None = None
    writer: str | None = None
    session_starts: list[tuple[int, float]] = field(default_factory=list)


class ProtobufDecoder:
    """Reads single events of one block."""

    def __init__(self, block: RecordBlock, tags: TagRegistry, notes: DecodeWarnings) -> None:
        self.seen = ProtobufResult()
        self._block = block
        self._tags = tags
        self._notes = notes
        self._event = message("Event")
        self._misfits: list[int] = []
        """The tags of scalars for which the event that is being read has something else."""

    def parse(self, row: int) -> Any | None:
        """Return the event of a record; None, after a report, if it cannot be decoded."""
        try:
            return self._event.FromString(self._block.payload(row))
        except PARSE_ERRORS:
            self._lose(row, "undecodable", "records that hold no event")
            return None

    def learn_tags(self, event: Any) -> None:
        """Register the tags of an event's values."""
        for value in event.summary.value:
            self._tags.of_value(value)

    def read(self, row: int, event: Any) -> None:
        """Take everything that an event says."""
        what = event.WhichOneof("what")
        if what == "summary":
            readings = [self._reading(index, value) for index, value in enumerate(event.summary.value)]
        else:
            readings = [self._graph(info) for info in graph_infos(event)]
        misfits, self._misfits = self._misfits, []
        if what != "summary":
            self._read_session(event, what)
        kept = [reading for reading in readings if reading is not None]
        if kept:
            self.seen.readings[row] = kept
        for tag in misfits:
            self._note_misfit(row, tag)

    def refuse(self, row: int) -> None:
        """Report a record whose payload does not match its checksum, and skip it."""
        self._lose(row, "payload_checksum", CHECKSUM_MISMATCHES)

    def _lose(self, row: int, kind: str, what: str) -> None:
        self._notes.add(kind, what, self._block.offset(row), OVERHEAD_BYTES + int(self._block.lengths[row]))
        self.seen.lost.append(row)

    def _reading(self, index: int, value: Any) -> DecodedValue | None:
        tag = self._tags.of_value(value)
        if not self._tags.is_scalar(tag):
            return DecodedValue(tag, index, math.nan)
        kind = value.WhichOneof("value")
        number = value.simple_value if kind == "simple_value" else None
        if kind == "tensor":
            number = scalar_of(value.tensor)
        if number is None:
            self._misfits.append(tag)
            return None
        return DecodedValue(tag, index, number)

    def _graph(self, info: Any) -> DecodedValue | None:
        tag = self._tags.of_info(info)
        if self._tags.is_scalar(tag):
            self._misfits.append(tag)
            return None
        return DecodedValue(tag, -1, math.nan)

    def _note_misfit(self, row: int, tag: int) -> None:
        name = self._tags.infos[tag].tag
        self._notes.add("undecodable", f"values of scalar tag {name!r:.80} that are no number", self._block.offset(row))

    def _read_session(self, event: Any, what: str | None) -> None:
        if what == "file_version":
            self.seen.file_version = text(event.file_version)
        elif what == "session_log" and event.session_log.status == _SESSION_START:
            self.seen.session_starts.append((event.step, event.wall_time))
        if event.source_metadata.writer:
            self.seen.writer = text(event.source_metadata.writer)


# The tags that one run has shown, numbered in order of appearance.


SCALARS = "scalars"
"""The plugin whose values are kept as numbers."""


class TagRegistry:
    """What the first value of each tag said; later values of the tag are read by it, whatever metadata they carry."""

    def __init__(self) -> None:
        self.infos: list[TagInfo] = []
        self._numbers: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self.infos)

    def get(self, tag: str) -> int:
        """The number of a tag, -1 when the run has not shown it."""
        return self._numbers.get(tag, -1)

    def is_scalar(self, number: int) -> bool:
        """Whether values of a tag are numbers."""
        return self.infos[number].plugin_name == SCALARS

    def of_value(self, value: Any) -> int:
        """The number of a `SummaryValue`'s tag, which becomes known by it if it is new."""
        number = self._numbers.get(tag_of(value))
        return self._add(tag_info(value)) if number is None else number

    def of_info(self, info: TagInfo) -> int:
        """The number of a tag that an event itself is a value of."""
        number = self._numbers.get(info.tag)
        return self._add(info) if number is None else number

    def _add(self, info: TagInfo) -> int:
        self._numbers[info.tag] = len(self.infos)
        self.infos.append(info)
        return len(self.infos) - 1


_NO_STEP = int(np.iinfo(np.int64).min)
"""Stands for the last step of a tag without points."""


class RunDecoder:
    """Decodes the blocks of one run, in the order of its files.

    A record counts if its payload matches its checksum; any other is reported as damage. There is one exception: a
    writer may not compute checksums, and TensorBoard shows what it wrote (the data server's default is
    `--no-checksum`, `cli.rs`). Until the first payload of a file matches, its records are used and reported.

    A decoder remembers the tags of the run, since the first value of a tag defines all of them, and the last step of
    each tag.
    """

    def __init__(self, shapes: TemplateCache | None = None, *, whole: bool = False) -> None:
        """Create a decoder for one run.

        Args:
            shapes: Templates of scalar events, to be shared by all runs.
            whole: Read all bytes, also those of large payloads of which an outline is enough.
        """
        self.read_partial = None if whole else read_partial_event
        """Reads the needed part of a large payload; None if the decoder needs all of it."""

        self.verified_files: set[int] = set()
        """Files in which a payload has matched its checksum, so that their writer computes checksums."""

        self._tags = TagRegistry()
        self._shapes = TemplateCache() if shapes is None else shapes
        self._last_steps: dict[str, int] = {}
        self._rounds: BatchPattern | None = None

    @property
    def tags(self) -> tuple[TagInfo, ...]:
        """The tags of the run, in order of appearance."""
        return tuple(self._tags.infos)

    def learn(self, infos: Iterable[TagInfo], last_steps: Mapping[str, int], verified_files: Iterable[int]) -> None:
        """Take over the state of another decoder of the run.

        Args:
            infos: Its `tags`.
            last_steps: The step of the last point of each tag that has one.
            verified_files: Its `verified_files`.
        """
        for info in infos:
            self._tags.of_info(info)
        self._last_steps.update(last_steps)
        self.verified_files.update(verified_files)

    def decode(self, block: RecordBlock, file: int = 0, is_valid: Callable[[int], bool] | None = None) -> EventBlock:
        """Return everything that one block of records says. Never raises: what cannot be read becomes `damage`.

        Args:
            block: The records.
            file: Index of their file in the run.
            is_valid: Reads a record of which only an outline was read, and returns True if its payload matches its
                checksum; never raises. Without it such records are used.
        """
        if self._rounds is not None:
            foreseen = self._rounds.read(block)
            if foreseen is not None:
                self._rounds = self._rounds.behind(len(block))
                self.verified_files.add(file)
                self._note_steps(foreseen)
                return foreseen
        known = len(self._tags)
        steps, wall_times = np.zeros(len(block), np.int64), np.zeros(len(block))
        matched = match_templates(block, self._shapes, wall_times, steps)
        notes = DecodeWarnings()
        lost = self._wrong_records(block, file, matched, notes)
        if len(lost):
            left = [match.without(lost) for match in matched]
            matched = [match for match in left if len(match.rows)]
        reader = ProtobufDecoder(block, self._tags, notes)
        reader.seen.lost.extend(lost.tolist())
        numbered = [self._tags_of(match) for match in matched]
        self._read_singly(reader, matched, numbered, wall_times, steps)
        seen = reader.seen
        if len(self._tags) > known:
            numbered = [self._tags_of(match) for match in matched]
        self._rounds = find_pattern(block, matched, self._tags)
        points = merge_points(len(block), list(zip(matched, numbered, strict=True)), seen.readings)
        if block.partial_payloads and is_valid is not None:
            points = self._without_wrong_restarts(points, block, steps, is_valid, reader)
        scalars, references = split_by_tag(points.by_tag(), self._tags, block, steps, wall_times)
        times = np.delete(wall_times, seen.lost)
        wall_times[seen.lost] = 0.0
        self._note_times(block, wall_times, notes)
        times = times[~np.isnan(times)]
        events = EventBlock(
            records=len(block) - len(seen.lost),
            new_tags=tuple(self._tags.infos[known:]),
            scalars=scalars,
            references=references,
            first_wall_time=float(times[0]) if len(times) else None,
            last_wall_time=float(times[-1]) if len(times) else None,
            file_version=seen.file_version,
            writer=seen.writer,
            session_starts=tuple(seen.session_starts),
            damage=notes.damage(),
        )
        self._note_steps(events)
        return events

    def _wrong_records(
        self, block: RecordBlock, file: int, matched: Sequence[TemplateMatch], notes: DecodeWarnings
    ) -> npt.NDArray[np.int64]:
        """Return the records that do not count because their payload does not match its checksum, and report them."""
        unknown = np.ones(len(block), np.bool_)
        is_wrong = np.zeros(len(block), np.bool_)
        for match in matched:
            unknown[match.rows] = False
            is_wrong[match.wrong] = True
        is_wrong[block.mismatches(np.flatnonzero(unknown))] = True
        is_verified = ~is_wrong
        is_verified[list(block.partial_payloads)] = False
        first = 0 if file in self.verified_files else int(np.argmax(is_verified)) if is_verified.any() else len(block)
        if is_verified.any():
            self.verified_files.add(file)
        wrong = np.flatnonzero(is_wrong)
        for row in wrong[wrong < first].tolist():
            notes.add("payload_checksum", "records without a valid checksum that are used", block.offset(row))
        lost = wrong[wrong >= first]
        for row in lost.tolist():
            size = OVERHEAD_BYTES + int(block.lengths[row])
            notes.add("payload_checksum", CHECKSUM_MISMATCHES, block.offset(row), size)
        return lost

    def _without_wrong_restarts(
        self,
        points: Points,
        block: RecordBlock,
        steps: npt.NDArray[np.int64],
        is_valid: Callable[[int], bool],
        reader: ProtobufDecoder,
    ) -> Points:
        """Drop damaged records with a decreasing step of which only an outline was read.

        Such a record preempts the points logged since, as after a restart: it is read whole and compared. One that
        only repeats the last step is not: it hides one value at most, and a writer that counts no steps has no others.

        Args:
            points: All values of the block, in the order of the file.
            block: The records.
            steps: int64[records].
            is_valid: As for `decode`.
            reader: Reports the damaged records.
        """
        last = np.array([self._last_steps.get(info.tag, _NO_STEP) for info in self._tags.infos], np.int64)
        lost: set[int] = set()
        right: set[int] = set()
        for row, tag in zip(points.rows.tolist(), points.tags.tolist(), strict=True):
            if row in block.partial_payloads and row not in right and steps[row] < last[tag] and row not in lost:
                (right if is_valid(row) else lost).add(row)
            if row not in lost:
                last[tag] = steps[row]
        for row in sorted(lost):
            reader.refuse(row)
        return points.without(sorted(lost)) if lost else points

    def _note_steps(self, events: EventBlock) -> None:
        for columns in (events.scalars, events.references):
            for tag, points in columns.items():
                self._last_steps[tag] = points.steps.item(-1)

    def _read_singly(
        self,
        reader: ProtobufDecoder,
        matched: Sequence[TemplateMatch],
        numbered: Sequence[npt.NDArray[np.int32]],
        wall_times: npt.NDArray[np.float64],
        steps: npt.NDArray[np.int64],
    ) -> None:
        """Read the records that were not read in bulk, and the first one of every tag new to the run, in order."""
        single = np.ones(len(steps), np.bool_)
        single[reader.seen.lost] = False
        for match in matched:
            single[match.rows] = False
        showing = sorted(
            int(rows[0])
            for match, tags in zip(matched, numbered, strict=True)
            for rows in _rows_by_template(match, np.flatnonzero((tags < 0).any(axis=1)))
        )
        for row in merge(np.flatnonzero(single).tolist(), showing):
            event = reader.parse(row)
            if event is None:
                continue
            if single[row]:
                wall_times[row], steps[row] = event.wall_time, event.step
                reader.read(row, event)
            else:
                reader.learn_tags(event)

    def _tags_of(self, match: TemplateMatch) -> npt.NDArray[np.int32]:
        """The run's numbers for the tags of each template, int32[templates, values].

        Tags that the run has not shown are -1. Templates without a record are left at 0: other runs may have taught
        thousands of them.
        """
        layout = match.layout
        numbered = np.zeros((len(layout.tags), len(layout.numbers)), np.int32)
        used = np.flatnonzero(np.bincount(match.templates))
        numbered[used] = [[self._tags.get(tag) for tag in layout.tags[template]] for template in used.tolist()]
        return numbered

    @staticmethod
    def _note_times(block: RecordBlock, wall_times: npt.NDArray[np.float64], notes: DecodeWarnings) -> None:
        wrong = np.flatnonzero(np.isnan(wall_times))
        if len(wrong):
            notes.add("nan_wall_time", "events whose wall time is not a number", block.offset(wrong[0]), 0, len(wrong))


def _rows_by_template(match: TemplateMatch, templates: npt.NDArray[np.intp]) -> Iterator[npt.NDArray[np.int64]]:
    """The records of some templates, of which each has one at least."""
    if len(templates):
        order = np.argsort(match.templates, kind="stable")
        ends = np.cumsum(np.bincount(match.templates))
        for template in templates.tolist():
            yield match.rows[order[ends[template - 1] if template else 0 : ends[template]]]
