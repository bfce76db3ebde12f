"""All keys by group, read from the bindings that dispatch them, for help and palette."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.binding import Binding

from tbtui.app.key_line import key_sign

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from textual.dom import DOMNode

EVERYWHERE = "Everywhere"
"""Title of the keys that work wherever the focus is."""

OURS = "tbtui."
"""Classes of other packages bring keys that are theirs to explain."""


@dataclass(frozen=True, slots=True)
class KeyLine:
    """One line of help: keys that do the same kind of thing."""

    keys: str
    description: str


@dataclass(frozen=True, slots=True)
class KeyGroup:
    """Keys that work in one place."""

    title: str
    lines: tuple[KeyLine, ...]


def own_bindings(node_class: type) -> Iterator[Binding]:
    """The bindings that a class brings itself, keys with alternatives in one piece."""
    for binding in vars(node_class).get("BINDINGS", ()):
        if isinstance(binding, Binding) and not binding.system:
            yield binding


def own_classes(node: DOMNode, seen: set[type]) -> Iterator[type]:
    """The classes of ours that a node is made of and that are not among `seen` yet; they are added to it."""
    for node_class in type(node).__mro__:
        if node_class.__module__.startswith(OURS) and node_class not in seen:
            seen.add(node_class)
            yield node_class


def group_title(node: DOMNode, node_class: type) -> str:
    """What the keys of a class are listed under."""
    return str(vars(node_class).get("BINDING_GROUP_TITLE") or node.BINDING_GROUP_TITLE or "Charts")


def key_groups(nodes: Iterable[DOMNode], values: Mapping[str, str]) -> tuple[KeyGroup, ...]:
    """The keys of these nodes, grouped by the titles of their classes, in order of first appearance.

    Args:
        nodes: Whatever has bindings; a class that comes twice counts once.
        values: Name of an action to what it has set now, shown behind its description.
    """
    groups: dict[str, list[Binding]] = {}
    seen: set[type] = set()
    for node in nodes:
        for node_class in own_classes(node, seen):
            groups.setdefault(group_title(node, node_class), []).extend(own_bindings(node_class))
    return tuple(KeyGroup(title, _lines(bindings, values)) for title, bindings in groups.items() if bindings)


def _lines(bindings: list[Binding], values: Mapping[str, str]) -> tuple[KeyLine, ...]:
    """Bindings of one action (`move(-1)`, `move(1)`) share a line."""
    by_action: dict[str, list[Binding]] = {}
    for binding in bindings:
        by_action.setdefault(action_name(binding), []).append(binding)
    return tuple(_line(same, values.get(action, "")) for action, same in by_action.items())


def _line(bindings: list[Binding], value: str) -> KeyLine:
    signs = [" ".join(key_signs(binding)) for binding in bindings]
    keys = f"{signs[0]}-{signs[-1]}" if len(signs) > 4 else " ".join(signs)
    says = dict.fromkeys(binding.tooltip or binding.description for binding in bindings)
    description = ", ".join(filter(None, says))
    return KeyLine(keys, f"{description}: {value}" if value else description)


def key_signs(binding: Binding) -> list[str]:
    """Every key of a binding as people write it."""
    return [key_sign(Binding(key, binding.action)) for key in binding.key.split(",")]


def action_name(binding: Binding) -> str:
    """The action without its arguments and without whose it is."""
    return binding.action.partition("(")[0].rpartition(".")[2]
