"""Keeps a watcher on the log directories, and begins anew when they are other directories than before."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tbtui.loading.watch import Watcher

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tbtui.loading.discovery import Identity
    from tbtui.loading.notices import Notices


class Listening:
    """The loading thread's ear. What the system refuses is not tried again until it is another set of directories."""

    def __init__(self, notices: Notices) -> None:
        """Args: notices: where changes are told."""
        self.heard: frozenset[str] = frozenset()
        """The directories of whose changes the file system tells now."""

        self._notices = notices
        self._watcher: Watcher | None = None
        self._directories: Mapping[str, Identity] | None = {}
        """Those that are watched; None when they have to be watched anew, even if they are the same."""

    def follow(self, directories: Mapping[str, Identity]) -> None:
        """Watch these directories and nothing else; one that was replaced under its path is another one."""
        if directories == self._directories:
            return
        self.stop()
        self._directories = directories
        if directories:
            begun = partial(self._set_heard, frozenset(directories))
            ended = partial(self._set_heard, frozenset())
            self._watcher = Watcher(
                directories, on_begin=begun, on_change=self._notices.put, on_loss=self._forget, on_end=ended
            )
            self._watcher.start()
        else:
            self._set_heard(frozenset())

    def stop(self) -> None:
        """End the watcher, if there is one; until the next one begins, `heard` says what the last one heard."""
        if self._watcher is not None:
            self._watcher.stop()
        self._watcher = None
        self._directories = {}

    def _forget(self) -> None:
        self._directories = None

    def _set_heard(self, directories: frozenset[str]) -> None:
        self.heard = directories
        # What happened before, or between two watchers, was not told.
        self._notices.put_everywhere()
