"""The program's own directories on this machine, and nowhere else is anything kept."""

from __future__ import annotations

import os
from pathlib import Path

NO_DIRECTORY = Path(os.devnull)
"""Nothing can be made below it, whoever tries, so that one says why and goes on."""


def cache_directory() -> Path:
    """For what can be made again; absolute, and not yet made."""
    return _directory("user_cache_path")


def state_directory() -> Path:
    """For what was chosen, and for the report of a crash; absolute, and not yet made."""
    return _directory("user_state_path")


def _directory(kind: str) -> Path:
    """As platformdirs has it.

    In a container the user may have no home. Some versions then raise, others name a directory `~` in the current one,
    which may be that of the logs.
    """
    import platformdirs

    try:
        path: Path = getattr(platformdirs, kind)("tbtui", appauthor=False)
    except RuntimeError:
        return NO_DIRECTORY
    return path if path.is_absolute() else NO_DIRECTORY
