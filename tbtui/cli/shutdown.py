"""Shutdown of the dashboard from outside: by a signal, a terminal that hung up, or an exception in a thread.

The app first gets `GRACE_SECONDS` to exit as it does on `q`. If it does not (it may be stuck on a terminal that accepts
no output), this module restores the terminal and ends the process.
"""

from __future__ import annotations

import errno
import os
import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tbtui.cli.terminal import wait_for_hang_up

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType
    from typing import NoReturn

    from tbtui.cli.session import CrashReport
    from tbtui.cli.terminal import TerminalState

SIGNALS = (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP)
GRACE_SECONDS = 3.0
"""Seconds that the app has to exit by itself."""


class ThreadErrors:
    """Collects exceptions that end threads, until a listener is set."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: list[BaseException] = []
        self._listener: Callable[[BaseException], None] | None = None
        threading.excepthook = self._on_broken_thread

    def set_listener(self, listener: Callable[[BaseException], None]) -> None:
        """Call a listener with the stored exceptions, and later with each new one, in its thread."""
        with self._lock:
            self._listener, pending = listener, self._kept
        for error in pending:
            listener(error)

    def _on_broken_thread(self, broken: threading.ExceptHookArgs) -> None:
        if broken.exc_value is None:
            return
        with self._lock:
            listener = self._listener
            if listener is None:
                self._kept.append(broken.exc_value)
        if listener is not None:
            listener(broken.exc_value)


class Shutdown:
    """Ends the app from outside, once; inactive before `watch`."""

    def __init__(
        self, leave: Callable[[int], None], terminal: TerminalState, report: CrashReport, broken: ThreadErrors
    ) -> None:
        """Create a shutdown.

        Args:
            leave: Requests that the app exits with a code. Called from signal handlers and other threads.
            terminal: The state to restore if the app does not.
            report: Receives the exceptions of threads.
            broken: Exceptions of threads, also of those before the app started.
        """
        self._leave = leave
        self._terminal = terminal
        self._report = report
        self._broken = broken
        self._begun = False

    def watch(self) -> None:
        """Handle signals, a hang-up of the terminal and exceptions of threads from now on."""
        for number in SIGNALS:
            # Signals that the parent ignores stay ignored (`nohup`).
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._on_signal)
        self._broken.set_listener(self._on_broken_thread)
        threading.Thread(target=self._watch_terminal, name="terminal-watch", daemon=True).start()

    def begin(self, code: int) -> None:
        """Request that the app exits with `code`, and ensure that the process ends. Only the first call counts."""
        if self._begun:
            return
        self._begun = True
        deadline = threading.Timer(GRACE_SECONDS, self._give_up, (code,))
        deadline.daemon = True
        deadline.start()
        self._leave(code)

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        self.begin(128 + number)

    def _watch_terminal(self) -> None:
        if wait_for_hang_up(self._terminal.keys):
            self.begin(128 + signal.SIGHUP)

    def _on_broken_thread(self, error: BaseException) -> None:
        if isinstance(error, OSError) and error.errno == errno.EIO:
            self.begin(128 + signal.SIGHUP)  # the thread that draws found the terminal gone
        else:
            self._report.add(error)
            self.begin(1)

    def _give_up(self, code: int) -> None:
        try:
            self._terminal.restore()
            if line := self._report.write():
                # Past Python's buffer, whose lock is held for ever by a thread that writes to a terminal which takes
                # nothing.
                self._terminal.write_line(line)
        finally:
            os._exit(code)


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
