"""The frames of a film strip are those between which most changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tbtui.terminal_images import frame_selection as filmstrip
from tbtui.terminal_images.decode import Frames
from tbtui.terminal_images.frame_selection import choose_frames, is_scanned, measure_changes, spread_frames
from tbtui.terminal_images.header import read_header
from tests.helpers.image_logs import BLACK, BLUE, RED, WHITE, gif

if TYPE_CHECKING:
    import pytest

changes = st.lists(st.floats(0, 255), min_size=1, max_size=60).map(lambda found: np.array([0.0, *found[1:]]))


@given(changes, st.integers(1, 12))
def test_chosen_frames_ascend_and_begin_and_end_with_the_film(found: np.ndarray, count: int) -> None:
    frames = choose_frames(found, count)
    assert list(frames) == sorted(set(frames))
    assert len(frames) == min(count, len(found))
    assert frames[0] == 0
    if len(frames) > 1:
        assert frames[-1] == len(found) - 1


def test_frames_crowd_where_the_film_changes() -> None:
    found = np.zeros(100)
    found[40:50] = 20.0
    frames = choose_frames(found, 8)
    assert sum(38 <= frame <= 50 for frame in frames) == 6


def test_film_without_changes_is_cut_evenly() -> None:
    assert choose_frames(np.zeros(9), 3) == spread_frames(9, 3) == (0, 4, 8)


def test_changes_are_measured_between_neighbours() -> None:
    found = measure_changes(Frames(gif([BLACK, WHITE, RED, BLUE])))
    assert found.tolist() == [0.0, 255.0, 170.0, 170.0]


def test_large_film_is_not_scanned(monkeypatch: pytest.MonkeyPatch) -> None:
    header = read_header(gif([RED, BLUE]))
    assert is_scanned(header)
    monkeypatch.setattr(filmstrip, "MAX_SCANNED_PIXELS", 127)
    assert not is_scanned(header)
