"""The report of `tbtui inspect --json`: strict JSON, one object; scripts rely on its names."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.store.snapshot import ScalarSeries

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TextIO

    from tbtui.store.snapshot import EventFile, RunSnapshot, Series


def write_report(logdir: str, runs: Sequence[RunSnapshot], out: TextIO) -> None:
    """Write what the files of some runs hold.

    Args:
        logdir: The paths as the user gave them.
        runs: What to report.
        out: Where it goes.
    """
    report = {"logdir": logdir, "runs": {run.name: _run(run) for run in runs}}
    # The lines of indented JSON would take most of the time for runs of many tags.
    out.write(json.dumps(report, allow_nan=False) + "\n")


def _run(run: RunSnapshot) -> dict[str, Any]:
    return {
        "files": [_file(file) for file in run.files],
        "tags": {tag: _series(series) for tag, series in run.series.items()},
    }


def _file(file: EventFile) -> dict[str, Any]:
    return asdict(file) | {
        "first_wall_time": _number(file.first_wall_time),
        "last_wall_time": _number(file.last_wall_time),
    }


def _series(series: Series) -> dict[str, Any]:
    described = {
        "plugin": series.metadata.plugin_name,
        "count": len(series),
        "superseded": series.superseded,
        "first_step": int(series.steps[0]),
        "last_step": int(series.steps[-1]),
        "first_wall_time": _number(series.wall_times[0]),
        "last_wall_time": _number(series.wall_times[-1]),
    }
    return described | (_scalars(series) if isinstance(series, ScalarSeries) else {})


def _scalars(series: ScalarSeries) -> dict[str, Any]:
    values = series.values
    finite = values[np.isfinite(values)]
    return {
        "first": _number(values[0]),
        "last": _number(values[-1]),
        "min": _number(finite.min()) if len(finite) else None,
        "max": _number(finite.max()) if len(finite) else None,
        "nan": int(np.count_nonzero(np.isnan(values))),
        "inf": int(np.count_nonzero(np.isinf(values))),
    }


def _number(value: float | None) -> float | str | None:
    """A number that reads back to the same float64; JSON has none for what is not finite, so that is spelled."""
    if value is None or math.isfinite(value):
        return value if value is None else float(value)
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"
