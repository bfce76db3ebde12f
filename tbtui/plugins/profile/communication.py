"""Collectives of a capture, and of all ranks of a job: bytes, bandwidth, hidden time, waits of the ranks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tbtui.charts.numbers import format_count
from tbtui.frozen import frozen
from tbtui.maths.intervals import merge, sum_covered_between
from tbtui.plugins.profile.breakdown import COMMUNICATION, is_collective
from tbtui.plugins.profile.summary import format_percent, rank_text, time_text
from tbtui.plugins.profile.tables import shorten_kernel_name
from tbtui.plugins.profile.trace import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from tbtui.plugins.profile.capture import Analysis

MAX_READ = 5_000
"""Collectives whose arguments are read from the file."""

MIN_WAIT_DIFFERENCE = 0.10
"""Share of the step by which waits of the ranks differ, from which the slowest rank is named."""

_TYPE_BYTES = {
    **dict.fromkeys(("char", "byte", "bool", "int8", "uint8", "float8_e4m3fn", "float8_e5m2"), 1),
    **dict.fromkeys(("half", "bfloat16", "short", "int16", "float16"), 2),
    **dict.fromkeys(("float", "int", "int32", "float32"), 4),
    **dict.fromkeys(("double", "long", "int64", "float64"), 8),
}


@frozen(eq=False)
class CollectiveRow:
    """Calls of one collective."""

    name: str
    calls: int
    total: float
    """µs."""

    exposed: float
    """µs in which nothing computes at the same time."""

    nbytes: float
    """Bytes of all messages; NaN if not recorded."""

    bandwidth: float
    """Bus bandwidth in bytes a second; NaN if not recorded."""

    transfer: float
    """µs in which all ranks took part; NaN for one rank."""

    wait: float
    """µs in which the rank waited for others; NaN for one rank."""

    rows: npt.NDArray[np.int64]

    @property
    def mean(self) -> float:
        """µs."""
        return self.total / self.calls if self.calls else 0.0


def find_collectives(analysis: Analysis) -> npt.NDArray[np.int64]:
    """Return the rows of collectives, in order of time."""
    trace = analysis.trace
    mask = is_collective(trace) | trace.is_of_kind(Kind.COLLECTIVE)
    if analysis.within is not None:
        mask &= analysis.within
    rows = np.flatnonzero(mask)
    ordered: npt.NDArray[np.int64] = rows[np.argsort(trace.starts[rows], kind="stable")]
    return ordered


def list_collectives(analysis: Analysis, ranks: Sequence[Analysis] = ()) -> list[CollectiveRow]:
    """Return the collectives by name, those with most time first.

    Args:
        analysis: The capture.
        ranks: Captures of all ranks of the job, with this one; fewer than two: waiting is not known.
    """
    trace, rows = analysis.trace, find_collectives(analysis)
    compute = trace.is_of_kind(Kind.KERNEL) & ~is_collective(trace)
    merged = merge(trace.starts[compute], trace.ends[compute])
    hidden = sum_covered_between(merged, trace.starts[rows], trace.ends[rows])
    waits = rank_waits(ranks)[list(ranks).index(analysis)] if len(ranks) > 1 else None
    indices_by_name: dict[str, list[int]] = {}
    arguments = [analysis.arguments(row) for row in rows[:MAX_READ].tolist()]
    for index, row in enumerate(rows.tolist()):
        indices_by_name.setdefault(
            _read_collective_name(trace.name(row), arguments[index] if index < MAX_READ else {}), []
        ).append(index)
    collectives = []
    for name, indices in indices_by_name.items():
        group = rows[indices]
        lengths = trace.durations[group]
        sizes = [_read_message_size(arguments[index]) for index in indices if index < MAX_READ]
        nbytes = sum(size.nbytes for size in sizes) if sizes and all(size.nbytes > 0 for size in sizes) else math.nan
        bus_bytes = sum(size.nbytes * size.bus_factor for size in sizes) if nbytes == nbytes else math.nan  # noqa: PLR0124
        total = float(lengths.sum())
        wait = math.nan if waits is None else float(sum(waits.get(int(row), 0.0) for row in group))
        collectives.append(
            CollectiveRow(
                name,
                len(group),
                total,
                float((lengths - hidden[indices]).sum()),
                nbytes,
                bus_bytes / (total / 1e6) if total > 0 else math.nan,
                total - wait,
                wait,
                group,
            )
        )
    return sorted(collectives, key=lambda row: (-row.total, row.name))


def _read_collective_name(name: str, arguments: dict[str, Any]) -> str:
    collective, group = arguments.get("Collective name"), arguments.get("Process Group Name")
    if isinstance(collective, str) and collective:
        return f"{collective} (group {group})" if group else collective
    return shorten_kernel_name(name)


class _MessageSize(NamedTuple):
    """Size of the message of one call."""

    nbytes: float
    """0 if not recorded."""

    bus_factor: float
    """Factor from `nbytes` to the bytes that pass the slowest link."""


def _read_message_size(arguments: dict[str, Any]) -> _MessageSize:
    """Return the size of the message of a call."""
    width = _TYPE_BYTES.get(str(arguments.get("dtype", "")).lower(), 0)
    sent, received = arguments.get("In msg nelems"), arguments.get("Out msg nelems")
    ranks = arguments.get("Group size")
    name = str(arguments.get("Collective name", "")).lower()
    if not isinstance(sent, int) or not width:
        return _MessageSize(0.0, 1.0)
    count = received if "gather" in name and isinstance(received, int) else sent
    share = (ranks - 1) / ranks if isinstance(ranks, int) and ranks > 0 else 1.0
    factor = 2 * share if "allreduce" in name.replace("_", "") else share if ranks else 1.0
    return _MessageSize(float(count * width), factor)


def rank_waits(ranks: Sequence[Analysis]) -> list[dict[int, float]]:
    """Return µs that each rank waited in each of its collectives, by row.

    The n-th collective of one name belongs together on all ranks; the shortest is the transfer, the rest is waiting.
    """
    sequences: list[dict[str, list[int]]] = []
    for analysis in ranks:
        by_name: dict[str, list[int]] = {}
        for row in find_collectives(analysis).tolist():
            by_name.setdefault(analysis.trace.name(row), []).append(row)
        sequences.append(by_name)
    waits: list[dict[int, float]] = [{} for _ in ranks]
    for name in set().union(*sequences):
        lists = [by_name.get(name, []) for by_name in sequences]
        for position in range(min(map(len, lists))):
            rows = [rank_rows[position] for rank_rows in lists]
            times = [float(analysis.trace.durations[row]) for analysis, row in zip(ranks, rows, strict=True)]
            transfer = min(times)
            for rank, (row, time) in enumerate(zip(rows, times, strict=True)):
                waits[rank][row] = time - transfer
    return waits


@frozen(eq=False)
class RankSummary:
    """One rank of a job."""

    name: str
    step: float
    """µs."""

    busy: float
    exposed: float
    """Share of exposed communication."""

    wait: float
    """µs a step in which it waited for other ranks; NaN for one rank."""


def rank_summaries(ranks: Sequence[Analysis]) -> list[RankSummary]:
    """Return one summary for each rank."""
    waits = rank_waits(ranks) if len(ranks) > 1 else [{} for _ in ranks]
    summaries = []
    for analysis, rank_wait in zip(ranks, waits, strict=True):
        count = len(analysis.steps.steps)
        summaries.append(
            RankSummary(
                rank_text(analysis) or analysis.source.title,
                float(analysis.steps.durations.mean()),
                max((device.busy for device in analysis.devices), default=math.nan),
                analysis.breakdown.share(COMMUNICATION),
                sum(rank_wait.values()) / count if len(ranks) > 1 else math.nan,
            )
        )
    return summaries


def describe_straggler(summaries: Sequence[RankSummary]) -> str:
    """Return a sentence about the rank that the others wait for, which waits least; empty for one rank."""
    if len(summaries) < 2:
        return ""
    slowest = min(summaries, key=lambda rank: rank.wait)
    fastest = max(summaries, key=lambda rank: rank.wait)
    difference = fastest.wait - slowest.wait
    if difference < MIN_WAIT_DIFFERENCE * max(slowest.step, 1e-9):
        return f"the ranks are even: the waits differ by {time_text(difference)} a step"
    return f"{slowest.name} is the straggler: {fastest.name} waits {time_text(difference)} a step longer"


def describe_hidden_share(rows: Sequence[CollectiveRow]) -> str:
    """Return the share of all communication that compute hides, as text; empty without communication."""
    total, exposed = sum(row.total for row in rows), sum(row.exposed for row in rows)
    if total <= 0:
        return ""
    calls = format_count(sum(row.calls for row in rows), "collective")
    return f"{calls}, {time_text(total)} in all, {format_percent(1 - exposed / total)} hidden behind compute"
