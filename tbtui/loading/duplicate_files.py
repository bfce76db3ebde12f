"""Detection of copies among the event files of a run: backups, conflicted copies, unfinished transfers."""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tbtui.store.snapshot import SetAsideFile
from tbtui.tfrecord.file import open_file, read_head

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    from tbtui.tfrecord.file import OpenFile

HEAD_BYTES = 40
"""Bytes by which files are grouped: the shortest first record, which holds the time at which the writer started."""

MAX_ORIGINALS = 32
"""Maximum number of files with the same first bytes with which another one is compared."""

EDGE_BYTES = 1024
"""Bytes at the end of the common length that are compared first."""

PIECE_BYTES = 1 << 20
MAX_PIECES = 32
"""Number of pieces that are compared. Longer files are compared at as many pieces at equal distances."""

COMPANION_PREFIX = "._"
"""Begin of the names under which macOS keeps attributes on foreign file systems; such a file never holds events."""

_TEMPORARY = re.compile(
    r"""
    ^\..+\.[A-Za-z0-9]{6}$              # rsync
    | ~$ | \.(bak|old|orig|save|backup|swp)\d*$   # editors and users
    | \.(tmp|temp|part|partial|filepart|crdownload|download|!sync|bts|incomplete)$   # rclone, browsers, Syncthing
    | \.sync-conflict- | conflicted.copy | \bconflict\b     # Syncthing, Dropbox, Nextcloud
    | \(\d+\) | ^copy.of\b | \bcopy(.\d+)?$                 # browsers and file managers
    """,
    re.VERBOSE | re.IGNORECASE,
)


def is_companion(path: str) -> bool:
    """Return True if the name of a path is that of a companion file of macOS."""
    # Called for every event file: most paths hold no such bytes at all.
    return COMPANION_PREFIX in path and os.path.basename(path).startswith(COMPANION_PREFIX)  # noqa: PTH119


def may_hold_copies(paths: Sequence[str]) -> bool:
    """Return True if the first bytes of these files are needed to know which of them are read."""
    if len(paths) < 2:
        return False
    # Of tens of thousands of paths, hardly any has these characters.
    return COMPANION_PREFIX not in "".join(paths) or not any(map(is_companion, paths))


def has_temporary_name(path: str) -> bool:
    """Return True if the name of a path is one that backups, editors and synchronisation give to copies."""
    return _TEMPORARY.search(os.path.basename(path)) is not None  # noqa: PTH119


def read_size(path: str, status_of: Callable[[str], os.stat_result] = os.stat) -> int:
    """Return the size of a file in bytes; 0 if it cannot be polled."""
    try:
        return status_of(path).st_size
    except OSError:
        return 0


class FileDivision(NamedTuple):
    """The files of a run that are read, and those that are not."""

    read: tuple[str, ...]
    set_aside: tuple[SetAsideFile, ...] = ()


class _File(NamedTuple):
    path: str
    inode: int
    size: int

    @property
    def is_temporary(self) -> bool:
        """True if it has the name of a temporary file."""
        return has_temporary_name(self.path)

    @property
    def rank(self) -> tuple[int, bool, int, str]:
        """Order in which files are kept: the longest one, and among equals the one with the plainest name."""
        return -self.size, self.is_temporary, len(self.path), self.path


class CopyDetector:
    """Finds files of one run that are a byte-identical beginning of another one.

    Names alone decide only for companion files. A run with one file costs nothing. Otherwise each file is opened once;
    later only files that share their first bytes with another one are compared again, where they have grown.
    """

    def __init__(self, status_of: Callable[[str], os.stat_result] = os.stat) -> None:
        self._status_of = status_of
        self._heads: dict[str, tuple[int, bytes]] = {}
        """Inode and first bytes by path."""

        self._equal: dict[tuple[str, str], tuple[int, int, int]] = {}
        """Both inodes and the number of equal bytes, by the paths of a copy and its original."""

        self.may_change = False
        """True if growth of a file can change the division."""

    def divide(self, paths: tuple[str, ...]) -> FileDivision:
        """Divide files, given in lexicographic order, into those to read and those set aside as copies."""
        companions = [path for path in paths if is_companion(path)]
        if len(paths) - len(companions) < 2:
            self.may_change = False
            return self._divide(paths, dict.fromkeys(companions, _COMPANION_REASON))
        reasons = dict.fromkeys(companions, _COMPANION_REASON)
        files = [file for path in paths if path not in reasons and (file := self._read_file(path)) is not None]
        groups: dict[bytes, list[_File]] = {}
        short: list[_File] = []
        for file in files:
            head = self._read_head(file)
            if head is not None and len(head) == HEAD_BYTES:
                groups.setdefault(head, []).append(file)
            elif head is not None:
                short.append(file)
        for group in groups.values():
            if len(group) > 1:
                reasons |= self._find_copies(group)
        reasons |= self._find_short_copies(short, files)
        self.may_change = bool(short) or any(len(group) > 1 for group in groups.values())
        return self._divide(paths, reasons)

    def _divide(self, paths: Sequence[str], reasons: dict[str, str]) -> FileDivision:
        if not reasons:
            return FileDivision(tuple(paths))
        set_aside = tuple(
            SetAsideFile(path, read_size(path, self._status_of), reasons[path]) for path in paths if path in reasons
        )
        return FileDivision(tuple(path for path in paths if path not in reasons), set_aside)

    def _read_file(self, path: str) -> _File | None:
        try:
            status = self._status_of(path)
        except OSError:
            return None
        return _File(path, status.st_ino, status.st_size)

    def _read_head(self, file: _File) -> bytes | None:
        """Return the first bytes of a file; None if it cannot be read."""
        inode, head = self._heads.get(file.path, (-1, b""))
        if inode == file.inode and len(head) == min(file.size, HEAD_BYTES):
            return head
        try:
            head = read_head(file.path, HEAD_BYTES)
        except OSError:
            return None
        self._heads[file.path] = file.inode, head
        return head

    def _find_copies(self, group: Sequence[_File]) -> dict[str, str]:
        """Return the reasons by path for setting aside files of a group with the same first bytes."""
        originals: list[_File] = []
        reasons: dict[str, str] = {}
        for file in sorted(group, key=lambda each: each.rank):
            original = next((each for each in originals[:MAX_ORIGINALS] if self._is_copy(file, each)), None)
            if original is None:
                originals.append(file)
            else:
                reasons[file.path] = _copy_reason(file, original)
        for file in originals:
            # A transfer may reserve the whole size first: such a copy holds zeros where nothing has arrived yet.
            named = [each for each in originals if not each.is_temporary]
            if file.is_temporary and any(_is_unfinished_copy(file, each) for each in named):
                reasons[file.path] = f"an unfinished copy of {Path(named[0].path).name}"
        return reasons

    def _find_short_copies(self, short: Sequence[_File], files: Sequence[_File]) -> dict[str, str]:
        """Return the reasons by path for setting aside files shorter than a head."""
        reasons: dict[str, str] = {}
        if not short:
            return reasons
        heads = sorted(
            ((self._read_head(file) or b"", file) for file in files), key=lambda each: (each[0], each[1].rank)
        )
        for file in short:
            head = self._read_head(file) or b""
            if not head:
                if file.is_temporary:
                    reasons[file.path] = "an empty file with the name of a temporary one"
                continue
            begin = bisect_left(heads, head, key=lambda each: each[0])
            following = heads[begin : begin + MAX_ORIGINALS]
            longer = [each for start, each in following if each.rank < file.rank and start.startswith(head)]
            if longer:
                reasons[file.path] = _copy_reason(file, min(longer, key=lambda each: each.rank))
        return reasons

    def _is_copy(self, file: _File, original: _File) -> bool:
        """Return True if all bytes of a file are the first ones of another file."""
        key = file.path, original.path
        before = self._equal.get(key)
        begin = 0
        if before is not None and before[:2] == (file.inode, original.inode) and before[2] <= file.size:
            begin = before[2]
        if not _are_equal(file, original, begin):
            self._equal.pop(key, None)
            return False
        self._equal[key] = file.inode, original.inode, file.size
        return True


_COMPANION_REASON = "a companion file of macOS, which holds no events"


def _copy_reason(file: _File, original: _File) -> str:
    name = Path(original.path).name
    return f"the same bytes as {'' if file.size == original.size else 'the beginning of '}{name}"


def _are_equal(file: _File, original: _File, begin: int) -> bool:
    """Return True if both files hold the same bytes from `begin` to the end of the first one."""
    try:
        with open_file(file.path) as first, open_file(original.path) as second:
            if (first.inode, second.inode) != (file.inode, original.inode) or second.size < file.size:
                return False
            edge = max(0, file.size - EDGE_BYTES)
            if not np.array_equal(first.read(edge, file.size - edge), second.read(edge, file.size - edge)):
                return False
            return all(
                np.array_equal(first.read(offset, count), second.read(offset, count))
                for offset, count in _choose_samples(max(0, begin - EDGE_BYTES), edge)
            )
    except OSError:
        return False


def _is_unfinished_copy(file: _File, original: _File) -> bool:
    """Return True if a file differs from another one only where it holds zeros."""
    try:
        with open_file(file.path) as first, open_file(original.path) as second:
            return all(
                _is_zero_padded(first, second, offset, count)
                for offset, count in _choose_samples(0, min(first.size, second.size))
            )
    except OSError:
        return False


def _is_zero_padded(first: OpenFile, second: OpenFile, offset: int, count: int) -> bool:
    data: npt.NDArray[np.uint8] = first.read(offset, count)
    return bool(np.all((data == 0) | (data == second.read(offset, count))))


def _choose_samples(begin: int, end: int) -> list[tuple[int, int]]:
    """Return offset and length of at most `MAX_PIECES` pieces between two offsets; all bytes if these suffice."""
    offsets = range(begin, end, PIECE_BYTES)
    step = max(1, -(-len(offsets) // MAX_PIECES))
    return [(offset, min(PIECE_BYTES, end - offset)) for offset in offsets[::step]]
