"""Write log directories, and give tests a clock that they advance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tbtui.events.writer import EventFileWriter

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from tbtui.loading.state import LoadState

FILE = "events.out.tfevents.1.host"
NO_FILES = "no event files; searched 1 directory and 0 files, for names with tfevents, profiles and embeddings"
"""Answer of commands about an empty log directory."""

START = 1_790_000_000.0
"""Wall time of the version event, seconds since the epoch."""


class LogDirectory:
    """Write real event files below a directory."""

    def __init__(self, root: Path) -> None:
        root.mkdir(exist_ok=True)
        self.root = root

    def path(self, run: str, file: str = FILE) -> Path:
        return self.root / run / file

    def log(self, run: str, steps: Iterable[int], *, tag: str = "loss", file: str = FILE, start: float = START) -> Path:
        """Append one scalar per step, in whole records; the value is twice the step."""
        path = self.path(run, file)
        path.parent.mkdir(parents=True, exist_ok=True)
        with EventFileWriter(str(path), wall_time=start) as writer:
            for step in steps:
                writer.scalar(tag, step * 2.0, step, start + step)
        return path

    def bytes_of(self, steps: Iterable[int], *, tag: str = "loss", start: float = START) -> bytes:
        """Return the bytes of a file with these steps."""
        path = self.log(".", steps, tag=tag, file="made to be read", start=start)
        content = path.read_bytes()
        path.unlink()
        return content


@dataclass
class Clock:
    """A clock that only `advance` moves."""

    seconds: float = 1_000.0

    def __call__(self) -> float:
        return self.seconds

    def advance(self, seconds: float) -> None:
        self.seconds += seconds


def steps_of(state: LoadState, run: str = "run", tag: str = "loss") -> list[int]:
    """Return all stored steps of a series, in arrival order."""
    steps: list[int] = state.snapshot.runs[run].series[tag].steps.tolist()
    return steps


def state_contents(state: LoadState) -> Any:
    """Return everything that a state holds about its runs, to compare states."""
    return {
        name: (
            run.files,
            run.problem,
            [
                (tag, series.metadata, *(getattr(series, column).tobytes() for column in _columns_of(series)))
                for tag, series in run.series.items()
            ],
        )
        for name, run in state.snapshot.runs.items()
    }, state.problems


def _columns_of(series: Any) -> list[str]:
    return [
        name
        for name in ("steps", "wall_times", "values", "files", "offsets", "lengths", "indices")
        if hasattr(series, name)
    ]
