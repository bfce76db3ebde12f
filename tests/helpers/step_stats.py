"""Make run metadata: operations, their devices, start and duration."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tbtui.events.schema import get_message_class

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

CPU = "/job:localhost/replica:0/task:0/device:CPU:0"
GPU = "/job:localhost/replica:0/task:0/device:GPU:0"
STREAM = f"{GPU}/stream:all"


class Ran(NamedTuple):
    """One execution; times in nanoseconds from an arbitrary zero."""

    name: str
    start: int = 0
    took: int = 0
    memory: Sequence[int] = ()
    thread: int = 0
    label: str = ""


def step_stats(
    devices: Mapping[str, Sequence[Ran]], thread_names: Mapping[str, Mapping[int, str]] | None = None
) -> bytes:
    """Return a serialized `RunMetadata`."""
    made = get_message_class("RunMetadata")()
    for name, executions in devices.items():
        device = made.step_stats.dev_stats.add(device=name)
        device.thread_names.update((thread_names or {}).get(name, {}))
        for ran in executions:
            node = device.node_stats.add(
                node_name=ran.name,
                all_start_micros=ran.start // 1000,
                all_start_nanos=ran.start,
                all_end_rel_micros=ran.took // 1000,
                all_end_rel_nanos=ran.took,
                thread_id=ran.thread,
                timeline_label=ran.label,
            )
            for size in ran.memory:
                node.memory.add(total_bytes=size)
    data: bytes = made.SerializeToString()
    return data
