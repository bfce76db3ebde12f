"""Rounds that are foreseen say what protobuf says of them, and whatever was not foreseen is seen."""

from __future__ import annotations

import math
import struct
from itertools import pairwise
from typing import TYPE_CHECKING
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_templates import LAYOUTS, assert_same

from tbtui.events import decoder as decoder_module
from tbtui.events.decoder import RunDecoder
from tbtui.events.repeating_batches import BatchPattern
from tbtui.tfrecord.framing import RecordBlock, frame_record, read_frames
from tests.helpers.event_bytes import event, field, simple
from tests.helpers.property_examples import examples

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.events.block import EventBlock

FORESEEN = [
    "PyTorch, TF1",
    "tensorboardX",
    "TF2 first",
    "PyTorch new style",
    "PyTorch double",
    "half",
    "float8",
    "int64",
]
"""Layouts that templates read and that are scalars by themselves."""


def blocks_of(records: Sequence[bytes], cuts: Sequence[int]) -> list[RecordBlock]:
    """Blocks of framed records as a reader makes them, with a part of the next record behind the last one."""
    blocks, offset = [], 0
    edges = [0, *sorted({cut % (len(records) + 1) for cut in cuts}), len(records)]
    for begin, end in pairwise(edges):
        content = b"".join(records[begin:end])
        data = np.frombuffer(content + b"".join(records[end : end + 1])[:-1], np.uint8)
        frames = read_frames(data)
        assert len(frames.starts) == end - begin
        offsets = offset + frames.starts
        blocks.append(RecordBlock(data, frames.starts, frames.lengths, offsets, (), at_end=False, truncated=False))
        offset += len(content)
    return blocks


def decode_both_ways(blocks: list[RecordBlock]) -> tuple[list[EventBlock], int]:
    """What blocks say, as protobuf alone says it too, and how many of them were foreseen."""
    fast, judge = RunDecoder(), RunDecoder()
    results, foreseen = [], 0
    read = BatchPattern.read

    def counting(self: BatchPattern, block: RecordBlock) -> EventBlock | None:
        nonlocal foreseen
        told = read(self, block)
        foreseen += told is not None
        return told

    for block in blocks:
        with mock.patch.object(decoder_module, "match_templates", return_value=[]):
            expected = judge.decode(block)
        with mock.patch.object(BatchPattern, "read", counting):
            results.append(fast.decode(block))
        assert_same(results[-1], expected)
    return results, foreseen


def training(tags: int, rounds: int, layout: str = "PyTorch, TF1", first: int = 0) -> list[bytes]:
    return [
        frame_record(
            event(LAYOUTS[layout](f"tag{tag:02d}", step / 7 + tag), step=step, wall_time=1.5e9 + step + tag / 8)
        )
        for step in range(first, first + rounds)
        for tag in range(tags)
    ]


@pytest.mark.parametrize("layout", FORESEEN)
@pytest.mark.parametrize("tags", [1, 3, 20])
def test_pattern_predicts_batches_of_every_writer(layout: str, tags: int) -> None:
    records = training(tags, 600, layout, first=200)
    cuts = [len(records) // 3 + 1, len(records) * 2 // 3]
    blocks, foreseen = decode_both_ways(blocks_of(records, [*cuts, len(records) - 1]))
    assert foreseen == 2
    steps = np.concatenate([block.scalars["tag00"].steps for block in blocks if "tag00" in block.scalars])
    assert steps.tolist() == list(range(200, 800))


def test_pattern_repeated_tags_and_many_values_match() -> None:
    records = [
        frame_record(payload)
        for step in range(200, 500)
        for payload in (
            event(simple("a", step), step=step),
            event(*(simple(f"b{k}", step + k) for k in range(20)), simple("a", -step), step=step),
            event(simple("much/longer/name", step), step=step),
            event(simple("a", step + 0.5), step=step // 150),
            event(simple("a", step + 0.25), step=None),
        )
    ]
    blocks, foreseen = decode_both_ways(blocks_of(records, [501, 1002, 1499]))
    assert foreseen == 2
    values = np.concatenate([block.scalars["a"].values for block in blocks])
    assert values.tolist() == [x for step in range(200, 500) for x in (step, -step, step + 0.5, step + 0.25)]


def test_pattern_longer_step_does_not_match() -> None:
    records = training(4, 2000, first=15_400)
    _, foreseen = decode_both_ways(blocks_of(records, range(0, 8000, 500)))
    assert 12 <= foreseen <= 14


def test_pattern_needs_scalar_tags() -> None:
    records = training(3, 500, "TF2 later", first=200)
    _, foreseen = decode_both_ways(blocks_of(records, [500, 1000, 1499]))
    assert foreseen == 0


ODD = {
    "another tag": lambda step: event(simple("tag99", step), step=step),
    "a tag at another place": lambda step: event(simple("tag00", step), step=step),
    "another kind": lambda step: event(field(1, b"tag01") + field(3, b"%2d" % (step % 100)), step=step),
    "no wall time that is a number": lambda step: event(simple("tag01", step), step=step, wall_time=math.nan),
    "no event": lambda step: b"\xff" * len(event(simple("tag01", step), step=step)),
    "a shorter step": lambda step: event(simple("tag01", step), step=5),
    "a step spelled longer": lambda step: event(simple("tag0", step), step=step).replace(b"\x10", b"\x10\x80", 1),
}


@pytest.mark.parametrize("name", sorted(ODD))
@pytest.mark.parametrize(("place", "then"), [(601, 1), (1000, 1), (1198, 0)])
def test_pattern_one_other_record_does_not_match(name: str, place: int, then: int) -> None:
    """After it rounds are foreseen again when some were alike at the end of its block."""
    records = training(3, 600, first=200)
    records[place] = frame_record(ODD[name](200 + place // 3))
    _, foreseen = decode_both_ways(blocks_of(records, [600, 1200, 1799]))
    # Templates read an event without a wall time all the same.
    assert foreseen == (1 if name == "no wall time that is a number" else then)


@pytest.mark.parametrize("place", [600, 777, 1199])
def test_pattern_wrong_checksum_does_not_match(place: int) -> None:
    records = training(3, 600, first=200)
    wrong = bytearray(records[place])
    wrong[-5] ^= 1
    records[place] = bytes(wrong)
    blocks = blocks_of(records, [600, 1200, 1799])
    found, foreseen = decode_both_ways(blocks)
    assert foreseen == (0 if place == 1199 else 1)
    assert [damage.kind for damage in found[1].damage] == ["payload_checksum"]
    assert found[1].damage[0].offset == sum(map(len, records[:place]))


def test_pattern_wrong_footer_does_not_match() -> None:
    records = training(3, 600, first=200)
    records[700] = records[700][:-4] + struct.pack("<I", struct.unpack("<I", records[700][-4:])[0] ^ 1)
    _, foreseen = decode_both_ways(blocks_of(records, [600, 1200, 1799]))
    assert foreseen == 1


sources = st.lists(
    st.tuples(st.sampled_from(sorted(LAYOUTS)), st.sampled_from(["a", "b", "loss", "loss/train", "é/β", "x" * 300])),
    min_size=1,
    max_size=3,
)


@settings(deadline=None, max_examples=examples(150))
@given(
    st.lists(st.tuples(sources, st.sampled_from([1, 2, None])), min_size=1, max_size=4),
    st.integers(30, 120),
    st.sampled_from([-40, 0, 100, 16_350, 2**35 - 50]),
    st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255), st.booleans()), max_size=3),
    st.lists(st.tuples(st.integers(0, 10**6), st.sampled_from(["drop", "twice", "swap"])), max_size=2),
    st.lists(st.integers(0, 500), max_size=3),
)
def test_pattern_mutated_batches_equal_protobuf(
    kinds: list[tuple[list[tuple[str, str]], int | None]],
    rounds: int,
    first: int,
    bytes_changed: list[tuple[int, int, bool]],
    records_changed: list[tuple[int, str]],
    cuts: list[int],
) -> None:
    payloads = [
        event(
            *(LAYOUTS[layout](tag, step / 3) for layout, tag in values),
            step=None if every is None else step // every,
            wall_time=1.5e9 + step / 10,
        )
        for step in range(first, first + rounds)
        for values, every in kinds
    ]
    records = [frame_record(payload) for payload in payloads]
    for place, byte, framed_anew in bytes_changed:
        number = place % len(records)
        payload = bytearray(records[number][12:-4])
        payload[place // len(records) % len(payload)] = byte
        records[number] = (
            frame_record(bytes(payload))
            if framed_anew
            else records[number][:12] + bytes(payload) + records[number][-4:]
        )
    for place, what in records_changed:
        number = place % len(records)
        if what == "swap":
            records[number - 1], records[number] = records[number], records[number - 1]
        else:
            records[number : number + 1] = [] if what == "drop" else [records[number]] * 2
    decode_both_ways(blocks_of(records, cuts))
