"""Compare operators and their times with torch-tb-profiler and xprof, and the CPU time of each.

Usage: `python tests/benchmarks/bench_profile_agreement.py FILE…`, with traces of PyTorch (`*.pt.trace.json[.gz]`) and
profiles (`*.xplane.pb`), where `xprof` and `torch-tb-profiler` are installed. torch-tb-profiler 0.4.3 does not know the
categories `cuda_runtime` and `cuda_driver`: they are added, else all of its device times are 0.

xprof writes files beside a profile, so that it reads a copy. Each tool runs in a process of its own.
"""

from __future__ import annotations

import json
import logging
import multiprocessing
import resource
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

sys.path.insert(0, str(Path(__file__).parents[2]))

if TYPE_CHECKING:
    from collections.abc import Callable

Operators: TypeAlias = "dict[str, tuple[float, ...]]"
"""Calls, own and total time of the host, own and total time of the device; µs."""

WITHIN = 0.6
"""µs: traces with whole microseconds round each event."""

MAX_SHOWN = 4


def of_tbtui(path: str) -> Operators:
    """Return the operators of this project."""
    from tbtui.plugins.profile.capture import CaptureSource, load_capture
    from tbtui.plugins.profile.tables import list_operators
    from tbtui.store.snapshot import AssetFile

    analysis = load_capture(CaptureSource("run", "a", "a", AssetFile("profile", "a", path, 1, 1)))
    _ = analysis.advice
    return {
        row.name: (row.calls, row.host_own, row.host_total, row.device_own, row.device_total)
        for row in list_operators(analysis.trace, analysis.calls)
    }


def of_plugin(path: str) -> Operators:
    """Return the operators of torch-tb-profiler."""
    from torch_tb_profiler.profiler import trace  # type: ignore[import-not-found]
    from torch_tb_profiler.profiler.data import RunProfileData  # type: ignore[import-not-found]

    logging.disable(logging.CRITICAL)
    trace.EventTypeMap["cuda_runtime"] = trace.EventTypeMap["cuda_driver"] = trace.EventTypes.RUNTIME
    trace.EventTypeMap.pop("gpu_user_annotation", None)
    with tempfile.TemporaryDirectory() as folder:
        profile = RunProfileData.parse("worker", "span", path, folder)
    return {
        row.name: (
            row.calls,
            row.self_host_duration,
            row.host_duration,
            row.self_device_duration,
            row.device_duration,
        )
        for row in profile.op_list_groupby_name
    }


def of_xprof(path: str) -> Operators:
    """Return the operators of the host of xprof, which names no type."""
    from xprof.convert import raw_to_tool_data  # type: ignore[import-not-found]

    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copy(path, Path(folder) / "host.xplane.pb")
        raw_to_tool_data.xspace_to_tool_data([str(copy)], "overview_page", {})
        text, _ = raw_to_tool_data.xspace_to_tool_data([str(copy)], "framework_op_stats", {})
    found = {}
    for table in json.loads(text):
        names = [column["id"] for column in table["cols"]]
        for cells in table["rows"]:
            row = dict(zip(names, (cell["v"] for cell in cells["c"]), strict=True))
            if row["host_or_device"] == "Host" and row["operation"] != "IDLE":
                found[row["operation"]] = row["occurrences"], row["total_self_time"], row["total_time"], 0.0, 0.0
        if found:
            break
    return found


def _measured(work: Callable[[str], Operators], path: str, answers: Any) -> None:
    start = time.process_time()
    found = work(path)
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    answers.put((found, time.process_time() - start, size))


def measure(work: Callable[[str], Operators], path: str) -> tuple[Operators, float, float]:
    """Return the operators, seconds of CPU with imports, and the greatest resident size in MB, of a new process."""
    context = multiprocessing.get_context("spawn")
    answers: Any = context.Queue()
    process = context.Process(target=_measured, args=(work, path, answers))
    process.start()
    found: tuple[Operators, float, float] = answers.get(timeout=600)
    process.join()
    return found


def main() -> None:
    """Print a line for each file, and the first operators that differ."""
    for path in sys.argv[1:]:
        is_xspace = path.endswith(".pb")
        ours, seconds, size = measure(of_tbtui, path)
        if is_xspace:
            ours = {name if name.startswith("Iterator::") else name.rpartition(":")[0]: ours[name] for name in ours}
        theirs, their_seconds, their_size = measure(of_xprof if is_xspace else of_plugin, path)
        differing = [
            name
            for name, figures in theirs.items()
            if name not in ours or any(abs(a - b) > WITHIN for a, b in zip(ours[name], figures, strict=True))
        ]
        print(
            f"{'/'.join(Path(path).parts[-2:])}: {len(theirs) - len(differing)} of {len(theirs)} operators are equal; "
            f"tbtui {seconds:.2f} s {size:.0f} MB, {'xprof' if is_xspace else 'plugin'} {their_seconds:.2f} s "
            f"{their_size:.0f} MB"
        )
        for name in differing[:MAX_SHOWN]:
            print(f"    {name}: {ours.get(name)} here, {theirs[name]} there")


if __name__ == "__main__":
    main()
