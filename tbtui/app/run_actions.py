"""Actions on one run: open its page, and copy its directory to the clipboard, quoted for a shell."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from tbtui.charts.text import format_run_name, safe, shorten
from tbtui.plugins.registry import run_details
from tbtui.view.run_page import format_run_page
from tbtui.widgets.text_page import FRAME, MARGIN_COLUMNS, READING, TextScreen
from tbtui.widgets.worker import call_on_daemon

if TYPE_CHECKING:
    import asyncio

    from textual.app import App

    from tbtui.app.state import AppState
    from tbtui.loading.payloads import Payloads
    from tbtui.store.snapshot import StoreSnapshot

MAX_TITLE_COLUMNS = 40
"""Maximum columns of the run's name in the title of its page."""


def open_run_page(app: App[int], state: AppState, name: str, payloads: Payloads) -> None:
    """Open the page of a run; its lines, or the reason why there are none, follow from a thread.

    Args:
        app: The app.
        state: The state whose run is shown.
        name: Name of the run.
        payloads: Reads configurations and hyperparameters from event files.
    """
    run = state.load.snapshot.runs.get(name)
    if run is None:
        app.notify(f"{safe(format_run_name(name))} is a mean of runs: the run list has each", markup=False)
        return
    screen = TextScreen(f"about {shorten(format_run_name(name), MAX_TITLE_COLUMNS)}", (READING,))
    columns = app.size.width - MARGIN_COLUMNS - FRAME

    def read_lines() -> list[str]:
        try:
            directory = find_run_directory(state.load.snapshot, name)
        except OSError:
            directory = None
        details = run_details(run, payloads)
        summary, condition = state.summaries[name], state.conditions.of[name]
        return [*format_run_page(run, summary, condition, directory, details, columns)]

    def show_lines(result: asyncio.Future[list[str]]) -> None:
        error = result.exception()
        screen.show_lines(result.result() if error is None else (f"{type(error).__name__}: {error}",))

    app.push_screen(screen)
    call_on_daemon(read_lines).add_done_callback(show_lines)


def copy_directory(app: App[int], snapshot: StoreSnapshot, name: str) -> None:
    """Copy the directory of a run, or of a folder of runs, to the clipboard (OSC 52), and confirm it."""
    try:
        directory = find_run_directory(snapshot, name)
    except OSError:
        directory = None
    if directory is None:
        app.notify(f"{name} has no directory", severity="warning", markup=False)
    else:
        quoted = quote_path(directory)
        app.copy_to_clipboard(quoted)
        app.notify(f"copied {quoted}", markup=False)


def find_run_directory(snapshot: StoreSnapshot, name: str) -> str | None:
    """Return the absolute directory of a run's event files; None without files.

    Args:
        snapshot: The store's snapshot.
        name: Name of the run, or of a folder of runs ending in `/`. The directory of a folder follows from its runs.

    Raises:
        OSError: The path is relative and the working directory is gone.
    """
    if not name.endswith("/"):
        return _find_files_directory(snapshot, name)
    for member in snapshot.runs:
        if member.startswith(name) and (directory := _find_files_directory(snapshot, member)) is not None:
            parent = directory.removesuffix(os.sep + member[len(name) :])
            if parent != directory:
                return parent
    return None


def _find_files_directory(snapshot: StoreSnapshot, name: str) -> str | None:
    run = snapshot.runs.get(name)
    return str(Path(run.files[0].path).absolute().parent) if run is not None and run.files else None


def quote_path(path: str) -> str:
    """Return the path, quoted for a shell where it needs it; `$'…'` for control characters and undecodable bytes.

    A name with a space, a semicolon or a newline must stay one word when the path is pasted. bash, zsh and ksh
    understand `$'…'`, and all of it is printable.
    """
    if path.isprintable():
        return shlex.quote(path)
    return "$'" + "".join(map(_quote_character, path)) + "'"


def _quote_character(char: str) -> str:
    if char in "\\'":
        return f"\\{char}"
    return char if char.isprintable() else "".join(f"\\x{byte:02x}" for byte in os.fsencode(char))
