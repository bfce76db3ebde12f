"""Start and keys with 1,000 runs of 10,000 tags: charts, run list, tag tree, filters, folding, Compare, palette.

    python tests/benchmarks/bench_wide_keys.py [--logs DIRECTORY] [--runs N] [--tags N]

The dashboard runs in a terminal. CPU is that of the UI thread and of all threads, from the key until the program writes
nothing more; other programs hardly change it, unlike the time to the first byte of the answer, which is printed too.
The start is measured beside that of a small log, and the keys of `bench_keys.py` while everything is being read.
"""

from __future__ import annotations

import argparse
import random
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bench_keys import keys_while_loading
from bench_start import DOTS, TAGS
from harness import PtyApp, burst, cpu_seconds, environment, figure, product, temporary, thread_seconds, write_run
from wide_logs import layer_tags, write_wide

if TYPE_CHECKING:
    from collections.abc import Sequence

QUIET_SECONDS = 0.4
REPEATS = 4
KEYS: tuple[tuple[str, tuple[str, ...], str, str], ...] = (
    ("next and previous chart", (), "j", "k"),
    ("a page of charts down, up", (), "\x1b[6~", "\x1b[5~"),
    ("smoothing more, less", (), "+", "-"),
    ("x axis", (), "x", "x"),
    ("run list: down, up", ("\t",), "j", "k"),
    ("run list: last, first", (), "G", "g"),
    ("run list: a run off, on", (), " ", " "),
    ("run list: solo, back", (), "s", "s"),
    ("run list: fold all, unfold all", (), "*", "*"),
    ("tag tree: down, up", ("\t",), "j", "k"),
    ("tag tree: last, first", (), "G", "g"),
    ("tag tree: fold all, unfold all", (), "*", "*"),
    ("tag filter: a letter, deleted", ("/",), "9", "\x7f"),
    ("run filter: a letter, deleted", ("\x1b", "\x1b", "\t", "\t", "/"), "9", "\x7f"),
    ("palette: open, close", ("\x1b", "\x1b"), "\x10", "\x1b"),
    ("palette: a letter, deleted", ("\x10",), "l", "\x7f"),
    ("Compare: a row down, up", ("\x1b", "2"), "j", "k"),
)
"""What is measured, the keys before it, and the two keys that are pressed in turns."""


def first_chart(directory: Path, logs: Path) -> tuple[float, float]:
    """Return the seconds from exec to the first chart, and the CPU seconds."""
    with PtyApp(product(str(logs)), env=environment(directory)) as app:
        app.until_true(lambda: DOTS.search(app.raw) is not None, "a chart", 120)
        taken = time.perf_counter() - app.started, cpu_seconds(app)
        app.send("\x03")
        app.wait()
    return taken


def measure_start(directory: Path, logs: Path) -> None:
    """Print the start on these logs and on a small log, in turns."""
    small = directory / "small"
    for seed in range(6):
        write_run(small / f"run{seed}", TAGS, 2000, seed)
    first_chart(directory, small)  # writes the bytecode
    starts = [(first_chart(directory, small), first_chart(directory, logs)) for _ in range(REPEATS)]
    for number, unit in ((0, "s"), (1, "s CPU")):
        figure("first chart of a small log", [one[number] for one, _ in starts], unit)
        figure("first chart", [other[number] for _, other in starts], unit)
    ratio = min(other[1] for _, other in starts) / min(one[1] for one, _ in starts)
    print(f"{'first chart / that of a small log, CPU':46} {ratio:8.3g}         goal 1.5 at most")


def measure_pair(app: PtyApp, name: str, pair: Sequence[str]) -> None:
    """Print what two keys cost that are pressed in turns: the least of all but the first time, and the first time."""
    costs: dict[int, list[tuple[float, float, float]]] = {0: [], 1: []}
    for _ in range(REPEATS):
        for number, key in enumerate(pair):
            before, since = thread_seconds(app), time.perf_counter()
            app.send(key)
            first, *_ = burst(app, quiet=QUIET_SECONDS, patience=3.0)
            in_ui, in_all = (1000 * (one - other) for one, other in zip(thread_seconds(app), before, strict=True))
            costs[number].append((in_ui, in_all, 1000 * (first - since) if first else 0.0))
    figures = []
    for number in (0, 1):
        in_ui, in_all, answered = (min(each) for each in zip(*costs[number][1:], strict=True))
        figures.append(f"{in_ui:6.1f} {in_all:7.1f} {answered:7.1f} {costs[number][0][0]:7.1f}")
    print(f"{name:<36} {'  |'.join(figures)}", flush=True)


def main() -> None:
    """Load everything, then press each pair of keys some times."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--logs", type=Path)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--tags", type=int, default=10_000)
    parser.add_argument("--keys-only", action="store_true", help="neither the start nor the keys while it reads")
    arguments = parser.parse_args()
    with temporary() as directory:
        logs = arguments.logs or directory / "wide"
        if not logs.exists():
            write_wide(logs, arguments.runs, layer_tags(arguments.tags), 1)
        if not arguments.keys_only:
            measure_start(directory, logs)
            waits = keys_while_loading(directory, logs, random.Random(1))
            figure("key to answer while loading", waits, "ms", "30 at most")
        began = time.perf_counter()
        with PtyApp(product(str(logs)), env=environment(directory), size=(160, 50)) as app:
            app.until(r"live|last write", seconds=300)
            burst(app, quiet=3.0, patience=10.0)
            figure("all read and drawn", [time.perf_counter() - began - 3.0], "s")
            figure("CPU until then", [cpu_seconds(app)], "s")
            print("milliseconds of each of two keys: CPU of the UI thread, of all threads; first byte; UI, first time")
            for name, before, *pair in KEYS:
                for key in before:
                    app.send(key)
                    burst(app, quiet=0.7, patience=2.0)
                measure_pair(app, name, pair)
            app.send("\x03")
            app.wait()


if __name__ == "__main__":
    main()
