"""Writes a file whole or not at all."""

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
    """A file cannot be written; the text of the error is one plain sentence that names it."""


class OutputExistsError(OutputError):
    """A file is there already, and nobody said that it may be replaced."""


def check_output(path: Path, *, force: bool = False) -> None:
    """See whether `write_file` can be expected to work, before the work that its text takes.

    Args:
        path: The file to write.
        force: Whether it may replace a file.

    Raises:
        OutputExistsError: A file is there and may not be replaced.
        OutputError: It can be seen that none can be written there.
    """
    if "\0" in str(path):
        raise OutputError("the name of a file cannot hold a null character")
    with output_errors(path):
        mode = mode_of(path)
        if mode is not None and stat.S_ISDIR(mode):
            raise OutputError(f"{path} is a directory; name a file in it")
        if mode is not None and stat.S_ISREG(mode) and not force:
            raise OutputExistsError(f"{path} is there already")
        directory = path.resolve().parent
        if not _is_stream(mode) and not os.access(directory, os.W_OK | os.X_OK):
            raise OutputError(f"{path} cannot be written: no file can be made in {directory}")


def write_file(path: Path, pieces: Iterable[str | bytes], *, force: bool = False, errors: str = "strict") -> None:
    """Write bytes, and texts as UTF-8. Until all of it is on the disk, whatever is at `path` stays as it is.

    A pipe or a device takes the pieces as they come. A link is followed, so that it goes on to be one.

    Args:
        path: The file; its directory exists.
        pieces: What is in it; whatever they raise goes through, and nothing stays behind.
        force: Whether a file that is there is replaced.
        errors: As of `open`: `surrogateescape` writes bytes that were no UTF-8 when they were read as they were.

    Raises:
        OutputExistsError: A file is there, or has come meanwhile, and may not be replaced.
        OutputError: It cannot be written.
        BrokenPipeError: It is a pipe whose reader has gone.
    """
    check_output(path, force=force)
    with output_errors(path):
        if _is_stream(mode_of(path)):
            _fill(os.open(path, os.O_WRONLY | os.O_CLOEXEC), pieces, errors)
            return
        target = path.resolve()
        draft = target.with_name(draft_name())
        try:
            _fill(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666), pieces, errors)
            check_output(path, force=force)
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)


def draft_name() -> str:
    """A new name for what is written beside its place until it is whole.

    Nothing of the place's own name, which may be as long as names can be.
    """
    return f".tbtui-{os.getpid()}-{os.urandom(4).hex()}"


def _fill(descriptor: int, pieces: Iterable[str | bytes], errors: str) -> None:
    with os.fdopen(descriptor, "wb") as file:
        file.writelines(piece if isinstance(piece, bytes) else piece.encode(errors=errors) for piece in pieces)


def mode_of(path: Path) -> int | None:
    """What is at `path`, behind links, as `stat` has it; None when nothing is."""
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


def _is_stream(mode: int | None) -> bool:
    """Whether it is a pipe or a device: replaced by a file, it would be gone for everybody else."""
    return mode is not None and not stat.S_ISREG(mode)


@contextmanager
def output_errors(path: Path) -> Iterator[None]:
    """What the system has against writing a file, as an `OutputError`."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror}") from error


# Names for the files of values: made of run, tag and step, whatever these hold.
#
# A name can be kept by any file system: it has no separator, no control character and no name that Windows keeps for
# devices, is short, and no other one differs from it in upper and lower case alone. It hides no file, is no option of
# a
# program, and can be told from all others of the same export.


MAX_NAME_BYTES = 80
"""Of the part that a run, and of the part that a tag has in a name, in UTF-8: names of 255 bytes are the longest that
most file systems keep, encrypted ones 143, and half of them is for step and ending."""

_KEPT = frozenset("._=+-")
_EDGES = "._-"
_BETWEEN = "-"
_AGAIN = "~"
"""Stands before a number, and is never kept of a name."""

_DEVICES = frozenset(
    ("con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(10)))
)
"""Source: Microsoft, "Naming Files, Paths, and Namespaces"; also with anything behind a dot."""


class FileNames:
    """The stems of all series of one export."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def stem(self, run: str, tag: str) -> str:
        """What the names of all files of a series begin with; no two calls have the same answer."""
        parts = [part for name in (run, tag) if (part := _clean_name(name))]
        stem = _BETWEEN.join(parts) or "unnamed"
        if _fold_case(stem.partition(".")[0]) in _DEVICES:
            stem = f"_{stem}"
        unique, times = stem, 1
        while (key := _fold_case(unique)) in self._taken:
            times += 1
            unique = f"{stem}{_AGAIN}{times}"
        self._taken.add(key)
        return unique


class StepNames:
    """The names of the files of one series; one of each starts with another stem.

    Args:
        stem: As `FileNames.stem` has it.
        steps: Of all points, int64[n]; a step that is there again has a number behind it.
    """

    def __init__(self, stem: str, steps: npt.NDArray[np.int64]) -> None:
        self._stem, self._steps, self._times = stem, steps, _count_repeats(steps)
        self._digits = max(len(str(steps.min())), len(str(steps.max()))) if len(steps) else 1

    def name(self, point: int, ending: str, sample: int | None = None) -> str:
        """The name of one file.

        Args:
            point: Index of the step.
            ending: Of the name, its dot included.
            sample: Which of the values of this step; None where it has one alone.
        """
        step, times = int(self._steps[point]), int(self._times[point])
        again = f"{_AGAIN}{times + 1}" if times else ""
        which = "" if sample is None else f"_{sample}"
        return f"{self._stem}-step{step:0{self._digits}d}{again}{which}{ending}"


def _clean_name(name: str) -> str:
    """What of a name can stand in the name of a file, cut in its middle where it is long."""
    composed = unicodedata.normalize("NFC", name)
    marked = "".join(letter if _is_kept(letter) else " " for letter in composed)
    kept = "_".join(marked.split()).strip(_EDGES)
    encoded = kept.encode()
    if len(encoded) <= MAX_NAME_BYTES:
        return kept
    # Tags are told apart by their ends rather than by their beginnings.
    first, last = encoded[: MAX_NAME_BYTES // 3], encoded[1 - MAX_NAME_BYTES + MAX_NAME_BYTES // 3 :]
    return f"{first.decode(errors='ignore')}_{last.decode(errors='ignore')}".strip(_EDGES)


def _is_kept(letter: str) -> bool:
    """Letters, digits and what is written above or below them, of any script."""
    return letter in _KEPT or letter.isalnum() or unicodedata.category(letter).startswith("M")


def _fold_case(name: str) -> str:
    """What is alike of names that a file system may take for one."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def _count_repeats(steps: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return for each point how often its step occurred before it, int64[n]."""
    import numpy as np  # `tbtui --help` imports this module and needs no numpy

    order = np.argsort(steps, kind="stable")
    ordered = steps[order]
    begins = np.flatnonzero(np.concatenate([np.ones(min(1, len(steps)), np.bool_), ordered[1:] != ordered[:-1]]))
    times = np.empty(len(steps), np.int64)
    times[order] = np.arange(len(steps)) - np.repeat(begins, np.diff(begins, append=len(steps)))
    return times


# Writes many files into one folder, all of them or none.


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
    with output_errors(path):
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
                with output_errors(self._path):
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
        return self._begun() / _check_name(name)

    def below(self, name: str) -> InnerFolder:
        """A folder of that name in this one; it is made when something is put into it."""
        return InnerFolder(self, _check_name(name))

    def _put(self, path: Path, data: bytes) -> None:
        self._write(path, (data,))
        self.count += 1

    def _write(self, path: Path, pieces: Iterable[str | bytes]) -> None:
        with output_errors(self._path / path.relative_to(self._begun())), path.open("xb") as file:
            file.writelines(piece if isinstance(piece, bytes) else piece.encode() for piece in pieces)

    def _begun(self) -> Path:
        """Where all is collected."""
        if self._draft is None:
            draft = self._path / draft_name()
            with output_errors(self._path):
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
        with output_errors(folder):
            folder.mkdir(exist_ok=True)
        return folder / _check_name(name)


def _check_name(name: str) -> str:
    """A name that is no path."""
    if Path(name).name != name or name in ("", ".."):
        raise ValueError(f"{name!r} is no name of a file")
    return name


def _check_inner(path: Path) -> None:
    """See whether files can come into a folder in the folder: what a link leads to is another one."""
    if path.is_symlink() or (path.exists() and not path.is_dir()):
        raise OutputError(f"{path} cannot be written: it is no folder")


@frozen
class SavedFile:
    """The result of a save."""

    path: Path
    """The absolute path."""

    rows: int
