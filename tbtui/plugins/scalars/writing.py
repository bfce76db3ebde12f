"""Writes the data of one chart to a file. Imports no Textual."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

from tbtui.export.formats import FORMATS, format_of, text_of
from tbtui.export.output import OutputError, OutputExistsError, write_file
from tbtui.export.scalars import SCALARS, SMOOTHED
from tbtui.plugins.scalars.data import NoPointsError, ScalarData
from tbtui.plugins.scalars.tables import shown_tables, stored_tables
from tbtui.widgets.form_fields import Choice, RefusedError, Text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.export.table import Table
    from tbtui.viewstate.view import View
    from tbtui.widgets.form_fields import Field

PATH = "scalars.csv"
"""What is offered; never made of the name of a tag, which may say anything."""


def _path(text: str) -> Path:
    if not text.strip():
        raise ValueError("which file?")
    try:
        return Path(text).expanduser()
    except RuntimeError:
        raise ValueError(f"whose home is meant cannot be told: {text}") from None


FIELDS: tuple[Field, ...] = (
    Text("path", "file", PATH, _path, "its directory must be there; ~ is your home"),
    Choice("format", "format", ((None, "by the file's name"), *((name, name) for name in FORMATS)), None),
    Choice(
        "stored",
        "points",
        ((False, "in sight"), (True, "all")),
        False,
        "in sight: neither superseded, skipped nor outside a range; all: as stored, in order of arrival",
    ),
    Choice("smoothed", "smoothed values", ((False, "no"), (True, "yes")), False, "as a column of their own"),
    Choice("force", "replace", ((False, "no"), (True, "yes")), False, "whether a file that is there is replaced"),
)


@dataclass(frozen=True, slots=True)
class Written:
    """What has been written."""

    path: Path
    """From the root."""

    points: int


class Stopped(Exception):  # noqa: N818 - not an error: somebody has changed his mind
    """The file is not wanted any more."""


class Writing:
    """One form's worth of writing; runs on a thread of its own.

    Args:
        view: What is shown.
        key: The chart's card.
    """

    def __init__(self, view: View, key: str) -> None:
        self._view, self._key = view, key
        self._stopped = Event()
        self._points = 0

    def stop(self) -> None:
        """Leave no file."""
        self._stopped.set()

    def __call__(self, entered: dict[str, Any]) -> Written | None:
        """Write what was entered in `FIELDS`.

        Returns:
            None when it was stopped.

        Raises:
            RefusedError: It cannot be written.
        """
        path: Path = entered["path"]
        _check_no_stream(path)
        self._points = 0
        form = entered["format"] or format_of(path)
        columns = SMOOTHED if entered["smoothed"] else SCALARS
        pieces = text_of(self._tables(stored=entered["stored"]), form, columns)
        try:
            write_file(path, self._until_stopped(pieces), force=entered["force"])
        except Stopped:
            return None
        except OutputExistsError as error:
            raise RefusedError("force", str(error)) from None
        except OutputError as error:
            raise RefusedError("path", str(error)) from None
        except NoPointsError as error:
            raise RefusedError("stored", str(error)) from None
        return Written(path.absolute(), self._points)

    def _tables(self, *, stored: bool) -> Iterator[Table]:
        # Made anew: what the pane has is used by its own thread.
        data = ScalarData()
        for table in (stored_tables if stored else shown_tables)(data, self._view, self._key):
            self._points += len(table)
            yield table

    def _until_stopped(self, pieces: Iterator[str]) -> Iterator[str]:
        for piece in pieces:
            if self._stopped.is_set():
                raise Stopped
            yield piece


def _check_no_stream(path: Path) -> None:
    """A pipe may wait for its reader for ever, and a terminal is what all this is drawn on."""
    try:
        is_stream = path.exists() and not path.is_file() and not path.is_dir()
    except OSError as error:
        raise RefusedError("path", f"{path} cannot be written: {error.strerror}") from None
    if is_stream:
        raise RefusedError("path", f"{path} is no file")
