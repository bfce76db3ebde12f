"""Seconds from exec to the first array in Python, of whole processes: `tbtui.open` and other readers, side by side.

    python tests/benchmarks/bench_python.py [--tensorboard PYTHON] [--terminalboard PYTHON] [--events N]

PYTHON is one that can import the other: TensorBoard's EventAccumulator, told to keep all points, and terminalboard's
own reader. Programs take turns; each figure is the median of eleven runs, or of one that takes long. `numpy alone` says
how much of it is the import of numpy on this machine.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parent))

from harness import ROOT, environment, temporary, write_run

if TYPE_CHECKING:
    from collections.abc import Sequence

RUNS = 11
SLOW_SECONDS = 3.0
"""What takes longer is run once."""
TAGS = 50

_NUMPY = "import numpy"
_OURS = """
import sys, tbtui
values = tbtui.open(sys.argv[1], cache={cache})["run"].scalars("tag0").values
assert len(values) == int(sys.argv[2])
"""
_ACCUMULATOR = """
import sys
import numpy as np
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
found = EventAccumulator(sys.argv[1] + "/run", size_guidance=dict.fromkeys(("scalars", "tensors"), 0)).Reload()
if "tag0" in found.Tags()["scalars"]:
    values = np.array([event.value for event in found.Scalars("tag0")])
else:
    from tensorboard.util.tensor_util import make_ndarray
    values = np.array([make_ndarray(event.tensor_proto) for event in found.Tensors("tag0")])
assert len(values) == int(sys.argv[2])
"""
_TERMINALBOARD = """
import sys
import numpy as np
from terminalboard.reader import LightReader
values = np.array(LightReader(sys.argv[1]).poll()["run"].get("tag0").values)
assert len(values) == int(sys.argv[2])
"""


def measure(command: Sequence[str], environ: dict[str, str]) -> tuple[float, float]:
    """Wall and CPU seconds of a process that must not fail."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environ)
    taken, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return taken, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def side_by_side(programs: dict[str, list[str]], environ: dict[str, str]) -> None:
    """Print the median of each; the first turn only fills caches."""
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in programs}
    for turn in range(RUNS + 1):
        for name, command in programs.items():
            if turn and taken[name] and taken[name][0][0] > SLOW_SECONDS:
                continue
            figures = measure(command, environ)
            if turn or figures[0] > SLOW_SECONDS:
                taken[name].append(figures)
    for name, runs in taken.items():
        wall, cpu = (statistics.median(column) for column in zip(*runs, strict=True))
        least = min(wall for wall, _ in runs)
        print(f"  {name:24} wall {wall:7.3f} s (least {least:.3f})  CPU {cpu:7.3f} s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tensorboard", metavar="PYTHON")
    parser.add_argument("--terminalboard", metavar="PYTHON")
    parser.add_argument("--events", type=int, default=1_000_000)
    arguments = parser.parse_args()
    with temporary() as folder:
        changed = {**environment(folder), "XDG_CACHE_HOME": str(folder / "cache")}
        environ = {name: value for name, value in {**os.environ, **changed}.items() if value is not None}
        environ["PYTHONPATH"] = str(ROOT)
        for tags, steps in ((2, 200), (TAGS, arguments.events // TAGS)):
            logs = folder / "logs" / str(steps)
            write_run(logs / "run", [f"tag{number}" for number in range(tags)], steps)
            words = [str(logs), str(steps)]
            programs = {
                "numpy alone": [sys.executable, "-c", _NUMPY],
                "tbtui, nothing kept": [sys.executable, "-c", _OURS.format(cache=False), *words],
                "tbtui, read before": [sys.executable, "-c", _OURS.format(cache=True), *words],
            }
            if arguments.terminalboard:
                programs["terminalboard"] = [arguments.terminalboard, "-c", _TERMINALBOARD, *words]
            if arguments.tensorboard:
                programs["EventAccumulator"] = [arguments.tensorboard, "-c", _ACCUMULATOR, *words]
            print(f"{tags * steps:,} scalars of {tags} tags")
            side_by_side(programs, environ)


if __name__ == "__main__":
    main()
