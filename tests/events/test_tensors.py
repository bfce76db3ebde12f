from __future__ import annotations

import struct
import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.events.schema import get_message_class
from tbtui.events.tensors import TensorError, compute_float8_table, decode_real, make_tensor, read_scalar, to_array
from tests.helpers.event_bytes import tensor

FLOAT32_ONE = 1065353216
"""The bits of 1.0 as a 32-bit float, which PyTorch puts in `half_val`."""


@pytest.mark.parametrize(
    ("dtype", "numpy_type", "values"),
    [
        (1, "<f4", [1.5, -2, np.nan, np.inf]),
        (2, "<f8", [1 / 3, 1e300]),
        (3, "<i4", [-(2**31), 2**31 - 1]),
        (4, "u1", [0, 255]),
        (5, "<i2", [-32768, 32767]),
        (6, "i1", [-128, 127]),
        (8, "<c8", [1 + 2j]),
        (9, "<i8", [-(2**63), 2**63 - 1]),
        (10, "?", [True, False]),
        (11, "i1", [-1]),
        (12, "u1", [200]),
        (13, "<i4", [-5]),
        (15, "<i2", [-5]),
        (16, "<u2", [65535]),
        (17, "<u2", [65535]),
        (18, "<c16", [1 / 3 - 1j]),
        (19, "<f2", [0.5, -65504]),
        (22, "<u4", [2**32 - 1]),
        (23, "<u8", [2**64 - 1]),
        (101, "<f4", [2.5]),
    ],
)
def test_tensor_raw_content_of_every_type(dtype: int, numpy_type: str, values: list[Any]) -> None:
    expected = np.array(values, numpy_type)
    array = to_array(tensor(dtype, [len(values)], tensor_content=expected.tobytes()))
    assert array.dtype == expected.dtype
    np.testing.assert_array_equal(array, expected)


@pytest.mark.parametrize(
    ("dtype", "fields", "expected"),
    [
        (1, {"float_val": [1.5, -2]}, np.array([1.5, -2], "<f4")),
        (2, {"double_val": [1 / 3, 1e300]}, np.array([1 / 3, 1e300])),
        (3, {"int_val": [-7, 7]}, np.array([-7, 7], "<i4")),
        (4, {"int_val": [0, 255]}, np.array([0, 255], "u1")),
        (6, {"int_val": [-128, 1]}, np.array([-128, 1], "i1")),
        (8, {"scomplex_val": [1, 2, 3, 4]}, np.array([1 + 2j, 3 + 4j], "<c8")),
        (18, {"dcomplex_val": [1, 2, 3, 4]}, np.array([1 + 2j, 3 + 4j])),
        (9, {"int64_val": [-(2**63), 5]}, np.array([-(2**63), 5])),
        (10, {"bool_val": [True, False]}, np.array([True, False])),
        (14, {"half_val": [0x3F80, 0xC000]}, np.array([1, -2], "<f4")),
        (19, {"half_val": [0x3C00, 0xC000]}, np.array([1, -2], "<f2")),
        (22, {"uint32_val": [2**32 - 1, 0]}, np.array([2**32 - 1, 0], "<u4")),
        (23, {"uint64_val": [2**64 - 1, 0]}, np.array([2**64 - 1, 0], "<u8")),
        (24, {"float8_val": b"\x3c\xc0"}, np.array([1, -2], "<f4")),
        (25, {"float8_val": b"\x38\xc0"}, np.array([1, -2], "<f4")),
        pytest.param(19, {"half_val": [FLOAT32_ONE, 0]}, np.array([1, 0], "<f2"), id="PyTorch half"),
        pytest.param(14, {"half_val": [FLOAT32_ONE, -1082130432]}, np.array([1, -1], "<f4"), id="PyTorch bfloat16"),
        pytest.param(4, {"uint32_val": [3, 200]}, np.array([3, 200], "u1"), id="PyTorch uint8"),
        pytest.param(1, {"double_val": [0.5, 2]}, np.array([0.5, 2], "<f4"), id="another type's field"),
        pytest.param(14, {"float_val": [0.5, 2]}, np.array([0.5, 2], "<f4"), id="another field for bfloat16"),
    ],
)
def test_tensor_typed_fields(dtype: int, fields: dict[str, Any], expected: np.ndarray) -> None:
    array = to_array(tensor(dtype, [2], **fields))
    assert array.dtype == expected.dtype
    np.testing.assert_array_equal(array, expected)


def test_tensor_bfloat16_is_the_upper_half_of_a_float() -> None:
    array = to_array(tensor(14, [3], tensor_content=b"\x80\x3f\x00\xc0\x80\x7f"))
    assert array.tolist() == [1.0, -2.0, np.inf]


@pytest.mark.parametrize(
    ("dtype", "known"),
    [
        (24, {0x00: 0, 0x3C: 1, 0x7B: 57344, 0x01: 2**-16, 0x7C: np.inf, 0xFC: -np.inf, 0x7D: np.nan, 0x80: -0.0}),
        (25, {0x00: 0, 0x38: 1, 0x7E: 448, 0x01: 2**-9, 0x7F: np.nan, 0xFF: np.nan, 0xB8: -1}),
        (26, {0x00: 0, 0x40: 1, 0x7F: 240, 0x01: 2**-10, 0x80: np.nan, 0xC0: -1}),
        (27, {0x00: 0, 0x58: 1, 0x7F: 30, 0x01: 2**-13, 0x80: np.nan}),
        (28, {0x00: 0, 0x40: 1, 0x7F: 57344, 0x01: 2**-17, 0x80: np.nan}),
    ],
)
def test_tensor_8_bit_floats(dtype: int, known: dict[int, float]) -> None:
    raw = bytes(known)
    np.testing.assert_array_equal(to_array(tensor(dtype, [len(known)], tensor_content=raw)), list(known.values()))
    assert np.isnan(compute_float8_table(dtype)).sum() == {24: 6, 25: 2}.get(dtype, 1)


def test_tensor_8_bit_float_with_5_exponent_bits_is_the_upper_half_byte() -> None:
    halves = (np.arange(256, dtype="<u2") << np.uint16(8)).view("<f2").astype("<f4")
    np.testing.assert_array_equal(compute_float8_table(24), halves)


class TestShape:
    def test_tensor_single_value_fills_the_shape(self) -> None:
        assert to_array(tensor(1, [2, 3], float_val=[7])).tolist() == [[7.0] * 3] * 2

    def test_tensor_shorter_list_repeats_its_last_value(self) -> None:
        assert to_array(tensor(3, [5], int_val=[1, 2, 9])).tolist() == [1, 2, 9, 9, 9]

    def test_tensor_without_values_is_zeros(self) -> None:
        assert to_array(tensor(1, [2])).tolist() == [0.0, 0.0]
        assert to_array(tensor(7, [2])).tolist() == [b"", b""]

    def test_tensor_empty_message_is_empty(self) -> None:
        assert to_array(tensor(1, [0])).shape == (0,)
        assert to_array(get_message_class("TensorProto")()).shape == (0,)

    def test_tensor_without_a_shape_is_a_scalar(self) -> None:
        array = to_array(tensor(2, None, double_val=[0.25]))
        assert (array.shape, array.item()) == ((), 0.25)

    def test_tensor_several_values_without_a_shape_are_flat(self) -> None:
        assert to_array(tensor(2, None, double_val=[1, 2])).tolist() == [1.0, 2.0]
        assert to_array(tensor(1, [-1], float_val=[1, 2])).tolist() == [1.0, 2.0]

    def test_tensor_content_precedes_typed_fields(self) -> None:
        both = tensor(1, [], tensor_content=struct.pack("<f", 3), float_val=[5])
        assert to_array(both).item() == 3

    def test_tensor_strings_stay_bytes(self) -> None:
        array = to_array(tensor(7, [2, 1], string_val=[b"\xff", b""]))
        assert (array.dtype, array.tolist()) == (np.dtype(object), [[b"\xff"], [b""]])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (tensor(20, []), "of type resource cannot be shown"),
        (tensor(29, [4], tensor_content=b"ab"), "of type int4 cannot be shown"),
        (tensor(77, [], float_val=[1]), "of type number 77 cannot be shown"),
        (tensor(0, [], float_val=[1]), "of type number 0 cannot be shown"),
        (tensor(1, [2**20, 2**20], float_val=[1]), "1048576x1048576 is too large"),
        (tensor(1, [2**40]), "too large"),
        (tensor(2, [2**22 + 1], double_val=[1]), r"\[4194305\] is too large"),
        (tensor(1, [2**40, 0, 2**40]), "too large"),
        (tensor(1, [1] * 100, float_val=[1]), "1x1x1x1x1x1x1x1x… is too large"),
        (tensor(1, [2**40], tensor_content=b"abcd"), "holds only 1 values"),
        (tensor(1, [1], tensor_content=b"abcdefgh"), "holds 2 values"),
        (tensor(1, [1], tensor_content=b"abcde"), "no whole number"),
        (tensor(7, [1], tensor_content=b"abcde"), "strings holds raw bytes"),
        (tensor(1, [1], string_val=[b"5"]), "type float holds strings"),
        (tensor(1, [1], scomplex_val=[1, 2]), "type float holds complex numbers"),
    ],
)
def test_tensor_unsupported_gives_a_reason(wrong: Any, message: str) -> None:
    with pytest.raises(TensorError, match=message):
        to_array(wrong)


@pytest.mark.parametrize(
    ("single", "expected"),
    [
        (tensor(1, [], float_val=[0.5]), 0.5),
        (tensor(1, None, float_val=[0.5]), 0.5),
        (tensor(1, [], tensor_content=struct.pack("<f", 2)), 2.0),
        (tensor(2, [1, 1], double_val=[1 / 3]), 1 / 3),
        (tensor(9, [], int64_val=[-3]), -3.0),
        (tensor(10, [], bool_val=[True]), 1.0),
        (tensor(19, [], half_val=[0x3C00]), 1.0),
        (tensor(1, []), 0.0),
        (tensor(1, [2], float_val=[1]), None),
        (tensor(1, [0]), None),
        (tensor(7, [], string_val=[b"5"]), None),
        (tensor(8, [], scomplex_val=[1, 2]), None),
        (tensor(1, [], dcomplex_val=[1, 2]), None),
        (tensor(19, [], half_val=[0x7F000000]), np.inf),
        (tensor(1, [], double_val=[1e300]), np.inf),
        (tensor(1, None, float_val=[1, 2]), None),
        (tensor(29, []), None),
        (tensor(1, [], tensor_content=b"abc"), None),
    ],
)
def test_tensor_scalar_is_one_real_number(single: Any, expected: float | None) -> None:
    assert read_scalar(single) == expected


def test_tensor_words_hold_values_in_their_first_bytes() -> None:
    assert decode_real(10, np.array([0x02, 0x100], np.uint64)).tolist() == [1.0, 0.0]
    assert decode_real(14, np.array([0xFFFF3F80], np.uint64)).tolist() == [1.0]
    assert decode_real(6, np.array([0x80], np.uint64)).tolist() == [-128.0]


fields = st.sampled_from(["float_val", "double_val", "int_val", "int64_val", "bool_val", "half_val", "uint32_val"])
any_tensor = st.builds(
    lambda dtype, shape, content, name, values: tensor(dtype, shape, tensor_content=content, **{name: values}),
    st.integers(-5, 140),
    st.none() | st.lists(st.integers(-2, 5) | st.just(2**40), max_size=3),
    st.binary(max_size=20),
    fields,
    st.lists(st.integers(0, 1), max_size=6),
)


@given(any_tensor)
def test_tensor_any_message_has_its_shape_or_is_refused(given_tensor: Any) -> None:
    try:
        array = to_array(given_tensor)
    except TensorError:
        return
    sizes = [dim.size for dim in given_tensor.tensor_shape.dim]
    if given_tensor.HasField("tensor_shape") and min(sizes, default=0) >= 0:
        assert list(array.shape) == sizes


@pytest.mark.parametrize(
    "array", [np.array(1.5, "f4"), np.arange(6.0).reshape(2, 3), np.array([[b"a", b""]], object), np.zeros((0, 3))]
)
def test_tensor_made_from_an_array_reads_as_the_array(array: np.ndarray) -> None:
    read = to_array(make_tensor(array))
    assert (read.dtype, read.shape) == (array.dtype, array.shape)
    np.testing.assert_array_equal(read, array)


def test_tensor_shape_with_too_many_dimensions_is_refused() -> None:
    many = tensor(1, [2] * 300_000, float_val=[1])
    began = time.process_time()
    assert read_scalar(many) is None
    with pytest.raises(TensorError, match=r"^a tensor of 300,000 dimensions is too large to show$"):
        to_array(many)
    assert time.process_time() - began < 1
