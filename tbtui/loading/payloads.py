"""Stored payloads: read from event files on demand, decoded, and cached up to a number of bytes."""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from dataclasses import field
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import numpy as np

from tbtui.frozen import frozen
from tbtui.tfrecord.file import open_file
from tbtui.tfrecord.random_access import SPARE_BYTES, reread_records, split_batches

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

    import numpy.typing as npt
    from typing_extensions import Self

    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot


Value = TypeVar("Value")

MAX_VALUES = 1 << 14
"""Maximum number of cached values, since values of zero bytes take memory too."""


class ByteCache(Generic[Value]):
    """Thread-safe LRU cache bounded by bytes. A value larger than the bound is not cached."""

    def __init__(self, max_bytes: int) -> None:
        """Create a cache of at most `max_bytes` bytes."""
        self.max_bytes = max_bytes
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

    def get(self, key: Hashable) -> Value | None:
        """Return the cached value of a key; None without one."""
        with self._lock:
            entry = self._values.get(key)
            if entry is None:
                return None
            self._values.move_to_end(key)
            return entry[0]

    def get_or_create(self, key: Hashable, create: Callable[[], Value]) -> Value:
        """Return the cached value of a key; without one, create it and cache it with a size of 0.

        `create` is called under the lock, so it must be fast: threads that ask for the same key get the same object.
        """
        with self._lock:
            entry = self._values.get(key)
            if entry is None:
                entry = self._values[key] = (create(), 0)
            self._values.move_to_end(key)
            self._forget()
            return entry[0]

    def put(self, key: Hashable, value: Value, nbytes: int) -> None:
        """Cache a value, or update the size of a cached one."""
        with self._lock:
            _, before = self._values.pop(key, (None, 0))
            self._bytes -= before
            if nbytes > self.max_bytes:
                return
            self._values[key] = (value, nbytes)
            self._bytes += nbytes
            self._forget()

    def _forget(self) -> None:
        while self._bytes > self.max_bytes or len(self._values) > MAX_VALUES:
            _, (_, gone) = self._values.popitem(last=False)
            self._bytes -= gone


Decoded = TypeVar("Decoded")
Decoded_co = TypeVar("Decoded_co", covariant=True)

MAX_CACHE_BYTES = 256 << 20
_UNBOUNDED = 1 << 62


class Payloads:
    """Thread-safe reader of payloads, shared by all panes of the app.

    Decoders are imported on first use, so that panes without payloads start fast. A thread waits only for another one
    that reads the same tag.
    """

    def __init__(self, max_bytes: int = MAX_CACHE_BYTES, *, clock: Callable[[], float] = time.monotonic) -> None:
        """Create a reader that caches at most `max_bytes`; `clock` replaces `time.monotonic` in tests."""
        self._clock = clock
        self._readers: ByteCache[SeriesReader[Any]] = ByteCache(max_bytes)

    @property
    def nbytes(self) -> int:
        """Bytes that are cached."""
        return self._readers.nbytes

    def read(self, run: RunSnapshot, series: ReferenceSeries, points: Sequence[int]) -> PayloadBlock:
        """Read the payloads of some points from the files, without caching; `decoded` caches decoded values.

        Args:
            run: Run that holds the series, of the same snapshot.
            series: Series of the values.
            points: Indices into the series, all in memory at once.

        Returns:
            All readable payloads; the others are in `errors`.
        """
        return concatenate_blocks(list(read_payloads(run, series, np.array(points, np.int64), max_bytes=_UNBOUNDED)))

    def decoded(
        self, new_columns: Callable[[], SeriesColumns[Decoded]], run: RunSnapshot, series: ReferenceSeries
    ) -> Decoded:
        """Return the decoded values of a series. They are cached, so that the next call reads only new points.

        Args:
            new_columns: Returns empty columns; it identifies the kind of values, so it must be the same at each call: a
                class, a function, or a method of an object that is kept.
            run: Run that holds the series, of the same snapshot.
            series: Series of the values, or its `current`.

        Returns:
            The same object as the last time while nothing has changed.
        """
        key = (new_columns, run.name, series.tag, series.kept is None)
        reader = self._readers.get_or_create(key, lambda: SeriesReader(new_columns))
        with reader.lock:
            decoded: Decoded = reader.read(run, series, self._clock())
            self._readers.put(key, reader, reader.nbytes)
        return decoded

    def values(self, read: Callable[[Any], Value], run: RunSnapshot, series: ReferenceSeries) -> DecodedValues[Value]:
        """Return all values of a series as `read` decodes them. The next call reads only new points.

        Args:
            read: Reader of a value, as for `decode_block`. It identifies the cached values, so it must be the same
                function at each call.
            run: Run that holds the series, of the same snapshot.
            series: Series of the values, or its `current`.
        """
        return self.decoded(_NewValueColumns(read), run, series)


RETRY_SECONDS = 5.0
"""Seconds until values that could not be read are tried again."""

MAX_PAYLOAD_BYTES = 64 << 20
"""Maximum bytes of a payload that is decoded to be shown: millions of buckets, of which a screen shows a hundred."""


class SeriesColumns(Protocol[Decoded_co]):
    """Decoded values of one series in growing columns. A result of `view` never changes."""

    def __len__(self) -> int:
        """Return the number of points, with or without a value."""

    @property
    def nbytes(self) -> int:
        """Bytes of all columns."""

    def add(self, block: PayloadBlock, series: ReferenceSeries) -> None:
        """Append the next points of a series: those of a block, and those of its `errors` without a value."""

    def first(self, count: int) -> Self:
        """Return the first `count` points in columns of their own."""

    def view(self, series: ReferenceSeries) -> Decoded_co:
        """Return the values of a series whose points are the first ones of the columns."""


@frozen(eq=False)
class DecodedValues(Generic[Value]):
    """The values of a series, by point."""

    values: Mapping[int, Value]
    errors: Mapping[int, str]
    """Reasons by unreadable point, one plain sentence each."""


OBJECT_BYTES_PER_BYTE = 4
OBJECT_BYTES = 200
"""Estimated memory of a decoded object: this, and `OBJECT_BYTES_PER_BYTE` times its bytes in the file."""


class ValueColumns(Generic[Value]):
    """Decoded objects of one series, such as lists of texts (`SeriesColumns`).

    Args:
        read: Returns what a `SummaryValue` holds, or raises a ValueError with one plain sentence.
    """

    def __init__(self, read: Callable[[Any], Value]) -> None:
        self._read = read
        self._values: dict[int, Value] = {}
        self._errors: dict[int, str] = {}
        self._sizes: list[int] = [0]
        """Estimated bytes of the values before each point, and of all."""

    def __len__(self) -> int:
        return len(self._sizes) - 1

    @property
    def nbytes(self) -> int:
        """Estimated bytes of all values."""
        return self._sizes[-1]

    def add(self, block: PayloadBlock, series: ReferenceSeries) -> None:
        """Append the points of a block."""
        count = len(block) + len(block.errors)
        values, errors = decode_block(block, series, self._read)
        self._values |= values
        self._errors |= errors
        for length in series.lengths[len(self) : len(self) + count].tolist():
            self._sizes.append(self._sizes[-1] + OBJECT_BYTES + OBJECT_BYTES_PER_BYTE * length)

    def first(self, count: int) -> ValueColumns[Value]:
        """Return the first `count` points in columns of their own."""
        shorter = ValueColumns(self._read)
        shorter._values, shorter._errors = _select_before(self._values, count), _select_before(self._errors, count)
        shorter._sizes = self._sizes[: count + 1]
        return shorter

    def view(self, series: ReferenceSeries) -> DecodedValues[Value]:
        """Return the values of the first points."""
        count = len(series)
        return DecodedValues(_select_before(self._values, count), _select_before(self._errors, count))


def _select_before(by_point: Mapping[int, Value], count: int) -> dict[int, Value]:
    return {point: value for point, value in by_point.items() if point < count}


@frozen
class _NewValueColumns(Generic[Value]):
    """Creates the columns of a reader; equal for the same reader, so that `Payloads` finds its cached values."""

    read: Callable[[Any], Value]

    def __call__(self) -> ValueColumns[Value]:
        return ValueColumns(self.read)


class SeriesReader(Generic[Decoded]):
    """Holds the decoded values of one series, and reads new ones. Used by one thread at a time.

    Args:
        new_columns: Returns empty columns.
    """

    def __init__(self, new_columns: Callable[[], SeriesColumns[Decoded]]) -> None:
        self.lock = threading.Lock()
        """Held by a thread while it reads."""

        self._columns = new_columns()
        self._latest: tuple[ReferenceSeries, Decoded] | None = None
        """Last result and the series it belongs to."""

        self._reading = 0
        self._retry_at = math.inf
        """Time at which all is read again, since values that could not be read may be readable then."""

    @property
    def nbytes(self) -> int:
        """Bytes of all columns."""
        return self._columns.nbytes

    def read(self, run: RunSnapshot, series: ReferenceSeries, now: float) -> Decoded:
        """Return the values of a series: new points are read, or all if its files were read again.

        Args:
            run: Run that holds the series, of the same snapshot.
            series: Any of the tag, with or without superseded points, older or newer than the last one.
            now: Seconds on any clock that never goes back.

        Returns:
            The same object as the last time when nothing has changed.
        """
        common = self._count_common(run, series, now)
        if self._latest is not None and common == len(self._columns) == len(series):
            return self._latest[1]
        if common == len(series):
            return self._columns.view(series)
        if common < len(self._columns):
            self._columns = self._columns.first(common)
        self._latest = None
        if common == 0:
            self._retry_at = math.inf
        for block in read_payloads(run, series, np.arange(len(self._columns), len(series)), largest=MAX_PAYLOAD_BYTES):
            self._columns.add(block, series)
            if block.is_retryable:
                self._retry_at = now + RETRY_SECONDS
        self._reading = run.reading
        self._latest = series, self._columns.view(series)
        return self._latest[1]

    def _count_common(self, run: RunSnapshot, series: ReferenceSeries, now: float) -> int:
        """Return the number of cached points that a series begins with."""
        if self._latest is None or run.reading != self._reading or now >= self._retry_at:
            return 0
        known, _ = self._latest
        if known is series:
            return len(series)
        length = min(len(known), len(series))
        is_common = np.ones(length, np.bool_)
        for known_places, series_places in zip(
            _find_identity_columns(known), _find_identity_columns(series), strict=True
        ):
            is_common &= known_places[:length] == series_places[:length]
        return length if is_common.all() else int(is_common.argmin())


def _find_identity_columns(series: ReferenceSeries) -> tuple[npt.NDArray[Any], ...]:
    """Return the columns that identify a value, also one that replaces another in a file."""
    wall_times = series.wall_times.view(np.int64)
    return series.steps, wall_times, series.files, series.offsets, series.lengths, series.indices


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

    def payload(self, index: int) -> bytes:
        """Return the payload of `points[index]`."""
        start = int(self.starts[index])
        return self.data[start : start + int(self.lengths[index])].tobytes()


def decode_block(
    block: PayloadBlock, series: ReferenceSeries, read: Callable[[Any], Value]
) -> tuple[dict[int, Value], dict[int, str]]:
    """Decode the values of a block.

    Args:
        block: Payloads of some points of the series.
        series: Series of the values.
        read: Returns what a `SummaryValue` holds (an `Event`, if the event itself is the value). It raises a ValueError
            with one plain sentence if that is something else.

    Returns:
        Values by point, and the reasons by point why there is none, with those of `block.errors`.
    """
    from tbtui.events.values import EventTime, read_stored_value

    values: dict[int, Value] = {}
    errors = dict(block.errors)
    for index, point in enumerate(block.points.tolist()):
        moment = EventTime(int(series.steps[point]), float(series.wall_times[point]))
        try:
            values[point] = read(read_stored_value(block.payload(index), int(series.indices[point]), moment))
        except ValueError as error:
            errors[point] = str(error)
    return values, errors


def read_payloads(
    run: RunSnapshot,
    series: ReferenceSeries,
    points: npt.NDArray[np.int64],
    max_bytes: int = BLOCK_BYTES,
    largest: int | None = None,
) -> Iterator[PayloadBlock]:
    """Read the payloads of points and verify their checksums. A file is open only while its payloads are read.

    Args:
        run: Run that holds the series, of the same snapshot.
        series: Series of the values.
        points: Indices into the series.
        max_bytes: Maximum bytes read at once; more only for a single longer record.
        largest: Maximum bytes of a payload, at least `max_bytes`; larger ones are refused, because a sparse file may
            claim gigabytes. None: no limit.

    Yields:
        Blocks in the order of `points`; unreadable points are in `errors`.
    """
    files = series.files[points]
    for stretch in np.split(points, np.flatnonzero(files[1:] != files[:-1]) + 1):
        if len(stretch):
            yield from _read_from_file(run, series, stretch, max_bytes, largest)


def format_too_large(length: int) -> str:
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
    max_bytes: int,
    largest: int | None,
) -> Iterator[PayloadBlock]:
    offsets, lengths = series.offsets[points], series.lengths[points]
    done = 0
    try:
        with open_file(run.files[int(series.files[points[0]])].path) as file:
            for piece in split_batches(offsets, lengths, max_bytes):
                length = int(lengths[piece.start])
                if largest is not None and length > largest:  # alone in its piece
                    yield _build_empty_block(points[piece], format_too_large(length), is_retryable=False)
                    done = piece.stop
                    continue
                records = reread_records(file, offsets[piece], lengths[piece])
                refused = {int(points[piece][row]): reason for row, reason in records.refused.items()}
                readable = np.delete(np.arange(len(records.starts)), list(records.refused))
                done = piece.stop
                yield PayloadBlock(
                    points[piece][readable], records.data, records.starts[readable], records.lengths[readable], refused
                )
    except (FileNotFoundError, NotADirectoryError):
        yield _build_empty_block(points[done:], GONE)
    except OSError as error:
        yield _build_empty_block(points[done:], f"{UNREADABLE}: {(error.strerror or str(error)).lower()}")


def _build_empty_block(points: npt.NDArray[np.int64], reason: str, *, is_retryable: bool = True) -> PayloadBlock:
    none = np.empty(0, np.int64)
    refused = dict.fromkeys(points.tolist(), reason)
    return PayloadBlock(none, np.zeros(SPARE_BYTES, np.uint8), none, none, refused, is_retryable)
