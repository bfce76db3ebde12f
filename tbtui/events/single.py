"""Reading events one by one with protobuf, the judge of all faster ways."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tbtui.events.columns import Reading
from tbtui.events.compat import graph_infos
from tbtui.events.messages import PARSE_ERRORS, message, text
from tbtui.events.tensors import scalar_of
from tbtui.records.block import OVERHEAD_BYTES

if TYPE_CHECKING:
    from tbtui.events.notes import Notes
    from tbtui.events.tags import RunTags
    from tbtui.records.block import RecordBlock

WRONG_PAYLOADS = "records that do not match their checksum"
_SESSION_START = 1
"""`SessionLog.status`."""


@dataclass(slots=True)
class Seen:
    """What the events of a block that protobuf read say."""

    readings: dict[int, list[Reading]] = field(default_factory=dict)
    """By record, the values."""

    lost: list[int] = field(default_factory=list)
    """Records that cannot be decoded, or whose payload does not match its checksum."""

    file_version: str | None = None
    writer: str | None = None
    session_starts: list[tuple[int, float]] = field(default_factory=list)


class SingleReader:
    """Reads single events of one block."""

    def __init__(self, block: RecordBlock, tags: RunTags, notes: Notes) -> None:
        self.seen = Seen()
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
        self._lose(row, "payload_checksum", WRONG_PAYLOADS)

    def _lose(self, row: int, kind: str, what: str) -> None:
        self._notes.add(kind, what, self._block.offset(row), OVERHEAD_BYTES + int(self._block.lengths[row]))
        self.seen.lost.append(row)

    def _reading(self, index: int, value: Any) -> Reading | None:
        tag = self._tags.of_value(value)
        if not self._tags.is_scalar(tag):
            return Reading(tag, index, math.nan)
        kind = value.WhichOneof("value")
        number = value.simple_value if kind == "simple_value" else None
        if kind == "tensor":
            number = scalar_of(value.tensor)
        if number is None:
            self._misfits.append(tag)
            return None
        return Reading(tag, index, number)

    def _graph(self, info: Any) -> Reading | None:
        tag = self._tags.of_info(info)
        if self._tags.is_scalar(tag):
            self._misfits.append(tag)
            return None
        return Reading(tag, -1, math.nan)

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
