"""Stored payloads: read from event files on demand, and cached up to a number of bytes."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from dataclasses import field
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

import numpy as np

from tbtui.frozen import frozen
from tbtui.tfrecord.file import open_file
from tbtui.tfrecord.random_access import SPARE_BYTES, reread_records, split_batches

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

    import numpy.typing as npt

    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot


Value = TypeVar("Value")

MAX_VALUES = 1 << 14
"""Maximum number of cached values, since values of zero bytes take memory too."""


class ByteCache(Generic[Value]):
    """Thread-safe LRU cache bounded by bytes. A value larger than the bound is not cached."""

    def __init__(self, most_bytes: int) -> None:
        """Create a cache of at most `most_bytes` bytes."""
        self.most_bytes = most_bytes
        self._lock = threading.Lock()
        self._values: OrderedDict[Hashable, tuple[Value, int]] = OrderedDict()
        """Value and its size by key, least recently used first."""

        self._bytes = 0

    def __len__(self) -> int:
        return len(self._values)

    @property
    def nbytes(self) -> int:
        """Total size of the values."""
        return self._bytes

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """Return the value of a key; if there is none, make it and cache it with a size of 0. `make` has to be fast."""
        with self._lock:
            entry = self._values.get(key)
            if entry is None:
                entry = self._values[key] = (make(), 0)
            self._values.move_to_end(key)
            self._forget()
            return entry[0]

    def put(self, key: Hashable, value: Value, nbytes: int) -> None:
        """Cache a value, or update the size of a cached one."""
        with self._lock:
            _, before = self._values.pop(key, (None, 0))
            self._bytes -= before
            if nbytes > self.most_bytes:
                return
            self._values[key] = (value, nbytes)
            self._bytes += nbytes
            self._forget()

    def _forget(self) -> None:
        while self._bytes > self.most_bytes or len(self._values) > MAX_VALUES:
            _, (_, gone) = self._values.popitem(last=False)
            self._bytes -= gone


MAX_CACHE_BYTES = 256 << 20
_UNBOUNDED = 1 << 62


class SeriesReader(Protocol):
    """Reads and caches the values of one growing series."""

    lock: threading.Lock

    @property
    def nbytes(self) -> int:
        """Bytes that it caches."""


_Grown = TypeVar("_Grown", bound=SeriesReader)
_Result = TypeVar("_Result")


class Payloads:
    """Thread-safe reader of payloads, shared by all panes of the app.

    Decoders are imported on first use, so that panes without payloads start fast. A thread waits only for another one
    that reads the same tag.
    """

    def __init__(self, most_bytes: int = MAX_CACHE_BYTES, *, clock: Callable[[], float] = time.monotonic) -> None:
        """Create a reader that caches at most `most_bytes`; `clock` replaces `time.monotonic` in tests."""
        self._clock = clock
        self._readers: ByteCache[SeriesReader] = ByteCache(most_bytes)

    @property
    def nbytes(self) -> int:
        """Bytes that are cached."""
        return self._readers.nbytes

    def read(self, run: RunSnapshot, series: ReferenceSeries, points: Sequence[int]) -> PayloadBlock:
        """Read the payloads of some points from the files, without caching.

        Args:
            run: Run that holds the series, of the same snapshot.
            series: Series of the values.
            points: Indices into the series, all in memory at once.

        Returns:
            All readable payloads; the others are in `errors`.
        """
        return concatenate_blocks(list(read_payloads(run, series, np.array(points, np.int64), most_bytes=_UNBOUNDED)))

    def grow(
        self, kind: type[_Grown], run: RunSnapshot, series: ReferenceSeries, read: Callable[[_Grown, float], _Result]
    ) -> _Result:
        """Return what `read` gives of the reader of one series, which is kept so that it reads only new points.

        Args:
            kind: Class of the reader; made without arguments when the series has none yet.
            run: Run that holds the series, of the same snapshot.
            series: Series of the values, or its `current`.
            read: Takes the reader and the time of `clock`, and reads what the series has gained. It has the lock.
        """
        key = (kind, run.name, series.tag, series.kept is None)
        grown = self._readers.get(key, kind)
        assert isinstance(grown, kind)  # noqa: S101 - the key begins with the class
        with grown.lock:
            result = read(grown, self._clock())
            self._readers.put(key, grown, grown.nbytes)
        return result


BLOCK_BYTES = 4 << 20
"""Bytes read at once: they stay in the processor's cache until they are decoded."""

GONE = "the file is gone"
UNREADABLE = "the file cannot be read"


@frozen(eq=False)
class PayloadBlock:
    """Payloads of some points of one series."""

    points: npt.NDArray[np.int64]
    """Indices into the series, in the requested order."""

    data: npt.NDArray[np.uint8]
    """The bytes read; the last eight belong to no payload."""

    starts: npt.NDArray[np.int64]
    """Offset in `data` of the payload (a serialized `Event`) of each point."""

    lengths: npt.NDArray[np.int64]
    """Size in bytes of each payload."""

    errors: Mapping[int, str] = field(default_factory=dict)
    """Reasons by requested point without a payload, one plain sentence each."""

    is_retryable: bool = False
    """True if the points in `errors` may become readable: no damage was found."""

    def __len__(self) -> int:
        return len(self.points)

    def payload(self, place: int) -> bytes:
        """Return the payload of `points[place]`."""
        start = int(self.starts[place])
        return self.data[start : start + int(self.lengths[place])].tobytes()


def read_payloads(
    run: RunSnapshot,
    series: ReferenceSeries,
    points: npt.NDArray[np.int64],
    most_bytes: int = BLOCK_BYTES,
    largest: int | None = None,
) -> Iterator[PayloadBlock]:
    """Read the payloads of points and verify their checksums. A file is open only while its payloads are read.

    Args:
        run: Run that holds the series, of the same snapshot.
        series: Series of the values.
        points: Indices into the series.
        most_bytes: Maximum bytes read at once; more only for a single longer record.
        largest: Maximum bytes of a payload, at least `most_bytes`; larger ones are refused, because a sparse file may
            claim gigabytes. None: no limit.

    Yields:
        Blocks in the order of `points`; unreadable points are in `errors`.
    """
    files = series.files[points]
    for stretch in np.split(points, np.flatnonzero(files[1:] != files[:-1]) + 1):
        if len(stretch):
            yield from _read_from_file(run, series, stretch, most_bytes, largest)


def too_large_message(length: int) -> str:
    """Return the reason why a value of `length` bytes is not read for display."""
    return f"it has {length:,} bytes, too many to show"


def concatenate_blocks(blocks: Sequence[PayloadBlock]) -> PayloadBlock:
    """Return one block with the payloads of several, in order."""
    if len(blocks) == 1:
        return blocks[0]
    sizes = [len(block.data) for block in blocks]
    starts = [block.starts + sum(sizes[:number]) for number, block in enumerate(blocks)]
    return PayloadBlock(
        np.concatenate([np.empty(0, np.int64), *(block.points for block in blocks)]),
        np.concatenate([np.empty(0, np.uint8), *(block.data for block in blocks)]),
        np.concatenate([np.empty(0, np.int64), *starts]),
        np.concatenate([np.empty(0, np.int64), *(block.lengths for block in blocks)]),
        {point: reason for block in blocks for point, reason in block.errors.items()},
        any(block.is_retryable for block in blocks),
    )


def _read_from_file(
    run: RunSnapshot,
    series: ReferenceSeries,
    points: npt.NDArray[np.int64],
    most_bytes: int,
    largest: int | None,
) -> Iterator[PayloadBlock]:
    offsets, lengths = series.offsets[points], series.lengths[points]
    done = 0
    try:
        with open_file(run.files[int(series.files[points[0]])].path) as file:
            for piece in split_batches(offsets, lengths, most_bytes):
                length = int(lengths[piece.start])
                if largest is not None and length > largest:  # alone in its piece
                    yield _empty_block(points[piece], too_large_message(length), is_retryable=False)
                    done = piece.stop
                    continue
                records = reread_records(file, offsets[piece], lengths[piece])
                refused = {int(points[piece][row]): reason for row, reason in records.refused.items()}
                kept = np.delete(np.arange(len(records.starts)), list(records.refused))
                done = piece.stop
                yield PayloadBlock(
                    points[piece][kept], records.data, records.starts[kept], records.lengths[kept], refused
                )
    except (FileNotFoundError, NotADirectoryError):
        yield _empty_block(points[done:], GONE)
    except OSError as error:
        yield _empty_block(points[done:], f"{UNREADABLE}: {(error.strerror or str(error)).lower()}")


def _empty_block(points: npt.NDArray[np.int64], reason: str, *, is_retryable: bool = True) -> PayloadBlock:
    none = np.empty(0, np.int64)
    refused = dict.fromkeys(points.tolist(), reason)
    return PayloadBlock(none, np.zeros(SPARE_BYTES, np.uint8), none, none, refused, is_retryable)
