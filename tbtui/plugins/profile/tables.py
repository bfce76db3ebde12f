"""Tables of operators, kernels and other events, grouped by name, shape, module or source line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from tbtui.frozen import frozen
from tbtui.plugins.profile.breakdown import is_collective
from tbtui.plugins.profile.trace import NOTHING, OPERATORS, Kind

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.plugins.profile.launches import CallTree
    from tbtui.plugins.profile.steps import Steps
    from tbtui.plugins.profile.trace import EventTexts, Trace

Grouping: TypeAlias = Literal["name", "shape", "module", "line"]
GROUPINGS: tuple[Grouping, ...] = ("name", "shape", "module", "line")

_TENSOR_CORE = re.compile(
    r"16816|c1688|h1688|s1688|h884|s884|hmma|i8816|i16832|xmma_gemm|xmma_implicit_gemm|xmma_fprop|xmma_dgrad|xmma_wgrad"
    r"|nvjet|wgmma|tensorop|flash_fwd|flash_bwd|fmha"
)
"""Parts of the names of kernels that use tensor cores; xprof 2.24 lacks those of Hopper and of attention."""

_NAMELESS = frozenset({"kernel", "kernel2", "device_kernel"})
"""Names that all kernels of CUTLASS have: those of their wrappers."""

_ANONYMOUS = re.compile(r"\(anonymous namespace\)::|<unnamed>::")


@frozen
class OperatorRow:
    """Calls of one operator, or of one operator with the same shapes, module or source line."""

    name: str
    group: str
    """Shapes, module or line; empty if rows are grouped by name."""

    calls: int
    host_own: float
    """µs without the operators and runtime calls inside."""

    host_total: float
    device_own: float
    """µs of the device events that it launched itself."""

    device_total: float
    kernels: int
    rows: npt.NDArray[np.int64]
    """int64[calls]: its events."""


@frozen
class KernelRow:
    """Executions of one kernel, or copies and fills of one kind."""

    name: str
    calls: int
    total: float
    """µs."""

    least: float
    greatest: float
    share: float
    """Share of the time of all device events, 0 to 1."""

    occupancy: float
    """Percent, weighted by time; NaN if not recorded."""

    uses_tensor_cores: bool
    is_collective: bool
    operator: str
    """Name of the operator that launches most of it; empty if unknown."""

    rows: npt.NDArray[np.int64]

    @property
    def mean(self) -> float:
        """µs."""
        return self.total / self.calls if self.calls else 0.0


def shorten_kernel_name(name: str) -> str:
    """Return the name of a kernel without return type, template arguments and parameters."""
    text = _ANONYMOUS.sub("", name).removeprefix("void ")
    outer: list[str] = []
    depth = 0
    for char in text:
        if char == "<":
            depth += 1
        elif char == ">":
            depth = max(depth - 1, 0)
        elif char == "(" and not depth:
            break
        elif not depth:
            outer.append(char)
    short = "".join(outer).rsplit("::", 1)[-1].strip()
    if short.lower() in _NAMELESS and "<" in text:  # a wrapper, whose argument is the kernel that it runs
        inner = text.partition("<")[2].rsplit(">", 1)[0].strip()
        return shorten_kernel_name(inner) if inner else name
    return short or name


def is_in_steps(trace: Trace, steps: Steps, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Return True for each event that begins within a step, bool[n]."""
    starts = steps.starts
    index = np.searchsorted(starts, trace.starts[rows], "right") - 1
    return (index >= 0) & (trace.starts[rows] < steps.ends[np.maximum(index, 0)])


def list_operators(
    trace: Trace,
    calls: CallTree,
    within: npt.NDArray[np.bool_] | None = None,
    groups: EventTexts | None = None,
) -> list[OperatorRow]:
    """Return the operators, those with most device time of their own first, then those with most of the host.

    Args:
        trace: The capture.
        calls: Its calls.
        within: bool[n]: the events that count; None: all.
        groups: Shapes, module or line of each event; None: rows are grouped by name.
    """
    mask = trace.is_of_kind(*OPERATORS)
    if within is not None:
        mask &= within
    rows = np.flatnonzero(mask)
    if not len(rows):
        return []
    keys = trace.name_ids[rows].astype(np.int64)
    if groups is not None:
        keys = keys * len(groups.texts) + groups.numbers[rows]
    kernels = np.bincount(calls.owners[calls.owners >= 0], minlength=len(trace))
    order = np.argsort(keys, kind="stable")
    parts = np.split(rows[order], np.flatnonzero(np.diff(keys[order])) + 1)
    is_outer = np.zeros(len(trace), np.bool_)
    is_outer[rows] = _is_outer(trace, calls, rows)
    is_duplicate = np.zeros(len(trace), np.bool_)
    is_duplicate[_find_duplicates(trace, calls, rows)] = True
    operators = []
    for part in parts:
        outer, first = part[is_outer[part]], int(part[0])
        counted = part[~is_duplicate[part]]
        group = "" if groups is None else groups.texts[groups.numbers[first]]
        operators.append(
            OperatorRow(
                trace.name(first),
                group,
                len(counted),
                float(calls.self_times[part].sum()),
                float(trace.durations[outer].sum()),
                float(calls.device_own[part].sum()),
                float(calls.device_total[outer].sum()),
                int(kernels[part].sum()),
                counted,
            )
        )
    return sorted(operators, key=lambda row: (-row.device_own, -row.host_own, row.name, row.group))


def _is_outer(trace: Trace, calls: CallTree, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Return True for each call that is not inside one of the same name, bool[rows]: only its time counts."""
    is_outer = np.ones(len(rows), np.bool_)
    callers = calls.parents[rows]
    active = np.flatnonzero(callers >= 0)
    while len(active):
        has_same_name = trace.name_ids[callers[active]] == trace.name_ids[rows[active]]
        is_outer[active[has_same_name]] = False
        active = active[~has_same_name]
        callers[active] = calls.parents[callers[active]]
        active = active[callers[active] >= 0]
    return is_outer


def _find_duplicates(trace: Trace, calls: CallTree, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return calls that are the only call inside one of the same name: the dispatcher records one call twice."""
    is_operator = trace.is_of_kind(*OPERATORS)
    callers = calls.parents[rows]
    is_inside = (callers >= 0) & is_operator[callers]
    child_counts = np.bincount(callers[is_inside], minlength=len(trace))
    has_same_name = trace.name_ids[np.maximum(callers, 0)] == trace.name_ids[rows]
    duplicates: npt.NDArray[np.int64] = rows[is_inside & has_same_name & (child_counts[callers] == 1)]
    return duplicates


def list_kernels(trace: Trace, calls: CallTree, within: npt.NDArray[np.bool_] | None = None) -> list[KernelRow]:
    """Return kernels, copies and fills by name, those with most time first."""
    rows, owners = calls.device_rows, calls.owners
    if within is not None:
        is_within = within[rows]
        rows, owners = rows[is_within], owners[is_within]
    if not len(rows):
        return []
    total = float(trace.durations[rows].sum())
    collective = is_collective(trace)
    order = np.argsort(trace.name_ids[rows], kind="stable")
    rows, owners = rows[order], owners[order]
    cuts = np.flatnonzero(np.diff(trace.name_ids[rows])) + 1
    kernels = []
    for part, part_owners in zip(np.split(rows, cuts), np.split(owners, cuts), strict=True):
        lengths = trace.durations[part]
        occupancies = trace.occupancies[part]
        is_known = np.isfinite(occupancies) & (lengths > 0)
        weight = float(lengths[is_known].sum())
        name = trace.name(int(part[0]))
        kernels.append(
            KernelRow(
                name,
                len(part),
                float(lengths.sum()),
                float(lengths.min()),
                float(lengths.max()),
                float(lengths.sum()) / total if total > 0 else 0.0,
                float((occupancies[is_known] * lengths[is_known]).sum()) / weight if weight > 0 else float("nan"),
                _TENSOR_CORE.search(name) is not None,
                bool(collective[part[0]]),
                _find_usual_name(trace, part_owners),
                part,
            )
        )
    return sorted(kernels, key=lambda row: (-row.total, row.name))


def _find_usual_name(trace: Trace, owners: npt.NDArray[np.int64]) -> str:
    known = owners[owners >= 0]
    if not len(known):
        return ""
    names, counts = np.unique(trace.name_ids[known], return_counts=True)
    return trace.names[int(names[int(counts.argmax())])]


def list_host_calls(
    trace: Trace, calls: CallTree, within: npt.NDArray[np.bool_] | None, kind: Kind
) -> list[OperatorRow]:
    """Return the calls of one kind by name, those with most time first; they launch nothing themselves."""
    mask = trace.is_of_kind(kind)
    if within is not None:
        mask &= within
    rows = np.flatnonzero(mask)
    order = np.argsort(trace.name_ids[rows], kind="stable")
    rows = rows[order]
    parts = np.split(rows, np.flatnonzero(np.diff(trace.name_ids[rows])) + 1) if len(rows) else []
    operators = [
        OperatorRow(
            trace.name(int(part[0])),
            "",
            len(part),
            float(calls.self_times[part].sum()),
            float(trace.durations[part].sum()),
            0.0,
            0.0,
            0,
            part,
        )
        for part in parts
    ]
    return sorted(operators, key=lambda row: (-row.host_total, row.name))


def find_launch_and_owner(calls: CallTree, row: int) -> tuple[int, int]:
    """Return the launch and the owner of a device event; `NOTHING` if unknown, and for other events."""
    index = int(np.searchsorted(calls.device_rows, row))
    if index < len(calls.device_rows) and calls.device_rows[index] == row:
        return int(calls.launches[index]), int(calls.owners[index])
    return NOTHING, NOTHING
