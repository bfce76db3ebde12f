"""Blocks of records to what they say: scalars as columns, everything else as references."""

from __future__ import annotations

from heapq import heapify, heappop, heappush, merge
from typing import TYPE_CHECKING

import numpy as np

from tbtui.events.block import EventBlock
from tbtui.events.bulk import read_bulk
from tbtui.events.columns import gather, split
from tbtui.events.going_back import ReachedSteps, going_back, refused
from tbtui.events.notes import Notes
from tbtui.events.outline import outline
from tbtui.events.rounds import foresee
from tbtui.events.shapes import ShapeCache
from tbtui.events.single import SingleReader
from tbtui.events.tags import RunTags
from tbtui.events.trust import Trust

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    import numpy.typing as npt

    from tbtui.events.block import TagInfo
    from tbtui.events.bulk import Matched
    from tbtui.events.columns import Points
    from tbtui.events.rounds import Rounds
    from tbtui.records.block import RecordBlock


class RunDecoder:
    """Decodes the blocks of one run, in the order of its files.

    A decoder remembers the tags that the run has shown, for the first value of a tag says what all of them are, and how
    far their steps are. A record that shows a new tag, or goes back to a step that was reached, is compared with its
    checksum; one that is wrong is passed over.
    """

    def __init__(self, shapes: ShapeCache | None = None, *, check_payloads: bool = False, whole: bool = False) -> None:
        """Create a decoder for one run.

        Args:
            shapes: Templates of scalar events, to be shared by all runs.
            check_payloads: Compare every payload that is read with its checksum, not only those that cannot be decoded.
            whole: All bytes are to be read, also those of long payloads of which a part tells enough.
        """
        self.outline = None if whole else outline
        """Says of a long payload what a decoder needs to know; None when it is to be handed all of it."""

        self._tags = RunTags()
        self._shapes = ShapeCache() if shapes is None else shapes
        self._check_payloads = check_payloads
        self.has_right = False
        """See `Trust`."""

        self._reached = ReachedSteps()
        self._rounds: Rounds | None = None

    @property
    def care(self) -> int:
        """How closely is looked: 0 at what is read, 1 at its checksums too, 2 at all bytes and their checksums."""
        return int(self._check_payloads) * (1 + (self.outline is None))

    @property
    def tags(self) -> tuple[TagInfo, ...]:
        """What is known of the run's tags, in order of appearance."""
        return tuple(self._tags.infos)

    def learn(self, infos: Iterable[TagInfo], reached: Mapping[str, int], *, has_right: bool) -> None:
        """Take over what another decoder has seen in the run's files up to where this one begins.

        Args:
            infos: Its `tags`.
            reached: The step of the last point of each tag that has one.
            has_right: As it is there.
        """
        for info in infos:
            self._tags.of_info(info)
        self._reached.learn(reached)
        self.has_right = has_right

    def decode(self, block: RecordBlock, is_right: Callable[[int], bool] | None = None) -> EventBlock:
        """Everything that one block of records says. Never raises: what cannot be read becomes `damage`.

        Args:
            block: The records.
            is_right: Whether a record of which only an outline was read matches its checksum; never raises. Without it
                such records are believed.
        """
        if self._rounds is not None:
            foreseen = self._rounds.read(
                block, self._reached, check_payloads=self._check_payloads, check_returns=self.has_right
            )
            if foreseen is not None:
                self._rounds = self._rounds.behind(len(block))
                self._reached.put(foreseen.scalars)
                return foreseen
        known = len(self._tags)
        steps, wall_times = np.zeros(len(block), np.int64), np.zeros(len(block))
        matched = read_bulk(block, self._shapes, wall_times, steps, check_payloads=self._check_payloads)
        notes = Notes()
        trust = Trust(block, has_right=self.has_right, is_right=is_right)
        reader = SingleReader(block, self._tags, notes, trust)
        numbered = [self._tags_of(match) for match in matched]
        self._read_singly(reader, matched, numbered, wall_times, steps)
        seen, self.has_right = reader.seen, trust.has_right
        if seen.lost:
            left = [match.without(np.array(seen.lost)) for match in matched]
            matched = [match for match in left if len(match.rows)]
        if seen.lost or len(self._tags) > known:
            numbered = [self._tags_of(match) for match in matched]
        self._rounds = foresee(block, matched, self._tags)
        points = gather(len(block), list(zip(matched, numbered, strict=True)), seen.readings)
        points = self._believed(points, steps, trust, reader)
        scalars, references = split(points, self._tags, block, steps, wall_times)
        self._reached.put(scalars)
        self._reached.put(references)
        times = np.delete(wall_times, seen.lost)
        wall_times[seen.lost] = 0.0
        self._note_times(block, wall_times, notes)
        if self._check_payloads:
            self._note_checksums(block, matched, set(seen.lost), notes)
        times = times[~np.isnan(times)]
        return EventBlock(
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

    def _believed(self, points: Points, steps: npt.NDArray[np.int64], trust: Trust, reader: SingleReader) -> Points:
        """Values by tag, without those of wrong records that would take the place of others.

        Args:
            points: In the order of the file.
            steps: Of each record.
            trust: In the records of the block.
            reader: Is told which are refused.
        """
        ordered = points.by_tag()
        back = going_back(ordered, self._tags, self._reached, steps, trust.repeats)
        if not len(back) or trust.may_all_hide(back):
            return ordered
        lost = list(refused(points, self._tags, self._reached, steps, trust.repeats, trust.may_hide))
        for row in lost:
            reader.refuse(row)
        return ordered.without(lost)

    def _read_singly(
        self,
        reader: SingleReader,
        matched: Sequence[Matched],
        numbered: Sequence[npt.NDArray[np.int32]],
        wall_times: npt.NDArray[np.float64],
        steps: npt.NDArray[np.int64],
    ) -> None:
        """Read the records that were not read in bulk, and the first one of every tag new to the run, in order."""
        single = np.ones(len(steps), np.bool_)
        for match in matched:
            single[match.rows] = False
        showing = _rows_of_new_tags(matched, numbered, reader.seen.lost)
        for row in merge(np.flatnonzero(single).tolist(), showing):
            event = reader.parse(row)
            if event is None:
                continue
            if single[row]:
                wall_times[row], steps[row] = event.wall_time, event.step
                reader.read(row, event)
            else:
                reader.learn_tags(row, event)

    def _tags_of(self, match: Matched) -> npt.NDArray[np.int32]:
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
    def _note_times(block: RecordBlock, wall_times: npt.NDArray[np.float64], notes: Notes) -> None:
        wrong = np.flatnonzero(np.isnan(wall_times))
        if len(wrong):
            notes.add("nan_wall_time", "events whose wall time is not a number", block.offset(wrong[0]), 0, len(wrong))

    @staticmethod
    def _note_checksums(block: RecordBlock, matched: Sequence[Matched], lost: AbstractSet[int], notes: Notes) -> None:
        """Note payloads that differ from their checksum though they could be decoded."""
        what = "records that do not match their checksum but could be read"
        unknown = np.ones(len(block), np.bool_)
        wrong: list[int] = []
        for match in matched:
            if match.wrong is not None:
                unknown[match.rows] = False
                wrong += match.wrong.tolist()
        wrong += block.mismatches(np.flatnonzero(unknown)).tolist()
        for row in wrong:
            if row not in lost:
                notes.add("payload_checksum", what, block.offset(row))


def _rows_of_new_tags(
    matched: Sequence[Matched], numbered: Sequence[npt.NDArray[np.int32]], lost: Sequence[int]
) -> Iterator[int]:
    """The first record of every template that has a tag which the run has not shown, in order.

    Args:
        matched: Records read in bulk.
        numbered: The run's numbers for the tags of each template; -1 for those not shown.
        lost: Grows when the record that came last is not to be believed: then another one of its template comes.
    """
    waiting = [
        (int(rows[0]), map(int, rows[1:]))
        for match, tags in zip(matched, numbered, strict=True)
        for rows in _rows_by_template(match, np.flatnonzero((tags < 0).any(axis=1)))
    ]
    heapify(waiting)
    while waiting:
        row, behind = heappop(waiting)
        yield row
        if lost and lost[-1] == row and (following := next(behind, None)) is not None:
            heappush(waiting, (following, behind))


def _rows_by_template(match: Matched, templates: npt.NDArray[np.intp]) -> Iterator[npt.NDArray[np.int64]]:
    """The records of some templates, of which each has one at least."""
    if len(templates):
        order = np.argsort(match.templates, kind="stable")
        ends = np.cumsum(np.bincount(match.templates))
        for template in templates.tolist():
            yield match.rows[order[ends[template - 1] if template else 0 : ends[template]]]
