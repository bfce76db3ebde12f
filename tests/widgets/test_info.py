"""A page to read: safe, wrapped, scrolled, closed."""

from __future__ import annotations

import pytest
from textual.app import App

from tbtui.widgets.info import MOST_CHARACTERS, InfoScreen, page
from tests.screen_text import screen_lines


class Host(App[None]):
    def __init__(self, *lines: str) -> None:
        super().__init__()
        self.told = lines

    def on_mount(self) -> None:
        self.push_screen(InfoScreen("about loss", self.told))


async def test_title_and_lines_wrapped_and_harmless() -> None:
    app = Host("[b]tag[/b] \x1b[2Jloss", "", "word " * 12)
    async with app.run_test(size=(40, 10)):
        lines = screen_lines(app)
        assert lines[0].split() == ["about", "loss", "esc", "close"]
        assert lines[1] == " [b]tag[/b] ·[2Jloss"
        assert lines[3] == f" {('word ' * 7).rstrip()}"
        assert lines[4] == f" {('word ' * 5).rstrip()}"


async def test_it_is_scrolled_by_keys() -> None:
    app = Host(*(f"line {index}" for index in range(100)))
    async with app.run_test(size=(40, 11)) as pilot:
        await pilot.press("j", "down", "k")
        await pilot.pause()
        assert screen_lines(app)[1].split()[:2] == ["line", "1"]
        await pilot.press("end")
        await pilot.pause()
        assert screen_lines(app)[10].split()[:2] == ["line", "99"]


@pytest.mark.parametrize("key", ["escape", "q", "i", "enter"])
async def test_keys_close_it(key: str) -> None:
    app = Host("all")
    async with app.run_test(size=(40, 10)) as pilot:
        await pilot.press(key)
        await pilot.pause()
        assert not isinstance(app.screen, InfoScreen)


def test_what_is_endless_is_cut() -> None:
    text = page(["x" * 10_000] * 1000)
    assert len(text) < MOST_CHARACTERS + 100
    assert text.endswith("⋯ and more")
