"""The file with which a user changes keys.

A line of the file names an action and its keys: `grid.open = o`. Lines that cannot be used are reported, and the others
apply. Changed keys that two actions share at some focus are reported too.

Imported only if the file exists: finding shared keys imports the panes of all tabs.
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil
import re
import string
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from textual.keys import Keys, _character_to_key
from textual.screen import Screen
from textual.widget import Widget

from tbtui.app.keymap import TEXTUAL, iterate_bindings
from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from textual.binding import Binding

    from tbtui.plugins.base import Plugin

BindingTable: TypeAlias = "Mapping[str, Binding]"
"""The bindings of one class of widgets by their ids; those without an id by their description."""

FocusPath: TypeAlias = "Sequence[BindingTable]"
"""The tables that work at one focus: those of the focused widget, its pane, the screen and the app.

A key of one table hides the same key of the later ones.
"""

MAX_FILE_BYTES = 1 << 20

MODIFIERS = re.compile(r"(?:(?:ctrl|shift|alt|super)\+)*")

NAMES = frozenset(key.value for key in Keys) | {"space", *map(_character_to_key, string.punctuation)}
"""Keys with names; a character stands for itself."""


@frozen
class KeysFile:
    """Keys that a user has changed."""

    keymap: Mapping[str, str]
    """Keys of an action, separated by commas, by the id of its binding."""

    complaints: tuple[str, ...] = ()
    """Sentences about lines that cannot be used, and about keys with two actions."""


def read_keys_file(path: Path) -> KeysFile:
    """Read a file; without one, no key is changed. A file that cannot be read is a complaint."""
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            return KeysFile({}, (f"{path} is too large for a list of keys",))
        text = path.read_text("utf-8")
    except FileNotFoundError:
        return KeysFile({})
    except (OSError, ValueError) as error:
        return KeysFile({}, (f"{path} cannot be read: {error}",))
    keys_file = parse_keys(text, list_bindings())
    hidden_keys = find_hidden_keys(keys_file.keymap, list_focus_paths()) if keys_file.keymap else []
    return replace(keys_file, complaints=(*keys_file.complaints, *map(describe_hidden_key, hidden_keys)))


def parse_keys(text: str, known: Mapping[str, BindingTable]) -> KeysFile:
    """Parse lines `action = key key`; `#` begins a comment.

    Args:
        text: The content of the file.
        known: The bindings that have an id, by the name of their class.
    """
    ids = {binding_id for table in known.values() for binding_id in table}
    keymap: dict[str, str] = {}
    complaints = []
    for number, line in enumerate(text.splitlines(), 1):
        statement = line.partition(" #")[0].strip()
        if not statement or statement.startswith("#"):
            continue
        name, equals, keys_text = (part.strip() for part in statement.partition("="))
        keys = keys_text.replace(",", " ").split()
        unknown_keys = [key for key in keys if not is_key(key)]
        if not equals or not keys:
            complaints.append(f"line {number}: expected “action = key”")
        elif name not in ids:
            similar_ids = difflib.get_close_matches(name, ids, 1)
            hint = f"; did you mean {similar_ids[0]}?" if similar_ids else ""
            complaints.append(f"line {number}: unknown action {name}{hint}")
        elif unknown_keys:
            complaints.append(f"line {number}: {unknown_keys[0]} is no key; write o, ctrl+o, f2, space, comma")
        else:
            keymap[name] = ",".join(keys)
    return KeysFile(keymap, (*complaints, *_describe_shared_keys(keymap, known)))


def is_key(text: str) -> bool:
    """Return True for a character, the name of a key, or one of them after modifiers."""
    bare = text[len(match[0]) :] if (match := MODIFIERS.match(text)) else text
    return len(bare) == 1 or bare in NAMES


def split_keys(keys: str) -> frozenset[str]:
    """Return the keys of a binding by the names that Textual uses for them."""
    return frozenset(_character_to_key(key) if len(key) == 1 else key for key in keys.split(","))


def _describe_shared_keys(keymap: Mapping[str, str], known: Mapping[str, BindingTable]) -> Iterator[str]:
    """Yield a sentence for each changed key that another action of the same class has too."""
    for table in known.values():
        keys = {name: split_keys(keymap.get(name, binding.key)) for name, binding in table.items()}
        for name in table.keys() & keymap.keys():
            for other in table:
                shared = keys[name] & keys[other]
                if other != name and shared and (other not in keymap or other > name):
                    yield f"{min(shared)} is the key of {name} and of {other}; {name} has it"


class HiddenKey(NamedTuple):
    """A key of one action that does something else where other actions with the same key work."""

    key: str
    action: str
    """Id of the action that is hidden."""

    hidden_by: tuple[str, ...]
    """Ids of the actions that the key runs instead, each at another focus."""


def find_hidden_keys(keymap: Mapping[str, str], paths: Sequence[FocusPath]) -> list[HiddenKey]:
    """Return the keys that hide another action at some focus because the user has changed one of the two.

    Args:
        keymap: Keys of the user, by the id of their action.
        paths: The result of `list_focus_paths`.
    """
    hidden_by: dict[tuple[str, str], dict[str, None]] = {}
    for path in paths:
        owners: dict[str, tuple[str, Binding]] = {}
        """The action of each key at this focus."""

        for table in path:
            table_owners: dict[str, tuple[str, Binding]] = {}
            for name, binding in table.items():
                for key in split_keys(keymap.get(name, binding.key)):
                    table_owners.setdefault(key, (name, binding))
                    if key in owners and _is_newly_hidden(key, (name, binding), owners[key], keymap):
                        hidden_by.setdefault((key, name), {})[owners[key][0]] = None
            owners = table_owners | owners
    return [HiddenKey(key, name, tuple(owners)) for (key, name), owners in hidden_by.items()]


def _is_newly_hidden(
    key: str, action: tuple[str, Binding], owner: tuple[str, Binding], keymap: Mapping[str, str]
) -> bool:
    """Return True if the owner of a key hides an action only because the user has changed a key of one of them."""
    (name, binding), (owner_name, owner_binding) = action, owner
    is_changed = owner_name != name and (name in keymap or owner_name in keymap)
    return is_changed and not (key in split_keys(binding.key) and key in split_keys(owner_binding.key))


def describe_hidden_key(hidden: HiddenKey) -> str:
    """Return a sentence about a hidden key."""
    key, action, others = hidden
    if len(others) == 1:
        return f"{key} is the key of {action} and of {others[0]}; {others[0]} has it where both work"
    more = f" and {len(others) - 2} more" if len(others) > 2 else ""
    return f"{key} is the key of {action}, and where they work of {others[0]}, {others[1]}{more}"


def iterate_pane_classes(plugin: Plugin) -> Iterator[type]:
    """Yield every class with keys in the package of a dashboard's pane; imports it."""
    if plugin.load_pane is None:
        return
    package = plugin.load_pane().__module__.rpartition(".")[0]
    for module in pkgutil.iter_modules(importlib.import_module(package).__path__, f"{package}."):
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, type) and value.__module__ == module.name and "BINDINGS" in vars(value):
                yield value


def list_focus_paths() -> list[FocusPath]:
    """Return the path of each widget that can have the focus; imports all panes."""
    from tbtui.app.app import Dashboard
    from tbtui.app.main_screen import MainScreen
    from tbtui.app.run_list import RunList
    from tbtui.app.tag_list import TagList
    from tbtui.plugins.registry import list_tabs
    from tbtui.widgets.card_grid import CardGrid
    from tbtui.widgets.charts_pane import ChartsPane
    from tbtui.widgets.data_grid import DataGrid
    from tbtui.widgets.pane import Pane

    outer_tables = _build_binding_table(MainScreen), _build_binding_table(Dashboard)
    paths: list[FocusPath] = [(_build_binding_table(each), *outer_tables) for each in (RunList, TagList)]
    for plugin in list_tabs():
        if plugin.load_pane is None:
            continue
        pane = plugin.load_pane()
        shared = (CardGrid, pane.VIEW) if issubclass(pane, ChartsPane) else (DataGrid,)
        widgets = iterate_pane_classes(plugin)
        paths += [
            (_build_binding_table(widget), _build_binding_table(pane), *outer_tables)
            for widget in dict.fromkeys((*widgets, *shared))
            if issubclass(widget, Widget) and not issubclass(widget, (Pane, Screen))
        ]
    return paths


def _build_binding_table(node_class: type) -> BindingTable:
    """Return the bindings of a class and its bases, without those of Textual."""
    table: dict[str, Binding] = {}
    for each in node_class.__mro__:
        if not each.__module__.startswith(TEXTUAL):
            for binding in iterate_bindings(each):
                table.setdefault(binding.id or binding.tooltip or binding.description or binding.action, binding)
    return table


def list_bindings() -> dict[str, BindingTable]:
    """Return the bindings with an id, by the name of their class; imports all panes."""
    from tbtui.app.app import Dashboard
    from tbtui.app.main_screen import MainScreen
    from tbtui.app.run_list import RunList
    from tbtui.app.tag_list import TagList
    from tbtui.plugins.registry import list_tabs
    from tbtui.widgets.card_grid import CardGrid
    from tbtui.widgets.chart_view import ChartView
    from tbtui.widgets.charts_pane import ChartsPane
    from tbtui.widgets.data_grid import DataGrid

    classes: dict[str, type] = {
        each.__name__: each
        for each in (Dashboard, MainScreen, RunList, TagList, CardGrid, ChartView, ChartsPane, DataGrid)
    }
    for plugin in list_tabs():
        classes |= {f"{plugin.name}.{each.__name__}": each for each in iterate_pane_classes(plugin)}
    tables = {
        name: {each.id: each for each in iterate_bindings(node_class) if each.id}
        for name, node_class in classes.items()
    }
    return {name: table for name, table in tables.items() if table}


def format_template(known: Mapping[str, BindingTable]) -> str:
    """Return the content of a file in which every action is a comment with its present keys."""
    lines = ["# Keys of tbtui. Remove the # of a line and change its keys; several are separated by blanks.", ""]
    for name, table in known.items():
        lines.append(f"# {name}")
        lines += [
            f"# {binding_id} = {binding.key.replace(',', ' ')}   # {binding.tooltip or binding.description}"
            for binding_id, binding in table.items()
        ]
        lines.append("")
    return "\n".join(lines)


def write_template(path: Path) -> str:
    """Write the file unless there is one; return a sentence about the result."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(format_template(list_bindings()))
    except FileExistsError:
        return f"your keys are in {path}"
    except OSError as error:
        return f"{path} cannot be written: {error.strerror}"
    return f"all keys are listed in {path}: change them there"
