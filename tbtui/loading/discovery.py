"""Finds runs: the directories that directly contain event files."""

from __future__ import annotations

import errno
import os
import stat
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tbtui.loading.event_file import unreadable_problem
from tbtui.loading.sources import EVENT_FILE_MARK, is_event_file
from tbtui.loading.state import FileProblem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from tbtui.loading.sources import Source

    Scandir = Callable[[str], AbstractContextManager[Iterator[os.DirEntry[str]]]]

MAX_LINKED_PATHS = 100
"""Paths over links by which one directory is looked into: among links that lead from each of ten directories to all
others there are millions of paths, and no end of names for the same runs."""

_SETTLED_NS = 2_000_000_000
"""A listing made this long after the directory last changed is complete: no file system's clock is coarser."""


class DirectoryIdentity(NamedTuple):
    """Which directory it is, by whatever path it was reached."""

    device: int
    inode: int


class FoundRun(NamedTuple):
    """A directory with event files."""

    name: str
    directory: str
    files: tuple[str, ...]
    """Paths in lexicographic order: the order in which TensorBoard reads them as one stream."""

    @property
    def bytes(self) -> int:
        """Of its files now, as far as they can be told."""
        return sum(map(_size, self.files))


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size  # noqa: PTH116 - nothing else of a path is needed
    except OSError:
        return 0


class UnreadableDirectory(NamedTuple):
    """A directory that could not be looked into."""

    name: str
    """As a run in it would be called."""

    path: str
    reason: str


class Discovery:
    """Walks the sources again and again.

    Recursion is unlimited, hidden directories are entered and links followed, as TensorBoard does. A directory that
    did not change since it was last listed is not listed again, so that a repeated walk costs one `stat` for each
    directory. No descriptor stays open between two steps of a walk.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        *,
        scandir: Scandir = os.scandir,
        status_of: Callable[[str], os.stat_result] = os.stat,
    ) -> None:
        """Args: sources: where to look; scandir, status_of: stand-ins for `os.scandir`, `os.stat`."""
        self._sources = tuple(sources)
        self._scandir = scandir
        self._status_of = status_of
        self._roots: dict[Source, tuple[str, ...]] = {}
        self._listings: dict[str, _Listing] = {}
        self._failures: list[UnreadableDirectory] = []
        self.unreadable: tuple[UnreadableDirectory, ...] = ()
        """Of the last complete walk."""

        self.directories: Mapping[str, DirectoryIdentity] = {}
        """The paths that the last complete walk looked into, and which directories they were."""

        self.may_gain_roots = False
        """A root was not there and may come, or a glob may mean more: nothing that was looked into would tell."""

        self._linked: dict[str, list[str]] = {}

    @property
    def problems(self) -> tuple[FileProblem, ...]:
        """The directories that could not be looked into, for damage lists."""
        return tuple(
            FileProblem(place.name, place.path, "unreadable", unreadable_problem(place.reason))
            for place in self.unreadable
        )

    def walk(self) -> Iterator[FoundRun | None]:
        """Look everywhere once.

        What disappears during the walk is passed over. A directory that cannot be read now counts as unchanged when
        it could be read before, so that a hiccup of a network file system does not take runs away.

        Yields:
            Each run as it is found; None after each directory without a new one, for callers with little time.
        """
        listings: dict[str, _Listing] = {}
        self._failures = []
        paths: Counter[DirectoryIdentity] = Counter()
        self.may_gain_roots = any(source.is_glob for source in self._sources)
        names = _RunNames()
        waiting, single_files = self._begin()
        while waiting:
            place = waiting.pop()
            listing = self._enter(place)
            if listing is not None and not (place.linked and self._passes_over(place, listing.identity, paths)):
                listings[place.path] = listing
                waiting += reversed([place.below(*each, listing.identity) for each in listing.directories])
                yield names.found(place.name, place.path, listing.files)
        alone: dict[str, DirectoryIdentity] = {}
        for (name, directory), files in single_files.items():
            alone[directory] = self._identity(directory)
            yield names.found(name, directory, tuple(sorted(files)))
        self._listings = listings
        self.unreadable = tuple(self._failures)
        failed = {place.path for place in self._failures}
        looked = {path: listing.identity for path, listing in listings.items() if path not in failed}
        self.directories = alone | looked
        self._linked = _linked_paths(self.directories)

    def names_of(self, path: str) -> tuple[str, ...]:
        """All paths by which the walk comes to a file or directory: several where links lead to its directory.

        The file system tells of a change under one of them.
        """
        directory, name = os.path.split(path)
        linked = self._linked.get(directory)
        return (path,) if linked is None else tuple(f"{other}{os.sep}{name}" for other in linked)

    def _begin(self) -> tuple[list[_WalkEntry], dict[tuple[str, str], set[str]]]:
        """The directories to walk, and the event files the user named: (run name, directory) to paths."""
        waiting: list[_WalkEntry] = []
        single_files: dict[tuple[str, str], set[str]] = {}
        for source in self._sources:
            for path in self._current_roots(source):
                if self._is_single_file(path):
                    directory = str(Path(path).parent)
                    single_files.setdefault((source.run_name(directory), directory), set()).add(path)
                else:
                    waiting.append(_WalkEntry(path, source.run_name(path)))
        return waiting[::-1], single_files

    def _passes_over(self, place: _WalkEntry, identity: DirectoryIdentity, paths: Counter[DirectoryIdentity]) -> bool:
        """Count another path with links to a directory in `paths`; True, and told once, when there are too many."""
        paths[identity] += 1
        if paths[identity] == MAX_LINKED_PATHS + 1:
            reason = f"{MAX_LINKED_PATHS} other paths over links lead there"
            self._failures.append(UnreadableDirectory(place.name, place.path, reason))
        return paths[identity] > MAX_LINKED_PATHS

    def _is_single_file(self, path: str) -> bool:
        if not is_event_file(path):
            return False
        try:
            return not stat.S_ISDIR(self._status_of(path).st_mode)
        except FileNotFoundError:
            return False
        except OSError:
            return True

    def _current_roots(self, source: Source) -> tuple[str, ...]:
        try:
            self._roots[source] = source.roots()
        except OSError as error:
            self._failures.append(UnreadableDirectory(source.run_name(source.base), source.path, _reason(error)))
        return self._roots.get(source, ())

    def _enter(self, place: _WalkEntry) -> _Listing | None:
        """What a directory holds; None when it is gone, a loop, or cannot be read and never could."""
        try:
            status = self._status_of(place.path)
            identity = DirectoryIdentity(status.st_dev, status.st_ino)
            if identity in place.above:
                return None
            held = self._listings.get(place.path)
            changed = status.st_mtime_ns, status.st_ctime_ns
            if held is not None and held.settled and (held.identity, held.changed) == (identity, changed):
                return held
            return self._list(place.path, identity, changed)
        except OSError as error:
            if error.errno in {errno.ENOENT, errno.ENOTDIR}:
                self.may_gain_roots |= not place.above
                return None
            self._failures.append(UnreadableDirectory(place.name, place.path, _reason(error)))
            return self._listings.get(place.path)

    def _list(self, path: str, identity: DirectoryIdentity, changed: tuple[int, int]) -> _Listing:
        directories: list[tuple[str, str, bool]] = []
        files: list[str] = []
        settled = time.time_ns() - max(changed) > _SETTLED_NS
        with self._scandir(path) as entries:
            for entry in entries:
                # What a link leads to can change without a change of this directory.
                is_link = entry.is_symlink()
                settled = settled and not is_link
                if _is_directory(entry):
                    directories.append((entry.name, entry.path, is_link))
                elif EVENT_FILE_MARK in entry.name:
                    files.append(entry.path)
        return _Listing(identity, changed, tuple(sorted(directories)), tuple(sorted(files)), settled)

    def _identity(self, directory: str) -> DirectoryIdentity:
        try:
            status = self._status_of(directory)
        except OSError:
            return DirectoryIdentity(0, 0)
        return DirectoryIdentity(status.st_dev, status.st_ino)


class _Listing(NamedTuple):
    """What a directory held when it was last listed."""

    identity: DirectoryIdentity
    changed: tuple[int, int]
    """Its mtime and ctime, in nanoseconds: `tar` and `rsync` set the former to what it was elsewhere."""

    directories: tuple[tuple[str, str, bool], ...]
    """(name, path, whether it is a link), sorted."""

    files: tuple[str, ...]
    """Paths of event files, sorted."""

    settled: bool
    """Whether the same times prove that nothing was added or taken away since."""


class _WalkEntry(NamedTuple):
    """A directory on the walk's way."""

    path: str
    name: str
    """Of the run in it."""

    above: tuple[DirectoryIdentity, ...] = ()
    """The directories that the way here went through: a link back to one of them is a loop."""

    linked: bool = False
    """The way here went over a link."""

    def below(self, name: str, path: str, is_link: bool, own: DirectoryIdentity) -> _WalkEntry:
        """The place of a directory in this one."""
        full = name if self.name == os.curdir else f"{self.name}/{name}"
        return _WalkEntry(path, full, (*self.above, own), self.linked or is_link)


class _RunNames:
    """Gives each directory with event files its run name, once."""

    def __init__(self) -> None:
        self._directories: dict[str, str] = {}

    def found(self, name: str, directory: str, files: tuple[str, ...]) -> FoundRun | None:
        """The run in `directory`; None when it has no files or another source has shown it already."""
        if not files:
            return None
        if self._directories.get(name, directory) != directory:
            name = directory  # Two sources call different directories the same: the later one shows its path.
        if name in self._directories:
            return None
        self._directories[name] = directory
        return FoundRun(name, directory, files)


def _linked_paths(directories: Mapping[str, DirectoryIdentity]) -> dict[str, list[str]]:
    """For each path of a directory that has several, all of them."""
    paths: dict[DirectoryIdentity, list[str]] = {}
    for path, identity in directories.items():
        paths.setdefault(identity, []).append(path)
    return {path: same for same in paths.values() if len(same) > 1 for path in same}


def _is_directory(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link that leads nowhere readable
        return False


def _reason(error: OSError) -> str:
    return error.strerror or str(error)


# Which file systems tell of changes made elsewhere: the local ones do, those over a network do not.


_NETWORK_TYPES = frozenset(
    {
        *("9p", "acfs", "afs", "ceph", "cifs", "coda", "davfs", "fhgfs", "gfs2", "glusterfs", "gpfs", "lustre"),
        *("ncpfs", "ocfs2", "orangefs", "panfs", "prl_fs", "pvfs2", "vboxsf", "virtiofs", "wekafs"),
    }
)
_NETWORK_PREFIXES = ("nfs", "smb", "beegfs", "fuse.")
"""`nfs4`, `smb3`, `fuse.sshfs`, `fuse.gcsfuse`, … ; plain `fuseblk` is a local disk."""


def is_network_type(file_system: str) -> bool:
    """Whether a file system of that type, as the kernel calls it, may be written from another machine."""
    return file_system in _NETWORK_TYPES or file_system.startswith(_NETWORK_PREFIXES)


class Mounts:
    """The mounted file systems by device number.

    Where the kernel has no list of mounts (macOS), and for devices that are not in it (subvolumes), everything counts
    as local: a slow poll behind the notifications still finds what they miss.
    """

    def __init__(self, table: Path = Path("/proc/self/mountinfo")) -> None:
        """Args: table: the kernel's list of mounts, in the format of proc(5)."""
        self._table = table
        self._types: dict[int, str] = {}
        self._asked: set[int] = set()

    def is_network(self, device: int) -> bool:
        """Whether the file system with that `st_dev` is one over a network."""
        if device not in self._asked:
            # It may have been mounted since the list was read.
            self._asked.add(device)
            self._types = self._read()
        return is_network_type(self._types.get(device, ""))

    def _read(self) -> dict[int, str]:
        try:
            lines = self._table.read_text(errors="replace").splitlines()
        except OSError:
            return {}
        return dict(filter(None, map(_device_and_type, lines)))


def _device_and_type(line: str) -> tuple[int, str] | None:
    """(device, file system type) from a line of mountinfo; None when it is not one."""
    mount, separator, super_block = line.partition(" - ")
    fields, described = mount.split(), super_block.split()
    if not separator or len(fields) < 3 or not described:
        return None
    major, _, minor = fields[2].partition(":")
    if not (major.isdecimal() and minor.isdecimal()):
        return None
    return os.makedev(int(major), int(minor)), described[0]
