"""Find keys of a user that are shadowed by a binding nearer to the focus.

The focused widget, its pane, the screen and the app share a keyboard.

Imported when there is a file of changed keys.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING, TypeAlias

from textual.keys import _character_to_key
from textual.screen import Screen
from textual.widget import Widget

from tbtui.app.keymap import TEXTUAL, own_bindings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from textual.binding import Binding

    from tbtui.plugins.base import Plugin

Part: TypeAlias = "Mapping[str, Binding]"
"""The bindings of a widget, pane, screen or app by their ids; those without one by their words."""

Chain: TypeAlias = "Sequence[Part]"
"""Parts whose keys work at one focus, the focused widget first: its keys hide those of the others."""


def key_names(keys: str) -> frozenset[str]:
    """Return the keys of a binding by the names that Textual uses for them."""
    return frozenset(_character_to_key(key) if len(key) == 1 else key for key in keys.split(","))


def pane_classes(plugin: Plugin) -> Iterator[type]:
    """Yield every class with keys in the package of a dashboard's pane; imports it."""
    if plugin.load_pane is None:
        return
    package = plugin.load_pane().__module__.rpartition(".")[0]
    for module in pkgutil.iter_modules(importlib.import_module(package).__path__, f"{package}."):
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, type) and value.__module__ == module.name and "BINDINGS" in vars(value):
                yield value


def key_chains() -> list[Chain]:
    """Return the chains of all places that can have the focus; imports all panes."""
    from tbtui.app.app import Dashboard
    from tbtui.app.main_screen import MainScreen
    from tbtui.app.sidebar import RunList, TagList
    from tbtui.plugins.registry import tabs
    from tbtui.widgets.card_grid import CardGrid
    from tbtui.widgets.charts_pane import ChartsPane
    from tbtui.widgets.data_grid import DataGrid
    from tbtui.widgets.pane import Pane

    outer = _part(MainScreen), _part(Dashboard)
    chains: list[Chain] = [(_part(each), *outer) for each in (RunList, TagList)]
    for plugin in tabs():
        if plugin.load_pane is None:
            continue
        pane = plugin.load_pane()
        shared = (CardGrid, pane.VIEW) if issubclass(pane, ChartsPane) else (DataGrid,)
        widgets = pane_classes(plugin)
        chains += [
            (_part(widget), _part(pane), *outer)
            for widget in dict.fromkeys((*widgets, *shared))
            if issubclass(widget, Widget) and not issubclass(widget, (Pane, Screen))
        ]
    return chains


def _part(node_class: type) -> dict[str, Binding]:
    """Return the bindings of a class and its bases, without those of Textual."""
    part: dict[str, Binding] = {}
    for each in node_class.__mro__:
        if not each.__module__.startswith(TEXTUAL):
            for binding in own_bindings(each):
                part.setdefault(binding.id or binding.tooltip or binding.description or binding.action, binding)
    return part


def hidden_keys(keymap: Mapping[str, str], chains: Sequence[Chain]) -> Iterator[str]:
    """Yield a sentence for each key that hides another action where both work, because the user has changed one.

    Args:
        keymap: Keys of the user, by the id of their action.
        chains: The result of `key_chains`.
    """
    hidden: dict[tuple[str, str], list[str]] = {}
    for chain in chains:
        takers: dict[str, tuple[str, Binding]] = {}
        for part in chain:
            own: dict[str, tuple[str, Binding]] = {}
            for name, binding in part.items():
                for key in key_names(keymap.get(name, binding.key)):
                    own.setdefault(key, (name, binding))
                    taker = takers.get(key)
                    if taker is None or taker[0] == name or not keymap.keys() & {name, taker[0]}:
                        continue
                    if key in key_names(binding.key) and key in key_names(taker[1].key):
                        continue  # as without changes
                    names = hidden.setdefault((key, name), [])
                    names += [taker[0]] if taker[0] not in names else []
            takers = {**own, **takers}
    for (key, name), hidden_names in hidden.items():
        if len(hidden_names) == 1:
            yield f"{key} is the key of {name} and of {hidden_names[0]}; {hidden_names[0]} has it where both work"
        else:
            others = f" and {len(hidden_names) - 2} more" if len(hidden_names) > 2 else ""
            yield f"{key} is the key of {name}, and where they work of {hidden_names[0]}, {hidden_names[1]}{others}"
