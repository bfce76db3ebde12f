"""Executions as columns, of run metadata as TensorFlow writes it and of what is none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.events.schema import get_message_class
from tbtui.plugins.graphs.formats.run_metadata import MAX_VALUE, Executions, read_executions
from tbtui.plugins.graphs.formats.salvage import GraphError
from tbtui.tfrecord.reader import RecordReader
from tests.helpers.step_stats import CPU, GPU, Ran, step_stats

WRITERS = Path(__file__).parents[1] / "corpus" / "writers"


def metadata_in(directory: Path) -> bytes:
    """The run metadata of the only event file that has some."""
    (path,) = directory.glob("*tfevents*")
    block = RecordReader(str(path)).read(1 << 24)
    places = zip(block.starts.tolist(), block.lengths.tolist(), strict=True)
    events = [
        get_message_class("Event").FromString(block.data[start : start + length].tobytes()) for start, length in places
    ]
    (found,) = [each.tagged_run_metadata for each in events if each.HasField("tagged_run_metadata")]
    data: bytes = found.run_metadata
    return data


def test_run_metadata_tensorflow_step_is_read() -> None:
    read = read_executions(metadata_in(WRITERS / "tf" / "v1"))
    assert read.devices == (CPU,)
    assert len(read) == 29
    assert read.notes == ()
    rows = {name: row for row, name in enumerate(read.names)}
    # Nanoseconds since the first one, as they stand in the file.
    since = read.starts - 1_795_194_438_870_668_685
    told = {
        name: (int(since[row]), int(read.durations[row]), int(read.memory[row]), read.shapes[row])
        for name, row in rows.items()
    }
    assert told["_SOURCE"] == (0, 470, 0, ())
    assert told["layer_1/mm"] == (53_349, 21_131, 32, ((2, 4),))
    assert told["Tile"] == (93_699, 6_670, 512, ((8, 16),))
    assert told["sc/tags"] == (18_637, 391, 0, ((),))
    assert read.labels[rows["w"]] == "w = VarHandleOp()"


def test_run_metadata_pytorch_device_without_times_is_named() -> None:
    read = read_executions(metadata_in(WRITERS / "torch" / "run1"))
    assert (read.devices, len(read)) == (("/device:CPU:0",), 0)


def test_run_metadata_older_writers_record_microseconds() -> None:
    made = get_message_class("RunMetadata")()
    node = made.step_stats.dev_stats.add(device=CPU).node_stats.add(node_name="a")
    node.all_start_micros, node.all_end_rel_micros = 1_500_000_000_000_000, 7
    read = read_executions(made.SerializeToString())
    assert (read.starts.tolist(), read.durations.tolist()) == ([1_500_000_000_000_000_000], [7000])


def test_run_metadata_devices_and_threads_are_distinguished() -> None:
    read = read_executions(
        step_stats({CPU: [Ran("a", thread=3), Ran("b")], GPU: [Ran("a", thread=3)]}, {CPU: {3: "worker"}})
    )
    assert read.device.tolist() == [0, 0, 1]
    assert read.threads.tolist() == [3, 0, 3]
    assert read.thread_names == {(0, 3): "worker"}


def test_run_metadata_allocations_are_summed_without_negatives() -> None:
    read = read_executions(step_stats({CPU: [Ran("a", memory=(5, -3, 7)), Ran("b", memory=(-1,))]}))
    assert read.memory.tolist() == [12, 0]
    assert read.notes == ("allocations below zero: 2",)


def test_run_metadata_times_out_of_range_are_clamped_and_reported() -> None:
    read = read_executions(step_stats({CPU: [Ran("a", 2**63 - 1, -5), Ran("b", 10, 2**63 - 1)]}))
    assert read.starts.tolist() == [MAX_VALUE, 10]
    assert read.durations.tolist() == [0, MAX_VALUE]
    assert read.notes == ("times out of bounds: 3",)
    assert (read.starts + read.durations > 0).all()


def test_run_metadata_missing_shapes_are_unknown() -> None:
    made = get_message_class("RunMetadata")()
    node = made.step_stats.dev_stats.add(device=CPU).node_stats.add(node_name="a")
    node.output.add()
    node.output.add().tensor_description.shape.unknown_rank = True
    node.output.add().tensor_description.shape.dim.add(size=-1)
    assert read_executions(made.SerializeToString()).shapes == ((None, None, (-1,)),)


def test_run_metadata_names_may_be_any_bytes() -> None:
    good = step_stats({CPU: [Ran("name")]})
    assert read_executions(good.replace(b"name", b"\xff\xfeme")).names == ("\ufffd\ufffdme",)


@pytest.mark.parametrize("data", [b"\xff", b"\x0a\x05abc", b"{}"])
def test_run_metadata_invalid_is_refused_with_a_message(data: bytes) -> None:
    with pytest.raises(GraphError, match=r"^the run metadata cannot be decoded$"):
        read_executions(data)


def test_run_metadata_truncated_keeps_earlier_executions() -> None:
    """At every cut: the executions that are whole, each as it is without a cut, and how many bytes are not."""
    whole = step_stats({CPU: [Ran(f"a{number}", number, 5, (number,)) for number in range(5)], GPU: [Ran("b" * 30)]})
    expected = read_executions(whole)
    counts = set()
    for cut in range(len(CPU) + 8, len(whole)):
        read = read_executions(whole[:cut])
        assert read.names == expected.names[: len(read)]
        assert read.memory.tolist() == expected.memory[: len(read)].tolist()
        assert read.devices in (expected.devices[:1], expected.devices)
        counts.add(len(read))
        (note,) = read.notes or ("nothing",)
        if note == "nothing":  # the cut is where a device begins
            assert (read.devices, len(read)) == ((CPU,), 5)
        elif note != "the end of the run metadata is missing":  # the cut is where an execution begins
            assert note.endswith(" at the end of the run metadata cannot be read")
    assert counts == {0, 1, 2, 3, 4, 5}


def test_run_metadata_unreadable_executions_are_counted() -> None:
    whole = step_stats({CPU: [Ran("a"), Ran("bad"), Ran("c")], GPU: [Ran("a")]})
    read = read_executions(whole.replace(b"\x0a\x03bad", b"\x0a\x7fbad"))
    assert (read.names, read.devices) == (("a", "c", "a"), (CPU, GPU))
    assert read.notes == ("1 execution that cannot be read is left out",)


def test_run_metadata_unreadable_graphs_keep_the_costs() -> None:
    whole = step_stats({CPU: [Ran("a")]})
    graphs = get_message_class("RunMetadataParts")(partition_graphs=[b"\xff\xff", b"g" * 50]).SerializeToString()
    assert read_executions(whole + graphs).notes == ()
    assert read_executions((whole + graphs)[:-9]).names == ("a",)


def test_run_metadata_without_statistics_has_no_executions() -> None:
    read = read_executions(b"")
    assert (read.devices, len(read), read.notes) == ((), 0, ())


@given(st.binary(max_size=200) | st.integers(0, 400).map(lambda cut: step_stats({CPU: [Ran("a" * 50, 5, 6)]})[:cut]))
def test_run_metadata_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        read = read_executions(data)
    except GraphError:
        return
    assert isinstance(read, Executions)
    columns = (read.device, read.threads, read.starts, read.durations, read.memory, read.labels, read.shapes)
    assert {len(column) for column in columns} == {len(read)}
    assert all(np.all((column >= 0) & (column <= MAX_VALUE)) for column in (read.starts, read.durations, read.memory))
