"""The pages of all keys, in every tab."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import VerticalScroll

from tbtui.app.app import Dashboard
from tbtui.app.help_screen import HelpScreen
from tbtui.app.key_meanings import PURPOSES
from tbtui.settings.settings import Settings
from tests.helpers.screen_text import screen_lines, until
from tests.screens.looks import LABEL, NARROW, NOW, TABS, Held, Logs, settle

if TYPE_CHECKING:
    from pathlib import Path

CHANGED = {
    "scalars": {"x axis", "y scale", "smooth more, less"},
    "custom_scalars": {"x axis", "y scale", "smooth more, less"},
    "histograms": {"x axis", "y scale"},
    "distributions": {"x axis", "y scale"},
    "images": {"x axis"},
    "audio": {"x axis"},
    "pr_curves": {"x axis"},
}
"""What of the keys for axes and smoothing changes anything in a tab; a tab that is not named has none of them."""


async def test_help_page_of_each_tab_is_one_page_of_working_keys(tmp_path: Path) -> None:
    app = Dashboard(Held(Logs.written(tmp_path).good), label=LABEL, settings=Settings(), clock=lambda: NOW)
    async with app.run_test(size=(80, 24)) as pilot:
        with_data = {plugin.name for plugin in app.build_state().plugins}
        for tab in (tab for tab in TABS if tab in with_data):
            app.choose(tab=tab)
            await settle(pilot)
            offered = set(app._main_screen.active_bindings)
            await pilot.press("question_mark")
            await until(pilot, lambda: isinstance(app.screen, HelpScreen) and "keys of" in "\n".join(screen_lines(app)))
            await settle(pilot)
            assert isinstance(app.screen, HelpScreen)
            assert app.screen.query_one(VerticalScroll).max_scroll_y == 0, tab
            page = " ".join(" ".join(screen_lines(app)).split())
            assert {group.title for group in app.screen._groups} <= set(PURPOSES)
            for group in app.screen._groups:
                for line in group.lines:
                    assert line.keys in page, (tab, line)
            known = {"x axis", "y scale", "smooth more, less"}
            told = {line.description.partition(":")[0] for group in app.screen._groups for line in group.lines}
            assert told & known == CHANGED.get(tab, set()), f"{tab}: see UNUSED of its pane, or CHANGED of this test"
            assert "slash" in offered
            await pilot.press("escape")
            await settle(pilot)


async def test_help_page_of_each_view_of_hparams_is_one_page(tmp_path: Path) -> None:
    sessions = Logs.written(tmp_path).of_sessions
    assert sessions is not None
    app = Dashboard(Held(sessions.good), label=LABEL, settings=Settings(), clock=lambda: NOW)
    async with app.run_test(size=(80, 24)) as pilot:
        app.choose(tab="hparams")
        for _ in range(4):  # what matters, table, parallel, slices
            await settle(pilot)
            await pilot.press("question_mark")
            await settle(pilot)
            assert isinstance(app.screen, HelpScreen)
            assert app.screen.query_one(VerticalScroll).max_scroll_y == 0
            await pilot.press("escape", "m")


async def test_help_of_a_narrow_terminal_wraps_words(tmp_path: Path) -> None:
    app = Dashboard(Held(Logs.written(tmp_path).good), label=LABEL, settings=Settings(), clock=lambda: NOW)
    async with app.run_test(size=NARROW) as pilot:
        with_data = {plugin.name for plugin in app.build_state().plugins}
        for tab in (tab for tab in TABS if tab in with_data):
            app.choose(tab=tab)
            await settle(pilot)
            await pilot.press("question_mark")
            await settle(pilot)
            assert isinstance(app.screen, HelpScreen)
            assert app.screen.query_one(VerticalScroll).max_scroll_y == 0, tab
            page = " ".join(" ".join(line.strip("│ ") for line in screen_lines(app)).split())
            for group in app.screen._groups:
                for line in group.lines:
                    assert any(words in page for words in (line.description, line.short) if words), (tab, line)
            await pilot.press("escape")
