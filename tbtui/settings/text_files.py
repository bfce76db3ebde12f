"""Text files named by options: read once, and again when they change."""

from __future__ import annotations

import os
import stat
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from tbtui.settings.kinds import FileText, TextFile

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tbtui.settings.declaration import Setting
    from tbtui.settings.settings import Settings

Signature: TypeAlias = "tuple[int, int, int] | None"
"""Inode, size and time of the last change; None without a file."""


def read_text_file(name: str, kind: FileText) -> TextFile:
    """Read a text file, and check that it can be used.

    Raises:
        ValueError: It cannot be read or used; the message is the reason, without its name.
    """
    try:
        with open(name, "rb") as file:  # noqa: PTH123 - a pipe is fine too
            data = file.read(kind.max_bytes + 1)
    except OSError as error:
        raise ValueError((error.strerror or str(error)).lower()) from None
    if len(data) > kind.max_bytes:
        raise ValueError(f"it has more than {kind.max_bytes:,} bytes")
    try:
        content = data.decode()
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8 text") from None
    kind.check(content)
    return TextFile(name, content)


class FollowedTextFile:
    """Reads a file again when it has changed. If it becomes unusable, the last content is kept, with the reason.

    A file that an editor or a training is writing at this moment may be cut short. So a reason counts only if the file
    is the same at two checks. A pipe is never read again, and one that was never seen as a file, such as that of
    a shell, may be gone.

    Args:
        file: As it was read first.
        kind: What it must hold.
    """

    def __init__(self, file: TextFile, kind: FileText) -> None:
        self.file = file
        self._kind = kind
        self._seen: Signature = None
        self._is_read = False
        self._has_existed = False

    def check(self) -> TextFile:
        """Return the current file; the same object unless it has changed."""
        try:
            status = os.stat(self.file.name)  # noqa: PTH116 - the name as the user wrote it
        except (OSError, ValueError):
            if not self._has_existed:
                return self.file
            signature: Signature = None
        else:
            if not stat.S_ISREG(status.st_mode):
                return self.file
            signature = status.st_ino, status.st_size, status.st_mtime_ns
        self._has_existed = True
        is_settled = signature == self._seen
        if self._is_read and is_settled:
            return self.file
        self._seen = signature
        try:
            text, self._is_read = read_text_file(self.file.name, self._kind), True
        except ValueError as error:
            self._is_read = is_settled
            text = replace(self.file, problem=str(error)) if is_settled else self.file
        if text != self.file:
            self.file = text
        return self.file


class FollowedTextFiles:
    """Follows the files of all settings that hold a path. Used by one thread.

    Args:
        declared: Settings that may name a file.
        settings: Their values at the start.
    """

    def __init__(self, declared: Iterable[Setting[Any]], settings: Settings) -> None:
        self._files = {
            setting: FollowedTextFile(file, setting.kind)
            for setting in declared
            if isinstance(setting.kind, FileText) and (file := setting.value(settings)) is not None
        }

    def __bool__(self) -> bool:
        return bool(self._files)

    def check(self) -> dict[Setting[Any], TextFile]:
        """Return all current files; unchanged ones are the same objects."""
        return {setting: followed.check() for setting, followed in self._files.items()}
