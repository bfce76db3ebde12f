"""Paths of the command line: directories, event files and globs, optionally with a name."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tbtui.frozen import frozen
from tbtui.loading.asset_files import is_named_asset

if TYPE_CHECKING:
    from collections.abc import Sequence

EVENT_FILE_MARK = "tfevents"
"""A file is an event file if its name contains this text anywhere. (TensorBoard's `disk_logdir.rs`)"""

_PATH_PREFIX = re.compile(r"[/.~]|[A-Za-z]:\\|[A-Za-z][A-Za-z0-9+.-]*://")
"""Start of an argument that is never NAME:PATH: a path, a Windows drive, or a URI. `a:/logs` is not a drive on other
systems.
"""

_WILDCARD = re.compile(r"[*?[]")


class SourceError(ValueError):
    """Raised for a path that cannot be opened; the message is one line for the user."""


@frozen
class Source:
    """A directory, file or pattern in which runs are searched."""

    path: str
    """Absolute path of a directory or an event file, or an absolute glob if `is_glob`; links are not resolved."""

    base: str
    """Absolute directory that run names are relative to."""

    name: str = ""
    """Prefix of the run names; empty if none was given."""

    is_glob: bool = False

    def list_roots(self) -> tuple[str, ...]:
        """Return the current paths; a glob may match more later.

        Raises:
            OSError: A directory of a glob cannot be read.
        """
        return _expand_glob(self.path) if self.is_glob else (self.path,)

    def run_name(self, directory: str) -> str:
        """Return the name of the run in `directory`: `.` for the base itself, or the source's name if it has one."""
        relative = os.path.relpath(directory, self.base)
        if not self.name:
            return relative
        return self.name if relative == os.curdir else f"{self.name}/{relative}"


class _Item(NamedTuple):
    """One parsed and verified argument."""

    name: str
    path: str
    is_glob: bool
    directory: str
    """Absolute path: the directory itself, the directory of the file, or the fixed part of the glob."""


def parse_sources(paths: Sequence[str]) -> tuple[Source, ...]:
    """Parse the PATH arguments.

    Run names of a single unnamed directory are relative to it. Those of several unnamed paths are relative to their
    deepest common directory, so they never clash, not even with runs that appear later.

    Args:
        paths: Directories, event files, globs, or NAME:PATH with any of them. Empty: the current directory.

    Returns:
        One source per path, in the same order.

    Raises:
        SourceError: A path does not exist, is not readable or is another kind of file, or a glob matches nothing.
    """
    items = [_parse_item(path) for path in paths or (os.curdir,)]
    directories: dict[str, list[str]] = {}
    for item in items:
        directories.setdefault(item.name, []).append(item.directory)
    bases = {name: os.path.commonpath(parents) for name, parents in directories.items()}
    return tuple(Source(_make_absolute(Path(item.path)), bases[item.name], item.name, item.is_glob) for item in items)


def is_event_file(path: str) -> bool:
    """Return True if the name of a path is that of an event file."""
    return EVENT_FILE_MARK in Path(path).name


def _parse_item(argument: str) -> _Item:
    name, path = _split(argument)
    try:
        path = str(Path(path).expanduser()) if path else path
        if _path_exists(path):
            return _Item(name, path, False, _make_absolute(_find_directory(path)))
        if not _WILDCARD.search(path):
            raise SourceError(f"{path or 'the path is empty'}: no such file or directory")
        if not _expand_glob(path):
            raise SourceError(f"{path}: matches no directory and no event file")
    except (OSError, RuntimeError) as error:
        reason = error.strerror if isinstance(error, OSError) else f"no such user: {path.partition('/')[0]}"
        raise SourceError(f"{path}: {reason}") from error
    return _Item(name, path, True, _make_absolute(_split_glob(path)[0]))


def _path_exists(path: str) -> bool:
    """Return True if something exists at a path; broken links count.

    Raises:
        PermissionError: A directory of the path may not be searched.
    """
    try:
        os.lstat(path)
    except PermissionError:
        raise
    except (OSError, ValueError):  # too long, or holds a null character
        return False
    return True


def _split(argument: str) -> tuple[str, str]:
    """Split NAME:PATH at the first colon, by the rules of TensorBoard's `--logdir_spec`."""
    if _PATH_PREFIX.match(argument) or os.path.lexists(argument):
        return "", argument
    name, colon, path = argument.partition(":")
    return (name, path) if colon and name and path else ("", argument)


def _find_directory(path: str) -> Path:
    """Return the directory that `path` is or is in, after verifying that it can be read."""
    directory = Path(path)
    if directory.is_dir():
        os.scandir(path).close()
        return directory
    if path.endswith((".pickle", ".pkl")):
        raise SourceError(
            f"{path}: a pickle, such as a memory snapshot of PyTorch, is never opened, as it can run any program; "
            "profile_memory=True records memory in a trace"
        )
    if path.endswith(".html"):
        raise SourceError(
            f"{path}: only a picture; export_memory_timeline writes numbers to a file that ends in .raw.json.gz"
        )
    if not (is_event_file(path) or is_named_asset(path)):
        raise SourceError(
            f"{path}: not an event file (its name would contain '{EVENT_FILE_MARK}') nor a profile (.json, .xplane.pb)"
        )
    if directory.exists() and not directory.is_file():
        raise SourceError(f"{path}: not a regular file")
    directory.open("rb").close()
    return directory.parent


def _make_absolute(path: Path) -> str:
    """Return an absolute path without `..`; links are not resolved, so that names stay those the user knows."""
    return os.path.abspath(path)  # noqa: PTH100 - Path.absolute always needs the current directory


def _expand_glob(pattern: str) -> tuple[str, ...]:
    """Return the directories and event files that match a glob.

    Other files are ignored, because `*` matches them too.
    """
    fixed, rest = _split_glob(pattern)
    try:
        paths = sorted(fixed.glob(rest))
    except ValueError as error:  # Python before 3.13 knows `**` only as a whole part of a path.
        raise SourceError(f"{pattern}: {error}") from error
    # Path.is_dir raises on an unreadable directory, which would discard all other matches.
    return tuple(str(path) for path in paths if os.path.isdir(path) or is_event_file(str(path)))  # noqa: PTH112


def _split_glob(pattern: str) -> tuple[Path, str]:
    """Split a glob in front of the first part with a wildcard."""
    parts = Path(pattern).parts
    first = next(position for position, part in enumerate(parts) if _WILDCARD.search(part))
    return Path(*parts[:first]), str(Path(*parts[first:]))


def get_root_label(sources: Sequence[Source]) -> str:
    """Return the name of the log directory, for the run whose files are in it; empty with several directories."""
    bases = {source.base for source in sources if not source.name}
    return Path(bases.pop()).name if len(bases) == 1 else ""
