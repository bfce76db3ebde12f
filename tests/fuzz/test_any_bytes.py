"""Mutate real inputs, and run the checks of `fuzz_checks` on them; `fuzz_events.py` searches for longer."""

from __future__ import annotations

import json
import struct
from functools import cache
from typing import TYPE_CHECKING

import pytest
from fuzz_checks import _KINDS, check_events, check_records, check_values
from fuzz_seeds import seeds
from hypothesis import given, settings
from hypothesis import strategies as st

from tbtui.events.schema import get_message_class
from tbtui.plugins import registry
from tbtui.tfrecord.reader_state import ReaderState
from tests.helpers.property_examples import examples

if TYPE_CHECKING:
    from collections.abc import Sequence

few = settings(deadline=None, max_examples=examples(30))
several = settings(deadline=None, max_examples=examples(60))

changes = st.lists(st.tuples(st.integers(0, 2**16), st.integers(0, 3), st.binary(max_size=4)), max_size=5)
"""Position, number of bytes to remove, and bytes to insert."""


def changed(data: bytes, edits: list[tuple[int, int, bytes]], first: int = 0) -> bytes:
    """Return `data` after these changes, none of them before the byte `first`."""
    for position, count, other in edits:
        at = first + position % max(len(data) - first, 1)
        data = data[:at] + other + data[at + count :]
    return data


@cache
def seeds_of(kind: int) -> Sequence[bytes]:
    return [seed for seed in seeds("values") if seed[0] == kind][:100]


@few
@given(st.integers(0, 100), changes)
def test_read_mutated_file_reports_and_loses_nothing_else(number: int, edits: list[tuple[int, int, bytes]]) -> None:
    files = seeds_in_turn("records")
    check_records(changed(files[number % len(files)], edits, first=2))


@few
@given(st.integers(0, 100), changes)
def test_templates_mutated_events_equal_protobuf(number: int, edits: list[tuple[int, int, bytes]]) -> None:
    chains = seeds_in_turn("events")
    check_events(changed(chains[number % len(chains)], edits))


@cache
def seeds_in_turn(name: str) -> Sequence[bytes]:
    return list(seeds(name))


@few
@given(
    st.lists(
        st.tuples(st.sampled_from([0, 100, 9_999, 10_000, 10_001, 30_000]), st.floats(width=32)), min_size=1, max_size=3
    ),
    st.integers(0, 63),
    st.integers(0, 255),
)
def test_read_tags_of_any_length_are_equal(values: list[tuple[int, float]], count: int, position: int) -> None:
    event = get_message_class("Event")(wall_time=1.5e9, step=3)
    for number, (length, value) in enumerate(values):
        event.summary.value.add(tag="é" * (length // 2) + f"{number}", simple_value=value)
    payload = event.SerializeToString()
    check_events(struct.pack("<BBH", count, position, min(len(payload), 65535)) + payload[:65535])


tensors = st.fixed_dictionaries(
    {
        "dtype": st.sampled_from([0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 14, 18, 19, 22, 23, 25, 101, 107, 999]),
        "dims": st.none() | st.lists(st.sampled_from([-1, 0, 1, 2, 3, 6, 7, 1000, 2**40]), max_size=4),
        "tensor_content": st.sampled_from([b"", b"\0" * 8, bytes(range(48))]) | st.binary(max_size=24),
        "float_val": st.lists(st.floats(width=32), max_size=6),
        "double_val": st.lists(st.floats(), max_size=18),
        "int_val": st.lists(st.integers(-(2**31), 2**31 - 1), max_size=2),
        "string_val": st.lists(st.binary(max_size=6) | st.sampled_from([b"2", b"RIFF", b"\x89PNG"]), max_size=5),
        "half_val": st.lists(st.integers(0, 65535), max_size=2),
        "bool_val": st.lists(st.booleans(), max_size=2),
        "dcomplex_val": st.lists(st.floats(), max_size=4),
    }
)
buckets = st.lists(st.floats(), max_size=6)
histograms = st.fixed_dictionaries(
    {name: st.floats() for name in ("min", "max", "num", "sum", "sum_squares")}
    | {"bucket_limit": buckets, "bucket": buckets}
)
PLUGINS = (*sorted(frozenset().union(*(plugin.reads for plugin in registry.PLUGINS))), "", "é")


@settings(deadline=None, max_examples=examples(120))
@given(st.sampled_from(PLUGINS), st.none() | tensors, st.none() | histograms, st.binary(max_size=8), changes)
def test_plugins_any_value_is_read_or_refused(
    plugin: str,
    tensor: dict[str, object] | None,
    histogram: dict[str, object] | None,
    content: bytes,
    edits: list[tuple[int, int, bytes]],
) -> None:
    value = get_message_class("SummaryValue")(tag="tag")
    value.metadata.plugin_data.plugin_name, value.metadata.plugin_data.content = plugin, content
    if histogram is not None:
        value.histo.MergeFrom(get_message_class("HistogramProto")(**histogram))
    elif tensor is not None:
        dims = tensor["dims"]
        value.tensor.MergeFrom(
            get_message_class("TensorProto")(**{name: field for name, field in tensor.items() if name != "dims"})
        )
        if dims is not None:
            value.tensor.tensor_shape.SetInParent()
            for size in dims:  # type: ignore[attr-defined]
                value.tensor.tensor_shape.dim.add(size=size)
    check_values(b"\0" + value.SerializeToString())
    check_values(b"\0" + changed(value.SerializeToString(), edits))


@pytest.mark.parametrize("kind", range(len(_KINDS)), ids=[check.__name__.removeprefix("_check_") for check in _KINDS])
@several
@given(number=st.integers(0, 100), edits=changes)
def test_plugins_mutated_payloads_are_shown_or_refused(
    kind: int, number: int, edits: list[tuple[int, int, bytes]]
) -> None:
    kind_seeds = seeds_of(kind)
    check_values(changed(kind_seeds[number % len(kind_seeds)], edits, first=1))


documents = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 2**64) | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=8) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=12,
)


@several
@given(documents, st.lists(st.tuples(st.integers(0, 6), documents), max_size=2))
def test_reader_state_from_any_document_is_valid_or_refused(document: object, others: list[tuple[int, object]]) -> None:
    changed_state = ReaderState(100, uncertain=(1, 2), skipped=((3, 4),), damaged=((5, b"\0"),)).to_json()
    for index, other in others:
        changed_state[index] = other
    for saved in (changed_state, document):
        try:
            state = ReaderState.from_json(saved)
        except (ValueError, TypeError):
            continue
        assert ReaderState.from_json(json.loads(json.dumps(state.to_json()))) == state
