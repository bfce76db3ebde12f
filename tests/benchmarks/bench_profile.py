"""Times of the Profile tab for a large trace: reading, analysis, a frame of the timeline and of the flame graph.

Usage: `python tests/benchmarks/bench_profile.py [MEGABYTES] [--json]`. Without an argument it writes a trace of 60 MB
to a temporary directory, in the layout of Kineto. `--json` also reads it with `json` of the standard library.
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[2]))

from tbtui.plugins.profile.capture import CaptureSource, read_capture
from tbtui.plugins.profile.flame import build_flame, draw_flame
from tbtui.plugins.profile.timeline import select_event, show_all, zoom
from tbtui.plugins.profile.timeline_drawing import draw_timeline
from tbtui.store.snapshot import AssetFile

if TYPE_CHECKING:
    from collections.abc import Callable

    from tbtui.plugins.profile.capture import Analysis

OPERATORS = 200
"""Names of operators."""


def best(work: Callable[[], object], repeats: int = 5) -> float:
    """Milliseconds of CPU of the fastest of several runs."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times) * 1e3


def memory() -> float:
    """Greatest resident size so far in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def write_trace(path: Path, megabytes: int) -> None:
    """Write steps with operators, their launches and kernels, of about a size."""
    with path.open("w") as file:
        file.write('{\n  "schemaVersion": 1,\n  "traceEvents": [\n')
        written, number, now = 0, 0, 0.0
        while written < megabytes << 20:
            if number % 3000 == 0:
                text = _event("user_annotation", f"ProfilerStep#{number // 3000}", 1, 1, now, 60_000.0, {})
                written += file.write(text)
            name = f"aten::operator_{number * 7919 % OPERATORS}"
            arguments = {"External id": number, "Ev Idx": number, "Input Dims": [[64, 256], [256, 256]]}
            launch = {"External id": number, "cbid": 211, "correlation": number}
            kernel = {"stream": 7, "correlation": number, "grid": [1, 2, 3], "est. achieved occupancy %": 50}
            text = _event("cpu_op", name, 1, 1, now, 15.0, arguments)
            text += _event("cuda_runtime", "cudaLaunchKernel", 1, 1, now + 4, 6.0, launch)
            text += _event("kernel", f"kernel_{number % OPERATORS}", 0, 7, now + 12, 18.0, kernel)
            written += file.write(text)
            number, now = number + 1, now + 20.0
        file.write(_event("cpu_op", "aten::end", 1, 1, now, 1.0, {}).rstrip(",\n") + "\n  ]\n}\n")


def _event(category: str, name: str, process: int, thread: int, start: float, length: float, more: object) -> str:
    return (
        f'  {{\n    "ph": "X", "cat": "{category}", "name": "{name}", "pid": {process}, "tid": {thread},\n'
        f'    "ts": {start:.3f}, "dur": {length:.3f},\n    "args": {json.dumps(more)}\n  }},\n'
    )


def main() -> None:
    """Print one line for each measurement."""
    sizes = [int(word) for word in sys.argv[1:] if word.isdigit()]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "big.pt.trace.json"
        write_trace(path, sizes[0] if sizes else 60)
        size = path.stat().st_size
        before, begin, first = memory(), time.process_time(), 0.0
        analysis: Analysis | None = None
        for found in read_capture(CaptureSource("run", "big", "big", AssetFile("profile", "big", str(path), size, 1))):
            if found is not None:
                analysis = found
                if not first:
                    _ = found.advice
                    first = time.process_time() - begin
        assert analysis is not None
        print(f"{size / 1e6:.0f} MB, {len(analysis.trace):,} ranges")
        print(f"first overview           {first:8.2f} s")
        print(f"read                     {time.process_time() - begin:8.2f} s, {memory() - before:.0f} MB more memory")
        for name in ("calls", "steps", "breakdown", "operators", "kernels", "advice", "timeline"):
            print(f"{name:24} {best(lambda part=name: getattr(analysis, part), 1):8.0f} ms")  # type: ignore[misc]
        visible_range = replace(show_all(analysis.timeline), rows=8)
        kernel = int(analysis.calls.device_rows[len(analysis.calls.device_rows) // 2])
        visible_range = select_event(analysis.timeline, visible_range, kernel, 38)
        for magnification in (1, 10, 100, 10_000):
            near = zoom(analysis.timeline, visible_range, magnification)
            frame = best(lambda near=near: draw_timeline(analysis, analysis.timeline, near, 120, 40))  # type: ignore[misc]
            print(f"frame at {magnification:<15} {frame:8.1f} ms")
        flame = build_flame(analysis, "operators", "host", None)
        print(f"flame graph              {best(lambda: draw_flame(flame, 120, 40)):8.1f} ms")
        if "--json" in sys.argv:
            begin = time.process_time()
            json.loads(path.read_bytes())
            print(f"json                     {time.process_time() - begin:8.2f} s, {memory():.0f} MB at most")


if __name__ == "__main__":
    main()
