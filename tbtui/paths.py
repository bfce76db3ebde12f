"""The paths of the program's own files: cache, settings, keys."""

from __future__ import annotations

import os
from pathlib import Path

NO_DIRECTORY = Path(os.devnull)
"""No file can be created below this path, so that each attempt fails with an OSError."""


def cache_directory() -> Path:
    """Return the absolute path of the cache; it may not exist yet."""
    return _get_directory("user_cache_path")


def state_directory() -> Path:
    """Return the absolute path for settings and crash reports; it may not exist yet."""
    return _get_directory("user_state_path")


def get_keys_path() -> Path:
    """Return the absolute path of the file with which a user changes keys; it may not exist."""
    return state_directory() / "keys.conf"


def _get_directory(kind: str) -> Path:
    """Return a directory of platformdirs.

    In a container the user may have no home. Some versions of platformdirs then raise; others return a directory `~`
    in the current one, which may hold the logs.
    """
    import platformdirs

    try:
        path: Path = getattr(platformdirs, kind)("tbtui", appauthor=False)
    except RuntimeError:
        return NO_DIRECTORY
    return path if path.is_absolute() else NO_DIRECTORY
