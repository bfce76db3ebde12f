"""How soon a key is answered while a gigabyte of scalars is being read."""

from __future__ import annotations

import os
import random
import shutil
import time
from typing import TYPE_CHECKING

from harness import PtyApp, environment, figure, product, temporary, write_run

if TYPE_CHECKING:
    from pathlib import Path

GIGABYTE = 1 << 30
TAGS = tuple(f"group{number // 5}/tag{number % 5}" for number in range(50))
STEPS = 6000
SESSIONS = 4


def write_gigabyte(logs: Path) -> int:
    """Write one run of 300,000 scalars, and copies of it until there is a gigabyte; returns the number of runs."""
    write_run(logs / "run000", TAGS, STEPS)
    (first,) = (logs / "run000").iterdir()
    runs = GIGABYTE // first.stat().st_size + 1
    for number in range(1, runs):
        shutil.copytree(logs / "run000", logs / f"run{number:03d}")
    return runs


def keys_while_loading(directory: Path, logs: Path, moments: random.Random) -> list[float]:
    """Milliseconds of each answer; smoothing goes up and down, and the status line says where it is."""
    taken: list[float] = []
    with PtyApp(product(str(logs), "--smoothing", ".5"), env=environment(directory)) as app:
        app.until("loading [1-9]")
        while "loading" in app.text:
            end = time.perf_counter() + 0.02 + 0.06 * moments.random()
            while (left := end - time.perf_counter()) > 0:
                app.pump(left)
            key, answer = ("-", "smooth .50") if len(taken) % 2 else ("+", "smooth .55")
            taken.append(1000 * app.seconds_to_answer(key, answer))
        app.send("q")
        app.wait()
    return taken[:-1]  # the last may have been pressed when all was read


def main() -> None:
    """Load it several times; it does not take long."""
    moments = random.Random(1)
    with temporary() as directory:
        runs = write_gigabyte(directory / "logs")
        os.sync()
        print(f"{runs} runs of {len(TAGS)} tags x {STEPS} steps")
        taken = [one for _ in range(SESSIONS) for one in keys_while_loading(directory, directory / "logs", moments)]
    figure("key to answer while loading", taken, "ms", "30 at most")


if __name__ == "__main__":
    main()
