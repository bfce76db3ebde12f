"""The keymap for help and palette: all keys by group, read from the bindings that dispatch them."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, groupby, takewhile
from types import MappingProxyType
from typing import TYPE_CHECKING

from textual.binding import Binding

from tbtui.app.footer import format_key
from tbtui.app.key_meanings import MEANINGS, PURPOSES, find_purpose
from tbtui.charts.text import format_run_name, shorten
from tbtui.frozen import frozen
from tbtui.plugins.registry import list_plugin_settings
from tbtui.view.descriptions import name_x_axis

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from textual.binding import ActiveBinding, BindingType
    from textual.dom import DOMNode

    from tbtui.app.key_meanings import Purpose
    from tbtui.settings.settings import Settings

MOVING = "Moving"
"""Group title of the keys that move a cursor."""

MAX_VALUE_COLUMNS = 16
"""Columns of a run name after a key's description."""

NO_KEYS: Mapping[str, str] = MappingProxyType({})

TEXTUAL = "textual."
"""The keys of Textual's own classes are not listed."""


@frozen
class KeyLine:
    """One line of help: the keys of one action."""

    keys: str
    description: str
    short: str = ""
    """The description where there is little room; empty: the same."""


@frozen
class KeyGroup:
    """The keys that work in one place."""

    title: str
    lines: tuple[KeyLine, ...]


def iterate_bindings(node_class: type) -> Iterator[Binding]:
    """Yield the bindings that a class declares itself; alternative keys stay in one binding.

    A class may list several tables of keys, from the shared ones to its own: the last table comes first, as the keys of
    a derived class come before those of its bases.
    """
    tables = [tuple(table) for _, table in groupby(vars(node_class).get("BINDINGS", ()), key=_identify_table)]
    for binding in chain(*reversed(tables)):
        if isinstance(binding, Binding) and not binding.system:
            yield binding


def apply_keymap(binding: Binding, keymap: Mapping[str, str]) -> Binding:
    """Return a binding with the keys that the user has given it.

    Args:
        binding: The binding as it is declared.
        keymap: Keys by the id of the binding.
    """
    return replace(binding, key=keymap[binding.id]) if binding.id is not None and binding.id in keymap else binding


def _identify_table(binding: BindingType) -> int:
    """Identify the table of a binding by its `Binding.Group` object: titles may be equal."""
    return id(binding.group) if isinstance(binding, Binding) else 0


def iterate_classes(node: DOMNode, seen: set[type]) -> Iterator[type]:
    """Yield the classes of a node that are not Textual's and not in `seen`, and add them to `seen`."""
    for node_class in type(node).__mro__:
        if node_class is not object and not node_class.__module__.startswith(TEXTUAL) and node_class not in seen:
            seen.add(node_class)
            yield node_class


def find_group_title(node: DOMNode, node_class: type, binding: Binding) -> str:
    """Return the heading of a key: that of its table, of its class, or of the node."""
    if binding.group is not None:
        return binding.group.description
    return str(vars(node_class).get("BINDING_GROUP_TITLE") or node.BINDING_GROUP_TITLE or "Charts")


def group_keys(
    nodes: Iterable[DOMNode],
    values: Mapping[str, str],
    unused: Collection[str] = (),
    keymap: Mapping[str, str] = NO_KEYS,
) -> tuple[KeyGroup, ...]:
    """Return the keys of these nodes, grouped by the titles of their classes, in order of first appearance.

    Keys that move a cursor have the same meaning everywhere. They form one group, each key listed once.

    Args:
        nodes: The nodes with bindings; a class that occurs twice counts once.
        values: Present value by action name, shown after the description.
        unused: Names of actions to leave out.
        keymap: Keys that the user has changed, by the id of their binding.
    """
    groups: dict[str, dict[str, list[Binding]]] = {}
    moving: dict[str, list[Binding]] = {}
    seen: set[type] = set()
    moving_keys: set[str] = set()
    for node in nodes:
        for node_class in iterate_classes(node, seen):
            for binding in (apply_keymap(each, keymap) for each in iterate_bindings(node_class)):
                if parse_action_name(binding) in unused or (moves_cursor(binding) and binding.key in moving_keys):
                    continue
                if moves_cursor(binding):
                    moving_keys.add(binding.key)
                # Bindings of one action (`move(-1)`, `move(1)`) of one class share a line.
                action_key = f"{node_class.__name__}.{_get_setting_action(binding) or parse_action_name(binding)}"
                if moves_cursor(binding):
                    group = moving
                else:
                    group = groups.setdefault(find_group_title(node, node_class, binding), {})
                group.setdefault(action_key, []).append(binding)
    groups[MOVING] = moving
    lines = {title: tuple(_format_line(each, values) for each in group.values()) for title, group in groups.items()}
    return tuple(KeyGroup(title, key_lines) for title, key_lines in lines.items() if key_lines)


MAX_SIGNS = 4
"""Symbols of keys in one line of help; a line of more is cut, but a row of numbers keeps its ends."""

MOVE = ("left", "right", "up", "down", "h", "l", "j", "k")
"""Keys that move a cursor, which share a line."""


SHORT_LABELS = {
    "first, last": "ends",
    "page up, down": "page",
    "move the view left, right": "pan",
    "move the view down, up": "pan",
    "move the view": "pan",
    "cursor or step: left, right": "cursor",
    "runs, tags, charts": "area",
    "open a tab": "tab",
    "previous, next tab": "tab",
}
"""Labels of keys that move, for narrow pages."""


def group_active_keys(active: Iterable[tuple[str, ActiveBinding]], values: Mapping[str, str]) -> tuple[KeyGroup, ...]:
    """Return the keys that work at the present focus, grouped by purpose; disabled ones are left out.

    Args:
        active: Each key with what it does.
        values: Present value by action name, shown after the description.
    """
    groups: dict[Purpose, dict[str, list[Binding]]] = {purpose: {} for purpose in PURPOSES}
    moves: dict[str, list[str]] = {}
    declared_keys: dict[type, dict[str, list[str]]] = {}
    for key, (node, binding, enabled, _) in active:
        node_class = type(node)
        if node_class not in declared_keys:
            declared_keys[node_class] = _list_declared_keys(node_class)
        if not enabled or binding.system or binding.action not in declared_keys[node_class]:
            continue
        if key in MOVE:
            moves.setdefault("move", []).append(key)
        elif (meaning := MEANINGS.get(key)) is not None and meaning.purpose == "Go" and key != "escape":
            moves.setdefault(meaning.label, []).append(key)
        elif binding.tooltip or binding.description:
            keys = declared_keys[node_class][binding.action]
            purpose = find_purpose([key, *keys] if key in keys else keys)
            line_key = f"{node_class.__name__}.{name_line(binding.action)}"
            groups[purpose].setdefault(line_key, []).append(replace(binding, key=key))
    lines = {
        purpose: [_format_line(bindings, values) for bindings in group.values()] for purpose, group in groups.items()
    }
    lines["tbtui"] = [
        replace(line, short=bindings[0].description)
        for line, bindings in zip(lines["tbtui"], groups["tbtui"].values(), strict=True)
    ]
    lines["Go"] = [*(_format_move_line(label, keys) for label, keys in moves.items()), *lines["Go"]]
    return tuple(KeyGroup(purpose, tuple(lines[purpose])) for purpose in PURPOSES if lines[purpose])


def _list_declared_keys(node_class: type) -> dict[str, list[str]]:
    """Return the keys that a class and its bases declare for each action, without those of Textual's classes."""
    keys: dict[str, list[str]] = {}
    for each in node_class.__mro__:
        if not each.__module__.startswith(TEXTUAL):
            for binding in iterate_bindings(each):
                keys.setdefault(binding.action, []).extend(binding.key.split(","))
    return keys


ACTIONS_BY_ARGUMENT = frozenset({"switch", "next_setting"})
"""Actions that are another one for each argument."""


def name_line(action: str) -> str:
    """Return the part of an action that tells lines of help apart: `zoom(2)` and `zoom(.5)` share the line `zoom`.

    `switch('solo')` is `switch.solo`, and `next_setting` is the name of its setting.
    """
    name, _, arguments = action.partition("(")
    name, argument = name.rpartition(".")[2], arguments.strip(")'\"")
    if name not in ACTIONS_BY_ARGUMENT or not argument:
        return name
    return argument if name == "next_setting" else f"{name}.{argument}"


def _format_move_line(label: str, keys: Sequence[str]) -> KeyLine:
    """Return the line of keys that move: letters without gaps."""
    if label == "move":
        arrows = [format_key(Binding(key, "")) for key in MOVE[:4] if key in keys]
        return KeyLine(" ".join(filter(None, ("".join(arrows), "".join(key for key in "hjkl" if key in keys)))), label)
    order = list(MEANINGS)
    signs = [format_key(Binding(key, "")) for key in sorted(keys, key=order.index)]
    short = SHORT_LABELS.get(label, label)
    if len(signs) > 2 * MAX_SIGNS:
        return KeyLine(f"{signs[0]}-{signs[-1]}", label, short)
    return KeyLine(" ".join(signs[:MAX_SIGNS]), label, short)


def format_key_values(settings: Settings, *, sidebar_shown: bool) -> dict[str, str]:
    """Return the present values that keys change, by action name."""
    return {
        "next_x_axis": name_x_axis(settings),
        "next_x_scale": settings.x_scale,
        "smooth": f"{settings.smoothing:g}",
        "next_y_scale": settings.y_scale,
        "columns": f"{settings.columns}" if settings.columns else "",
        "next_outliers": settings.outliers,
        "next_row_order": settings.row_order,
        "switch_extremes": _format_switch(settings.extremes),
        "switch_superseded": _format_switch(settings.superseded),
        "switch_together": "together" if settings.runs_together else "apart",
        "switch_overview": _format_switch(settings.overview),
        "next_images": settings.images,
        "link": _format_switch(settings.linked),
        "toggle_sidebar": "shown" if sidebar_shown else "hidden",
        "solo": _format_run(settings.solo),
        "baseline": _format_run(settings.baseline),
        **{
            setting.action or f"next_setting('{setting.name}')": setting.value_text(settings)
            for setting in list_plugin_settings()
        },
    }


def _get_setting_action(binding: Binding) -> str:
    """Return the whole action of a key that changes one declared setting; empty for other keys."""
    return binding.action if parse_action_name(binding) == "next_setting" else ""


def _format_switch(chosen: bool) -> str:
    return "on" if chosen else "off"


def _format_run(run: str | None) -> str:
    return "" if run is None else shorten(format_run_name(run), MAX_VALUE_COLUMNS)


def moves_cursor(binding: Binding) -> bool:
    """Return True if a binding moves a cursor: such bindings have a description, but no tooltip, and are not shown."""
    return bool(binding.description) and not binding.show and not binding.tooltip


def _format_line(bindings: list[Binding], values: Mapping[str, str]) -> KeyLine:
    signs = [" ".join(format_keys(binding)) for binding in bindings]
    keys = f"{signs[0]}-{signs[-1]}" if len(signs) > 4 else " ".join(signs)
    description = merge_descriptions([binding.tooltip or binding.description for binding in bindings])
    value = values.get(_get_setting_action(bindings[0]) or parse_action_name(bindings[0]), "")
    return KeyLine(keys, f"{description}: {value}" if value else description)


def merge_descriptions(descriptions: list[str]) -> str:
    """Return one description without repeated leading words: `smooth more, less`."""
    first, *others = dict.fromkeys(filter(None, descriptions)) or [""]
    words = [first.split(" ")]
    for other in (other.split(" ") for other in others):
        shared_count = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(words[0], other, strict=False)))
        words.append(other[shared_count:])
    return ", ".join(" ".join(some) for some in words)


def format_keys(binding: Binding) -> list[str]:
    """Return the symbol of every key of a binding."""
    return [format_key(Binding(key, binding.action)) for key in binding.key.split(",")]


def parse_action_name(binding: Binding) -> str:
    """Return the action without its arguments and its namespace."""
    return binding.action.partition("(")[0].rpartition(".")[2]
