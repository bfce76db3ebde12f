"""Which part of a picture is seen, and what the keys make of it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.plugins.images import transitions
from tbtui.plugins.images.settings import BRIGHTNESS, CONTRAST, OWN_STEPS, ImageViewport
from tbtui.plugins.images.transitions import CARD_STEPS
from tbtui.plugins.images.viewport import MAX_SCALE, find_visible_part, fit_scale, pan, toggle_actual_size, zoom
from tbtui.settings.chart_navigation import move_step
from tbtui.settings.settings import Settings

SIZES = st.tuples(st.integers(1, 20_000), st.integers(1, 20_000))
ROOMS = st.tuples(st.integers(1, 300), st.integers(1, 200))
SIGHTS = st.none() | st.builds(ImageViewport, st.floats(0.001, MAX_SCALE), st.floats(-1, 2), st.floats(-1, 2))


@pytest.mark.parametrize(
    ("size", "room", "scale"),
    [((100, 50), (50, 50), 0.5), ((8, 8), (30, 20), 2), ((8, 8), (7, 99), 7 / 8), ((8, 8), (8, 8), 1)],
)
def test_fitting_small_picture_uses_whole_numbers(size: tuple[int, int], room: tuple[int, int], scale: float):
    assert fit_scale(size, room) == scale


@given(SIZES, ROOMS, SIGHTS)
def test_seen_any_viewport_is_inside_picture_and_room(
    size: tuple[int, int], room: tuple[int, int], sight: ImageViewport | None
) -> None:
    part = find_visible_part(size, room, sight)
    left, top, right, bottom = part.box
    assert 0 <= left < right <= size[0] + 1e-6
    assert 0 <= top < bottom <= size[1] + 1e-6
    assert 1 <= part.width <= room[0]
    assert 1 <= part.height <= room[1]
    if sight is None:
        assert part.is_whole


@given(SIZES, ROOMS, SIGHTS, st.floats(0.1, 10), st.floats(-2, 2), st.floats(-2, 2))
def test_viewport_after_any_keys_keeps_picture_visible(
    size: tuple[int, int], room: tuple[int, int], sight: ImageViewport | None, factor: float, across: float, down: float
) -> None:
    for changed in (
        zoom(sight, size, room, factor),
        pan(sight, size, room, across, down),
        toggle_actual_size(sight, size, room),
    ):
        assert changed is None or (0 <= changed.x <= 1 and 0 <= changed.y <= 1 and changed.scale > 0)


def test_zoomed_in_and_out_returns_whole_picture() -> None:
    sight = None
    for _ in range(3):
        sight = zoom(sight, (1000, 1000), (100, 100), 2)
    assert sight == ImageViewport(0.8, 0.5, 0.5)
    for _ in range(3):
        sight = zoom(sight, (1000, 1000), (100, 100), 0.5)
    assert sight is None
    assert zoom(None, (1000, 1000), (100, 100), 0.5) is None


def test_zoomed_at_pointer_keeps_its_pixel() -> None:
    size, room = (1000, 1000), (100, 100)
    before, at = ImageViewport(1.0, 0.5, 0.5), (0.25, 0.75)
    after = zoom(before, size, room, 2, at)
    for sight in (before, after):
        left, top, right, bottom = find_visible_part(size, room, sight).box
        assert (left + at[0] * (right - left), top + at[1] * (bottom - top)) == pytest.approx((475, 525))


def test_panned_past_edge_returns_at_once() -> None:
    size, room = (1000, 1000), (100, 100)
    sight = zoom(None, size, room, 2)
    for _ in range(9):
        sight = pan(sight, size, room, 0.25, 0.0)
    assert sight == ImageViewport(0.2, 0.75, 0.5)
    assert pan(sight, size, room, -0.25, 0.0) == ImageViewport(0.2, 0.625, 0.5)
    assert pan(None, size, room, 1, 1) is None


def test_actual_size_toggles_one_dot_per_pixel() -> None:
    sight = toggle_actual_size(None, (1000, 1000), (100, 100))
    assert sight == ImageViewport(1.0, 0.5, 0.5)
    assert find_visible_part((1000, 1000), (100, 100), sight).box == (450, 450, 550, 550)
    assert toggle_actual_size(sight, (1000, 1000), (100, 100)) is None
    assert find_visible_part((8, 8), (100, 100), toggle_actual_size(None, (8, 8), (100, 100))).width == 8


# In small dots


@pytest.mark.parametrize(
    ("size", "room", "scale"),
    [
        ((288, 288), (760, 544), 544 / 288),
        ((150, 100), (304, 204), 2),
        ((8, 8), (304, 204), 25),
        ((10, 10), (49, 60), 4),
        ((10, 10), (38, 60), 3.8),
        ((2000, 1000), (304, 204), 304 / 2000),
    ],
)
def test_fitting_small_dots_fills_most_of_room(size: tuple[int, int], room: tuple[int, int], scale: float):
    assert fit_scale(size, room, 8) == pytest.approx(scale)


@given(SIZES, st.tuples(st.integers(1, 40), st.integers(1, 20)), SIGHTS, st.floats(0.1, 10), st.integers(2, 20))
def test_viewport_is_independent_of_dot_size(
    size: tuple[int, int], cells: tuple[int, int], sight: ImageViewport | None, factor: float, dots: int
) -> None:
    room = cells[0] * dots, 2 * cells[1] * dots
    coarse = cells[0], 2 * cells[1]
    if sight is not None:
        assert find_visible_part(size, room, sight, dots).box == pytest.approx(
            find_visible_part(size, coarse, sight).box, abs=1e-6 * max(size)
        )
    for changed in (
        zoom(sight, size, room, factor, dots_per_column=dots),
        pan(sight, size, room, 0.25, -0.25, dots_per_column=dots),
        toggle_actual_size(sight, size, room, dots_per_column=dots),
    ):
        assert changed is None or (0 <= changed.x <= 1 and 0 <= changed.y <= 1 and changed.scale > 0)


def test_actual_size_in_small_dots_is_one_dot_per_pixel() -> None:
    for dots in (7, 9, 49):
        sight = toggle_actual_size(None, (1000, 1000), (20 * dots, 20 * dots), dots)
        part = find_visible_part((1000, 1000), (20 * dots, 20 * dots), sight, dots)
        assert part.scale == pytest.approx(1)
        assert toggle_actual_size(sight, (1000, 1000), (20 * dots, 20 * dots), dots) is None


# Choices


def test_brightness_and_contrast_steps_are_bounded() -> None:
    settings = transitions.change_brightness(Settings(), 1)
    assert (BRIGHTNESS.value(settings), CONTRAST.value(settings)) == (1.1, 1)
    assert BRIGHTNESS.value(transitions.change_brightness(settings, 100)) == 2
    assert BRIGHTNESS.value(transitions.change_brightness(settings, -100)) == 0
    assert CONTRAST.value(transitions.change_contrast(settings, 100)) == 5
    assert transitions.reset_colours(transitions.change_contrast(settings, -3)) == Settings()


STOPS = np.array([0.0, 10.0, 20.0])


def test_step_moved_without_cursor_starts_at_newest() -> None:
    moved = move_step(Settings(), STOPS, -1)
    assert moved.cursor == 10
    assert move_step(moved, STOPS, -9).cursor == 0
    assert move_step(moved, STOPS, 9).cursor == 20
    assert move_step(Settings(), STOPS, 1) == Settings()
    assert move_step(Settings(), np.empty(0), -1) == Settings()


def test_own_step_starts_at_step_of_card() -> None:
    own = CARD_STEPS.move(Settings(), "a", STOPS, -1)
    assert OWN_STEPS.value(own) == {"a": 10.0}
    assert own.cursor is None
    assert OWN_STEPS.value(CARD_STEPS.move(own, "a", STOPS, -1)) == {"a": 0.0}
    assert OWN_STEPS.value(CARD_STEPS.move(own, "a", STOPS, -9)) == {"a": 0.0}
    assert CARD_STEPS.move(own, "a", STOPS, 1) == Settings()
    assert OWN_STEPS.value(CARD_STEPS.move(Settings(cursor=0.0), "a", STOPS, 1)) == {"a": 10.0}
    assert OWN_STEPS.value(CARD_STEPS.move(Settings(cursor=0.0), "a", STOPS, 9)) == {"a": 20.0}
    assert CARD_STEPS.move(Settings(), "a", np.empty(0), 1) == Settings()
    assert CARD_STEPS.forget(own, "a") == Settings()
    assert CARD_STEPS.forget_all(own) == Settings()
