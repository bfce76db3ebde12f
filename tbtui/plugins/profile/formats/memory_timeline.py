"""Memory timelines of PyTorch (`export_memory_timeline`): bytes by category over time, without operators and addresses.

Format: `torch/profiler/_memory_profiler.py`. `*.raw.json.gz` holds `[time in ns, action, bytes, category]` for each
change, `*.json` the times and, for each time, the bytes of each category after a 0.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from tbtui.plugins.profile.formats.columns import TraceColumns, TraceFormatError
from tbtui.plugins.profile.formats.trace_bytes import TraceBytes
from tbtui.plugins.profile.trace import MEMORY_TIMELINE, Allocations

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from tbtui.plugins.profile.trace import Trace

CATEGORIES = (
    "parameters",
    "optimizer state",
    "inputs",
    "temporary",
    "activations",
    "gradients",
    "autograd details",
    "unknown",
)
MAX_BYTES = 512 << 20
_NANOS = 1e3
"""Nanoseconds in a µs."""


def is_memory_timeline(path: str) -> bool:
    """Return True if a file begins as a memory timeline does: a list of lists."""
    head = b"".join(islice(TraceBytes(path).iter_chunks(), 1))[:64]
    return b"".join(head.split()).startswith(b"[[")


class MemoryTimelineReader:
    """Reads a memory timeline.

    Args:
        path: The file.
        device: Name of the device.
    """

    def __init__(self, path: str, device: str) -> None:
        self._bytes, self._device = TraceBytes(path), device

    def read(self) -> Iterator[Trace]:
        """Yield the trace, which has allocations alone.

        Raises:
            OSError: The file cannot be read.
            TraceFormatError: It is not a memory timeline.
        """
        import msgspec

        data = bytearray()
        for piece in self._bytes.iter_chunks():
            data += piece
            if len(data) > MAX_BYTES:
                _raise_error(f"holds more than {MAX_BYTES >> 20} MB")
        try:
            times, sizes, categories = _read_changes(msgspec.json.decode(data))
        except (msgspec.MsgspecError, TypeError, ValueError, OverflowError, RecursionError):
            _raise_error("is a memory timeline that is damaged, or cut")
        if not len(times):
            _raise_error("is a memory timeline without entries")
        is_recorded = times >= 0
        origin = int(times[is_recorded].min()) if is_recorded.any() else 0
        starts = np.where(is_recorded, times - origin, 0) / _NANOS
        order = np.argsort(starts, kind="stable")
        columns = TraceColumns()
        columns.writer, columns.event_count = MEMORY_TIMELINE, len(times)
        count = len(times)
        columns.allocations = Allocations(
            starts[order],
            sizes[order].astype(np.float64),
            np.zeros(count, np.uint64),
            np.full(count, np.nan),
            np.full(count, np.nan),
            np.zeros(count, np.int16),
            np.full(count, -1, np.int32),
            (self._device,),
            categories[order],
            CATEGORIES,
        )
        yield columns.trace()

    def arguments(self, _locator: int) -> dict[str, Any]:
        """Return no arguments: there are no events."""
        return {}


def _raise_error(reason: str) -> NoReturn:
    raise TraceFormatError(reason)


class _Changes(NamedTuple):
    """Changes of memory; all columns have one length."""

    times: npt.NDArray[np.int64]
    """ns; below 0: before the capture."""

    sizes: npt.NDArray[np.int64]
    categories: npt.NDArray[np.int8]


def _read_changes(parsed: Any) -> _Changes:
    """Return all changes of a decoded file."""
    if len(parsed) == 2 and isinstance(parsed[1], list) and all(isinstance(row, list) for row in parsed[1]):
        times = np.array(parsed[0], np.int64)
        totals = np.array(parsed[1], np.int64).reshape(len(times), -1)[:, 1 : len(CATEGORIES) + 1]
        changes = np.diff(totals, axis=0, prepend=0)
        rows, columns = np.nonzero(changes)
        return _Changes(times[rows], changes[rows, columns], columns.astype(np.int8))
    records = np.array(parsed, np.int64).reshape(-1, 4)
    categories = np.where((records[:, 3] >= 0) & (records[:, 3] < len(CATEGORIES)), records[:, 3], len(CATEGORIES) - 1)
    return _Changes(records[:, 0], records[:, 2], categories.astype(np.int8))
