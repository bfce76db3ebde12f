from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from textual.app import App
from textual.events import Paste
from textual.widgets import Input

from tbtui.charts.cells import Ink
from tbtui.settings.filters import get_filter
from tbtui.widgets.filter_bar import FilterBar
from tbtui.widgets.tab_strip import TabStrip, choose_tab_labels
from tests.helpers.screen_text import screen_lines, widget_lines

if TYPE_CHECKING:
    from textual.app import ComposeResult


class FilterHost(App[None]):
    """Applies drafts as the dashboard does."""

    AUTO_FOCUS = None
    CSS = "FilterBar { width: 40; }"

    def __init__(self, applied: str = "") -> None:
        super().__init__()
        self.bar = FilterBar("tags…")
        self.applied = applied
        self.left = 0

    def compose(self) -> ComposeResult:
        yield self.bar

    def on_mount(self) -> None:
        self.apply(self.applied)

    def apply(self, pattern: str) -> None:
        self.applied = pattern
        self.bar.show_applied(pattern, "3 of 33" if pattern else "")

    def on_filter_bar_drafted(self, event: FilterBar.Drafted) -> None:
        if error := get_filter(event.pattern).error:
            self.bar.complain(error)
            return
        self.bar.accept()
        if event.pattern != self.applied:
            self.apply(event.pattern)

    def on_filter_bar_left(self) -> None:
        self.left += 1
        self.set_focus(None)

    @property
    def line(self) -> str:
        return screen_lines(self)[0]


async def test_filter_bar_applies_while_typing_and_enter_keeps() -> None:
    host = FilterHost()
    async with host.run_test() as pilot:
        assert host.line == " / tags…"
        host.bar.edit()
        await pilot.press("l", "o")
        assert (host.applied, host.line) == ("lo", " / lo" + " " * 25 + " 3 of 33")
        await pilot.press("enter")
        await pilot.pause()
        assert (host.applied, host.left) == ("lo", 1)


@pytest.mark.parametrize(("width", "line"), [(40, "filter: lr>=1e-4"), (24, "filter      3 of 33")])
async def test_filter_bar_shows_the_longest_texts_that_fit(width: int, line: str) -> None:
    app = FilterHost()
    app.bar = FilterBar("filter: lr>=1e-4", "filter")
    async with app.run_test(size=(40, 5)) as pilot:
        app.bar.styles.width = width
        app.bar.show_applied("", "33 sessions in 3 groups", "3 of 33")
        await pilot.pause()
        assert line in app.line
        assert "…" not in app.line


async def test_filter_bar_escape_restores_the_previous_pattern() -> None:
    host = FilterHost("acc")
    async with host.run_test() as pilot:
        host.bar.edit()
        await pilot.press("ctrl+u", "l", "(")
        assert host.applied == "l"
        await pilot.press("escape")
        await pilot.pause()
        assert (host.applied, host.left) == ("acc", 1)
        assert host.line.startswith(" / acc")
        assert host.bar.error is None


async def test_filter_bar_escape_removes_the_error_of_the_draft() -> None:
    host = FilterHost("acc")
    async with host.run_test() as pilot:
        host.bar.edit()
        await pilot.press("end", "(")
        assert "missing )" in host.line
        await pilot.press("escape")
        await pilot.pause()
        assert host.line == " / acc" + " " * 24 + " 3 of 33"


async def test_filter_bar_shows_and_drops_an_invalid_pattern() -> None:
    host = FilterHost("acc")
    async with host.run_test() as pilot:
        host.bar.edit()
        await pilot.press("end", "(", "l")
        assert host.applied == "acc"
        assert host.line == " / acc(l" + " " * 20 + " missing )"
        assert ("missing )", Ink.BAD) in host.bar._note.pieces
        await pilot.press("enter")
        assert host.left == 0
        await pilot.press(")")
        assert (host.applied, host.line) == ("acc(l)", " / acc(l)" + " " * 21 + " 3 of 33")
        await pilot.press("(")
        host.set_focus(None)
        await pilot.pause()
        assert (host.applied, host.line) == ("acc(l)", " / acc(l)" + " " * 21 + " 3 of 33")


async def test_filter_bar_keeps_the_draft_when_another_pattern_applies() -> None:
    host = FilterHost()
    async with host.run_test() as pilot:
        host.bar.show_applied("one", "1 of 2")
        await pilot.pause()
        assert host.line == " / one" + " " * 25 + " 1 of 2"
        host.bar.edit()
        await pilot.press("x")  # what was there is selected, so typing begins anew
        host.bar.show_applied("other", "2 of 2")
        await pilot.pause()
        assert host.line == " / x" + " " * 27 + " 2 of 2"


async def test_filter_bar_refuses_control_characters() -> None:
    host = FilterHost("a\x1b[31mb")
    async with host.run_test() as pilot:
        assert host.line == " / a[31mb"
        host.bar.edit()
        await pilot.pause()
        host.query_one(Input).post_message(Paste("\x1b[2J\x9b"))
        await pilot.pause()
        assert host.applied == "a\x1b[31mb"


class TabHost(App[None]):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.strip = TabStrip()
        self.strip.styles.width = width
        self.chosen: list[str] = []

    def compose(self) -> ComposeResult:
        yield self.strip

    def on_tab_strip_chosen(self, event: TabStrip.Chosen) -> None:
        self.chosen.append(event.name)


TABS = [("scalars", "Scalars"), ("images", "Images"), ("histograms", "Histograms"), ("text", "Text")]


@pytest.mark.parametrize(
    ("width", "opened", "line"),
    [
        (60, "scalars", " 1 Scalars   2 Images   3 Histograms   4 Text"),
        (60, "text", " 1 Scalars   2 Images   3 Histograms   4 Text"),
        (43, "text", " 1 Scalars 2 Images 3 Histograms 4 Text"),
        (37, "text", " 1 Scalars 2 Images 3 Histogra 4 Text"),
        (30, "text", " 1 Scal 2 Images 3 Hist 4 Text"),
        (28, "scalars", " 1 Scalars 2 Ima 3 His 4 Tex"),
        (25, "scalars", " 1 Scal 2 Ima 3 His 4 Tex"),
        (25, "histograms", " 1 Sca 2 Ima 3 Hist 4 Tex"),
        (20, "histograms", " 1 2 3 Histograms 4"),
        (15, "images", " 1 2 Images 3 4"),
        (12, "histograms", " 1 2 3 His 4"),
        (11, "images", "… 2 Images…"),
    ],
)
async def test_tab_strip_shortens_titles_until_all_tabs_fit(width: int, opened: str, line: str) -> None:
    host = TabHost(width)
    async with host.run_test() as pilot:
        host.strip.show_tabs(TABS, opened)
        await pilot.pause()
        assert widget_lines(host.strip) == [line]
        title = next(title for name, title in TABS if name == opened)
        assert any(title.startswith(text) and text for text, ink in host.strip.pieces if ink == Ink.BOLD)


def test_tab_labels_that_begin_alike_stay_distinct() -> None:
    titles = ("Scalars", "Projector", "Profile")
    assert choose_tab_labels(titles, 0, 24) == (("Scalars", "Proj", "Prof"), 0)
    many = (*(f"Tab {letter}" for letter in "ABCDEFGHIJ"), "Projector", "Profile")
    labels = choose_tab_labels(many, 0, 36)
    assert labels is not None
    assert labels[0] == ("Tab A", *[""] * 9, "Proj", "Prof")


ALL = (
    "Scalars,Compare,HParams,Custom,Images,Audio,Histograms,Distributions,Graphs,Text,PR curves,Mesh,Projector,Profile"
)


@pytest.mark.parametrize("opened", range(14))
@pytest.mark.parametrize("width", [120, 80])
def test_tab_labels_name_all_tabs_whichever_is_open(width: int, opened: int) -> None:
    titles = ALL.split(",")
    found = choose_tab_labels(titles, opened, width)
    assert found is not None
    assert all(title.startswith(label) for title, label in zip(titles, found[0], strict=True))
    assert min(map(len, found[0])) >= 2
    assert found[0][10] in ("PR", "PR curves"), "no cut word"
    if width == 120:
        assert found[0][:3] == ("Scalars", "Compare", "HParams"), "one letter is not saved while others lose five"


async def test_tab_strip_click_opens_the_tab() -> None:
    host = TabHost(25)
    async with host.run_test() as pilot:
        host.strip.show_tabs(TABS, "text")
        for x in (0, 6, 12, 18):
            await pilot.click(TabStrip, offset=(x, 0))
        assert host.chosen == ["scalars", "images", "histograms", "text"]


async def test_tab_strip_key_means_the_tab_shown_when_it_was_read() -> None:
    host = TabHost(60)
    async with host.run_test():
        typed_ahead = time.monotonic()
        host.strip.show_tabs(TABS[2:], "text")
        pressed = time.monotonic()
        host.strip.show_tabs(TABS, "text")
        assert host.strip.find_tab(2, pressed) == "text"
        assert host.strip.find_tab(2, time.monotonic()) == "images"
        assert host.strip.find_tab(3, pressed) == "histograms"
        assert host.strip.find_tab(5, time.monotonic()) is None
        assert host.strip.find_tab(2, typed_ahead) == "text"
        host.strip.show_tabs(TABS[1:], "text")
        assert host.strip.find_tab(2, pressed) == "text"  # the tabs changed twice meanwhile
