"""Cursor keys that reach the command palette before its list has a layout."""

from __future__ import annotations

import pytest
from textual.app import App
from textual.command import CommandList, CommandPalette

from tbtui.widgets.textual_patches.command_palette import PatchedCommandPalette


async def page_down_before_layout(palette: CommandPalette) -> None:
    """Show results, take the layout of the list away, and page down twice."""
    app: App[None] = App()
    async with app.run_test() as pilot:
        await app.push_screen(palette)
        await pilot.pause(0.3)
        commands = palette.query_one(CommandList)
        assert commands.option_count > 1
        commands.styles.display = "none"
        await pilot.pause()
        commands._clear_caches()
        palette._action_command_list("page_down")
        palette._action_command_list("page_down")


async def test_page_down_before_layout_is_ignored() -> None:
    await page_down_before_layout(PatchedCommandPalette())


async def test_canary_plain_palette_fails_before_layout() -> None:
    with pytest.raises(KeyError):
        await page_down_before_layout(CommandPalette())
