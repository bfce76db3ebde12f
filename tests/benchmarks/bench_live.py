"""How soon a flushed value is on the screen, and what it costs to draw it: one chart of one tag is visible.

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


def measure(name: str, command: Sequence[str], directory: Path) -> None:
    """Flush values at uneven moments; each burst of output is one update."""
    noise = random.Random(1)
    waits, sizes = [], []
    charts = 0
    more = directory / "logs" / "run" / f"events.out.tfevents.{int(time.time()) + 1}.{name}"
    with EventFileWriter(str(more)) as writer, PtyApp(command, env=environment(directory)) as app:
        app.until("loss/train")
        burst(app, quiet=2.0, patience=2.0)
        for step in range(HISTORY, HISTORY + UPDATES):
            end = time.perf_counter() + 0.5 + 2 * noise.random()
            while (left := end - time.perf_counter()) > 0:
                app.pump(left)
            writer.scalar("loss/train", 0.1 + noise.random() / 10, step, time.time())
            written, flushed = len(app.raw), time.perf_counter()
            writer.flush()
            _, ended, size = burst(app, quiet=0.25)
            waits.append(1000 * (ended - flushed))
            sizes.append(size)
            charts += DOTS.search(app.raw, written) is not None
    figure(f"{name}: flush to the last byte of that update", waits, "ms", "200 at most")
    figure(f"{name}: bytes an update", sizes, "bytes", "2,000 at most")
    print(f"{name}: {charts} of {UPDATES} updates drew a part of the chart")


def main() -> None:
    """One viewer after the other."""
    with temporary() as directory:
        logs = directory / "logs"
        write_run(logs / "run", ["loss/train"], HISTORY)
        measure("tbtui", product(str(logs)), directory)
        for other in sys.argv[1:]:
            words = shlex.split(other.replace("{logs}", str(logs)))
            measure(words[0].rpartition("/")[2], words, directory)


if __name__ == "__main__":
    main()
