"""What the loader tells the rest of the program."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from tbtui.frozen import frozen
from tbtui.store.snapshot import StoreSnapshot

if TYPE_CHECKING:
    from tbtui.store.snapshot import Problem


@frozen
class FileProblem:
    """One line of the damage list."""

    run: str
    path: str
    """The file, or the directory that could not be read; not yet made safe for a terminal."""

    state: str
    """Of the file: `truncated`, `corrupt`, `empty` or `unreadable`."""

    problem: Problem


@frozen
class LoadState:
    """What has been read and how it goes, at one moment."""

    snapshot: StoreSnapshot = field(default_factory=StoreSnapshot)
    bytes_read: int = 0
    bytes_total: int = 0
    """Of all files found so far; grows while directories are still being walked."""

    complete: bool = False
    """Everything that was there at the start has been read; stays true when files grow."""

    watching: str = "off"
    """How changes are noticed: `notified` by the file system, `polled`, or `off` when nothing is looked at again."""

    problems: tuple[FileProblem, ...] = ()
    """What the damage list shows. A file that ends in the middle of a record or holds nothing is listed only when it
    has not changed for some minutes: while a training runs, both are how a file looks between two flushes."""

    index_failure: str | None = None
    """Why what was read cannot be kept for the next time, in plain words."""
