"""Whatever happens to the files of a run, a loader that followed them shows what a new one would.

So does one that begins with what was kept of the last look.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from log_directory import START, Clock, LogDirectory

from tbtui.loading.index.again import RunIndexes
from tbtui.loading.index.folder import IndexFolder
from tbtui.loading.loader import Loader
from tbtui.loading.logdir import VANISHED_SECONDS
from tbtui.loading.sources import parse_sources

RUNS = st.sampled_from(["a", "b", "b/deep", "."])
STEPS = st.lists(st.integers(0, 50), min_size=1, max_size=5)


class History(RuleBasedStateMachine):
    """Writers, copies and deletions, with a look at everything after each."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.logs = LogDirectory(self.folder / "logs")
        self.clock = Clock()
        self.sources = parse_sources([str(self.logs.root)])
        self.loader = self.new_loader()
        self.starts = count(int(START), 1_000)
        self.damaged: dict[Path, int] = {}

    def new_loader(self, indexes: RunIndexes | None = None) -> Loader:
        return Loader(self.sources, clock=self.clock, now=lambda: START, indexes=indexes)

    def teardown(self) -> None:
        shutil.rmtree(self.folder)

    def written(self, path: Path) -> None:
        """Give a file a time of its own: the clock of a file system may stand still between two of these writes."""
        seconds = next(self.starts)
        os.utime(path, (seconds, seconds))

    @rule(run=RUNS, steps=STEPS)
    def append(self, run: str, steps: list[int]) -> None:
        self.written(self.logs.log(run, steps, start=next(self.starts)))

    @rule(run=RUNS, steps=STEPS, missing=st.integers(1, 60))
    def append_and_cut(self, run: str, steps: list[int], missing: int) -> None:
        path = self.logs.log(run, steps, start=next(self.starts))
        with path.open("r+b") as file:
            file.truncate(max(0, path.stat().st_size - missing))
        self.written(path)

    @rule(run=RUNS, steps=STEPS, damaged=st.integers(0, 11))
    def append_behind_a_damaged_header(self, run: str, steps: list[int], damaged: int) -> None:
        path = self.logs.path(run)
        place = (path.stat().st_size if path.exists() else 0) + damaged
        self.logs.log(run, steps, start=next(self.starts))
        self.flip(path, place)
        self.damaged[path] = place

    @rule(run=RUNS)
    def mend(self, run: str) -> None:
        path = self.logs.path(run)
        place = self.damaged.pop(path, None)
        if place is not None and path.exists() and path.stat().st_size > place:
            self.flip(path, place)

    def flip(self, path: Path, place: int) -> None:
        with path.open("r+b") as file:
            file.seek(place)
            byte = file.read(1)[0]
            file.seek(place)
            file.write(bytes([byte ^ 0xFF]))
        self.written(path)

    @rule(run=RUNS, steps=STEPS, in_place=st.booleans())
    def rewrite(self, run: str, steps: list[int], in_place: bool) -> None:
        content = self.logs.bytes_of(steps, start=next(self.starts))
        path = self.logs.path(run)
        self.damaged.pop(path, None)
        path.parent.mkdir(parents=True, exist_ok=True)
        if in_place:
            path.write_bytes(content)
        else:
            copy = path.with_name("copy")
            copy.write_bytes(content)
            copy.replace(path)
        self.written(path)

    @rule(run=RUNS)
    def empty(self, run: str) -> None:
        self.damaged.pop(self.logs.path(run), None)
        if self.logs.path(run).exists():
            self.logs.path(run).write_bytes(b"")
            self.written(self.logs.path(run))

    @rule(run=RUNS)
    def delete(self, run: str) -> None:
        self.damaged.pop(self.logs.path(run), None)
        self.logs.path(run).unlink(missing_ok=True)

    @rule(run=st.sampled_from(["a", "b"]))
    def delete_directory(self, run: str) -> None:
        self.damaged.clear()
        shutil.rmtree(self.logs.root / run, ignore_errors=True)

    @rule()
    def look(self) -> None:
        self.loader.load_all()

    @rule()
    def wait_until_the_vanished_are_dropped(self) -> None:
        self.loader.load_all()
        self.clock.advance(VANISHED_SECONDS + 1)

    @invariant()
    def the_loader_shows_what_is_there(self) -> None:
        fresh = self.new_loader()
        fresh.load_all()
        self.loader.load_all()
        assert content(self.loader) == content(fresh)
        resumed = self.new_loader(RunIndexes(IndexFolder(self.folder / "cache"), least_bytes=1))
        resumed.load_all()
        assert content(resumed) == content(fresh)


def content(loader: Loader) -> dict[str, Any]:
    """Everything a loader shows of runs that have not vanished.

    But for the list of damage: who looks twice may be told of one stretch in two parts.
    """
    return {
        name: (
            [replace(file, problems=()) for file in run.files],
            {tag: (series.steps.tolist(), series.wall_times.tolist()) for tag, series in run.series.items()},
        )
        for name, run in loader.state.snapshot.runs.items()
        if not run.vanished
    }


TestHistory = History.TestCase
TestHistory.settings = settings(max_examples=40, stateful_step_count=15, deadline=None, derandomize=True)
