"""The dialog that adds and removes log directories while the dashboard runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tbtui.charts.text import shorten
from tbtui.loading.sources import SourceError, parse_sources
from tbtui.widgets.form_fields import Choice, FieldError, Text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.app import App

    from tbtui.loading.sources import Source
    from tbtui.widgets.form_fields import Field

MAX_LABEL_COLUMNS = 22
"""Columns of a path beside its choice; the hint has all of it."""

COMMAND = "Log directories: add or remove"
HINT = "a directory, an event file, a glob or NAME:PATH, as on the command line; ~ is your home"


def create_fields(paths: Sequence[str]) -> tuple[Field, ...]:
    """Return the fields of the dialog: a new path, and each present one to keep or to remove."""
    keep = ((True, "keep"), (False, "remove"))
    return (
        Text("add", "add", "", str.strip, HINT),
        *(
            Choice(
                f"path{number}", shorten(path, MAX_LABEL_COLUMNS), keep, True, f"{path}: its files stay, its runs leave"
            )
            for number, path in enumerate(paths)
        ),
    )


def select_paths(paths: Sequence[str], entered: dict[str, Any]) -> tuple[str, ...]:
    """Return the paths that the entries select, in order.

    Raises:
        FieldError: None would be left.
    """
    remaining = [path for number, path in enumerate(paths) if entered[f"path{number}"]]
    added = [entered["add"]] if entered["add"] and entered["add"] not in remaining else []
    if not remaining + added:
        raise FieldError("add", "one directory must remain: name another one first")
    return (*remaining, *added)


def shorten_reason(entered: str, message: str) -> str:
    """Return a message without the path that the field above it shows: with a long path the reason would be cut.

    Args:
        entered: Text of the field: a path or NAME:PATH.
        message: PATH: REASON; the path may be another one, which is kept.
    """
    path, _, reason = message.partition(": ")
    return reason if reason and entered.endswith(path) else message


def open_directories_form(
    app: App[Any], paths: Sequence[str], apply: Callable[[tuple[str, ...], tuple[Source, ...]], None]
) -> None:
    """Open the dialog.

    Args:
        app: The app.
        paths: The present paths, as they were typed.
        apply: Called with the paths that were chosen, and where they lead, on the UI thread.
    """
    from tbtui.widgets.form import FormScreen

    def check(entered: dict[str, Any]) -> tuple[tuple[str, ...], tuple[Source, ...]]:
        chosen = select_paths(paths, entered)
        try:
            return chosen, parse_sources(chosen)
        except SourceError as error:
            raise FieldError("add", shorten_reason(entered["add"], str(error))) from None

    def take(result: tuple[tuple[str, ...], tuple[Source, ...]] | None) -> None:
        if result is not None and result[0] != tuple(paths):
            apply(*result)

    # A thread of its own: a network file system may not answer.
    app.push_screen(FormScreen("log directories", create_fields(paths), check, slow=True), take)
