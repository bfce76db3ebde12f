"""Where a command writes: into the file that `-o` names, whole or not at all, or to stdout."""

from __future__ import annotations

import io
import os
import select
import shutil
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from tbtui.cli.errors import print_error
from tbtui.cli.signals import exit_on_signals
from tbtui.export.output import OutputError, OutputExistsError, check_output, write_file
from tbtui.frozen import frozen

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterable, Iterator
    from types import TracebackType
    from typing import TextIO

    from typing_extensions import Self


# How far a command is that takes long: one line on stderr that gives way to itself, and to whatever comes after it.


PROGRESS_DELAY_SECONDS = 0.5
"""Seconds before anything is said: what is done by then needs no word."""

PROGRESS_INTERVAL_SECONDS = 0.1
"""Seconds between two words."""

_CLEARED = "\r\x1b[K"


class Progress:
    """Says how many of all are done; use it as a context manager. It says nothing where nobody looks.

    Args:
        what: What is counted.
        is_alone: Whether nothing else is being written to the terminal.
        clock: A stand-in for `time.monotonic`.
    """

    def __init__(self, what: str, *, is_alone: bool = True, clock: Callable[[], float] = time.monotonic) -> None:
        self._what, self._clock = what, clock
        self._is_seen = is_alone and is_interactive(sys.stderr)
        self._next = clock() + PROGRESS_DELAY_SECONDS
        self._is_there = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None) -> None:
        if self._is_there:
            self._write(_CLEARED)

    def told(self, done: int, total: int) -> None:
        """So many of all are done."""
        self.say(f"{done:,} of {total:,} {self._what}")

    def say(self, words: str) -> None:
        """How far it is, in a few plain words."""
        if self._is_seen and self._clock() >= self._next:
            self._next = self._clock() + PROGRESS_INTERVAL_SECONDS
            self._is_there = True
            self._write(_CLEARED + words)

    def _write(self, text: str) -> None:
        try:
            sys.stderr.write(text)
            sys.stderr.flush()
        except OSError:  # the terminal has gone: what is under way need not
            self._is_seen = self._is_there = False


def is_interactive(stream: TextIO | None) -> bool:
    """Whether somebody sees what is written there, on a terminal that can take back a line."""
    return stream is not None and stream.isatty() and os.environ.get("TERM", "dumb") != "dumb"


# Writes to stdout: data, or text for people.


DEFAULT_COLUMNS = 100
"""Columns of text for people where no terminal tells them."""


def stdout_columns() -> int:
    """How many columns a line of text has: as COLUMNS says, else as the terminal."""
    return shutil.get_terminal_size((DEFAULT_COLUMNS, 24)).columns


def file_columns() -> int:
    """Likewise in a file, wherever the command was given."""
    said = os.environ.get("COLUMNS", "")
    return (int(said) if said.isdecimal() else 0) or DEFAULT_COLUMNS


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


STDOUT = "-"
"""What `-o` says when it means stdout."""


@frozen
class Output:
    """See the module; made of what `options.parser.add_output` adds."""

    path: Path | None
    """The file; None: stdout."""

    force: bool
    """Whether a file that is there is replaced."""

    @classmethod
    def of(cls, arguments: Namespace) -> Output:
        """What the arguments of a command say."""
        return cls(output_path(arguments.output), arguments.force)

    @property
    def columns(self) -> int:
        """How many a line of text for people has."""
        return stdout_columns() if self.path is None else file_columns()

    def wants_object(self, arguments: Namespace) -> bool:
        """Whether an object is written even where there is nothing: to who reads JSON from stdout, not into a file."""
        return self.path is None and bool(arguments.json)

    def check(self) -> None:
        """See whether writing can be expected to work, before the work that reading takes.

        Raises:
            OutputError: It can be seen that it cannot.
        """
        if self.path is not None:
            check_output(self.path, force=self.force)
        elif sys.stdout is None:
            raise OutputError("stdout is closed")

    def write_text(self, text: str) -> None:
        """Write text for people: on stdout in the characters that its encoding has.

        Raises:
            OutputError: It cannot be written.
            BrokenPipeError: Who read it has gone.
        """
        if self.path is not None:
            self._fill(self.path, [text])
        else:
            from tbtui.report.ascii_fallback import in_encoding

            print_text(in_encoding(text, (sys.stdout and sys.stdout.encoding) or "utf-8"))

    def write_data(self, pieces: Iterable[str]) -> None:
        """Write data for programs, in UTF-8; raises as `write_text` does."""
        if self.path is not None:
            self._fill(self.path, pieces)
        else:
            print_pieces(pieces)

    def _fill(self, path: Path, pieces: Iterable[str]) -> None:
        with exit_on_signals():  # pieces may take their time, and nothing half-written stays
            write_file(path, pieces, force=self.force)


def output_path(name: str | None) -> Path | None:
    """The file or folder that `-o` names; None: stdout."""
    return None if name in (None, STDOUT) else Path(name)


def print_output_error(error: OutputError, replaces: str = "replaces it") -> int:
    """Tell why nothing can be written, and what `--force` does where that is asked for; returns the exit code."""
    return print_error(f"{error} (--force {replaces})" if isinstance(error, OutputExistsError) else str(error))
