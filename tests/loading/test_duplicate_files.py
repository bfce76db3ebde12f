from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tbtui.loading.duplicate_files import MAX_PIECES, PIECE_BYTES, CopyDetector, has_temporary_name, is_companion
from tbtui.loading.lazy_runs import LazyRuns
from tbtui.loading.loader import Loader
from tbtui.loading.sources import parse_sources
from tests.helpers.log_directory import FILE, START, LogDirectory, steps_of

if TYPE_CHECKING:
    from pathlib import Path

    from tbtui.loading.state import LoadState


def set_aside(state: LoadState, run: str = "run") -> dict[str, str]:
    return {file.path.rpartition("/")[2]: file.reason for file in state.snapshot.runs[run].set_aside}


def copy_of_first(path: Path, name: str, count: int) -> Path:
    target = path.with_name(name)
    target.write_bytes(path.read_bytes()[:count])
    return target


@pytest.mark.parametrize(
    "name",
    [
        *(f"{FILE}.bak", f"{FILE}~", f"{FILE} (1)", f"{FILE} (conflicted copy 2023-11-14)", f".{FILE}.Ab12Cd"),
        *(f".syncthing.{FILE}.tmp", f"{FILE}.partial", f"old_{FILE}", f"Copy of {FILE}"),
        "events.out.tfevents.1.sync-conflict-20231114-120000-ABCDEFG.host",
    ],
)
@pytest.mark.parametrize("share", [0.3, 0.97, 1.0])
def test_a_copy_of_the_beginning_is_set_aside(tmp_path: Path, name: str, share: float) -> None:
    logs = LogDirectory(tmp_path)
    path = logs.log("run", range(50))
    copy = copy_of_first(path, name, int(path.stat().st_size * share))
    state = Loader(parse_sources([str(tmp_path)])).load_all()
    assert steps_of(state) == [*range(50)]
    beginning = "" if share == 1.0 else "the beginning of "
    assert set_aside(state) == {copy.name: f"the same bytes as {beginning}{FILE}"}
    assert [file.path for file in state.snapshot.runs["run"].files] == [str(path)]
    assert state.problems == ()


def test_the_longest_file_is_read_even_if_its_name_is_temporary(tmp_path: Path) -> None:
    logs = LogDirectory(tmp_path)
    path = logs.log("run", range(45))
    content = path.read_bytes()
    path.with_name(f".{FILE}.Ab12Cd").write_bytes(content)
    path.write_bytes(content[:1298])
    state = Loader(parse_sources([str(tmp_path)])).load_all()
    assert steps_of(state) == [*range(45)]
    assert set_aside(state) == {FILE: f"the same bytes as the beginning of .{FILE}.Ab12Cd"}


def test_a_companion_file_of_macos_is_neither_read_nor_damage(tmp_path: Path) -> None:
    logs = LogDirectory(tmp_path)
    path = logs.log("run", range(5))
    companion = path.with_name(f"._{FILE}")
    companion.write_bytes(b"\x00\x05\x16\x07" + bytes(4092))
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / f"._{FILE}").write_bytes(companion.read_bytes())
    state = Loader(parse_sources([str(tmp_path)])).load_all()
    assert [*state.snapshot.runs] == ["run"]
    assert set_aside(state) == {companion.name: "a companion file of macOS, which holds no events"}
    assert state.problems == ()


def test_an_empty_temporary_file_is_set_aside_but_not_an_empty_event_file(tmp_path: Path) -> None:
    logs = LogDirectory(tmp_path)
    path = logs.log("run", range(5))
    path.with_name(f".syncthing.{FILE}.tmp").touch()
    path.with_name(f"{FILE}.2").touch()
    state = Loader(parse_sources([str(tmp_path)])).load_all()
    assert set_aside(state) == {f".syncthing.{FILE}.tmp": "an empty file with the name of a temporary one"}
    assert [file.state for file in state.snapshot.runs["run"].files] == ["ok", "empty"]


def test_a_transfer_that_reserved_its_size_is_set_aside(tmp_path: Path) -> None:
    logs = LogDirectory(tmp_path)
    path = logs.log("run", range(500))
    content = bytearray(path.read_bytes())
    content[5_000:9_000] = bytes(4_000)
    path.with_name(f".syncthing.{FILE}.tmp").write_bytes(content)
    state = Loader(parse_sources([str(tmp_path)])).load_all()
    assert set_aside(state) == {f".syncthing.{FILE}.tmp": f"an unfinished copy of {FILE}"}
    assert (steps_of(state), state.problems) == ([*range(500)], ())


def test_files_of_two_writers_are_both_read(tmp_path: Path) -> None:
    logs = LogDirectory(tmp_path)
    logs.log("run", range(50))
    logs.log("run", range(50, 60), file=f"{FILE}.2", start=START + 7)
    state = Loader(parse_sources([str(tmp_path)])).load_all()
    assert steps_of(state) == [*range(60)]
    assert set_aside(state) == {}


def test_a_copy_that_grows_differently_becomes_a_file_of_its_own(tmp_path: Path) -> None:
    logs = LogDirectory(tmp_path)
    path = logs.log("run", range(50))
    copy = copy_of_first(path, f"{FILE}.bak", path.stat().st_size)
    loader, runs = Loader(parse_sources([str(tmp_path)])), LazyRuns(parse_sources([str(tmp_path)]), cache=False)
    assert [*set_aside(loader.load_all())] == [copy.name]
    runs.read(["run"])
    logs.log("run", [70], file=copy.name)
    state = loader.load_all()
    assert set_aside(state) == {FILE: f"the same bytes as the beginning of {FILE}.bak"}
    assert steps_of(state) == [*range(50), 70]
    logs.log("run", [80])
    state = loader.load_all()
    assert set_aside(state) == {}
    assert set(steps_of(state)) == {*range(50), 70, 80}
    runs.refresh()
    assert runs._snapshots["run"].set_aside == ()


def test_a_file_under_transfer_never_takes_the_last_step_back(tmp_path: Path) -> None:
    logs = LogDirectory(tmp_path)
    content = logs.log("run", range(1000)).read_bytes()
    path = logs.path("run")
    temporary = path.with_name(f".{FILE}.Ab12Cd")
    path.write_bytes(content[:30_000])
    loader = Loader(parse_sources([str(tmp_path)]))
    before = steps_of(loader.load_all())
    for end in (10_000, 25_000, 30_000):
        temporary.write_bytes(content[:end])
        state = loader.load_all()
        assert steps_of(state) == before
        assert set_aside(state).keys() == {temporary.name}
    temporary.write_bytes(content)
    assert steps_of(loader.load_all()) == [*range(1000)]
    temporary.replace(path)
    state = loader.load_all()
    assert steps_of(state) == [*range(1000)]
    assert set_aside(state) == {}
    assert state.problems == ()


def test_a_damaged_original_does_not_hide_its_backup(tmp_path: Path) -> None:
    logs = LogDirectory(tmp_path)
    path = logs.log("run", range(500))
    copy_of_first(path, f"{FILE}.bak", 20_000)
    with path.open("r+b") as file:
        file.seek(5_000)
        file.write(b"\xaa" * 100)
    state = Loader(parse_sources([str(tmp_path)])).load_all()
    assert set_aside(state) == {}
    assert set(steps_of(state)) == {*range(500)}


def test_copies_are_compared_with_few_reads(tmp_path: Path) -> None:
    head = bytes(range(64))
    first, second = tmp_path / f"{FILE}", tmp_path / f"{FILE}.2"
    first.write_bytes(head)
    second.write_bytes(head)
    for path in (first, second):
        with path.open("r+b") as file:
            file.truncate(100 * MAX_PIECES * PIECE_BYTES)
    division = CopyDetector().divide((str(first), str(second)))
    assert division.read == (str(first),)
    assert [file.path for file in division.set_aside] == [str(second)]


def test_a_single_file_is_not_opened(tmp_path: Path) -> None:
    def refuse(path: str) -> None:
        raise AssertionError(path)

    detector = CopyDetector(refuse)
    assert detector.divide((str(tmp_path / FILE),)).read == (str(tmp_path / FILE),)
    assert not detector.may_change


@pytest.mark.parametrize(
    "name",
    [FILE, "events.out.tfevents.1700000000.my-copybara.123.0", "events.out.tfevents.1.host.v2", "tfevents.conflicts"],
)
def test_ordinary_names_are_not_temporary(name: str) -> None:
    assert not has_temporary_name(f"/logs/run~/{name}")
    assert not is_companion(f"/logs/._run/{name}")
