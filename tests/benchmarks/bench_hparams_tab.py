"""From exec to the first rows and to the whole table of the HParams tab, beside a start on an empty log directory.

    python tests/benchmarks/bench_hparams_tab.py [--logs DIRECTORY] [--runs N] [--rounds N]

The log has 5,000 sessions of 40 hyperparameters, nothing of which is cached. CPU is that of the whole program; on a
machine that does other work, the least of several rounds says most. The whole table takes 2.3 s, of which the start is
0.45 s and reading 1.0 s; before directories were watched later, it took 3.9 s.
"""

from __future__ import annotations

import argparse
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING

from harness import PtyApp, cpu_seconds, environment, product, temporary
from wide_logs import write_hparams

if TYPE_CHECKING:
    from collections.abc import Sequence

NOTHING = re.compile("no event files|No runs|nothing", re.IGNORECASE)
ROW = re.compile(r"trial\d+ .*0\.\d+ .*0\.\d+")
HPARAMS = 40


def seconds_until(directory: Path, words: Sequence[str], signs: Sequence[re.Pattern[str]]) -> list[tuple[float, float]]:
    """Return the seconds from exec, and the CPU seconds, when each text is on the screen."""
    taken = []
    with PtyApp(product("--no-cache", *words), env=environment(directory)) as app:
        for sign in signs:
            app.until_true(lambda sign=sign: sign.search(app.text) is not None, sign.pattern, 120)  # type: ignore[misc]
            taken.append((time.perf_counter() - app.started, cpu_seconds(app)))
        app.send("q")
        app.wait()
    return taken


def main() -> None:
    """Take turns, so that a slow moment of the machine meets both."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--logs", type=Path)
    parser.add_argument("--runs", type=int, default=5_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with temporary() as directory:
        logs, empty = options.logs or directory / "logs", directory / "empty"
        empty.mkdir()
        if options.logs is None:
            write_hparams(logs, options.runs, HPARAMS)
        whole = re.compile(f"{options.runs:,} sessions, last")
        rounds = []
        for _ in range(options.rounds + 1):  # the first one writes the bytecode
            start = seconds_until(directory, (str(empty),), (NOTHING,))
            rounds.append([*start, *seconds_until(directory, ("--tab", "hparams", str(logs)), (ROW, whole))])
    for name, taken in zip(("empty start", "first rows", "whole table"), zip(*rounds[1:], strict=True), strict=True):
        seconds, cpu = zip(*taken, strict=True)
        print(f"{name:<12} {min(seconds):5.2f} s, CPU {min(cpu):5.2f} s, least of {options.rounds}")


if __name__ == "__main__":
    main()
