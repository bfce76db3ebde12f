"""Test how a manually stepped loader follows changes of files on disk."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tbtui.events.writer import EventFileWriter
from tbtui.loading.loader import Loader
from tbtui.loading.logdir import VANISHED_SECONDS, LogdirLoader
from tbtui.loading.run import QUIET_SECONDS
from tbtui.loading.sources import parse_sources
from tbtui.store.staging import Store
from tests.helpers.log_directory import FILE, START, Clock, LogDirectory, steps_of
from tests.helpers.observed_reads import observe_reads

if TYPE_CHECKING:
    from collections.abc import Callable


def refresh(loader: Loader) -> bool:
    """Check and read all files; return True if the state changed."""
    before = loader.state
    loader.load_all()
    return loader.state is not before


def state_of(loader: Loader, run: str = "run") -> str:
    return loader.state.snapshot.runs[run].files[0].state


def cut(path: Path, count: int) -> bytes:
    """Remove and return the last bytes of a file."""
    content = path.read_bytes()
    with path.open("r+b") as file:
        file.truncate(len(content) - count)
    return content[-count:]


def test_following_reads_everything(logs: LogDirectory, loader: Loader) -> None:
    logs.log("a", range(10))
    logs.log("b/c", range(5), tag="acc")
    state = loader.load_all()
    assert steps_of(state, "a") == list(range(10))
    assert state.snapshot.runs["b/c"].series["acc"].values.tolist() == [0, 2, 4, 6, 8]
    assert state.complete
    assert state.bytes_read == state.bytes_total == sum(p.stat().st_size for p in logs.root.rglob(FILE))
    (file,) = state.snapshot.runs["a"].files
    assert (file.records, file.writer, file.state, file.problems) == (11, "tbtui", "ok", ())
    assert (file.first_wall_time, file.last_wall_time) == (START, START + 9)


def test_following_empty_directory_is_complete_and_waits(logs: LogDirectory, loader: Loader) -> None:
    assert loader.load_all().complete
    logs.log("run", [1])
    assert refresh(loader)
    assert steps_of(loader.state) == [1]


def test_following_log_directory_itself_may_be_a_run(logs: LogDirectory, loader: Loader) -> None:
    logs.log(".", [1, 2])
    assert steps_of(loader.load_all(), ".") == [1, 2]


def test_following_without_changes_keeps_the_state(logs: LogDirectory, loader: Loader) -> None:
    logs.log("run", [1])
    loader.load_all()
    assert not refresh(loader)
    assert not loader.step()


def test_following_growing_file_is_resumed(logs: LogDirectory, loader: Loader) -> None:
    logs.log("run", range(3))
    logs.log("still", range(3))
    before = loader.load_all()
    logs.log("run", range(3, 6))
    assert refresh(loader)
    assert steps_of(loader.state) == list(range(6))
    assert loader.state.snapshot.runs["still"] is before.snapshot.runs["still"]


@pytest.mark.parametrize("missing", [1, 5, 20])
def test_following_truncated_tail_is_read_when_complete(logs: LogDirectory, loader: Loader, missing: int) -> None:
    path = logs.log("run", range(3))
    rest = cut(path, missing)
    state = loader.load_all()
    assert steps_of(state) == [0, 1]
    assert state_of(loader) == "truncated"
    with path.open("ab") as file:
        file.write(rest)
    assert refresh(loader)
    assert steps_of(loader.state) == [0, 1, 2]
    assert state_of(loader) == "ok"


def test_following_truncated_tail_is_damage_only_in_an_idle_file(logs: LogDirectory, clock: Clock) -> None:
    path = logs.log("run", range(3))
    cut(path, 5)
    os.utime(path, (START, START))
    now = Clock(START + QUIET_SECONDS - 1)
    loader = Loader(parse_sources([str(logs.root)]), clock=clock, now=now)
    assert loader.load_all().problems == ()
    now.advance(2)
    assert refresh(loader)
    (listed,) = loader.state.problems
    assert (listed.run, listed.path, listed.state) == ("run", str(path), "truncated")


def test_following_file_replaced_by_a_longer_copy_is_resumed(logs: LogDirectory, loader: Loader) -> None:
    path = logs.log("run", range(3))
    before = loader.load_all().snapshot.runs["run"].series["loss"].revision
    copy = path.with_name("copy")
    copy.write_bytes(logs.bytes_of(range(6)))
    copy.replace(path)
    assert refresh(loader)
    assert steps_of(loader.state) == list(range(6))
    assert loader.state.snapshot.runs["run"].series["loss"].revision > before


@pytest.mark.parametrize("steps", [range(2), range(100, 103), range(100, 140)], ids=["shorter", "equal", "longer"])
def test_following_file_replaced_by_another_is_read_again(logs: LogDirectory, loader: Loader, steps: range) -> None:
    path = logs.log("run", range(3))
    loader.load_all()
    other = path.with_name("other")
    other.write_bytes(logs.bytes_of(steps, start=START + 50))
    other.replace(path)
    assert refresh(loader)
    assert steps_of(loader.state) == list(steps)


@pytest.mark.parametrize("steps", [range(2), range(100, 103), range(100, 140)], ids=["shorter", "equal", "longer"])
def test_following_file_rewritten_in_place_is_read_again(logs: LogDirectory, loader: Loader, steps: range) -> None:
    path = logs.log("run", range(3))
    os.utime(path, (START, START))
    loader.load_all()
    inode = path.stat().st_ino
    path.write_bytes(logs.bytes_of(steps, start=START + 50))
    assert path.stat().st_ino == inode
    assert refresh(loader)
    assert steps_of(loader.state) == list(steps)


def test_following_file_truncated_to_zero_is_empty(logs: LogDirectory, loader: Loader) -> None:
    path = logs.log("run", range(3))
    loader.load_all()
    path.write_bytes(b"")
    assert refresh(loader)
    assert dict(loader.state.snapshot.runs["run"].series) == {}
    assert state_of(loader) == "empty"


def test_following_old_content_stays_until_the_new_read_completes(
    logs: LogDirectory, loader: Loader, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = logs.log("run", range(3))
    loader.load_all()
    path.write_bytes(logs.bytes_of(range(9_000), start=START + 50))
    monkeypatch.setattr("tbtui.loading.loader._ROUND_BYTES", 1)
    monkeypatch.setattr("tbtui.loading.run.MAX_RUN_BYTES", 0)  # too large to be read whole
    shown = []
    while not shown or loader._logdir.busy:
        clock.advance(1)  # every round may publish
        loader.step()
        shown.append(len(steps_of(loader.state)))
    assert shown[-1] == 9_000
    assert len(shown) > 2
    assert set(shown[:-1]) == {3}


def test_following_deleted_run_is_marked_at_once_and_dropped_later(
    logs: LogDirectory, loader: Loader, clock: Clock
) -> None:
    logs.log("gone", range(3))
    logs.log("stays", range(3))
    loader.load_all()
    shutil.rmtree(logs.root / "gone")
    assert refresh(loader)
    run = loader.state.snapshot.runs["gone"]
    assert run.vanished
    assert len(run.series["loss"]) == 3
    clock.advance(VANISHED_SECONDS / 2)
    assert not refresh(loader)
    clock.advance(VANISHED_SECONDS)
    assert refresh(loader)
    assert list(loader.state.snapshot.runs) == ["stays"]


def test_following_run_without_its_only_file_vanishes(logs: LogDirectory, loader: Loader) -> None:
    path = logs.log("run", range(3))
    loader.load_all()
    path.unlink()
    assert refresh(loader)
    assert loader.state.snapshot.runs["run"].vanished


def test_following_recreated_run_is_read_again(logs: LogDirectory, loader: Loader) -> None:
    logs.log("run", range(3))
    before = loader.load_all().snapshot.runs["run"]
    shutil.rmtree(logs.root / "run")
    refresh(loader)
    logs.log("run", [7, 8])
    assert refresh(loader)
    run = loader.state.snapshot.runs["run"]
    assert not run.vanished
    assert steps_of(loader.state) == [7, 8]
    assert run.revision > before.revision


def test_following_run_recreated_between_checks_is_read_again(logs: LogDirectory, loader: Loader) -> None:
    logs.log("run", range(3))
    loader.load_all()
    shutil.rmtree(logs.root / "run")
    logs.log("run", [7, 8, 9, 10], start=START + 5)
    assert refresh(loader)
    assert steps_of(loader.state) == [7, 8, 9, 10]


def test_following_log_directory_may_vanish_and_return(logs: LogDirectory, loader: Loader) -> None:
    logs.log("run", range(3))
    loader.load_all()
    shutil.rmtree(logs.root)
    refresh(loader)
    assert loader.state.snapshot.runs["run"].vanished
    logs.log("run", range(3))
    refresh(loader)
    assert not loader.state.snapshot.runs["run"].vanished
    assert steps_of(loader.state) == [0, 1, 2]


def test_following_run_deleted_before_its_read_leaves_nothing(
    logs: LogDirectory, loader: Loader, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs.log("run", range(3))
    observe_reads(monkeypatch, lambda path: shutil.rmtree(logs.root / "run", ignore_errors=True))
    loader.load_all()
    refresh(loader)
    assert loader.state.problems == ()
    assert all(run.vanished for run in loader.state.snapshot.runs.values())


def test_following_files_of_a_run_are_one_stream_in_name_order(logs: LogDirectory, loader: Loader) -> None:
    logs.log("run", [4, 5], file="e.tfevents.2")
    logs.log("run", [1, 2, 3], file="e.tfevents.1")
    assert steps_of(loader.load_all()) == [1, 2, 3, 4, 5]


def test_following_restart_keeps_superseded_points(logs: LogDirectory, loader: Loader) -> None:
    logs.log("run", range(10), file="e.tfevents.1")
    loader.load_all()
    logs.log("run", range(6, 12), file="e.tfevents.2", start=START + 100)
    assert refresh(loader)
    series = loader.state.snapshot.runs["run"].series["loss"]
    assert series.steps.tolist() == [*range(10), *range(6, 12)]
    assert series.superseded == 4
    assert series.current.steps.tolist() == list(range(12))


def test_following_two_growing_files_reads_both(logs: LogDirectory, loader: Loader) -> None:
    logs.log("run", [0], tag="a", file="e.tfevents.1")
    logs.log("run", [0], tag="b", file="e.tfevents.2")
    loader.load_all()
    for step in (1, 2):
        logs.log("run", [step], tag="a", file="e.tfevents.1")
        logs.log("run", [step], tag="b", file="e.tfevents.2")
        assert refresh(loader)
    assert steps_of(loader.state, tag="a") == steps_of(loader.state, tag="b") == [0, 1, 2]


def test_following_file_sorted_before_others_is_read_before_them(logs: LogDirectory, loader: Loader) -> None:
    logs.log("run", [4, 5], file="e.tfevents.2")
    loader.load_all()
    logs.log("run", [1, 2, 3], file="e.tfevents.1")
    assert refresh(loader)
    assert steps_of(loader.state) == [1, 2, 3, 4, 5]


def test_following_deleted_file_takes_its_points_along(logs: LogDirectory, loader: Loader) -> None:
    path = logs.log("run", [1, 2], file="e.tfevents.1")
    logs.log("run", [3, 4], file="e.tfevents.2")
    loader.load_all()
    path.unlink()
    refresh(loader)
    assert steps_of(loader.state) == [3, 4]
    assert not loader.state.snapshot.runs["run"].vanished


def test_following_new_run_and_new_tag_appear(logs: LogDirectory, loader: Loader) -> None:
    logs.log("run", [1])
    loader.load_all()
    logs.log("run", [1], tag="acc")
    logs.log("sub/new", [1])
    assert refresh(loader)
    assert list(loader.state.snapshot.runs["run"].series) == ["loss", "acc"]
    assert steps_of(loader.state, "sub/new") == [1]


def test_following_payload_references_name_the_right_file(logs: LogDirectory, loader: Loader) -> None:
    for number, file in enumerate(("e.tfevents.1", "e.tfevents.2")):
        path = logs.log("run", [], file=file)
        with EventFileWriter(str(path)) as writer:
            writer.text("note", f"text {number}", number, START)
    series = loader.load_all().snapshot.runs["run"].series["note"]
    files = loader.state.snapshot.runs["run"].files
    for number in range(2):
        content = Path(files[series.files[number]].path).read_bytes()
        begin = int(series.offsets[number])
        assert f"text {number}".encode() in content[begin : begin + int(series.lengths[number])]


def test_following_damage_is_skipped_and_listed(logs: LogDirectory, loader: Loader) -> None:
    path = logs.log("run", range(10))
    content = bytearray(path.read_bytes())
    second = 16 + int.from_bytes(content[:8], "little")
    content[second : second + 8] = b"\xff" * 8
    path.write_bytes(content)
    state = loader.load_all()
    assert steps_of(state) == list(range(1, 10))
    assert state_of(loader) == "corrupt"
    (listed,) = state.problems
    assert (listed.run, listed.state, listed.problem.kind) == ("run", "corrupt", "length_checksum")


def test_following_foreign_file_is_reported_as_no_event_file(logs: LogDirectory, loader: Loader) -> None:
    path = logs.path("run")
    path.parent.mkdir()
    path.write_text("This is a README about tfevents files.\n" * 10)
    state = loader.load_all()
    assert state_of(loader) == "unreadable"
    assert state.problems[0].problem.message == (
        "cannot be read: it is a text file, which begins with “This is a README about tfevents files.”"
    )


def test_following_empty_file_makes_a_run_and_is_damage_when_idle(logs: LogDirectory, loader: Loader) -> None:
    path = logs.path("run")
    path.parent.mkdir()
    path.touch()
    os.utime(path, (START, START))
    assert loader.load_all().problems == ()
    os.utime(path, (START - 1_000, START - 1_000))
    refresh(loader)
    assert [listed.state for listed in loader.state.problems] == ["empty"]
    assert dict(loader.state.snapshot.runs["run"].series) == {}


def test_following_intentionally_empty_file_is_no_damage(logs: LogDirectory, loader: Loader) -> None:
    path = logs.path("run", "events.out.tfevents.1.profile-empty")
    path.parent.mkdir()
    path.touch()
    os.utime(path, (START - 1_000, START - 1_000))
    assert loader.load_all().problems == ()
    assert state_of(loader) == "empty"


@pytest.mark.parametrize("kind", ["pipe", "lost link"])
def test_following_special_file_is_unreadable_and_does_not_block(logs: LogDirectory, loader: Loader, kind: str) -> None:
    logs.log("good", [1])
    path = logs.path("run")
    path.parent.mkdir()
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("nowhere")
    loader.load_all()
    refresh(loader)
    run = loader.state.snapshot.runs["run"]
    assert run.files[0].state == "unreadable"
    assert run.problem is not None
    assert steps_of(loader.state, "good") == [1]


class Refusal:
    """Tests of files that are temporarily unreadable."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.paths: set[str] = set()
        observe_reads(monkeypatch, self._refuse)

    def _refuse(self, path: str) -> None:
        if path in self.paths:
            raise PermissionError(13, "Permission denied", path)


@pytest.fixture
def refusal(monkeypatch: pytest.MonkeyPatch) -> Refusal:
    return Refusal(monkeypatch)


def test_following_unreadable_run_is_listed_with_the_reason_and_retried(
    logs: LogDirectory, loader: Loader, refusal: Refusal
) -> None:
    path = logs.log("run", range(3))
    refusal.paths.add(str(path))
    state = loader.load_all()
    assert state.complete
    assert state.snapshot.runs["run"].problem == "Permission denied"
    assert state.snapshot.runs["run"].files[0].state == "unreadable"
    assert [listed.problem.message for listed in state.problems] == ["cannot be read: Permission denied"]
    assert not refresh(loader)
    refusal.paths.clear()
    assert refresh(loader)
    assert loader.state.snapshot.runs["run"].problem is None
    assert steps_of(loader.state) == [0, 1, 2]
    assert loader.state.problems == ()


@pytest.mark.parametrize("pattern", ["", "*", "*/*tfevents*"])
def test_following_unsearchable_directory_affects_no_other_run(
    logs: LogDirectory, clock: Clock, monkeypatch: pytest.MonkeyPatch, pattern: str
) -> None:
    """Mode 444 allows listing the file names but no `stat` of the files."""
    closed = logs.log("closed", range(3)).parent
    logs.log("open", range(3))

    def denying(original: Callable[..., os.stat_result]) -> Callable[..., os.stat_result]:
        def refused(path: Any, *given: Any, **named: Any) -> os.stat_result:
            if str(path).startswith(f"{closed}{os.sep}"):
                raise PermissionError(errno.EACCES, "Permission denied", path)
            return original(path, *given, **named)

        return refused

    monkeypatch.setattr(os, "lstat", denying(os.lstat))
    monkeypatch.setattr(os, "stat", denying(os.stat))
    loader = LogdirLoader(
        parse_sources([str(logs.root / pattern)]), store := Store(), clock=clock, now=lambda: START, status_of=os.stat
    )
    for _ in range(2):
        loader.poll_everywhere()
        loader.round(1.0, 1 << 20)
        loader.commit()
        # Inotify reports other writes in the same directory.
        loader.poll_changed([str(closed / "model.ckpt")])
    assert [(len(run.series), run.problem) for run in store.snapshot.runs.values()] == [
        (1, None),
        (0, "Permission denied"),
    ]


def test_following_unreadable_file_keeps_what_was_read(logs: LogDirectory, loader: Loader, refusal: Refusal) -> None:
    path = logs.log("run", range(3))
    loader.load_all()
    refusal.paths.add(str(path))
    logs.log("run", [3])
    assert refresh(loader)
    run = loader.state.snapshot.runs["run"]
    assert (run.problem, run.files[0].state) == (None, "unreadable")
    assert steps_of(loader.state) == [0, 1, 2]
    refusal.paths.clear()
    refresh(loader)
    assert steps_of(loader.state) == [0, 1, 2, 3]


def test_following_file_readable_later_takes_its_place_in_the_stream(
    logs: LogDirectory, loader: Loader, refusal: Refusal
) -> None:
    first = logs.log("run", [1, 2], file="e.tfevents.1")
    logs.log("run", [3, 4], file="e.tfevents.2")
    refusal.paths.add(str(first))
    assert steps_of(loader.load_all()) == [3, 4]
    refusal.paths.clear()
    refresh(loader)
    assert steps_of(loader.state) == [1, 2, 3, 4]


def test_following_unreadable_directory_is_in_the_damage_list(
    logs: LogDirectory, loader: Loader, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs.log("good", [1])
    (logs.root / "secret").mkdir()
    scandir = os.scandir

    def refuse(path: str) -> object:
        if path.endswith("secret"):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(loader._logdir._discovery, "_scandir", refuse)
    state = loader.load_all()
    assert [(listed.run, listed.state) for listed in state.problems] == [("secret", "unreadable")]
    assert list(state.snapshot.runs) == ["good"]
