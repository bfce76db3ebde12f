"""Keeps a watcher on the log directories, and begins anew when one of them is another directory than before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.loading.watch import Watched, Watcher

if TYPE_CHECKING:
    from tbtui.loading.notices import Notices


class Listening:
    """The loading thread's ear. What the system refused is not tried again until it is another thing."""

    def __init__(self, notices: Notices) -> None:
        """Args: notices: where changes are told."""
        self._notices = notices
        self._watcher: Watcher | None = None
        self._watched = Watched()
        self.active = False
        """The file system tells of changes now."""

    def follow(self, watched: Watched) -> None:
        """Watch this and nothing else."""
        if watched == self._watched:
            return
        self.stop()
        self._watched = watched
        if watched.roots:
            self._watcher = Watcher(watched, on_begin=self._begun, on_change=self._notices.put, on_end=self._ended)
            self._watcher.start()

    def stop(self) -> None:
        """End the watcher, if there is one."""
        if self._watcher is not None:
            self._watcher.stop()
        self._watcher = None
        self._watched = Watched()
        self.active = False

    def _begun(self) -> None:
        self.active = True
        self._notices.put_everywhere()

    def _ended(self) -> None:
        self.active = False
        self._notices.put_everywhere()
