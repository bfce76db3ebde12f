"""What the writer writes, the reader reads."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tbtui.events.decoder import RunDecoder
from tbtui.events.histogram import HistogramError, read_histogram
from tbtui.events.schema import get_message_class
from tbtui.events.tensors import to_array
from tbtui.events.values import read_stored_value, read_value
from tbtui.events.writer import EventFileWriter
from tbtui.tfrecord.reader import RecordReader

if TYPE_CHECKING:
    from pathlib import Path

    from tbtui.events.block import EventBlock


def read(path: Path) -> EventBlock:
    block = RecordReader(str(path)).read()
    assert all(block.verify(row) for row in range(len(block)))
    assert block.damage == ()
    return RunDecoder().decode(block)


def values(path: Path, tag: str) -> list[np.ndarray]:
    columns, content = read(path).references[tag], path.read_bytes()
    return [
        to_array(read_value(content[offset : offset + length], index).tensor)
        for offset, length, index in zip(columns.offsets, columns.lengths, columns.indices, strict=True)
    ]


@pytest.mark.parametrize("like_pytorch", [False, True])
def test_writer_scalars(tmp_path: Path, like_pytorch: bool) -> None:
    path = tmp_path / "events.out.tfevents.1"
    with EventFileWriter(str(path), wall_time=1.5, like_pytorch=like_pytorch) as writer:
        for step, value in enumerate([0.5, math.nan, math.inf, 1e300, -2]):
            writer.scalar("loss", value, step, 10 + step / 4)
    block = read(path)
    assert (block.file_version, block.writer, block.first_wall_time) == ("brain.Event:2", "tbtui", 1.5)
    assert block.new_tags[0].plugin_name == "scalars"
    columns = block.scalars["loss"]
    np.testing.assert_array_equal(columns.values, [0.5, math.nan, math.inf, math.inf, -2])
    assert columns.steps.tolist() == [0, 1, 2, 3, 4]
    assert columns.wall_times.tolist() == [10, 10.25, 10.5, 10.75, 11]


def test_writer_only_the_first_value_of_a_tag_has_metadata(tmp_path: Path) -> None:
    path = tmp_path / "f"
    with EventFileWriter(str(path)) as writer:
        for step in range(3):
            writer.scalar("a", 1, step, 0)
    block = RecordReader(str(path)).read()
    events = [get_message_class("Event").FromString(block.payload(row)) for row in range(len(block))]
    assert [event.summary.value[0].HasField("metadata") for event in events[1:]] == [True, False, False]


def test_writer_pictures_and_texts(tmp_path: Path) -> None:
    path = tmp_path / "f"
    with EventFileWriter(str(path)) as writer:
        writer.image("picture", b"png", 4, 3, 1, 0)
        writer.text("note", "# héllo", 1, 0)
    assert [info.plugin_name for info in read(path).new_tags] == ["images", "text"]
    assert values(path, "picture")[0].tolist() == [b"4", b"3", b"png"]
    assert values(path, "note")[0].item() == "# héllo".encode()


@pytest.mark.parametrize(
    ("numbers", "total", "first", "last"),
    [
        (np.arange(90.0), 90, [0, 89 / 30, 3], [89 * 29 / 30, 89, 3]),
        (np.full(7, 2.0), 7, [2, 2, 0], [2, 2, 7]),
        (np.array([]), 0, [0, 0, 0], [0, 0, 0]),
        (np.array([np.nan, np.inf, 1.0]), 1, [1, 1, 0], [1, 1, 1]),
    ],
)
def test_writer_histograms(
    tmp_path: Path, numbers: np.ndarray, total: int, first: list[float], last: list[float]
) -> None:
    path = tmp_path / "f"
    with EventFileWriter(str(path)) as writer:
        writer.histogram("weights", numbers, 1, 0)
    (rows,) = values(path, "weights")
    assert rows.shape == (30, 3)
    assert rows[:, 2].sum() == total
    np.testing.assert_allclose(rows[0], first)
    np.testing.assert_allclose(rows[-1], last)


EVENLY = np.arange(61) / 4
"""In each of thirty buckets two values, in the last one three."""


def protos(path: Path) -> list[Any]:
    columns, content = read(path).references["gradients"], path.read_bytes()
    return [
        read_stored_value(content[offset : offset + length], index).histo
        for offset, length, index in zip(columns.offsets, columns.lengths, columns.indices, strict=True)
    ]


def test_writer_histograms_equal_pytorch(tmp_path: Path) -> None:
    path = tmp_path / "f"
    with EventFileWriter(str(path), like_pytorch=True) as writer:
        writer.histogram("gradients", EVENLY.reshape(1, -1), 3, 7.5)
        writer.histogram("gradients", np.full(4, 2.0), 4, 8.5)
    block = read(path)
    assert block.new_tags[0].plugin_name == "histograms"
    assert block.references["gradients"].steps.tolist() == [3, 4]
    assert block.references["gradients"].wall_times.tolist() == [7.5, 8.5]
    first, second = protos(path)
    assert (first.min, first.max, first.num, first.sum, first.sum_squares) == (0, 15, 61, 457.5, 4613.125)
    assert list(first.bucket_limit) == EVENLY[::2].tolist()
    assert list(first.bucket) == [0, *[2] * 29, 3]
    bars, written = read_histogram(get_message_class("SummaryValue")(histo=first))
    assert bars.lefts.tolist() == EVENLY[:-2:2].tolist()
    assert bars.rights.tolist() == EVENLY[2::2].tolist()
    assert bars.counts.tolist() == [*[2] * 29, 3]
    assert (written.count, written.sum, written.squares) == (61, 457.5, 4613.125)
    bars, written = read_histogram(get_message_class("SummaryValue")(histo=second))
    assert (bars.lefts.tolist(), bars.rights.tolist(), bars.counts.tolist()) == ([2], [2], [4])
    assert (written.count, written.sum, written.squares) == (4, 8, 16)


@pytest.mark.parametrize(
    ("numbers", "reason"),
    [([1.0, math.nan, 2.0], "NaN"), ([math.nan], "NaN"), ([1.0, -math.inf, math.inf], "infinite")],
)
def test_writer_pytorch_histogram_includes_non_finite_statistics(
    tmp_path: Path, numbers: list[float], reason: str
) -> None:
    path = tmp_path / "f"
    with EventFileWriter(str(path), like_pytorch=True) as writer:
        writer.histogram("gradients", numbers, 1, 0)
    (written,) = protos(path)
    assert sum(written.bucket) == np.isfinite(numbers).sum()
    with pytest.raises(HistogramError, match=reason):
        read_histogram(get_message_class("SummaryValue")(histo=written))


def test_writer_pytorch_empty_histogram_has_no_buckets(tmp_path: Path) -> None:
    path = tmp_path / "f"
    with EventFileWriter(str(path), like_pytorch=True) as writer:
        writer.histogram("gradients", [], 1, 0)
    bars, written = read_histogram(get_message_class("SummaryValue")(histo=protos(path)[0]))
    assert (len(bars), written.count) == (0, 0)


def test_writer_flush_appends_complete_records(tmp_path: Path) -> None:
    path = tmp_path / "f"
    writer = EventFileWriter(str(path))
    reader = RecordReader(str(path))
    assert path.stat().st_size == 0
    for count in (1, 5, 300):
        for step in range(count):
            writer.scalar("a", 1, step, 0)
        writer.flush()
        reader.read()
        assert reader.offset == path.stat().st_size
    writer.close()


def test_writer_flush_is_one_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writes = []
    write = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: writes.append(len(data)) or write(fd, data))
    with EventFileWriter(str(tmp_path / "f")) as writer:
        for step in range(100):
            writer.scalar("a", 1, step, 0)
    assert writes == [(tmp_path / "f").stat().st_size]


def test_writer_second_writer_appends_to_the_same_file(tmp_path: Path) -> None:
    path = tmp_path / "f"
    for step in range(3):
        with EventFileWriter(str(path)) as writer:
            writer.scalar("a", step, step, 0)
    block = read(path)
    assert block.scalars["a"].values.tolist() == [0, 1, 2]
    assert block.records == 4


def test_writer_closing_twice_is_no_error(tmp_path: Path) -> None:
    writer = EventFileWriter(str(tmp_path / "f"))
    writer.close()
    writer.close()
