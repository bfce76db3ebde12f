"""`tbtui print` as a whole process: wall time and CPU, the median of eleven.

    python tests/benchmarks/bench_print.py

Goal for the chart of one tag of 7 runs of 440 points: 400 ms from exec to exit. Beside it importing numpy alone, which
tells how busy the machine is, and a chart of a run of 1,000,000 points that was read before.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parents[2]))

from tbtui.events.writer import EventFileWriter

TIMES = 11


def write(root: Path, runs: int, points: int) -> None:
    for run in range(runs):
        path = root / f"run{run}"
        path.mkdir(parents=True)
        with EventFileWriter(str(path / "events.out.tfevents.1.bench"), wall_time=1.7e9) as writer:
            for step in range(points):
                writer.scalar("loss", (run + 1) / (step + 1) ** 0.5, step, 1.7e9 + step)


def measure(*words: str, environ: dict[str, str]) -> str:
    """Wall and CPU time of a command, in seconds."""
    walls, cpus = [], []
    for number in range(TIMES + 1):
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run([sys.executable, *words], env=environ, check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if number:  # the first reads from the disk
            walls.append(time.perf_counter() - began)
            cpus.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return f"{median(walls):.3f} s, {median(cpus):.3f} s of CPU (at best {min(walls):.3f}, {min(cpus):.3f})"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        few, many = Path(folder, "few"), Path(folder, "many")
        write(few, 7, 440)
        write(many, 1, 1_000_000)
        environ = {**os.environ, "XDG_CACHE_HOME": folder, "PYTHONPATH": str(Path(__file__).parents[2])}
        printing = ("-m", "tbtui", "print")
        print("importing numpy          ", measure("-c", "import numpy", environ=environ))
        print("one chart, 7 x 440 points", measure(*printing, str(few), environ=environ))
        print("one chart, 1,000,000     ", measure(*printing, str(many), environ=environ))


if __name__ == "__main__":
    main()
