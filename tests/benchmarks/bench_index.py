"""Loading logs the first time and again, when what was read is kept.

    python tests/benchmarks/bench_index.py [LOGDIR]

Without LOGDIR: 1,000,000 points in one run of 50 tags, then 6,000,000 in 300 runs of 20 tags x 1,000 steps. Wall
seconds of the loader alone, medians of five after one that is not counted. The first time includes keeping it.

Goal: again in at most 0.1 of the first time.
"""

from __future__ import annotations

import shutil
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from bench_load import write
from harness import temporary

from tbtui.loading.cache.index_folder import IndexFolder, RunIndexes
from tbtui.loading.loader import Loader
from tbtui.loading.sources import parse_sources

ROUNDS = 5


def seconds(logs: Path, cache: Path | None) -> tuple[float, int]:
    """How long loading takes, and how many points there are."""
    began = time.perf_counter()
    indexes = None if cache is None else RunIndexes(IndexFolder(cache))
    state = Loader(parse_sources([str(logs)]), reload_seconds=0, indexes=indexes).load_all()
    taken = time.perf_counter() - began
    return taken, sum(len(series) for run in state.snapshot.runs.values() for series in run.series.values())


def compare(name: str, logs: Path, cache: Path) -> None:
    times: dict[str, list[float]] = {"without keeping": [], "first": [], "again": []}
    points = 0
    for _ in range(ROUNDS + 1):
        times["without keeping"].append(seconds(logs, None)[0])
        shutil.rmtree(cache, ignore_errors=True)
        times["first"].append(seconds(logs, cache)[0])
        again, points = seconds(logs, cache)
        times["again"].append(again)
    medians = {which: statistics.median(each[1:]) for which, each in times.items()}
    held = IndexFolder(cache).measure_usage()
    print(f"{name}: {points:,} points, kept in {held.bytes / 1e6:.0f} MB")
    for which, median in medians.items():
        print(f"  {which:16} {1000 * median:8.1f} ms  {median / medians['first']:.3f} x the first time")


def main() -> None:
    with temporary() as folder:
        cache = folder / "cache"
        if sys.argv[1:]:
            compare(sys.argv[1], Path(sys.argv[1]), cache)
            return
        for name, runs, events, tags in (("one run", 1, 1_000_000, 50), ("300 runs", 300, 20_000, 20)):
            logs = folder / name
            for number in range(runs):
                path = logs / f"run{number:03d}" / "events.out.tfevents.1.bench"
                path.parent.mkdir(parents=True)
                if number:
                    shutil.copyfile(logs / "run000" / path.name, path)
                else:
                    write(path, events, tags)
            compare(name, logs, cache)


if __name__ == "__main__":
    main()
