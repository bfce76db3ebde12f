"""Compare rows of the tag list that are made when they are shown with those of all tags."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from tbtui.app.sidebar_rows import build_tag_rows
from tbtui.view import tag_tree
from tbtui.view.tag_tree import TagRow

if TYPE_CHECKING:
    from random import Random

    import pytest

NONE: frozenset[str] = frozenset()


@given(
    st.frozensets(st.text("ab/", max_size=8), min_size=1, max_size=12),
    st.frozensets(st.text("ab", max_size=2)),
    st.randoms(use_true_random=False),
)
def test_tag_list_rows_do_not_depend_on_the_order_of_showing(
    tags: frozenset[str], folded: frozenset[str], random: Random
) -> None:
    build_tag_rows.cache_clear()
    rows, tree = build_tag_rows(tags, folded, 9)
    order = random.sample(range(len(tree)), len(tree))
    build_tag_rows.cache_clear()
    shown = {index: rows[index] for index in order}
    again, _ = build_tag_rows(tags, folded, 9)
    assert list(again) == [shown[index] for index in range(len(tree))]
    assert [row.key for row in again] == list(again.keys) == [row.key for row in tree]


def test_tag_list_rows_of_one_group_stay_distinct() -> None:
    rows, _ = build_tag_rows(frozenset({"net/encoder_layer1_weight", "net/encoder_layer2_weight", "x"}), NONE, 12)
    labels = [row.label for row in rows]
    assert len(set(labels)) == 4
    assert "encoder_layer1_weight" not in labels


def test_tag_list_of_ten_thousand_tags_makes_the_rows_in_sight(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    class CountedRow(TagRow):
        def __init__(self, key: str, *values: Any) -> None:
            made.append(key)
            super().__init__(key, *values)

    monkeypatch.setattr(tag_tree, "TagRow", CountedRow)
    tags = frozenset(f"layer{group}/tag{number}" for group in range(100) for number in range(100))
    rows, tree = build_tag_rows(tags, NONE, 40)
    assert len(rows) == len(tree) == 10_100
    assert made == []
    assert [row.label for row in rows[204:206]] == ["tag1", "tag2"]
    assert len(made) <= 3
    assert tree[-1].tag == "layer99/tag99"
