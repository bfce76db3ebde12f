"""Every action by name: what the command palette lists, and how it looks."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from textual.app import SystemCommand
from textual.command import CommandList, CommandPalette, SearchIcon
from textual.widgets import Input

from tbtui.app.key_table import EVERYWHERE, group_title, key_signs, moves, own_bindings, own_classes
from tbtui.app.themes import NAMES
from tbtui.widgets.passing_screen import PassingScreen
from tbtui.widgets.typing import TYPED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from textual.app import App
    from textual.binding import Binding
    from textual.dom import DOMNode

    from tbtui.plugins.base import Plugin

KEYS_ALONE = frozenset({"Filter"})
"""Groups of keys that mean nothing without the focus."""


def commands(app: App[int], nodes: Iterable[DOMNode], plugins: Sequence[Plugin]) -> Iterator[SystemCommand]:
    """What the palette finds.

    Args:
        app: Runs the actions.
        nodes: Whatever has actions; a class that comes twice counts once.
        plugins: Those that have a tab.
    """
    seen: set[type] = set()
    for node in nodes:
        for node_class in own_classes(node, seen):
            for binding in own_bindings(node_class):
                group = group_title(node, node_class, binding)
                if group not in KEYS_ALONE and _is_command(binding):
                    yield _command(app, node, binding, group)
    for number, plugin in enumerate(plugins, 1):
        yield SystemCommand(f"Open {plugin.title} · {number}", "", partial(app.run_action, f"open_tab({number})"))
    for name in NAMES:
        yield SystemCommand(f"Theme {name}", "", partial(setattr, app, "theme", name))


def _is_command(binding: Binding) -> bool:
    """Cursors are better moved by keys, tabs go by their titles, and the palette itself is open already."""
    named = bool(binding.description or binding.tooltip)
    return named and not moves(binding) and not binding.action.startswith(("open_tab", "command_palette"))


def _command(app: App[int], node: DOMNode, binding: Binding, group: str) -> SystemCommand:
    says = binding.tooltip or binding.description
    name = says[0].upper() + says[1:] if group == EVERYWHERE else f"{group}: {says}"
    return SystemCommand(f"{name} · {key_signs(binding)[0]}", "", partial(app.run_action, binding.action, node))


class Palette(CommandPalette, PassingScreen[None]):
    """Textual's palette without blinking and without pictures."""

    DEFAULT_CSS = """
    Palette { background: $background 60%; }
    Palette > Vertical { margin-top: 1; background: $surface; }
    Palette #--input { border: none; padding: 0 1; }
    Palette #--input CommandInput { border: none; height: 1; }
    Palette #--input SearchIcon { margin: 0; width: 2; color: $accent; }
    Palette CommandList { border: none; max-height: 60vh; }
    """

    def on_mount(self) -> None:
        """Quiet the input, and let no more in than into other fields."""
        self.query_one(SearchIcon).icon = "/"
        field = self.query_one(Input)
        field.cursor_blink, field.restrict = False, TYPED

    def _action_command_list(self, action: str) -> None:
        # Textual 8 looks for the lines of a list that has not been laid out yet and raises KeyError.
        if self.query_one(CommandList).size.height:
            super()._action_command_list(action)
