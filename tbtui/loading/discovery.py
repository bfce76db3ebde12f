"""Discovery of runs: directories that directly contain event files."""

from __future__ import annotations

import errno
import math
import os
import re
import stat
import time
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tbtui.loading.asset_files import FoundAsset, assign_run, is_asset, is_named_asset
from tbtui.loading.duplicate_files import is_companion
from tbtui.loading.file_problems import unreadable_problem
from tbtui.loading.sources import EVENT_FILE_MARK, is_event_file
from tbtui.loading.state import FileProblem, Searched
from tbtui.store.snapshot import ASSET_PLUGINS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from tbtui.loading.asset_files import OwnedAsset
    from tbtui.loading.sources import Source

    Scandir = Callable[[str], AbstractContextManager[Iterator[os.DirEntry[str]]]]

_SETTLED_NS = 2_000_000_000
"""Minimum age of a directory's last change when it is listed, for the listing to count as complete. No file system
has a coarser clock.
"""


class DirectoryIdentity(NamedTuple):
    """Identity of a directory or file, independent of the path."""

    device: int
    inode: int


class FoundRun(NamedTuple):
    """A directory with event files, or with profiles or embeddings alone."""

    name: str
    directory: str
    files: tuple[str, ...]
    """Paths in lexicographic order, in which TensorBoard reads them as one stream."""

    are_regular: bool = False
    """True if the directory lists them all as regular files; False if that is unknown, as for a link."""

    @property
    def bytes(self) -> int:
        """Current size of its files; files without a readable size count as 0."""
        return sum(map(_size, self.files))

    @property
    def may_have_writers(self) -> bool:
        """True if its files may overlap in time, by the times in their names and of their last changes."""
        starts = [_START_TIME.search(path) for path in self.files]
        if len(starts) < 2 or None in starts:
            return len(starts) > 1
        spans = sorted((int(start[1]), path) for start, path in zip(starts, self.files, strict=True) if start)
        end = -math.inf
        for begin, path in spans:
            if begin <= end:
                return True
            end = max(end, _read_modified(path))
        return False


_START_TIME = re.compile(r"tfevents\.(\d{9,})[^/]*$")
"""Seconds since the epoch at which a writer began a file."""


def _read_modified(path: str) -> float:
    try:
        return os.stat(path).st_mtime  # noqa: PTH116 - nothing else of a path is needed
    except OSError:
        return math.inf


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size  # noqa: PTH116 - nothing else of a path is needed
    except OSError:
        return 0


class UnreadableDirectory(NamedTuple):
    """A directory that could not be listed."""

    name: str
    """Name that a run in this directory would have."""

    path: str
    reason: str


class Discovery:
    """Walks the sources repeatedly.

    Recursion depth is unlimited, hidden directories are entered and links followed, as in TensorBoard. An unchanged
    directory is not listed again, so a repeated walk costs one `stat` per directory. No descriptor stays open between
    two steps of a walk.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        *,
        scandir: Scandir = os.scandir,
        status_of: Callable[[str], os.stat_result] = os.stat,
    ) -> None:
        """Create a discovery.

        Args:
            sources: Where to look for runs.
            scandir: Replacement of `os.scandir` for tests.
            status_of: Replacement of `os.stat` for tests.
        """
        self._sources = tuple(sources)
        self._scandir = scandir
        self._status_of = status_of
        self._roots: dict[Source, tuple[str, ...]] = {}
        self._listings: dict[str, _Listing] = {}
        self._failures: list[UnreadableDirectory] = []
        self.unreadable: tuple[UnreadableDirectory, ...] = ()
        """Unreadable directories of the last complete walk."""

        self.directories: Mapping[str, DirectoryIdentity] = {}
        """Paths of the directories of the last complete walk, with their identities."""

        self.assets: tuple[FoundAsset, ...] = ()
        """Files of embeddings and profiles of the last complete walk."""

        self.assets_by_run: Mapping[str, tuple[OwnedAsset, ...]] = {}
        """The same files by the run that they belong to."""

        self.searched = Searched()
        """Directories and files that the present walk has passed, or the last walk once it is complete."""

        self.may_gain_roots = False
        """True if a root is missing or a source is a glob: new roots appear outside the watched directories."""

        self._linked: dict[str, list[str]] = {}

    def set_sources(self, sources: Sequence[Source]) -> None:
        """Walk other sources from now on; a walk that has begun must be given up."""
        self._sources = tuple(sources)

    @property
    def problems(self) -> tuple[FileProblem, ...]:
        """Unreadable directories as lines of the damage list."""
        return tuple(
            FileProblem(directory.name, directory.path, "unreadable", unreadable_problem(directory.reason))
            for directory in self.unreadable
        )

    def walk(self) -> Iterator[FoundRun | None]:
        """Walk all sources once; runs without event files come last.

        Files removed during the walk are ignored. A directory that was readable before and is not now counts as
        unchanged, so that a brief failure of a network file system does not remove runs.

        Yields:
            Each run when it is found. None after each directory without a new run, so that callers can limit their
            time.
        """
        listings: dict[str, _Listing] = {}
        self._failures = []
        file_count = depth = 0
        self.may_gain_roots = any(source.is_glob for source in self._sources)
        names = _RunNames()
        waiting, single_files, assets = self._begin()
        # A link such as `latest` leads to a run that has a name of its own: links are followed after all else, and
        # where they lead to directories that were walked they add nothing.
        links = deque(each for each in reversed(waiting) if each.linked)
        waiting = [each for each in waiting if not each.linked]
        walked: dict[int, set[DirectoryIdentity]] = {}
        linked_files = _LinkedFiles()
        while waiting or links:
            entry = waiting.pop() if waiting else links.popleft()
            listing = self._enter(entry)
            if listing is None:
                continue
            listings[entry.path] = listing
            file_count += listing.files_in_all
            depth = max(depth, len(entry.above))
            self.searched = Searched(len(listings), file_count, depth)
            seen = walked.setdefault(entry.source, set())
            if entry.linked and listing.identity in seen:
                yield None
                continue
            seen.add(listing.identity)
            below = [(entry.below(*each, listing.identity), each[2]) for each in listing.directories]
            waiting += [each for each, is_link in reversed(below) if not is_link]
            links += [each for each, is_link in below if is_link]
            assets += [FoundAsset(entry.name, path) for path in listing.assets]
            waits = linked_files.add(entry, listing)
            are_regular = len(listing.own_inodes) == len(listing.files)
            yield None if waits else names.found(entry.name, entry.path, listing.files, are_regular=are_regular)
        for entry, listing in linked_files.runs():
            yield names.found(entry.name, entry.path, listing.files)
        alone: dict[str, DirectoryIdentity] = {}
        for (name, directory), files in single_files.items():
            alone[directory] = self._identity(directory)
            yield names.found(name, directory, tuple(sorted(files)))
        assets_by_run: dict[str, tuple[OwnedAsset, ...]] = {}
        for owned in _group_by_directory(assets):
            run = names.with_assets(owned)
            if run is not None:
                assets_by_run[run.name] = owned
                yield run if not run.files else None
        self._listings = listings
        self.searched = Searched(len(listings), file_count, depth)
        self.assets = tuple(assets)
        self.assets_by_run = assets_by_run
        self.unreadable = tuple(self._failures)
        failed = {failure.path for failure in self._failures}
        listed_identities = {path: listing.identity for path, listing in listings.items() if path not in failed}
        self.directories = alone | listed_identities
        self._linked = _find_linked_paths(self.directories)

    def list_names(self, path: str) -> tuple[str, ...]:
        """Return all paths by which the walk reaches a file or directory.

        There are several if links lead to its directory; the file system reports a change under one of them only.
        """
        directory, name = os.path.split(path)
        linked = self._linked.get(directory)
        return (path,) if linked is None else tuple(f"{other}{os.sep}{name}" for other in linked)

    def _begin(self) -> tuple[list[_WalkEntry], dict[tuple[str, str], set[str]], list[FoundAsset]]:
        """Return the directories to walk, the named event files by (run name, directory), and the named assets."""
        waiting: list[_WalkEntry] = []
        single_files: dict[tuple[str, str], set[str]] = {}
        assets: list[FoundAsset] = []
        for number, source in enumerate(self._sources):
            for path in self._list_roots(source):
                if self._is_single_file(path):
                    directory = str(Path(path).parent)
                    single_files.setdefault((source.run_name(directory), directory), set()).add(path)
                elif is_named_asset(path) and not os.path.isdir(path):  # noqa: PTH112 - Path.is_dir may raise
                    assets.append(FoundAsset(source.run_name(os.path.dirname(path)), path))  # noqa: PTH120
                else:
                    is_link = source.is_glob and os.path.islink(path)  # noqa: PTH114 - as fast as the walk
                    waiting.append(_WalkEntry(path, source.run_name(path), number, linked=is_link))
        return waiting[::-1], single_files, assets

    def _is_single_file(self, path: str) -> bool:
        if not is_event_file(path):
            return False
        try:
            return not stat.S_ISDIR(self._status_of(path).st_mode)
        except FileNotFoundError:
            return False
        except OSError:
            return True

    def _list_roots(self, source: Source) -> tuple[str, ...]:
        try:
            self._roots[source] = source.list_roots()
        except OSError as error:
            self._failures.append(UnreadableDirectory(source.run_name(source.base), source.path, _format_reason(error)))
        return self._roots.get(source, ())

    def _enter(self, entry: _WalkEntry) -> _Listing | None:
        """Return the contents of a directory; None if it is gone, a loop, or was never readable."""
        try:
            status = self._status_of(entry.path)
            identity = DirectoryIdentity(status.st_dev, status.st_ino)
            if identity in entry.above:
                return None
            known = self._listings.get(entry.path)
            changed = status.st_mtime_ns, status.st_ctime_ns
            if known is not None and known.settled and (known.identity, known.changed) == (identity, changed):
                return known
            return self._list(entry.path, identity, changed)
        except OSError as error:
            if error.errno in {errno.ENOENT, errno.ENOTDIR}:
                self.may_gain_roots |= not entry.above
                return None
            self._failures.append(UnreadableDirectory(entry.name, entry.path, _format_reason(error)))
            return self._listings.get(entry.path)

    def _list(self, path: str, identity: DirectoryIdentity, changed: tuple[int, int]) -> _Listing:
        directories: list[tuple[str, str, bool]] = []
        files: list[str] = []
        assets: list[str] = []
        inodes: list[int] = []
        linked: list[DirectoryIdentity] = []
        count = 0
        settled = time.time_ns() - max(changed) > _SETTLED_NS
        with self._scandir(path) as entries:
            for entry in entries:
                name = entry.name
                if entry.is_file(follow_symlinks=False):
                    count += 1
                    if EVENT_FILE_MARK in name:
                        files.append(entry.path)
                        inodes.append(entry.inode())
                    elif is_asset(name):
                        assets.append(entry.path)
                    continue
                # The target of a link can change without a change of this directory.
                is_link = entry.is_symlink()
                settled = settled and not is_link
                if _is_directory(entry):
                    directories.append((name, entry.path, is_link))
                    continue
                count += 1
                if EVENT_FILE_MARK in name:
                    files.append(entry.path)
                    if is_link and (target := _read_link_target(entry)) is not None:
                        linked.append(target)
                elif is_asset(name):
                    assets.append(entry.path)
        return _Listing(
            identity,
            changed,
            tuple(sorted(directories)),
            tuple(sorted(files)),
            settled,
            count,
            tuple(sorted(assets)),
            tuple(inodes),
            tuple(linked),
        )

    def _identity(self, directory: str) -> DirectoryIdentity:
        try:
            status = self._status_of(directory)
        except OSError:
            return DirectoryIdentity(0, 0)
        return DirectoryIdentity(status.st_dev, status.st_ino)


class _Listing(NamedTuple):
    """Contents of a directory when it was last listed."""

    identity: DirectoryIdentity
    changed: tuple[int, int]
    """mtime and ctime in nanoseconds; `tar` and `rsync` set mtime to that of the original."""

    directories: tuple[tuple[str, str, bool], ...]
    """(name, path, is a link), sorted."""

    files: tuple[str, ...]
    """Paths of event files, sorted."""

    settled: bool
    """True if unchanged times prove that nothing was added or removed since."""

    files_in_all: int
    """Number of files of any kind."""

    assets: tuple[str, ...] = ()
    """Paths of files of embeddings and profiles, sorted."""

    own_inodes: tuple[int, ...] = ()
    """Inodes of the event files that are regular files."""

    linked_files: tuple[DirectoryIdentity, ...] = ()
    """Event files that links lead to."""

    @property
    def own_files(self) -> Iterator[DirectoryIdentity]:
        """Yield the event files that are regular files."""
        return (DirectoryIdentity(self.identity.device, inode) for inode in self.own_inodes)

    @property
    def holds_links_alone(self) -> bool:
        """True if all event files are links that lead to a file."""
        return bool(self.files) and len(self.linked_files) == len(self.files)


class _WalkEntry(NamedTuple):
    """A directory that is still to be walked."""

    path: str
    name: str
    """Name of the run in it."""

    source: int
    """Number of the source that it belongs to: two sources may have names of their own for one directory."""

    above: tuple[DirectoryIdentity, ...] = ()
    """Identities of its ancestors on the walk: a link back to one of them is a loop."""

    linked: bool = False
    """True if the path goes through a link."""

    def below(self, name: str, path: str, is_link: bool, own: DirectoryIdentity) -> _WalkEntry:
        """Return the entry of a subdirectory."""
        full = name if self.name == os.curdir else f"{self.name}/{name}"
        return _WalkEntry(path, full, self.source, (*self.above, own), self.linked or is_link)


class _LinkedFiles:
    """Finds the directories that hold nothing but links to files of runs: `best/events… -> ../trial3/events…`."""

    def __init__(self) -> None:
        self._listed: dict[int, list[_Listing]] = {}
        self._waiting: list[tuple[_WalkEntry, _Listing]] = []

    def add(self, entry: _WalkEntry, listing: _Listing) -> bool:
        """Add a directory; return True if the others decide whether it is a run."""
        if listing.holds_links_alone:
            self._waiting.append((entry, listing))
            return True
        self._listed.setdefault(entry.source, []).append(listing)
        return False

    def runs(self) -> Iterator[tuple[_WalkEntry, _Listing]]:
        """Yield the waiting directories with a file that no other one has, once all others were added."""
        taken_files: dict[int, set[DirectoryIdentity]] = {}
        for entry, listing in self._waiting:
            if entry.source not in taken_files:
                others = self._listed.get(entry.source, ())
                taken_files[entry.source] = {identity for other in others for identity in other.own_files}
            if not taken_files[entry.source].issuperset(listing.linked_files):
                taken_files[entry.source].update(listing.linked_files)
                yield entry, listing


class _RunNames:
    """Assigns each directory of a run its name, once."""

    def __init__(self) -> None:
        self._directories: dict[str, str] = {}
        self._found: dict[str, FoundRun] = {}
        """Runs with event files by directory."""

    def found(self, name: str, directory: str, files: tuple[str, ...], *, are_regular: bool = False) -> FoundRun | None:
        """Return the run in `directory`; None if it has no event files, or another source has found it already."""
        if all(map(is_companion, files)):
            return None
        if self._directories.get(name, directory) != directory:
            name = directory  # Two sources use one name for different directories: the later run is named by its path.
        if name in self._directories:
            return None
        self._directories[name] = directory
        self._found[directory] = FoundRun(name, directory, files, are_regular)
        return self._found[directory]

    def with_assets(self, owned: Sequence[OwnedAsset]) -> FoundRun | None:
        """Return the run in the directory of some assets; None if they make no run."""
        name, directory = owned[0].run, owned[0].directory
        if directory in self._found:
            return self._found[directory]
        if ASSET_PLUGINS.isdisjoint(asset.kind for asset in owned):
            return None
        if self._directories.setdefault(name, directory) != directory:
            name = directory
        return FoundRun(name, directory, ())


def _group_by_directory(assets: Sequence[FoundAsset]) -> list[tuple[OwnedAsset, ...]]:
    """Return the assets of each directory that is or may be a run."""
    owned: dict[str, list[OwnedAsset]] = {}
    for asset in map(assign_run, assets):
        owned.setdefault(asset.directory, []).append(asset)
    return [tuple(assets_of_one) for assets_of_one in owned.values()]


def _find_linked_paths(directories: Mapping[str, DirectoryIdentity]) -> dict[str, list[str]]:
    """Map each path of a directory that has several paths to all of them."""
    paths: dict[DirectoryIdentity, list[str]] = {}
    for path, identity in directories.items():
        paths.setdefault(identity, []).append(path)
    return {path: aliases for aliases in paths.values() if len(aliases) > 1 for path in aliases}


def _is_directory(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a broken or unreadable link
        return False


def _read_link_target(entry: os.DirEntry[str]) -> DirectoryIdentity | None:
    """Return the file that a link leads to; None if it leads nowhere."""
    try:
        status = entry.stat()
    except OSError:
        return None
    return DirectoryIdentity(status.st_dev, status.st_ino)


def _format_reason(error: OSError) -> str:
    return error.strerror or str(error)


_NETWORK_TYPES = frozenset(
    {
        *("9p", "acfs", "afs", "ceph", "cifs", "coda", "davfs", "fhgfs", "gfs2", "glusterfs", "gpfs", "lustre"),
        *("ncpfs", "ocfs2", "orangefs", "panfs", "prl_fs", "pvfs2", "vboxsf", "virtiofs", "wekafs"),
    }
)
_NETWORK_PREFIXES = ("nfs", "smb", "beegfs", "fuse.")
"""`nfs4`, `smb3`, `fuse.sshfs`, `fuse.gcsfuse` and others; plain `fuseblk` is a local disk. Local file systems
notify about all changes, network file systems only about changes made on this machine.
"""


def is_network_type(file_system: str) -> bool:
    """Return True if a file system of this kernel type may be written from another machine."""
    return file_system in _NETWORK_TYPES or file_system.startswith(_NETWORK_PREFIXES)


class Mounts:
    """Mounted file systems by device number.

    Devices without an entry (subvolumes), and all devices on systems without a mount list (macOS), count as local: slow
    polling in addition to notifications finds what is missed.
    """

    def __init__(self, table: Path = Path("/proc/self/mountinfo")) -> None:
        """Create a mount table from a kernel file in the format of proc(5)."""
        self._table = table
        self._types: dict[int, str] = {}
        self._known_devices: set[int] = set()

    def is_network(self, device: int) -> bool:
        """Return True if the file system with this `st_dev` is a network file system."""
        if device not in self._known_devices:
            # The device may have been mounted after the list was read.
            self._known_devices.add(device)
            self._types = self._read()
        return is_network_type(self._types.get(device, ""))

    def _read(self) -> dict[int, str]:
        try:
            lines = self._table.read_text(errors="replace").splitlines()
        except OSError:
            return {}
        return dict(filter(None, map(_read_device_and_type, lines)))


def _read_device_and_type(line: str) -> tuple[int, str] | None:
    """Parse (device, file system type) from a line of mountinfo; None if the line is invalid."""
    mount, separator, super_block = line.partition(" - ")
    fields, described = mount.split(), super_block.split()
    if not separator or len(fields) < 3 or not described:
        return None
    major, _, minor = fields[2].partition(":")
    if not (major.isdecimal() and minor.isdecimal()):
        return None
    return os.makedev(int(major), int(minor)), described[0]
