"""Test reading images from real files and the limits of their cache."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tbtui.events.schema import get_message_class
from tbtui.loading.payloads import Payloads
from tbtui.plugins.images.decode import ImageError
from tbtui.plugins.images.read import ImageReader
from tbtui.plugins.sample_cards import PICTURES, count_newest_samples
from tbtui.store.snapshot import ReferenceSeries
from tests.helpers.image_logs import RED, ImageLogs, encoded, plain

if TYPE_CHECKING:
    from pathlib import Path

    from tbtui.store.snapshot import RunSnapshot


def held(logs: ImageLogs, run: str = "a", tag: str = "x") -> tuple[RunSnapshot, ReferenceSeries]:
    snapshot = logs.load().runs[run]
    series = snapshot.series[tag]
    assert isinstance(series, ReferenceSeries)
    return snapshot, series


class CountedPayloads(Payloads):
    """Return a counter of file reads."""

    reads = 0

    def read(self, *arguments):  # type: ignore[no-untyped-def]
        self.reads += 1
        return super().read(*arguments)


def test_image_reader_reads_and_caches_one_step(tmp_path: Path) -> None:
    logs = ImageLogs(tmp_path / "logs")
    logs.add("a", {"x": {0: b"zero", 5: [b"one", b"two"]}})
    run, series = held(logs)
    payloads = CountedPayloads()
    reader = ImageReader(payloads)
    assert reader.read(run, series, 1).encoded == (b"one", b"two")
    assert reader.read(run, series, 0).encoded == (b"zero",)
    assert reader.read(run, series, 1) is reader.read(run, series, 1)
    assert payloads.reads == 2
    assert count_newest_samples(PICTURES, run, [series, series]) == [2, 2]


def test_image_reader_counts_old_images_without_reading(tmp_path: Path) -> None:
    logs = ImageLogs(tmp_path / "logs")
    value = get_message_class("SummaryValue")(tag="x")
    value.image.encoded_image_string = encoded(plain(RED))
    logs.add("a", {"x": {0: value}})
    run, series = held(logs)
    logs.path("a").unlink()
    assert count_newest_samples(PICTURES, run, [series]) == [1]


def test_image_reader_cache_stays_within_its_bytes(tmp_path: Path) -> None:
    logs = ImageLogs(tmp_path / "logs")
    logs.add("a", {"x": {step: bytes(10_000) for step in range(10)}})
    run, series = held(logs)
    payloads = CountedPayloads()
    reader = ImageReader(payloads, max_bytes=25_000)
    for point in range(10):
        reader.read(run, series, point)
        assert reader.nbytes <= 25_000
    reader.read(run, series, 9)
    assert payloads.reads == 10
    reader.read(run, series, 0)
    assert payloads.reads == 11


def test_image_reader_oversized_image_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sparse file may claim gigabytes without using disk space."""
    logs = ImageLogs(tmp_path / "logs")
    logs.add("a", {"x": {0: b"x" * 2_000, 1: b"one"}})
    run, series = held(logs)
    monkeypatch.setattr("tbtui.plugins.images.read.MAX_SHOWN_BYTES", 1_000)
    payloads = CountedPayloads()
    with pytest.raises(ImageError, match=r"it has 2,0\d\d bytes, too many to show"):
        ImageReader(payloads).read(run, series, 0)
    assert payloads.reads == 0
    assert ImageReader(payloads).read(run, series, 1).encoded == (b"one",)


def test_image_reader_damaged_image_is_refused_once_and_others_stay(tmp_path: Path) -> None:
    logs = ImageLogs(tmp_path / "logs")
    logs.add("a", {"x": {0: b"zero" * 100, 1: b"one" * 100}})
    run, series = held(logs)
    path = logs.path("a")
    content = bytearray(path.read_bytes())
    content[int(series.offsets[0]) + 200] ^= 0xFF
    path.write_bytes(content)
    payloads = CountedPayloads()
    reader = ImageReader(payloads)
    for _ in range(2):
        with pytest.raises(ImageError, match="do not match their checksum"):
            reader.read(run, series, 0)
    assert reader.read(run, series, 1).encoded == (b"one" * 100,)
    assert payloads.reads == 2


def test_image_reader_missing_file_is_retried(tmp_path: Path) -> None:
    logs = ImageLogs(tmp_path / "logs")
    logs.add("a", {"x": {0: plain(RED)}})
    run, series = held(logs)
    away = logs.path("a").rename(tmp_path / "away")
    reader = ImageReader(Payloads())
    with pytest.raises(ImageError, match="the file is gone"):
        reader.read(run, series, 0)
    assert count_newest_samples(PICTURES, run, [series]) == [None]
    away.rename(logs.path("a"))
    assert len(reader.read(run, series, 0).encoded) == 1
