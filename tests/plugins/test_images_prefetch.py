"""Thumbnails are decoded before they are asked for, and are what they would be otherwise."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tbtui.plugins.images import pixels as pixels_module
from tbtui.plugins.images.pixels import PREFETCHED, PixelCache, Prefetcher
from tbtui.plugins.images.read import Stored
from tbtui.plugins.images.viewport import find_visible_part
from tbtui.terminal_images.decode import PictureError
from tests.helpers.image_logs import RED, ImageLogs, encoded, plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


def noise(number: int) -> bytes:
    return encoded(np.random.default_rng(number).integers(0, 256, (60, 80, 3), np.uint8))


def stored(data: bytes, identity: object) -> Stored:
    return Stored(None, 0, data, None, identity)  # type: ignore[arg-type]


PART = find_visible_part((80, 60), (20, 20))


def test_prefetcher_decodes_expected_pictures_once_on_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[int] = []
    decode = pixels_module.decode

    def noted(*args: Any, **how: Any) -> Any:
        threads.append(threading.get_ident())
        return decode(*args, **how)

    monkeypatch.setattr(pixels_module, "decode", noted)
    pictures = [stored(noise(number), number) for number in range(10)]
    pixels, other = PixelCache(), PixelCache()
    pixels.expect((picture, PART) for picture in pictures)
    shown = [pixels.scale(picture, PART) for picture in pictures]
    assert len(threads) == 10
    assert threading.get_ident() not in threads
    for picture, image in zip(pictures, shown, strict=True):
        same = other.scale(picture, PART)
        np.testing.assert_array_equal(image.pixels, same.pixels)
        assert (image.key, image.note) == (same.key, same.note)
        assert pixels.scale(picture, PART) is image
    assert pixels.decodings == 10


def test_prefetcher_broken_picture_raises_when_taken() -> None:
    whole = noise(1)
    broken = stored(whole[:50], "broken")
    pixels = PixelCache()
    pixels.expect(iter([(broken, PART), (stored(whole, "whole"), PART)]))
    with pytest.raises(PictureError):
        pixels.scale(broken, PART)
    assert pixels.scale(stored(whole, "whole"), PART).pixels.shape == (15, 20, 3)


def test_prefetcher_skips_enlarged_and_cached_pictures() -> None:
    pixels, small = PixelCache(), stored(encoded(plain(RED, 4, 4)), "small")
    pixels.expect(iter([(small, find_visible_part((4, 4), (20, 20)))]))
    assert pixels.scale(small, find_visible_part((4, 4), (20, 20))).pixels.shape == (20, 20, 3)
    assert pixels.decodings == 1
    pixels.expect(iter([(small, find_visible_part((4, 4), (2, 2)))]))
    assert pixels.scale(small, find_visible_part((4, 4), (2, 2))).pixels.shape == (2, 2, 3)
    assert pixels.decodings == 1


def test_prefetcher_begins_few_tasks_and_forgets_old_ones() -> None:
    taken: list[int] = []

    def tasks() -> Iterator[tuple[int, Callable[[], int]]]:
        for number in range(100):
            taken.append(number)
            yield number, lambda number=number: number * number  # type: ignore[misc]

    ahead: Prefetcher[int] = Prefetcher()
    ahead.expect(tasks())
    assert taken == list(range(PREFETCHED))
    assert ahead.take(50) is None
    begun = ahead.take(1)
    assert begun is not None
    assert begun.result() == 1
    assert taken == list(range(PREFETCHED + 1))
    assert ahead.take(1) is None
    ahead.expect(iter(()))
    assert ahead.take(2) is None


async def test_images_pane_page_is_decoded_by_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names: set[str] = set()
    decode = pixels_module.decode

    def noted(*args: Any, **how: Any) -> Any:
        names.add(threading.current_thread().name.rpartition("_")[0])
        return decode(*args, **how)

    monkeypatch.setattr(pixels_module, "decode", noted)
    logs = ImageLogs(tmp_path / "logs")
    logs.add("a", {f"x{number}": {0: noise(number)} for number in range(6)})
    app = logs.app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await app.pane.idle()
        assert names == {"tbtui-decoding"}
        assert app.pane.pixels.decodings == 6  # type: ignore[attr-defined]
