"""The bytes of a trace in JSON, compressed or not, and the whole objects in them."""

from __future__ import annotations

import json
import zlib
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tbtui.plugins.profile.formats.columns import TraceFormatError
from tbtui.tfrecord.file import open_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import numpy.typing as npt

BLOCK_BYTES = 4 << 20

WINDOW_BYTES = 4 << 20
"""Plain bytes after the requested ones that are decompressed with them."""

_CHECKPOINT_BYTES = 16 << 20
"""Plain bytes between two checkpoints, each of 40 kB, from which an event is read again."""

MAX_EVENT_BYTES = 64 << 20
"""An event that is longer is damage: the reader looks for the next one."""

MAX_GAP_BYTES = 1 << 20
"""Maximum of bytes without an event that are searched again with those that follow."""

_EVENTS = b'"traceEvents"'


class Checkpoint(NamedTuple):
    """A state of decompression at an offset."""

    plain: int
    """Offset in the plain bytes."""

    packed: int
    """Offset in the file."""

    state: Any


class TraceBytes:
    """The plain bytes of a trace, whether its file is compressed or not."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.problem = ""
        """A sentence if the file ends early."""

        self.share = 0.0
        """Share of the file that `pieces` has read."""

        self._checkpoints: list[Checkpoint] = []
        self._window = (0, b"")
        """Offset and bytes of the last decompression by `read`: the next ones are usually near."""

        with open_file(path) as file:
            self._is_packed = file.read(0, 2).tobytes() == b"\x1f\x8b"

    def iter_chunks(self) -> Iterator[bytes]:
        """Yield all plain bytes in order."""
        yield from (
            self._read_packed(0, 0, zlib.decompressobj(31), add_checkpoints=True)
            if self._is_packed
            else self._read_plain(0)
        )

    def read(self, offset: int, count: int) -> bytes:
        """Return bytes at an offset; fewer at the end.

        Raises:
            OSError: The file cannot be read.
        """
        if not self._is_packed:
            with open_file(self.path) as file:
                return file.read(offset, count).tobytes()
        begin, window = self._window
        if not (begin <= offset and offset + count <= begin + len(window)):
            begin, window = self._window = self._unpack(offset, offset + count + WINDOW_BYTES)
        return window[offset - begin : offset - begin + count]

    def _unpack(self, offset: int, end: int) -> tuple[int, bytes]:
        """Return plain bytes from `offset` or before up to `end`, with the offset of the first."""
        earlier = [point for point in self._checkpoints if point.plain <= offset]
        plain, packed, state = earlier[-1] if earlier else Checkpoint(0, 0, zlib.decompressobj(31))
        result, begin = bytearray(), plain
        for piece in self._read_packed(plain, packed, state.copy(), add_checkpoints=False):
            plain += len(piece)
            if plain <= offset:
                begin = plain
                continue
            result += piece
            if plain >= end:
                break
        return begin, bytes(result)

    def _read_plain(self, offset: int) -> Iterator[bytes]:
        with open_file(self.path) as file:
            while offset < file.size:
                piece = file.read(offset, BLOCK_BYTES).tobytes()
                offset += len(piece)
                self.share = offset / file.size
                yield piece

    def _read_packed(self, plain: int, packed: int, state: Any, *, add_checkpoints: bool) -> Iterator[bytes]:
        last_checkpoint = plain
        with open_file(self.path) as file:
            while packed < file.size:
                data = file.read(packed, BLOCK_BYTES // 4).tobytes()
                packed += len(data)
                self.share = packed / file.size if add_checkpoints else self.share
                while data:
                    previous_state = state.copy()
                    try:
                        piece = state.decompress(data, BLOCK_BYTES)
                    except zlib.error as error:
                        self.problem = f"the compressed file is damaged ({error}): what follows is left out"
                        yield from _read_before_damage(previous_state, data)
                        return
                    data = state.unconsumed_tail
                    if state.eof:
                        data, state = state.unused_data, zlib.decompressobj(31)
                        if not data.startswith(b"\x1f\x8b"):
                            data = b""
                            if piece:
                                yield piece
                            return
                    if add_checkpoints and plain - last_checkpoint >= _CHECKPOINT_BYTES and not data:
                        self._checkpoints.append(Checkpoint(plain + len(piece), packed, state.copy()))
                        last_checkpoint = plain
                    plain += len(piece)
                    if piece:
                        yield piece
            if not state.eof:
                self.problem = "the compressed file ends early: its writer may have been stopped"


def _read_before_damage(state: Any, data: bytes) -> Iterator[bytes]:
    """Yield the valid part of bytes that are damaged somewhere: `decompress` returns nothing of them.

    Args:
        state: State of decompression before the bytes.
        data: The bytes.
    """
    count = len(data)
    while count and data:
        trial = state.copy()
        try:
            piece = trial.decompress(data[:count], BLOCK_BYTES)
        except zlib.error:
            count //= 2
            continue
        state, data = trial, trial.unconsumed_tail + data[count:]
        if piece:
            yield piece
        if state.eof:
            return


class EventBlock(NamedTuple):
    """Bytes of a trace with the spans of the whole events in them."""

    offset: int
    """Offset of `data` in the plain bytes."""

    data: bytes
    begins: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]

    @property
    def array(self) -> bytes:
        """The events as an array of JSON."""
        return b"".join((b"[", memoryview(self.data)[int(self.begins[0]) : int(self.ends[-1])], b"]"))


class EventBlocks:
    """Cuts the bytes of a trace into blocks of whole events.

    Args:
        source: The bytes.
    """

    def __init__(self, source: TraceBytes) -> None:
        self.source = source
        self.head: Mapping[str, Any] = {}
        """The fields of the trace before its events; empty if they are not valid JSON."""

        self.lost = 0
        """Pieces of damage that were skipped."""

        self.problems: list[str] = []

    def read(self) -> Iterator[EventBlock]:
        """Yield the blocks in order.

        Raises:
            OSError: The file cannot be read.
            TraceFormatError: It is not a trace.
        """
        pieces = self.source.iter_chunks()
        data, offset = self._skip_head(pieces)
        while True:
            begins, ends = find_indented_events(data) or find_events(np.frombuffer(data, np.uint8))
            if len(ends):
                yield EventBlock(offset, data, begins, ends)
                end = int(ends[-1])
                offset, data = offset + end, data[end:]
            elif len(data) > MAX_GAP_BYTES and b"{" not in data:  # a hole in the file, or its zeros after a crash
                offset, data = offset + len(data), b""
                self.lost += 1
            elif len(data) > MAX_EVENT_BYTES:
                next_begin = _find_next_event(data)
                self.lost += 1
                offset, data = offset + next_begin, data[next_begin:]
                continue
            piece = next(pieces, b"")
            if not piece:
                break
            data += piece
        rest = data.lstrip(b", \t\r\n")
        if rest and not rest.startswith(b"]"):
            self.problems.append(
                f"the trace is cut: its last {len(rest):,} bytes are no whole event"
                if b"{" in rest
                else "the trace is cut: its end is missing"
            )
        elif not rest:
            self.problems.append("the trace is cut: its end is missing")
        if self.source.problem:
            self.problems.append(self.source.problem)

    def _skip_head(self, pieces: Iterator[bytes]) -> tuple[bytes, int]:
        """Read the fields before the events; return the bytes after them and their offset."""
        data = b""
        for piece in pieces:
            data += piece
            head_end = data.find(_EVENTS)
            begin = data.find(b"[", head_end) if head_end >= 0 else -1
            if begin >= 0 or len(data) > MAX_EVENT_BYTES:
                break
        else:
            head_end = data.find(_EVENTS)
            begin = data.find(b"[", head_end) if head_end >= 0 else -1
        if begin < 0:
            if not data.lstrip().startswith(b"["):
                problem = self.source.problem or "it is no trace of a profiler"
                raise TraceFormatError(f"holds no traceEvents: {problem}")
            head_end, begin = 0, data.find(b"[")
        head = data[:head_end].rstrip().rstrip(b",") + b"}"
        with suppress(ValueError):
            parsed = json.loads(head.decode("utf-8", "replace"), strict=False)
            self.head = parsed if isinstance(parsed, dict) else {}
        return data[begin + 1 :], begin + 1


def _find_next_event(data: bytes) -> int:
    """Return the offset of the second object that may be an event, to go on after one that does not end."""
    first = data.find(b'"ph"')
    second = data.find(b'"ph"', first + 4) if first >= 0 else -1
    begin = data.rfind(b"{", first, second) if second >= 0 else -1
    return begin if begin > 0 else len(data)


def find_indented_events(data: bytes) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]] | None:
    """Return the spans of events as `find_events` does, in a fifth of the time, of a file written over many lines.

    Kineto begins and ends each event with a brace in a line of its own. A string has no line ends in JSON, so that such
    a line begins or ends an event.

    Args:
        data: Bytes between two events.

    Returns:
        None for another layout. Two events that share a line are in one span: the caller compares the numbers.
    """
    first = data.find(b"{")
    line = data.rfind(b"\n", 0, max(first, 0))
    indent = data[line + 1 : first]
    if line < 0 or indent.strip(b" "):
        return None
    block = np.frombuffer(data, np.uint8)
    lines = np.flatnonzero(block == ord("\n"))
    lines = lines[lines < len(block) - len(indent) - 1]
    for column in range(1, len(indent) + 1):
        lines = lines[block[lines + column] == ord(" ")]
    braces = lines + len(indent) + 1
    characters = block[braces]
    begins, ends = braces[characters == ord("{")], braces[characters == ord("}")] + 1
    count = min(len(begins), len(ends))
    begins, ends = begins[:count], ends[:count]
    is_ordered = count > 0 and bool((begins < ends).all()) and bool((begins[1:] > ends[:-1]).all())
    return (begins, ends) if is_ordered else None


def find_events(block: npt.NDArray[np.uint8]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return begin and end of each whole object at the level of the array, int64[n] each.

    Args:
        block: Bytes between two events.
    """
    is_quote = block == ord('"')
    slashes = np.flatnonzero(block == ord("\\"))
    if len(slashes):  # a quote after an odd number of backslashes is a character
        is_last = np.append(np.diff(slashes) != 1, True)
        is_first = np.append(True, np.diff(slashes) != 1)
        lasts, firsts = slashes[is_last], slashes[is_first]
        escaped = lasts[(lasts - firsts) % 2 == 0] + 1
        is_quote[escaped[escaped < len(block)]] = False
    quotes = np.flatnonzero(is_quote)
    braces = np.flatnonzero((block == ord("{")) | (block == ord("}")))
    braces = braces[np.searchsorted(quotes, braces) & 1 == 0]
    steps = np.where(block[braces] == ord("{"), 1, -1).astype(np.int32)
    depths = np.cumsum(steps)
    begins = braces[(depths == 1) & (steps > 0)]
    ends = braces[(depths == 0) & (steps < 0)]
    count = min(len(begins), len(ends))
    return begins[:count].astype(np.int64), ends[:count].astype(np.int64) + 1
