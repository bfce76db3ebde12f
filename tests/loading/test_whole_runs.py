"""Compare runs that are read whole, many at once, with the same runs read piece by piece."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tbtui.events.decoder import ProtobufDecoder
from tbtui.events.writer import EventFileWriter
from tbtui.loading.loader import Loader
from tbtui.loading.run import RunLoader
from tbtui.loading.sources import parse_sources
from tbtui.maths.x_values import DATES, build_run_clock
from tbtui.store.run_series import RunSeries, collect_wall_times, get_plain_table
from tbtui.tfrecord.framing import frame_record
from tests.damage.damages import damages, records_of
from tests.helpers.corpora import CORPORA
from tests.helpers.event_bytes import double, event, field, image, metadata, simple, tensor, tensor_value
from tests.helpers.log_directory import START, LogDirectory, state_contents, steps_of
from tests.helpers.property_examples import examples

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tbtui.store.scalar_table import ScalarTable


def load(root: Path, *, whole: bool) -> Loader:
    loader = Loader(parse_sources([str(root)]), reload_seconds=0, now=lambda: START)
    with pytest.MonkeyPatch.context() as patched:
        if not whole:
            patched.setattr(RunLoader, "can_read_whole", lambda run: False)
        loader.load_all()
    return loader


def whole_runs(loader: Loader) -> list[str]:
    return [name for name, run in loader.state.snapshot.runs.items() if isinstance(run.series, RunSeries)]


def reader_states(loader: Loader) -> Any:
    """Return everything from which the readers of all runs continue."""
    readers = {name: run._reader for name, run in loader._logdir._runs.items()}
    return {
        name: (
            [file._reader.state for file in reader.files],
            [(file.pending, file.caught_up, file.gone) for file in reader.files],
            reader._decoder.tags.infos,
            reader._decoder.verified_files,
        )
        for name, reader in readers.items()
    }


def assert_equal(root: Path) -> Loader:
    whole, pieces = load(root, whole=True), load(root, whole=False)
    assert state_contents(whole.state) == state_contents(pieces.state)
    assert reader_states(whole) == reader_states(pieces)
    parts = [
        {
            (name, tag): None if series.file_parts is None else [each.tolist() for each in file_fields(series)]
            for name, run in loader.state.snapshot.runs.items()
            for tag, series in run.series.items()
        }
        for loader in (whole, pieces)
    ]
    assert parts[0] == parts[1]
    assert [run.last_step for run in whole.state.snapshot.runs.values()] == [
        run.last_step for run in pieces.state.snapshot.runs.values()
    ]
    for run in whole.state.snapshot.runs.values():
        if isinstance(run.series, RunSeries):
            assert_order_is_known(run.series.table)
    return whole


def assert_order_is_known(table: ScalarTable) -> None:
    """Compare what the decoder says about the order of points with the points."""
    unknown = replace(table, has_ascending=(False, False, False))
    for name in ("is_in_order", "is_ascending", "has_order", "has_ascending_times", "has_finite_ascending_times"):
        assert np.array_equal(getattr(table, name), getattr(unknown, name)), name


def file_fields(series: Any) -> Sequence[np.ndarray[Any, Any]]:
    return series.file_parts.starts, series.file_parts.files


def put(root: Path, run: str, *payloads: bytes, file: str = "events.out.tfevents.1") -> None:
    path = root / run / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(map(frame_record, payloads)))


@pytest.mark.parametrize("corpus", CORPORA, ids=lambda path: path.name)
def test_whole_runs_of_real_writers_equal_pieces(corpus: Path) -> None:
    assert len(whole_runs(assert_equal(corpus))) > 5


def test_whole_runs_damaged_files_are_read_in_pieces(tmp_path: Path) -> None:
    good = LogDirectory(tmp_path / "good").log("run", range(40)).read_bytes()
    cases = list(damages(good, records_of(good), good, 3, "whole"))
    for number, case in enumerate(cases):
        for copy in ("", "2"):  # beside an intact file of the same run
            path = tmp_path / "logs" / f"{number}-{copy}" / "events.out.tfevents.2"
            path.parent.mkdir(parents=True)
            path.write_bytes(case.content(good))
        (path.parent / "events.out.tfevents.1").write_bytes(good[:-40])
    assert_equal(tmp_path / "logs")


@pytest.mark.parametrize("like_pytorch", [False, True])
def test_whole_runs_of_own_writer_are_read_whole(tmp_path: Path, like_pytorch: bool) -> None:
    for run in ("a", "b"):
        (tmp_path / run).mkdir()
        with EventFileWriter(str(tmp_path / run / "events.out.tfevents.1"), like_pytorch=like_pytorch) as writer:
            for step in range(9):
                for tag in ("loss", "acc"):
                    writer.scalar(tag, 0.5 * step, step, 1.5e9 + step)
                    writer.scalar("one", 1.0, step, 1.5e9 + step)
    assert whole_runs(assert_equal(tmp_path)) == ["a", "b"]


@pytest.mark.parametrize(("runs", "tags", "steps"), [(1, 2, 200), (7, 1, 100), (20, 30, 3)])
def test_whole_runs_with_metadata_at_first_are_not_decoded_singly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, runs: int, tags: int, steps: int
) -> None:
    for run in range(runs):
        (tmp_path / f"run{run}").mkdir()
        with EventFileWriter(str(tmp_path / f"run{run}" / "events.out.tfevents.1"), wall_time=START) as writer:
            for number in range(tags * steps):
                writer.scalar(f"tag{number % tags}", number / 7 + run, number // tags, START + number)
    parsed: list[int] = []
    original = ProtobufDecoder.parse

    def parse(self: ProtobufDecoder, row: int) -> Any:
        parsed.append(row)
        return original(self, row)

    monkeypatch.setattr(ProtobufDecoder, "parse", parse)
    load(tmp_path, whole=True)
    assert len(parsed) <= runs * tags  # at most the first event of each tag


def test_whole_runs_share_their_tags(tmp_path: Path) -> None:
    for run in ("a", "b"):
        put(tmp_path, run, *(event(simple(tag, step), step=step) for step in range(4) for tag in ("x", "y", "z")))
    loader = assert_equal(tmp_path)
    first, second = (get_plain_table(run.series) for run in loader.state.snapshot.runs.values())
    assert first is not None
    assert second is not None
    assert first.tags is second.tags
    names = [run.series.names for run in loader.state.snapshot.runs.values() if isinstance(run.series, RunSeries)]
    assert names[0] is names[1]


NAMES = ("loss", "a/longer/name of a tag", "ä", "x")
VALUES = st.one_of(
    st.builds(simple, st.sampled_from(NAMES), st.sampled_from([0.5, -1.0, float("nan"), float("inf")])),
    st.builds(
        lambda name, plugin: tensor_value(name, tensor(1, float_val=[2.5]), plugin),
        st.sampled_from(NAMES),
        st.sampled_from([None, "scalars", "text"]),
    ),
    st.builds(lambda name: tensor_value(name, tensor(2, double_val=[1e-300]), "scalars"), st.sampled_from(NAMES)),
    st.builds(lambda name: image(name, b"no image"), st.sampled_from(NAMES)),
    st.builds(lambda: simple("bad", 1.0) + metadata("scalars")),
    st.builds(lambda: field(1, b"\xff\xfe") + field(2, 1.0)),
)
EVENTS = st.one_of(
    st.builds(
        lambda value, step, wall: event(value, step=step, wall_time=wall),
        VALUES,
        st.sampled_from([None, 0, 1, 2, 130, 20_000, -1, 2**40]),
        st.sampled_from([1.5e9, 1.5e9 + 1, 1.4e9, float("nan")]),
    ),
    st.builds(lambda values: event(*values, step=3), st.lists(VALUES, max_size=3)),
    st.just(double(1, 1.5e9) + field(3, b"brain.Event:2")),
    st.just(double(1, 1.5e9) + field(3, b"brain.Event:2") + field(10, field(1, b"writer"))),
    st.sampled_from([b"", b"\x09", bytes(8), b"no event"]),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=examples(40))
@given(st.lists(st.lists(st.lists(EVENTS, max_size=12), min_size=1, max_size=3), min_size=1, max_size=4))
def test_whole_runs_of_any_events_equal_pieces(
    tmp_path_factory: pytest.TempPathFactory, runs: list[list[list[bytes]]]
) -> None:
    root = tmp_path_factory.mktemp("logs")
    for number, files in enumerate(runs):
        for file, payloads in enumerate(files):
            put(root, f"run{number}", *payloads * 3, file=f"events.out.tfevents.{file}")
    assert_equal(root)


KINDS = ("simple", "tensor", "double", "text", "version", "image", "declaration", "session", "end")
NUMBERS = st.sampled_from([0.0, 1.0, -2.5, 1e-300, float("nan"), float("inf")])


def payload_of(kind: str, name: str, step: int | None, number: float, wall_time: float) -> bytes:
    value = {
        "simple": lambda: simple(name, number),
        "tensor": lambda: tensor_value(name, tensor(1, float_val=[number]), "scalars"),
        "double": lambda: tensor_value(name, tensor(2, double_val=[number]), "scalars"),
        "text": lambda: tensor_value(f"{name} text", tensor(7, string_val=[b"%g" % number]), "text"),
        "image": lambda: image(f"{name} image", b"%g" % number),
        "version": lambda: b"",
        "declaration": lambda: field(1, b"declaration") + metadata("hparams", b"the same in all runs"),
        "session": lambda: field(1, name.encode() + b" session") + metadata("hparams", b"number %14.6e" % number),
        "end": lambda: field(1, b"end") + metadata("hparams", b"\x0a\x00"),
    }[kind]()
    if kind == "version":
        return double(1, wall_time) + field(3, b"brain.Event:2") + field(10, field(1, b"writer"))
    return event(value, step=step, wall_time=wall_time)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=examples(60))
@given(
    st.lists(
        st.tuples(st.sampled_from(KINDS), st.sampled_from(NAMES), st.sampled_from([None, 0, 1, 130, 2**40])),
        min_size=1,
        max_size=8,
    ),
    st.lists(st.tuples(NUMBERS, st.sampled_from([0, 1, 3]), st.booleans()), min_size=4, max_size=9),
    st.lists(st.tuples(st.integers(0, 8), st.integers(0, 2000), st.integers(1, 255)), max_size=3),
)
def test_whole_runs_of_files_alike_equal_pieces(
    tmp_path_factory: pytest.TempPathFactory,
    events: list[tuple[str, str, int | None]],
    files: list[tuple[float, int, bool]],
    flips: list[tuple[int, int, int]],
) -> None:
    root = tmp_path_factory.mktemp("logs")
    for number, (value, later, joins) in enumerate(files):
        payloads = [
            payload_of(kind, name, None if step is None else step + later, value, 1.5e9 + 100 * number + place)
            for place, (kind, name, step) in enumerate(events)
        ]
        put(root, f"run{number - joins}", *payloads, file=f"events.out.tfevents.{number}")
    paths = sorted(root.rglob("events*"))
    for number, place, mask in flips:
        path = paths[number % len(paths)]
        content = bytearray(path.read_bytes())
        content[place % len(content)] ^= mask
        path.write_bytes(content)
    assert_equal(root)


def test_whole_runs_sessions_alike_are_decoded_from_a_pattern(tmp_path: Path) -> None:
    for number in range(9):
        kinds = ("version", "declaration", "session", "simple", "end")
        put(tmp_path, f"run{number}", *(payload_of(kind, "loss", 0, number, 1.5e9 + number) for kind in kinds))
    loader = assert_equal(tmp_path)
    runs = loader.state.snapshot.runs.values()
    assert [float(run.series["loss session"].metadata.content[7:]) for run in runs] == [*range(9)]
    assert len({id(run.series["declaration"].metadata.content) for run in runs}) < 5
    assert len(loader._logdir._whole_runs._decoder._shapes) < 4


def test_whole_runs_of_files_alike_are_decoded_from_a_template(tmp_path: Path) -> None:
    for number in range(6):
        payloads = [payload_of("version", "", 0, 0.0, 1.5e9 + number)]
        payloads += [payload_of("simple", "loss", step, 0.5 * number + step, 1.5e9 + number) for step in range(5)]
        put(tmp_path, f"run{number}", *payloads)
    loader = assert_equal(tmp_path)
    (templates,) = loader._logdir._whole_runs._decoder._templates._templates.values()
    assert [template.matched for template in templates] == [6]
    assert all(run.files[0].writer == "writer" for run in loader.state.snapshot.runs.values())


@pytest.mark.parametrize("in_turns", [False, True])
def test_whole_runs_of_many_files_share_the_files_of_points(tmp_path: Path, in_turns: bool) -> None:
    for run in ("a", "b", "c"):
        for number in range(12):
            # Files of one size are in succession, or every other one.
            step = 200 if (number % 2 if in_turns else number > 5) else 1
            points = [simple(tag, number + len(run)) for tag in ("x", "y")]
            events = [event(each, step=step, wall_time=1.5e9 + number) for each in points]
            put(tmp_path, run, *events, file=f"events.out.tfevents.{number:02}")
    loader = assert_equal(tmp_path)
    assert whole_runs(loader) == ["a", "b", "c"]
    tables = [get_plain_table(each.series) for each in loader.state.snapshot.runs.values()]
    files = [table.files for table in tables if table is not None]
    assert len(files) == 3
    assert files[0] is files[1] is files[2] is not None


@pytest.mark.parametrize("at", ["value", "wall", "version", "checksum", "tag"])
def test_whole_runs_of_files_alike_wrong_bytes_are_found(tmp_path: Path, at: str) -> None:
    for number in range(6):
        payloads = [payload_of("version", "", 0, 0.0, 1.5e9 + number)]
        payloads += [payload_of("simple", "loss", step, 0.5 * number + step, 1.5e9 + number) for step in range(5)]
        put(tmp_path, f"run{number}", *payloads)
    path = tmp_path / "run4" / "events.out.tfevents.1"
    content = bytearray(path.read_bytes())
    end = content.index(b"loss") + 9
    place = {"value": end - 2, "wall": end - 22, "version": 14, "checksum": end + 1, "tag": end - 8}[at]
    content[place] ^= 0x10
    path.write_bytes(content)
    assert [problem.run for problem in assert_equal(tmp_path).state.problems] == ["run4"]


TIMES = st.lists(st.sampled_from([1.5e9, 1.5e9 + 1, 1.5e9 + 400, 1.5e9 + 9000, 1.6e9, 3.0]), max_size=12)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=examples(60))
@given(st.lists(TIMES, min_size=1, max_size=4), st.booleans())
def test_whole_runs_have_the_clock_of_their_series(
    tmp_path_factory: pytest.TempPathFactory, times_by_tag: list[list[float]], in_order: bool
) -> None:
    root = tmp_path_factory.mktemp("logs")
    payloads = [
        event(simple(f"tag{number}", 1.0), step=step, wall_time=time)
        for number, times in enumerate(times_by_tag)
        for step, time in enumerate(sorted(times) if in_order else times)
    ]
    put(root, "run", double(1, 1.5e9) + field(3, b"brain.Event:2"), *payloads)
    (run,) = load(root, whole=True).state.snapshot.runs.values()
    columns = [series.wall_times for series in run.series.values()]
    for with_pauses in (False, True):
        times = collect_wall_times(run.series, DATES, with_pauses=with_pauses)
        clock = build_run_clock(run.first_wall_time, *times, with_pauses=with_pauses)
        assert clock == build_run_clock(run.first_wall_time, columns, with_pauses=with_pauses)


def test_whole_runs_grow_like_others(logs: LogDirectory) -> None:
    for run in ("a", "b"):
        logs.log(run, range(5))
        logs.log(run, range(3), tag="acc")
    loader = load(logs.root, whole=True)
    before = loader.state.snapshot.runs["a"]
    assert before.series["loss"].steps.tolist() == [0, 1, 2, 3, 4]
    logs.log("a", [5, 6])
    logs.log("a", [1], tag="new")
    state = loader.load_all()
    assert steps_of(state, "a") == [0, 1, 2, 3, 4, 5, 6]
    run = state.snapshot.runs["a"]
    assert list(run.series) == ["loss", "acc", "new"]
    assert run.series["acc"] is before.series["acc"]
    assert before.series["loss"].steps.tolist() == [0, 1, 2, 3, 4]
    assert run.last_step == 6
    assert state_contents(state) == state_contents(load(logs.root, whole=False).state)


def test_whole_runs_in_several_files_grow_in_the_order_of_time(logs: LogDirectory) -> None:
    logs.log("run", range(5), file="events.out.tfevents.1")
    logs.log("run", range(5, 8), file="events.out.tfevents.2", start=START)
    loader = load(logs.root, whole=True)
    logs.log("run", range(8, 10), file="events.out.tfevents.2")
    logs.log("run", [3], tag="acc", file="events.out.tfevents.1")
    assert steps_of(loader.load_all()) == list(range(10))
    assert state_contents(loader.state) == state_contents(load(logs.root, whole=False).state)


def test_whole_runs_file_that_changes_after_the_poll_is_read_in_pieces(
    logs: LogDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = logs.log("run", range(5))
    real = os.stat
    loader = Loader(parse_sources([str(logs.root)]), reload_seconds=0, now=lambda: START)

    def grow_then_read(name: Any, **more: Any) -> os.stat_result:
        status = real(name, **more)
        if str(name) == str(path) and status.st_size == size:
            logs.log("run", [5])
        return status

    size = real(path).st_size
    monkeypatch.setattr(loader._logdir, "_status_of", grow_then_read)
    assert steps_of(loader.load_all()) == [0, 1, 2, 3, 4, 5]
