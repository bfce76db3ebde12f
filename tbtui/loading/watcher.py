"""File system notifications for the log directories."""

from __future__ import annotations

import threading
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from tbtui.loading.discovery import DirectoryIdentity
    from tbtui.loading.loader import Wakeups


_STEP_MILLISECONDS = 20
"""A change is reported after one step without further changes, …"""

_DEBOUNCE_MILLISECONDS = 60
"""… or after this time if changes never pause."""

_HEARTBEAT_MILLISECONDS = 50


class Watcher:
    """Watches some directories, each without its subdirectories, in a thread.

    One recursive watch would be simpler, but setting it up stops at the first unreadable directory, and fails silently
    if no watches are left for a directory that appears later. A watcher never raises: if the system refuses (no watches
    left, no notifications), it ends and calls `on_end`.
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
        """Create a watcher that is not started. All callbacks run in the watcher's thread.

        Args:
            directories: Absolute paths.
            on_begin: Called when the watch is active; earlier changes must be searched for.
            on_change: Called with absolute paths that were created, written, renamed or removed.
            on_loss: Called before `on_change` when a watched directory was removed or renamed, even before the watch
                was active. Should it return, its changes are not reported any more.
            on_end: Called when watching has failed, but not after `stop`.
        """
        self._directories = frozenset(directories)
        self._on_begin = on_begin
        self._on_change = on_change
        self._on_loss = on_loss
        self._on_end = on_end
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="tbtui-watcher", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread; returns within a few hundredths of a second."""
        self._stop.set()
        self._thread.join(timeout=1.0)

    def _run(self) -> None:
        # Exceeding the limits of inotify raises OSError at the start and RuntimeError later; a path that is
        # not UTF-8 raises UnicodeError at the start and RuntimeError later.
        with suppress(OSError, RuntimeError, UnicodeError):
            try:
                self._watch()
            except FileNotFoundError:
                self._on_loss()
                raise
        if not self._stop.is_set():
            self._on_end()

    def _watch(self) -> None:
        from watchfiles import Change, watch  # importing it takes longer than reading a small log directory

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
            # True would ignore every error, including missing watches, and watch a part of the directories.
            ignore_permission_denied=False,
        ):
            if not begun:
                self._on_begin()
                begun = True
            if any(change == Change.deleted and path in self._directories for change, path in changes):
                self._on_loss()
            if changes:
                self._on_change(path for _, path in changes)


MAX_ADDED_WATCHERS = 8
"""Maximum number of watchers in addition to the first one; each has a thread."""

MIN_KEPT_DIRECTORIES = 500
"""A watcher of at least this many directories is kept when others appear: to set it up again takes up to 35 µs each,
during which no other thread runs.
"""


class WatchManager:
    """Watchers of the loading thread. A refused set of directories is not tried again until it changes."""

    def __init__(self, wakeups: Wakeups) -> None:
        """Create a manager that reports changes to `wakeups`."""
        self.notified: frozenset[str] = frozenset()
        """Directories whose changes the file system currently reports."""

        self._wakeups = wakeups
        self._watcher: Watcher | None = None
        self._added: list[Watcher] = []
        """Watchers of directories that appeared later."""

        self.is_refused = False
        """True if the system refused to watch the directories, or stopped watching them."""

        self._directories: Mapping[str, DirectoryIdentity] | None = {}
        """Directories being watched; None if they must be watched again even if they are the same."""

    def follow(self, directories: Mapping[str, DirectoryIdentity]) -> None:
        """Watch exactly these directories; a directory replaced under its path counts as another one."""
        before = self._directories
        if directories is before or directories == before:
            return
        if before and self._can_add(before, directories):
            self._add({path for path in directories if path not in before})
            self._directories = directories
            return
        self.stop()
        self._directories = directories
        if directories:
            begun = partial(self._set_notified, frozenset(directories))
            ended = self._note_end
            self._watcher = Watcher(
                directories, on_begin=begun, on_change=self._wakeups.put, on_loss=self._forget, on_end=ended
            )
            self._watcher.start()
        else:
            self._set_notified(frozenset())

    def _can_add(self, before: Mapping[str, DirectoryIdentity], after: Mapping[str, DirectoryIdentity]) -> bool:
        """Return True if the directories that were added are better watched in addition to the others."""
        return (
            len(before) >= MIN_KEPT_DIRECTORIES
            and len(self._added) < MAX_ADDED_WATCHERS
            and not self.is_refused
            and before.items() <= after.items()
        )

    def _add(self, directories: Collection[str]) -> None:
        """Watch further directories in addition to those that are watched."""
        watcher = Watcher(
            directories,
            on_begin=partial(self._note_added, directories),
            on_change=self._wakeups.put,
            on_loss=self._forget,
            on_end=self._forget,
        )
        self._added.append(watcher)
        watcher.start()

    def stop(self) -> None:
        """Stop all watchers."""
        for watcher in (self._watcher, *self._added):
            if watcher is not None:
                watcher.stop()
        self._watcher = None
        self._added = []
        self.is_refused = False
        self._directories = {}

    def _forget(self) -> None:
        self._directories = None

    def _note_added(self, directories: Collection[str]) -> None:
        self.notified |= frozenset(directories)
        self._wakeups.put(directories)  # what changed in them before was not reported

    def _note_end(self) -> None:
        self.is_refused = True
        self._set_notified(frozenset())

    def _set_notified(self, directories: frozenset[str]) -> None:
        self.notified = directories
        # Changes before the watch, or between two watches, were not reported.
        self._wakeups.put_everywhere()
