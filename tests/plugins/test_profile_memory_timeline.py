"""Test memory timelines of PyTorch: both layouts, and what is no memory timeline."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from tbtui.api.errors import PathError
from tbtui.loading.loader import Loader
from tbtui.loading.sources import SourceError, parse_sources
from tbtui.plugins.profile.capture import CaptureError, list_capture_sources, load_capture

if TYPE_CHECKING:
    from pathlib import Path

    from tbtui.plugins.profile.capture import Analysis

RECORDS = [
    [-1, 1, 1000, 0],
    [2_000, 2, 500, 4],
    [3_000, 3, -500, 4],
    [3_000, 3, 500, 5],
    [4_000, 2, 100, 9],
    [5_000, 4, -500, 5],
]
"""Parameters from before the capture, an activation that becomes a gradient, and an unknown category."""


def load(path: Path, data: Any) -> Analysis:
    text = json.dumps(data).encode()
    path.write_bytes(gzip.compress(text) if path.name.endswith(".gz") else text)
    (run,) = Loader(parse_sources([str(path)]), reload_seconds=0).load_all().snapshot.runs.values()
    (source,) = list_capture_sources(run)
    return load_capture(source)


def test_changes_of_a_timeline_are_held_by_category(tmp_path: Path) -> None:
    (memory,) = load(tmp_path / "cuda0.raw.json.gz", RECORDS).memory
    assert (memory.name, memory.peak, memory.peak_time, memory.unknown_at_peak) == ("cuda0", 1600, 2.0, 0)
    held = {row.name: (row.at_peak, row.calls, row.net) for row in memory.rows}
    assert held == {
        "parameters": (1000, 1, 1000),
        "activations": (0, 1, 0),
        "gradients": (500, 1, 0),
        "unknown": (100, 1, 100),
    }


def test_totals_by_category_are_the_same_timeline(tmp_path: Path) -> None:
    times = [1_000, 2_000, 3_000, 4_000, 5_000]
    totals = [
        [0, 1000, 0, 0, 0, 0, 0, 0, 0],
        [0, 1000, 0, 0, 0, 500, 0, 0, 0],
        [0, 1000, 0, 0, 0, 0, 500, 0, 0],
        [0, 1000, 0, 0, 0, 0, 500, 0, 100],
        [0, 1000, 0, 0, 0, 0, 0, 0, 100],
    ]
    (memory,) = load(tmp_path / "memory.json", [times, totals]).memory
    assert (memory.peak, memory.peak_time) == (1600, 3.0)
    assert {row.name: row.at_peak for row in memory.rows if row.at_peak} == {
        "parameters": 1000,
        "gradients": 500,
        "unknown": 100,
    }


@pytest.mark.parametrize("data", [[[1, 2]], [[1, 2, "x", 3]], [["a"], [["b"]]], [[1, 2, 3, 4], 5]])
def test_timeline_of_another_form_is_refused_in_plain_words(tmp_path: Path, data: Any) -> None:
    with pytest.raises(CaptureError, match="memory timeline"):
        load(tmp_path / "memory.json", data)


@pytest.mark.parametrize(("name", "words"), [("snapshot.pickle", "never opened"), ("memory.html", r"\.raw\.json\.gz")])
def test_file_that_holds_no_readable_memory_says_what_does(tmp_path: Path, name: str, words: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"\x80\x04cos\nsystem\n")
    with pytest.raises((SourceError, PathError), match=words):
        parse_sources([str(path)])
