from __future__ import annotations

import math
import struct
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.events.decoder import RunDecoder
from tbtui.events.schema import get_message_class
from tbtui.events.values import read_value
from tbtui.tfrecord.framing import RecordBlock
from tests.helpers.event_bytes import block_of, double, event, field, image, metadata, simple, tensor, tensor_value

if TYPE_CHECKING:
    from tbtui.events.block import EventBlock


def decode(*payloads: bytes) -> EventBlock:
    return RunDecoder().decode(block_of(payloads))


def with_wrong_checksum(block: RecordBlock, row: int) -> RecordBlock:
    data = block.data.copy()
    data[block.starts[row] + block.lengths[row]] ^= 0xFF
    return replace(block, data=data)


class TestScalars:
    def test_decode_columns_hold_step_time_and_value(self) -> None:
        block = decode(event(simple("a", 0.5), step=1, wall_time=10), event(simple("a", -1), step=3, wall_time=12.5))
        columns = block.scalars["a"]
        assert columns.steps.tolist() == [1, 3]
        assert columns.wall_times.tolist() == [10, 12.5]
        assert columns.values.tolist() == [0.5, -1]
        assert block.references == {}

    @pytest.mark.parametrize(
        ("number", "expected"),
        [
            (tensor(2, None, double_val=[1 / 3]), 1 / 3),
            (tensor(19, [], half_val=[0x3800]), 0.5),
            (tensor(3, [], int_val=[-4]), -4.0),
            (tensor(10, [1], bool_val=[True]), 1.0),
            (tensor(14, [], tensor_content=b"\x80\x3f"), 1.0),
        ],
    )
    def test_decode_every_real_type_is_a_number(self, number: Any, expected: float) -> None:
        assert decode(event(tensor_value("a", number, "scalars"))).scalars["a"].values.tolist() == [expected]

    def test_decode_later_values_need_no_metadata(self) -> None:
        decoder = RunDecoder()
        bare = event(tensor_value("a", tensor(1, [], float_val=[2])))
        first = decoder.decode(block_of([event(tensor_value("a", tensor(1, [], float_val=[1]), "scalars"))]))
        later = decoder.decode(block_of([bare, event(simple("a", 3)), bare]))
        assert [info.tag for info in first.new_tags] == ["a"]
        assert later.new_tags == ()
        assert later.scalars["a"].values.tolist() == [2, 3, 2]

    def test_decode_values_without_number_are_one_damage(self) -> None:
        vector = tensor(1, [3], float_val=[1, 2, 3])
        payloads = [event(simple("a", 1))] + [event(tensor_value("a", vector)), event(image("a", b"png"))] * 50
        block = decode(*payloads)
        assert block.scalars["a"].values.tolist() == [1]
        assert block.records == 101
        (damage,) = block.damage
        assert (damage.kind, damage.bytes_skipped) == ("undecodable", 0)
        assert damage.offset == 16 + len(payloads[0])
        assert damage.message == "values of scalar tag 'a' that are not numbers: 100"


class TestReferences:
    def test_decode_reference_finds_its_value(self) -> None:
        payloads = [event(image("a", b"%d" % i), simple("n", i), image("b", b"%d!" % i), step=i) for i in range(5)]
        block = block_of(payloads, base=1000)
        columns = RunDecoder().decode(block).references["b"]
        assert columns.steps.tolist() == list(range(5))
        for i in range(5):
            begin, length = int(columns.offsets[i]) - 1000, int(columns.lengths[i])
            value = read_value(block.data[begin : begin + length].tobytes(), int(columns.indices[i]))
            assert value.tensor.string_val[2] == b"%d!" % i

    def test_decode_non_scalar_value_is_kept(self) -> None:
        block = decode(event(image("a", b"png")), event(simple("a", 1)), event(field(1, b"a")))
        assert len(block.references["a"].offsets) == 3
        assert block.damage == ()

    def test_decode_empty_value_is_an_image_without_a_picture(self) -> None:
        block = decode(event(field(1, b"vid")))
        assert block.new_tags[0].plugin_name == "images"
        assert len(block.references["vid"].offsets) == 1

    def test_decode_hyperparameters_have_only_metadata(self) -> None:
        block = decode(event(field(1, b"_hparams_/experiment") + metadata("hparams", b"content")))
        assert (block.new_tags[0].plugin_name, block.new_tags[0].content) == ("hparams", b"content")
        assert len(block.references["_hparams_/experiment"].offsets) == 1


class TestEvents:
    def test_decode_reads_version_and_writer(self) -> None:
        version = get_message_class("Event")(wall_time=5, file_version="brain.Event:2")
        version.source_metadata.writer = "some.writer"
        block = decode(version.SerializeToString(), event(simple("a", 1), wall_time=6))
        assert (block.file_version, block.writer) == ("brain.Event:2", "some.writer")
        assert (block.first_wall_time, block.last_wall_time, block.records) == (5, 6, 2)

    def test_decode_reads_session_starts(self) -> None:
        events = [get_message_class("Event")(wall_time=t, step=10 * t) for t in (1, 2, 3)]
        for one, status in zip(events, (1, 2, 1), strict=True):
            one.session_log.status = status
        assert decode(*(one.SerializeToString() for one in events)).session_starts == ((10, 1.0), (30, 3.0))

    def test_decode_empty_block_has_no_values(self) -> None:
        empty = np.empty(0, np.int64)
        nothing = RecordBlock(np.empty(0, np.uint8), empty, empty, empty, (), at_end=True, truncated=False)
        block = RunDecoder().decode(nothing)
        assert (block.records, block.first_wall_time, block.new_tags, block.scalars) == (0, None, (), {})

    def test_decode_empty_event_is_an_event(self) -> None:
        assert decode(b"").records == 1

    def test_decode_log_messages_are_skipped(self) -> None:
        block = decode(double(1, 3.0) + field(6, field(1, 20) + field(2, b"started")))
        assert (block.records, block.new_tags, block.damage) == (1, (), ())

    @pytest.mark.parametrize("count", [1, 50])
    def test_decode_nan_wall_time_is_reported_and_kept(self, count: int) -> None:
        payloads = [event(simple("a", 1), wall_time=7)]
        payloads += [event(simple("a", 2), wall_time=math.nan, step=3)] * count
        block = decode(*payloads)
        assert len(block.scalars["a"].values) == count + 1
        assert (block.first_wall_time, block.last_wall_time) == (7, 7)
        (damage,) = block.damage
        assert (damage.kind, damage.offset, damage.bytes_skipped) == ("nan_wall_time", 16 + len(payloads[0]), 0)
        assert damage.message.endswith(f": {count}")


class TestDamage:
    good = event(simple("a", 1))

    def test_decode_invalid_event_is_skipped(self) -> None:
        block = decode(self.good, b"\xff\xff\xff", self.good)
        assert (block.records, block.scalars["a"].values.tolist()) == (2, [1, 1])
        (damage,) = block.damage
        assert (damage.kind, damage.offset, damage.bytes_skipped) == ("undecodable", 16 + len(self.good), 19)

    def test_decode_wrong_checksum_and_no_event_reports_the_checksum(self) -> None:
        block = with_wrong_checksum(block_of([self.good, b"\xff\xff\xff", self.good]), 1)
        (damage,) = RunDecoder().decode(block).damage
        assert (damage.kind, damage.bytes_skipped) == ("payload_checksum", 19)

    def test_decode_wrong_checksum_skips_the_record(self) -> None:
        block = with_wrong_checksum(block_of([event(simple("a", 1), step=step) for step in (4, 5, 6)]), 1)
        decoded = RunDecoder().decode(block)
        assert decoded.scalars["a"].steps.tolist() == [4, 6]
        assert [(d.kind, d.offset, d.bytes_skipped) for d in decoded.damage] == [
            ("payload_checksum", 16 + len(self.good), 16 + len(self.good))
        ]

    def test_decode_invalid_record_adds_no_tag_metadata(self) -> None:
        decoder = RunDecoder()
        text = event(tensor_value("b", tensor(7, [], string_val=[b"x"]), "text"))
        block = with_wrong_checksum(block_of([self.good, text, self.good, event(simple("b", 2))]), 1)
        decoded = decoder.decode(block)
        assert [(info.tag, info.plugin_name) for info in decoded.new_tags] == [("a", "scalars"), ("b", "scalars")]
        assert decoded.scalars["b"].values.tolist() == [2]
        assert decoded.references == {}
        assert decoded.records == 3
        (damage,) = decoded.damage
        assert (damage.kind, damage.offset) == ("payload_checksum", 16 + len(self.good))
        assert damage.bytes_skipped == 16 + len(text)
        assert damage.message == "records that do not match their checksum: 1"

    def test_decode_invalid_record_adds_no_values(self) -> None:
        both = event(simple("a", 2), simple("b", 3))
        decoded = RunDecoder().decode(with_wrong_checksum(block_of([self.good, both, self.good]), 1))
        assert decoded.scalars.keys() == {"a"}
        assert decoded.scalars["a"].values.tolist() == [1, 1]

    def test_decode_wrong_record_sets_no_writer_and_no_graph(self) -> None:
        version = get_message_class("Event")(wall_time=math.nan, file_version="brain.Event:9")
        version.source_metadata.writer = "nobody"
        graph = double(1, 1.5e9) + field(4, b"graph")
        for payload in (version.SerializeToString(), graph):
            decoded = RunDecoder().decode(with_wrong_checksum(block_of([self.good, payload]), 1))
            assert (decoded.file_version, decoded.writer, decoded.references) == (None, None, {})
            assert decoded.last_wall_time == 1.5e9
            assert [damage.kind for damage in decoded.damage] == ["payload_checksum"]

    def test_decode_file_without_checksums_uses_and_reports_all(self) -> None:
        block = block_of([double(1, 1.5e9) + field(3, b"brain.Event:2"), *(event(simple(tag, 1)) for tag in "abca")])
        for row in range(len(block)):
            block = with_wrong_checksum(block, row)
        decoder = RunDecoder()
        decoded = decoder.decode(block)
        assert (list(decoded.scalars), decoded.file_version) == (["a", "b", "c"], "brain.Event:2")
        assert decoded.scalars["a"].values.tolist() == [1, 1]
        (damage,) = decoded.damage
        assert (damage.kind, damage.offset, damage.bytes_skipped) == ("payload_checksum", 0, 0)
        assert damage.message == "records without a valid checksum that are used: 5"
        assert decoder.verified_files == set()

    def test_decode_judges_each_file_by_its_own_checksums(self) -> None:
        decoder = RunDecoder()
        wrong = with_wrong_checksum(block_of([self.good]), 0)
        assert decoder.decode(block_of([self.good])).records == 1
        assert decoder.decode(wrong, file=1).records == 1
        assert decoder.decode(wrong).records == 0
        assert decoder.verified_files == {0}

    def test_decode_wrong_records_before_the_first_right_one_are_used(self) -> None:
        block = block_of([event(simple("a", 1), step=step) for step in range(4)])
        for row in (0, 2):
            block = with_wrong_checksum(block, row)
        decoded = RunDecoder().decode(block)
        assert decoded.scalars["a"].steps.tolist() == [0, 1, 3]
        assert [damage.bytes_skipped for damage in decoded.damage] == [0, 16 + len(self.good)]

    def test_decode_partial_invalid_record_is_used_until_read(self) -> None:
        block = with_wrong_checksum(block_of([self.good, event(image("b", bytes(1 << 16)))]), 1)
        decoded = RunDecoder().decode(replace(block, partial_payloads={1: event(image("b", b""))}))
        assert (list(decoded.references), decoded.damage) == (["b"], ())
        assert list(RunDecoder().decode(block).references) == []

    def test_decode_many_bad_records_are_one_damage(self) -> None:
        (damage,) = decode(*[b"\xff\xff\xff"] * 1000).damage
        assert damage.message == "records that hold no event: 1,000"
        assert damage.bytes_skipped == 19_000

    def test_decode_lost_first_value_uses_the_next_metadata(self) -> None:
        block = decode(b"\xff", event(tensor_value("a", tensor(1, [], float_val=[1]), "scalars")), self.good)
        assert block.new_tags[0].plugin_name == "scalars"

    def test_decode_invalid_utf8_tags_are_readable_and_distinct(self) -> None:
        block = decode(*(event(field(1, tag) + field(2, 1.0)) for tag in (b"gr\xf6\xdfe", b"gr\xfc\xdfe")))
        assert list(block.scalars) == [r"gr\xf6\xdfe", r"gr\xfc\xdfe"]

    def test_decode_control_characters_of_a_tag_are_escaped_in_messages(self) -> None:
        tag = "\x1b[31m\n" + "x" * 5000
        block = decode(event(simple(tag, 1)), event(image(tag, b"png")))
        assert block.damage[0].message.isprintable()
        assert len(block.damage[0].message) < 200

    @given(st.lists(st.binary(max_size=50) | st.binary(max_size=20).map(lambda b: struct.pack("<Bd", 9, 1.0) + b)))
    def test_decode_arbitrary_payloads_never_raise(self, payloads: list[bytes]) -> None:
        block = decode(*payloads)
        lost = sum(d.bytes_skipped for d in block.damage)
        assert (block.records == len(payloads)) == (lost == 0)
