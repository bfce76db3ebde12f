"""The list of all captures, to choose one."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from tbtui.charts import colours as palette
from tbtui.charts.cells import Ink
from tbtui.charts.numbers import clock, size
from tbtui.charts.styled_text import Row
from tbtui.charts.text import visible_name

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from textual.app import App

    from tbtui.plugins.profile.capture import CaptureSource

MIN_DETAILS = 60
"""Columns from which size and time of a capture are listed."""


def capture_rows(sources: Sequence[CaptureSource], inks: Mapping[str, int], width: int) -> tuple[Row, ...]:
    """Return a row for each capture: its run, its title, size and time."""
    rows = []
    for index, source in enumerate(sources):
        ink = inks.get(source.run, 0)
        right = source.title
        if width >= MIN_DETAILS:
            right += f"  {size(source.asset.bytes):>8}  {clock(source.asset.modified)}"
        marker = ((f" {palette.marker(ink)} ", ink),)
        rows.append(Row(str(index), marker, visible_name(source.run), Ink.TEXT, right=((f"{right} ", Ink.DIM),)))
    return tuple(rows)


def open_capture_list(
    app: App[Any],
    title: str,
    sources: Sequence[CaptureSource],
    inks: Mapping[str, int],
    index: int,
    key: str,
    on_choice: Callable[[int], object],
) -> None:
    """Open the list of captures.

    Args:
        app: The app.
        title: Title of the list.
        sources: All captures.
        inks: Ink of each run.
        index: Index of the capture on which the cursor begins.
        key: Key that opened the list.
        on_choice: Receives the index of the chosen capture.
    """
    from tbtui.widgets.chooser import open_chooser

    rows = partial(capture_rows, sources, inks)
    open_chooser(app, title, rows, str(index), key, lambda number: on_choice(int(number)))
