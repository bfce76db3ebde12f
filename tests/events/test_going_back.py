"""A wrong record hides no right one: what goes back to a step that was reached is compared with its checksum."""

from __future__ import annotations

import string
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple
from unittest import mock

import numpy as np
import pytest
from event_bytes import block_of, double, event, field, image, simple, tensor, tensor_value
from hypothesis import given, settings
from hypothesis import strategies as st

from tbtui.events import decoder, trust
from tbtui.events.decoder import RunDecoder
from tbtui.events.rounds import Rounds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tbtui.events.block import EventBlock
    from tbtui.events.going_back import ReachedSteps
    from tbtui.records.block import RecordBlock

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


def believed(records: Iterable[Logged]) -> dict[str, list[int]]:
    """By the rule as one would say it, for records behind one that is right."""
    steps: dict[str, list[int]] = {}
    for tags, step, wrong in records:
        hides = any(tag in steps and step <= steps[tag][-1] for tag in tags)
        if not (wrong and (hides or not steps.keys() >= set(tags))):
            for tag in tags:
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
@given(trainings(), st.lists(st.integers(0, 1 << 16), max_size=3), st.booleans())
def test_only_right_records_hide_others(records: list[Logged], cuts: list[int], check: bool) -> None:
    """However they come, by templates, in rounds that are foreseen, or by protobuf alone."""
    payloads = [VERSION, *(record.payload for record in records)]
    whole = block_with(payloads, (row for row, record in enumerate(records, 1) if record.wrong))
    edges = [0, *sorted({cut % len(payloads) for cut in cuts} - {0}), len(payloads)]
    fast, judge = RunDecoder(check_payloads=check), RunDecoder(check_payloads=check)
    found, expected = [], []
    for begin, end in pairwise(edges):
        part = rows_of(whole, begin, end)
        found.append(fast.decode(part))
        with mock.patch.object(decoder, "read_bulk", return_value=[]):
            expected.append(judge.decode(part))
    assert steps_of(found) == steps_of(expected) == believed(records)
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
        (58, -3),  # in the last round
        (-1, -1),  # the last record
        (40, 200),  # far ahead, so that those behind it go back
    ],
)
@pytest.mark.parametrize("rest", [0, 1])
def test_so_it_is_in_rounds_that_are_foreseen(tags: list[str], at: int, by: int, rest: int) -> None:
    """In one block of such rounds, and in one behind it."""
    rounds = 300 if len(tags) < 9 else 60
    records = [Logged(each, 1000 + step) for step in range(6 * rounds) for each in tags]
    size = rounds * len(tags) + min(rest, len(tags) - 1)
    records = records[: len(records) // size * size]
    for number in (3, 4):
        place = number * size + (at * len(tags) if at >= 0 else size + at)
        records[place] = records[place]._replace(step=records[place].step + by, wrong=True)
    wrong = block_with([record.payload for record in records], (row for row, one in enumerate(records) if one.wrong))
    right = [Logged(one.tags, 1000 + row // len(tags)) for row, one in enumerate(records)]
    found, foreseen = decoded_in_blocks(block_of([record.payload for record in right]), size)
    assert steps_of(found) == believed(right)
    assert foreseen == len(found) - 1
    found, foreseen = decoded_in_blocks(wrong, size)
    assert steps_of(found) == believed(records)
    assert 1 <= foreseen <= len(found) - 3


def decoded_in_blocks(whole: RecordBlock, size: int) -> tuple[list[EventBlock], int]:
    """Blocks of so many records, the rest of less than one left out, and how many of them were foreseen."""
    read, foreseen = Rounds.read, 0

    def counting(self: Rounds, block: RecordBlock, reached: ReachedSteps, **how: bool) -> EventBlock | None:
        nonlocal foreseen
        told = read(self, block, reached, **how)
        foreseen += told is not None
        return told

    fast = RunDecoder()
    with mock.patch.object(Rounds, "read", counting):
        return [fast.decode(rows_of(whole, at, at + size)) for at in range(0, len(whole) - size + 1, size)], foreseen


@pytest.mark.parametrize("count", [40, 4000])
def test_a_wrong_step_is_told_and_left_out(count: int) -> None:
    records = [Logged("a", step) for step in range(count)]
    records[count - 10] = Logged("a", 5, wrong=True)
    block = block_with([VERSION, *(record.payload for record in records)], [count - 9])
    decoded = RunDecoder().decode(block)
    assert decoded.scalars["a"].steps.tolist() == [step for step in range(count) if step != count - 10]
    assert decoded.records == count
    (damage,) = decoded.damage
    assert (damage.kind, damage.offset) == ("payload_checksum", block.offset(count - 9))
    assert damage.bytes_skipped == 16 + len(records[count - 10].payload)
    assert damage.message == "records that would hide others, but do not match their checksum: 1"


def test_a_writer_that_counts_no_steps_is_read_as_ever() -> None:
    records = [VERSION, *(event(simple("a", number), step=None) for number in range(300))]
    decoded = RunDecoder().decode(block_of(records))
    assert decoded.scalars["a"].values.tolist() == list(range(300))
    assert decoded.damage == ()


def test_of_a_writer_that_knows_no_checksums_all_may_go_back() -> None:
    payloads = [VERSION, *(event(simple("a", step), step=step) for step in (5, 6, 2, 3, 1, 9))]
    decoded = RunDecoder().decode(block_with(payloads, range(len(payloads))))
    assert decoded.scalars["a"].steps.tolist() == [5, 6, 2, 3, 1, 9]
    assert decoded.damage == ()


class TestLongRecords:
    """They are read as a whole, once, when they go back: not all of those of a writer that counts no steps."""

    def outlined(self, steps: Sequence[int]) -> RecordBlock:
        """A block of long records, of which nothing but outlines was read."""
        block = block_of([event(image("b", LONG), step=step) for step in steps])
        outlines = {row: event(image("b", b""), step=step) for row, step in enumerate(steps)}
        return replace(block, data=block.data[:0], outlines=outlines)

    def decoder(self) -> RunDecoder:
        begun = RunDecoder()
        begun.decode(block_of([VERSION]))
        return begun

    @pytest.mark.parametrize(
        ("right", "shown"),
        [(lambda _: True, [5, 6, 6, 2, 3]), (lambda _: False, [5, 6, 6]), (None, [5, 6, 6, 2, 3])],
    )
    def test_those_that_go_back_are_read(self, right: Callable[[int], bool] | None, shown: list[int]) -> None:
        compared = []

        def is_right(row: int) -> bool:
            compared.append(row)
            assert right is not None
            return right(row)

        block = self.outlined([5, 6, 6, 2, 3])
        decoded = self.decoder().decode(block, None if right is None else is_right)
        assert steps_of([decoded])["b"] == shown
        assert compared == ([] if right is None else [3] if len(shown) == 5 else [3, 4])

    def test_so_are_they_where_all_was_read(self) -> None:
        payloads = [VERSION, *(event(image("b", LONG), step=step) for step in (5, 6, 2, 7, 7))]
        decoded = RunDecoder().decode(block_with(payloads, [3, 5]))
        assert steps_of([decoded])["b"] == [5, 6, 7, 7]

    def test_but_not_those_of_more_than_a_megabyte(self) -> None:
        block = self.outlined([5, 2])
        block = replace(block, lengths=block.lengths * 17)
        decoded = self.decoder().decode(block, lambda _: pytest.fail("it was read"))
        assert steps_of([decoded])["b"] == [5, 2]

    def test_but_not_where_checksums_are_slow(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(trust, "is_native", lambda: False)
        for size, shown in ((2000, [5]), (5000, [5, 2])):
            payloads = [VERSION, *(event(image("b", bytes(size)), step=step) for step in (5, 2))]
            assert steps_of([RunDecoder().decode(block_with(payloads, [2]))])["b"] == shown
        block = self.outlined([5, 2])
        assert steps_of([self.decoder().decode(block, lambda _: False)])["b"] == [5, 2]
        payloads = [VERSION, *(event(simple("a", step), step=step) for step in (5, 5, 6, 3))]
        assert steps_of([RunDecoder().decode(block_with(payloads, [2, 4]))])["a"] == [5, 5, 6]


def test_the_least_step_there_is_hides_nothing_of_a_tag_without_points() -> None:
    least = -(1 << 63)
    payloads = [VERSION, event(tensor_value("a", tensor(7, []), "scalars"), step=1), event(simple("a", 1), step=least)]
    assert steps_of([RunDecoder().decode(block_with(payloads, [2]))]) == {"a": [least]}


def test_what_was_reached_is_taken_over() -> None:
    first, second = RunDecoder(), RunDecoder()
    first.decode(block_of([VERSION, *(event(simple("a", step), step=step) for step in range(9))]))
    second.learn(first.tags, {"a": np.int64(8)}, has_right=first.has_right)
    block = block_with([event(simple("a", 1), step=step) for step in (3, 9)], [0])
    assert steps_of([second.decode(block)]) == {"a": [9]}
