"""Test the format of index files: written indexes round-trip and other bytes are rejected."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from tbtui.loading.cache import format as form
from tbtui.loading.cache.format import IndexContents, pack, unpack

COLUMN = st.sampled_from([np.int64, np.float64, np.int32, np.uint8]).flatmap(
    lambda dtype: npst.arrays(dtype, st.integers(0, 9))
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda each: st.lists(each, max_size=3) | st.dictionaries(st.text(), each, max_size=3),
    max_leaves=6,
)
KEPT = st.builds(
    IndexContents, st.dictionaries(st.text(), JSON, max_size=3), st.dictionaries(st.text(), COLUMN, max_size=4)
)


def written(kept: IndexContents) -> np.ndarray[Any, Any]:
    return np.frombuffer(b"".join(pack(kept)), np.uint8)


@given(KEPT)
def test_index_form_round_trips(kept: IndexContents) -> None:
    again = unpack(written(kept))
    assert again is not None
    assert again.head == kept.head
    assert list(again.columns) == list(kept.columns)
    for name, column in kept.columns.items():
        assert again.columns[name].dtype == column.dtype
        assert again.columns[name].tobytes() == column.tobytes()


@given(KEPT, st.integers(0), st.integers(1, 255))
def test_index_form_one_changed_byte_is_rejected(kept: IndexContents, at: int, other: int) -> None:
    data = written(kept).copy()
    data[at % len(data)] ^= other
    assert unpack(data) is None


@given(KEPT, st.integers(0))
def test_index_form_truncated_file_is_rejected(kept: IndexContents, at: int) -> None:
    data = written(kept)
    assert unpack(data[: at % len(data)]) is None


@given(KEPT, st.binary(min_size=1, max_size=20))
def test_index_form_extra_bytes_are_rejected(kept: IndexContents, more: bytes) -> None:
    assert unpack(np.concatenate([written(kept), np.frombuffer(more, np.uint8)])) is None


@given(st.binary(max_size=200))
def test_index_form_other_files_are_rejected(data: bytes) -> None:
    assert unpack(np.frombuffer(data, np.uint8)) is None


def test_index_form_undecodable_paths_round_trip() -> None:
    again = unpack(written(IndexContents({"path": "/logs/\udcff"}, {})))
    assert again is not None
    assert again.head == {"path": "/logs/\udcff"}


def test_index_form_other_version_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    data = written(IndexContents({}, {}))
    monkeypatch.setattr(form, "VERSION", form.VERSION + 1)
    assert unpack(data) is None


@pytest.mark.parametrize(
    "document",
    [
        {},
        [],
        {"head": {}},
        {"head": {}, "columns": 5},
        {"head": {}, "columns": [["a", "<i8"]]},
        {"head": {}, "columns": [["a", "<i8", -1]]},
        {"head": {}, "columns": [["a", "<i8", 2]]},
        {"head": {}, "columns": [["a", "<i8", 10**30]]},
        {"head": {}, "columns": [["a", "|O", 1]]},
        {"head": {}, "columns": [["a", "<i8", 1.0]]},
        {"head": {}, "columns": [[["a"], "<i8", 1]]},
        {"head": {}, "columns": []},
    ],
)
def test_index_form_valid_checksum_alone_is_not_accepted(document: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json, "dumps", lambda *_, **__: json.encoder.JSONEncoder().encode(document))
    assert unpack(written(IndexContents({}, {"a": np.zeros(1, np.int64)}))) is None
