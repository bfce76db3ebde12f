"""The pages of all keys, in every tab."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.app.app import Dashboard
from tbtui.app.overlays import HelpScreen
from tbtui.settings.settings import Settings
from tests.helpers.screen_text import screen_lines, until
from tests.screens.looks import LABEL, NOW, TABS, Held, Logs, settle

if TYPE_CHECKING:
    from pathlib import Path

CHANGED = {
    "scalars": {"x axis", "y scale of all", "smooth more, less"},
    "custom_scalars": {"x axis", "y scale of all", "smooth more, less"},
    "histograms": {"x axis", "y scale of all"},
    "distributions": {"x axis", "y scale of all"},
    "images": {"x axis"},
    "audio": {"x axis"},
    "pr_curves": {"x axis"},
}
"""What of the keys for axes and smoothing changes anything in a tab."""


async def test_help_page_has_two_columns_with_complete_working_keys(tmp_path: Path) -> None:
    app = Dashboard(Held(Logs.written(tmp_path).good), label=LABEL, settings=Settings(), clock=lambda: NOW)
    async with app.run_test(size=(80, 120)) as pilot:
        with_data = {plugin.name for plugin in app.build_state().plugins}
        for tab in (tab for tab in TABS if tab in with_data):
            app.choose(tab=tab)
            await settle(pilot)
            await pilot.press("question_mark")
            await until(pilot, lambda: isinstance(app.screen, HelpScreen) and "Moving" in "\n".join(screen_lines(app)))
            lines = [line.rstrip() for line in screen_lines(app) if line.strip()]
            page = " ".join(" ".join(lines).split())
            assert isinstance(app.screen, HelpScreen)
            for group in app.screen._groups:
                for line in group.lines:
                    assert " ".join(f"{line.keys} {line.description}".split()) in page, tab
            assert len(lines) < 60, tab  # of one column there are up to ninety
            known = {"x axis", "y scale of all", "smooth more, less"}
            assert {words for words in known if words in page} == CHANGED.get(tab, set()), tab
            await pilot.press("escape")
            await settle(pilot)
