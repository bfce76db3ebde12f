"""The pictures of one step, and how many there are, told from its first bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.events.schema import get_message_class
from tbtui.events.tensors import make_tensor
from tbtui.plugins.images.decode import ImageError, Pictures, count_in, read_pictures


def vector(*entries: bytes) -> Any:
    """A `SummaryValue` with a row of strings."""
    array = np.empty(len(entries), object)
    array[:] = entries
    return get_message_class("SummaryValue")(tag="x", tensor=make_tensor(array))


def old(width: int, height: int, data: bytes) -> Any:
    value = get_message_class("SummaryValue")(tag="x")
    value.image.width, value.image.height, value.image.encoded_image_string = width, height, data
    return value


def event(*values: Any) -> bytes:
    made = get_message_class("Event")(wall_time=1.5, step=2**40)
    made.summary.value.extend(values)
    data: bytes = made.SerializeToString()
    return data


def test_image_value_pictures_follow_width_and_height() -> None:
    assert read_pictures(vector(b"16", b"8", b"one", b"two")) == Pictures((b"one", b"two"), (16, 8))
    assert read_pictures(vector(b"16", b"8")) == Pictures((), (16, 8))
    assert read_pictures(old(3, 4, b"png")) == Pictures((b"png",), (3, 4))


@pytest.mark.parametrize("width", [b"", b"-1", b"wide", b"1e3", b"9" * 5000, b"\xff", "²".encode()])
def test_image_value_invalid_sizes_are_unknown(width: bytes) -> None:
    assert read_pictures(vector(width, b"8", b"one")) == Pictures((b"one",), None)


def test_image_value_of_another_kind_has_no_pictures() -> None:
    numbers = get_message_class("SummaryValue")(tensor=make_tensor(np.zeros((3, 4))))
    row = np.empty((1, 3), object)
    row[:] = b"a"
    matrix = get_message_class("SummaryValue")(tensor=make_tensor(row))
    for value, said in (
        (get_message_class("SummaryValue")(simple_value=1.0), "this value holds no image"),
        (get_message_class("SummaryValue")(), "an empty value: PyTorch's add_video writes one with moviepy 2"),
        (numbers, "images are logged as a vector of strings, not as a tensor of float64 and shape 3x4"),
        (matrix, "images are logged as a vector of strings, not as a tensor of object and shape 1x3"),
        (vector(b"1"), "images are logged as a vector of strings, not as a tensor of object and shape [1]"),
    ):
        with pytest.raises(ImageError) as refused:
            read_pictures(value)
        assert str(refused.value) == said


def test_image_value_unknown_tensor_type_is_reported() -> None:
    value = get_message_class("SummaryValue")()
    value.tensor.dtype = 21
    with pytest.raises(ImageError, match="cannot be shown"):
        read_pictures(value)


@given(st.lists(st.binary(max_size=300), max_size=12), st.integers(0, 2), st.integers(0, 4000))
def test_image_value_partial_bytes_give_the_count_or_none(pictures: list[bytes], before: int, length: int) -> None:
    values = [get_message_class("SummaryValue")(tag="a", simple_value=1.0)] * before
    data = event(*values, vector(b"1", b"2", *pictures), old(1, 1, b"x"))
    assert count_in(data, before) == len(pictures)
    assert count_in(data, before + 1) == 1
    assert count_in(data, before + 2) is None
    assert count_in(data[:length], before) in (len(pictures), None)
    assert count_in(data[:200], before) == len(pictures)


@given(st.binary(max_size=200), st.integers(0, 3))
def test_image_value_count_of_garbage_is_a_number_or_none(data: bytes, index: int) -> None:
    count = count_in(data, index)
    assert count is None or count >= 0


def test_image_value_numbers_have_no_pictures() -> None:
    assert count_in(event(get_message_class("SummaryValue")(tensor=make_tensor(np.zeros((3, 4))))), 0) is None
    assert count_in(event(get_message_class("SummaryValue")(tag="x", simple_value=3.0)), 0) is None
    assert count_in(get_message_class("Event")(file_version="brain.Event:2").SerializeToString(), 0) is None
