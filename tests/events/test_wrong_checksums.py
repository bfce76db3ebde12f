"""A record counts only if its payload matches its checksum, whichever way it is decoded."""

from __future__ import annotations

import string
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tbtui.events import decoder
from tbtui.events.decoder import RunDecoder, TagProgress
from tbtui.events.repeating_batches import BatchPattern
from tests.helpers.event_bytes import block_of, double, event, field, image, simple, tensor, tensor_value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tbtui.events.block import EventBlock
    from tbtui.tfrecord.framing import RecordBlock

VERSION = double(1, 1.5e9) + field(3, b"brain.Event:2")
LONG = bytes(1 << 16)


class Logged(NamedTuple):
    tags: str
    """A letter each."""

    step: int
    wrong: bool = False

    @property
    def payload(self) -> bytes:
        return event(*(simple(tag, self.step) for tag in self.tags), step=self.step)


def block_with(payloads: Sequence[bytes], wrong: Iterable[int]) -> RecordBlock:
    """A block in which the checksums of some records do not match."""
    block = block_of(payloads)
    data = block.data.copy()
    data[(block.starts + block.lengths)[list(wrong)]] ^= 1
    return replace(block, data=data)


def rows_of(block: RecordBlock, begin: int, end: int) -> RecordBlock:
    rows = slice(begin, end)
    return replace(block, starts=block.starts[rows], lengths=block.lengths[rows], offsets=block.offsets[rows])


def steps_of(blocks: Iterable[EventBlock]) -> dict[str, list[int]]:
    steps: dict[str, list[int]] = {}
    for block in blocks:
        for tag, points in (*block.scalars.items(), *block.references.items()):
            steps.setdefault(tag, []).extend(points.steps.tolist())
    return steps


def right_steps(records: Iterable[Logged]) -> dict[str, list[int]]:
    """The steps of each tag of the right records, which stand behind another right one."""
    steps: dict[str, list[int]] = {}
    for tags, step, wrong in records:
        for tag in () if wrong else tags:
            steps.setdefault(tag, []).append(step)
    return steps


@st.composite
def trainings(draw: st.DrawFn) -> list[Logged]:
    """Rounds of a loop, which perhaps goes back and on again, with a few records at other steps or wrong or both."""
    tags = draw(st.sampled_from([["a"], ["a", "b", "c"], ["ab", "c"], ["a", "b", "a"], ["aa", "b"]]))
    first = draw(st.sampled_from([0, 100, 1 << 40]))
    lengths = draw(st.lists(st.integers(1, 150), min_size=1, max_size=3))
    records, step = [], first
    for length in lengths:
        records += [Logged(each, step + at) for at in range(length) for each in tags]
        step = max(0, step + length - draw(st.integers(-3, 2 * length)))
    places, near = st.integers(0, 1 << 16), st.integers(-200, 200) | st.sampled_from([-(1 << 50), 1 << 50])
    for place, by, wrong in draw(st.lists(st.tuples(places, near, st.booleans()), max_size=6)):
        at = place % len(records)
        records[at] = records[at]._replace(step=records[at].step + by, wrong=wrong)
    return records


@settings(deadline=None)
@given(trainings(), st.lists(st.integers(0, 1 << 16), max_size=3))
def test_decode_wrong_records_are_skipped_in_blocks_of_any_size(records: list[Logged], cuts: list[int]) -> None:
    """Templates, repeating batches and protobuf alone skip the same records."""
    payloads = [VERSION, *(record.payload for record in records)]
    whole = block_with(payloads, (row for row, record in enumerate(records, 1) if record.wrong))
    edges = [0, *sorted({cut % len(payloads) for cut in cuts} - {0}), len(payloads)]
    fast, judge = RunDecoder(), RunDecoder()
    found, expected = [], []
    for begin, end in pairwise(edges):
        part = rows_of(whole, begin, end)
        found.append(fast.decode(part))
        with mock.patch.object(decoder, "match_templates", return_value=[]):
            expected.append(judge.decode(part))
    assert steps_of(found) == steps_of(expected) == right_steps(records)
    assert [block.damage for block in found] == [block.damage for block in expected]


@pytest.mark.parametrize(
    "tags", [["a"], ["a", "b", "c"], ["a", "b", "a"], ["ab", "b"], ["aa", "c"], list(string.ascii_lowercase)]
)
@pytest.mark.parametrize(
    ("at", "by"),
    [
        (0, -1),  # the first record of a block
        (5, -5),
        (5, -6),  # back before the block
        (50, -1),
        (50, -50),
        (58, -3),
        (-1, -1),  # the last record
        (40, 200),  # far ahead, so that those behind it go back
    ],
)
@pytest.mark.parametrize("rest", [0, 1])
def test_decode_wrong_records_are_skipped_in_repeating_batches(tags: list[str], at: int, by: int, rest: int) -> None:
    """A wrong record stands in one predicted block and in the next."""
    rounds = {1: 300, 2: 130}.get(len(tags), 60)
    records = [Logged(each, 1000 + step) for step in range(6 * rounds) for each in tags]
    size = rounds * len(tags) + min(rest, len(tags) - 1)
    records = records[: len(records) // size * size]
    for number in (3, 4):
        place = number * size + (at * len(tags) if at >= 0 else size + at)
        records[place] = records[place]._replace(step=records[place].step + by, wrong=True)
    wrong = block_with([record.payload for record in records], (row for row, one in enumerate(records) if one.wrong))
    right = [Logged(one.tags, 1000 + row // len(tags)) for row, one in enumerate(records)]
    found, foreseen = decoded_in_blocks(block_of([record.payload for record in right]), size)
    assert steps_of(found) == right_steps(right)
    assert foreseen == len(found) - 1
    found, foreseen = decoded_in_blocks(wrong, size)
    assert steps_of(found) == right_steps(records)
    assert 1 <= foreseen <= len(found) - 3


def decoded_in_blocks(whole: RecordBlock, size: int) -> tuple[list[EventBlock], int]:
    """Blocks of so many records, the rest of less than one left out, and how many of them were foreseen."""
    read, foreseen = BatchPattern.read, 0

    def counting(self: BatchPattern, block: RecordBlock) -> EventBlock | None:
        nonlocal foreseen
        told = read(self, block)
        foreseen += told is not None
        return told

    fast = RunDecoder()
    with mock.patch.object(BatchPattern, "read", counting):
        return [fast.decode(rows_of(whole, at, at + size)) for at in range(0, len(whole) - size + 1, size)], foreseen


@pytest.mark.parametrize("count", [40, 4000])
def test_decode_wrong_step_is_reported_and_skipped(count: int) -> None:
    records = [Logged("a", step) for step in range(count)]
    records[count - 10] = Logged("a", 5, wrong=True)
    block = block_with([VERSION, *(record.payload for record in records)], [count - 9])
    decoded = RunDecoder().decode(block)
    assert decoded.scalars["a"].steps.tolist() == [step for step in range(count) if step != count - 10]
    assert decoded.records == count
    (damage,) = decoded.damage
    assert (damage.kind, damage.offset) == ("payload_checksum", block.offset(count - 9))
    assert damage.bytes_skipped == 16 + len(records[count - 10].payload)
    assert damage.message == "records that do not match their checksum: 1"


def test_decode_writer_without_steps_keeps_all_values() -> None:
    records = [VERSION, *(event(simple("a", number), step=None) for number in range(300))]
    decoded = RunDecoder().decode(block_of(records))
    assert decoded.scalars["a"].values.tolist() == list(range(300))
    assert decoded.damage == ()


def test_decode_file_without_checksums_may_restart() -> None:
    payloads = [VERSION, *(event(simple("a", step), step=step) for step in (5, 6, 2, 3, 1, 9))]
    decoded = RunDecoder().decode(block_with(payloads, range(len(payloads))))
    assert decoded.scalars["a"].steps.tolist() == [5, 6, 2, 3, 1, 9]
    assert [(damage.kind, damage.bytes_skipped) for damage in decoded.damage] == [("payload_checksum", 0)]


class TestOutlines:
    """A large record of which only an outline was read is compared when its step decreases."""

    def outlined(self, steps: Sequence[int]) -> RecordBlock:
        """Return a block of large records of which only outlines were read."""
        block = block_of([event(image("b", LONG), step=step) for step in steps])
        outlines = {row: event(image("b", b""), step=step) for row, step in enumerate(steps)}
        return replace(block, data=block.data[:0], partial_payloads=outlines)

    def decoder(self) -> RunDecoder:
        begun = RunDecoder()
        begun.decode(block_of([VERSION]))
        return begun

    @pytest.mark.parametrize(
        ("right", "shown"),
        [(lambda _: True, [5, 6, 6, 2, 3]), (lambda _: False, [5, 6, 6]), (None, [5, 6, 6, 2, 3])],
    )
    def test_decode_decreasing_step_is_compared(self, right: Callable[[int], bool] | None, shown: list[int]) -> None:
        compared = []

        def is_right(row: int) -> bool:
            compared.append(row)
            assert right is not None
            return right(row)

        block = self.outlined([5, 6, 6, 2, 3])
        decoded = self.decoder().decode(block, 0, None if right is None else is_right)
        assert steps_of([decoded])["b"] == shown
        assert compared == ([] if right is None else [3] if len(shown) == 5 else [3, 4])

    def test_decode_large_records_that_were_read_are_compared(self) -> None:
        payloads = [VERSION, *(event(image("b", LONG), step=step) for step in (5, 6, 2, 7, 7))]
        decoded = RunDecoder().decode(block_with(payloads, [3, 5]))
        assert steps_of([decoded])["b"] == [5, 6, 7]


def test_decode_least_step_of_a_tag_without_points_is_shown() -> None:
    least = -(1 << 63)
    payloads = [VERSION, event(tensor_value("a", tensor(7, []), "scalars"), step=1), event(simple("a", 1), step=least)]
    assert steps_of([RunDecoder().decode(block_of(payloads))]) == {"a": [least]}


def test_learn_last_steps_detects_a_restart() -> None:
    first, second = RunDecoder(), RunDecoder()
    first.decode(block_of([VERSION, *(event(image("b", b""), step=step) for step in range(9))]))
    second.learn(first.tags, lambda: TagProgress({"b": 0}, {"b": 8}), first.verified_files)
    assert second.verified_files == {0}
    block = block_of([event(image("b", LONG), step=step) for step in (3, 9)])
    outlines = {row: event(image("b", b""), step=step) for row, step in enumerate((3, 9))}
    decoded = second.decode(replace(block, data=block.data[:0], partial_payloads=outlines), 0, lambda _: False)
    assert steps_of([decoded]) == {"b": [9]}
