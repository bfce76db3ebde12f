"""Rows of the run tree: directories as folders, chains of single directories joined, each run with its state."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypeAlias

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tbtui.run_health.health import RunCondition, RunSummary
    from tbtui.store.snapshot import RunSnapshot


SwitchState: TypeAlias = Literal["on", "off", "mixed"]
RunState: TypeAlias = Literal["shown", "writing", "nan", "hidden", "unreadable"]


@frozen
class RunNode:
    """A line of the tree, whatever the state of its runs."""

    key: str
    """`r` and the run's name, or `d` and the folder's path."""

    depth: int
    label: str
    """What the lines above do not say of the path already; not yet made safe for a terminal."""

    common: int
    """How many leading characters of the label its neighbours share."""

    runs: tuple[str, ...]
    """What switching this line switches: one run, or all inside the folder."""

    run: str | None
    """None for a folder."""

    @property
    def path(self) -> str:
        """The run's name, or the folder's path with a `/` at its end."""
        return self.key[1:]


@frozen
class RunRow:
    """A line of the tree as it stands now."""

    place: RunNode
    on: int
    """How many of the line's runs are drawn."""

    state: RunState
    """Of the run; a folder is `shown` or `hidden`."""

    folded: bool = False

    @property
    def switch(self) -> SwitchState:
        """Whether the line's runs are drawn: all, none or some."""
        return "off" if self.on == 0 else "on" if self.on == len(self.place.runs) else "mixed"


@dataclass(slots=True)
class _Node:
    path: str
    run: str | None = None
    runs: list[str] = field(default_factory=list)
    children: dict[str, _Node] = field(default_factory=dict)


def _grow(names: Sequence[str]) -> _Node:
    root = _Node("")
    for name in names:
        node = root
        for part in name.split("/"):
            node.runs.append(name)
            node = node.children.setdefault(part, _Node(f"{node.path}{part}/"))
        node.run = name
        node.runs.append(name)
    return root


def _joined(label: str, node: _Node) -> tuple[str, _Node]:
    """Follow a chain of directories that hold nothing but one another."""
    while node.run is None and len(node.children) == 1:
        ((part, node),) = node.children.items()
        label = f"{label}/{part}"
    return label, node


_NUMBER_BEGUN = re.compile(r"(?<![\d.])(\.?)\d[\d.]*(?:e[+-]?)?$")
"""Of a number such as `0.01`, `1e-4` or `1.2.0` what stands before the digits in which others differ; it is tried once
a number, so that no name takes long."""


def common_label_length(labels: Sequence[str]) -> int:
    """How many leading characters all labels share, cut back so that no word or number is split."""
    if len(labels) < 2:
        return 0
    first, last = min(labels), max(labels)
    same = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False))
    start = "".join(ch for ch, _ in same)
    following = [label[len(start) : len(start) + 1] for label in labels]
    if not all(ch.isdigit() for ch in following):
        while start and start[-1].isalnum():
            start = start[:-1]
    if any(label[len(start) : len(start) + 1].isdigit() for label in labels):
        start = _NUMBER_BEGUN.sub(r"\1", start)
    return min(len(start), min(map(len, labels)) - 1)


def _lines(parent: _Node, depth: int) -> list[tuple[RunNode, _Node]]:
    nodes = [_joined(part, node) for part, node in parent.children.items()]
    common = common_label_length([label for label, _ in nodes])
    return [(_place(label, node, depth, common), node) for label, node in nodes]


def _place(label: str, node: _Node, depth: int, common: int) -> RunNode:
    if node.run is None:
        return RunNode(f"d{node.path}", depth, label, common, tuple(node.runs), None)
    return RunNode(f"r{node.run}", depth, label, common, (node.run,), node.run)


@lru_cache(maxsize=4)
def run_nodes(names: tuple[str, ...], folded: frozenset[str]) -> tuple[RunNode, ...]:
    """The lines for these runs, in tree order.

    Args:
        names: Run names in tree order.
        folded: Keys of the folders whose content is not listed.
    """
    places: list[RunNode] = []
    # A stack instead of recursion: a path may be deeper than Python's limit.
    waiting = _lines(_grow(names), 0)[::-1]
    while waiting:
        place, node = waiting.pop()
        places.append(place)
        if place.key not in folded:
            waiting.extend(reversed(_lines(node, place.depth + 1)))
    return tuple(places)


def run_state(run: RunSnapshot, facts: RunSummary, condition: RunCondition, *, shown: bool) -> RunState:
    """The one thing the run's bullet says."""
    if run.problem is not None:
        return "unreadable"
    if not shown:
        return "hidden"
    if facts.last_is_nan:
        return "nan"
    return "writing" if condition.writing else "shown"


def run_rows(
    places: Sequence[RunNode],
    runs: Mapping[str, RunSnapshot],
    facts: Mapping[str, RunSummary],
    conditions: Mapping[str, RunCondition],
    shown: frozenset[str],
    folded: frozenset[str],
) -> tuple[RunRow, ...]:
    """The lines with the state their runs are in.

    Args:
        places: From `run_places`.
        runs: Every run a place names.
        facts: Likewise.
        conditions: Likewise.
        shown: Names of the runs that are drawn.
        folded: As given to `run_places`.
    """
    rows = []
    for place in places:
        if place.run is None:
            on = len(shown.intersection(place.runs))
            rows.append(RunRow(place, on, "shown" if on else "hidden", place.key in folded))
        else:
            name, drawn = place.run, place.run in shown
            state = run_state(runs[name], facts[name], conditions[name], shown=drawn)
            rows.append(RunRow(place, int(drawn), state))
    return tuple(rows)


# The order people expect: `layer2` before `layer10`, a folder's content before its longer-named neighbours.


# An exponent counts only when digits follow it: `step2eval` holds the number 2 and then the word `eval`. (TensorBoard
# reads `2e` there and its order falls apart; the rule is that of its `compareTagNames` otherwise.)
_PIECES = re.compile(r"([0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)|([^0-9]+)")

Piece: TypeAlias = tuple[int, float, str]
NameKey: TypeAlias = tuple[tuple[tuple[Piece, ...], str], ...]


@lru_cache(maxsize=1 << 16)
def natural_key(name: str) -> NameKey:
    """Sort key of a run name or tag: parts between `/` in turn, numbers in them by value and before letters."""
    return tuple((_pieces(part), part) for part in name.split("/"))


def _pieces(part: str) -> tuple[Piece, ...]:
    return tuple((0, float(number), "") if number else (1, 0.0, text) for number, text in _PIECES.findall(part))


# Rows of the tag tree: tags under the text before their first `/`, in the order of the cards.


TF1_SUFFIX = "/scalar_summary"
"""Appended by TensorFlow 1's `summary` op to the name the user gave; TensorBoard does not show it either."""


@frozen
class TagRow:
    """A line of the tag tree: a group, or a tag."""

    key: str
    """`g` and the group, or `t` and the tag."""

    depth: int
    label: str
    """Not yet made safe for a terminal."""

    group: str
    tag: str | None = None
    """None for a group."""

    count: int = 0
    """Tags in the group; 0 for a tag."""

    folded: bool = False


def group_of(tag: str) -> str:
    """The text before the first `/`; a tag without one is its own group."""
    return tag.partition("/")[0]


def tag_title(tag: str) -> str:
    """What the group does not say of a tag already."""
    _, slash, rest = tag.partition("/")
    title = rest if slash else tag
    return title.removesuffix(TF1_SUFFIX) or title or tag


@lru_cache(maxsize=4)
def tags_by_group(tags: frozenset[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Groups and their tags in natural order."""
    groups: dict[str, list[str]] = {}
    for tag in sorted(tags, key=natural_key):
        groups.setdefault(group_of(tag), []).append(tag)
    return tuple((group, tuple(held)) for group, held in groups.items())


@lru_cache(maxsize=4)
def count_unfolded(tags: frozenset[str], folded: frozenset[str]) -> int:
    """How many of the tags are in none of the folded groups."""
    return sum(group_of(tag) not in folded for tag in tags) if folded else len(tags)


@lru_cache(maxsize=4)
def tag_rows(tags: frozenset[str], folded: frozenset[str]) -> tuple[TagRow, ...]:
    """The lines of the tag tree.

    Args:
        tags: The tags that pass the filter.
        folded: Groups whose tags are not listed.
    """
    rows: list[TagRow] = []
    for group, held in tags_by_group(tags):
        if held == (group,):
            rows.append(TagRow(f"t{group}", 0, group or "(no name)", group, group))
            continue
        rows.append(TagRow(f"g{group}", 0, group or "/", group, None, len(held), group in folded))
        if group not in folded:
            rows += [TagRow(f"t{tag}", 1, tag_title(tag), group, tag) for tag in held]
    return tuple(rows)
