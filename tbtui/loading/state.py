"""Immutable state that the loader publishes to the rest of the program."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING

from tbtui.frozen import frozen
from tbtui.store.snapshot import StoreSnapshot

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tbtui.loading.assets import RunAssets
    from tbtui.store.snapshot import Problem, RunSnapshot


@frozen
class FileProblem:
    """One line of the damage list."""

    run: str
    path: str
    """Path of the file or the unreadable directory; not yet escaped for a terminal."""

    state: str
    """State of the file: `truncated`, `corrupt`, `empty` or `unreadable`."""

    problem: Problem


def name_writers(problems: Iterable[FileProblem], runs: Sequence[RunSnapshot]) -> Iterator[FileProblem]:
    """Yield the problems of a directory, each with the name of the run that has its file.

    Args:
        problems: Problems of the run of the directory.
        runs: The runs of its writers, usually one.
    """
    names = {file.path: run.name for run in runs for file in run.files} if len(runs) > 1 else {}
    for problem in problems:
        yield replace(problem, run=names[problem.path]) if problem.path in names else problem


@frozen
class Searched:
    """Counts of the walks through the log directories."""

    directories: int = 0
    files: int = 0
    """Number of files in these directories, of any kind."""

    depth: int = 0
    """Levels below a log directory."""


@frozen
class LoadState:
    """Everything read so far and the progress of loading."""

    snapshot: StoreSnapshot = field(default_factory=StoreSnapshot)
    bytes_read: int = 0
    bytes_total: int = 0
    """Bytes of all files found so far; grows while directories are being walked."""

    complete: bool = False
    """True once everything that existed at the start has been read; stays true when files grow."""

    watching: str = "off"
    """Detection of changes: `notified` by the file system, `polled`, or `off`."""

    problems: tuple[FileProblem, ...] = ()
    """Lines of the damage list. A truncated or empty file is listed only after some minutes without changes: during
    training, both states are normal between two flushes.
    """

    assets: tuple[RunAssets, ...] = ()
    """Embeddings and profiles in the directories."""

    unverified_bytes: int | None = None
    """Bytes that are still to be compared with their checksums again; None if `Loader.verify` did not request it."""

    index_failure: str | None = None
    """Reason why the cache cannot be written; None if it can."""

    searched: Searched | None = None
    """Directories and files searched so far; None once a run is found, since other files do not matter then."""

    seconds_left: int | None = None
    """Rough estimate of the time until everything found has been read; None when complete, and while it is unknown."""

    is_searching: bool = False
    """True until all directories have been walked for the first time: `bytes_total` still grows."""
