"""Listens to the file system for changes, in a thread of its own."""

from __future__ import annotations

import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_STEP_MILLISECONDS = 20
"""A change is told once nothing more has happened for one such step, …"""

_DEBOUNCE_MILLISECONDS = 60
"""… or after this long when changes never pause."""

_HEARTBEAT_MILLISECONDS = 250


class WatchRoot(NamedTuple):
    """A path to watch, and which file or directory it is now: when it is replaced, the watch must begin anew."""

    path: str
    device: int
    inode: int


class Watched(NamedTuple):
    """What to watch."""

    roots: tuple[WatchRoot, ...] = ()
    recursive: bool = True
    """With everything below; otherwise each directory alone."""


def watch_root(path: str) -> WatchRoot | None:
    """The root at `path`; None when there is nothing or it cannot be read."""
    try:
        status = Path(path).stat()
    except OSError:
        return None
    return WatchRoot(path, status.st_dev, status.st_ino)


class Watcher:
    """Tells of changed paths below some roots.

    It never raises: when the system refuses (no watches left, a file system without notifications), it ends and says
    so.
    """

    def __init__(
        self,
        watched: Watched,
        *,
        on_begin: Callable[[], None],
        on_change: Callable[[Iterable[str]], None],
        on_end: Callable[[], None],
    ) -> None:
        """Prepare to watch; nothing happens before `start`. All functions are called in the watcher's thread.

        Args:
            watched: what to watch.
            on_begin: called once the watch stands: what changed before must be looked for.
            on_change: called with absolute paths that were made, written, renamed or removed.
            on_end: called when watching has failed, not after `stop`.
        """
        self._watched = watched
        self._on_begin = on_begin
        self._on_change = on_change
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
            self._watch()
        if not self._stop.is_set():
            self._on_end()

    def _watch(self) -> None:
        from watchfiles import watch  # takes longer to import than a small log directory to read

        begun = False
        for changes in watch(
            *(root.path for root in self._watched.roots),
            watch_filter=None,
            debounce=_DEBOUNCE_MILLISECONDS,
            step=_STEP_MILLISECONDS,
            stop_event=self._stop,
            rust_timeout=_HEARTBEAT_MILLISECONDS,
            yield_on_timeout=True,
            raise_interrupt=False,
            force_polling=False,
            recursive=self._watched.recursive,
            # It would ignore every error, also that there are no watches left, and watch a part of the tree.
            ignore_permission_denied=False,
        ):
            if not begun:
                self._on_begin()
                begun = True
            if changes:
                self._on_change(path for _, path in changes)
