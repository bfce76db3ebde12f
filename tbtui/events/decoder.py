"""Decode blocks of records: scalars become columns, all other values become references."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, field
from heapq import merge
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tbtui.events.block import DecodedValue, DecodeWarnings, EventBlock, TagSet, merge_points, split_by_tag
from tbtui.events.compat import list_graph_infos, tag_info, tag_of
from tbtui.events.partial_event import read_partial_event
from tbtui.events.repeating_batches import find_pattern
from tbtui.events.schema import PARSE_ERRORS, decode_text, get_message_class
from tbtui.events.templates import TemplateCache, match_templates
from tbtui.events.tensors import read_scalar
from tbtui.tfrecord.file import CHECKSUM_MISMATCHES
from tbtui.tfrecord.framing import OVERHEAD_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import numpy.typing as npt

    from tbtui.events.block import Points, TagInfo
    from tbtui.events.repeating_batches import BatchPattern
    from tbtui.events.templates import TemplateMatch
    from tbtui.tfrecord.framing import RecordBlock


_SESSION_START = 1
"""`SessionLog.status`."""


@dataclass(slots=True)
class ProtobufResult:
    """The content of the events of a block that protobuf decoded."""

    values: dict[int, list[DecodedValue]] = field(default_factory=dict)
    """The values of each record."""

    lost: list[int] = field(default_factory=list)
    """Records that cannot be decoded, or whose payload does not match its checksum."""

    file_version: str | None = None
    writer: str | None = None
    session_starts: list[tuple[int, float]] = field(default_factory=list)


class ProtobufDecoder:
    """Decodes single events of one block with protobuf; all faster ways must give the same result."""

    def __init__(self, block: RecordBlock, tags: TagRegistry, warnings: DecodeWarnings) -> None:
        self.result = ProtobufResult()
        self._block = block
        self._tags = tags
        self._warnings = warnings
        self._event_class = get_message_class("Event")
        self._misfits: list[int] = []
        """Scalar tags for which the current event has a value that is not a number."""

    def parse(self, row: int) -> Any | None:
        """Return the event of a record; None, after a report, if it cannot be decoded."""
        try:
            return self._event_class.FromString(self._block.payload(row))
        except PARSE_ERRORS:
            self._report_lost(row, "undecodable", "records that hold no event")
            return None

    def learn_tags(self, event: Any) -> None:
        """Register the tags of an event's values."""
        for value in event.summary.value:
            self._tags.of_value(value)

    def read(self, row: int, event: Any) -> None:
        """Add the content of an event to the result."""
        what = event.WhichOneof("what")
        if what == "summary":
            values = [self._decode_value(index, value) for index, value in enumerate(event.summary.value)]
        else:
            values = [self._decode_graph(info) for info in list_graph_infos(event)]
        misfits, self._misfits = self._misfits, []
        if what != "summary":
            self._read_session(event, what)
        decoded = [value for value in values if value is not None]
        if decoded:
            self.result.values[row] = decoded
        for tag in misfits:
            self._note_misfit(row, tag)

    def refuse(self, row: int) -> None:
        """Report a record whose payload does not match its checksum, and skip it."""
        self._report_lost(row, "payload_checksum", CHECKSUM_MISMATCHES)

    def _report_lost(self, row: int, kind: str, noun: str) -> None:
        self._warnings.add(kind, noun, self._block.offset(row), OVERHEAD_BYTES + int(self._block.lengths[row]))
        self.result.lost.append(row)

    def _decode_value(self, index: int, value: Any) -> DecodedValue | None:
        tag = self._tags.of_value(value)
        if not self._tags.is_scalar(tag):
            return DecodedValue(tag, index, math.nan)
        kind = value.WhichOneof("value")
        number = value.simple_value if kind == "simple_value" else None
        if kind == "tensor":
            number = read_scalar(value.tensor)
        if number is None:
            self._misfits.append(tag)
            return None
        return DecodedValue(tag, index, number)

    def _decode_graph(self, info: Any) -> DecodedValue | None:
        tag = self._tags.of_info(info)
        if self._tags.is_scalar(tag):
            self._misfits.append(tag)
            return None
        return DecodedValue(tag, -1, math.nan)

    def _note_misfit(self, row: int, tag: int) -> None:
        name = self._tags.infos[tag].tag
        self._warnings.add(
            "undecodable", f"values of scalar tag {name!r:.80} that are not numbers", self._block.offset(row)
        )

    def _read_session(self, event: Any, what: str | None) -> None:
        if what == "file_version":
            self.result.file_version = decode_text(event.file_version)
        elif what == "session_log" and event.session_log.status == _SESSION_START:
            self.result.session_starts.append((event.step, event.wall_time))
        if event.source_metadata.writer:
            self.result.writer = decode_text(event.source_metadata.writer)


SCALARS = "scalars"
"""The plugin whose values are stored as numbers."""

UNKNOWN_FILE = sys.maxsize
"""The file of a tag whose first value may be in any file."""


class TagRegistry:
    """The tags of one run, numbered in order of appearance.

    The metadata of the first value of a tag apply to all its values, whatever metadata these carry: the first value of
    the first file that has the tag, in the order of the files. If an earlier file gains a tag that a later file had
    before it, with other metadata, the registry is outdated.
    """

    def __init__(self, known: TagSet | None = None) -> None:
        """Create a registry, of the known tags; they are not copied before another one is added."""
        self._shared = known
        self.infos: Sequence[TagInfo] = [] if known is None else known.infos
        self._numbers: dict[str, int] = {} if known is None else known.numbers
        self.file = 0
        """Index of the file whose values are registered."""

        self._files: dict[int, int] = {}
        """The file of the first value of each tag by its number; nothing for tags whose file is unknown. A list for all
        tags of each of a thousand runs took 80 MB, and the garbage collector 20 ms to look through it."""

        self.is_outdated = False

    def put_files(self, files: Mapping[str, int]) -> None:
        """Set the file of the first value of each tag."""
        for tag, file in files.items():
            self._files[self._numbers[tag]] = file

    def is_first_in(self, file: int, number: int) -> bool:
        """Return True if a known tag was not seen in this file or an earlier one."""
        return self._files.get(number, UNKNOWN_FILE) > file

    @property
    def tag_set(self) -> TagSet:
        """The tags so far."""
        if self._shared is None:
            return TagSet(tuple(self.infos))
        return self._shared

    def __len__(self) -> int:
        return len(self.infos)

    def get(self, tag: str) -> int:
        """Return the number of a tag; -1 if it is not known."""
        return self._numbers.get(tag, -1)

    def is_scalar(self, number: int) -> bool:
        """Return True if the values of a tag are numbers."""
        return self.infos[number].plugin_name == SCALARS

    def of_value(self, value: Any) -> int:
        """Return the number of the tag of a `SummaryValue`; add the tag if it is new."""
        number = self._numbers.get(tag_of(value))
        if number is not None and self._files.get(number, UNKNOWN_FILE) <= self.file:
            return number
        return self.of_info(tag_info(value))

    def of_info(self, info: TagInfo) -> int:
        """Return the number of a tag; add the tag if it is new."""
        number = self._numbers.get(info.tag)
        if number is None:
            return self._add(info)
        if self._files.get(number, UNKNOWN_FILE) > self.file:
            self._files[number] = self.file
            self.is_outdated |= info != self.infos[number]
        return number

    def _add(self, info: TagInfo) -> int:
        if self._shared is not None or not isinstance(self.infos, list):
            self.infos, self._numbers, self._shared = list(self.infos), dict(self._numbers), None
        number = self._numbers[info.tag] = len(self.infos)
        self.infos.append(info)
        self._files[number] = self.file
        return number


_NO_STEP = int(np.iinfo(np.int64).min)
"""The last step of a tag without points."""


class TagProgress(NamedTuple):
    """The first file and the last step of each tag that has points, as another decoder has found them."""

    first_files: Mapping[str, int]
    last_steps: Mapping[str, int]


class RunDecoder:
    """Decodes the blocks of one run, in the order of its files.

    A record counts if its payload matches its checksum; any other is reported as damage. There is one exception: some
    writers compute no checksums, and TensorBoard shows their values (the data server's default is `--no-checksum`,
    `cli.rs`). Until the first payload of a file matches, its records are used and reported.

    A decoder remembers the tags of the run, since the first value of a tag defines all of them, and the last step of
    each tag. It may find that it had to begin with another file (`is_outdated`).
    """

    def __init__(self, templates: TemplateCache | None = None, *, whole: bool = False) -> None:
        """Create a decoder for one run.

        Args:
            templates: Templates of scalar events, shared by all runs.
            whole: Read large payloads whole, also if a part is enough.
        """
        self.read_partial = None if whole else read_partial_event
        """Reads the needed part of a large payload; None if the decoder needs all of it."""

        self.verified_files: set[int] = set()
        """Files in which a payload has matched its checksum, so that their writer computes checksums."""

        self._tags = TagRegistry()
        self._templates = TemplateCache() if templates is None else templates
        self._last_steps: dict[str, int] = {}
        self._read_progress: Callable[[], TagProgress] | None = None
        """Returns the progress of another decoder."""

        self._pattern: BatchPattern | None = None
        self._last_file = 0
        """The last of the files, in their order, of which something was decoded."""

    @property
    def is_outdated(self) -> bool:
        """True if a tag has other metadata in a file before the one that defined it: decode the run anew, in order."""
        return self._tags.is_outdated

    @property
    def tags(self) -> TagSet:
        """The tags of the run, in order of appearance."""
        return self._tags.tag_set

    def learn(self, tags: TagSet, read_progress: Callable[[], TagProgress], verified_files: Iterable[int]) -> None:
        """Take over the state of another decoder of the run, before anything is decoded.

        Args:
            tags: Its `tags`.
            read_progress: Returns its progress with each tag; called if more is decoded.
            verified_files: Its `verified_files`.
        """
        self._tags = TagRegistry(tags)
        self._read_progress = read_progress
        self.verified_files.update(verified_files)

    def decode(self, block: RecordBlock, file: int = 0, is_valid: Callable[[int], bool] | None = None) -> EventBlock:
        """Return the content of one block of records. Never raises: records that cannot be decoded become `damage`.

        Args:
            block: The records.
            file: Index of their file in the run.
            is_valid: Reads a partially read record whole, and returns True if its payload matches its checksum;
                never raises. Without it such records are used.
        """
        if self._read_progress is not None:
            progress, self._read_progress = self._read_progress(), None
            self._last_steps.update(progress.last_steps)
            self._tags.put_files(progress.first_files)
            self._last_file = max(file, *progress.first_files.values(), 0)
        self._tags.file = file
        is_earlier = file < self._last_file
        self._last_file = max(file, self._last_file)
        if self._pattern is not None and not is_earlier:
            predicted = self._pattern.read(block)
            if predicted is not None:
                self._pattern = self._pattern.rotate(len(block))
                self.verified_files.add(file)
                self._update_last_steps(predicted)
                return predicted
        known = len(self._tags)
        steps, wall_times = np.zeros(len(block), np.int64), np.zeros(len(block))
        matched = match_templates(block, self._templates, wall_times, steps)
        warnings = DecodeWarnings()
        lost, unverified = self._find_invalid_records(block, file, matched, warnings)
        if len(lost):
            left = [match.without(lost) for match in matched]
            matched = [match for match in left if len(match.rows)]
        decoder = ProtobufDecoder(block, self._tags, warnings)
        decoder.result.lost.extend(lost.tolist())
        numbered = [self._number_tags(match) for match in matched]
        first_in = [self._are_first_in(file, tags) if is_earlier else tags < 0 for tags in numbered]
        self._decode_singly(decoder, matched, first_in, wall_times, steps)
        result = decoder.result
        for row in sorted(set(unverified.tolist()).difference(result.lost)):
            warnings.add("payload_checksum", "records without a valid checksum that are used", block.offset(row))
        if len(self._tags) > known:
            numbered = [self._number_tags(match) for match in matched]
        self._pattern = find_pattern(block, matched, self._tags)
        points = merge_points(len(block), list(zip(matched, numbered, strict=True)), result.values)
        if block.partial_payloads and is_valid is not None:
            points = self._drop_invalid_restarts(points, block, steps, is_valid, decoder)
        scalars, references = split_by_tag(points.by_tag(), self._tags, block, steps, wall_times)
        times = np.delete(wall_times, result.lost)
        wall_times[result.lost] = 0.0
        self._warn_nan_times(block, wall_times, warnings)
        times = times[~np.isnan(times)]
        events = EventBlock(
            records=len(block) - len(result.lost),
            new_tags=tuple(self._tags.infos[known:]),
            scalars=scalars,
            references=references,
            first_wall_time=float(times[0]) if len(times) else None,
            last_wall_time=float(times[-1]) if len(times) else None,
            file_version=result.file_version,
            writer=result.writer,
            session_starts=tuple(result.session_starts),
            damage=warnings.damage(),
        )
        self._update_last_steps(events)
        return events

    def _find_invalid_records(
        self, block: RecordBlock, file: int, matched: Sequence[TemplateMatch], warnings: DecodeWarnings
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return the records that do not count, which are reported here, and those used without a valid checksum."""
        unknown = np.ones(len(block), np.bool_)
        is_wrong = np.zeros(len(block), np.bool_)
        for match in matched:
            unknown[match.rows] = False
            is_wrong[match.wrong] = True
        is_wrong[block.find_mismatches(np.flatnonzero(unknown))] = True
        is_verified = ~is_wrong
        is_verified[list(block.partial_payloads)] = False
        first = 0 if file in self.verified_files else int(np.argmax(is_verified)) if is_verified.any() else len(block)
        if is_verified.any():
            self.verified_files.add(file)
        wrong = np.flatnonzero(is_wrong)
        lost = wrong[wrong >= first]
        for row in lost.tolist():
            size = OVERHEAD_BYTES + int(block.lengths[row])
            warnings.add("payload_checksum", CHECKSUM_MISMATCHES, block.offset(row), size)
        return lost, wrong[wrong < first]

    def _drop_invalid_restarts(
        self,
        points: Points,
        block: RecordBlock,
        steps: npt.NDArray[np.int64],
        is_valid: Callable[[int], bool],
        decoder: ProtobufDecoder,
    ) -> Points:
        """Drop partially read records that have a decreasing step and a wrong checksum.

        Such a record preempts the points logged since, as after a restart: it is read whole and verified. A record
        that only repeats the last step is not verified: it hides at most one value, and a writer that counts no steps
        writes no other records.

        Args:
            points: All values of the block, in the order of the file.
            block: The records.
            steps: int64[records].
            is_valid: As for `decode`.
            decoder: Reports the damaged records.
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
            decoder.refuse(row)
        return points.without(sorted(lost)) if lost else points

    def _update_last_steps(self, events: EventBlock) -> None:
        for columns in (events.scalars, events.references):
            for tag, points in columns.items():
                self._last_steps[tag] = points.steps.item(-1)

    def _decode_singly(
        self,
        decoder: ProtobufDecoder,
        matched: Sequence[TemplateMatch],
        are_first: Sequence[npt.NDArray[np.bool_]],
        wall_times: npt.NDArray[np.float64],
        steps: npt.NDArray[np.int64],
    ) -> None:
        """Decode the records that match no template, and the first record of some tags, in order.

        Args:
            decoder: Decodes them.
            matched: The records that match a template.
            are_first: For each layout: the tags to register, bool[templates, values].
            wall_times: Filled in for the records that match no template.
            steps: Filled in for the same records.
        """
        single = np.ones(len(steps), np.bool_)
        single[decoder.result.lost] = False
        for match in matched:
            single[match.rows] = False
        first_of_tag = sorted(
            int(rows[0])
            for match, is_first in zip(matched, are_first, strict=True)
            for rows in _iter_rows_by_template(match, np.flatnonzero(is_first.any(axis=1)))
        )
        for row in merge(np.flatnonzero(single).tolist(), first_of_tag):
            event = decoder.parse(row)
            if event is None:
                continue
            if single[row]:
                wall_times[row], steps[row] = event.wall_time, event.step
                decoder.read(row, event)
            else:
                decoder.learn_tags(event)

    def _are_first_in(self, file: int, numbered: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
        """Return True for the tags that are new, or known from later files alone; the shape is that of `numbered`."""
        known = np.unique(numbered[numbered >= 0])
        later = [number for number in known.tolist() if self._tags.is_first_in(file, number)]
        return np.asarray((numbered < 0) | np.isin(numbered, later))

    def _number_tags(self, match: TemplateMatch) -> npt.NDArray[np.int32]:
        """Return the run's numbers for the tags of each template, int32[templates, values].

        Tags that are new to the run are -1. Templates without a record stay 0: other runs may have added thousands.
        """
        layout = match.layout
        numbered = np.zeros((len(layout.tags), len(layout.numbers)), np.int32)
        used = np.flatnonzero(np.bincount(match.templates))
        numbered[used] = [[self._tags.get(tag) for tag in layout.tags[template]] for template in used.tolist()]
        return numbered

    @staticmethod
    def _warn_nan_times(block: RecordBlock, wall_times: npt.NDArray[np.float64], warnings: DecodeWarnings) -> None:
        wrong = np.flatnonzero(np.isnan(wall_times))
        if len(wrong):
            warnings.add(
                "nan_wall_time", "events whose wall time is not a number", block.offset(wrong[0]), 0, len(wrong)
            )


def _iter_rows_by_template(match: TemplateMatch, templates: npt.NDArray[np.intp]) -> Iterator[npt.NDArray[np.int64]]:
    """Yield the records of each of some templates; each has at least one record."""
    if len(templates):
        order = np.argsort(match.templates, kind="stable")
        ends = np.cumsum(np.bincount(match.templates))
        for template in templates.tolist():
            yield match.rows[order[ends[template - 1] if template else 0 : ends[template]]]
