"""Signals that end a process, for commands that have to clean up."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType
    from typing import NoReturn


@contextmanager
def exit_on_signals() -> Iterator[None]:
    """Raise `SystemExit` on SIGTERM and SIGHUP: no partial file remains, and the terminal is restored."""

    def leave(number: int, _frame: FrameType | None) -> NoReturn:
        raise SystemExit(128 + number)

    # Signals that the parent ignores stay ignored (`nohup`).
    numbers = [n for n in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(n) is not signal.SIG_IGN]
    before = {number: signal.signal(number, leave) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
