"""After any history of file operations, a following loader shows the same state as a new loader.

So does a loader that starts from a saved index.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tbtui.loading.cache.index_folder import IndexFolder, RunIndexes
from tbtui.loading.loader import Loader
from tbtui.loading.logdir import VANISHED_SECONDS
from tbtui.loading.sources import parse_sources
from tests.helpers.log_directory import FILE, START, Clock, LogDirectory
from tests.helpers.observed_reads import observe_reads
from tests.helpers.property_examples import examples

RUNS = st.sampled_from(["a", "b", "b/deep", "."])
FILES = st.sampled_from([FILE, FILE, "events.out.tfevents.0.host", "events.out.tfevents.2.host"])
WORLDS = st.sampled_from(["a file a run", "no wrong payloads"])
"""Two sets of operations, because wrong payloads and several files per run are not compared together.

A wrong payload is shown if its tag is known and has not reached its step. With several files per run both depend on the
order of reading, and a following loader reads files in the order in which they appear.
"""

STEPS = st.lists(st.integers(0, 50), min_size=1, max_size=5)


class History(RuleBasedStateMachine):
    """State machine of writes, copies and deletions with a check of all files after each step."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.logs = LogDirectory(self.folder / "logs")
        self.clock = Clock()
        self.sources = parse_sources([str(self.logs.root)])
        self.ahead = 0.0
        """Seconds by which the wall clock has advanced."""

        self.locked: set[str] = set()
        """Files that are unreadable at the moment."""

        self.patches = pytest.MonkeyPatch()
        observe_reads(self.patches, self.refuse_locked)
        self.world = ""
        self.loader = self.new_loader()
        self.starts = count(int(START), 1_000)
        self.damaged: dict[Path, int] = {}

    def refuse_locked(self, path: str) -> None:
        """Raise an error for a file that is unreadable at the moment."""
        if path in self.locked:
            raise PermissionError(13, "Permission denied", path)

    @initialize(world=WORLDS)
    def choose_a_world(self, world: str) -> None:
        self.world = world

    def new_loader(self, indexes: RunIndexes | None = None) -> Loader:
        return Loader(self.sources, clock=self.clock, now=lambda: START + self.ahead, indexes=indexes)

    def teardown(self) -> None:
        self.patches.undo()
        shutil.rmtree(self.folder)

    def written(self, path: Path) -> None:
        """Set a unique mtime: two of these writes may fall into one tick of the file system's clock."""
        seconds = next(self.starts)
        os.utime(path, (seconds, seconds))

    @rule(run=RUNS, steps=STEPS, file=FILES)
    def append(self, run: str, steps: list[int], file: str) -> None:
        file = FILE if self.world == "a file a run" else file
        self.written(self.logs.log(run, steps, file=file, start=next(self.starts)))

    @rule(run=RUNS, steps=STEPS, rest=st.integers(1, 60))
    def append_in_two_parts(self, run: str, steps: list[int], rest: int) -> None:
        """Append part of a record, check, then append the rest."""
        path = self.logs.log(run, steps, start=next(self.starts))
        whole = path.read_bytes()
        self.cut(path, rest)
        self.loader.load_all()
        path.write_bytes(whole)
        self.written(path)

    @rule(run=RUNS, steps=STEPS, missing=st.integers(1, 60))
    def append_and_cut(self, run: str, steps: list[int], missing: int) -> None:
        self.cut(self.logs.log(run, steps, start=next(self.starts)), missing)

    @rule(run=RUNS, steps=STEPS, missing=st.integers(1, 60), again=st.integers(1, 60))
    def append_where_a_torn_end_was_cut_off(self, run: str, steps: list[int], missing: int, again: int) -> None:
        """Kill a writer within a record; the next writer truncates the partial record first."""
        path = self.logs.log(run, steps, start=next(self.starts))
        self.damaged.pop(path, None)
        self.cut(path, missing)
        self.loader.load_all()
        self.cut(path, again)
        self.written(self.logs.log(run, steps, start=next(self.starts)))

    def cut(self, path: Path, missing: int) -> None:
        """Truncate a file."""
        os.truncate(path, max(0, path.stat().st_size - missing))
        self.written(path)

    @precondition(lambda self: self.world == "a file a run")
    @rule(run=RUNS, steps=STEPS, at=st.floats(0, 1), byte=st.integers(0, 255))
    def append_damaged(self, run: str, steps: list[int], at: float, byte: int) -> None:
        """Damage unread bytes only: the loader reads no byte twice and would not detect damage in read ones."""
        before = self.logs.path(run).stat().st_size if self.logs.path(run).exists() else 0
        path = self.logs.log(run, steps, start=next(self.starts))
        content = bytearray(path.read_bytes())
        content[before + int(at * (len(content) - before - 1))] = byte
        path.write_bytes(content)
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

    @rule(run=st.sampled_from(["a", "b"]), name=st.sampled_from(["a", "b", "moved", "moved/deep"]))
    def move_directory(self, run: str, name: str) -> None:
        there, target = self.logs.root / run, self.logs.root / name
        if there.exists() and not target.exists():
            target.parent.mkdir(exist_ok=True)
            there.rename(target)
            self.damaged = {
                target / path.relative_to(there) if path.is_relative_to(there) else path: place
                for path, place in self.damaged.items()
            }

    @rule(name=st.sampled_from(["a", "empty/deep"]))
    def make_directory(self, name: str) -> None:
        (self.logs.root / name).mkdir(parents=True, exist_ok=True)

    @rule(run=RUNS)
    def lock(self, run: str) -> None:
        self.locked.add(str(self.logs.path(run)))

    @rule()
    def unlock(self) -> None:
        self.locked.clear()

    @rule(seconds=st.sampled_from([-1e6, -3600.0, 3600.0, 1e9]))
    def set_the_wall_clock(self, seconds: float) -> None:
        self.ahead += seconds

    @rule()
    def check(self) -> None:
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
        if self.locked:  # points read before the file became unreadable stay visible
            assert unreadable(self.loader) <= unreadable(fresh) <= self.locked
            return
        assert content(self.loader) == content(fresh)
        assert damaged(self.loader) == damaged(fresh)
        resumed = self.new_loader(RunIndexes(IndexFolder(self.folder / "cache"), min_bytes=1))
        resumed.load_all()
        assert content(resumed) == content(fresh)
        assert damaged(resumed) == damaged(fresh)


def damaged(loader: Loader) -> set[str]:
    """Return the files that the damage list names."""
    return {problem.path for problem in loader.state.problems}


def unreadable(loader: Loader) -> set[str]:
    """Return the files that the damage list reports as unreadable."""
    return {problem.path for problem in loader.state.problems if problem.state == "unreadable"}


def content(loader: Loader) -> dict[str, Any]:
    """Return everything that a loader shows of runs that still exist.

    The damage list is excluded: two checks may report one damaged range in two parts. So is the order of the points of
    a run with several files: it is the order of arrival.
    """
    shown: dict[str, Any] = {}
    for name, run in loader.state.snapshot.runs.items():
        points = {
            tag: list(zip(series.steps.tolist(), series.wall_times.tolist(), strict=True))
            for tag, series in run.series.items()
        }
        if len(run.files) > 1:
            points = {tag: sorted(some) for tag, some in points.items()}
        if not run.vanished:
            shown[name] = [replace(file, problems=()) for file in run.files], points
    return shown


TestHistory = History.TestCase
TestHistory.settings = settings(max_examples=examples(40), stateful_step_count=15, deadline=None, derandomize=True)
