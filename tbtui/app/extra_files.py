"""Data beside the event files: files that open a tab, files that options name, and data that no tab shows.

All of them wait for the file system on threads of their own, so that keys are answered meanwhile.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any

from tbtui.plugins.unsupported_data import format_unshown_lines
from tbtui.settings.text_files import FollowedTextFiles
from tbtui.widgets.worker import call_on_daemon

if TYPE_CHECKING:
    from asyncio import Future
    from collections.abc import Callable, Iterable, Mapping

    from tbtui.app.state import AppState, AppStateBuilder
    from tbtui.loading.state import LoadState
    from tbtui.run_health.summaries import RunSummary
    from tbtui.settings.declaration import Setting
    from tbtui.settings.kinds import TextFile
    from tbtui.settings.settings import Settings

FILE_SEARCH_SECONDS, FILE_SEARCH_SHARE = 10.0, 300
"""Minimum seconds between two searches for data beside the event files, and how many times as long as a search."""

MAX_UNSHOWN_LINES = 5
"""Maximum number of lines of the toast about data that no dashboard shows; `tbtui inspect` lists all."""


class FileSearch:
    """Searches for files that open a tab, once the event files are read, and again from time to time.

    A trainer may write its settings after its first values, and nothing reports that.

    Args:
        builder: Finds the files.
        refresh: Called on the UI thread when other tabs have files.
    """

    def __init__(self, builder: AppStateBuilder, refresh: Callable[[], None]) -> None:
        self._builder = builder
        self._refresh = refresh
        self._next_search = 0.0
        """Time of the next search, on the clock of `time.monotonic`."""

        self.searched_runs = 0
        """Number of runs at the last search."""

    def search_if_due(self, load: LoadState, settings: Settings) -> None:
        """Start a search on a thread if there are more runs, or the last search was long ago."""
        has_more_runs = len(load.snapshot.runs) != self.searched_runs
        is_due = load.watching != "off" and time.monotonic() >= self._next_search
        if not load.complete or not (has_more_runs or is_due):
            return
        self.searched_runs = len(load.snapshot.runs)
        self._next_search = math.inf

        def search() -> bool:
            began = time.monotonic()
            try:
                return self._builder.find_files(load.snapshot, settings)
            finally:
                ended = time.monotonic()
                self._next_search = ended + max(FILE_SEARCH_SECONDS, (ended - began) * FILE_SEARCH_SHARE)

        def refresh(has_changed: Future[bool]) -> None:
            if has_changed.exception() is None and has_changed.result():
                self._refresh()
            self._builder.tab_order.end_load()

        call_on_daemon(search).add_done_callback(refresh)


class UnshownData:
    """Names data that no dashboard shows, once it is read, and again when there is more of it."""

    def __init__(self) -> None:
        self._lines: tuple[str, ...] = ()
        self._summaries: Mapping[str, RunSummary] | None = None

    def report(self, state: AppState) -> str:
        """Return the text of a notice; empty if there is nothing new."""
        if not state.load.complete or state.summaries is self._summaries:
            return ""
        self._summaries = state.summaries
        lines = format_unshown_lines(state.load.assets, [summary.tags for summary in state.summaries.values()])
        # Where there is nothing to draw, the empty pane says it.
        is_new = state.plugin is not None and not set(lines) <= set(self._lines)
        self._lines = lines
        return "\n".join(lines[:MAX_UNSHOWN_LINES]) if is_new else ""


class TextFilePoller:
    """Reads the files that options name again when they have changed.

    Args:
        declared: Settings that may name a file.
        settings: Their values at the start.
        accept: Called on the UI thread with all current files.
    """

    def __init__(
        self,
        declared: Iterable[Setting[Any]],
        settings: Settings,
        accept: Callable[[Mapping[Setting[Any], TextFile]], None],
    ) -> None:
        self._files = FollowedTextFiles(declared, settings)
        self._accept = accept
        self.is_reading = False

    def __bool__(self) -> bool:
        return bool(self._files)

    def poll(self) -> None:
        """Read the files that have changed, on a thread: a file system may not answer."""
        if self._files and not self.is_reading:
            self.is_reading = True
            call_on_daemon(self._files.check).add_done_callback(self._take)

    def _take(self, result: Future[dict[Setting[Any], TextFile]]) -> None:
        self.is_reading = False
        if result.exception() is None:
            self._accept(result.result())
