"""Rows of the run tree: runs in folders, with the state of each run."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypeAlias

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tbtui.run_health.conditions import RunCondition
    from tbtui.run_health.summaries import RunSummary
    from tbtui.store.snapshot import RunSnapshot


SwitchState: TypeAlias = Literal["on", "off", "mixed"]

RunState: TypeAlias = Literal["shown", "writing", "nan", "hidden", "unreadable"]


def make_run_key(run: str) -> str:
    """Return the key of the line of a run."""
    return f"r{run}"


def make_folder_key(path: str) -> str:
    """Return the key of the line of a folder; `path` ends with a `/`."""
    return f"d{path}"


@frozen
class RunNode:
    """A line of the run tree, independent of the state of its runs."""

    key: str
    """From `make_run_key` or `make_folder_key`."""

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
    drawn_count: int
    """Number of its runs that are drawn."""

    state: RunState
    """State of the run; a folder is `shown` or `hidden`."""

    folded: bool = False

    @property
    def switch(self) -> SwitchState:
        """Return `on` if all of its runs are drawn, `off` if none is, `mixed` otherwise."""
        return "off" if self.drawn_count == 0 else "on" if self.drawn_count == len(self.node.runs) else "mixed"


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
        return RunNode(make_folder_key(node.path), depth, label, common, tuple(node.runs), None)
    return RunNode(make_run_key(node.run), depth, label, common, (node.run,), node.run)


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
            drawn_count = len(shown.intersection(node.runs))
            rows.append(RunRow(node, drawn_count, "shown" if drawn_count else "hidden", node.key in folded))
        else:
            name, is_drawn = node.run, node.run in shown
            state = choose_run_state(runs[name], summaries[name], conditions[name], shown=is_drawn)
            rows.append(RunRow(node, int(is_drawn), state))
    return tuple(rows)
