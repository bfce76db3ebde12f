"""Recognition of files that are named like event files but hold something else, by their first bytes."""

from __future__ import annotations

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
