"""From exec to the first chart on 6 runs x 20 tags x 2,000 steps, beside the first paint of a bare Textual app.

    python tests/benchmarks/bench_start.py [--runs N] [--rounds N] ['viewer {logs}' …]

Nothing is cached, except where a row says so. Other viewers can be timed on the same logs; the first braille dot on the
screen is taken for their first chart.
"""

from __future__ import annotations

import argparse
import re
import shlex
import statistics
import sys
import time
from typing import TYPE_CHECKING

from harness import PtyApp, environment, figure, product, temporary, write_run

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

GROUPS = ("loss", "accuracy", "grad", "weight", "speed")
TAGS = tuple(f"{group}/{part}" for group in GROUPS for part in ("train", "val", "test", "extra"))

BARE = """
from textual.app import App
from textual.widgets import Static
class Bare(App):
    def compose(self):
        yield Static("painted")
Bare().run()
"""
PAINTED = re.compile(rb"painted")
DOTS = re.compile(rb"\xe2(?:\xa0[\x81-\xbf]|[\xa1-\xa3][\x80-\xbf])")
"""A braille character that is not blank, in UTF-8: no widget but a chart draws one."""
READ = re.compile("live|last write")
"""Words of the status line once everything is read, on the screen: only changed cells are written."""


def seconds_until(
    command: Sequence[str], sign: re.Pattern[bytes] | re.Pattern[str], env: Mapping[str, str | None]
) -> float:
    """Return the seconds from exec until `sign` is written, or as a text is on the screen."""
    with PtyApp(command, env=env) as app:

        def is_shown() -> bool:
            found = sign.search(app.raw if isinstance(sign.pattern, bytes) else app.text)  # type: ignore[arg-type]
            return found is not None

        app.until_true(is_shown, str(sign.pattern), 120)
        return time.perf_counter() - app.started


def fill_cache(command: Sequence[str], cache: Path, runs: int, env: Mapping[str, str | None]) -> None:
    """Let the program read everything and cache it: it writes the cache when it has nothing else to do."""
    with PtyApp(command, env=env) as app:
        app.until_true(lambda: sum(path.is_file() for path in cache.rglob("*")) >= runs, "the cache is written", 120)


def main() -> None:
    """Take turns, so that a slow moment of the machine meets everyone."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=6)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("viewers", nargs="*")
    options = parser.parse_args()
    with temporary() as directory:
        logs = directory / "logs"
        for seed in range(options.runs):
            write_run(logs / f"run{seed:03d}", TAGS, 2000, seed)
        commands = {
            "first paint of a bare Textual app": ([sys.executable, "-c", BARE], PAINTED),
            "first chart": (product("--no-cache", str(logs)), DOTS),
            "everything read": (product("--no-cache", str(logs)), READ),
            "first chart from the cache": (product(str(logs)), DOTS),
            "everything read from the cache": (product(str(logs)), READ),
        }
        env = {**environment(directory), "XDG_CACHE_HOME": str(directory / "cache")}
        fill_cache(product(str(logs)), directory / "cache", options.runs, env)
        for viewer in options.viewers:
            words = shlex.split(viewer.replace("{logs}", str(logs)))
            commands[f"first chart of {words[0].rpartition('/')[2]}"] = (words, DOTS)
        seconds: dict[str, list[float]] = {name: [] for name in commands}
        for round_number in range(-1, options.rounds):
            for name, (command, sign) in commands.items():
                taken = seconds_until(command, sign, env)
                if round_number >= 0:  # the round before the first writes the bytecode
                    seconds[name].append(taken)
    print(f"{options.runs} runs of {len(TAGS)} tags x 2,000 steps")
    for name, values in seconds.items():
        figure(name, values, "s")
    bare, ours = (statistics.median(values) for values in list(seconds.values())[:2])
    print(f"{'first chart / bare first paint':<46} {ours / bare:8.3g}         goal 1.8 at most")


if __name__ == "__main__":
    main()
