from __future__ import annotations

from tbtui.view.card_groups import CardGroup, CardGrouping, group_cards, make_heading_key
from tbtui.view.tag_tree import cut_heading, group_tags
from tests.helpers.views import plain_view

TAGS = ("acc/train", "acc/val", "epoch", "loss/train", "loss/val", "lr")
GROUPS = group_tags(frozenset(TAGS))
PLACES = [(tag, tag) for tag in TAGS]


def test_groups_of_several_tags_have_headings_and_lone_tags_begin_a_row() -> None:
    grouped = group_cards(PLACES, GROUPS)
    acc, loss = make_heading_key("acc"), make_heading_key("loss")
    assert grouped.keys == (acc, "acc/train", "acc/val", "epoch", loss, "loss/train", "loss/val", "lr")
    assert grouped.headings == {acc: CardGroup("acc", 2), loss: CardGroup("loss", 2)}
    assert grouped.breaks == {"epoch", "lr"}
    assert grouped.headings_of_cards == {tag: tag.partition("/")[0] for tag in TAGS if "/" in tag}


def test_folded_group_shows_its_heading_alone_in_its_place() -> None:
    for folded, keys in (
        ({"acc"}, [make_heading_key("acc"), "epoch", make_heading_key("loss"), "loss/train", "loss/val", "lr"]),
        ({"loss"}, [make_heading_key("acc"), "acc/train", "acc/val", "epoch", make_heading_key("loss"), "lr"]),
        ({"acc", "loss"}, [make_heading_key("acc"), "epoch", make_heading_key("loss"), "lr"]),
    ):
        shown = [place for place in PLACES if place[0].partition("/")[0] not in folded]
        grouped = group_cards(shown, GROUPS, folded)
        assert list(grouped.keys) == keys
        assert {group.name for group in grouped.headings.values() if group.is_folded} == folded


def test_one_group_has_no_heading_unless_it_is_folded() -> None:
    groups = group_tags(frozenset(("loss/train", "loss/val")))
    assert group_cards([("loss/train", "loss/train"), ("loss/val", "loss/val")], groups).headings == {}
    assert group_cards([], groups, {"loss"}).keys == (make_heading_key("loss"),)


def test_pinned_cards_stay_above_all_headings() -> None:
    pinned = group_cards(
        [("loss/val", "loss/val"), *(each for each in PLACES if each[0] != "loss/val")], GROUPS, (), ["loss/val"]
    )
    assert pinned.keys[:2] == ("loss/val", make_heading_key("acc"))
    assert pinned.keys.count(make_heading_key("loss")) == 1
    assert "loss/val" not in pinned.headings_of_cards


def test_title_below_a_heading_does_not_repeat_it() -> None:
    assert cut_heading("loss/train", "loss") == "train"
    assert cut_heading("loss/train", "") == "loss/train"
    assert cut_heading("Training loss", "loss") == "Training loss"
    assert cut_heading("loss/", "loss") == "loss/"


def test_cards_of_runs_begin_a_row_with_each_tag() -> None:
    places = [(f"{run} {tag}", tag) for tag in ("a", "b", "c") for run in ("r0", "r1") if (run, tag) != ("r1", "c")]
    assert group_cards(places, group_tags(frozenset("abc"))).breaks == {"r0 a", "r0 b", "r0 c"}


def test_grouping_is_kept_until_something_changes() -> None:
    grouping = CardGrouping("scalars")
    shown = plain_view({"run": dict.fromkeys(TAGS, (1.0, 2.0))})
    first = grouping.of(shown, TAGS, str)
    assert grouping.of(shown, TAGS, str) is first
    filtered = plain_view({"run": dict.fromkeys(TAGS, (1.0, 2.0))}, tag_filter="loss")
    assert grouping.of(filtered, ("loss/train", "loss/val"), str).headings == {}
    overview = plain_view({"run": dict.fromkeys(TAGS, (1.0, 2.0))}, overview=True)
    assert grouping.of(overview, TAGS, str).keys == ()
