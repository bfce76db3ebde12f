"""CPU and memory to load one run of scalar events into the store, files, framing, decoding and all.

    python tests/benchmarks/bench_load.py [EVENTS] [TAGS]

Goals for 1,000,000 events over 50 tags: at most 2 s of CPU, and at most 30 bytes of resident memory a point more than a
process that has imported the same and loaded next to nothing. (A point itself is 24 bytes.)
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

sys.path.insert(0, str(Path(__file__).parents[2]))

from tbtui.events.writer import EventFileWriter
from tbtui.loading.loader import Loader
from tbtui.loading.sources import parse_sources


def write(path: Path, events: int, tags: int) -> None:
    """One event a value, as most training loops write them."""
    with EventFileWriter(str(path), wall_time=1.7e9) as writer:
        for number in range(events):
            step, tag = divmod(number, tags)
            writer.scalar(f"group_{tag % 7}/metric_{tag:03d}", number**0.5, step, 1.7e9 + number / 1000)


def measure(logdir: str) -> dict[str, float]:
    """Load a log directory in this process."""
    began = time.process_time()
    state = Loader(parse_sources([logdir]), reload_seconds=0).load_all()
    points = sum(len(series) for run in state.snapshot.runs.values() for series in run.series.values())
    return {"cpu": time.process_time() - began, "points": points, "rss": psutil.Process().memory_info().rss}


def in_fresh_process(logdir: Path) -> dict[str, float]:
    done = subprocess.run([sys.executable, __file__, "--measure", str(logdir)], check=True, capture_output=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def main() -> None:
    events, tags = (int(word) for word in (*sys.argv[1:3], *("1000000", "50")[len(sys.argv) - 1 :]))
    with tempfile.TemporaryDirectory() as folder:
        small, full = Path(folder, "small"), Path(folder, "full")
        for logdir, count in ((small, 100), (full, events)):
            logdir.mkdir()
            write(logdir / "events.out.tfevents.1.bench", count, tags)
        base = in_fresh_process(small)
        runs = [in_fresh_process(full) for _ in range(3)]
    best = min(runs, key=lambda run: run["cpu"])
    print(f"{best['points']:,.0f} points over {tags} tags")
    print(f"cpu        {best['cpu']:.2f} s")
    print(f"memory     {(best['rss'] - base['rss']) / best['points']:.1f} bytes a point")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        print(json.dumps(measure(sys.argv[2])))
    else:
        main()
