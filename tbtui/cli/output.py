"""Output of a command: the file of `-o`, written whole or not at all, or stdout; and progress on stderr."""

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
from tbtui.cli.shutdown import exit_on_signals
from tbtui.export.output import OutputError, OutputExistsError, check_output, write_file
from tbtui.frozen import frozen

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterable, Iterator
    from types import TracebackType
    from typing import TextIO

    from typing_extensions import Self


PROGRESS_DELAY_SECONDS = 0.5
"""Seconds until the first report; shorter work needs none."""

PROGRESS_INTERVAL_SECONDS = 0.1
"""Seconds between two reports."""

_CLEARED = "\r\x1b[K"


class Progress:
    """Reports progress in one line on stderr that replaces itself. Use it as a context manager.

    It prints nothing if stderr is not an interactive terminal.

    Args:
        label: What is counted.
        is_alone: True if nothing else is written to the terminal.
        clock: A stand-in for `time.monotonic`.
    """

    def __init__(self, label: str, *, is_alone: bool = True, clock: Callable[[], float] = time.monotonic) -> None:
        self._what, self._clock = label, clock
        self._is_seen = is_alone and is_interactive(sys.stderr)
        self._next = clock() + PROGRESS_DELAY_SECONDS
        self._is_there = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None) -> None:
        if self._is_there:
            self._write(_CLEARED)

    def show_count(self, done: int, total: int) -> None:
        """Report the number of finished items and of all items."""
        self.report(f"{done:,} of {total:,} {self._what}")

    def report(self, words: str) -> None:
        """Report progress in a few words."""
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
    """Return True if a stream is a terminal that can replace a line."""
    return stream is not None and stream.isatty() and os.environ.get("TERM", "dumb") != "dumb"


DEFAULT_COLUMNS = 100
"""Columns of text without a terminal."""


def measure_stdout() -> int:
    """Return the columns of text on stdout: COLUMNS, else those of the terminal."""
    return shutil.get_terminal_size((DEFAULT_COLUMNS, 24)).columns


def choose_file_columns() -> int:
    """Return the columns of text in a file: COLUMNS, else `DEFAULT_COLUMNS`."""
    columns = os.environ.get("COLUMNS", "")
    return (int(columns) if columns.isdecimal() else 0) or DEFAULT_COLUMNS


def print_pieces(pieces: Iterable[str]) -> None:
    """Write data to stdout, in UTF-8 regardless of the locale.

    Raises:
        OutputError: stdout cannot be written.
        BrokenPipeError: The reader of stdout has closed it.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", newline="")
    with _as_output_errors():
        sys.stdout.writelines(pieces)
        sys.stdout.flush()


def print_text(text: str) -> None:
    """Write text in the encoding of the locale, with `?` for characters that it lacks, and flush.

    Raises as `print_pieces` does.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    with _as_output_errors():
        sys.stdout.write(text)
        sys.stdout.flush()


def print_bytes(data: bytes | Iterable[bytes]) -> None:
    """Write bytes, or pieces of them, to stdout; raises as `print_pieces` does."""
    with _as_output_errors():
        sys.stdout.buffer.writelines((data,) if isinstance(data, bytes) else data)
        sys.stdout.buffer.flush()


def check_reader() -> None:
    """Check that stdout, if it is a pipe, still has a reader.

    Raises:
        BrokenPipeError: The reader of stdout has closed it.
    """
    poll = select.poll()
    with suppress(OSError):  # stdout has no file descriptor
        poll.register(sys.stdout.fileno(), 0)  # no events: poll reports errors anyway
    if any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0)):
        raise BrokenPipeError


@contextmanager
def _as_output_errors() -> Iterator[None]:
    """Convert errors of writing to stdout to `OutputError`."""
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
"""Value of `-o` for stdout."""


@frozen
class Output:
    """Output of a command, from the options of `options.parser.add_output`."""

    path: Path | None
    """The file; None: stdout."""

    force: bool
    """Replace an existing file."""

    @classmethod
    def of(cls, arguments: Namespace) -> Output:
        """Return the output of the arguments of a command."""
        return cls(get_output_path(arguments.output), arguments.force)

    @property
    def columns(self) -> int:
        """Return the columns of a line of text."""
        return measure_stdout() if self.path is None else choose_file_columns()

    def wants_object(self, arguments: Namespace) -> bool:
        """Return True if a JSON object is written even without data: on stdout, where a reader expects one."""
        return self.path is None and bool(arguments.json)

    def check(self) -> None:
        """Check that the output is writable, before the logs are read.

        Raises:
            OutputError: It is not writable.
        """
        if self.path is not None:
            check_output(self.path, force=self.force)
        elif sys.stdout is None:
            raise OutputError("stdout is closed")

    def write_text(self, text: str) -> None:
        """Write text; on stdout in the characters of its encoding.

        Raises:
            OutputError: It cannot be written.
            BrokenPipeError: The reader of stdout has closed it.
        """
        if self.path is not None:
            self._fill(self.path, [text])
        else:
            from tbtui.charts.glyphs import replace_unencodable

            print_text(replace_unencodable(text, (sys.stdout and sys.stdout.encoding) or "utf-8"))

    def write_data(self, pieces: Iterable[str]) -> None:
        """Write data for programs, in UTF-8; raises as `write_text` does."""
        if self.path is not None:
            self._fill(self.path, pieces)
        else:
            print_pieces(pieces)

    def _fill(self, path: Path, pieces: Iterable[str]) -> None:
        with exit_on_signals():  # pieces may take their time, and nothing half-written stays
            write_file(path, pieces, force=self.force)


def get_output_path(name: str | None) -> Path | None:
    """Return the file or folder of `-o`; None: stdout."""
    return None if name in (None, STDOUT) else Path(name)


def print_output_error(error: OutputError, replaces: str = "replaces it") -> int:
    """Print the reason why nothing can be written, with a hint about `--force`; return the exit code."""
    return print_error(f"{error} (--force {replaces})" if isinstance(error, OutputExistsError) else str(error))
