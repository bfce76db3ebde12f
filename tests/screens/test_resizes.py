"""Whoever drags the edge of a window sends a hundred sizes: what counts is the last one, and it comes at once."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from tbtui.app.app import Dashboard
from tbtui.app.main_screen import MainScreen
from tbtui.loading.loader import Loader
from tbtui.loading.sources import parse_sources
from tbtui.settings.settings import Settings
from tests.helpers.screen_text import screen_lines, until
from tests.screens import logs_of_all
from tests.screens.looks import LABEL, NOW, resized, settle

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

RESIZES = 200
LAST = 100, 30
MOST_LAYOUTS = 12
"""Of sizes that come within a frame: a few for the last of them, and for what it makes the tab show."""


def size_of(number: int) -> tuple[int, int]:
    """There and back between almost nothing and a large window."""
    part = abs(number % 40 - 20) / 20
    return 1 + round(220 * part), 1 + round(70 * part)


async def test_app_two_hundred_resizes_draw_the_last_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    logs_of_all.write(tmp_path)
    loader = Loader(parse_sources([str(tmp_path)]), now=lambda: NOW)
    layouts = []
    lay_out = MainScreen._refresh_layout

    def counted(board: MainScreen, *given: object, **how: object) -> None:
        layouts.append(given)
        lay_out(board, *given, **how)  # type: ignore[arg-type]

    def app() -> Dashboard:
        return Dashboard(loader, label=LABEL, settings=Settings(), theme="tbtui-dark", clock=lambda: NOW)

    stormy = app()
    async with stormy.run_test(size=(80, 24)) as pilot:
        for number in range(RESIZES):  # as fast as they can be taken, while something is loaded
            await asyncio.sleep(0)
            send(stormy, *size_of(number))
            if number % 10 == 0:
                loader.step()
        loader.load_all()
        await settle(pilot)
        await until(pilot, lambda: stormy.build_state().load.complete)
        monkeypatch.setattr(MainScreen, "_refresh_layout", counted)
        for number in range(RESIZES):  # faster than that
            send(stormy, *size_of(number))
        await resized(pilot, *LAST)
        await settle(pilot)
        drawn = screen_lines(stormy)
    assert len(layouts) <= MOST_LAYOUTS
    calm = app()
    async with calm.run_test(size=LAST) as pilot:
        await settle(pilot)
        assert screen_lines(calm) == drawn


def send(app: Dashboard, width: int, height: int) -> None:
    """As the terminal does."""
    from textual.events import Resize
    from textual.geometry import Size

    assert app._driver is not None
    app._driver._size = size = Size(width, height)
    app.post_message(Resize(size, size))
