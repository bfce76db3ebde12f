"""How the dashboard ends when something outside wants it to: a signal, a terminal that hung up, a broken thread.

Every such end first asks the app to leave as it does on `q`. Should it not have left in time (it may be stuck on a
terminal that takes no output), the terminal is put back by hand and the process ends without it.
"""

from __future__ import annotations

import errno
import os
import signal
import threading
from typing import TYPE_CHECKING

from tbtui.cli.terminal import wait_for_hang_up

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from tbtui.cli.session import CrashReport
    from tbtui.cli.terminal import TerminalState

SIGNALS = (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP)
GRACE_SECONDS = 3.0
"""Seconds the app has for leaving by itself."""


class ThreadErrors:
    """Exceptions that end threads from now on; kept until somebody is told of them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: list[BaseException] = []
        self._listener: Callable[[BaseException], None] | None = None
        threading.excepthook = self._on_broken_thread

    def tell(self, listener: Callable[[BaseException], None]) -> None:
        """Tell of those before, and from now on of each, in its thread."""
        with self._lock:
            self._listener, kept = listener, self._kept
        for error in kept:
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
    """Ends the app from outside, once."""

    def __init__(
        self, leave: Callable[[int], None], terminal: TerminalState, report: CrashReport, broken: ThreadErrors
    ) -> None:
        """Watch for nothing yet: see `watch`.

        Args:
            leave: Asks the app to leave with an exit code. Called from signal handlers and other threads.
            terminal: What to put back when the app does not.
            report: Where what broke in a thread is told.
            broken: Knows of threads that broke, also of those that did before there was an app.
        """
        self._leave = leave
        self._terminal = terminal
        self._report = report
        self._broken = broken
        self._begun = False

    def watch(self) -> None:
        """From now on answer signals, a terminal that hangs up and exceptions that end a thread."""
        for number in SIGNALS:
            # What the parent asked to be ignored stays so (`nohup`).
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._on_signal)
        self._broken.tell(self._on_broken_thread)
        threading.Thread(target=self._watch_terminal, name="terminal-watch", daemon=True).start()

    def begin(self, code: int) -> None:
        """Ask the app to leave with `code`, and see to it that the process ends. Only the first call counts."""
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
                self._terminal.tell(line)
        finally:
            os._exit(code)
