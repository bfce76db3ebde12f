"""`*` folds or unfolds all, and `/` searches what is listed, in the tabs with trees, groups or rows of runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tbtui.app.app import Dashboard
from tbtui.plugins.custom_scalars.pane.pane import CustomPane
from tbtui.plugins.text.pane.pane import TextPane
from tbtui.settings.settings import Settings
from tbtui.widgets.charts_pane import ChartsPane
from tests.helpers.screen_text import screen_text, until
from tests.screens.looks import LABEL, NOW, Held, Logs, settle

if TYPE_CHECKING:
    from textual.pilot import Pilot


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Logs:
    return Logs.written(tmp_path_factory.mktemp("logs"))


def dashboard(logs: Logs, tab: str) -> Dashboard:
    return Dashboard(Held(logs.good), label=LABEL, settings=Settings(tab=tab), clock=lambda: NOW)


async def press(pilot: Pilot[int], *keys: str) -> None:
    await pilot.press(*keys)
    await settle(pilot)


async def test_asterisk_in_the_grid_folds_all_groups_and_unfolds_them(logs: Logs) -> None:
    app = dashboard(logs, "scalars")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        pane = app._main_screen.pane
        assert isinstance(pane, ChartsPane)
        before = pane.grid.keys
        assert pane.shown is not None
        assert pane.shown.groups.headings
        await press(pilot, "*")
        assert all(group.is_folded for group in pane.shown.groups.headings.values())
        assert len(pane.grid.keys) < len(before)
        await press(pilot, "*")
        assert pane.grid.keys == before


async def test_asterisk_in_custom_folds_all_categories_and_unfolds_them(logs: Logs) -> None:
    app = dashboard(logs, "custom_scalars")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        pane = app._main_screen.pane
        assert isinstance(pane, CustomPane)
        for _ in range(2):
            assert pane.shown is not None
            before = {category.is_folded for category in pane.shown.cards.categories}
            await press(pilot, "*")
            assert {category.is_folded for category in pane.shown.cards.categories} == {before != {True}}


async def test_asterisk_in_the_list_of_texts_folds_all_series_and_unfolds_them(logs: Logs) -> None:
    app = dashboard(logs, "text")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        pane = app._main_screen.pane
        assert isinstance(pane, TextPane)
        pane.rows.focus()
        counts = []
        for _ in range(2):
            await press(pilot, "*")
            assert pane.listed is not None
            several = [series for series, points in pane.listed.points.items() if len(points) > 1]
            counts.append(sum(map(pane.listed.is_unfolded, several)))
            assert several
        assert sorted(counts) == [0, len(several)]


@pytest.mark.parametrize(
    ("tab", "keys", "of_runs"),
    [
        ("scalars", (), False),
        ("scalars", ("enter",), True),
        ("images", ("enter",), False),
        ("comparison", (), True),
        ("comparison", ("tab", "tab"), False),
    ],
)
async def test_slash_searches_runs_where_runs_are_listed(
    logs: Logs, tab: str, keys: tuple[str, ...], of_runs: bool
) -> None:
    app = dashboard(logs, tab)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, *keys)
        await press(pilot, "/", "a", "enter")
        assert (app.settings.run_filter, app.settings.tag_filter) == (("a", "") if of_runs else ("", "a"))


@pytest.mark.parametrize(("tab", "keys"), [("scalars", ("enter", "down")), ("comparison", ())])
async def test_i_on_a_row_of_a_run_shows_its_page(logs: Logs, tab: str, keys: tuple[str, ...]) -> None:
    app = dashboard(logs, tab)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, *keys)
        await press(pilot, "i")
        await until(pilot, lambda: "last step" in screen_text(app) and "Files" in screen_text(app))
        assert any(f"about {name}" in screen_text(app) for name in app._load.snapshot.runs)


async def test_i_in_an_opened_chart_without_a_selected_row_is_about_the_chart(logs: Logs) -> None:
    app = dashboard(logs, "scalars")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "enter", "i")
        await until(pilot, lambda: "points at steps" in screen_text(app))
