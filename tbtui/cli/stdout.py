"""Writes to stdout: data, or text for people."""

from __future__ import annotations

import io
import os
import select
import shutil
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from tbtui.export.output import OutputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


PIPED_WIDTH = 100
"""Columns of text for people where no terminal tells them."""


def columns_of_stdout() -> int:
    """How many columns a line of text has: as COLUMNS says, else as the terminal."""
    return shutil.get_terminal_size((PIPED_WIDTH, 24)).columns


def columns_of_files() -> int:
    """Likewise in a file, wherever the command was given."""
    said = os.environ.get("COLUMNS", "")
    return (int(said) if said.isdecimal() else 0) or PIPED_WIDTH


def print_pieces(pieces: Iterable[str]) -> None:
    """Write to stdout, in UTF-8 whatever the locale is: it is data.

    Raises:
        OutputError: Nobody can be given anything on stdout.
        BrokenPipeError: Who read it has gone.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", newline="")
    with _plainly():
        sys.stdout.writelines(pieces)
        sys.stdout.flush()


def print_text(text: str) -> None:
    """Write text for people at once, in the encoding of the locale; `?` for what that has not.

    Raises as `print_pieces` does.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    with _plainly():
        sys.stdout.write(text)
        sys.stdout.flush()


def print_bytes(data: bytes | Iterable[bytes]) -> None:
    """Write bytes, or pieces of them, to stdout; raises as `print_pieces` does."""
    with _plainly():
        sys.stdout.buffer.writelines((data,) if isinstance(data, bytes) else data)
        sys.stdout.buffer.flush()


def check_reader() -> None:
    """See whether somebody still reads stdout, where nothing is to be written yet: of a pipe that can be told.

    Raises:
        BrokenPipeError: Who read it has gone.
    """
    poll = select.poll()
    with suppress(OSError):  # it is no file of the system
        poll.register(sys.stdout.fileno(), 0)  # no event asked for: only what is wrong is told of
    if any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0)):
        raise BrokenPipeError


@contextmanager
def _plainly() -> Iterator[None]:
    """What there is against writing to stdout, as an `OutputError`."""
    if sys.stdout is None:
        raise OutputError("stdout is closed")
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        # What is still in the buffer would fail once more when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise OutputError(f"stdout cannot be written: {error.strerror}") from error
