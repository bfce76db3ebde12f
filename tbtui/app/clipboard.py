"""Copies the directory of a run to the clipboard, quoted so that it is safe to paste into a shell."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textual.app import App

    from tbtui.store.snapshot import StoreSnapshot


def copy_directory(app: App[int], snapshot: StoreSnapshot, name: str) -> None:
    """Copy the directory of a run, or of a folder of runs, to the clipboard (OSC 52), and confirm it."""
    try:
        directory = run_directory(snapshot, name)
    except OSError:
        directory = None
    if directory is None:
        app.notify(f"{name} has no directory", severity="warning", markup=False)
    else:
        app.copy_to_clipboard(quoted_path(directory))
        app.notify(f"copied {quoted_path(directory)}", markup=False)


def run_directory(snapshot: StoreSnapshot, name: str) -> str | None:
    """Return the absolute directory of a run's event files; None without files.

    Args:
        snapshot: The store's snapshot.
        name: Name of the run, or of a folder of runs ending in `/`. The directory of a folder follows from its runs.

    Raises:
        OSError: The path is relative and the working directory is gone.
    """
    if not name.endswith("/"):
        return _files_directory(snapshot, name)
    for member in snapshot.runs:
        if member.startswith(name) and (directory := _files_directory(snapshot, member)) is not None:
            parent = directory.removesuffix(os.sep + member[len(name) :])
            if parent != directory:
                return parent
    return None


def _files_directory(snapshot: StoreSnapshot, name: str) -> str | None:
    run = snapshot.runs.get(name)
    return str(Path(run.files[0].path).absolute().parent) if run is not None and run.files else None


def quoted_path(path: str) -> str:
    """Return the path, quoted for a shell where it needs it; `$'…'` for control characters and undecodable bytes.

    A name with a space, a semicolon or a newline must stay one word when the path is pasted. bash, zsh and ksh
    understand `$'…'`, and all of it is printable.
    """
    if path.isprintable():
        return shlex.quote(path)
    return "$'" + "".join(map(_quoted, path)) + "'"


def _quoted(char: str) -> str:
    if char in "\\'":
        return f"\\{char}"
    return char if char.isprintable() else "".join(f"\\x{byte:02x}" for byte in os.fsencode(char))
