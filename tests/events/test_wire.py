from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.events.schema import get_message_class
from tbtui.events.wire import (
    BYTES,
    FIXED64,
    VARINT,
    Messages,
    Words,
    choose_field,
    decode_varints,
    encode_field_key,
    read_table,
    view_words,
)
from tests.helpers.event_bytes import double, field, varint

NUMBER, REAL, TEXT = encode_field_key(1, VARINT), encode_field_key(2, FIXED64), encode_field_key(3, BYTES)
KEYS = (NUMBER, REAL, TEXT)


def buffer(*messages: bytes) -> tuple[Words, Messages]:
    sizes = np.array([len(message) for message in messages], np.int64)
    ends = np.cumsum(sizes)
    return view_words(np.frombuffer(b"".join(messages) + bytes(8), np.uint8)), Messages(ends - sizes, ends)


@given(st.lists(st.integers(0, 2**64 - 1), max_size=20))
def test_read_varints_of_up_to_eight_bytes(numbers: list[int]) -> None:
    words = [int.from_bytes((varint(number) + b"\xff" * 8)[:8], "little") for number in numbers]
    found, widths = decode_varints(np.array(words, np.uint64))
    for number, value, width in zip(numbers, found.tolist(), widths.tolist(), strict=True):
        assert width == (len(varint(number)) if len(varint(number)) <= 8 else 0)
        assert value == number or not width


def test_read_table_fields_in_any_order_become_columns() -> None:
    words, messages = buffer(
        field(1, 300) + double(2, 2.5) + field(3, b"abc"),
        field(3, b"") + field(1, 1 << 40),
        b"",
        double(2, -1.0) + field(3, b"x" * 1000),
    )
    found = read_table(words, messages, KEYS)
    assert found.plain.all()
    assert found.has(2).tolist() == [True, True, False, True]
    assert found.numbers(0, words).tolist() == [300, 1 << 40, 0, 0]
    assert found.doubles(1, words).tolist() == [2.5, 0, 0, -1]
    assert found.messages(2).sizes.tolist() == [3, 0, 0, 1000]


@pytest.mark.parametrize(
    "odd",
    [
        pytest.param(field(1, 1) + field(1, 2), id="twice"),
        pytest.param(field(4, 1), id="a field not asked for"),
        pytest.param(field(2, 1), id="another wire type"),
        pytest.param(field(16, 1), id="a key of two bytes"),
        pytest.param(field(1, -1), id="a negative number"),
        pytest.param(field(1, 1 << 50), id="a number of eight bytes"),
        pytest.param(varint(NUMBER) + b"\x80" * 11, id="a number without end"),
        pytest.param(varint(TEXT) + varint(1 << 20) + b"abc", id="longer than the message"),
        pytest.param(varint(REAL) + b"1234567", id="cut off"),
        pytest.param(varint(NUMBER), id="a key alone"),
        pytest.param(b"\x0b", id="a group"),
        pytest.param(b"\0\0", id="field number 0"),
    ],
)
def test_read_table_unusual_message_is_not_plain(odd: bytes) -> None:
    right = field(1, 7) + double(2, 3.0)
    words, messages = buffer(right, odd, field(3, b"abc") + odd, right)
    found = read_table(words, messages, KEYS)
    assert found.plain.tolist() == [True, False, False, True]
    assert found.numbers(0, words)[[0, 3]].tolist() == [7, 7]


def test_read_table_repeated_field_is_selected_per_message() -> None:
    inside = field(3, b"a") + field(3, b"bc") + field(3, b"def")
    words, messages = buffer(inside, inside, inside, inside, field(1, 1) + inside, b"")
    chosen = choose_field(words, messages, TEXT, np.array([0, 2, 3, -1, 0, 0]))
    assert chosen.found.tolist() == [True, True, False, False, False, False]
    assert chosen.messages.sizes.tolist() == [1, 3, 0, 0, 0, 0]
    assert chosen.rest.sizes.tolist() == [len(inside) - 3, 0, 0, 0, 0, 0]


pieces = st.sampled_from(
    [field(1, 3), field(2, b"rows"), varint(8), varint(18), b"\x80", double(1, 1.0), field(2, b"")]
)


@given(st.lists(st.lists(pieces | st.binary(max_size=4), max_size=4).map(b"".join), max_size=30))
def test_read_table_plain_rows_equal_protobuf(messages: list[bytes]) -> None:
    words, places = buffer(*messages)
    found = read_table(words, places, (encode_field_key(1, VARINT), encode_field_key(2, BYTES)))
    data = b"".join(messages)
    for row in np.flatnonzero(found.plain).tolist():
        dim = get_message_class("Dim").FromString(messages[row])
        name = data[found.begins[1, row] : found.ends[1, row]]
        assert (found.numbers(0, words)[row], name) == (dim.size, raw(dim.name))


def raw(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text


def test_read_table_last_message_needs_eight_bytes_after_it() -> None:
    content = double(2, 1.5)
    words = view_words(np.frombuffer(content + bytes(8), np.uint8))
    assert len(words) == len(content) + 1
    assert struct.unpack("<d", words[1:2].tobytes()) == (1.5,)
