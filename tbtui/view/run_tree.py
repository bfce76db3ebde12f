"""Rows of the run tree and of the tag tree, and the natural order of their names.

`layer2` is before `layer10`, and the content of a folder before its neighbours with longer names.
"""

from __future__ import annotations

import itertools
import re
import threading
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypeAlias, overload

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tbtui.run_health.conditions import RunCondition
    from tbtui.run_health.summaries import RunSummary
    from tbtui.store.snapshot import RunSnapshot


SwitchState: TypeAlias = Literal["on", "off", "mixed"]
RunState: TypeAlias = Literal["shown", "writing", "nan", "hidden", "unreadable"]


@frozen
class RunNode:
    """A line of the run tree, independent of the state of its runs."""

    key: str
    """`r` and the name of the run, or `d` and the path of the folder."""

    depth: int
    label: str
    """Part of the path that no line above shows; not yet safe for a terminal."""

    common: int
    """Number of leading characters that the label shares with its neighbours."""

    runs: tuple[str, ...]
    """Runs that the switch of this line controls: one run, or all runs in the folder."""

    run: str | None
    """Name of the run; None for a folder."""

    @property
    def path(self) -> str:
        """Return the name of the run, or the path of the folder with a `/` at its end."""
        return self.key[1:]


@frozen
class RunRow:
    """A line of the run tree with its current state."""

    node: RunNode
    on: int
    """Number of its runs that are drawn."""

    state: RunState
    """State of the run; a folder is `shown` or `hidden`."""

    folded: bool = False

    @property
    def switch(self) -> SwitchState:
        """Return `on` if all of its runs are drawn, `off` if none is, `mixed` otherwise."""
        return "off" if self.on == 0 else "on" if self.on == len(self.node.runs) else "mixed"


@dataclass(slots=True)
class _Node:
    path: str
    run: str | None = None
    runs: list[str] = field(default_factory=list)
    children: dict[str, _Node] = field(default_factory=dict)


def _build_tree(names: Sequence[str]) -> _Node:
    root = _Node("")
    for name in names:
        node = root
        for part in name.split("/"):
            node.runs.append(name)
            node = node.children.setdefault(part, _Node(f"{node.path}{part}/"))
        node.run = name
        node.runs.append(name)
    return root


def _skip_single_children(label: str, node: _Node) -> tuple[str, _Node]:
    """Follow a chain of directories with one child each, and return the joined label with the last directory."""
    while node.run is None and len(node.children) == 1:
        ((part, node),) = node.children.items()
        label = f"{label}/{part}"
    return label, node


_NUMBER_START = re.compile(r"(?<![\d.])(?:((?<=\w)\.)|\.)?\d[\d.]*(?:[eE][+-]?\d*)?$")
"""The start of a number such as `0.01`, `1e-4` or `1.2.0` before the digits that differ; it is tried once per number,
which bounds the time for a name."""

_NUMBER_CONTINUES = re.compile(r"\d|[eE][+-]?\d|\.\d")


def measure_common_label(labels: Sequence[str]) -> int:
    """Return the number of leading characters that all labels share, without splitting a word or a number."""
    if len(labels) < 2:
        return 0
    first, last = min(labels), max(labels)
    common_pairs = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False))
    prefix = "".join(ch for ch, _ in common_pairs)
    following = [label[len(prefix) : len(prefix) + 1] for label in labels]
    if not all(ch.isdigit() for ch in following):
        while prefix and prefix[-1].isalnum():
            prefix = prefix[:-1]
    if any(_NUMBER_CONTINUES.match(label, len(prefix)) for label in labels):
        prefix = _NUMBER_START.sub(r"\1", prefix)
    return min(len(prefix), min(map(len, labels)) - 1)


def _list_lines(parent: _Node, depth: int) -> list[tuple[RunNode, _Node]]:
    nodes = [_skip_single_children(part, node) for part, node in parent.children.items()]
    common = measure_common_label([label for label, _ in nodes])
    return [(_create_run_node(label, node, depth, common), node) for label, node in nodes]


def _create_run_node(label: str, node: _Node, depth: int, common: int) -> RunNode:
    if node.run is None:
        return RunNode(f"d{node.path}", depth, label, common, tuple(node.runs), None)
    return RunNode(f"r{node.run}", depth, label, common, (node.run,), node.run)


@lru_cache(maxsize=4)
def list_run_nodes(names: tuple[str, ...], folded: frozenset[str]) -> tuple[RunNode, ...]:
    """Return the lines of some runs in tree order.

    Args:
        names: Run names in tree order.
        folded: Keys of the folders whose content is hidden.
    """
    nodes: list[RunNode] = []
    # A stack instead of recursion: a path may be deeper than Python's limit.
    pending = _list_lines(_build_tree(names), 0)[::-1]
    while pending:
        node, tree_node = pending.pop()
        nodes.append(node)
        if node.key not in folded:
            pending.extend(reversed(_list_lines(tree_node, node.depth + 1)))
    return tuple(nodes)


def choose_run_state(run: RunSnapshot, summary: RunSummary, condition: RunCondition, *, shown: bool) -> RunState:
    """Return the state that the bullet of a run shows."""
    if run.problem is not None:
        return "unreadable"
    if not shown:
        return "hidden"
    if summary.last_is_nan:
        return "nan"
    return "writing" if condition.writing else "shown"


def list_run_rows(
    nodes: Sequence[RunNode],
    runs: Mapping[str, RunSnapshot],
    summaries: Mapping[str, RunSummary],
    conditions: Mapping[str, RunCondition],
    shown: frozenset[str],
    folded: frozenset[str],
) -> tuple[RunRow, ...]:
    """Return the lines with the state of their runs.

    Args:
        nodes: From `list_run_nodes`.
        runs: Every run of a node.
        summaries: Summary of each run.
        conditions: Condition of each run.
        shown: Names of the drawn runs.
        folded: The argument of `list_run_nodes`.
    """
    rows = []
    for node in nodes:
        if node.run is None:
            on = len(shown.intersection(node.runs))
            rows.append(RunRow(node, on, "shown" if on else "hidden", node.key in folded))
        else:
            name, is_drawn = node.run, node.run in shown
            state = choose_run_state(runs[name], summaries[name], conditions[name], shown=is_drawn)
            rows.append(RunRow(node, int(is_drawn), state))
    return tuple(rows)


# An exponent needs digits: `step2eval` is the number 2 and the word `eval`. TensorBoard reads `2e` there, which breaks
# its order; otherwise the rule is that of its `compareTagNames`.
_PIECES = re.compile(r"([0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)|([^0-9]+)")

Piece: TypeAlias = tuple[int, float, str]
NameKey: TypeAlias = tuple[tuple[tuple[Piece, ...], str], ...]


@lru_cache(maxsize=1 << 16)
def make_natural_key(name: str) -> NameKey:
    """Return the sort key of a run name or tag: parts between `/`, with numbers by value and before letters."""
    return tuple((_split_numbers(part), part) for part in name.split("/"))


_DIGITS = "0123456789"
_find_digit = re.compile("[0-9]").search


@lru_cache(maxsize=1 << 14)  # parts such as `weight` are in most tags
def _split_numbers(part: str) -> tuple[Piece, ...]:
    word = part.rstrip(_DIGITS)
    if word.isalpha() or not _find_digit(word):  # most parts, in half of the time: `weight`, `layer12`
        number = part[len(word) :]
        if not number:
            return ((1, 0.0, word),) if word else ()
        return ((1, 0.0, word), (0, float(number), "")) if word else ((0, float(number), ""),)
    return tuple((0, float(number), "") if number else (1, 0.0, text) for number, text in _PIECES.findall(part))


_ordering = threading.Lock()


def sort_naturally(tags: frozenset[str]) -> tuple[str, ...]:
    """Return tags in natural order; the sidebar and the cards share the result for the same tags."""
    with _ordering:
        return _sort_naturally(tags)


@lru_cache(maxsize=4)
def _sort_naturally(tags: frozenset[str]) -> tuple[str, ...]:
    # Natural keys are slow to compare; sorting by characters first leaves few comparisons.
    return tuple(sorted(sorted(tags), key=make_natural_key))


TF1_SUFFIX = "/scalar_summary"
"""Suffix that the `summary` op of TensorFlow 1 appends to the name of the user; TensorBoard hides it too."""


@frozen
class TagRow:
    """A line of the tag tree: a group or a tag."""

    key: str
    """`g` and the group, or `t` and the tag."""

    depth: int
    label: str
    """Not yet safe for a terminal."""

    group: str
    tag: str | None = None
    """None for a group."""

    count: int = 0
    """Number of tags in the group; 0 for a tag."""

    folded: bool = False


def get_group(tag: str) -> str:
    """Return the text before the first `/`; a tag without one is its own group."""
    return tag.partition("/")[0]


def cut_group(tag: str) -> str:
    """Return the part of a tag that its group does not show."""
    _, slash, rest = tag.partition("/")
    title = rest if slash else tag
    return title.removesuffix(TF1_SUFFIX) or title or tag


@lru_cache(maxsize=4)
def group_tags(tags: frozenset[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return groups and their tags in natural order."""
    groups: dict[str, list[str]] = {}
    for tag in sort_naturally(tags):
        groups.setdefault(get_group(tag), []).append(tag)
    return tuple((group, tuple(tags)) for group, tags in groups.items())


@lru_cache(maxsize=4)
def count_unfolded(tags: frozenset[str], folded: frozenset[str]) -> int:
    """Return the number of tags outside the folded groups."""
    return sum(get_group(tag) not in folded for tag in tags) if folded else len(tags)


class TagTree(Sequence[TagRow]):
    """The lines of the tag tree, which are created when they are read.

    Args:
        groups: Groups and their tags, in order.
        folded: Groups whose tags are hidden.
    """

    def __init__(self, groups: Sequence[tuple[str, tuple[str, ...]]], folded: frozenset[str]) -> None:
        self._groups, self._folded = groups, folded
        self.outer: list[int] = []
        """Indices of the lines outside groups: the groups themselves, and tags without a group."""

        keys: list[str] = []
        for group, members in groups:
            self.outer.append(len(keys))
            if members == (group,):
                keys.append(f"t{group}")
                continue
            keys.append(f"g{group}")
            if group not in folded:
                keys += [f"t{tag}" for tag in members]
        self.keys = tuple(keys)
        """Keys of all lines."""

    def __len__(self) -> int:
        return len(self.keys)

    @overload
    def __getitem__(self, index: int) -> TagRow: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[TagRow]: ...
    def __getitem__(self, index: int | slice) -> TagRow | Sequence[TagRow]:
        if isinstance(index, slice):
            return [self[each] for each in range(len(self))[index]]
        index = range(len(self))[index]
        group, members, row_in_group = self._line(index)
        label = self.label_of(index)
        if row_in_group:
            return TagRow(f"t{members[row_in_group - 1]}", 1, label, group, members[row_in_group - 1])
        if members == (group,):
            return TagRow(f"t{group}", 0, label, group, group)
        return TagRow(f"g{group}", 0, label, group, None, len(members), group in self._folded)

    def label_of(self, index: int) -> str:
        """Return the label of a line, not yet safe for a terminal."""
        group, members, row_in_group = self._line(index)
        return (
            cut_group(members[row_in_group - 1])
            if row_in_group
            else group or ("(no name)" if members == (group,) else "/")
        )

    def _line(self, index: int) -> tuple[str, tuple[str, ...], int]:
        """Return the group of a line, its tags, and the number of lines after that of the group."""
        number = bisect_right(self.outer, index) - 1
        return *self._groups[number], index - self.outer[number]

    def siblings_of(self, index: int) -> Sequence[int]:
        """Return the lines of the group of a tag; for a line outside groups, all such lines."""
        next_outer = bisect_right(self.outer, index)
        if self.outer[next_outer - 1] == index:
            return self.outer
        return range(
            self.outer[next_outer - 1] + 1, self.outer[next_outer] if next_outer < len(self.outer) else len(self)
        )


@lru_cache(maxsize=4)
def list_tag_rows(tags: frozenset[str], folded: frozenset[str]) -> TagTree:
    """Return the lines of the tag tree.

    Args:
        tags: Tags that pass the filter.
        folded: Groups whose tags are hidden.
    """
    return TagTree(group_tags(tags), folded)


@lru_cache(maxsize=4)
def find_foldable_groups(tags: frozenset[str]) -> frozenset[str]:
    """Return the groups that can be folded: not those of a tag without a group."""
    return frozenset(group for group, members in group_tags(tags) if members != (group,))
