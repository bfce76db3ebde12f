"""The sounds of a value, whatever its writer was."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.events.schema import get_message_class
from tbtui.events.tensors import make_tensor
from tbtui.events.values import StaleValueError
from tbtui.plugins.audio.decode import SoundsError, count_sounds, read_sounds


def event(*tensors: np.ndarray, tag: str = "tone") -> bytes:
    made = get_message_class("Event")(wall_time=5.0, step=3)
    for tensor in tensors:
        made.summary.value.add(tag=tag).tensor.CopyFrom(make_tensor(tensor))
    return bytes(made.SerializeToString())


def strings(rows: list[list[bytes]]) -> np.ndarray:
    array = np.empty((len(rows), len(rows[0])), object)
    array[:] = rows
    return array


def test_sounds_tensor_has_one_labelled_sound_per_row() -> None:
    sounds = read_sounds(event(strings([[b"one", b"*first*"], [b"two", b"\xff"]])), 0)
    assert [(sound.data, sound.label) for sound in sounds] == [(b"one", "*first*"), (b"two", "\ufffd")]


def test_sounds_labels_may_be_missing() -> None:
    array = np.empty(2, object)
    array[:] = [b"one", b"two"]
    assert [(sound.data, sound.label) for sound in read_sounds(event(array), 0)] == [(b"one", ""), (b"two", "")]


def test_sounds_old_format_is_one_sound() -> None:
    made = get_message_class("Event")()
    old = made.summary.value.add(tag="tone").audio
    old.encoded_audio_string, old.content_type = b"RIFF", "audio/wav"
    (sound,) = read_sounds(made.SerializeToString(), 0)
    assert (sound.data, sound.content_type) == (b"RIFF", "audio/wav")


def test_sounds_invalid_value_is_refused() -> None:
    with pytest.raises(SoundsError, match="a tensor of float32"):
        read_sounds(event(np.zeros(3, np.float32)), 0)
    cube = np.empty((1, 1, 1), object)
    cube[:] = b"x"
    with pytest.raises(SoundsError, match="shape 1×1×1"):
        read_sounds(event(cube), 0)
    made = get_message_class("Event")()
    made.summary.value.add(tag="loss", simple_value=1.0)
    with pytest.raises(SoundsError, match="holds no sounds"):
        read_sounds(made.SerializeToString(), 0)
    with pytest.raises(StaleValueError):
        read_sounds(b"\xff", 0)


def test_sounds_are_counted_without_reading() -> None:
    big = b"x" * 100_000
    one, three = strings([[b"a", b""]]), strings([[big, b""]] * 3)
    assert count_sounds(event(three)[:300], 0) == 3
    assert count_sounds(event(one, three)[:300], 0) == 1
    assert count_sounds(event(one, three)[:300], 1) == 3
    assert count_sounds(event(three, one)[:300], 1) is None
    assert count_sounds(event(one), 2) is None


@given(st.binary(max_size=200), st.integers(-1, 3))
def test_sounds_count_of_garbage_is_none_or_not_negative(head: bytes, index: int) -> None:
    count = count_sounds(head, index)
    assert count is None or count >= 0
