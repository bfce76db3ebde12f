"""Run `tbtui print` in the process of the test, on a stream that is a terminal or not."""

from __future__ import annotations

import contextlib
import io
import os
from typing import TYPE_CHECKING, NamedTuple
from unittest import mock

from tbtui.cli.main import main
from tbtui.events.writer import EventFileWriter
from tests.helpers.log_directory import FILE, START

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path


class Printed(NamedTuple):
    """Exit code and output of a command."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


class Stream(io.StringIO):
    """Text stream with an encoding, optionally a terminal of 80 x 24 cells."""

    def __init__(self, encoding: str = "utf-8", *, is_terminal: bool = False) -> None:
        super().__init__()
        self._encoding, self._is_terminal = encoding, is_terminal

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._encoding

    def isatty(self) -> bool:
        return self._is_terminal


def printed(*words: object, out: Stream | None = None, **environ: str) -> Printed:
    """Run `tbtui print` with these arguments; `environ` has the only terminal variables."""
    out, err = out or Stream(), io.StringIO()
    with mock.patch.dict(os.environ, environ), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        for name in {"NO_COLOR", "COLORTERM", "TERM", "COLUMNS", "LINES"}.difference(environ):
            os.environ.pop(name, None)
        try:
            code = main(["print", *map(str, words)])
        except SystemExit as ended:
            code = int(ended.code or 0)
    return Printed(code, out.getvalue(), err.getvalue())


def log_values(root: Path, run: str, values: Iterable[float], *, tag: str = "loss", file: str = FILE) -> None:
    """Append one value per step, from step 0."""
    log_at(root, run, dict(enumerate(values)), tag=tag, file=file)


def log_at(
    root: Path,
    run: str,
    values: Mapping[int, float],
    *,
    tag: str = "loss",
    file: str = FILE,
    start: float = START,
) -> None:
    """Append values at the given steps."""
    path = root / run / file
    path.parent.mkdir(parents=True, exist_ok=True)
    with EventFileWriter(str(path), wall_time=start) as writer:
        for number, (step, value) in enumerate(values.items()):
            writer.scalar(tag, value, step, start + number)
