"""Run the Textual app, restore the terminal after any kind of end, and write a report of a crash."""

from __future__ import annotations

import asyncio
import contextlib
import io
import os
import platform
import sys
import traceback
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from rich.console import Console

from tbtui import __version__
from tbtui.charts.text import safe
from tbtui.cli.shutdown import Shutdown, ThreadErrors
from tbtui.cli.terminal import TerminalState
from tbtui.paths import state_directory
from tbtui.widgets.thread_turns import UiLoopPolicy

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from textual.app import App


EXIT_CRASH = 1
"""Exit code after a crash."""

REPORT_NAME = "crash.txt"
"""File in the state directory; each report replaces the previous one."""


class CrashReport:
    """Collects the exceptions of a session.

    Args:
        directory: Directory of the report, created if it does not exist.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._parts: list[str] = []

    def add(self, error: BaseException | str) -> None:
        """Add an exception with its traceback, or the text of a traceback."""
        text = error if isinstance(error, str) else "".join(traceback.format_exception(error))
        if text.strip():
            self._parts.append(text.rstrip())

    def write(self) -> str | None:
        """Write the report, if there is any exception.

        Returns:
            One line with the path of the report; None without exceptions.
        """
        if not self._parts:
            return None
        path = self._directory / REPORT_NAME
        text = "\n\n".join([_describe_environment(), *self._parts]) + "\n"
        text = "\n".join(map(safe, text.split("\n")))  # it is read in a terminal
        try:
            _replace(path, text)
        except OSError as error:
            cause = self._parts[0].splitlines()[-1]
            return safe(f"tbtui: crashed ({cause}); the report could not be written to {path}: {error.strerror}")
        return safe(f"tbtui: crashed; the report is in {path}")


def create_report() -> CrashReport:
    """Return a report that is written to the state directory."""
    return CrashReport(state_directory())


def _describe_environment() -> str:
    """Return the versions, the terminal and the arguments."""
    from importlib.metadata import version

    lines = [
        f"tbtui {__version__}, Textual {version('textual')}, Python {platform.python_version()}, {platform.platform()}",
        f"TERM={os.environ.get('TERM', '')} COLORTERM={os.environ.get('COLORTERM', '')}",
        f"arguments: {sys.argv[1:]!r}",
    ]
    return "\n".join(lines)


def _replace(path: Path, text: str) -> None:
    """Write a file atomically; only its owner may read it, because a traceback can quote data."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        draft.replace(path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            draft.unlink()


MIN_FIRST_SCREEN_SECONDS = 0.1
"""The first screen is never drawn sooner."""

MAX_FIRST_SCREEN_SECONDS = 0.6
"""Longest wait for the first screen: on a busy machine, or if the first chart is slow."""

FIRST_SCREEN_POLL_SECONDS = 0.005
"""Seconds between two checks whether the first screen is drawn. A check takes microseconds."""


def run_app(
    app: App[int],
    begun: Callable[[], None] = lambda: None,
    *,
    is_drawn: Callable[[], bool] = lambda: True,
    broken: ThreadErrors | None = None,
    titled: bool = False,
) -> int:
    """Run the app until it ends.

    Args:
        app: An app that has not run yet.
        begun: Called on the UI thread after the first screen, for work that can wait.
        is_drawn: Returns True once the first screen shows what it is to show.
        broken: Exceptions of threads; None: those from now on.
        titled: True if the app may set the title of the terminal, which is restored at the end.

    Returns:
        The exit code: the app's own, 1 after a crash, 128 and the signal's number after a signal.
    """
    report = create_report()
    error_text = io.StringIO()
    # Where Textual prints its tracebacks after it has left the screen.
    app.error_console = Console(file=error_text, width=120, markup=False, highlight=False)
    # Textual reads keys from stdin and draws on stderr.
    terminal = TerminalState.of(keys=0, screen=2, titled=titled)
    terminal.save_title()
    asyncio.set_event_loop_policy(UiLoopPolicy())
    asyncio.run(_serve(app, begun, is_drawn, terminal, report, broken or ThreadErrors()))
    terminal.reset_modes()
    report.add(error_text.getvalue())
    if line := report.write():
        print(line, file=sys.stderr)
        return app.return_code or EXIT_CRASH  # a crash of the thread that reads keys leaves no code
    return app.return_code or 0


async def _serve(
    app: App[int],
    begun: Callable[[], None],
    is_drawn: Callable[[], bool],
    terminal: TerminalState,
    report: CrashReport,
    broken: ThreadErrors,
) -> None:
    loop = asyncio.get_running_loop()
    latest = loop.time() + MAX_FIRST_SCREEN_SECONDS

    def check_first_screen() -> None:
        if is_drawn() or loop.time() >= latest:
            loop.call_later(FIRST_SCREEN_POLL_SECONDS, begun)  # meanwhile the screen is written to the terminal
        else:
            loop.call_later(FIRST_SCREEN_POLL_SECONDS, check_first_screen)

    loop.call_later(MIN_FIRST_SCREEN_SECONDS, check_first_screen)

    def leave(code: int) -> None:
        with suppress(RuntimeError):  # the loop has closed: the app is leaving already
            loop.call_soon_threadsafe(partial(app.exit, return_code=code))

    Shutdown(leave, terminal, report, broken).watch()
    await app.run_async()
