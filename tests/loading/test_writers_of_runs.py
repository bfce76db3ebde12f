"""Test that every reader of runs sees a run for each writer, and the same however the bytes arrived."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tbtui
from tbtui.cli.main import main
from tbtui.events.schema import get_message_class
from tbtui.events.tensors import make_tensor
from tbtui.events.writer import EventFileWriter
from tbtui.loading.cache.index_folder import IndexFolder, RunIndexes
from tbtui.loading.loader import Loader
from tbtui.loading.sequential_reader import SequentialReader
from tbtui.loading.sources import parse_sources
from tbtui.tfrecord.framing import frame_record
from tests.helpers.log_directory import START, LogDirectory, state_contents

if TYPE_CHECKING:
    from pathlib import Path

    from tbtui.loading.state import LoadState
    from tbtui.store.snapshot import Metadata, RunSnapshot

RANKS = tuple(f"events.out.tfevents.1790000000.rank{rank}" for rank in (0, 1))
NAMES = ["ddp [rank0]", "ddp [rank1]"]


@pytest.fixture
def ranks(tmp_path: Path) -> LogDirectory:
    logs = LogDirectory(tmp_path / "logs")
    for rank, file in enumerate(RANKS):
        logs.log("ddp", range(20), file=file, start=START + rank / 2)
    logs.log("alone", range(3))
    return logs


def contents_of(run: RunSnapshot) -> list[tuple[object, ...]]:
    return [(tag, series.run, series.steps.tolist(), series.wall_times.tolist()) for tag, series in run.series.items()]


def test_loader_shows_a_run_for_each_writer(ranks: LogDirectory) -> None:
    runs = Loader(parse_sources([str(ranks.root)]), reload_seconds=0).load_all().snapshot.runs
    assert sorted(runs) == ["alone", *NAMES]
    assert all(runs[name].series["loss"].steps.tolist() == list(range(20)) for name in NAMES)


@pytest.mark.parametrize("spill_bytes", [0, 1 << 20])
def test_sequential_reader_yields_a_run_for_each_writer(ranks: LogDirectory, spill_bytes: int) -> None:
    loaded = Loader(parse_sources([str(ranks.root)]), reload_seconds=0).load_all().snapshot.runs
    reader = SequentialReader(parse_sources([str(ranks.root)]), spill_bytes=spill_bytes)
    assert {run.name: contents_of(run) for run in reader.read(bool)} == {
        name: contents_of(run) for name, run in loaded.items()
    }
    for pattern, names in (("rank1", NAMES[1:]), ("ddp", NAMES), ("alone", ["alone"])):
        reader = SequentialReader(parse_sources([str(ranks.root)]), spill_bytes=spill_bytes)
        assert [run.name for run in reader.read(lambda name, part=pattern: part in name)] == names


def test_open_lists_a_run_for_each_writer(ranks: LogDirectory) -> None:
    logs = tbtui.open(ranks.root)
    assert list(logs) == ["alone", *NAMES]
    assert logs[NAMES[1]].scalars("loss").wall_times[0] == START + 0.5
    assert list(tbtui.open(ranks.root, runs="rank1")) == NAMES[1:]
    assert list(tbtui.open(ranks.root, runs="^ddp$")) == NAMES
    assert {run.run for run in logs.scalars(runs="rank0")} == {NAMES[0]}


def test_open_refreshed_splits_a_run_when_a_second_writer_appears(tmp_path: Path) -> None:
    logs = LogDirectory(tmp_path)
    logs.log("ddp", range(20), file=RANKS[0])
    opened = tbtui.open(tmp_path)
    assert len(opened["ddp"].scalars("loss")) == 20
    logs.log("ddp", range(20), file=RANKS[1], start=START + 0.5)
    assert opened.refresh()
    assert list(opened) == NAMES
    assert [len(run.scalars("loss")) for run in opened.values()] == [20, 20]
    assert not opened.refresh()


def test_inspect_lists_a_run_for_each_writer(ranks: LogDirectory, capsys: pytest.CaptureFixture[str]) -> None:
    main(["inspect", str(ranks.root), "--runs", "ddp"])
    shown = capsys.readouterr().out
    assert all(name in shown for name in NAMES)
    assert "superseded" not in shown


pieces = st.lists(st.tuples(st.integers(0, 2), st.integers(1, 400)), max_size=12)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.lists(st.tuples(st.integers(0, 6), st.integers(0, 20), st.integers(0, 1)), max_size=8),
        min_size=3,
        max_size=3,
    ),
    pieces,
)
def test_loader_that_watched_equals_a_new_start(
    tmp_path_factory: pytest.TempPathFactory, files: list[list[tuple[int, int, int]]], pieces: list[tuple[int, int]]
) -> None:
    root = tmp_path_factory.mktemp("watched")
    contents = []
    for number, points in enumerate(files):
        path = root / f"whole{number}"
        with EventFileWriter(str(path), wall_time=START) as writer:
            for step, second, value in points:
                writer.scalar("loss", float(value), step, START + second)
        contents.append(path.read_bytes())
        path.unlink()
    (root / "run").mkdir()
    paths = [root / "run" / f"events.out.tfevents.{number}.host{number}" for number in range(3)]
    watching = Loader(parse_sources([str(root)]), reload_seconds=0)
    for number, size in pieces:
        with paths[number].open("ab") as file:
            file.write(contents[number][:size])
        contents[number] = contents[number][size:]
        watching.load_all()
    for path, rest in zip(paths, contents, strict=True):
        with path.open("ab") as file:
            file.write(rest)
    state = watching.load_all()
    assert state_contents(state) == state_contents(Loader(parse_sources([str(root)]), reload_seconds=0).load_all())


def described(number: int, variant: int) -> Any:
    """Return a value of the tag `a` or `b`: a number, a named number, another number, or a text."""
    value = get_message_class("SummaryValue")(tag="ab"[number])
    if variant == 3:
        value.tensor.CopyFrom(make_tensor(np.array([b"words"], object)))
        value.metadata.plugin_data.plugin_name = "text"
        return value
    value.simple_value = 1.0
    if variant:
        value.metadata.display_name, value.metadata.summary_description = f"name {variant}", f"text {variant}"
    return value


def metadata_of(state: LoadState) -> dict[tuple[str, str], tuple[Metadata, list[int]]]:
    return {
        (name, tag): (series.metadata, series.steps.tolist())
        for name, run in state.snapshot.runs.items()
        for tag, series in run.series.items()
    }


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 3)), max_size=6), min_size=3, max_size=3),
    st.lists(st.tuples(st.integers(0, 2), st.integers(1, 4)), max_size=8),
    st.booleans(),
)
def test_metadata_do_not_depend_on_the_order_of_arrival(
    tmp_path_factory: pytest.TempPathFactory,
    files: list[list[tuple[int, int]]],
    pieces: list[tuple[int, int]],
    is_cached: bool,
) -> None:
    folder = tmp_path_factory.mktemp("watched")
    root = folder / "logs"
    (root / "run").mkdir(parents=True)
    paths = [root / "run" / f"events.out.tfevents.{number}.host{number}" for number in range(3)]
    records = [
        [
            get_message_class("Event")(
                wall_time=START + number * 100 + second,
                step=second + 10 * number,
                summary=get_message_class("Summary")(value=[described(*kind)]),
            ).SerializeToString()
            for second, kind in enumerate(values)
        ]
        for number, values in enumerate(files)
    ]

    def new_loader() -> Loader:
        indexes = RunIndexes(IndexFolder(folder / "cache"), min_bytes=1) if is_cached else None
        return Loader(parse_sources([str(root)]), reload_seconds=0, indexes=indexes)

    watching = new_loader()
    for number, count in [*pieces, *((number, 6) for number in range(3))]:
        with paths[number].open("ab") as file:
            file.write(b"".join(map(frame_record, records[number][:count])))
        del records[number][:count]
        watching = new_loader() if is_cached else watching
        state = watching.load_all()
    assert metadata_of(state) == metadata_of(Loader(parse_sources([str(root)]), reload_seconds=0).load_all())


def test_description_of_an_earlier_file_counts_when_it_arrives_late(tmp_path: Path) -> None:
    paths = [tmp_path / "run" / f"events.out.tfevents.{number}.host" for number in range(2)]
    paths[0].parent.mkdir()
    watching = Loader(parse_sources([str(tmp_path)]), reload_seconds=0)
    paths[0].touch()
    for path, variant in ((paths[1], 2), (paths[0], 1)):
        event = get_message_class("Event")(
            wall_time=START, summary=get_message_class("Summary")(value=[described(0, variant)])
        )
        path.write_bytes(frame_record(event.SerializeToString()))
        metadata = watching.load_all().snapshot.runs["run"].series["a"].metadata
        assert metadata.display_name == f"name {variant}"
