"""One event file that is followed while it grows: what was read of it, and its health."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from tbtui.loading.file_problems import DamageList, empty_problem, truncated_problem, unreadable_problem
from tbtui.store.snapshot import EventFile, Problem
from tbtui.tfrecord.checksum import LENGTH_BYTES
from tbtui.tfrecord.file import CHECKSUM_MISMATCHES, UNREADABLE_BYTES, Damage, open_file
from tbtui.tfrecord.framing import FOOTER_BYTES, HEADER_BYTES, OVERHEAD_BYTES
from tbtui.tfrecord.reader import FileReplaced, RecordReader
from tbtui.tfrecord.reader_state import Anchor, ReaderState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tbtui.events.block import EventBlock
    from tbtui.events.record_columns import WholeFileFacts
    from tbtui.loading.cache.format import FileIndex
    from tbtui.tfrecord.framing import RecordBlock
    from tbtui.tfrecord.partial_records import PartialReader


_EMPTY_FILE_SUFFIX = ".profile-empty"
"""Such files only make their directory a run, for the profiler. (TensorBoard's `io_wrapper.py`)"""

_PAYLOAD_DAMAGE_KINDS = frozenset({"payload_checksum", "undecodable"})
"""Kinds of damage that a wrong payload causes."""

_VERIFIED_BYTES = 2 << 20
"""Bytes compared at once."""

_MAX_MISMATCHED = 10_000

_POLLS_UNTIL_RETRY = 16
"""Polls between retries of bytes that could not be read or did not fit into memory. A read from a failing disk can take
seconds.
"""


class FollowedFile:
    """Polls a file and reads what has been appended.

    An unreadable file keeps what was read before and is tried again at each poll. A log directory may have tens of
    thousands of files, so a file that was read as a whole has a reader only when it has grown.
    """

    __slots__ = (
        "_damage",
        "_failed_bytes",
        "_failure",
        "_first_wall_time",
        "_format",
        "_given_up",
        "_has_changed",
        "_has_partial",
        "_is_changed",
        "_is_regular",
        "_last_wall_time",
        "_made_reader",
        "_mismatched",
        "_polls",
        "_read_partial",
        "_records",
        "_rewritten",
        "_signature",
        "_status_of",
        "_truncated",
        "_unreadable",
        "_whole",
        "_writer",
        "caught_up",
        "gone",
        "path",
        "pending",
    )

    def __init__(
        self,
        path: str,
        *,
        read_partial: PartialReader | None = None,
        status_of: Callable[[str], os.stat_result] = os.stat,
    ) -> None:
        """Args: path: the file; read_partial: as for `RecordReader`; status_of: a stand-in for `os.stat`."""
        self.path = path
        self.pending = False
        """True if there is more to read now."""

        self.gone = False
        """True if the file was missing at the last poll."""

        self.caught_up = False
        """True if the file was read to its end once."""

        self._status_of = status_of
        self._read_partial = read_partial
        self._made_reader: RecordReader | None = None
        self._whole: WholeFileEnd | None = None
        """The end of the file if it was read as a whole, and has no reader yet."""

        self._signature = _NO_SIGNATURE
        self._has_changed = True
        """True if its description may have changed since `take_change`."""

        self._failure: str | None = None
        self._failed_bytes = 0
        """Size of the piece that could not be read."""

        self._unreadable = False
        """True if its disk fails to return some bytes."""

        self._format: str | None = None
        """Format of the file by its first bytes, if they are not those of an event file."""

        self._given_up = False
        """True if the rest does not fit into memory."""

        self._is_changed = False
        """True if the file was written after some of its bytes were read: those may have been overwritten since."""

        self._is_regular = True
        """False for a pipe or a device."""

        self._has_partial = False
        """True if some long payloads were read in part, without their checksums."""

        self._mismatched: set[int] | frozenset[int] = _NO_OFFSETS
        """Offsets of records that did not match their checksums when they were read; not all of very many."""

        self._polls = 0
        self._rewritten = False
        """True if, since the last read, the file was written without growing or replaced by one of equal size: it
        was repaired.
        """

        self._truncated = False
        self._damage = DamageList()
        self._records = 0
        self._writer: str | None = None
        self._first_wall_time: float | None = None
        self._last_wall_time: float | None = None

    @classmethod
    def from_poll(
        cls,
        path: str,
        signature: FileSignature,
        facts: WholeFileFacts | None,
        *,
        read_partial: PartialReader | None = None,
        status_of: Callable[[str], os.stat_result] = os.stat,
    ) -> FollowedFile:
        """Return a file that was polled once and then read as a whole, or not read if `facts` is None."""
        file = cls(path, read_partial=read_partial, status_of=status_of)
        file._signature = _Signature(*signature)
        file.pending = True
        file._polls = 1
        if facts is not None:
            file.take_whole(facts)
            file._has_changed = False
        return file

    @classmethod
    def restore(
        cls,
        index: FileIndex,
        *,
        read_partial: PartialReader | None = None,
        status_of: Callable[[str], os.stat_result] = os.stat,
    ) -> FollowedFile | None:
        """Restore a file where an earlier program stopped; None if it is not the same file."""
        from tbtui.loading.cache.index_folder import fingerprint_head

        try:
            status = status_of(index.path)
        except OSError:
            return None
        grown = status.st_size - index.size
        # Restoring an older copy with `cp -p` or `rsync` restores its modification time too, so ctime is compared.
        times = (index.mtime_ns, index.ctime_ns)
        is_same = grown > 0 or (grown == 0 and (status.st_mtime_ns, status.st_ctime_ns) == times)
        if not is_same or fingerprint_head(index.path, index.inode, index.reader_state.offset) != index.head:
            return None
        file = cls(index.path, read_partial=read_partial, status_of=status_of)
        file._made_reader = RecordReader(index.path, state=index.reader_state, read_partial=read_partial)
        file._signature = _Signature(status.st_dev, index.inode, index.size, *times)
        file.caught_up = True
        file._is_changed = grown > 0
        file._has_partial = read_partial is not None
        file._truncated = index.truncated
        file._damage = DamageList(index.listed, *index.others)
        file._records, file._writer = index.records, index.writer
        file._first_wall_time, file._last_wall_time = index.first_wall_time, index.last_wall_time
        file.poll()
        return file

    def index(self) -> FileIndex | None:
        """Return the index for `restore`; None if it is not complete or the file was replaced."""
        from tbtui.loading.cache.format import FileIndex
        from tbtui.loading.cache.index_folder import fingerprint_head

        state = self._reader.state
        # The file may have grown since the last poll; the next poll leads to another index.
        is_known = state.offset <= self._signature.size
        is_complete = is_known and not (self.pending or self.gone or self.failure is not None or self._unreadable)
        head = fingerprint_head(self.path, self._signature.inode, state.offset) if is_complete else None
        if head is None:
            return None
        return FileIndex(
            path=self.path,
            inode=self._signature.inode,
            size=self._signature.size,
            mtime_ns=self._signature.mtime_ns,
            ctime_ns=self._signature.ctime_ns,
            head=head,
            reader_state=state,
            truncated=self._truncated,
            records=self._records,
            writer=self._writer,
            first_wall_time=self._first_wall_time,
            last_wall_time=self._last_wall_time,
            listed=self._damage.listed,
            others=self._damage.others,
        )

    @property
    def _reader(self) -> RecordReader:
        if self._made_reader is None:
            state = None if self._whole is None else self._whole.state
            self._made_reader = RecordReader(self.path, state=state, read_partial=self._read_partial)
        return self._made_reader

    @property
    def offset(self) -> int:
        """Offset in bytes up to which records were read."""
        if self._made_reader is None:
            return 0 if self._whole is None else self._whole.size
        return self._made_reader.offset

    @property
    def is_fresh(self) -> bool:
        """True if nothing of the file was read before and it can be read."""
        return (
            self.pending
            and self._is_regular
            and self._made_reader is None
            and self._whole is None
            and not (self.gone or self._rewritten or self._given_up or self._failure is not None)
        )

    def take_whole(self, facts: WholeFileFacts) -> None:
        """Take over what was read of the file from its first byte to its last."""
        self._has_changed = True
        self._whole = WholeFileEnd.of(self.size, facts.last_record)
        self.pending = False
        self.caught_up = True
        self._records, self._writer = facts.records, facts.writer
        self._first_wall_time, self._last_wall_time = facts.first_wall_time, facts.last_wall_time

    @property
    def size(self) -> int:
        """Size in bytes at the last poll."""
        return self._signature[2]

    @property
    def modified(self) -> float:
        """Last modification in seconds since the epoch."""
        return self._signature.mtime_ns / 1e9

    @property
    def consumed(self) -> int:
        """Bytes that need no more reading, for the progress display."""
        size = self._signature[2]
        return min(self.offset, size) if self.pending else size

    @property
    def first_wall_time(self) -> float | None:
        """Wall time of the first event read, in seconds since the epoch."""
        return self._first_wall_time

    @property
    def started(self) -> bool:
        """True if any of it has been read."""
        return self.offset > 0

    @property
    def state(self) -> str:
        """The worst applicable state: `unreadable`, `corrupt`, `truncated`, `empty` or `ok`."""
        if self.failure is not None:
            return "unreadable"
        if self._damage:
            return "corrupt"
        if self._truncated:
            return "truncated"
        return "ok" if self.size else "empty"

    @property
    def _foreign(self) -> str | None:
        """Return the format of a file that is no event file; None once an event was found or while much is unread."""
        return None if self._records or self.pending else self._format

    @property
    def failure(self) -> str | None:
        """Reason why the last attempt to read it failed, or why it holds no events; None if it can be read."""
        return self._failure or self._foreign

    @property
    def transient_problem(self) -> Problem | None:
        """The problem that a growing file has between two flushes: an unfinished last record, or no bytes."""
        if self.failure is not None:
            return None
        if self._truncated:
            return truncated_problem(self.offset, self.size)
        return None if self.size or self.path.endswith(_EMPTY_FILE_SUFFIX) else empty_problem()

    def take_change(self) -> bool:
        """Return True if the file may have another description than at the last call."""
        has_changed, self._has_changed = self._has_changed, False
        return has_changed

    def poll(self) -> bool:
        """Poll the file, set `pending` and `gone`, and return `pending`."""
        try:
            status = self._status_of(self.path)
        except (FileNotFoundError, NotADirectoryError):
            self._has_changed = True
            self.gone, self.pending = True, False
            return False
        except OSError as error:
            self._has_changed = True
            self._fail(error)
            return False
        return self.note(status)

    def note(self, status: os.stat_result) -> bool:
        """Take the result of a poll, set `pending`, and return it."""
        self._is_regular = stat.S_ISREG(status.st_mode)
        was_away = self.gone or self._failure is not None
        self.gone = False
        times = (status.st_mtime_ns, status.st_ctime_ns)
        signature = _Signature(status.st_dev, status.st_ino, status.st_size, *times)
        # Some file systems, such as those mounted over ssh, change inode numbers from time to time.
        if signature.size == self._signature.size and times != self._signature[3:]:
            self._rewritten |= self.caught_up or signature[:3] == self._signature[:3]
        self._polls += 1
        is_due = self._polls % _POLLS_UNTIL_RETRY == 0
        if self._given_up and not is_due:
            return False
        if signature != self._signature or was_away or (self._unreadable and is_due):
            self._has_changed = True
            self._is_changed |= self.offset > 0
            self._signature = signature
            self.pending = True
        return self.pending

    def unverified_bytes(self, *, partial: bool = True) -> int:
        """Return the number of bytes that `verification` compares: all that were read, or none."""
        return self.offset if self._is_changed or (partial and self._has_partial) else 0

    def verification(self, *, partial: bool = True) -> Iterator[int]:
        """Compare the bytes that were read with their checksums again, and add new damage to the problems.

        Bytes in the middle of a file may be overwritten while it grows; a reader that only continues never sees them.

        Args:
            partial: Compare also the long payloads of a file that is unchanged since they were read in part.

        Yields:
            The number of bytes compared since the last one.
        """
        if not self.unverified_bytes(partial=partial):
            return
        reader, end = RecordReader(self.path), self.offset
        self._has_changed = True
        at_end = False
        while reader.position < end and not at_end:
            begin = reader.position
            try:
                block = reader.read(_VERIFIED_BYTES)
            except (OSError, FileReplaced):
                return  # the next poll or read finds out
            self._damage.add(self._new_damage(block, end))
            self._has_changed = True
            at_end = block.at_end
            yield reader.position - begin
        self._is_changed = self._has_partial = False

    def _new_damage(self, block: RecordBlock, end: int) -> tuple[Damage, ...]:
        """Return the damage of a block before `end` that is not listed yet."""
        listed = self._damage.listed
        damage = [
            each
            for each in block.damage
            if each.offset < end
            # A reader of partial payloads accepts records that are too long to be read whole.
            and not (each.kind == "oversized" and self._has_partial)
            and not any(known.offset <= each.offset < known.offset + max(known.bytes_skipped, 1) for known in listed)
        ]
        rows = [row for row in block.find_mismatches().tolist() if block.offset(row) < end]
        rows = [row for row in rows if block.offset(row) not in self._mismatched]
        # A file of more mismatches is reported already: perhaps its writer computes no checksums.
        if rows and len(self._mismatched) < _MAX_MISMATCHED:
            self._note_mismatches(block.offset(row) for row in rows)
            skipped = sum(OVERHEAD_BYTES + int(block.lengths[row]) for row in rows)
            message = f"{CHECKSUM_MISMATCHES}: {len(rows):,}"
            damage.append(Damage("payload_checksum", block.offset(rows[0]), skipped, message))
        return tuple(sorted(damage, key=lambda each: each.offset))

    def _note_mismatches(self, offsets: Iterable[int]) -> None:
        if len(self._mismatched) < _MAX_MISMATCHED:
            self._mismatched = {*self._mismatched, *islice(offsets, _MAX_MISMATCHED)}

    def read(self, max_bytes: int) -> RecordBlock | None:
        """Return the next complete records; None if the file cannot be read.

        Raises:
            FileReplaced: Bytes that were already read have changed.
        """
        self._has_changed = True
        if self._rewritten and self._damage:
            # Record boundaries in a damaged range are unknown: any of its bytes may have been repaired.
            raise FileReplaced(self.path)
        # A smaller piece than the failed one might advance a little each time, and fail again.
        max_bytes = max(max_bytes, self._failed_bytes)
        try:
            block = self._reader.read(max_bytes)
        except (FileNotFoundError, NotADirectoryError):
            self.gone, self.pending = True, False
            return None
        except OSError as error:
            self._fail(error)
            self._failed_bytes = max_bytes
            return None
        if self._rewritten and block.at_end and not (len(block) or block.damage or block.truncated):
            # Nothing was appended, so earlier bytes were changed, for example to repair an undetected wrong value.
            raise FileReplaced(self.path)
        self._failure = None
        self._failed_bytes = 0
        self._rewritten = False
        self._truncated = block.truncated
        self.pending = not block.at_end
        self.caught_up |= block.at_end
        return block

    def is_valid(self, block: RecordBlock, row: int) -> bool:
        """Return False only if the checksum is known to be wrong. Reads the whole record."""
        try:
            return self._reader.is_valid(block, row)
        except OSError:
            return True

    def record_block(self, block: RecordBlock, events: EventBlock) -> None:
        """Add the contents of a block to the facts about the file."""
        self._has_changed = True
        if any(not damage.offset for damage in block.damage):
            self._format = self._format or self._read_foreign_format()
        self._records += events.records
        self._writer = self._writer or events.writer
        if self._first_wall_time is None:
            self._first_wall_time = events.first_wall_time
        if events.last_wall_time is not None:
            self._last_wall_time = events.last_wall_time
        self._has_partial |= bool(block.partial_payloads)
        self._unreadable |= any(damage.kind == UNREADABLE_BYTES for damage in block.damage)
        self._damage.add(sorted((*block.damage, *events.damage), key=lambda damage: damage.offset))
        if any(damage.kind in _PAYLOAD_DAMAGE_KINDS for damage in events.damage):
            self._note_mismatches(block.offset(row) for row in block.find_mismatches().tolist())
            with suppress(OSError):
                self._reader.watch_damaged(block)

    def _read_foreign_format(self) -> str | None:
        from tbtui.loading.file_problems import HEAD_BYTES, detect_foreign_format

        try:
            with open_file(self.path) as file:
                return detect_foreign_format(file.read(0, HEAD_BYTES).tobytes())
        except OSError:
            return None

    def miss(self) -> None:
        """Record that the directory still lists the file; if it is gone, it is a broken link."""
        if self.gone:
            self._has_changed = True
            self._failure = "no such file or directory"

    def give_up(self) -> None:
        """Postpone the rest, which does not fit into memory."""
        self._given_up = self._has_changed = True
        self._failure = "there is not enough memory for the rest of it"
        self.pending = False

    def describe(self) -> EventFile:
        """Return the file as the store shows it."""
        return EventFile(
            path=self.path,
            bytes=self.size,
            records=self._records,
            writer=self._writer,
            first_wall_time=self._first_wall_time,
            last_wall_time=self._last_wall_time,
            state=self.state,
            problems=self.problems(),
            modified=self.modified or None,
        )

    def problems(self) -> tuple[Problem, ...]:
        """Return the problems of the file as the store shows them."""
        is_well = self._records and self.size and not (self._damage or self._truncated or self._failure)
        if is_well:
            return ()
        damage = self._damage.problems()
        if damage and not self._records and not self.pending:
            message = f"no event found, perhaps it is not an event file: {damage[0].message}"
            damage = (replace(damage[0], message=message), *damage[1:])
        elif damage and self._format is not None:  # an archive that stores event files as they are
            damage = (replace(damage[0], message=f"{self._format}; {damage[0].message}"), *damage[1:])
        if self._foreign is not None:
            return (unreadable_problem(self._foreign),)
        if self._failure is not None:
            return (*damage, unreadable_problem(self._failure))
        transient = self.transient_problem
        return damage if transient is None else (*damage, transient)

    def _fail(self, error: OSError) -> None:
        self._failure = error.strerror or str(error)
        self.pending = False


class WholeFileEnd(NamedTuple):
    """The end of a file that was read as a whole: its size and its last record."""

    size: int
    offset: int
    """Byte offset of the last record."""

    record: bytes
    """Header and footer of the last record; empty if there is no record."""

    @classmethod
    def of(cls, size: int, record: bytes) -> WholeFileEnd:
        """Return the end of a file of `size` bytes with this last record."""
        length = int.from_bytes(record[:LENGTH_BYTES], "little")
        return cls(size, size - length - OVERHEAD_BYTES, record)

    @property
    def state(self) -> ReaderState:
        """The state of a reader at the end of the file."""
        if not self.record:
            return ReaderState(self.size)
        header, footer = self.record[:HEADER_BYTES], self.record[HEADER_BYTES:]
        anchor = Anchor(self.offset, header, self.size - FOOTER_BYTES, footer)
        # A reader has compared the last record, which nothing follows.
        return ReaderState(self.size, anchor, checked=self.size - self.offset - OVERHEAD_BYTES)


class _Signature(NamedTuple):
    """Parts of a file's status that change with its contents."""

    device: int
    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int
    """Set by the system on each change; programs cannot set it."""


FileSignature: TypeAlias = tuple[int, int, int, int, int]
"""A `_Signature` as a plain tuple, for which the collector of garbage has no work."""

signature_of: Callable[[os.stat_result], FileSignature]

signature_of = attrgetter("st_dev", "st_ino", "st_size", "st_mtime_ns", "st_ctime_ns")
"""Return the signature of a file from its status."""

_NO_SIGNATURE = _Signature(0, 0, 0, 0, 0)

_NO_OFFSETS: frozenset[int] = frozenset()
