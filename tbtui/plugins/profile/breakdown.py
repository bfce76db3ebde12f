"""Breakdown of the time of a step: each instant counts once, for the most important class at that instant."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tbtui.frozen import frozen
from tbtui.maths.intervals import compute_exclusive_times, merge, sum_lengths
from tbtui.plugins.profile.trace import XLA, Kind

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.maths.intervals import Intervals
    from tbtui.plugins.profile.launches import CallTree
    from tbtui.plugins.profile.steps import Steps
    from tbtui.plugins.profile.trace import Trace


class TimeClass(NamedTuple):
    """A class of time."""

    key: str
    letter: str
    title: str
    short: str


COMPUTE = TimeClass("compute", "C", "compute", "compute")
COMMUNICATION = TimeClass("communication", "X", "exposed communication", "exposed comm")
COPIES = TimeClass("copies", "M", "memory copies", "copies")
FILLS = TimeClass("fills", "F", "memory fills", "fills")
INPUT = TimeClass("input", "I", "waiting for input", "input")
LAUNCH = TimeClass("launch", "L", "launching", "launching")
OPERATORS = TimeClass("operators", "K", "CPU operators", "CPU operators")
HOST = TimeClass("host", "P", "Python and other host work", "Python, other")
NOTHING = TimeClass("nothing", "·", "nothing recorded", "nothing")

CLASSES = (COMPUTE, COMMUNICATION, COPIES, FILLS, INPUT, LAUNCH, OPERATORS, HOST, NOTHING)
"""All classes by precedence; work of a device stands above simultaneous work of its host."""

_COLLECTIVE_KERNEL = re.compile(r"^(?:void )?(?:nccl|rccl|msccl)", re.IGNORECASE)
_COLLECTIVE_OP = re.compile(r"all-?reduce|all-?gather|reduce-?scatter|all-?to-?all|collective-?permute", re.IGNORECASE)
_WAIT = re.compile(r"enumerate\(DataLoader\)|DataLoader.*__next__|^IteratorGetNext|BufferFromHost|TransferToDevice")
"""Host events that wait for the next batch; `Iterator::` prepares batches ahead."""

_LAYER = re.compile(
    r"^(?:EagerExecute|EagerLocalExecute|EagerKernelExecute|FunctionRun|Profiled batch|ThreadpoolListener)"
)
"""Host events of TensorFlow that only wrap others, or that wait."""


@frozen(eq=False)
class Breakdown:
    """Time of each class in each step."""

    times: npt.NDArray[np.float64]
    """float64[steps, classes]: µs; a row adds up to the duration of its step."""

    @property
    def mean(self) -> npt.NDArray[np.float64]:
        """float64[classes]: µs a step."""
        mean: npt.NDArray[np.float64] = self.times.mean(axis=0)
        return mean

    def share(self, kind: TimeClass) -> float:
        """Return the share of a class in the time of all steps, 0 to 1."""
        duration = float(self.times.sum())
        return float(self.times[:, CLASSES.index(kind)].sum()) / duration if duration > 0 else 0.0


def is_collective(trace: Trace) -> npt.NDArray[np.bool_]:
    """Return True for each kernel that communicates, bool[n]."""
    names = np.array(
        [bool(_COLLECTIVE_KERNEL.match(name) or _COLLECTIVE_OP.match(name)) for name in trace.names], np.bool_
    )
    return trace.is_of_kind(Kind.KERNEL) & trace.match_names(names) if len(names) else np.zeros(len(trace), np.bool_)


def break_down(trace: Trace, steps: Steps) -> Breakdown:
    """Return the time of each class in each step."""
    collective = is_collective(trace)
    layers = np.array([_LAYER.match(name) is not None for name in trace.names], np.bool_)
    host = trace.is_of_kind(Kind.PYTHON, Kind.OTHER, Kind.SYNC)
    if len(layers):
        host &= ~trace.match_names(layers)
    waits = np.array([_WAIT.search(name) is not None for name in trace.names], np.bool_)
    is_wait = trace.is_of_kind(Kind.INPUT) & trace.match_names(waits) if len(waits) else host
    host = host | trace.is_of_kind(Kind.INPUT) & ~is_wait
    is_counted = _is_on_counted_thread(trace, steps, is_wait)
    masks = (
        trace.is_of_kind(Kind.KERNEL) & ~collective,
        collective | trace.is_of_kind(Kind.COLLECTIVE),
        trace.is_of_kind(Kind.COPY),
        trace.is_of_kind(Kind.SET),
        is_wait & is_counted,
        trace.is_of_kind(Kind.RUNTIME) & is_counted,
        trace.is_of_kind(Kind.OPERATOR) & is_counted,
        host & is_counted,
    )
    classes = [_unite(trace, mask) for mask in masks]
    return Breakdown(compute_exclusive_times(classes, steps.starts, steps.ends))


def _is_on_counted_thread(trace: Trace, steps: Steps, is_wait: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return True for each event of a thread that counts for the host.

    A loop of TensorFlow that fetches its input itself counts alone, as in xprof; other threads work ahead.
    """
    rows = [step.row for step in steps.steps if step.row >= 0]
    if trace.writer == XLA and rows:
        is_on_thread: npt.NDArray[np.bool_] = np.isin(trace.track_ids, np.unique(trace.track_ids[rows]))
        if bool((is_wait & is_on_thread).any()):
            return is_on_thread
    return np.ones(len(trace), np.bool_)


def _unite(trace: Trace, mask: npt.NDArray[np.bool_]) -> Intervals:
    return merge(trace.starts[mask], trace.ends[mask])


@frozen
class DeviceUse:
    """Work of one device within the steps."""

    name: str
    tracks: tuple[int, ...]
    busy: float
    """Share of the time of the steps in which anything ran on it, 0 to 1."""

    host_late: float
    """Share in which it waited for a launch that had not been made."""

    waiting: float
    """Share in which it waited for something else: a dependency, another stream, a copy."""

    occupancy: float
    """Estimated achieved occupancy in percent, weighted by time; NaN if not recorded."""

    efficiency: float
    """Estimated share of multiprocessors in use, 0 to 1; NaN if not recorded."""

    kernels: int
    median_kernel: float
    """µs."""


def measure_device_uses(trace: Trace, calls: CallTree, steps: Steps) -> tuple[DeviceUse, ...]:
    """Return the use of each device that did anything."""
    by_device: dict[str, list[int]] = {}
    for track in trace.device_tracks:
        by_device.setdefault(trace.tracks[track].process, []).append(track)
    return tuple(
        _measure_device_use(trace, calls, steps, _read_device_name(trace, name, tracks), tuple(tracks))
        for name, tracks in sorted(by_device.items())
    )


def _read_device_name(trace: Trace, process: str, tracks: list[int]) -> str:
    label = trace.tracks[tracks[0]].process_name
    match = re.search(r"GPU:? ?\d+|TPU:? ?\d+", label)
    return match[0].replace(":", " ") if match else f"device {process}" if process.isdigit() else process


def _measure_device_use(trace: Trace, calls: CallTree, steps: Steps, name: str, tracks: tuple[int, ...]) -> DeviceUse:
    starts, ends = steps.starts, steps.ends
    window = max(float(ends.max() - starts.min()), 1e-9)
    is_on_device = np.isin(trace.track_ids[calls.device_rows], tracks)
    rows, launches = calls.device_rows[is_on_device], calls.launches[is_on_device]
    is_within = (trace.ends[rows] > starts.min()) & (trace.starts[rows] < ends.max())
    rows, launches = rows[is_within], launches[is_within]
    begins = np.clip(trace.starts[rows], starts.min(), ends.max())
    finishes = np.clip(trace.ends[rows], starts.min(), ends.max())
    busy = sum_lengths(merge(begins, finishes)) / window
    late, waiting = _measure_idle(
        begins, finishes, np.where(launches >= 0, trace.starts[launches], np.nan), starts.min(), ends.max()
    )
    kernels = rows[trace.kinds[rows] == Kind.KERNEL]
    lengths = trace.durations[kernels]
    return DeviceUse(
        name,
        tracks,
        busy,
        late / window,
        waiting / window,
        _average(trace.occupancies[kernels], lengths),
        _measure_efficiency(trace, kernels, starts, ends),
        len(kernels),
        float(np.median(lengths)) if len(lengths) else 0.0,
    )


def _measure_idle(
    begins: npt.NDArray[np.float64],
    ends: npt.NDArray[np.float64],
    launch_starts: npt.NDArray[np.float64],
    start: float,
    end: float,
) -> tuple[float, float]:
    """Return µs of gaps that a late launch caused, and of the other gaps."""
    if not len(begins):
        return 0.0, 0.0
    order = np.argsort(begins, kind="stable")
    begins, reached, launch_starts = begins[order], np.maximum.accumulate(ends[order]), launch_starts[order]
    gap_starts = np.append(start, reached[:-1])
    gaps = np.maximum(begins - gap_starts, 0.0)
    is_late = ~(launch_starts <= gap_starts)  # a launch that is not known counts as late: the device had nothing to do
    rest = max(end - float(reached[-1]), 0.0)
    late = float(gaps[is_late].sum()) + rest
    return late, float(gaps[~is_late].sum())


def _average(values: npt.NDArray[np.float32], weights: npt.NDArray[np.float64]) -> float:
    is_known = np.isfinite(values)
    weight = float(weights[is_known].sum())
    return (
        float((values[is_known].astype(np.float64) * weights[is_known]).sum()) / weight if weight > 0 else float("nan")
    )


def _measure_efficiency(
    trace: Trace, kernels: npt.NDArray[np.int64], starts: npt.NDArray[np.float64], ends: npt.NDArray[np.float64]
) -> float:
    """Return the share of multiprocessors in use: blocks of overlapping kernels add up, to 1 at most."""
    kernels = kernels[np.isfinite(trace.blocks[kernels])]
    if not len(kernels):
        return float("nan")
    weights = np.minimum(trace.blocks[kernels].astype(np.float64), 1.0)
    begins = np.clip(trace.starts[kernels], starts.min(), ends.max())
    finishes = np.clip(trace.ends[kernels], starts.min(), ends.max())
    edges = np.concatenate((begins, finishes))
    order = np.argsort(edges, kind="stable")
    level = np.cumsum(np.concatenate((weights, -weights))[order])
    widths = np.diff(edges[order])
    window = float(ends.max() - starts.min())
    return float((np.clip(level[:-1], 0.0, 1.0) * widths).sum()) / window if window > 0 else float("nan")
