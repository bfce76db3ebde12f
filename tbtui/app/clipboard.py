"""Where a run lies, as text for the clipboard that does no harm wherever it is pasted."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textual.app import App

    from tbtui.store.snapshot import StoreSnapshot


def copy_directory(app: App[int], snapshot: StoreSnapshot, name: str) -> None:
    """Put the directory of a run, or of a folder of runs, on the clipboard (OSC 52), and say so."""
    try:
        directory = directory_of(snapshot, name)
    except OSError:
        directory = None
    if directory is None:
        app.notify(f"{name} has no directory", severity="warning", markup=False)
    else:
        app.copy_to_clipboard(pasteable(directory))
        app.notify(f"copied {pasteable(directory)}", markup=False)


def directory_of(snapshot: StoreSnapshot, name: str) -> str | None:
    """The absolute directory of a run's event files; None where there are none.

    Args:
        snapshot: What there is.
        name: Of the run, or of a folder of runs ending in `/`; a folder lies where its runs say.

    Raises:
        OSError: When the path is relative and the working directory is gone.
    """
    if not name.endswith("/"):
        return _run_directory(snapshot, name)
    for inside in snapshot.runs:
        if inside.startswith(name) and (directory := _run_directory(snapshot, inside)) is not None:
            above = directory.removesuffix(os.sep + inside[len(name) :])
            if above != directory:
                return above
    return None


def _run_directory(snapshot: StoreSnapshot, name: str) -> str | None:
    run = snapshot.runs.get(name)
    return str(Path(run.files[0].path).absolute().parent) if run is not None and run.files else None


def pasteable(path: str) -> str:
    """The path as it is; one with control characters, or other bytes that are no text, quoted as shells read it.

    A newline in a name must not end a command where the path is pasted. `$'…'` is understood by bash, zsh and ksh, and
    all of it is printable.
    """
    if path.isprintable():
        return path
    return "$'" + "".join(map(_quoted, path)) + "'"


def _quoted(char: str) -> str:
    if char in "\\'":
        return f"\\{char}"
    return char if char.isprintable() else "".join(f"\\x{byte:02x}" for byte in os.fsencode(char))
