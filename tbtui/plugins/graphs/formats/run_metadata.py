"""Read `RunMetadata`: every execution of an operation on every device, as columns.

Source: TensorFlow `core/framework/step_stats.proto`; TensorBoard `tf_graph_common/graph.ts`
`joinStatsInfoWithGraph`, which ignores negative allocations and durations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.events.schema import decode_text
from tbtui.frozen import frozen
from tbtui.plugins.graphs.formats.salvage import GraphError, Salvage

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy.typing as npt


NANOS_PER_MICRO = 1000


MAX_VALUE = (1 << 62) - 1
"""Maximum nanoseconds or bytes; larger values are clipped.

As a time it is in the year 2116; the sum of two such values is an int64.
"""


@frozen(eq=False)
class Executions:
    """Columns with one entry for each execution of an operation, device by device in file order."""

    devices: tuple[str, ...]
    """Names, such as `/job:localhost/replica:0/task:0/device:CPU:0`; idle devices are included."""

    names: tuple[str, ...]
    """Operations as the runtime names them: mostly names of nodes."""

    labels: tuple[str, ...]
    """Labels of the runtime, such as `layer/mm = MatMul(x, w)`; may be empty."""

    device: npt.NDArray[np.int32]
    """Index into `devices`."""

    threads: npt.NDArray[np.int64]
    """Thread numbers of the runtime; 0 if unknown."""

    starts: npt.NDArray[np.int64]
    """Nanoseconds since 1970, 0 to `MAX_VALUE`."""

    durations: npt.NDArray[np.int64]
    """Nanoseconds from start to end, 0 to `MAX_VALUE`; 0 if not measured."""

    memory: npt.NDArray[np.int64]
    """Allocated bytes, 0 to `MAX_VALUE`."""

    thread_names: Mapping[tuple[int, int], str]
    """Names of threads by index of the device and number of the thread."""

    shapes: tuple[tuple[tuple[int, ...] | None, ...], ...]
    """Observed shapes of outputs: -1 is an unknown length, None an unknown shape."""

    notes: tuple[str, ...]
    """Sentences about parts that could not be read or were not counted."""

    def __len__(self) -> int:
        return len(self.names)


def read_executions(metadata: bytes) -> Executions:
    """Read the executions in serialized `RunMetadata`; empty if it holds no step statistics.

    Of damaged or truncated metadata the readable executions are returned, with notes about the others.

    Raises:
        GraphError: The bytes are something else.
    """
    salvage = Salvage("run metadata")
    stats = salvage.read("RunMetadataStats", metadata).step_stats
    if salvage.notes and not stats.dev_stats:
        raise GraphError("the run metadata cannot be decoded")
    rows = [(number, node) for number, device in enumerate(stats.dev_stats) for node in device.node_stats]
    nodes = [node for _, node in rows]
    starts = [_read_nanoseconds(node, "all_start") for node in nodes]
    durations = [_read_nanoseconds(node, "all_end_rel") for node in nodes]
    allocated = [[memory.total_bytes for memory in node.memory] for node in nodes]
    return Executions(
        devices=tuple(decode_text(device.device) for device in stats.dev_stats),
        names=tuple(decode_text(node.node_name) for node in nodes),
        labels=tuple(decode_text(node.timeline_label) for node in nodes),
        device=np.array([number for number, _ in rows], np.int32),
        threads=np.array([node.thread_id for node in nodes], np.int64),
        starts=_clip(starts),
        durations=_clip(durations),
        memory=_clip([sum(size for size in sizes if size > 0) for sizes in allocated]),
        thread_names={
            (number, thread): decode_text(name)
            for number, device in enumerate(stats.dev_stats)
            for thread, name in device.thread_names.items()
        },
        shapes=tuple(tuple(map(_read_shape, node.output)) for node in nodes),
        notes=(*salvage.notes, *_iter_range_notes([*starts, *durations], allocated)),
    )


def _iter_range_notes(times: Sequence[int], allocated: Sequence[Sequence[int]]) -> Iterator[str]:
    """Yield notes on values out of range, with counts."""
    if count := sum(not 0 <= time <= MAX_VALUE for time in times):
        yield f"times out of bounds: {count:,}"
    if count := sum(size < 0 for sizes in allocated for size in sizes):
        yield f"allocations below zero: {count:,}"


def _read_nanoseconds(node: Any, prefix: str) -> int:
    """Return a time in nanoseconds; older writers have only the field in microseconds."""
    nanos: int = getattr(node, f"{prefix}_nanos")
    return nanos or getattr(node, f"{prefix}_micros") * NANOS_PER_MICRO


def _clip(numbers: Sequence[int]) -> npt.NDArray[np.int64]:
    return np.array([min(max(number, 0), MAX_VALUE) for number in numbers], np.int64)


def _read_shape(output: Any) -> tuple[int, ...] | None:
    description = output.tensor_description
    if not description.HasField("shape") or description.shape.unknown_rank:
        return None
    return tuple(int(dim.size) for dim in description.shape.dim)
