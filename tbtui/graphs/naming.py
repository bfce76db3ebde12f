"""Names by which the nodes of a graph can be told apart."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

LIBRARY = "__function_library__"
"""Before the name of a function, and the name of the section that holds them all."""

NO_NAME = "(no name)"


_TRACED = re.compile(r"(?:graph_[0-9]+_)?__(?:inference|forward|backward)_(.+?)(?:_[0-9]+)*", re.ASCII)
"""What TensorFlow makes of the name of a Python function that it traces; before it, which of several graphs has it."""


def function_title(name: str) -> str:
    """`one_step` of `__inference_one_step_2134`: what a function was called before it was traced; others as it is."""
    match = _TRACED.fullmatch(name)
    return match[1] if match else name


_READ = "_readvariableop_resource"
"""Behind the name of the operation that reads a variable where TensorFlow makes an argument of it for a function."""


def argument_title(name: str) -> str:
    """`dense_matmul…` of `dense_matmul_readvariableop_resource`: of such arguments what tells them apart."""
    return f"{name.removesuffix(_READ)}…" if name.endswith(_READ) else name


class Names:
    """Gives names that were not given before."""

    def __init__(self, given: Iterable[str] = ()) -> None:
        """Begin with those that are `given` already."""
        self.empty = 0
        """How often nothing was asked for."""

        self.twice = 0
        """How often a name was asked for that was given."""

        self._given = set(given)
        self._next: dict[str, int] = {}

    def give(self, name: str) -> str:
        """The name itself if it is free, else with ` (2)` and so on behind it; `(no name)` for the empty one."""
        if not name:
            self.empty += 1
            name = NO_NAME
        elif name in self._given:
            self.twice += 1
        return self.free(name)

    def free(self, name: str) -> str:
        """Likewise, uncounted."""
        given = name
        number = self._next.get(name, 2)
        while given in self._given:
            given = f"{name} ({number})"
            number += 1
            self._next[name] = number
        self._given.add(given)
        return given


def first_rows(names: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Of each name the first row."""
    rows: dict[str, int] = {}
    for name, row in names:
        rows.setdefault(name, row)
    return rows
