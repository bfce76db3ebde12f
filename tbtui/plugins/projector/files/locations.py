"""Resolve paths that a configuration names: inside the log directory they are followed, outside they are only named."""

from __future__ import annotations

import os

from tbtui.charts.text import safe
from tbtui.frozen import frozen


class MissingFileError(Exception):
    """A file that a configuration names is not available; the text names the file and the reason."""


@frozen
class Locator:
    """Resolve paths of one configuration.

    TensorBoard follows a path only below the directory of the configuration, so that shared sprites in a parent
    directory do not work there. Here the bound is the log directory that the user has opened.
    """

    directory: str
    """Directory of the configuration."""

    root: str
    """Log directory."""

    def find(self, written: str, noun: str) -> str:
        """Return the path of an existing file.

        A path that does not exist may come from another machine. Then its last part is tried in the directory of the
        configuration.

        Args:
            written: Path as written in the configuration; relative to its directory.
            noun: Noun for the content of the file, for the message: "metadata".

        Raises:
            MissingFileError: The file does not exist, or is outside of the log directory.
        """
        return self._find(written, noun, ("",))

    def find_prefix(self, written: str, suffixes: tuple[str, ...]) -> str:
        """Return the prefix of a checkpoint, of which a file with one of these suffixes exists.

        Raises:
            MissingFileError: No such file exists, or it is outside of the log directory.
        """
        return self._find(written, "checkpoint", suffixes)

    def _find(self, written: str, noun: str, suffixes: tuple[str, ...]) -> str:
        shown = safe(written)
        if "\0" in written:
            raise MissingFileError(f"the path of the {noun} holds a NUL byte: {shown}")
        is_outside = False
        candidates = [os.path.join(self.directory, written)]  # noqa: PTH118 - pathlib would change some paths
        name = os.path.basename(written.replace("\\", "/").rstrip("/"))  # noqa: PTH119
        if name and name != written:
            candidates.append(os.path.join(self.directory, name))  # noqa: PTH118
        for path in map(os.path.normpath, candidates):
            existing = [path + suffix for suffix in suffixes if os.path.lexists(path + suffix)]
            if not self.contains(existing[0] if existing else path):
                is_outside = True
            elif any(map(os.path.isfile, existing)):
                return path
        if is_outside:
            raise MissingFileError(
                f"the {noun} is not in the log directory, and nothing outside of it is read: {shown}"
            )
        raise MissingFileError(f"the {noun} does not exist: {shown}")

    def contains(self, path: str) -> bool:
        """Return True if a path is inside the log directory once links are followed."""
        root, real = os.path.realpath(self.root), os.path.realpath(path)
        try:
            return os.path.commonpath([root, real]) == root
        except ValueError:
            return False
