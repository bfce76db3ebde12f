"""Pictures and sounds that were all logged at one step: each can be reached, and the cards say what is left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.helpers.audio_logs import AudioLogs
from tests.helpers.image_logs import ImageLogs, plain
from tests.helpers.pane_app import PaneApp, pressed
from tests.helpers.screen_text import screen_text
from tests.helpers.sounds import sine, wav

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from textual.pilot import Pilot

VALUES = 5


def images_app(path: Path, x_axis: str = "step") -> PaneApp:
    logs = ImageLogs(path)
    for number in range(VALUES):
        logs.add("run", {"sample": {0: plain((40 * number, 0, 0))}})
    return logs.app(x_axis=x_axis)


def audio_app(path: Path, x_axis: str = "step") -> PaneApp:
    logs = AudioLogs(path)
    for number in range(VALUES):
        logs.add("run", {"sample": {0: wav(sine(300 + 100 * number, 0.2))}})
    return logs.app(x_axis=x_axis)


both = pytest.mark.parametrize("app_of", [images_app, audio_app])


async def shown_number(pilot: Pilot[None], *keys: str) -> str:
    """Press keys; return the number of the value that the opened card shows."""
    await pressed(pilot, " ".join(keys))
    text = screen_text(pilot.app)
    return text[text.index("step 0, ") :].split()[2]


@both
async def test_values_of_one_step_card_counts_those_left_out(app_of: Callable[..., PaneApp], tmp_path: Path) -> None:
    app = app_of(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await pressed(pilot, "")
        assert "4 more at this step (u)" in screen_text(app)
        await pressed(pilot, "enter")
        assert "4 more at this step (u)" in screen_text(app)
        await pressed(pilot, "u")
        assert "more at this step" not in screen_text(app)
        assert "5 of 5 values, newest" in screen_text(app)


@both
async def test_values_of_one_step_keys_reach_each(app_of: Callable[..., PaneApp], tmp_path: Path) -> None:
    app = app_of(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await pressed(pilot, "enter u")
        assert [await shown_number(pilot, "left") for _ in range(5)] == ["4", "3", "2", "1", "1"]
        assert [await shown_number(pilot, key) for key in (".", ".", ",", "end", "home", "right")] == [
            *("2", "3", "2", "5", "1", "2"),
        ]


@both
async def test_values_of_one_step_order_axis_shows_all(app_of: Callable[..., PaneApp], tmp_path: Path) -> None:
    app = app_of(tmp_path, "order")
    async with app.run_test(size=(100, 30)) as pilot:
        await pressed(pilot, "enter left")
        assert "4 of 5 steps" in screen_text(app)
