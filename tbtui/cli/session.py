"""Runs the Textual app from the first to the last frame and gives the terminal back, whatever ends it."""

from __future__ import annotations

import asyncio
import io
import sys
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from rich.console import Console

from tbtui.cli.crash import CRASHED, new_report
from tbtui.cli.ending import BrokenThreads, Ending
from tbtui.cli.terminal import TerminalState

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import App

    from tbtui.cli.crash import CrashReport


HEAD_START = 0.15
"""Seconds within which the first screen is usually drawn."""


def run_app(
    app: App[int],
    begun: Callable[[], None] = lambda: None,
    *,
    broken: BrokenThreads | None = None,
    titled: bool = False,
) -> int:
    """Show the app until it ends.

    Args:
        app: An app that has not run yet.
        begun: Called once on the UI thread when the first screen stands: what can wait until then.
        broken: Knows of threads that broke; when None those that break from now on are told of.
        titled: Whether the app may set the terminal's title; the one from before is then put back.

    Returns:
        The exit code: the app's own, 1 after a crash, 128 and the signal's number after a signal.
    """
    report = new_report()
    told = io.StringIO()
    # Where Textual prints its tracebacks after it has left the screen.
    app.error_console = Console(file=told, width=120, markup=False, highlight=False)
    # Textual reads keys from stdin and draws on stderr.
    terminal = TerminalState.of(keys=0, screen=2, titled=titled)
    terminal.set_aside()
    asyncio.run(_serve(app, begun, terminal, report, broken or BrokenThreads()))
    terminal.tidy()
    report.add(told.getvalue())
    if line := report.write():
        print(line, file=sys.stderr)
        return app.return_code or CRASHED  # a crash of the thread that reads keys leaves no code
    return app.return_code or 0


async def _serve(
    app: App[int], begun: Callable[[], None], terminal: TerminalState, report: CrashReport, broken: BrokenThreads
) -> None:
    loop = asyncio.get_running_loop()
    loop.call_later(HEAD_START, begun)

    def leave(code: int) -> None:
        with suppress(RuntimeError):  # the loop has closed: the app is leaving already
            loop.call_soon_threadsafe(partial(app.exit, return_code=code))

    Ending(leave, terminal, report, broken).watch()
    await app.run_async()
