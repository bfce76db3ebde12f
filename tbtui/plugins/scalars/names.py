"""Names of tags in tight places: what all of them share is left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.text import nameable
from tbtui.viewstate.run_tree import common_start

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_IN_TITLE = 6
"""Tags that the title of a joined chart tells apart."""


def common_ends(names: Sequence[str]) -> tuple[int, int]:
    """How many leading and trailing characters all names share, whole words; something is left of each between them."""
    start = common_start(names)
    return start, common_start([name[start:][::-1] for name in names])


def distinct_parts(names: Sequence[str]) -> tuple[str, ...]:
    """Names without what all of them begin or end with: `train/loss`, `val/loss` become `train`, `val`."""
    start, end = common_ends(names)
    return tuple(nameable(name[start : len(name) - end]) for name in names)


def joint_title(names: Sequence[str]) -> str:
    """What several names have in common and in what they differ: `loss/{train,val}`."""
    if len(names) == 1:
        return names[0]
    start, end = common_ends(names)
    middles = [name[start : len(name) - end] for name in names]
    more = len(middles) - MOST_IN_TITLE
    if more > 1:
        middles[MOST_IN_TITLE - 1 :] = [f"⋯+{more + 1}"]
    return f"{names[0][:start]}{{{','.join(middles)}}}{names[0][len(names[0]) - end :]}"
