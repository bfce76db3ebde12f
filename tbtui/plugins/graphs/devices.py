"""Devices on which the operations of a run were executed, and the choice of those that are counted."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from tbtui.plugins.graphs.formats.run_metadata import Executions

_DEVICE = re.compile(r"(?:device:[^:]+|/(?:cpu|gpu|tpu)):[0-9]+$")
"""TensorBoard `tf-graph-controls.ts` `DEVICE_NAME_REGEX`, and device names of TensorFlow before 1.4."""


class DeviceUse(NamedTuple):
    """A device on which operations ran."""

    name: str
    """Full name as written."""

    short: str
    """Short name such as `GPU:0`, if it is unique."""

    is_real: bool
    """False for streams and copies, whose executions the device reports too."""

    is_counted: bool
    executions: int
    """Number of executions."""


def is_device(name: str) -> bool:
    """Return True for the name of a device; False for streams and copies, which repeat its executions."""
    return _DEVICE.search(name) is not None


def default_device_indices(names: Sequence[str]) -> frozenset[int]:
    """Return the indices of the devices that are counted by default; all indices if `is_device` accepts no name."""
    real = frozenset(index for index, name in enumerate(names) if is_device(name))
    return real or frozenset(range(len(names)))


def default_device_names(devices: Sequence[DeviceUse]) -> frozenset[str]:
    """Return the names of the devices that are counted by default."""
    names = [device.name for device in devices]
    return frozenset(names[index] for index in default_device_indices(names))


def count_device_uses(executions: Executions, counted_indices: Collection[int]) -> tuple[DeviceUse, ...]:
    """Return the devices of a run with their numbers of executions.

    Args:
        executions: Executions of the run.
        counted_indices: Indices of the devices that are counted.
    """
    names = executions.devices
    execution_counts = np.bincount(executions.device, minlength=len(names)).tolist()
    shorts = shorten_device_names(names)
    return tuple(
        DeviceUse(name, shorts[index], is_device(name), index in counted_indices, execution_counts[index])
        for index, name in enumerate(names)
    )


def next_device_names(devices: Sequence[DeviceUse]) -> frozenset[str]:
    """Return the names of the devices to count next: the default ones, then each by itself, streams and copies too."""
    single = (frozenset((device.name,)) for device in devices)
    choices = list(dict.fromkeys((default_device_names(devices), *single)))
    current = frozenset(device.name for device in devices if device.is_counted)
    index = choices.index(current) if current in choices else -1
    return choices[(index + 1) % len(choices)]


def shorten_device_names(names: Sequence[str]) -> list[str]:
    """Return names of devices without their machine, if they stay distinct."""
    shorts = [name.rpartition("/device:")[2] for name in names]  # `GPU:0/stream:all` stays complete
    return shorts if len(set(shorts)) == len(set(names)) else list(names)
