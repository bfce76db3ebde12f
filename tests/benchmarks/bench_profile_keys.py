"""Time from a key in the Profile tab until its answer begins on the terminal, in a trace of a million events.

Usage: `python tests/benchmarks/bench_profile_keys.py [MEGABYTES]` (default 215: a million ranges), at 120x40.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from bench_profile import write_trace
from harness import PtyApp, burst, cpu_seconds, environment, figure, product, temporary

if TYPE_CHECKING:
    from collections.abc import Sequence

SIZE = (120, 40)
QUIET = 0.15
GOAL = "33 ms"
DOWN, RIGHT = "\x1b[B", "\x1b[C"


def measure(app: PtyApp, name: str, keys: Sequence[str], repeats: int = 8) -> None:
    """Print milliseconds until the first byte of the answer to each key, and milliseconds of CPU for each."""
    taken, before = [], cpu_seconds(app)
    for key in [*keys] * repeats:
        pressed = time.perf_counter()
        app.send(key)
        first, _, count = burst(app, QUIET, 2)
        if count:
            taken.append(1000 * (first - pressed))
    cpu = 1000 * (cpu_seconds(app) - before) / (len(keys) * repeats)
    figure(name, taken or [0.0], "ms", f"{GOAL}; {cpu:.0f} ms of CPU a key")


def main() -> None:
    """Print a line for each kind of key."""
    megabytes = next((int(word) for word in sys.argv[1:] if word.isdigit()), 215)
    with temporary() as directory:
        write_trace(directory / "logs" / "rank0.pt.trace.json", megabytes)
        words = product(str(directory / "logs"), "--fresh")
        with PtyApp(words, size=SIZE, env=environment(directory)) as app:
            app.until("operator_", 120)
            while app.pump(5):
                pass
            measure(app, "a row of the table", [DOWN])
            measure(app, "sort", ["t"], 6)
            measure(app, "step", ["]", "["], 4)
            measure(app, "group by shape, the first time", ["B"], 1)
            measure(app, "a row while the shapes are read", [DOWN], 4)
            while app.pump(2):
                pass
            app.send("BBB")
            while app.pump(1):
                pass
            measure(app, "timeline, the first time", ["mT"], 1)
            while app.pump(2):
                pass
            measure(app, "another track", [DOWN], 2)
            measure(app, "zoom", ["z", "z", "z", "Z", "Z", "Z"], 3)
            app.send("zz")
            while app.pump(1):
                pass
            measure(app, "next event", [RIGHT])
            measure(app, "move", ["H", "L"])
            measure(app, "next of the name", ["n"])
            measure(app, "launch and kernel", ["U"])
            measure(app, "overview, operators", ["ms", "mo"], 4)


if __name__ == "__main__":
    main()
