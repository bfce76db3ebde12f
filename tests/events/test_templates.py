"""Events read in bulk say what protobuf says of them, whatever they look like."""

from __future__ import annotations

import math
import struct
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tbtui.events import decoder
from tbtui.events import templates as shapes_module
from tbtui.events.decoder import RunDecoder
from tbtui.events.templates import TemplateCache, match_templates
from tests.helpers.event_bytes import block_of, double, event, field, metadata, simple, tensor, tensor_value, varint

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tbtui.events.block import EventBlock
    from tbtui.tfrecord.framing import RecordBlock


def packed(number: int, code: str, content: float) -> bytes:
    return field(number, struct.pack(code, content))


def as_tensor(*fields: bytes) -> bytes:
    return field(8, b"".join(fields))


FLOAT, DOUBLE = field(1, 1), field(1, 2)
SCALAR_SHAPE, VECTOR_SHAPE, ROW_SHAPE = field(2, b""), field(2, field(2, field(1, 3))), field(2, field(2, field(1, 1)))
SCALARS = metadata("scalars")


VERSION = double(1, 1.5e9) + field(3, b"brain.Event:2")


def f32(x: float) -> float:
    return float(np.float32(x))


def bits(x: float) -> int:
    """A whole number that looks random."""
    return int.from_bytes(struct.pack("<d", x), "big")


LAYOUTS: dict[str, Callable[[str, float], bytes]] = {
    "PyTorch, TF1": simple,
    "tensorboardX": lambda t, x: field(1, t.encode()) + field(9, field(2, b"name")) + field(2, f32(x)),
    "TF2 first": lambda t, x: field(1, t.encode()) + as_tensor(FLOAT, SCALAR_SHAPE, packed(4, "<f", x)) + SCALARS,
    "TF2 later": lambda t, x: field(1, t.encode()) + as_tensor(FLOAT, SCALAR_SHAPE, packed(4, "<f", x)),
    "PyTorch new style": lambda t, x: field(1, t.encode()) + as_tensor(FLOAT, packed(5, "<f", x)) + SCALARS,
    "PyTorch double": lambda t, x: field(1, t.encode()) + as_tensor(DOUBLE, packed(6, "<d", x)) + SCALARS,
    "unpacked": lambda t, x: field(1, t.encode()) + as_tensor(FLOAT, field(5, f32(x))) + SCALARS,
    "unpacked double": lambda t, x: field(1, t.encode()) + as_tensor(DOUBLE, double(6, x)) + SCALARS,
    "value before tag": lambda t, x: field(2, f32(x)) + field(1, t.encode()),
    "one row": lambda t, x: field(1, t.encode()) + as_tensor(FLOAT, ROW_SHAPE, packed(4, "<f", x)) + SCALARS,
    "three rows": lambda t, x: field(1, t.encode()) + as_tensor(FLOAT, VECTOR_SHAPE, packed(4, "<f", x)) + SCALARS,
    "two values": lambda t, x: field(1, t.encode()) + field(2, f32(x)) + field(2, f32(x) / 2),
    "tensor over simple": lambda t, x: field(2, f32(x)) + field(1, t.encode()) + as_tensor(FLOAT, packed(5, "<f", 7)),
    "merged tensors": lambda t, x: field(1, t.encode()) + as_tensor(FLOAT) + as_tensor(packed(5, "<f", x)) + SCALARS,
    "both fields": lambda t, x: field(1, t.encode()) + as_tensor(FLOAT, packed(4, "<f", x), packed(5, "<f", 3)),
    "unknown field": lambda t, x: field(1, t.encode()) + field(60, b"new") + field(2, f32(x)),
    "node name": lambda t, x: field(7, t.encode()) + field(2, f32(x)),
    "int32": lambda t, x: field(1, t.encode()) + as_tensor(field(1, 3), packed(4, "<i", bits(x) % 2**31)) + SCALARS,
    "int64": lambda t, x: field(1, t.encode()) + as_tensor(field(1, 9), packed(4, "<q", bits(x) % 2**62)) + SCALARS,
    "uint64": lambda t, x: field(1, t.encode()) + as_tensor(field(1, 23), packed(4, "<Q", 2**64 - 1)) + SCALARS,
    "int64 typed": lambda t, x: field(1, t.encode()) + as_tensor(field(1, 9), field(10, bits(x) % 2**62)) + SCALARS,
    "half": lambda t, x: field(1, t.encode()) + as_tensor(field(1, 19), packed(4, "<H", bits(x) % 2**16)) + SCALARS,
    "bfloat16": lambda t, x: field(1, t.encode()) + as_tensor(field(1, 14), packed(4, "<H", bits(x) % 2**16)) + SCALARS,
    "bool": lambda t, x: field(1, t.encode()) + as_tensor(field(1, 10), packed(4, "<B", bits(x) % 3)) + SCALARS,
    "float8": lambda t, x: field(1, t.encode()) + as_tensor(field(1, 25), packed(4, "<B", bits(x) % 256)) + SCALARS,
    "complex": lambda t, x: field(1, t.encode()) + as_tensor(field(1, 8), packed(4, "<d", x)) + SCALARS,
    "reference type": lambda t, x: field(1, t.encode()) + as_tensor(field(1, 101), packed(5, "<f", x)) + SCALARS,
    "text": lambda t, x: field(1, t.encode()) + as_tensor(field(1, 7), field(8, b"%8.3g" % x)) + metadata("text"),
    "other plugin": lambda t, x: field(1, t.encode()) + as_tensor(FLOAT, packed(5, "<f", x)) + metadata("mine"),
    "nothing": lambda t, x: field(1, t.encode()),
    "no tag": lambda t, x: field(2, f32(x)),
    "tag no UTF-8": lambda t, x: field(1, t.encode() + b"\xff\xfe") + field(2, f32(x)),
    "image": lambda t, x: field(1, t.encode()) + field(4, field(1, 1) + field(2, 1) + field(4, b"%8.3g" % x)),
}


def assert_same(found: EventBlock, expected: EventBlock) -> None:
    assert found.new_tags == expected.new_tags
    assert found.damage == expected.damage
    for name in ("records", "first_wall_time", "last_wall_time", "file_version", "writer", "session_starts"):
        assert getattr(found, name) == getattr(expected, name), name
    for kind in ("scalars", "references"):
        columns, others = getattr(found, kind), getattr(expected, kind)
        assert columns.keys() == others.keys()
        for tag, column in columns.items():
            for name in column.__slots__:
                ours, theirs = getattr(column, name), getattr(others[tag], name)
                assert ours.dtype == theirs.dtype
                np.testing.assert_array_equal(ours, theirs, err_msg=f"{tag}: {name}")


def decode_both_ways(blocks: list[list[bytes]], shapes: TemplateCache | None = None) -> list[EventBlock]:
    """Decode blocks with templates and by protobuf alone, and compare."""
    fast, judge = RunDecoder(shapes), RunDecoder()
    results = []
    for payloads in blocks:
        block = block_of(payloads)
        with mock.patch.object(decoder, "match_templates", return_value=[]):
            expected = judge.decode(block)
        results.append(fast.decode(block))
        assert_same(results[-1], expected)
    return results


def parts_of(block: RecordBlock, row: int) -> list[RecordBlock]:
    """The records before one of them, and the others."""
    return [
        replace(block, starts=block.starts[part], lengths=block.lengths[part], offsets=block.offsets[part])
        for part in (slice(row), slice(row, None))
    ]


def read_in_bulk(payloads: list[bytes]) -> int:
    """How many of the records templates take."""
    block = block_of(payloads)
    columns: Any = (np.zeros(len(block)), np.zeros(len(block), np.int64))
    return sum(len(matched.rows) for matched in match_templates(block, TemplateCache(), *columns))


steps = st.one_of(
    st.integers(0, 300), st.integers(-(2**63), 2**63 - 1), st.none(), st.sampled_from([127, 128, 2**35, 2**49, 2**56])
)
numbers = st.floats(width=32)
wall_times = st.one_of(st.floats(1.4e9, 1.8e9), st.floats())
sources = st.lists(
    st.tuples(st.sampled_from(sorted(LAYOUTS)), st.sampled_from(["a", "b", "loss", "loss/train", "é/β", "x" * 300])),
    min_size=1,
    max_size=3,
)


@st.composite
def streams(draw: st.DrawFn) -> list[bytes]:
    """Records of a few kinds of event, many of each, in any order: enough of them for templates to be learned."""
    kinds = draw(st.lists(st.tuples(sources, steps), min_size=1, max_size=4))
    random = draw(st.randoms(use_true_random=False))
    order = random.choices(range(len(kinds)), k=draw(st.sampled_from([20, 100, 250])))
    first_numbers = draw(st.lists(numbers, min_size=1, max_size=10))
    first_times = draw(st.lists(wall_times, min_size=1, max_size=4))
    payloads = []
    for place, kind in enumerate(order):
        values, step = kinds[kind]
        number = first_numbers[place % len(first_numbers)]
        payloads.append(
            event(
                *(LAYOUTS[layout](tag, number) for layout, tag in values),
                step=step if step is None or place % 3 else step // 2 + place,
                wall_time=first_times[place % len(first_times)],
            )
        )
    return payloads


@settings(deadline=None)
@given(st.lists(streams(), min_size=1, max_size=3), st.booleans())
def test_templates_equal_protobuf(blocks: list[list[bytes]], shared: bool) -> None:
    shapes = TemplateCache()
    if shared:
        decode_both_ways(blocks[::-1], shapes)
    decode_both_ways(blocks, shapes)


@settings(deadline=None)
@given(streams(), st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), min_size=1, max_size=20))
def test_templates_damaged_payloads_equal_protobuf(payloads: list[bytes], changes: list[tuple[int, int]]) -> None:
    changed = [bytearray(payload) for payload in payloads]
    for place, byte in changes:
        payload = changed[place % len(changed)]
        payload[place // len(changed) % len(payload)] = byte
    decode_both_ways([[bytes(payload) for payload in changed]])


@settings(deadline=None)
@given(
    st.lists(streams(), min_size=1, max_size=2),
    st.lists(st.tuples(st.integers(0, 10**6) | st.integers(0, 40), st.integers(0, 10**3), st.integers(1, 255))),
    st.lists(st.tuples(st.integers(0, 10**6), st.integers(1, 300)), max_size=2),
    st.booleans(),
)
def test_templates_wrong_checksums_equal_protobuf(
    streams: list[list[bytes]],
    changes: list[tuple[int, int, int]],
    stretches: list[tuple[int, int]],
    begins: bool,
) -> None:
    payloads = [VERSION] * begins + [payload for stream in streams for payload in stream]
    block = block_of(payloads)
    content = bytearray(block.data.tobytes())
    for place, byte, change in changes:
        row = place % len(block)
        # In the payload or in its checksum.
        content[int(block.starts[row]) + byte % (int(block.lengths[row]) + 4)] ^= change
    for place, count in stretches:
        first = place % len(block)
        for end in (block.starts + block.lengths)[first : first + count].tolist():
            content[end] ^= 1
    fast, judge = (RunDecoder() for _ in range(2))
    for part in parts_of(replace(block, data=np.frombuffer(bytes(content), np.uint8)), len(streams[0])):
        with mock.patch.object(decoder, "match_templates", return_value=[]):
            expected = judge.decode(part)
        assert_same(fast.decode(part), expected)
        assert fast.verified_files == judge.verified_files


@pytest.mark.parametrize("shared", [False, True])
def test_templates_all_records_of_a_layout_may_be_wrong(shared: bool) -> None:
    """Also a single one, when another run has shown what it looks like."""
    both = [event(simple("x", i), simple("y", i), step=i) for i in range(40)]
    known = [event(simple("as long one", i), step=i) for i in range(80)]
    assert len(known[0]) == len(both[0])
    shapes = TemplateCache()
    if shared:
        RunDecoder(shapes).decode(block_of([VERSION, *both]))
    fast = RunDecoder(shapes)
    fast.decode(block_of([VERSION, *known[:40]]))
    wrong = both[-1:] if shared else both
    block = block_of([*wrong, *known[40:]])
    data = block.data.copy()
    data[(block.starts + block.lengths)[: len(wrong)]] ^= 1
    found = fast.decode(replace(block, data=data))
    assert (found.records, found.new_tags, list(found.scalars)) == (40, (), ["as long one"])


@pytest.mark.parametrize("wrong", [[1], [1, 2, 3], [1, 4, 7, 50], range(1, 250)])
def test_templates_invalid_records_add_no_tag(wrong: Sequence[int]) -> None:
    payloads = [VERSION, *(event(simple("abc"[i % 3], i), step=i) for i in range(300))]
    block = block_of(payloads)
    data = block.data.copy()
    data[(block.starts + block.lengths)[list(wrong)]] ^= 1
    fast, judge = RunDecoder(), RunDecoder()
    with mock.patch.object(decoder, "match_templates", return_value=[]):
        expected = judge.decode(replace(block, data=data))
    found = fast.decode(replace(block, data=data))
    assert_same(found, expected)
    for k, tag in enumerate("abc"):
        right = [row - 1 for row in range(1 + k, 301, 3) if row not in wrong]
        assert found.scalars[tag].values.tolist() == right


@pytest.mark.parametrize("layout", sorted(LAYOUTS))
def test_templates_each_layout_equals_protobuf(layout: str) -> None:
    payloads = [event(LAYOUTS[layout]("tag", i / 7), step=i) for i in range(100)]
    decode_both_ways([payloads, payloads])


BULK = ["PyTorch, TF1", "tensorboardX", "TF2 first", "TF2 later", "PyTorch new style", "PyTorch double", "unpacked"]


@pytest.mark.parametrize("layout", BULK)
def test_templates_match_events_of_all_writers(layout: str) -> None:
    """All but the last record, which has no bytes after it to be read as a word."""
    payloads = [event(LAYOUTS[layout]("tag", i / 7), step=200 + i) for i in range(100)]
    assert read_in_bulk(payloads) >= 99


def test_templates_match_events_of_many_values() -> None:
    payloads = [
        event(*(simple(f"tag{k}", i + k) for k in range(20)), LAYOUTS["TF2 later"]("t", i), step=300 + i)
        for i in range(200)
    ]
    assert read_in_bulk(payloads) >= 199
    (block,) = decode_both_ways([payloads])
    assert block.scalars["tag7"].values.tolist() == [i + 7 for i in range(200)]
    assert block.references["t"].indices.tolist() == [20] * 200


def test_templates_separate_many_tags_of_one_length() -> None:
    payloads = [event(simple(f"layer_{k:03d}/loss", i * 1000 + k), step=i) for i in range(1, 60) for k in range(300)]
    assert read_in_bulk(payloads) >= len(payloads) - 1
    (block,) = decode_both_ways([payloads])
    assert block.scalars["layer_123/loss"].values.tolist() == [i * 1000 + 123 for i in range(1, 60)]
    assert block.scalars["layer_123/loss"].steps.tolist() == list(range(1, 60))


def test_templates_colliding_hashes_change_nothing() -> None:
    payloads = [event(simple(f"layer_{k:02d}/loss", i * 1000 + k), step=i) for i in range(1, 60) for k in range(30)]
    with mock.patch.object(shapes_module, "_HASH_FACTORS", np.zeros_like(shapes_module._HASH_FACTORS)):
        decode_both_ways([payloads, payloads])


def test_templates_separate_tags_by_the_last_byte_of_a_word() -> None:
    """Else those whose hashes collide would be learned again in every block, until nothing more can be learned."""
    shapes = TemplateCache()
    tags = [f"aaaaa{x}aaaaaaa{y}aaa" for x in "abcdefghijklmnopqrst" for y in "abcdefghijklmnopqrst"]
    assert event(simple(tags[0], 0), step=300).index(tags[0].encode()) % 8 == 2
    payloads = [event(simple(tag, i), step=300 + i) for i in range(4) for tag in tags]
    decode_both_ways([payloads] * 2, shapes)
    assert sum(len(layout.tags) for shape in shapes.classes.values() for layout in shape.layouts) == len(tags)


def test_templates_repeated_tag_keeps_both_values() -> None:
    payloads = [event(simple("a", i), simple("b", 0), simple("a", i + 0.5), step=i) for i in range(1, 100)]
    (block,) = decode_both_ways([payloads])
    assert block.scalars["a"].values.tolist() == [i + half for i in range(1, 100) for half in (0, 0.5)]


def test_decode_mixed_paths_keeps_the_order_of_the_file() -> None:
    payloads = [
        event(LAYOUTS["int64 typed" if i % 3 == 0 else "TF2 first"]("a", i), step=i % 7 * 1000) for i in range(1, 200)
    ]
    (block,) = decode_both_ways([payloads])
    assert block.scalars["a"].steps.tolist() == [i % 7 * 1000 for i in range(1, 200)]


def test_templates_tensor_without_metadata_depends_on_the_run() -> None:
    shapes = TemplateCache()
    bare = [event(LAYOUTS["TF2 later"]("a", i), step=i) for i in range(100)]
    named = [event(LAYOUTS["TF2 first"]("a", 100), step=0), *bare]
    scalar, reference = decode_both_ways([named], shapes), decode_both_ways([bare], shapes)
    assert len(scalar[0].scalars["a"].values) == 101
    assert len(reference[0].references["a"].offsets) == 100
    assert reference[0].new_tags[0].plugin_name == ""


def test_templates_tags_unique_to_one_event_are_not_learned() -> None:
    shapes = TemplateCache()
    payloads = [event(simple(f"step {i:06d}", i), step=1) for i in range(2000)]
    decode_both_ways([payloads], shapes)
    assert sum(len(layout.tags) for shape in shapes.classes.values() for layout in shape.layouts) == 0


def test_templates_other_events_of_equal_length_do_not_hide_scalars() -> None:
    scalars = [event(simple("tag", i), step=300 + i) for i in range(100)]
    others = [event(field(1, b"tag") + field(3, b"%03d" % i), step=300 + i) for i in range(100)]
    assert len(scalars[0]) == len(others[0])
    assert read_in_bulk(others + scalars) >= 99
    decode_both_ways([others + scalars])


def test_templates_unsupported_layout_is_abandoned() -> None:
    shapes = TemplateCache()
    payloads = [event(field(1, b"tag") + field(3, b"%03d" % i), step=300 + i) for i in range(100)]
    decode_both_ways([payloads] * 10, shapes)
    (shape,) = shapes.classes.values()
    assert shape.is_unsupported
    assert shape.failures <= 40


@pytest.mark.parametrize(
    "step", [0, 1, 127, 128, 16383, 16384, 2**21, 2**28, 2**35, 2**42, 2**49 - 1, 2**49, 2**62, -1]
)
def test_templates_steps_of_every_length_equal_protobuf(step: int) -> None:
    payloads = [event(simple("a", i), step=step) for i in range(50)]
    (block,) = decode_both_ways([payloads])
    assert block.scalars["a"].steps.tolist() == [step] * 50


def test_templates_step_with_an_overlong_varint_equals_protobuf() -> None:
    head = double(1, 1.5e9) + b"\x10\x85\x80\x00"
    payloads = [head + field(5, field(1, simple("a", i))) for i in range(50)]
    (block,) = decode_both_ways([payloads])
    assert block.scalars["a"].steps.tolist() == [5] * 50


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, -0.0, 2**-149, 3.4028234663852886e38])
def test_templates_nan_and_extreme_numbers_equal_protobuf(number: float) -> None:
    (block,) = decode_both_ways([[event(simple("a", number), step=i) for i in range(50)]])
    np.testing.assert_array_equal(block.scalars["a"].values, [number] * 50)


def test_templates_unusual_order_is_left_to_protobuf() -> None:
    summary = field(5, field(1, simple("a", 1)))
    payloads = [field(2, 3) + summary, field(2, 3) + double(1, 2.0) + summary, summary] * 20
    assert read_in_bulk(payloads) == 0
    (block,) = decode_both_ways([payloads])
    assert block.scalars["a"].steps.tolist() == [3, 3, 0] * 20
    assert block.scalars["a"].wall_times.tolist() == [0.0, 2.0, 0.0] * 20


def test_templates_tensor_value_of_the_library_is_read_in_bulk() -> None:
    values = [tensor_value("a", tensor(1, float_val=[i / 3]), "scalars") for i in range(50)]
    assert read_in_bulk([event(value, step=None) for value in values]) >= 49


def test_templates_varints_equal_protobuf() -> None:
    assert [varint(n) for n in (0, 127, 300, -1)] == [b"\0", b"\x7f", b"\xac\x02", b"\xff" * 9 + b"\x01"]
