"""Rows of the tag tree: whole names, or names that show what is left out."""

from __future__ import annotations

import pytest

from tbtui.app.sidebar_rows import outline_rows, tag_list_rows
from tbtui.charts.styled_text import pieces_width
from tbtui.charts.text import ELLIPSIS, cell_width
from tbtui.widgets.pane import OutlineRow

NAMES = ("action_rate", "ang_vel_xy", "dof_acc", "torques", "tracking_ang_vel")
REWARDS = frozenset(f"Episode/rew_{name}" for name in NAMES)


def labels(width: int, tags: frozenset[str] = REWARDS) -> dict[str, str]:
    rows, tree = tag_list_rows(tags, frozenset(), width)
    assert all(pieces_width(row.lead) + cell_width(row.label) <= width for row in rows)
    return {tag.tag: row.label for row, tag in zip(rows, tree, strict=True) if tag.tag is not None}


def test_tags_that_fit_are_whole_beside_longer_ones() -> None:
    found = labels(20)
    assert found["Episode/rew_torques"] == "rew_torques"
    assert found["Episode/rew_tracking_ang_vel"] == "…tracking_ang_vel"


@pytest.mark.parametrize("width", range(10, 26))
def test_shortened_tags_have_an_ellipsis_and_stay_distinct(width: int) -> None:
    found = labels(width)
    assert len(set(found.values())) == len(NAMES)
    for tag, label in found.items():
        assert label == tag.partition("/")[2] or ELLIPSIS in label


def test_outline_items_that_are_shortened_have_an_ellipsis() -> None:
    items = [OutlineRow(f"k{name}", f"rew_{name}") for name in NAMES]
    rows = outline_rows((OutlineRow("g", "Episode", is_group=True, count=5), *items), 18)
    assert [row.label for row in rows][1:-1] == [f"rew_{name}" for name in NAMES[:-1]]
    assert rows[-1].label == "…trackin…ng_vel"
