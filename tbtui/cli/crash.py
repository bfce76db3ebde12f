"""What is kept of a crash: a report in the state directory, and one line that says where it is."""

from __future__ import annotations

import contextlib
import os
import platform
import sys
import traceback
from typing import TYPE_CHECKING

from tbtui import __version__
from tbtui.charts.text import safe
from tbtui.own_directories import state_directory

if TYPE_CHECKING:
    from pathlib import Path

CRASHED = 1
"""Exit code after a crash."""

REPORT_NAME = "crash.txt"
"""Each report replaces the one before, so that what is kept stays bounded."""


class CrashReport:
    """Gathers what went wrong while the dashboard ran."""

    def __init__(self, directory: Path) -> None:
        """Nothing went wrong yet.

        Args:
            directory: Where the report is written; made when it does not exist.
        """
        self._directory = directory
        self._parts: list[str] = []

    def add(self, what: BaseException | str) -> None:
        """Add an exception with its traceback, or a text that tells of one."""
        text = what if isinstance(what, str) else "".join(traceback.format_exception(what))
        if text.strip():
            self._parts.append(text.rstrip())

    def write(self) -> str | None:
        """Write the report, if anything went wrong.

        Returns:
            One line for people that says where the report is, or None when nothing went wrong.
        """
        if not self._parts:
            return None
        path = self._directory / REPORT_NAME
        text = "\n\n".join([_surroundings(), *self._parts]) + "\n"
        text = "\n".join(map(safe, text.split("\n")))  # whoever reads it does so in a terminal
        try:
            _replace(path, text)
        except OSError as error:
            cause = self._parts[0].splitlines()[-1]
            return safe(f"tbtui: crashed ({cause}); the report could not be written to {path}: {error.strerror}")
        return safe(f"tbtui: crashed; the report is in {path}")


def new_report() -> CrashReport:
    """One that will be written to the state directory."""
    return CrashReport(state_directory())


def _surroundings() -> str:
    """What a maintainer asks for first."""
    from importlib.metadata import version

    lines = [
        f"tbtui {__version__}, Textual {version('textual')}, Python {platform.python_version()}, {platform.platform()}",
        f"TERM={os.environ.get('TERM', '')} COLORTERM={os.environ.get('COLORTERM', '')}",
        f"arguments: {sys.argv[1:]!r}",
    ]
    return "\n".join(lines)


def _replace(path: Path, text: str) -> None:
    """Write a file whole or not at all; only its owner may read it, for a traceback can quote data."""
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
