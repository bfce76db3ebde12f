"""Keeps a watcher on the log directories, and begins anew when they are other directories than before."""

from __future__ import annotations

import threading
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from tbtui.loading.discovery import DirectoryIdentity
    from tbtui.loading.loader import Wakeups


# Listens to the file system for changes, in a thread of its own.


_STEP_MILLISECONDS = 20
"""A change is told once nothing more has happened for one such step, …"""

_DEBOUNCE_MILLISECONDS = 60
"""… or after this long when changes never pause."""

_HEARTBEAT_MILLISECONDS = 50


class Watcher:
    """Tells of what changes in some directories, each by itself.

    A watch over a whole tree would be one call, but the system stops setting it up at the first directory that may not
    be read, and says nothing when it has no watches left for a directory that appears later.

    It never raises: when the system refuses (no watches left, a file system without notifications), it ends and says
    so.
    """

    def __init__(
        self,
        directories: Iterable[str],
        *,
        on_begin: Callable[[], None],
        on_change: Callable[[Iterable[str]], None],
        on_loss: Callable[[], None],
        on_end: Callable[[], None],
    ) -> None:
        """Prepare to watch; nothing happens before `start`. All functions are called in the watcher's thread.

        Args:
            directories: absolute paths.
            on_begin: called once the watch stands: what changed before must be looked for.
            on_change: called with absolute paths that were made, written, renamed or removed.
            on_loss: called, before that is told, when one of the directories was removed or renamed, or was so before
                the watch stood: should it come back, as the same one even, nothing is heard of it any more.
            on_end: called when watching has failed, not after `stop`.
        """
        self._directories = frozenset(directories)
        self._on_begin = on_begin
        self._on_change = on_change
        self._on_loss = on_loss
        self._on_end = on_end
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="tbtui-watcher", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def stop(self) -> None:
        """End; returns within a few hundredths of a second."""
        self._stop.set()
        self._thread.join(timeout=1.0)

    def _run(self) -> None:
        # The limits of inotify are an OSError at the start and watchfiles' own RuntimeError later on; a path that is
        # not UTF-8 is a UnicodeError or, in the middle, a RuntimeError too.
        with suppress(OSError, RuntimeError, UnicodeError):
            try:
                self._watch()
            except FileNotFoundError:
                self._on_loss()
                raise
        if not self._stop.is_set():
            self._on_end()

    def _watch(self) -> None:
        from watchfiles import Change, watch  # takes longer to import than a small log directory to read

        begun = False
        for changes in watch(
            *self._directories,
            watch_filter=None,
            debounce=_DEBOUNCE_MILLISECONDS,
            step=_STEP_MILLISECONDS,
            stop_event=self._stop,
            rust_timeout=_HEARTBEAT_MILLISECONDS,
            yield_on_timeout=True,
            raise_interrupt=False,
            force_polling=False,
            recursive=False,
            # It would ignore every error, also that there are no watches left, and watch a part of them.
            ignore_permission_denied=False,
        ):
            if not begun:
                self._on_begin()
                begun = True
            if any(change == Change.deleted and path in self._directories for change, path in changes):
                self._on_loss()
            if changes:
                self._on_change(path for _, path in changes)


class WatchManager:
    """The loading thread's ear. What the system refuses is not tried again until it is another set of directories."""

    def __init__(self, notices: Wakeups) -> None:
        """Args: notices: where changes are told."""
        self.heard: frozenset[str] = frozenset()
        """The directories of whose changes the file system tells now."""

        self._notices = notices
        self._watcher: Watcher | None = None
        self._directories: Mapping[str, DirectoryIdentity] | None = {}
        """Those that are watched; None when they have to be watched anew, even if they are the same."""

    def follow(self, directories: Mapping[str, DirectoryIdentity]) -> None:
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
