"""Sounds as files that they can be played from."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from typing import TYPE_CHECKING

from tbtui.events.sound_formats import WAV, sound_format
from tbtui.export.output import OutputError, draft_name
from tbtui.own_directories import cache_directory

if TYPE_CHECKING:
    from pathlib import Path

MOST_FILES = 32
"""Of those that were written to be played; the oldest go first."""


def ending(data: bytes) -> str:
    """What the name of a file of this sound ends in, `.mp3` say; `.wav` where nothing tells."""
    return (sound_format(data) or WAV).ending


def sounds_directory() -> Path:
    """Where files are that players are handed; never the log directory."""
    return cache_directory() / "sounds"


def playable(data: bytes, step: int, directory: Path | None = None) -> Path:
    """A file of a sound to be played. Nothing of its name is from the log directory but the number of the step.

    Raises:
        OutputError: It cannot be written.
    """
    directory = sounds_directory() if directory is None else directory
    path = directory / f"step{step}-{hashlib.sha256(data).hexdigest()[:16]}{ending(data)}"
    try:
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not path.is_file() or path.stat().st_size != len(data):
            _put(path, data)
        os.utime(path)
        _forget_oldest(directory)
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror}") from error
    return path


def _put(path: Path, data: bytes) -> None:
    """Write a file that its owner alone may read."""
    draft = path.with_name(draft_name())
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as file:
            file.write(data)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _forget_oldest(directory: Path) -> None:
    written: list[tuple[float, Path]] = []
    for path in directory.glob("step*"):
        with suppress(OSError):  # another dashboard may forget them, too
            written.append((path.stat().st_mtime, path))
    for _, path in sorted(written, reverse=True)[MOST_FILES:]:
        with suppress(OSError):
            path.unlink()
