"""The page of plain text: safe, wrapped, scrollable."""

from __future__ import annotations

from threading import Event
from typing import TYPE_CHECKING

import pytest
from textual.app import App
from textual.widgets import Static

from tbtui.widgets.text_page import MAX_CHARACTERS, READING, TextScreen, join_lines, open_text_page
from tbtui.widgets.worker import Worker
from tests.helpers.screen_text import screen_lines, screen_text

if TYPE_CHECKING:
    from collections.abc import Sequence


class Host(App[None]):
    def __init__(self, *lines: str) -> None:
        super().__init__()
        self.told = lines

    def on_mount(self) -> None:
        self.push_screen(TextScreen("about loss", self.told))


async def test_info_screen_wraps_and_sanitises_its_text() -> None:
    app = Host("[b]tag[/b] \x1b[2Jloss", "", "word " * 12)
    async with app.run_test(size=(40, 10)):
        lines = screen_lines(app)
        assert lines[0].split() == ["about", "loss", "esc", "close"]
        assert lines[1] == " [b]tag[/b] ·[2Jloss"
        assert lines[3] == f" {('word ' * 7).rstrip()}"
        assert lines[4] == f" {('word ' * 5).rstrip()}"


async def test_info_screen_long_path_continues_at_its_indent() -> None:
    app = Host("a: 3 points", f"    /logs/{'x' * 30}/{'y' * 30}", "b: 4 points, " + "z" * 30)
    async with app.run_test(size=(40, 10)):
        assert screen_lines(app)[1:6] == [
            " a: 3 points",
            f"     /logs/{'x' * 28}",
            f"     xx/{'y' * 30}",
            " b: 4 points,",
            f" {'z' * 30}",
        ]


async def test_info_screen_text_behind_a_label_continues_below_itself() -> None:
    app = Host("state   live", "trouble  " + "word " * 9, "           more", f"{'long ' * 4} label  {'word ' * 5}")
    async with app.run_test(size=(40, 12)):
        assert screen_lines(app)[1:7] == [
            " state   live",
            " trouble  word word word word word word",
            "          word word word",
            "            more",
            f" {'long ' * 4} label  word word",
            " word word word",
        ]


async def test_info_screen_scrolls_by_keys() -> None:
    app = Host(*(f"line {index}" for index in range(100)))
    async with app.run_test(size=(40, 11)) as pilot:
        await pilot.press("j", "down", "k")
        await pilot.pause()
        assert screen_lines(app)[1].split()[:2] == ["line", "1"]
        await pilot.press("end")
        await pilot.pause()
        assert screen_lines(app)[10].split()[:2] == ["line", "99"]


@pytest.mark.parametrize("key", ["escape", "q", "i", "enter"])
async def test_info_screen_closes_by_keys(key: str) -> None:
    app = Host("all")
    async with app.run_test(size=(40, 10)) as pilot:
        await pilot.press(key)
        await pilot.pause()
        assert not isinstance(app.screen, TextScreen)


def test_page_cuts_long_text() -> None:
    text = join_lines(["x" * 10_000] * 1000)
    assert len(text) < MAX_CHARACTERS + 100
    assert text.endswith("⋯ and more")


class Asking(App[None]):
    """Shows a page whose lines come when they may."""

    def __init__(self, *, fails: bool = False) -> None:
        super().__init__()
        self.may_come = Event()
        self.fails = fails
        self.worker = Worker(lambda: None)

    def on_mount(self) -> None:
        open_text_page(self, self.worker, "about loss", self.lines)

    def lines(self) -> Sequence[str]:
        assert self.may_come.wait(30)
        if self.fails:
            raise OSError("gone")
        return ["all", "that", "is known"]


@pytest.mark.parametrize(("fails", "told"), [(False, "is known"), (True, "OSError: gone")])
async def test_info_screen_opens_before_its_lines_are_ready(fails: bool, told: str) -> None:
    app = Asking(fails=fails)
    async with app.run_test(size=(40, 10)) as pilot:
        assert READING in screen_text(app)
        app.may_come.set()
        await app.worker.idle()
        await pilot.pause()
        assert told in screen_text(app)
        assert READING not in screen_text(app)
    app.worker.close()


async def test_info_screen_late_lines_open_nothing() -> None:
    app = Asking()
    async with app.run_test(size=(40, 10)) as pilot:
        await pilot.press("escape")
        app.may_come.set()
        await app.worker.idle()
        await pilot.pause()
        assert not isinstance(app.screen, TextScreen)
    app.worker.close()


async def test_info_screen_quick_lines_replace_the_placeholder() -> None:
    app = Asking()
    app.may_come.set()
    async with app.run_test(size=(40, 10)) as pilot:
        await app.worker.idle()
        await pilot.pause()
        assert "is known" in screen_text(app)
    app.worker.close()


async def test_info_screen_takes_the_room_of_its_text_and_leaves_the_rest_in_sight() -> None:
    app = Host("tag loss", "20 points")
    async with app.run_test(size=(120, 40)) as pilot:
        await app.screen_stack[0].mount(Static("\n".join(["behind " * 17] * 40)))
        await pilot.pause()
        lines = [line.rstrip() for line in screen_lines(app)]
        assert sum("behind" in line for line in lines) == 40
        assert lines[-4].endswith("esc close │")
        assert lines[-3].endswith("│ tag loss               │")
        app.screen.show_lines([f"line {number} {'word ' * 30}" for number in range(60)])  # type: ignore[attr-defined]
        await pilot.pause()
        assert "behind" not in screen_text(app)
        assert screen_lines(app)[1].strip().endswith("esc close │")
