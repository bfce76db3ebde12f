"""Writes a file whole or not at all."""

from __future__ import annotations

import os
import stat
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path


class OutputError(Exception):
    """A file cannot be written; the text of the error is one plain sentence that names it."""


class OutputExistsError(OutputError):
    """A file is there already, and nobody said that it may be replaced."""


def check_output(path: Path, *, force: bool = False) -> None:
    """See whether `write_file` can be expected to work, before the work that its text takes.

    Args:
        path: The file to write.
        force: Whether it may replace a file.

    Raises:
        OutputExistsError: A file is there and may not be replaced.
        OutputError: It can be seen that none can be written there.
    """
    if "\0" in str(path):
        raise OutputError("the name of a file cannot hold a null character")
    with plainly(path):
        mode = mode_of(path)
        if mode is not None and stat.S_ISDIR(mode):
            raise OutputError(f"{path} is a directory; name a file in it")
        if mode is not None and stat.S_ISREG(mode) and not force:
            raise OutputExistsError(f"{path} is there already")
        directory = path.resolve().parent
        if not _is_stream(mode) and not os.access(directory, os.W_OK | os.X_OK):
            raise OutputError(f"{path} cannot be written: no file can be made in {directory}")


def write_file(path: Path, pieces: Iterable[str | bytes], *, force: bool = False, errors: str = "strict") -> None:
    """Write bytes, and texts as UTF-8. Until all of it is on the disk, whatever is at `path` stays as it is.

    A pipe or a device takes the pieces as they come. A link is followed, so that it goes on to be one.

    Args:
        path: The file; its directory exists.
        pieces: What is in it; whatever they raise goes through, and nothing stays behind.
        force: Whether a file that is there is replaced.
        errors: As of `open`: `surrogateescape` writes bytes that were no UTF-8 when they were read as they were.

    Raises:
        OutputExistsError: A file is there, or has come meanwhile, and may not be replaced.
        OutputError: It cannot be written.
        BrokenPipeError: It is a pipe whose reader has gone.
    """
    check_output(path, force=force)
    with plainly(path):
        if _is_stream(mode_of(path)):
            _fill(os.open(path, os.O_WRONLY | os.O_CLOEXEC), pieces, errors)
            return
        target = path.resolve()
        draft = target.with_name(draft_name())
        try:
            _fill(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666), pieces, errors)
            check_output(path, force=force)
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)


def draft_name() -> str:
    """A new name for what is written beside its place until it is whole.

    Nothing of the place's own name, which may be as long as names can be.
    """
    return f".tbtui-{os.getpid()}-{os.urandom(4).hex()}"


def _fill(descriptor: int, pieces: Iterable[str | bytes], errors: str) -> None:
    with os.fdopen(descriptor, "wb") as file:
        file.writelines(piece if isinstance(piece, bytes) else piece.encode(errors=errors) for piece in pieces)


def mode_of(path: Path) -> int | None:
    """What is at `path`, behind links, as `stat` has it; None when nothing is."""
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


def _is_stream(mode: int | None) -> bool:
    """Whether it is a pipe or a device: replaced by a file, it would be gone for everybody else."""
    return mode is not None and not stat.S_ISREG(mode)


@contextmanager
def plainly(path: Path) -> Iterator[None]:
    """What the system has against writing a file, as an `OutputError`."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror}") from error
