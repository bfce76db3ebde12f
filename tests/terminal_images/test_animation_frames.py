"""Frames of animations, one at a time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from test_decoding import flipped

from tbtui.terminal_images.decode import Frames, PictureError
from tbtui.terminal_images.header import DEFAULT_FRAME_SECONDS, MIN_FRAME_SECONDS
from tests.helpers.image_files import animation, encoded, photo


def grey(frames: Frames, index: int) -> int:
    return int(frames.at(index).pixels[5, 5, 0])


@pytest.mark.parametrize("kind", ["GIF", "WEBP", "PNG"])
def test_every_frame_is_drawn_over_those_before_it(kind: str) -> None:
    frames = Frames(animation(kind, 4))
    assert len(frames) == 4
    assert [grey(frames, index) for index in range(4)] == [60, 120, 180, 240]
    assert frames.at(2).pixels[0, 0, :3].tolist() == [255, 255, 255]
    assert frames.at(2).pixels.shape[:2] == (16, 16)


@pytest.mark.parametrize("kind", ["GIF", "WEBP", "PNG"])
def test_frames_come_in_any_order(kind: str) -> None:
    frames = Frames(animation(kind, 4))
    assert [grey(frames, index) for index in (3, 0, 2, 2, 1)] == [240, 60, 180, 180, 120]


@pytest.mark.parametrize("kind", ["GIF", "WEBP", "PNG"])
def test_a_frame_is_shown_for_as_long_as_it_says(kind: str) -> None:
    assert [Frames(animation(kind, 2, 250)).at(index).seconds for index in range(2)] == [0.25, 0.25]


@pytest.mark.parametrize("milliseconds", [0, 10])
def test_a_frame_that_claims_next_to_no_time_is_shown_as_browsers_do(milliseconds: int) -> None:
    frames = Frames(animation("GIF", 2, milliseconds))
    assert milliseconds / 1000 < MIN_FRAME_SECONDS
    assert frames.at(1).seconds == DEFAULT_FRAME_SECONDS


def test_frames_have_durations_of_their_own() -> None:
    pictures = [Image.fromarray(photo(8, 8, seed=seed)) for seed in range(3)]
    data = encoded(pictures[0], "GIF", save_all=True, append_images=pictures[1:], duration=[50, 300, 1000])
    frames = Frames(data)
    assert [frames.at(index).seconds for index in range(3)] == [0.05, 0.3, 1.0]


def test_a_picture_that_does_not_move_is_one_frame() -> None:
    frames = Frames(encoded(photo(6, 5)))
    assert len(frames) == 1
    assert np.array_equal(frames.at(0).pixels, photo(6, 5))
    assert np.array_equal(frames.at(0).pixels, photo(6, 5))


def test_a_large_frame_is_brought_down_to_what_is_enough() -> None:
    frames = Frames(animation("GIF", 2, side=160))
    assert frames.at(1, enough=(20, 20)).pixels.shape == (20, 20, 3)


def test_frames_that_are_not_there_are_refused() -> None:
    whole = animation("GIF", 3)
    with pytest.raises(PictureError, match=r"^frame 4 of 3 cannot be decoded$"):
        Frames(whole).at(3)
    cut = Frames(whole[:-12])
    assert len(cut) == 3
    assert grey(cut, 1) == 160
    with pytest.raises(PictureError, match=r"^frame 3 of 3 cannot be decoded$"):
        cut.at(2)
    assert grey(cut, 0) == 80, "and those before it can still be seen"


def test_frames_of_what_is_no_picture_are_refused() -> None:
    with pytest.raises(PictureError, match="text"):
        Frames(b"hello")


@given(st.sampled_from([animation("GIF"), animation("WEBP"), animation("PNG")]), st.data())
def test_damaged_frames_are_decoded_or_refused_and_nothing_else(whole: bytes, data: st.DataObject) -> None:
    damaged = flipped(data, whole)[: data.draw(st.integers(20, len(whole)))]
    try:
        frames = Frames(damaged)
    except PictureError:
        return
    for index in range(min(len(frames), 5)):
        try:
            frame = frames.at(index, enough=(4, 4))
        except PictureError:
            continue
        assert frame.pixels.dtype == np.uint8
        assert frame.pixels.shape[2] in (3, 4)
        assert frame.seconds >= MIN_FRAME_SECONDS
