"""Ignore cursor keys of the command palette until its list has a layout.

Replaces: `CommandPalette._action_command_list` of Textual 8.2.5 to 8.2.x.

Fixes: a cursor key that is typed ahead reaches a list without a layout, and `OptionList` raises `KeyError`, which ends
the app. Not reported upstream. Can go when the canary in the tests fails.
"""

from __future__ import annotations

from textual.command import CommandList, CommandPalette


class PatchedCommandPalette(CommandPalette):
    """Command palette that takes keys at any time."""

    def _action_command_list(self, action: str) -> None:
        if self.query_one(CommandList).size.height:
            super()._action_command_list(action)
