"""Nodes of one scope that are numbered without a gap: `conv_1`, `conv_2` and so on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

FEWEST = 5
"""Members; fewer are no series."""

_NUMBERED = re.compile(r"([^0-9]*)([0-9]{1,15})")


class Series(NamedTuple):
    """Nodes that can be shown as one."""

    scope: int
    leaf: str
    """Such as `conv_[1-5]`."""

    members: tuple[int, ...]
    """By their numbers."""


def numbered(nodes: Iterable[int], leaves: Sequence[str], ops: Sequence[str], parents: Sequence[int]) -> list[Series]:
    """All series among nodes: those of one operation, directly in one scope, whose numbers follow each other.

    A name is numbered if its only digits are at its end; the number alone may be all of it.
    """
    groups: dict[tuple[int, str, str], list[tuple[int, int]]] = {}
    for node in nodes:
        leaf = leaves[node]
        if leaf[-1:].isdigit() and (match := _NUMBERED.fullmatch(leaf)):
            groups.setdefault((parents[node], ops[node], match[1]), []).append((int(match[2]), node))
    return [
        Series(scope, f"{stem}[{run[0][0]}-{run[-1][0]}]", tuple(node for _, node in run))
        for (scope, _, stem), members in groups.items()
        if len(members) >= FEWEST
        for run in _runs(sorted(members))
        if len(run) >= FEWEST
    ]


def _runs(members: Sequence[tuple[int, int]]) -> Iterator[Sequence[tuple[int, int]]]:
    """Stretches in which each number is one more than the one before."""
    begin = 0
    for end in range(1, len(members) + 1):
        if end == len(members) or members[end][0] != members[end - 1][0] + 1:
            yield members[begin:end]
            begin = end
