"""What the user chose for a log directory, kept between sessions in the platform's state directory.

Anything unreadable or out of range is dropped and replaced by the default: a damaged file costs choices, never a start.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import tempfile
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tbtui.charts.cells import FAINT_FROM
from tbtui.frozen import frozen
from tbtui.own_directories import state_directory
from tbtui.viewstate.choices import Choices
from tbtui.viewstate.saved_fields import (
    MOST_NAMES,
    choices_document,
    choices_from,
    flag,
    is_short,
    names,
    text,
    usable,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

VERSION = 1
MOST_DIRECTORIES = 200
"""Files kept, one a log directory; the longest unused go first."""

LARGEST_FILE = 16 << 20
"""Bytes; a larger file is not ours."""

MOST_COLUMNS = 1000
"""No terminal is wider."""


@frozen
class SidebarState:
    """How the sidebar was left."""

    open: bool = True
    folded_folders: frozenset[str] = field(default_factory=frozenset)
    """Keys of the folders of the run tree whose runs are not listed."""

    width: int | None = None
    """Columns that the user wants for it; None: what suits the terminal."""


@frozen
class Kept:
    """All that is kept of a session."""

    choices: Choices = field(default_factory=Choices)
    sidebar: SidebarState = field(default_factory=SidebarState)
    inks: Mapping[str, int] = field(default_factory=dict)
    """Run name to series ink."""

    theme: str | None = None
    """Name of the theme that the user chose; None: the default."""


class SavedChoices:
    """The file of one log directory (or of several that are opened together)."""

    def __init__(self, path: Path) -> None:
        """Nothing is read or written yet.

        Args:
            path: The file; its directory is made when first saved.
        """
        self.path = path

    @classmethod
    def of_paths(cls, paths: Iterable[str]) -> SavedChoices:
        """The file for the paths the user gave; the same directory by another way is the same file."""
        real = "\0".join(sorted({os.path.realpath(path) for path in paths}))
        digest = hashlib.sha256(real.encode("utf-8", "surrogateescape")).hexdigest()[:32]
        return cls(state_directory() / "choices" / f"{digest}.json")

    def load(self) -> Kept:
        """What the last session left; the defaults where there is nothing that can be used."""
        try:
            there = self.path.stat()
            if not stat.S_ISREG(there.st_mode) or there.st_size > LARGEST_FILE:  # what is no file may never end
                return Kept()
            document = json.loads(self.path.read_text("utf-8"))
        except (OSError, ValueError, RecursionError):
            return Kept()
        return kept_from(document)

    def save(self, kept: Kept) -> None:
        """Replace the file in one move, so that a crash leaves the old one or the new one.

        Raises:
            OSError: When the directory cannot be written.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=self.path.parent, prefix=".new-")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(document_of(kept), file)
            Path(name).replace(self.path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
        self._drop_oldest()

    def _drop_oldest(self) -> None:
        files = sorted(self.path.parent.glob("*.json"), key=_used)
        for file in files[:-MOST_DIRECTORIES]:
            file.unlink(missing_ok=True)


def _used(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:  # another session dropped it meanwhile
        return 0.0


def document_of(kept: Kept) -> dict[str, Any]:
    """The JSON document of `kept`; where there are too many names some are left out."""
    sidebar = kept.sidebar
    return {
        "version": VERSION,
        "choices": choices_document(kept.choices),
        "sidebar": {
            "open": sidebar.open,
            "folded_folders": sorted(filter(is_short, sidebar.folded_folders))[:MOST_NAMES],
            "width": sidebar.width,
        },
        "inks": dict(list(kept.inks.items())[-MOST_NAMES:]),
        "theme": kept.theme,
    }


def kept_from(document: object) -> Kept:
    """Read a document field by field; what is missing, unknown or out of range is left at its default."""
    if not isinstance(document, dict) or document.get("version") != VERSION:
        return Kept()
    return Kept(
        choices=choices_from(document.get("choices")),
        sidebar=SidebarState(**usable(document.get("sidebar"), _SIDEBAR)),
        inks=_inks(document.get("inks")),
        **usable({"theme": document.get("theme")}, {"theme": text}),
    )


def _columns(value: object) -> int:
    if type(value) is not int or not 0 < value <= MOST_COLUMNS:
        raise ValueError
    return value


_SIDEBAR: Mapping[str, Callable[[object], Any]] = {"open": flag, "folded_folders": names, "width": _columns}


def _inks(held: object) -> Mapping[str, int]:
    if not isinstance(held, dict):
        return {}
    return {name: ink for name, ink in held.items() if type(ink) is int and 0 <= ink < FAINT_FROM}
