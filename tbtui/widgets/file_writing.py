"""Writes the data of one chart to a file that a form asks for. Imports no Textual."""

from __future__ import annotations

from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, ClassVar

from tbtui.export.formats import FORMATS, format_of, text_of
from tbtui.export.output import OutputError, OutputExistsError, write_file
from tbtui.frozen import frozen
from tbtui.widgets.form_fields import Choice, RefusedError, Text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tbtui.export.table import Table
    from tbtui.widgets.form_fields import Field


def file_fields(offered: str, *own: Field, formats: Sequence[str] = FORMATS) -> tuple[Field, ...]:
    """What is asked for before anything is written.

    Args:
        offered: Name of a file; never made of the name of a tag, which may say anything.
        own: Fields that tell what is written.
        formats: The formats it can be written in.
    """
    named = ((None, "by the file's name"), *((name, name) for name in formats))
    return (
        path_field(offered),
        Choice("format", "format", named, None),
        *own,
        Choice("force", "replace", ((False, "no"), (True, "yes")), False, "whether a file that is there is replaced"),
    )


def path_field(offered: str, hint: str = "its directory must be there; ~ is your home") -> Text:
    """Asks for a file; `offered` is never made of the name of a tag, which may say anything."""
    return Text("path", "file", offered, _path, hint)


def _path(text: str) -> Path:
    if not text.strip():
        raise ValueError("which file?")
    try:
        return Path(text).expanduser()
    except RuntimeError:
        raise ValueError(f"whose home is meant cannot be told: {text}") from None


@frozen
class Written:
    """What has been written."""

    path: Path
    """From the root."""

    rows: int


class Stopped(Exception):  # noqa: N818 - not an error: somebody has changed his mind
    """The file is not wanted any more."""


class FileWriting:
    """One form's worth of writing; runs on a thread of its own. Subclasses say what is written."""

    nothing: ClassVar[tuple[type[Exception], str]]
    """What `tables` raises when there is nothing to write, and the name of the field that says so."""

    errors: ClassVar[str] = "strict"
    """As of `write_file`."""

    def __init__(self) -> None:
        self._stopped = Event()
        self._rows = 0
        """How many were written."""

    def tables(self, entered: dict[str, Any]) -> tuple[Sequence[str], Iterable[Table]]:
        """Names of the columns, and what is in them."""
        raise NotImplementedError

    def pieces(self, entered: dict[str, Any]) -> Iterator[str]:
        """What is written; tables, unless a subclass has something else."""
        columns, tables = self.tables(entered)
        yield from text_of(self._counted(tables), entered["format"] or format_of(entered["path"]), columns)

    def stop(self) -> None:
        """Leave no file."""
        self._stopped.set()

    def __call__(self, entered: dict[str, Any]) -> Written | None:
        """Write what was entered in `file_fields`.

        Returns:
            None when it was stopped.

        Raises:
            RefusedError: It cannot be written.
        """
        path: Path = entered["path"]
        check_no_stream(path)
        self._rows = 0
        error_of_nothing, field = self.nothing
        try:
            write_file(path, self._until_stopped(self.pieces(entered)), force=entered["force"], errors=self.errors)
        except Stopped:
            return None
        except OutputExistsError as error:
            raise RefusedError("force", str(error)) from None
        except OutputError as error:
            raise RefusedError("path", str(error)) from None
        except error_of_nothing as error:
            raise RefusedError(field, str(error)) from None
        return Written(path.absolute(), self._rows)

    def _counted(self, tables: Iterable[Table]) -> Iterator[Table]:
        for table in tables:
            self._rows += len(table)
            yield table

    def _until_stopped(self, pieces: Iterator[str]) -> Iterator[str]:
        for piece in pieces:
            if self._stopped.is_set():
                raise Stopped
            yield piece


def check_no_stream(path: Path) -> None:
    """Refuse what may wait for a reader for ever, as a pipe does, or is a terminal, on which all this is drawn."""
    try:
        is_stream = path.exists() and not path.is_file() and not path.is_dir()
    except OSError as error:
        raise RefusedError("path", f"{path} cannot be written: {error.strerror}") from None
    if is_stream:
        raise RefusedError("path", f"{path} is no file")
