"""Problems of one event file: damaged ranges, or a file that is unreadable, truncated, empty or of another format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.store.snapshot import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tbtui.tfrecord.file import Damage


MAX_LISTED_DAMAGE = 100
"""Maximum number of damaged ranges listed individually per file, to bound memory; one line sums up the others."""


class DamageList:
    """Damaged ranges of one file in the order in which they were found."""

    __slots__ = ("_listed", "_others", "_others_bytes", "_others_offset")

    def __init__(
        self, listed: Iterable[Problem] = (), others: int = 0, others_offset: int = 0, others_bytes: int = 0
    ) -> None:
        """Create a list, optionally from the `listed` and `others` of another one."""
        self._listed = list(listed)
        self._others = others
        self._others_offset = others_offset
        self._others_bytes = others_bytes

    def __bool__(self) -> bool:
        return bool(self._listed)

    def add(self, damage: Iterable[Damage]) -> None:
        """Append the damage found since the last call."""
        for each in damage:
            if len(self._listed) < MAX_LISTED_DAMAGE:
                self._listed.append(Problem(each.kind, each.offset, each.bytes_skipped, each.message))
                continue
            self._others_offset = self._others_offset or each.offset
            self._others += 1
            self._others_bytes += each.bytes_skipped

    @property
    def listed(self) -> tuple[Problem, ...]:
        """Places that are listed individually."""
        return tuple(self._listed)

    @property
    def others(self) -> tuple[int, int, int]:
        """Number of the other ranges, offset of the first, and total bytes skipped."""
        return self._others, self._others_offset, self._others_bytes

    def problems(self) -> tuple[Problem, ...]:
        """Return all problems; the last one sums up the ranges that are not listed."""
        if not self._others:
            return tuple(self._listed)
        places = "place" if self._others == 1 else "places"
        message = f"and {self._others:,} more damaged {places} from here on"
        return (*self._listed, Problem("more", self._others_offset, self._others_bytes, message))


def unreadable_problem(reason: str) -> Problem:
    """Return the problem of a file or directory that cannot be read now; it is tried again."""
    return Problem("unreadable", 0, 0, f"cannot be read: {reason}")


def truncated_problem(offset: int, size: int) -> Problem:
    """Return the problem of a file of `size` bytes whose last record begins at `offset` and is incomplete."""
    waiting = max(0, size - offset)
    size_text = "1 byte" if waiting == 1 else f"{waiting:,} bytes"
    return Problem("truncated", offset, waiting, f"the last record is incomplete ({size_text} so far)")


def empty_problem() -> Problem:
    """Return the problem of an empty file."""
    return Problem("empty", 0, 0, "is empty: nothing has been written yet")


HEAD_BYTES = 512
"""Bytes that `detect_foreign_format` needs: the mark of a tar archive is at byte 257."""

_MIN_TEXT_BYTES = 8
_MAX_QUOTED_CHARACTERS = 40

_COMPRESSED = (
    (b"\x1f\x8b", "gzip"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"\x04\x22\x4d\x18", "lz4"),
)
_ARCHIVES = ((b"PK\x03\x04", "a zip archive"), (b"7z\xbc\xaf\x27\x1c", "a 7z archive"), (b"Rar!", "a rar archive"))


def detect_foreign_format(head: bytes) -> str | None:
    """Return the format of a file and the advice for it; None if its first bytes are those of no other known format.

    Args:
        head: The first `HEAD_BYTES` of the file.
    """
    for mark, name in _COMPRESSED:
        if head.startswith(mark):
            return f"it is compressed with {name}: unpack it first"
    for mark, name in _ARCHIVES:
        if head.startswith(mark):
            return f"it is {name}: unpack it first"
    if head[257:262] == b"ustar":
        return "it is a tar archive: unpack it first"
    if head.startswith(b"version https://git-lfs"):
        return "it is a pointer of Git LFS: fetch the file with git lfs pull"
    return _detect_text(head)


def _detect_text(head: bytes) -> str | None:
    try:
        text = head.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if error.start < len(head) - 3:  # otherwise the last character is cut
            return None
        text = head[: error.start].decode("utf-8-sig")
    if len(text) < _MIN_TEXT_BYTES or not all(char.isprintable() or char in "\t\r\n" for char in text):
        return None
    start = text.lstrip()
    if start[:9].lower() == "<!doctype" or start[:5].lower() == "<html":
        return "it is an HTML page, perhaps the error page of a download"
    line = start.partition("\n")[0].rstrip()
    quoted = line if len(line) <= _MAX_QUOTED_CHARACTERS else f"{line[: _MAX_QUOTED_CHARACTERS - 1]}…"
    kind = "a table in CSV" if "," in line and not line.startswith(("{", "[")) else "a text file"
    return f"it is {kind}, which begins with “{quoted}”"
