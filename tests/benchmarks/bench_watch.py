"""What watching a very large log directory costs, and how soon an append is on the screen.

    python tests/benchmarks/bench_watch.py [--logs DIRECTORY] [--runs N] [--files N] [--others N]

The dashboard shows N runs (default 4,500) of N files (default 10), beside N directories without event files (default
3,000), as checkpoints and code make them. Figures: bytes to the terminal and CPU while nothing is written, and the time
from an append to one run until the terminal is written, for the newest and for the oldest run.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

import numpy as np
from harness import EventFileWriter, PtyApp, burst, cpu_seconds, environment, figure, product, temporary
from wide_logs import write_small_files

SECONDS = 30
QUIET_SECONDS = 2 * 86_400
"""Age of the files."""

APPENDS = 6


def _append(run: Path, step: int) -> float:
    """Append a point to the last file of a run; return when it was written."""
    with EventFileWriter(str(max(run.iterdir())), wall_time=None) as writer:
        # Far ahead, so that the x axis and the step in the list change: what looks as before is not written.
        writer.scalar("loss", 1.0 + step % 7, 100_000 * (step + 1), 1.8e9 + step % 100_000)
    return time.perf_counter()


def main() -> None:
    """Wait until everything is loaded and drawn, then watch."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--logs", type=Path)
    parser.add_argument("--runs", type=int, default=4500)
    parser.add_argument("--files", type=int, default=10)
    parser.add_argument("--others", type=int, default=3000)
    arguments = parser.parse_args()
    with temporary() as directory:
        logs = arguments.logs or directory / "wide"
        if not logs.exists():
            write_small_files(logs, arguments.runs, arguments.files)
            for number in range(arguments.others):
                (logs / "code" / f"part{number}").mkdir(parents=True)
            # Runs that have just been written change their states in the first minutes.
            written = time.time() - QUIET_SECONDS
            for file in logs.glob("model*/*"):
                os.utime(file, (written, written))
        runs = sorted(logs.glob("model*"))
        began = time.perf_counter()
        with PtyApp(product(str(logs)), env=environment(directory)) as app:
            app.until(f"{len(runs):,} runs", seconds=120)
            burst(app, quiet=6.0, patience=60.0)
            figure("until all is read and watched", [time.perf_counter() - began - 6.0], "s")
            written, spent = len(app.raw), cpu_seconds(app)
            end = time.perf_counter() + SECONDS
            while (left := end - time.perf_counter()) > 0:
                app.pump(left)
            figure(f"bytes written in {SECONDS} s", [len(app.raw) - written], "bytes", "0")
            figure("CPU", [100 * (cpu_seconds(app) - spent) / SECONDS], "%", "under 1")
            for name, run in (("newest", runs[-1]), ("oldest", runs[0])):
                waits, costs = [], []
                # Ahead of all steps, also of those of an earlier measurement of the same logs.
                first = int(time.time())
                for step in range(first, first + APPENDS):
                    spent = cpu_seconds(app)
                    written, since = len(app.raw), _append(run, step)
                    while len(app.raw) == written and time.perf_counter() - since < 60:
                        app.pump(0.005)
                    waits.append(time.perf_counter() - since)
                    burst(app, quiet=1.0, patience=3.0)
                    costs.append(cpu_seconds(app) - spent)
                figure(
                    f"an append to the {name} run until the terminal is written",
                    [1000 * float(np.median(waits))],
                    "ms",
                    "1000",
                )
                figure("CPU of it", [1000 * float(np.median(costs))], "ms")
            app.send("q")
            app.wait()


if __name__ == "__main__":
    main()
