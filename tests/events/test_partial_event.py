"""Events that are known by their outlines say what protobuf says of all of their bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_templates import assert_same

from tbtui.events.decoder import RunDecoder
from tbtui.events.partial_event import read_partial_event
from tbtui.events.values import is_event
from tbtui.tfrecord.framing import frame_record
from tbtui.tfrecord.reader import RecordReader
from tests.helpers.event_bytes import double, event, field, metadata, simple, varint
from tests.helpers.property_examples import examples

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tbtui.events.block import EventBlock

LONG = b"\x89PNG" * 20_000
MIDDLE = b"bytes" * 1200


def shape(*sizes: int) -> bytes:
    return field(2, b"".join(field(2, field(1, size)) for size in sizes))


def tensor(tag: bytes, *fields: bytes) -> bytes:
    return field(1, tag) + field(8, b"".join(fields))


VALUES: dict[str, Callable[[bytes], bytes]] = {
    "old image": lambda tag: field(1, tag) + field(4, field(1, 9) + field(2, 9) + field(4, LONG)),
    "old image and metadata": lambda tag: field(9, field(2, b"name")) + field(1, tag) + field(4, field(4, LONG)),
    "old sound": lambda tag: field(1, tag) + field(6, field(1, 44100.0) + field(5, LONG)),
    "histogram": lambda tag: field(1, tag) + field(5, double(1, 0.5) + field(6, LONG) + field(7, LONG)),
    "images": lambda tag: (
        tensor(tag, field(1, 7), shape(5), field(8, b"9"), field(8, b"9"), *[field(8, LONG)] * 3)
        + metadata("images", b"\x08\x03")
    ),
    "numbers": lambda tag: tensor(tag, field(1, 1), shape(200, 100), field(4, LONG)) + metadata("histograms"),
    "scalars that are none": lambda tag: (
        tensor(tag, field(1, 1), shape(200, 100), field(5, LONG)) + metadata("scalars")
    ),
    "a single text": lambda tag: tensor(tag, field(1, 7), shape(), field(8, LONG)) + metadata("text"),
    "a text of a scalar tag": lambda tag: tensor(tag, field(1, 7), field(8, LONG)) + metadata("scalars"),
    "middle": lambda tag: tensor(tag, field(1, 7), shape(1), field(8, MIDDLE)) + metadata("text"),
    "simple": lambda tag: field(1, tag) + field(2, 0.5),
    "short tensor": lambda tag: tensor(tag, field(1, 1), field(5, 0.25)) + metadata("scalars"),
    "nothing": lambda tag: field(1, tag),
    "unknown": lambda tag: field(1, tag) + field(60, b"new") + field(2, 0.5),
}
READ: dict[str, Callable[[bytes], bytes]] = {
    "one number with more behind it": lambda tag: (
        tensor(tag, field(1, 1), shape(1), field(4, LONG)) + metadata("scalars")
    ),
    "a type behind a content": lambda tag: tensor(tag, field(8, LONG), field(1, 1)) + metadata("text"),
    "two contents": lambda tag: field(1, tag) + field(4, field(4, LONG)) + field(2, 0.5),
    "two tensors": lambda tag: tensor(tag, field(1, 7), field(8, LONG)) + field(8, field(1, 1)),
    "a long description": lambda tag: field(1, tag) + field(2, 0.5) + field(9, field(3, LONG)),
    "a long tag": lambda tag: field(1, tag * 1000) + field(2, 0.5) + field(4, field(4, LONG)),
    "a long unknown field": lambda tag: field(1, tag) + field(2, 0.5) + field(60, LONG),
    "a group": lambda tag: field(1, tag) + b"\x1b" + LONG + b"\x1c",
    "no wire format": lambda tag: field(1, tag) + b"\x07" + LONG,
    "a length too great": lambda tag: field(1, tag) + varint(4 << 3 | 2) + varint(len(LONG) + 1) + LONG,
}
SHORT = event(simple("between", 1.0))


def decoded(path: Path, *, by_outlines: bool) -> tuple[list[EventBlock], int]:
    """What a file says, and how many of its records were told by their outlines."""
    reader, decoder = RecordReader(str(path), read_partial=read_partial_event if by_outlines else None), RunDecoder()
    blocks = [reader.read(1 << 30)]
    while not blocks[-1].at_end:
        blocks.append(reader.read(1 << 30))
    return [decoder.decode(block) for block in blocks], sum(len(block.partial_payloads) for block in blocks)


def told_both_ways(path: Path, payloads: list[bytes]) -> int:
    path.write_bytes(b"".join(map(frame_record, [*payloads, SHORT])))
    (found,), outlined = decoded(path, by_outlines=True)
    (expected,), _ = decoded(path, by_outlines=False)
    assert_same(found, expected)
    return outlined


@pytest.mark.parametrize("name", sorted(VALUES))
def test_partial_event_decodes_like_the_event(tmp_path: Path, name: str) -> None:
    pictures = [VALUES["old image"](b"first"), VALUES[name](b"some/tag"), VALUES[name](b"other"), simple("last", 0.5)]
    assert told_both_ways(tmp_path / "f", [event(*pictures, step=step) for step in (-1, 1, 300)]) == 3


@pytest.mark.parametrize("name", sorted(READ))
def test_partial_event_ambiguous_value_is_read_whole(tmp_path: Path, name: str) -> None:
    assert told_both_ways(tmp_path / "f", [event(READ[name](b"some/tag"))]) == 0


@pytest.mark.parametrize(
    "payload",
    [
        pytest.param(double(1, 2.0) + field(4, LONG) + field(4, LONG), id="two graphs"),
        pytest.param(double(1, 2.0) + field(4, LONG) + field(5, b""), id="a graph and a summary"),
        pytest.param(double(1, 2.0) + field(8, field(1, b"tag") + field(2, LONG)), id="run metadata"),
        pytest.param(event(VALUES["images"](b"a")) + field(3, b"brain.Event:2"), id="a summary and a version"),
        pytest.param(event(VALUES["images"](b"a")) + field(5, field(1, simple("b", 1))), id="two summaries"),
        pytest.param(double(1, 2.0) + field(5, field(2, LONG)), id="a summary of something else"),
        pytest.param(event(*(simple(f"tag {i}", i) for i in range(5000))), id="thousands of short values"),
        pytest.param(b"\xff" * 100_000, id="no event"),
        pytest.param(event(VALUES["old image"](b"a") + field(9, b"\x0a\x7f")), id="metadata that are none"),
        pytest.param(bytes(100_000), id="zeros"),
    ],
)
def test_partial_event_unsupported_layout_is_read_whole(tmp_path: Path, payload: bytes) -> None:
    assert len(payload) >= 1 << 16
    assert told_both_ways(tmp_path / "f", [payload]) == 0


@pytest.mark.parametrize("number", [4, 9])
def test_partial_event_of_a_graph_is_empty(tmp_path: Path, number: int) -> None:
    assert told_both_ways(tmp_path / "f", [double(1, 2.0) + field(2, 7) + field(number, LONG)]) == 1


def test_partial_event_is_short() -> None:
    class Payload:
        length = len(whole := event(*(VALUES["images"](b"image %d" % i) for i in range(10)), step=5))
        whole = whole

        def read(self, begin: int, count: int) -> bytes:
            return self.whole[begin : begin + count]

    said = read_partial_event(Payload())  # type: ignore[arg-type]
    assert said is not None
    assert len(said) < 1000


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=examples(60))
@given(
    st.lists(
        st.lists(st.tuples(st.sampled_from(sorted(VALUES | READ)), st.sampled_from([b"a", b"b\xff"])), max_size=4),
        min_size=1,
        max_size=5,
    ),
    st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 200), st.integers(0, 255)), max_size=6),
)
def test_partial_event_of_any_event_decodes_like_the_event(
    tmp_path: Path, events: list[list[tuple[str, bytes]]], changes: list[tuple[int, int, int]]
) -> None:
    payloads = [
        bytearray(event(*((VALUES | READ)[name](tag) for name, tag in values), step=step))
        for step, values in enumerate(events)
    ]
    for place, position, byte in changes:
        payload = payloads[place % len(payloads)]
        near = position % len(payload)
        # Close to the beginning, where the fields stand that an outline keeps.
        before, payload[near] = payload[near], byte
        if not is_event(bytes(payload)):
            payload[near] = before  # that contents are none is seen when they are read
    told_both_ways(tmp_path / "f", [bytes(payload) for payload in payloads])
