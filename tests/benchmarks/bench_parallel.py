"""The first load of many runs, by one process and by several, beside TensorBoard's data server.

    python tests/benchmarks/bench_parallel.py [--server BINARY] [--jobs N] [--rounds N] [LOGDIR]

Without LOGDIR, 300 runs of 20 tags x 1,000 steps are written: 6,000,000 points. BINARY is what
`tensorboard_data_server.server_binary()` names; it keeps all points too (`--samples-per-plugin scalars=all`). All take
turns, each in a fresh process; modules are imported and the server listens before the time begins. Memory is that of
the program and its workers together, pages that they share counted once.

Goal: with workers at most half of the server's time.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

import psutil

sys.path.insert(0, str(Path(__file__).parents[2]))

from harness import keep_bytecode

from tbtui.events.writer import EventFileWriter
from tbtui.loading.loader import Loader
from tbtui.loading.sources import parse_sources

RUNS, TAGS, STEPS = 300, 20, 1000
_LOADED = re.compile(r"Finished load cycle \(([\d.]+)(m?s)\)")
_SAMPLE_SECONDS = 0.02


def write(logs: Path) -> None:
    """Runs that differ in their values, one event a value."""
    for run in range(RUNS):
        path = logs / f"exp{run % 6}" / f"run{run:03d}"
        path.mkdir(parents=True)
        with EventFileWriter(str(path / "events.out.tfevents.1.bench"), wall_time=1.7e9) as writer:
            for number in range(STEPS * TAGS):
                step, tag = divmod(number, TAGS)
                writer.scalar(f"group{tag % 5}/metric{tag}", (run + number) ** 0.5, step, 1.7e9 + number / 1000)


def proportional(process: psutil.Process) -> int:
    """Bytes of a process and its children."""
    count = 0
    for each in (process, *process.children(recursive=True)):
        with suppress(psutil.Error):
            count += each.memory_full_info().pss
    return count


def measure(logdir: str, jobs: int) -> dict[str, float]:
    """Load a log directory in this process, and perhaps others."""
    loader = Loader(parse_sources([logdir]), reload_seconds=0, jobs=jobs)
    base = proportional(psutil.Process())
    began = time.perf_counter()
    state = loader.load_all()
    seconds = time.perf_counter() - began
    points = sum(len(series) for run in state.snapshot.runs.values() for series in run.series.values())
    return {"seconds": seconds, "points": points, "bytes": proportional(psutil.Process()) - base}


def in_fresh_process(logdir: str, jobs: int, *, sampled: bool = False) -> dict[str, float]:
    """Seconds, points and bytes; with `sampled` also the most bytes meanwhile, which costs time."""
    command = [sys.executable, __file__, "--measure", "--jobs", str(jobs), logdir]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        most, ended = [0], threading.Event()

        def sample() -> None:
            with suppress(psutil.Error):
                while not ended.wait(_SAMPLE_SECONDS):
                    most.append(proportional(psutil.Process(running.pid)))

        if sampled:
            threading.Thread(target=sample, daemon=True).start()
        said, _ = running.communicate()
        ended.set()
    found: dict[str, float] = json.loads(said)
    return {**found, "most": max(most)}


def served(binary: str, logdir: str) -> float:
    """Seconds of the server's first load, as it tells them."""
    command = [binary, "--logdir", logdir, "--port", "0", "--reload", "once", "--verbose"]
    command += ["--samples-per-plugin", "scalars=all"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        try:
            for line in server.stderr or ():
                if found := _LOADED.search(line):
                    return float(found[1]) * (0.001 if found[2] == "ms" else 1)
        finally:
            server.kill()
    raise SystemExit(f"{binary} loaded nothing")


def compare(logdir: str, jobs: int, rounds: int, binary: str | None) -> None:
    in_fresh_process(logdir, 1)  # files and bytecode are in memory now
    seconds: dict[str, list[float]] = {}
    for _ in range(rounds):
        for count in (1, jobs):
            seconds.setdefault(f"jobs {count}", []).append(in_fresh_process(logdir, count)["seconds"])
        if binary is not None:
            seconds.setdefault("data server", []).append(served(binary, logdir))
    best = {name: min(taken) for name, taken in seconds.items()}
    for name, taken in best.items():
        print(
            f"{name:<14} {taken:6.2f} s   ({max(seconds[name]):.2f} at worst)   {taken / best['jobs 1']:.2f} x jobs 1"
        )
    if binary is not None:
        print(f"{'jobs / server':<14} {best[f'jobs {jobs}'] / best['data server']:6.2f}     goal 0.5 at most")
    for count in (1, jobs):
        found = in_fresh_process(logdir, count, sampled=True)
        print(
            f"memory, jobs {count}: {found['bytes'] / found['points']:.1f} bytes a point at the end, "
            f"{found['most'] / 1e6:.0f} MB at most for {24 * found['points'] / 1e6:.0f} MB of points"
        )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", metavar="BINARY")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("logdir", nargs="?")
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(options.logdir, options.jobs)))
        return
    with tempfile.TemporaryDirectory(prefix="tbtui-bench-") as folder:
        keep_bytecode(Path(folder))
        logs = Path(folder) / "logs"
        if not options.logdir:
            write(logs)
        compare(options.logdir or str(logs), options.jobs, options.rounds, options.server)


if __name__ == "__main__":
    main()
