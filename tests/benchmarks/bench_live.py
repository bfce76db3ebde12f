"""How soon a flushed value is on the screen, and what it costs to draw it, with one chart in sight and with eight.

Other viewers can be measured on the same logs: `bench_live.py 'viewer {logs}' …`.
"""

from __future__ import annotations

import random
import shlex
import sys
import time
from typing import TYPE_CHECKING

from bench_start import DOTS
from harness import EventFileWriter, PtyApp, burst, environment, figure, product, temporary, write_run

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

UPDATES = 40
HISTORY = 400

EIGHT = tuple(f"loss/part{number}" for number in range(8))
LARGE = (160, 50)
"""Cells of a terminal in which eight charts are in sight."""


def measure(
    name: str, command: Sequence[str], run: Path, tag: str, goal: int, size: tuple[int, int] = (120, 40)
) -> None:
    """Flush values of one tag at uneven moments; each burst of output is one update."""
    noise = random.Random(1)
    waits, sizes = [], []
    charts = 0
    more = run / f"events.out.tfevents.{int(time.time()) + 1}.{name.replace(' ', '-')}"
    with EventFileWriter(str(more)) as writer, PtyApp(command, size, env=environment(run.parents[1])) as app:
        app.until(tag)
        burst(app, quiet=2.0, patience=2.0)
        for step in range(HISTORY, HISTORY + UPDATES):
            end = time.perf_counter() + 0.5 + 2 * noise.random()
            while (left := end - time.perf_counter()) > 0:
                app.pump(left)
            writer.scalar(tag, 0.1 + noise.random() / 10, step, time.time())
            written, flushed = len(app.raw), time.perf_counter()
            writer.flush()
            _, ended, size = burst(app, quiet=0.25)
            waits.append(1000 * (ended - flushed))
            sizes.append(size)
            charts += DOTS.search(app.raw, written) is not None
    figure(f"{name}: flush to the last byte of that update", waits, "ms", "200 at most")
    figure(f"{name}: bytes an update", sizes, "bytes", f"{goal:,} at most")
    # A step is about half a dot wide here: of two that fall on one dot column the second often lights no other dot.
    print(f"{name}: {charts} of {UPDATES} updates lit other dots of the chart")


def main() -> None:
    """One viewer after the other, then tbtui with more charts."""
    with temporary() as directory:
        run = directory / "logs" / "run"
        write_run(run, ["loss/train"], HISTORY)
        measure("tbtui", product(str(run.parent)), run, "loss/train", 2000)
        for other in sys.argv[1:]:
            words = shlex.split(other.replace("{logs}", str(run.parent)))
            measure(words[0].rpartition("/")[2], words, run, "loss/train", 2000)
    with temporary() as directory:
        run = directory / "logs" / "run"
        write_run(run, EIGHT, HISTORY)
        measure("tbtui, 8 charts", product(str(run.parent)), run, EIGHT[3], 4000, LARGE)


if __name__ == "__main__":
    main()
