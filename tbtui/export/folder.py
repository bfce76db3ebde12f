"""Writes many files into one folder, all of them or none."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from tbtui.export.output import OutputError, OutputExistsError, draft_name, mode_of, plainly

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType

    from typing_extensions import Self


def check_folder(path: Path, *, force: bool = False) -> None:
    """See whether an `OutputFolder` can be expected to work, before the work that what goes into it takes.

    Args:
        path: The folder; it is made where it is not there.
        force: Whether there may be something in it.

    Raises:
        OutputExistsError: There is something in it.
        OutputError: It can be seen that nothing can be written there.
    """
    if "\0" in str(path):
        raise OutputError("the name of a folder cannot hold a null character")
    with plainly(path):
        if mode_of(path) is None:
            parent = path.resolve().parent
            if not os.access(parent, os.W_OK | os.X_OK):
                raise OutputError(f"{path} cannot be written: no folder can be made in {parent}")
        elif not path.is_dir():
            raise OutputError(f"{path} is no folder")
        elif not force and any(path.iterdir()):
            raise OutputExistsError(f"{path} is there already, and not empty")
        elif not os.access(path, os.W_OK | os.X_OK):
            raise OutputError(f"{path} cannot be written: no file can be made in it")


class OutputFolder:
    """A folder that is being filled; use it as a context manager.

    Files are collected beside those that are there and come to their places when all of them are on the disk. When that
    ends early, nothing of them stays, and neither does the folder if it was not there before. Nothing but files of the
    same names is ever replaced, and nothing is taken away.

    Args:
        path: The folder; the one it is in exists.
        force: Whether there may be something in it, and files of the same names are replaced.

    Raises:
        OutputExistsError: There is something in it.
        OutputError: It cannot be written.
    """

    def __init__(self, path: Path, *, force: bool = False) -> None:
        check_folder(path, force=force)
        self._path, self._force = path, force
        self._was_there = path.exists()
        self._draft: Path | None = None
        self.count = 0
        """Files put into it."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None) -> None:
        try:
            if kind is None and self._draft is not None:
                with plainly(self._path):
                    self._settle(self._draft)
        finally:
            self.forget()

    def put(self, name: str, data: bytes) -> None:
        """Write a file.

        Args:
            name: Of the file alone, without a folder; another one each time.
            data: What is in it.
        """
        self._put(self.file(name), data)

    def write(self, name: str, pieces: Iterable[str | bytes]) -> None:
        """Write a file piece by piece, texts as UTF-8; it does not count.

        Args:
            name: Of the file alone, without a folder; another one each time.
            pieces: What is in it; whatever they raise goes through.
        """
        self._write(self.file(name), pieces)

    def file(self, name: str) -> Path:
        """Where a file is to be written that will be in the folder under that name."""
        return self._begun() / _checked(name)

    def below(self, name: str) -> InnerFolder:
        """A folder of that name in this one; it is made when something is put into it."""
        return InnerFolder(self, _checked(name))

    def _put(self, path: Path, data: bytes) -> None:
        self._write(path, (data,))
        self.count += 1

    def _write(self, path: Path, pieces: Iterable[str | bytes]) -> None:
        with plainly(self._path / path.relative_to(self._begun())), path.open("xb") as file:
            file.writelines(piece if isinstance(piece, bytes) else piece.encode() for piece in pieces)

    def _begun(self) -> Path:
        """Where all is collected."""
        if self._draft is None:
            draft = self._path / draft_name()
            with plainly(self._path):
                self._path.mkdir(exist_ok=True)
                draft.mkdir()
            self._draft = draft
        return self._draft

    def forget(self) -> None:
        """Take away what has not come to its place."""
        if self._draft is not None:
            shutil.rmtree(self._draft, ignore_errors=True)
            self._draft = None
            if not self._was_there:
                with suppress(OSError):  # there is something in it
                    self._path.rmdir()

    def _settle(self, draft: Path) -> None:
        if not self._force and any(path != draft for path in self._path.iterdir()):
            raise OutputExistsError(f"{self._path} is there already, and not empty")
        folders = [path for path in draft.iterdir() if path.is_dir()]
        files = [path for folder in (draft, *folders) for path in folder.iterdir() if not path.is_dir()]
        targets = {file: self._path / file.relative_to(draft) for file in files}
        for folder in folders:
            _check_inner(self._path / folder.name)
        for target in targets.values():
            if target.is_dir() and not target.is_symlink():
                raise OutputError(f"{target} cannot be written: it is a folder")
        made = [path for folder in folders if not (path := self._path / folder.name).exists()]
        new = [target for target in targets.values() if not target.exists()]
        try:
            for folder in made:
                folder.mkdir()
            for file, target in targets.items():
                file.replace(target)
        except OSError:
            for path in new:
                path.unlink(missing_ok=True)
            for folder in made:
                with suppress(OSError):
                    folder.rmdir()
            raise


class InnerFolder:
    """A folder in an `OutputFolder`, filled with it."""

    def __init__(self, outer: OutputFolder, name: str) -> None:
        self._outer, self._name = outer, name
        self.count = 0
        """Files put into it."""

    def put(self, name: str, data: bytes) -> None:
        """Write a file, as `OutputFolder.put` does."""
        self._outer._put(self.file(name), data)  # noqa: SLF001 - they are one
        self.count += 1

    def write(self, name: str, pieces: Iterable[str | bytes]) -> None:
        """Write a file piece by piece, as `OutputFolder.write` does."""
        self._outer._write(self.file(name), pieces)  # noqa: SLF001 - they are one

    def file(self, name: str) -> Path:
        """Where a file is to be written that will be in the folder under that name."""
        folder = self._outer.file(self._name)
        with plainly(folder):
            folder.mkdir(exist_ok=True)
        return folder / _checked(name)


def _checked(name: str) -> str:
    """A name that is no path."""
    if Path(name).name != name or name in ("", ".."):
        raise ValueError(f"{name!r} is no name of a file")
    return name


def _check_inner(path: Path) -> None:
    """See whether files can come into a folder in the folder: what a link leads to is another one."""
    if path.is_symlink() or (path.exists() and not path.is_dir()):
        raise OutputError(f"{path} cannot be written: it is no folder")
