"""Where a command writes: into the file that `-o` names, whole or not at all, or to stdout."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tbtui.cli.complaint import complain
from tbtui.cli.signals import ending_in_order
from tbtui.cli.stdout import columns_of_files, columns_of_stdout, print_pieces, print_text
from tbtui.export.output import OutputError, OutputExistsError, check_output, write_file
from tbtui.frozen import frozen

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable

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
        return cls(path_of(arguments.output), arguments.force)

    @property
    def columns(self) -> int:
        """How many a line of text for people has."""
        return columns_of_stdout() if self.path is None else columns_of_files()

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
            from tbtui.report.ascii_fallback import (
                in_encoding,  # rich comes with it, and who writes data alone does not wait for it
            )

            print_text(in_encoding(text, (sys.stdout and sys.stdout.encoding) or "utf-8"))

    def write_data(self, pieces: Iterable[str]) -> None:
        """Write data for programs, in UTF-8; raises as `write_text` does."""
        if self.path is not None:
            self._fill(self.path, pieces)
        else:
            print_pieces(pieces)

    def _fill(self, path: Path, pieces: Iterable[str]) -> None:
        with ending_in_order():  # pieces may take their time, and nothing half-written stays
            write_file(path, pieces, force=self.force)


def path_of(name: str | None) -> Path | None:
    """The file or folder that `-o` names; None: stdout."""
    return None if name in (None, STDOUT) else Path(name)


def complain_of_output(error: OutputError, replaces: str = "replaces it") -> int:
    """Tell why nothing can be written, and what `--force` does where that is asked for; returns the exit code."""
    return complain(f"{error} (--force {replaces})" if isinstance(error, OutputExistsError) else str(error))
