"""Names of runs in tight places: what all of them begin with is left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.text import nameable
from tbtui.viewstate.run_tree import common_start

if TYPE_CHECKING:
    from collections.abc import Sequence


def common_words(names: Sequence[str]) -> int:
    """How many leading characters all names share that say nothing of any: of `seed0`, `seed1` the word stays."""
    start = common_start(names)
    while start and names[0][start - 1].isalnum():
        start -= 1
    return start


def distinct_names(names: Sequence[str]) -> tuple[str, ...]:
    """Names without the words that all of them begin with: `a/b/seed0`, `a/b/seed1` become `seed0`, `seed1`."""
    start = common_words(names)
    return tuple(nameable(name[start:]) for name in names)
