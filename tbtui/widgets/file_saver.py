"""Savers of files that a user names in a form: the fields of the form, and writing on a thread. Imports no Textual."""

from __future__ import annotations

import re
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

import numpy as np

from tbtui.charts import numbers
from tbtui.charts.text import safe
from tbtui.export.formats import FORMATS, choose_text_format, encode_text
from tbtui.export.output import OutputError, OutputExistsError, SavedFile, StepNames, write_file
from tbtui.frozen import frozen
from tbtui.widgets.form_fields import Choice, FieldError, Text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from tbtui.export.table import Table
    from tbtui.view.view import View
    from tbtui.widgets.form_fields import Field


MAX_NAME_LETTERS = 80
"""Maximum length of a proposed file name without its ending; file systems allow 255 bytes."""

_UNSAFE = re.compile(r"[^\w.=+]+")
"""Characters of runs and tags that a proposed file name replaces: separators, spaces, those that a shell reads."""


def propose_name(default: str, *names: str) -> str:
    """Return a file name for the data of runs and tags: `digits-seed0-loss-train.csv`.

    A name from a log may contain anything: only letters, digits and `_.=+` stay, and no name begins with a dot or dash.

    Args:
        default: The name if nothing of `names` can be used, such as `scalars.csv`; its ending is always used.
        names: Names of runs and tags; empty ones are left out.
    """
    texts = (_UNSAFE.sub("-", safe(name)).strip("-._") for name in names)
    name = "-".join(text for text in texts if text)[:MAX_NAME_LETTERS].strip("-._")
    if not Path(default).suffix:
        name = name.replace(".", "-")  # what follows a dot would be taken for the ending
    return (name or Path(default).stem) + Path(default).suffix


def propose_chart_name(default: str, view: View, run: str | None, title: str) -> str:
    """Return a file name for a card: with its run, or with the only run that is drawn."""
    only_run = view.runs[0].name if len(view.runs) == 1 else ""
    return propose_name(default, only_run if run is None else run, title)


def describe_folder() -> str:
    """Return the folder that a file name without a path is in, for a hint."""
    try:
        return f"in {safe(str(Path.cwd()))}"
    except OSError:  # the directory is gone
        return "give a full path: the present directory is gone"


def create_file_fields(offered: str, *own: Field, formats: Sequence[str] = FORMATS) -> tuple[Field, ...]:
    """Return the fields of a save dialog.

    Args:
        offered: The proposed file name (`propose_name`).
        own: Fields that choose the content.
        formats: The available formats.
    """
    named = ((None, "by the file's name"), *((name, name) for name in formats))
    return (
        create_path_field(offered),
        Choice("format", "format", named, None),
        *own,
        Choice("force", "replace", ((False, "no"), (True, "yes")), False, "replace an existing file"),
    )


def create_path_field(offered: str, hint: str = "the folder must exist; ~ is your home") -> Text:
    """Return a field for a path; its hint begins with the folder of a name without a path."""
    return Text("path", "file", offered, _parse_path, f"{describe_folder()}; {hint}")


def _parse_path(text: str) -> Path:
    if not text.strip():
        raise ValueError("which file?")
    try:
        return Path(text).expanduser()
    except RuntimeError:
        raise ValueError(f"no such user: {text}") from None


class SaveCancelled(Exception):  # noqa: N818 - a cancellation, not an error
    """The user cancelled the save."""


class FileSaver:
    """Writes one file on its own thread. Subclasses provide the content."""

    no_data_error: ClassVar[type[Exception]]
    """The error that `tables` raises if there is nothing to write."""

    no_data_field: ClassVar[str]
    """Name of the form field that shows this error."""

    errors: ClassVar[str] = "strict"
    """The error handler of `write_file`."""

    def __init__(self) -> None:
        self._stopped = Event()
        self._rows = 0
        """Number of rows written."""

    def tables(self, entered: dict[str, Any]) -> tuple[Sequence[str], Iterable[Table]]:
        """Return the names of the columns, and the tables."""
        raise NotImplementedError

    def pieces(self, entered: dict[str, Any]) -> Iterator[str | bytes]:
        """Yield the text or bytes to write; by default the text of `tables`."""
        columns, tables = self.tables(entered)
        yield from encode_text(
            self._count_rows(tables), entered["format"] or choose_text_format(entered["path"]), columns
        )

    def stop(self) -> None:
        """Cancel; no file is left."""
        self._stopped.set()

    def __call__(self, entered: dict[str, Any]) -> SavedFile | None:
        """Write the file for the values of `create_file_fields`.

        Returns:
            The result; None after a cancellation.

        Raises:
            FieldError: The file cannot be written.
        """
        path: Path = entered["path"]
        check_no_stream(path)
        self._rows = 0
        try:
            write_file(path, self._check_cancelled(self.pieces(entered)), force=entered["force"], errors=self.errors)
        except SaveCancelled:
            return None
        except OutputExistsError as error:
            raise FieldError("force", str(error)) from None
        except OutputError as error:
            raise FieldError("path", str(error)) from None
        except self.no_data_error as error:
            raise FieldError(self.no_data_field, str(error)) from None
        return SavedFile(path.absolute(), self._rows)

    def _count_rows(self, tables: Iterable[Table]) -> Iterator[Table]:
        for table in tables:
            self._rows += len(table)
            yield table

    def _check_cancelled(self, pieces: Iterator[str | bytes]) -> Iterator[str | bytes]:
        for piece in pieces:
            if self._stopped.is_set():
                raise SaveCancelled
            yield piece


class _HasStep(Protocol):
    @property
    def step(self) -> int: ...


StepT = TypeVar("StepT", bound=_HasStep)


@frozen
class SavedFiles:
    """The files that a `StepFilesSaver` wrote."""

    path: Path
    """Path of the only file, or of the first one."""

    count: int
    nbytes: int

    def text(self, noun: str) -> str:
        """Return a summary of the files: `3 meshes, 1.2 MB, from /tmp/bunny-step1.ply on`."""
        if self.count == 1:
            return f"{numbers.format_size(self.nbytes)}: {self.path}"
        return f"{self.count:,} {noun}, {numbers.format_size(self.nbytes)}, from {self.path} on"


def create_step_files_fields(path: Text, *own: Field) -> tuple[Field, ...]:
    """Return the fields of a dialog that saves the value of one step, or those of all steps.

    Args:
        path: The field of the path (`create_path_field`).
        own: Fields that choose the content.
    """
    steps = ((False, "the one shown"), (True, "all"))
    return (
        path,
        *own,
        Choice("all", "steps", steps, False, "every stored step in a file of its own, or one"),
        Choice("force", "replace", ((False, "no"), (True, "yes")), False, "replace existing files"),
    )


class StepFilesSaver(Generic[StepT]):
    """Writes the values of one card, a file per step, on its own thread.

    Args:
        select: Returns the steps to write: all if its argument is True, else the one shown.
        encode: Returns the bytes of a step and the suffix of its format, for the values of the form.
        errors: Exceptions of both for values that cannot be written.
    """

    def __init__(
        self,
        select: Callable[[bool], Sequence[StepT]],
        encode: Callable[[StepT, dict[str, Any]], tuple[bytes, str]],
        errors: tuple[type[Exception], ...],
    ) -> None:
        self._select, self._encode, self._errors = select, encode, errors
        self._stopped = Event()

    def stop(self) -> None:
        """Write no further file."""
        self._stopped.set()

    def __call__(self, entered: dict[str, Any]) -> SavedFiles | None:
        """Write the files for the values of `create_step_files_fields`.

        Returns:
            The result; None if it was stopped before anything was written.

        Raises:
            FieldError: A file cannot be written.
        """
        first, count, nbytes = None, 0, 0
        path: Path = entered["path"]
        try:
            steps = self._select(entered["all"])
            names = StepNames(path.stem, np.array([each.step for each in steps]))
            for index, step in enumerate(steps):
                if self._stopped.is_set():
                    break
                data, suffix = self._encode(step, entered)
                suffix = path.suffix or suffix
                file = path.with_name(names.name(index, suffix) if entered["all"] else f"{path.stem}{suffix}")
                check_no_stream(file)
                write_file(file, [data], force=entered["force"])
                first, count, nbytes = first or file.absolute(), count + 1, nbytes + len(data)
        except OutputExistsError as error:
            raise FieldError("force", str(error)) from None
        except OutputError as error:
            raise FieldError("path", str(error)) from None
        except self._errors as error:
            raise FieldError("all", str(error)) from None
        return None if first is None else SavedFiles(first, count, nbytes)


def check_no_stream(path: Path) -> None:
    """Refuse pipes, which may wait for a reader for ever, and terminals, which show the dashboard.

    Raises:
        FieldError: The path is neither a regular file nor new.
    """
    try:
        is_stream = path.exists() and not path.is_file() and not path.is_dir()
    except OSError as error:
        raise FieldError("path", f"{path} cannot be written: {error.strerror}") from None
    if is_stream:
        raise FieldError("path", f"{path} is not a file")
