"""Presses random keys, and says which of them break something.

    python -m tests.screens.monkey [--keys 50000] [--seed 1] [--tab NAME …] [--each 250] [--whole]
    python -m tests.screens.monkey --replay 'tab:audio key:enter key:z'

Acts come in games of `--each`; a game that breaks is halved until no part of it can be left out, and printed with its
seed. Logs are written anew for each game.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
import time
import traceback
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import tests.conftest  # noqa: F401 - before Textual is imported: the time zone, and nothing of a person's settings
from tbtui.plugins.registry import list_tabs
from tests.screens.acts import acts, bound_keys
from tests.screens.playing import Told, play

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence

TABS = tuple(plugin.name for plugin in list_tabs())
MOST_TRIES = 80
"""Of games with fewer acts."""

MOST_WORDS = 300
"""Characters of an error that are printed."""


def all_bound_keys() -> list[str]:
    """Of all tabs and of what opens over them."""
    for plugin in list_tabs():
        plugin.load_pane()

    return bound_keys()


def _run(playing: Coroutine[Any, Any, Told]) -> Told:
    """Unlike `asyncio.run`, take no loop away from those who have left one for the next test, nor close it for them."""
    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(playing)
    finally:
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()


def broken_by(game: Sequence[str], told: Told | None = None) -> Exception | None:
    """What breaks, if anything; how it went is added to `told`."""
    with TemporaryDirectory() as home:
        try:
            found = _run(play(game, Path(home).resolve()))
        except Exception as error:  # noqa: BLE001 - which is what is looked for
            return error
    if told is not None:
        told.slow += found.slow
    return None


def shortest(game: Sequence[str], breaks: Callable[[Sequence[str]], bool]) -> list[str]:
    """The acts that are needed: what can be left out is, by halves, quarters and so on; within `MOST_TRIES`."""
    kept, size, tries = list(game), max(len(game) // 2, 1), MOST_TRIES
    while size:
        start = 0
        while start < len(kept) and tries:
            tries -= 1
            fewer = kept[:start] + kept[start + size :]
            if breaks(fewer):
                kept = fewer
            else:
                start += size
        size //= 2
    return kept


def hunt(keys: int, each: int, seed: int, tabs: Sequence[str], *, shorten: bool) -> int:
    """Play so many acts in all; how many games broke."""
    bound, told, broken, played = all_bound_keys(), Told(), 0, 0
    began = time.monotonic()
    while played < keys:
        for tab in tabs:
            game = list(acts(seed, tab, each, bound))
            played += len(game)
            error = broken_by(game, told)
            if error is not None:
                broken += 1
                _report(seed, tab, game, error, shorten=shorten)
        seed += 1
        print(f"{played} acts, {time.monotonic() - began:.0f} s, {broken} broken, next seed {seed}", flush=True)
    for seconds, act in sorted(told.slow, reverse=True)[:20]:
        print(f"slow: {seconds:.1f} s {act}")
    return broken


def _report(seed: int, tab: str, game: Sequence[str], error: Exception, *, shorten: bool) -> None:
    print(f"seed {seed}, {tab}: {type(error).__name__}: {str(error)[:MOST_WORDS]}", flush=True)
    traceback.print_tb(error.__traceback__, limit=-6, file=sys.stdout)

    def breaks(fewer: Sequence[str]) -> bool:
        return type(broken_by(fewer)) is type(error)

    needed = shortest(game, breaks) if shorten and breaks(game) else game
    print(f"  --replay '{' '.join(needed)}'", flush=True)


def main() -> int:
    """Say what was found; 1 when something broke."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keys", type=int, default=2000)
    parser.add_argument("--each", type=int, default=250)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tab", nargs="+", choices=TABS, default=TABS)
    parser.add_argument("--whole", action="store_true", help="print games as they are, which is fast")
    parser.add_argument("--replay")
    given = parser.parse_args()
    logging.disable()
    if given.replay is None:
        return int(hunt(given.keys, given.each, given.seed, given.tab, shorten=not given.whole) > 0)
    error = broken_by(given.replay.split())
    if error is not None:
        traceback.print_exception(error)
    return int(error is not None)


if __name__ == "__main__":
    sys.exit(main())
