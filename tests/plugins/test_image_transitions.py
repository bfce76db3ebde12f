"""Pure transitions of the Images tab, as tables: no Textual."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tbtui.plugins.images import transitions
from tbtui.plugins.images.pane.animation import Animation
from tbtui.plugins.images.settings import COMPARISON
from tbtui.plugins.images.transitions import CARD_STEPS
from tbtui.plugins.step_settings import cycle_comparison as next_comparison_of
from tests.helpers.settings import settings_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from tbtui.settings.settings import Settings


@pytest.mark.parametrize(
    ("before", "frames", "count", "frame"),
    [(0, 1, 3, 1), (2, 1, 3, 0), (0, -1, 3, 2), (1, -2, 3, 2), (0, 7, 3, 1), (0, 1, 1, 0), (4, 1, 0, 0)],
)
def test_animation_turned_wraps_at_both_ends(before: int, frames: int, count: int, frame: int) -> None:
    assert Animation(before).turn(frames, count) == Animation(frame)


@pytest.mark.parametrize(("count", "is_playing"), [(0, False), (1, False), (2, True)])
def test_animation_started_plays_several_frames_only(count: int, is_playing: bool) -> None:
    assert Animation(1).start(count) == Animation(1, is_playing)


def test_animation_turned_while_playing_plays_on() -> None:
    assert Animation(0, is_playing=True).turn(1, 2) == Animation(1, is_playing=True)


def test_animation_stopped_keeps_its_frame() -> None:
    assert Animation(2, is_playing=True).stop() == Animation(2)


next_comparison = partial(next_comparison_of, comparison=COMPARISON)


@pytest.mark.parametrize(
    ("change", "before", "after"),
    [
        (lambda settings: transitions.change_brightness(settings, 1), {}, {"image_brightness": 1.1}),
        (lambda settings: transitions.change_brightness(settings, -100), {}, {"image_brightness": 0.0}),
        (lambda settings: transitions.change_contrast(settings, -1), {}, {"image_contrast": 0.9}),
        (transitions.reset_colours, {"image_brightness": 2.0, "image_contrast": 0.0}, {}),
        (next_comparison, {}, {"image_comparison": "beside"}),
        (
            next_comparison,
            {"mark": 1.0, "cursor": 2.0},
            {"mark": 1.0, "cursor": 2.0, "image_comparison": "difference"},
        ),
        (CARD_STEPS.forget_all, {"image_steps": {"a": 1.0}, "cursor": 3.0, "mark": 2.0}, {}),
        (
            lambda settings: CARD_STEPS.forget(settings, "a"),
            {"image_steps": {"a": 1.0, "b": 2.0}},
            {"image_steps": {"b": 2.0}},
        ),
    ],
)
def test_transition_changes_only_its_settings(
    change: Callable[[Settings], Settings], before: dict[str, object], after: dict[str, object]
) -> None:
    assert change(settings_of(**before)) == settings_of(**after)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("cursor", "steps", "expected"),
    [(None, {}, (0.0, {})), (0.0, {}, (10.0, {})), (20.0, {}, (0.0, {})), (20.0, {"x": 10.0}, (20.0, {"x": 20.0}))],
)
def test_next_step_moves_on_and_begins_again(
    cursor: float | None, steps: dict[str, float], expected: tuple[float, dict[str, float]]
) -> None:
    before = settings_of(cursor=cursor, image_steps=steps)
    after = CARD_STEPS.show_next(before, "x", np.array([0.0, 10.0, 20.0]))
    assert after == settings_of(cursor=expected[0], image_steps=expected[1])
