"""Keys that make a picture visible: its range, its ground, its margins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tbtui.loading.payloads import Payloads
from tbtui.plugins.images.pixels import PixelCache, _find_content
from tbtui.plugins.images.settings import GROUND, MARGINS
from tbtui.plugins.images.viewport import find_visible_part
from tests.helpers.image_logs import GREEN, RED, ImageLogs, plain
from tests.helpers.pane_app import pressed
from tests.helpers.screen_text import screen_text

if TYPE_CHECKING:
    from pathlib import Path

MASK = np.zeros((8, 8), np.uint8)
MASK[:, 4:] = 2


@pytest.fixture
def logs(tmp_path: Path) -> ImageLogs:
    return ImageLogs(tmp_path / "logs")


async def test_images_values_key_stretches_a_mask(logs: ImageLogs) -> None:
    logs.add("run", {"mask": {0: MASK}})
    app = logs.app()
    async with app.run_test(size=(100, 30)) as pilot:
        await pressed(pilot, "")
        assert "values 0–2 of 255 (D) · 8×8" in screen_text(app)
        await pressed(pilot, "D")
        assert "values stretched" in app.pane.status()
        await pressed(pilot, "enter")
        assert "values 0–2 of 255" in screen_text(app)
        statuses = []
        for _ in range(3):
            await pressed(pilot, "D")
            statuses.append(app.pane.status())
    assert "depth colours" in statuses[0]
    assert "class colours" in statuses[1]
    assert "colours" not in statuses[2]


async def test_images_range_stays_on_narrow_cards(logs: ImageLogs) -> None:
    logs.add("run", {"class_ids_0_to_2": {0: MASK}, "depth_of_the_left_camera": {0: MASK}})
    app = logs.app()
    async with app.run_test(size=(80, 24)) as pilot:
        await pressed(pilot, "")
        assert screen_text(app).count("0–2 of 255 (D)") == 2


async def test_images_ground_and_margins_are_in_the_status(logs: ImageLogs) -> None:
    logs.add("run", {"x": {0: plain(RED)}})
    app = logs.app()
    async with app.run_test(size=(100, 30)) as pilot:
        app.settings = MARGINS.with_value(GROUND.with_value(app.settings, "white"), "trimmed")
        app.look()
        await pressed(pilot, "")
        assert "white ground · margins trimmed" in app.pane.status()


def with_margins() -> np.ndarray:
    pixels = np.full((40, 60, 3), 255, np.uint8)
    pixels[10:20, 30:50] = GREEN
    return pixels


def test_content_without_margins_is_the_inner_part() -> None:
    assert _find_content(with_margins(), (60, 40)) == (30, 10, 50, 20)
    assert _find_content(with_margins(), (120, 80)) == (60, 20, 100, 40)


def test_content_transparent_margins_are_left_out() -> None:
    pixels = np.zeros((10, 10, 4), np.uint8)
    pixels[..., :3] = np.arange(300).reshape(10, 10, 3) % 250
    pixels[3:5, 2:9, 3] = 255
    assert _find_content(pixels, (10, 10)) == (2, 3, 9, 5)


@pytest.mark.parametrize("pixels", [plain(RED), np.eye(8, dtype=np.uint8)[..., None].repeat(3, axis=2) * 255])
def test_content_plain_or_full_picture_has_no_margins(pixels: np.ndarray) -> None:
    assert _find_content(pixels, (8, 8)) in (None, (0, 0, 8, 8))


def test_viewport_inside_margins_shows_the_inner_part(logs: ImageLogs) -> None:
    from tbtui.plugins.images.read import ImageData

    logs.add("run", {"x": {0: with_margins()}})
    data, pixels = ImageData(Payloads()), PixelCache()
    stored = data.load(data.steps.get(logs.view(), "run", "x").nearest(None), 0)
    box = pixels.find_content_box(stored)
    part = find_visible_part((box[2] - box[0], box[3] - box[1]), (20, 10)).shift_to_untrimmed(box)
    assert not part.is_whole
    assert (pixels.scale(stored, part).pixels == GREEN).all()
