"""What the user asked for on the command line: directories, event files, globs, each perhaps with a name."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Sequence

EVENT_FILE_MARK = "tfevents"
"""A file is an event file when its name holds this, wherever; nothing else counts. (`disk_logdir.rs`)"""

_PATH_PREFIX = re.compile(r"[/.~]|[A-Za-z]:\\|[A-Za-z][A-Za-z0-9+.-]*://")
"""What an item never begins with when it has the form NAME:PATH: a path, a Windows drive, a URI. `a:/logs` is no drive
where there are none."""

_WILDCARD = re.compile(r"[*?[]")


class SourceError(ValueError):
    """A path that cannot be shown; its text is one plain line for the user."""


@frozen
class Source:
    """One place to look for runs."""

    path: str
    """Absolute path of a directory or an event file, or an absolute glob when `is_glob`; links are not resolved."""

    base: str
    """Absolute directory that run names are relative to."""

    name: str = ""
    """What run names begin with; empty when the user gave none."""

    is_glob: bool = False

    def roots(self) -> tuple[str, ...]:
        """The paths it means now; a glob may mean more later.

        Raises:
            OSError: a directory on the way of a glob cannot be read.
        """
        return _expand_glob(self.path) if self.is_glob else (self.path,)

    def run_name(self, directory: str) -> str:
        """The name of the run in `directory`: `.` for the base itself, or the source's name when it has one."""
        relative = os.path.relpath(directory, self.base)
        if not self.name:
            return relative
        return self.name if relative == os.curdir else f"{self.name}/{relative}"


class _Item(NamedTuple):
    """One argument, taken apart and checked."""

    name: str
    path: str
    is_glob: bool
    directory: str
    """Absolute: the directory itself, that of the file, or the fixed part in front of the glob."""


def parse_sources(paths: Sequence[str]) -> tuple[Source, ...]:
    """Read the PATH arguments.

    Runs of one unnamed directory have names relative to it. Those of several unnamed paths have names relative to the
    deepest directory common to all, so they never clash, also not with runs that appear later.

    Args:
        paths: directories, event files, globs, or NAME:PATH with any of them; none at all means the current directory.

    Returns:
        One source a path, in the same order.

    Raises:
        SourceError: a path does not exist, is not readable or is a file of another kind, or a glob matches nothing.
    """
    items = [_item(path) for path in paths or (os.curdir,)]
    directories: dict[str, list[str]] = {}
    for item in items:
        directories.setdefault(item.name, []).append(item.directory)
    bases = {name: os.path.commonpath(found) for name, found in directories.items()}
    return tuple(Source(_absolute(Path(item.path)), bases[item.name], item.name, item.is_glob) for item in items)


def is_event_file(path: str) -> bool:
    """Whether a file of that name would be an event file."""
    return EVENT_FILE_MARK in Path(path).name


def _item(argument: str) -> _Item:
    name, path = _split(argument)
    try:
        path = str(Path(path).expanduser()) if path else path
        if _path_exists(path):
            return _Item(name, path, False, _absolute(_directory(path)))
        if not _WILDCARD.search(path):
            raise SourceError(f"{path or 'the path is empty'}: no such file or directory")
        if not _expand_glob(path):
            raise SourceError(f"{path}: matches no directory and no event file")
    except (OSError, RuntimeError) as error:  # RuntimeError: there is no such user as in `~name`
        reason = error.strerror if isinstance(error, OSError) else error
        raise SourceError(f"{path}: {reason}") from error
    return _Item(name, path, True, _absolute(_split_glob(path)[0]))


def _path_exists(path: str) -> bool:
    """Whether something is called so.

    Raises:
        PermissionError: That may not be looked at.
    """
    try:
        os.lstat(path)
    except PermissionError:
        raise
    except (OSError, ValueError):  # too long, or with a zero byte: then there is no such path
        return False
    return True


def _split(argument: str) -> tuple[str, str]:
    """Take NAME:PATH apart, at the first colon alone, by the rules of TensorBoard's `--logdir_spec`."""
    if _PATH_PREFIX.match(argument) or os.path.lexists(argument):
        return "", argument
    name, colon, path = argument.partition(":")
    return (name, path) if colon and name and path else ("", argument)


def _directory(path: str) -> Path:
    """The directory that `path` is or lies in, after a look whether it can be read."""
    there = Path(path)
    if there.is_dir():
        os.scandir(path).close()
        return there
    if not is_event_file(path):
        raise SourceError(f"{path}: not an event file (its name would contain '{EVENT_FILE_MARK}')")
    if there.exists() and not there.is_file():
        raise SourceError(f"{path}: not a regular file")
    there.open("rb").close()
    return there.parent


def _absolute(path: Path) -> str:
    """`path` from the root, without `..`; links are not resolved, so that names stay those the user knows."""
    return os.path.abspath(path)  # noqa: PTH100 - that of a Path asks for the current directory also where it need not


def _expand_glob(pattern: str) -> tuple[str, ...]:
    """Directories and event files that a glob means; other files are passed over, as `*` names them by the way."""
    fixed, rest = _split_glob(pattern)
    try:
        found = sorted(fixed.glob(rest))
    except ValueError as error:  # Python before 3.13 knows `**` only as a whole part of a path.
        raise SourceError(f"{pattern}: {error}") from error
    # That of a Path raises where it may not look, and then nothing of the glob would be found.
    return tuple(str(path) for path in found if os.path.isdir(path) or is_event_file(str(path)))  # noqa: PTH112


def _split_glob(pattern: str) -> tuple[Path, str]:
    """The directories in front of the first part with a wildcard, and the rest."""
    parts = Path(pattern).parts
    first = next(position for position, part in enumerate(parts) if _WILDCARD.search(part))
    return Path(*parts[:first]), str(Path(*parts[first:]))
