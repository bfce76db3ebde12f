"""Sounds as files: where the user wants them, or where they can be played from."""

from __future__ import annotations

import hashlib
import os
import secrets
from contextlib import suppress
from pathlib import Path

import platformdirs

from tbtui.export.output import OutputError, check_output

MOST_FILES = 32
"""Of those that were written to be played; the oldest go first."""

_ENDINGS = (
    ((b"RIFF", b"RIFX", b"RF64"), "wav"),
    ((b"ID3", b"\xff\xfb", b"\xff\xf3"), "mp3"),
    ((b"OggS",), "ogg"),
    ((b"fLaC",), "flac"),
    ((b"FORM",), "aiff"),
)


def ending(data: bytes) -> str:
    """What the name of a file of this sound ends in; `wav` where nothing tells."""
    return next((name for begins, name in _ENDINGS if data.startswith(begins)), "wav")


def sounds_directory() -> Path:
    """Where files are that players are handed; never the log directory."""
    return Path(platformdirs.user_cache_dir("tbtui", appauthor=False)) / "sounds"


def playable(data: bytes, step: int, directory: Path | None = None) -> Path:
    """A file of a sound to be played. Nothing of its name is from the log directory but the number of the step.

    Raises:
        OutputError: It cannot be written.
    """
    directory = sounds_directory() if directory is None else directory
    path = directory / f"step{step}-{hashlib.sha256(data).hexdigest()[:16]}.{ending(data)}"
    try:
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not path.is_file() or path.stat().st_size != len(data):
            _put(path, data, 0o600)
        os.utime(path)
        _forget_oldest(directory)
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror}") from error
    return path


def write_bytes(path: Path, data: bytes, *, force: bool = False) -> Path:
    """Write a sound whole or not at all; returns the path from the root.

    Raises:
        OutputExistsError: A file is there and may not be replaced.
        OutputError: It cannot be written.
    """
    check_output(path, force=force)
    try:
        _put(path.resolve(), data, 0o666)
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror}") from error
    return path.absolute()


def _put(path: Path, data: bytes, mode: int) -> None:
    draft = path.with_name(f".tbtui-{os.getpid()}-{secrets.token_hex(4)}")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode), "wb") as file:
            file.write(data)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _forget_oldest(directory: Path) -> None:
    files = sorted(directory.glob("step*"), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in files[MOST_FILES:]:
        with suppress(OSError):
            path.unlink()
