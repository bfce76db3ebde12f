"""The captures of a view: the one that is shown, the one that it is compared with, and the list to choose them from."""

from __future__ import annotations

from dataclasses import field
from functools import partial
from typing import TYPE_CHECKING, Any

from tbtui.charts.cells import Ink
from tbtui.charts.numbers import format_clock, format_size
from tbtui.charts.series_colours import get_series_marker
from tbtui.charts.styled_text import Row
from tbtui.charts.text import format_run_name
from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from textual.app import App

    from tbtui.plugins.profile.capture import CaptureSource

MAX_RANKS = 32
"""Ranks that are read for one table."""


@frozen(eq=False)
class SourceList:
    """The captures of a view."""

    sources: tuple[CaptureSource, ...] = ()
    inks: Mapping[str, int] = field(default_factory=dict)
    """Ink of each run."""

    is_filtered: bool = False
    """True if a filter hides all captures."""


class CaptureSelection:
    """The captures of a view, and the choice of the user, which stays when the list changes."""

    def __init__(self) -> None:
        self.listed = SourceList()
        self.baseline: CaptureSource | None = None
        """The capture that the shown one is compared with."""

        self._key = ""
        """Key of the capture that the user chose; empty: the first."""

    @property
    def source(self) -> CaptureSource | None:
        """The capture that is shown; None if there is none."""
        if not self.listed.sources:
            return None
        chosen = (source for source in self.listed.sources if source.key == self._key)
        return next(chosen, self.listed.sources[0])

    @property
    def index(self) -> int:
        """Position of the shown capture; 0 if there is none."""
        source = self.source
        return 0 if source is None else self.listed.sources.index(source)

    @property
    def others(self) -> tuple[CaptureSource, ...]:
        """The other captures."""
        source = self.source
        return tuple(other for other in self.listed.sources if source is None or other.key != source.key)

    @property
    def ranks(self) -> tuple[CaptureSource, ...]:
        """The captures of the other workers of the same run, at the same position; `MAX_RANKS` at most."""
        source = self.source
        if source is None:
            return ()
        return tuple(
            other
            for other in self.listed.sources
            if other.run == source.run and other.number == source.number and other.worker != source.worker
        )[: MAX_RANKS - 1]

    def choose(self, source: CaptureSource) -> None:
        """Show a capture."""
        self._key = source.key

    def choose_next(self, captures: int) -> None:
        """Show the next capture of the list, or the one before; the first follows the last."""
        sources = self.listed.sources
        if sources:
            self.choose(sources[(self.index + captures) % len(sources)])


MIN_DETAILS = 60
"""Columns from which size and time of a capture are listed."""


def build_capture_rows(sources: Sequence[CaptureSource], inks: Mapping[str, int], width: int) -> tuple[Row, ...]:
    """Return a row for each capture: its run, its title, size and time."""
    rows = []
    for index, source in enumerate(sources):
        ink = inks.get(source.run, 0)
        right = source.title
        if width >= MIN_DETAILS:
            right += f"  {format_size(source.asset.bytes):>8}  {format_clock(source.asset.modified)}"
        marker = ((f" {get_series_marker(ink)} ", ink),)
        rows.append(Row(str(index), marker, format_run_name(source.run), Ink.TEXT, right=((f"{right} ", Ink.DIM),)))
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

    rows = partial(build_capture_rows, sources, inks)
    open_chooser(app, title, rows, str(index), key, lambda number: on_choice(int(number)))
