"""Keeps a watcher on the log directories, and begins anew when one of them is another directory than before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.loading.watch import Watcher

if TYPE_CHECKING:
    from tbtui.loading.notices import Notices
    from tbtui.loading.watch import WatchRoot


class Listening:
    """The loading thread's ear. Roots that the system refused are not tried again until they change."""

    def __init__(self, notices: Notices) -> None:
        """Args: notices: where changes are told."""
        self._notices = notices
        self._watcher: Watcher | None = None
        self._roots: tuple[WatchRoot, ...] = ()
        self.active = False
        """The file system tells of changes now."""

    def follow(self, roots: tuple[WatchRoot, ...]) -> None:
        """Watch these roots and no others."""
        if roots == self._roots:
            return
        self.stop()
        self._roots = roots
        if roots:
            self._watcher = Watcher(roots, on_begin=self._begun, on_change=self._notices.put, on_end=self._ended)
            self._watcher.start()

    def stop(self) -> None:
        """End the watcher, if there is one."""
        if self._watcher is not None:
            self._watcher.stop()
        self._watcher = None
        self._roots = ()
        self.active = False

    def _begun(self) -> None:
        self.active = True
        self._notices.put_everywhere()

    def _ended(self) -> None:
        self.active = False
        self._notices.put_everywhere()
