"""Export profiles as tables: steps, operators, kernels and events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.export.request import Rows
from tbtui.export.table import Table, build_object_column
from tbtui.plugins.profile.breakdown import CLASSES
from tbtui.plugins.profile.capture import SHARED, CaptureError, list_capture_sources
from tbtui.plugins.profile.trace import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import numpy.typing as npt

    from tbtui.export.request import ExportRequest
    from tbtui.plugins.profile.capture import Analysis

STEP_COLUMNS = ("capture", "step", "start_us", "duration_us", *(f"{kind.key}_us" for kind in CLASSES))
OPERATOR_COLUMNS = (
    *("capture", "name", "calls", "host_total_us", "host_self_us", "device_total_us", "device_self_us", "kernels"),
)
KERNEL_COLUMNS = (
    *("capture", "name", "calls", "total_us", "mean_us", "least_us", "greatest_us", "occupancy", "tensor_cores"),
    *("collective", "operator"),
)
EVENT_COLUMNS = ("capture", "name", "kind", "process", "track", "start_us", "duration_us", "step", "correlation")


def step_rows(request: ExportRequest) -> Rows:
    """Return one row for each step."""
    return Rows(STEP_COLUMNS, _iter_tables(request, _build_step_columns))


def export_operators(request: ExportRequest) -> Rows:
    """Return one row for each operator of each capture."""
    return Rows(OPERATOR_COLUMNS, _iter_tables(request, _build_operator_columns))


def export_kernels(request: ExportRequest) -> Rows:
    """Return one row for each kernel of each capture."""
    return Rows(KERNEL_COLUMNS, _iter_tables(request, _build_kernel_columns))


def export_events(request: ExportRequest) -> Rows:
    """Return one row for each event that has a duration."""
    return Rows(EVENT_COLUMNS, _iter_tables(request, _build_event_columns))


def _iter_tables(
    request: ExportRequest, build_columns: Callable[[Analysis], Mapping[str, npt.NDArray[Any]]]
) -> Iterator[Table]:
    for run in request.runs:
        for source in list_capture_sources(run):
            if not request.tag_matches(source.tag):
                continue
            try:
                analysis = SHARED.load(source)
            except CaptureError as error:
                request.skipped.add_reasons(run.name, source.tag, 0, [str(error)])
                continue
            request.skipped.add_reasons(run.name, source.tag, 1, [])
            columns = build_columns(analysis)
            count = max(map(len, columns.values()), default=0)
            if count:
                yield Table(
                    run.name,
                    source.tag,
                    {"capture": build_object_column([_format_capture_name(analysis)] * count), **columns},
                )


def _format_capture_name(analysis: Analysis) -> str:
    source = analysis.source
    return source.worker if source.count == 1 else f"{source.worker} {source.number}"


def _build_step_columns(analysis: Analysis) -> dict[str, npt.NDArray[Any]]:
    steps = analysis.steps
    return {
        "step": np.array([step.number for step in steps.steps], np.int64),
        "start_us": steps.starts,
        "duration_us": steps.durations,
        **{f"{kind.key}_us": analysis.breakdown.times[:, index] for index, kind in enumerate(CLASSES)},
    }


def _build_operator_columns(analysis: Analysis) -> dict[str, npt.NDArray[Any]]:
    rows = analysis.operators
    return {
        "name": build_object_column([row.name for row in rows]),
        "calls": np.array([row.calls for row in rows], np.int64),
        "host_total_us": np.array([row.host_total for row in rows]),
        "host_self_us": np.array([row.host_own for row in rows]),
        "device_total_us": np.array([row.device_total for row in rows]),
        "device_self_us": np.array([row.device_own for row in rows]),
        "kernels": np.array([row.kernels for row in rows], np.int64),
    }


def _build_kernel_columns(analysis: Analysis) -> dict[str, npt.NDArray[Any]]:
    rows = analysis.kernels
    return {
        "name": build_object_column([row.name for row in rows]),
        "calls": np.array([row.calls for row in rows], np.int64),
        "total_us": np.array([row.total for row in rows]),
        "mean_us": np.array([row.mean for row in rows]),
        "least_us": np.array([row.least for row in rows]),
        "greatest_us": np.array([row.greatest for row in rows]),
        "occupancy": np.array([row.occupancy for row in rows], np.float64),
        "tensor_cores": build_object_column(["yes" if row.uses_tensor_cores else "no" for row in rows]),
        "collective": build_object_column(["yes" if row.is_collective else "no" for row in rows]),
        "operator": build_object_column([row.operator for row in rows]),
    }


def _build_event_columns(analysis: Analysis) -> dict[str, npt.NDArray[Any]]:
    trace, steps = analysis.trace, analysis.steps
    order = np.argsort(trace.starts, kind="stable")
    starts = trace.starts[order]
    index = np.searchsorted(steps.starts, starts, "right") - 1
    is_inside = (index >= 0) & (starts < steps.ends[np.maximum(index, 0)]) & (steps.source != "whole")
    numbers = np.array([step.number for step in steps.steps], np.int64)[np.maximum(index, 0)]
    correlations = trace.correlations[order]
    kinds = [Kind(kind).name.lower() for kind in range(len(Kind))]
    return {
        "name": build_object_column([trace.names[name] for name in trace.name_ids[order].tolist()]),
        "kind": build_object_column([kinds[kind] for kind in trace.kinds[order].tolist()]),
        "process": build_object_column([trace.tracks[track].process for track in trace.track_ids[order].tolist()]),
        "track": build_object_column([trace.tracks[track].title for track in trace.track_ids[order].tolist()]),
        "start_us": starts,
        "duration_us": trace.durations[order],
        "step": _build_optional_column(numbers, is_inside),
        "correlation": _build_optional_column(correlations, correlations >= 0),
    }


def _build_optional_column(values: npt.NDArray[Any], is_present: npt.NDArray[np.bool_]) -> npt.NDArray[Any]:
    """Return a column of integers, None where there is no value."""
    column = values.astype(object)
    column[~is_present] = None
    return column
