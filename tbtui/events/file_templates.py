"""Decode files that equal a known file but for numbers, such as those of the other runs of a sweep.

Programs that log the same tags write files of the same size, in which only wall times, steps, values and checksums
differ. A file that was decoded is a template of further ones: all other bytes are compared at once, and the numbers are
read at known offsets. That takes a quarter of the time of finding the records and tags again. Every checksum is
compared: it follows from that of the template and the bytes that differ.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tbtui.events.scalar_tails import UNKNOWN, TailMatch, count_varint_bytes
from tbtui.events.templates import STEP_OFFSET
from tbtui.events.tensors import decode_real
from tbtui.events.versions import read_version
from tbtui.events.wire import WORD, decode_varint_numbers, view_substrings, view_words
from tbtui.frozen import frozen
from tbtui.tfrecord.checksum import compute_crc_differences, mask_crcs, unmask_crcs
from tbtui.tfrecord.file_batches import FramedFiles, frame_files
from tbtui.tfrecord.framing import FOOTER_BYTES, find_mismatches

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    import numpy.typing as npt

    from tbtui.events.scalar_tails import TailCache, TailLayout
    from tbtui.events.wire import Words
    from tbtui.tfrecord.file_batches import FileBytes

    Indices = npt.NDArray[np.int64]

MIN_ALIKE = 3
"""Minimum number of files of one size for which the first one is made a template: it is decoded apart."""

MAX_TEMPLATES = 4
"""Maximum number of templates of one size."""

MAX_TEMPLATE_BYTES = 8 << 20
"""Maximum size of the files of all templates; the memory is about four times as much."""

MAX_USELESS = 32
"""Templates that no other file has matched, after which no more are made."""

MIN_STRETCH = 4
"""Files are stored as stretches of consecutive files if these have at least this many files on average."""

_STEP_KEY, _CONTINUED, _ALL = 0x10, 0x80, 0xFF
_LOW_BYTES = np.array([(1 << 8 * count) - 1 for count in range(WORD)] + [(1 << 64) - 1], np.uint64)


class DecodedRecords(NamedTuple):
    """The records of some files, and what is known of each event."""

    framed: FramedFiles
    match: TailMatch
    """The tail of an event that gives the version of its file is `VERSION` if the file equals a template."""

    writers: tuple[tuple[Indices, str | None], ...] = ()
    """Files that begin with such an event, and the writer that it names."""


VERSION = -2


@frozen(eq=False)
class _Numbers:
    """The numbers of one kind in the decoded events of a template, k each."""

    masks: Words
    """Mask of each number within its word."""

    words: Words
    """Bytes of each number in the template."""

    bytes_after: Indices
    """Number of bytes of the payload after the first byte of each number."""

    @classmethod
    def of(cls, words: Words, sizes: Indices, bytes_after: Indices) -> _Numbers:
        """Return numbers of `sizes` bytes, each at the beginning of a word."""
        masks = _LOW_BYTES[sizes]
        return cls(masks, words & masks, np.maximum(bytes_after, 0))

    def read(self, words: Words) -> tuple[Words, npt.NDArray[np.uint32] | None]:
        """Return the bytes of the numbers in n files, uint64[n, k], and the change of the CRCs; None without a change.

        Args:
            words: The bytes at their positions, uint64[n, k].
        """
        numbers = words & self.masks
        difference = numbers ^ self.words
        return numbers, compute_crc_differences(difference, self.bytes_after) if difference.any() else None


class _Template:
    """A file that was decoded."""

    def __init__(self, content: FileBytes, file: int, framed: FramedFiles, match: TailMatch, rows: slice) -> None:
        """Create a template from a file whose checksums are right.

        Args:
            content: Bytes of files.
            file: Index of the file.
            framed: The records of the files.
            match: Their decoded events.
            rows: The records of the file.
        """
        begin, self.size = int(content.begins[file]), int(content.begins[file + 1] - content.begins[file])
        self.starts, self.lengths = framed.starts[rows] - begin, framed.lengths[rows]
        self.tails, layouts = match.tails[rows].copy(), match.layouts[rows].copy()
        self.writer: str | None = None
        self.has_version = False
        """True if the first event gives the version of the file, and nothing but that."""

        if self.tails[0] < 0:
            first = framed.starts.item(rows.start)
            version = read_version(content.data[first : first + self.lengths.item(0)].tobytes())
            if version is not None:
                self.has_version, self.writer = True, version.writer
                self.tails[0], layouts[0] = VERSION, -1
        self.scalars = np.flatnonzero(self.tails != UNKNOWN)
        own = self.starts[self.scalars]
        lengths = self.lengths[self.scalars]
        words = view_words(content.data)[begin:]
        after = words[own + STEP_OFFSET - 1]
        has_step = ((after & np.uint64(_ALL)) == _STEP_KEY) & (self.tails[self.scalars] >= 0)
        widths = np.where(has_step, count_varint_bytes(after >> np.uint64(8)), 0)
        self.max_step_bytes = int(widths.max(initial=0))
        self.layouts: list[tuple[TailLayout, Indices | slice]] = []
        """Positions of the values, each with the events that have it."""

        backs, sizes = np.zeros((2, len(own)), np.int64)
        for number, layout in enumerate(match.known):
            columns = np.flatnonzero(layouts[self.scalars] == number)
            if len(columns):
                backs[columns], sizes[columns] = layout.back, layout.width
                self.layouts.append((layout, _as_slice(columns)))
        ends = own + lengths
        walls, steps = _read_heads(content.data[begin:], own)
        self.walls = _Numbers.of(walls, np.full(len(own), WORD), lengths - 2)
        self.steps = _Numbers.of(steps, widths, lengths - STEP_OFFSET - 1)
        self.values = _Numbers.of(words[ends - backs], sizes, backs - 1)
        self.value_distances = lengths - backs
        """Distance of each value from the beginning of its event."""

        self.footers = ends
        self.crcs = unmask_crcs(words[ends].astype(np.uint32))
        self.decoded_steps = np.where(self.tails >= 0, match.steps[rows], 0)[self.scalars]
        self.fixed = self._compute_fixed_bits(backs, sizes, widths)
        self.data = _rows_of(content.data, np.array([begin]), self.size)[0] & self.fixed
        self.matched = 0
        """Number of files that equal it but for numbers."""

    def _compute_fixed_bits(self, backs: Indices, sizes: Indices, widths: Indices) -> Words:
        """Return the bits that are the same in all files, as words."""
        fixed = np.zeros(-(-self.size // WORD) * WORD, np.uint8)
        fixed[: self.size] = _ALL
        fixed[(self.starts + self.lengths)[:, None] + np.arange(FOOTER_BYTES)] = 0
        others = np.ones(len(self.starts), np.bool_)
        others[self.scalars] = False
        for start, length in zip(self.starts[others].tolist(), self.lengths[others].tolist(), strict=True):
            fixed[start : start + length] = 0
        own, ends = self.starts[self.scalars], self.footers
        fixed[own[:, None] + np.arange(1, 1 + WORD)] = 0
        for byte in range(self.max_step_bytes):
            fixed[(own + STEP_OFFSET + byte)[byte < widths]] = _CONTINUED
        for byte in range(int(sizes.max(initial=0))):
            fixed[(ends - backs + byte)[byte < sizes]] = 0
        return fixed.view("<u8")

    def find(self, content: FileBytes, files: Indices) -> npt.NDArray[np.bool_]:
        """Return for each of some files of the same size if it equals this one but for numbers."""
        rows = _rows_of(content.data, content.begins[files], self.size)
        rows &= self.fixed
        return np.asarray((rows == self.data).all(axis=1))

    def decode(self, content: FileBytes, begins: Indices, into: _Columns, rows: _Rows) -> None:
        """Decode n files that equal this one but for numbers.

        Args:
            content: Bytes of files.
            begins: Where these begin.
            into: Where the events are stored.
            rows: The records of the files.
        """
        words, scalars = view_words(content.data), self.scalars
        all_starts = begins[:, None] + self.starts
        everything = len(scalars) == len(self.starts)
        starts = all_starts if everything else begins[:, None] + self.starts[scalars]
        wall_words, step_words = _read_heads(content.data, starts)
        walls, wall_change = self.walls.read(wall_words)
        steps, step_change = self.steps.read(step_words)
        values, value_change = self.values.read(words[starts + self.value_distances])
        crcs: npt.NDArray[np.uint32] = np.broadcast_to(self.crcs, walls.shape)
        for change in (wall_change, step_change, value_change):
            crcs = crcs if change is None else crcs ^ change
        numbers = np.zeros(walls.shape)
        for layout, columns in self.layouts:
            numbers[:, columns] = decode_real(layout.dtype, values[:, columns])
        decoded = self.decoded_steps if step_change is None else decode_varint_numbers(steps, self.max_step_bytes)
        into.put("starts", rows, all_starts)
        into.put("lengths", rows, self.lengths)
        into.put("tails", rows, self.tails)
        for name, part in (
            ("steps", decoded.view(np.int64)),
            ("wall_times", walls.view(np.float64)),
            ("numbers", numbers),
            ("crcs", mask_crcs(crcs)),
        ):
            into.put(name, rows, part, None if everything else scalars)
        self.matched += len(begins)


class _Columns:
    """Columns of all records of a block, filled by groups of files."""

    def __init__(self, count: int) -> None:
        none = np.zeros(count)
        self.columns: dict[str, npt.NDArray[Any]] = {
            "starts": np.empty(count, np.int64),
            "lengths": np.empty(count, np.int64),
            "tails": np.empty(count, np.int32),
            "steps": np.zeros(count, np.int64),
            "wall_times": none,
            "numbers": np.zeros(count),
            "crcs": np.zeros(count, np.uint32),
        }

    def put(self, name: str, rows: _Rows, values: npt.NDArray[Any], only: Indices | None = None) -> None:
        """Store values of the records of n files, or of the records `only` of each.

        Args:
            name: Name of the column.
            rows: The records.
            values: One row for each file, or one that is the same for all.
            only: Indices of records of a file; None: all of them.
        """
        column = self.columns[name]
        chosen = slice(None) if only is None else only
        for part, own in rows.stretches:
            column[own].reshape(-1, rows.width)[:, chosen] = values if values.ndim == 1 else values[part]
        if rows.scattered is not None:
            column[rows.scattered[:, chosen]] = values


class _Rows(NamedTuple):
    """The records of n files of equally many records."""

    width: int
    """Number of records of each file."""

    stretches: list[tuple[slice, slice]]
    """Files in succession, as a part of the n, and all their records."""

    scattered: Indices | None = None
    """The records of each file, int64[n, width], if there are no stretches."""

    @classmethod
    def of(cls, files: Indices, firsts: Indices, width: int) -> _Rows:
        """Return the records of some files, given the first record of every file."""
        bounds = [0, *(np.flatnonzero(np.diff(files) != 1) + 1).tolist(), len(files)]
        if len(bounds) * MIN_STRETCH > len(files) > 1:
            return cls(width, [], firsts[files][:, None] + np.arange(width))
        begins = firsts[files[bounds[:-1]]].tolist()
        return cls(
            width,
            [
                (slice(first, last), slice(begin, begin + width * (last - first)))
                for (first, last), begin in zip(pairwise(bounds), begins, strict=True)
            ],
        )


class FileTemplates:
    """The templates learned so far, by the size of their files.

    Args:
        tails: The known tails of events.
        pause: Called between two pieces of work of a few milliseconds; it may wait.
    """

    def __init__(self, tails: TailCache, pause: Callable[[], None] = lambda: None) -> None:
        self._pause = pause
        self._tails = tails
        self._templates: dict[int, list[_Template]] = {}
        self._bytes = 0
        self._useless = 0

    def decode(self, content: FileBytes) -> DecodedRecords:
        """Find the records of files, and decode the scalar events that have a known tail."""
        sizes = np.where(content.is_read, np.diff(content.begins), 0)
        pairs = self._pair_files(content, self._groups(sizes))
        if not pairs:
            framed = frame_files(content)
            return DecodedRecords(framed, self._tails.match(content.data, framed.starts, framed.lengths))
        left = np.ones(len(sizes), np.bool_)
        for _, files in pairs:
            left[files] = False
        rest_files = np.flatnonzero(left)
        rest, rest_framed, rest_match = self._decode_alone(content, rest_files)
        counts = np.zeros(len(sizes), np.int64)
        counts[rest_files] = np.bincount(rest_framed.files, minlength=len(rest_files))
        is_whole = content.is_read.copy()
        is_whole[rest_files] = rest_framed.is_whole
        for template, files in pairs:
            counts[files] = len(template.starts)
        firsts = np.concatenate(([0], np.cumsum(counts)))
        columns = _Columns(int(firsts[-1]))
        for template, files in pairs:
            rows = _Rows.of(files, firsts, len(template.starts))
            self._pause()
            template.decode(content, content.begins[files], columns, rows)
        if len(rest_framed.starts):
            own = rest_files[rest_framed.files]
            own_rows = (firsts[own] - np.cumsum(counts[rest_files])[rest_framed.files] + counts[own]) + np.arange(
                len(own)
            )
            moved = content.begins[own] - rest.begins[rest_framed.files]
            for name, values in (
                ("starts", rest_framed.starts + moved),
                ("lengths", rest_framed.lengths),
                ("tails", rest_match.tails),
                ("steps", rest_match.steps),
                ("wall_times", rest_match.wall_times),
                ("numbers", rest_match.numbers),
                ("crcs", rest_match.crcs),
            ):
                columns.columns[name][own_rows] = values
        decoded = columns.columns
        framed = FramedFiles(decoded["starts"], decoded["lengths"], np.repeat(np.arange(len(sizes)), counts), is_whole)
        match = TailMatch(
            decoded["tails"], decoded["steps"], decoded["wall_times"], decoded["numbers"], decoded["crcs"]
        )
        writers = tuple((files, template.writer) for template, files in pairs if template.has_version)
        return DecodedRecords(framed, match, writers)

    def _decode_alone(self, content: FileBytes, files: Indices) -> tuple[FileBytes, FramedFiles, TailMatch]:
        """Decode some files without templates."""
        part = content.select(files)
        framed = frame_files(part)
        return part, framed, self._tails.match(part.data, framed.starts, framed.lengths)

    def _groups(self, sizes: Indices) -> list[Indices]:
        """Return the files of each size that has templates, or is worth one."""
        order = np.argsort(sizes, kind="stable")
        ordered = sizes[order]
        bounds = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1], [True])))
        return [
            order[begin:end]
            for begin, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)
            if ordered[begin] and (end - begin >= MIN_ALIKE or int(ordered[begin]) in self._templates)
        ]

    def _pair_files(self, content: FileBytes, groups: Sequence[Indices]) -> list[tuple[_Template, Indices]]:
        """Return the templates that fit, each with its files; templates of further files are learned."""
        pairs: list[tuple[_Template, Indices]] = []
        unknown: list[Indices] = []
        for files in groups:
            size = int(content.begins[files[0] + 1] - content.begins[files[0]])
            left = self._take(content, files, self._templates.get(size, ()), pairs)
            if len(left) >= MIN_ALIKE and len(self._templates.get(size, ())) < MAX_TEMPLATES:
                unknown.append(left)
        if unknown and self._useless < MAX_USELESS:
            learned = self._learn(content, np.array([files[0] for files in unknown]))
            for files, template in zip(unknown, learned, strict=True):
                if template is not None:
                    left = self._take(content, files, (template,), pairs)
                    self._useless += len(left) == len(files) - 1
        return pairs

    def _take(
        self,
        content: FileBytes,
        files: Indices,
        templates: Sequence[_Template],
        pairs: list[tuple[_Template, Indices]],
    ) -> Indices:
        """Add the files that equal a template, and return the others."""
        for template in templates:
            if not len(files):
                break
            self._pause()
            fits = template.find(content, files)
            if fits.any():
                pairs.append((template, files[fits]))
                files = files[~fits]
        return files

    def _learn(self, content: FileBytes, files: Indices) -> list[_Template | None]:
        """Make templates of some files, as far as they are intact."""
        part, framed, match = self._decode_alone(content, files)
        bounds = np.searchsorted(framed.files, np.arange(len(files) + 1)).tolist()
        stored = part.data[(framed.starts + framed.lengths)[:, None] + np.arange(FOOTER_BYTES)].view("<u4")[:, 0]
        is_wrong = (match.tails >= 0) & (stored != match.crcs)
        others = np.flatnonzero(match.tails < 0)
        is_wrong[others[find_mismatches(part.data, framed.starts[others], framed.lengths[others])]] = True
        learned: list[_Template | None] = []
        for number in range(len(files)):
            rows = slice(bounds[number], bounds[number + 1])
            size = int(part.begins[number + 1] - part.begins[number])
            has_scalars = bool((match.tails[rows] >= 0).any())
            if not framed.is_whole[number] or not has_scalars or is_wrong[rows].any():
                learned.append(None)
                continue
            if self._bytes + size > MAX_TEMPLATE_BYTES:
                self._templates.clear()
                self._bytes = 0
            template = _Template(part, number, framed, match, rows)
            self._templates.setdefault(size, []).append(template)
            self._bytes += size
            learned.append(template)
        return learned


def _as_slice(indices: Indices) -> Indices | slice:
    """Return ascending indices as a slice if they are in succession, which takes a fifth of the time."""
    if indices.item(-1) - indices.item(0) == len(indices) - 1:
        return slice(indices.item(0), indices.item(-1) + 1)
    return indices


def _read_heads(data: npt.NDArray[np.uint8], starts: Indices) -> tuple[Words, Words]:
    """Return the words of the wall times and steps of events; a step has at most seven bytes.

    Both are next to each other, and taken at once.
    """
    heads = view_substrings(data, 2 * WORD)[starts + 1].view("<u8").reshape(*starts.shape, 2)
    return heads[..., 0], heads[..., 1] >> np.uint64(8 * (STEP_OFFSET - 1 - WORD))


def _rows_of(data: npt.NDArray[np.uint8], begins: Indices, size: int) -> Words:
    """Return the bytes of files of one size as words, one row for each; the last word may hold further bytes."""
    width = -(-size // WORD) * WORD
    rows: Words = view_substrings(data, width)[begins].view("<u8").reshape(len(begins), -1)
    return rows
