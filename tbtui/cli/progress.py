"""How far a command is that takes long: one line on stderr that gives way to itself, and to whatever comes after it."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import TextIO

    from typing_extensions import Self

PATIENCE = 0.5
"""Seconds before anything is said: what is done by then needs no word."""

EVERY = 0.1
"""Seconds between two words."""

_CLEARED = "\r\x1b[K"


class Progress:
    """Says how many of all are done; use it as a context manager. It says nothing where nobody looks.

    Args:
        what: What is counted.
        is_alone: Whether nothing else is being written to the terminal.
        clock: A stand-in for `time.monotonic`.
    """

    def __init__(self, what: str, *, is_alone: bool = True, clock: Callable[[], float] = time.monotonic) -> None:
        self._what, self._clock = what, clock
        self._is_seen = is_alone and is_watched(sys.stderr)
        self._next = clock() + PATIENCE
        self._is_there = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None) -> None:
        if self._is_there:
            self._write(_CLEARED)

    def told(self, done: int, total: int) -> None:
        """So many of all are done."""
        self.say(f"{done:,} of {total:,} {self._what}")

    def say(self, words: str) -> None:
        """How far it is, in a few plain words."""
        if self._is_seen and self._clock() >= self._next:
            self._next = self._clock() + EVERY
            self._is_there = True
            self._write(_CLEARED + words)

    def _write(self, text: str) -> None:
        try:
            sys.stderr.write(text)
            sys.stderr.flush()
        except OSError:  # the terminal has gone: what is under way need not
            self._is_seen = self._is_there = False


def is_watched(stream: TextIO | None) -> bool:
    """Whether somebody sees what is written there, on a terminal that can take back a line."""
    return stream is not None and stream.isatty() and os.environ.get("TERM", "dumb") != "dumb"
