"""Atomic output files and folders, and the names of files in them."""

from __future__ import annotations

import os
import shutil
import stat
import unicodedata
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import TracebackType

    import numpy as np
    import numpy.typing as npt
    from typing_extensions import Self


class OutputError(Exception):
    """Raised when a file cannot be written; the message is one plain sentence that names it."""


class OutputExistsError(OutputError):
    """Raised when a file exists and may not be replaced."""


def check_output(path: Path, *, force: bool = False) -> None:
    """Check before the work is done that `write_file` will probably succeed.

    Args:
        path: The file to write.
        force: Replace an existing file.

    Raises:
        OutputExistsError: The file exists and may not be replaced.
        OutputError: The file cannot be written.
    """
    if "\0" in str(path):
        raise OutputError("the name of a file cannot hold a null character")
    with convert_errors(path):
        mode = read_mode(path)
        if mode is not None and stat.S_ISDIR(mode):
            raise OutputError(f"{path} is a directory; name a file in it")
        if mode is not None and stat.S_ISREG(mode) and not force:
            raise OutputExistsError(f"{path} exists already")
        directory = path.resolve().parent
        if not _is_stream(mode) and not os.access(directory, os.W_OK | os.X_OK):
            raise OutputError(f"{path} cannot be written: no file can be created in {directory}")


def write_file(path: Path, pieces: Iterable[str | bytes], *, force: bool = False, errors: str = "strict") -> None:
    """Write bytes, and texts as UTF-8. An existing file stays unchanged until the new one is completely on the disk.

    A pipe or a device receives each piece immediately. A link is followed and not replaced.

    Args:
        path: The file, in an existing directory.
        pieces: Contents; exceptions of the iterable are passed through, and no file remains.
        force: Replace an existing file.
        errors: As for `open`; `surrogateescape` restores bytes that were not UTF-8 when read.

    Raises:
        OutputExistsError: The file exists, or was created meanwhile, and may not be replaced.
        OutputError: The file cannot be written.
        BrokenPipeError: The reader closed the pipe.
    """
    check_output(path, force=force)
    with convert_errors(path):
        if _is_stream(read_mode(path)):
            _write_chunks(os.open(path, os.O_WRONLY | os.O_CLOEXEC), pieces, errors)
            return
        target = path.resolve()
        draft = target.with_name(create_draft_name())
        try:
            _write_chunks(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666), pieces, errors)
            check_output(path, force=force)
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)


def create_draft_name() -> str:
    """Return a new name for an unfinished file in the directory of its target.

    It does not contain the name of the target, which may already have the maximum length.
    """
    return f".tbtui-{os.getpid()}-{os.urandom(4).hex()}"


def _write_chunks(descriptor: int, pieces: Iterable[str | bytes], errors: str) -> None:
    with os.fdopen(descriptor, "wb") as file:
        file.writelines(piece if isinstance(piece, bytes) else piece.encode(errors=errors) for piece in pieces)


def read_mode(path: Path) -> int | None:
    """Return the mode of a path, following links; None if it does not exist."""
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


def _is_stream(mode: int | None) -> bool:
    """Return True for a pipe or a device, which must not be replaced by a file."""
    return mode is not None and not stat.S_ISREG(mode)


@contextmanager
def convert_errors(path: Path) -> Iterator[None]:
    """Convert errors of the system to `OutputError`."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror}") from error


MAX_NAME_BYTES = 80
"""Maximum UTF-8 bytes of the run part and of the tag part of a file name. Most file systems allow 255 bytes, encrypted
ones 143, of which step and suffix need a part."""

_ALLOWED_SIGNS = frozenset("._=+-")
_STRIPPED_SIGNS = "._-"
_SEPARATOR = "-"
_NUMBER_SIGN = "~"
"""Precedes the number of a repeated name; replaced in the names themselves."""

_DEVICES = frozenset(
    ("con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(10)))
)
"""Device names of Windows, also with any suffix. Source: Microsoft, "Naming Files, Paths, and Namespaces"."""


class FileNames:
    """File name stems of all series of one export.

    Every file system accepts them. They have no separators, control characters or device names of Windows. They have
    a limited length, differ without regard to case, are not hidden, and do not look like an option of a command.
    """

    def __init__(self) -> None:
        self._used_names: set[str] = set()

    def stem(self, run: str, tag: str) -> str:
        """Return the stem of all file names of a series; it is different for each call."""
        cleaned_names = [cleaned for name in (run, tag) if (cleaned := _clean_name(name))]
        stem = _SEPARATOR.join(cleaned_names) or "unnamed"
        if _fold_case(stem.partition(".")[0]) in _DEVICES:
            stem = f"_{stem}"
        unique, number = stem, 1
        while (key := _fold_case(unique)) in self._used_names:
            number += 1
            unique = f"{stem}{_NUMBER_SIGN}{number}"
        self._used_names.add(key)
        return unique


class StepNames:
    """File names of one series.

    Args:
        stem: From `FileNames.stem`.
        steps: Steps of all points, int64[n]; a repeated step gets a number.
    """

    def __init__(self, stem: str, steps: npt.NDArray[np.int64]) -> None:
        self._stem, self._steps, self._repeats = stem, steps, _count_repeats(steps)
        self._digits = max(len(str(steps.min())), len(str(steps.max()))) if len(steps) else 1

    def name(self, point: int, ending: str, sample: int | None = None) -> str:
        """Return the name of one file.

        Args:
            point: Index of the step.
            ending: Suffix including the dot.
            sample: Index of the value within the step; None for a single value.
        """
        step, repeats = int(self._steps[point]), int(self._repeats[point])
        repeat_text = f"{_NUMBER_SIGN}{repeats + 1}" if repeats else ""
        sample_text = "" if sample is None else f"_{sample}"
        return f"{self._stem}-step{step:0{self._digits}d}{repeat_text}{sample_text}{ending}"


def _clean_name(name: str) -> str:
    """Return the part of a name that file names may hold, shortened in the middle."""
    composed = unicodedata.normalize("NFC", name)
    marked = "".join(letter if _is_allowed(letter) else " " for letter in composed)
    cleaned = "_".join(marked.split()).strip(_STRIPPED_SIGNS)
    encoded = cleaned.encode()
    if len(encoded) <= MAX_NAME_BYTES:
        return cleaned
    # Tags differ more at their ends than at their beginnings.
    first, last = encoded[: MAX_NAME_BYTES // 3], encoded[1 - MAX_NAME_BYTES + MAX_NAME_BYTES // 3 :]
    return f"{first.decode(errors='ignore')}_{last.decode(errors='ignore')}".strip(_STRIPPED_SIGNS)


def _is_allowed(letter: str) -> bool:
    """Return True for letters, digits and combining marks of any script."""
    return letter in _ALLOWED_SIGNS or letter.isalnum() or unicodedata.category(letter).startswith("M")


def _fold_case(name: str) -> str:
    """Return a key that is equal for names that a file system may treat as the same."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def _count_repeats(steps: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return for each point the number of earlier points at its step, int64[n]."""
    import numpy as np  # `tbtui --help` imports this module and needs no numpy

    order = np.argsort(steps, kind="stable")
    ordered = steps[order]
    starts = np.flatnonzero(np.concatenate([np.ones(min(1, len(steps)), np.bool_), ordered[1:] != ordered[:-1]]))
    repeats = np.empty(len(steps), np.int64)
    repeats[order] = np.arange(len(steps)) - np.repeat(starts, np.diff(starts, append=len(steps)))
    return repeats


def check_folder(path: Path, *, force: bool = False) -> None:
    """Check before the work is done that an `OutputFolder` will probably succeed.

    Args:
        path: The folder; it is created if missing.
        force: Accept a folder that is not empty.

    Raises:
        OutputExistsError: The folder is not empty.
        OutputError: The folder cannot be written.
    """
    if "\0" in str(path):
        raise OutputError("the name of a folder cannot hold a null character")
    with convert_errors(path):
        if read_mode(path) is None:
            parent = path.resolve().parent
            if not os.access(parent, os.W_OK | os.X_OK):
                raise OutputError(f"{path} cannot be written: no folder can be created in {parent}")
        elif not path.is_dir():
            raise OutputError(f"{path} is not a folder")
        elif not force and any(path.iterdir()):
            raise OutputExistsError(f"{path} exists already and is not empty")
        elif not os.access(path, os.W_OK | os.X_OK):
            raise OutputError(f"{path} cannot be written: no file can be created in it")


class OutputFolder:
    """Context manager that writes many files into a folder, all of them or none.

    Files are collected in a draft folder within the folder, and moved when all are on the disk. After an error no file
    remains, nor the folder if it is new. Only files with the same names are replaced, and no file is deleted.

    Args:
        path: The folder; its parent exists.
        force: Accept a folder that is not empty, and replace files of the same names.

    Raises:
        OutputExistsError: The folder is not empty.
        OutputError: It cannot be written.
    """

    def __init__(self, path: Path, *, force: bool = False) -> None:
        check_folder(path, force=force)
        self._path, self._force = path, force
        self._existed = path.exists()
        self._draft: Path | None = None
        self.count = 0
        """Number of files written with `put`."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None) -> None:
        try:
            if kind is None and self._draft is not None:
                with convert_errors(self._path):
                    self._move_files(self._draft)
        finally:
            self.discard()

    def put(self, name: str, data: bytes) -> None:
        """Write a file.

        Args:
            name: File name without a directory; unique.
            data: Contents.
        """
        self._write_counted(self.file(name), data)

    def write(self, name: str, pieces: Iterable[str | bytes]) -> None:
        """Write a file piece by piece, texts as UTF-8; it is not counted.

        Args:
            name: File name without a directory; unique.
            pieces: Contents; exceptions of the iterable are passed through.
        """
        self._write(self.file(name), pieces)

    def file(self, name: str) -> Path:
        """Return the draft path of a file with this name."""
        return self._open_draft_folder() / _check_name(name)

    def open_subfolder(self, name: str) -> InnerFolder:
        """Return a subfolder; it is created with its first file."""
        return InnerFolder(self, _check_name(name))

    def _write_counted(self, path: Path, data: bytes) -> None:
        self._write(path, (data,))
        self.count += 1

    def _write(self, path: Path, pieces: Iterable[str | bytes]) -> None:
        with convert_errors(self._path / path.relative_to(self._open_draft_folder())), path.open("xb") as file:
            file.writelines(piece if isinstance(piece, bytes) else piece.encode() for piece in pieces)

    def _open_draft_folder(self) -> Path:
        """Return the draft folder."""
        if self._draft is None:
            draft = self._path / create_draft_name()
            with convert_errors(self._path):
                self._path.mkdir(exist_ok=True)
                draft.mkdir()
            self._draft = draft
        return self._draft

    def discard(self) -> None:
        """Delete the draft folder."""
        if self._draft is not None:
            shutil.rmtree(self._draft, ignore_errors=True)
            self._draft = None
            if not self._existed:
                with suppress(OSError):  # not empty
                    self._path.rmdir()

    def _move_files(self, draft: Path) -> None:
        if not self._force and any(path != draft for path in self._path.iterdir()):
            raise OutputExistsError(f"{self._path} exists already and is not empty")
        folders = [path for path in draft.iterdir() if path.is_dir()]
        files = [path for folder in (draft, *folders) for path in folder.iterdir() if not path.is_dir()]
        targets = {file: self._path / file.relative_to(draft) for file in files}
        for folder in folders:
            _check_inner(self._path / folder.name)
        for target in targets.values():
            if target.is_dir() and not target.is_symlink():
                raise OutputError(f"{target} cannot be written: it is a folder")
        new_folders = [path for folder in folders if not (path := self._path / folder.name).exists()]
        created_files = [target for target in targets.values() if not target.exists()]
        try:
            for folder in new_folders:
                folder.mkdir()
            for file, target in targets.items():
                file.replace(target)
        except OSError:
            for path in created_files:
                path.unlink(missing_ok=True)
            for folder in new_folders:
                with suppress(OSError):
                    folder.rmdir()
            raise


class InnerFolder:
    """Subfolder of an `OutputFolder`, written together with it."""

    def __init__(self, outer: OutputFolder, name: str) -> None:
        self._outer, self._name = outer, name
        self.count = 0
        """Number of files written with `put`."""

    def put(self, name: str, data: bytes) -> None:
        """Write a file; see `OutputFolder.put`."""
        self._outer._write_counted(self.file(name), data)  # noqa: SLF001 - they are one
        self.count += 1

    def write(self, name: str, pieces: Iterable[str | bytes]) -> None:
        """Write a file piece by piece; see `OutputFolder.write`."""
        self._outer._write(self.file(name), pieces)  # noqa: SLF001 - they are one

    def file(self, name: str) -> Path:
        """Return the draft path of a file with this name."""
        folder = self._outer.file(self._name)
        with convert_errors(folder):
            folder.mkdir(exist_ok=True)
        return folder / _check_name(name)


def _check_name(name: str) -> str:
    """Return a name after verifying that it is not a path."""
    if Path(name).name != name or name in ("", ".."):
        raise ValueError(f"{name!r} is not a valid file name")
    return name


def _check_inner(path: Path) -> None:
    """Verify that a subfolder can be written; a link could lead outside."""
    if path.is_symlink() or (path.exists() and not path.is_dir()):
        raise OutputError(f"{path} cannot be written: it is not a folder")


@frozen
class SavedFile:
    """The result of a save."""

    path: Path
    """The absolute path."""

    rows: int
