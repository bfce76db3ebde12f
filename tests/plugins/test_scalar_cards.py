"""Cards of the Scalars tab and their order: single tags and joined tags."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.plugins.scalars.cards import MAX_JOINED_TAGS, CardCache, build_joined_cards, join_titles, measure_common_ends
from tbtui.settings.settings import TagMerge
from tests.helpers.snapshots import references, run
from tests.helpers.views import FALLING, plain_view, series, view

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

RUNS = {
    "a": {"loss/val": FALLING, "loss/train": FALLING, "lr": FALLING},
    "b": {"layer10/x": FALLING, "layer2/x": FALLING},
}


@pytest.mark.parametrize(
    ("settings", "tags"),
    [
        pytest.param(
            {}, ("layer2/x", "layer10/x", "loss/train", "loss/val", "lr"), id="natural order, groups together"
        ),
        pytest.param({"tag_filter": "LOSS"}, ("loss/train", "loss/val"), id="tag filter"),
        pytest.param({"tag_filter": "nothing"}, (), id="nothing matches"),
        pytest.param({"hidden_runs": frozenset({"b"})}, ("loss/train", "loss/val", "lr"), id="only of drawn runs"),
        pytest.param({"solo": "b"}, ("layer2/x", "layer10/x"), id="solo"),
        pytest.param({"hidden_groups": frozenset({"loss", "lr"})}, ("layer2/x", "layer10/x"), id="folded groups"),
        pytest.param({"run_filter": "nobody"}, (), id="no run"),
    ],
)
def test_cards_list_the_tags_of_a_view(settings: dict[str, object], tags: tuple[str, ...]) -> None:
    assert CardCache().of(plain_view(RUNS, **settings)).keys == tags


def test_cards_exclude_other_plugins_and_empty_series() -> None:
    shown = view(run("a", {"loss": FALLING, "empty": ()}, others=[references("a", "picture", "images")]))
    assert CardCache().of(shown).keys == ("loss",)


def test_cards_include_a_tag_with_only_nan() -> None:
    assert CardCache().of(plain_view({"a": {"lost": (np.nan,)}})).keys == ("lost",)


def test_cards_are_the_same_object_until_a_change() -> None:
    tags = CardCache()
    first = tags.of(plain_view(RUNS))
    longer = {**RUNS, "a": {**RUNS["a"], "lr": (*FALLING, 0.0)}}
    assert tags.of(plain_view(longer)) is first
    assert tags.of(plain_view({**longer, "c": {"new": FALLING}})) != first


def test_cards_follow_added_and_removed_tags() -> None:
    tags = CardCache()
    assert tags.of(view(run("a", {"x": FALLING, "y": FALLING}))).keys == ("x", "y")
    assert tags.of(view(run("a", {"x": FALLING, "z": FALLING}, revision=2))).keys == ("x", "z")
    assert tags.of(view(run("a", {"x": FALLING}, revision=3))).keys == ("x",)


def test_series_helper_creates_the_given_points() -> None:
    made = series("t", (1.0, 2.0), steps=(5, 7))
    assert made.steps.tolist() == [5, 7]


# Pins, joined charts, empty cards

TAGS = {"a": dict.fromkeys(("acc", "loss/train", "loss/val", "lr"), FALLING)}


def keys(runs: Mapping[str, Mapping[str, Sequence[float]]] = TAGS, **settings: Any) -> tuple[str, ...]:
    return CardCache().of(plain_view(runs, **settings)).keys


@pytest.mark.parametrize(
    ("settings", "shown"),
    [
        pytest.param({"pinned": ("lr", "loss/val")}, ("lr", "loss/val", "acc", "loss/train"), id="in order of pinning"),
        pytest.param(
            {"pinned": ("gone", "lr", "lr")}, ("lr", "acc", "loss/train", "loss/val"), id="a pin without a card"
        ),
        pytest.param({"pinned": ("lr",), "tag_filter": "acc"}, ("acc",), id="the filter goes for pinned ones, too"),
        pytest.param(
            {"pinned": ("loss/val",), "hidden_groups": frozenset({"loss", "acc"})},
            ("loss/val", "lr"),
            id="a pinned card has left its folded group",
        ),
    ],
)
def test_pinned_cards_are_first(settings: dict[str, Any], shown: tuple[str, ...]) -> None:
    assert keys(**settings) == shown


def test_joined_tags_share_a_card_at_the_first_position() -> None:
    cards = CardCache().of(plain_view(TAGS, joints=(TagMerge(tags=("lr", "loss/val")),)))
    joined = cards.key_of("lr")
    assert cards.keys == ("acc", "loss/train", joined)
    assert cards.list_tags(joined) == ("loss/val", "lr")
    assert cards.key_of("loss/val") == joined
    assert cards.find_merge(joined) == TagMerge(tags=("lr", "loss/val"))
    assert (cards.key_of("acc"), cards.list_tags("acc"), cards.find_merge("acc")) == ("acc", ("acc",), None)


def test_join_pattern_joins_tags_with_equal_groups() -> None:
    tags = ("train/loss", "train/acc", "val/loss", "val/acc", "val/f1")
    cards = CardCache().of(
        plain_view({"a": dict.fromkeys(tags, FALLING)}, joints=(TagMerge(pattern="(?:train|val)/(.*)"),))
    )
    assert [cards.list_tags(key) for key in cards.keys] == [
        ("train/acc", "val/acc"),
        ("train/loss", "val/loss"),
        ("val/f1",),
    ]
    assert cards.keys[2] == "val/f1"
    assert [cards.title_of(key) for key in cards.keys] == ["{train,val}/acc", "{train,val}/loss", "val/f1"]


def test_join_pattern_without_groups_joins_all_matches() -> None:
    assert len(keys(joints=(TagMerge(pattern="LOSS|lr"),))) == 2


@pytest.mark.parametrize("pattern", ["(", "nothing like it", "a" * 5000, "(.*)(.*)(.*)(.*)(.*)z$"])
def test_join_pattern_invalid_or_catastrophic_joins_nothing(pattern: str) -> None:
    runs = {"a": {**TAGS["a"], "x" * 3000: FALLING}}
    assert keys(runs, joints=(TagMerge(pattern=pattern),)) == keys(runs)


def test_join_pattern_with_too_many_tags_leaves_the_other_cards() -> None:
    tags = {f"layer{index}": FALLING for index in range(MAX_JOINED_TAGS + 7)}
    cards = CardCache().of(plain_view({"a": tags}, joints=(TagMerge(pattern="layer"),)))
    assert len(cards.keys) == 8
    assert cards.keys[1:] == tuple(f"layer{MAX_JOINED_TAGS + index}" for index in range(7))


def test_joined_card_passes_filter_and_fold_with_any_of_its_tags() -> None:
    joints = (TagMerge(tags=("acc", "loss/val")),)
    assert len(keys(joints=joints, tag_filter="val")) == 1
    assert len(keys(joints=joints, hidden_groups=frozenset({"acc"}))) == 3
    assert keys(joints=joints, hidden_groups=frozenset({"acc", "loss"})) == ("lr",)


def test_joined_tag_may_be_in_two_cards_and_a_join_be_repeated() -> None:
    joints = (TagMerge(tags=("lr", "acc")), TagMerge(tags=("lr", "loss/val")), TagMerge(tags=("lr", "acc")))
    cards = CardCache().of(plain_view(TAGS, joints=joints))
    assert [cards.list_tags(key) for key in cards.keys] == [("acc", "lr"), ("loss/train",), ("loss/val", "lr")]


def test_joined_key_is_stable_while_tags_change() -> None:
    joints = (TagMerge(tags=("lr", "acc")), TagMerge(pattern="(loss)/"))
    few = CardCache().of(plain_view({"a": dict.fromkeys(("acc", "loss/a", "loss/b"), FALLING)}, joints=joints))
    many = CardCache().of(plain_view(TAGS, joints=joints))
    assert few.keys == many.keys
    assert few.list_tags(few.keys[0]) == ("acc",)


def test_joined_card_without_tags_has_a_title() -> None:
    joints = (TagMerge(tags=("x/train", "x/val")), TagMerge(pattern="(layer)"))
    key, other = (
        CardCache()
        .of(plain_view({"a": dict.fromkeys(("x/val", "layer1", "layer2"), FALLING)}, joints=joints))
        .keys[::-1]
    )
    gone = CardCache().of(plain_view(TAGS))
    assert (gone.title_of(key), gone.title_of(other)) == ("x/{train,val}", "(layer)")
    assert gone.list_tags(key) == (key,)


@given(st.lists(st.text(max_size=40), min_size=1, max_size=30), st.lists(st.text(max_size=40), min_size=1, max_size=30))
def test_joined_keys_are_distinct_and_bounded(tags: list[str], others: list[str]) -> None:
    held = tuple(sorted({*tags, *others}))
    ((one,), (other,)) = (build_joined_cards(TagMerge(tags=tuple(names)), held) for names in (tags, others))
    assert (one.key == other.key) == (tags == others)
    assert max(len(one.key), len(other.key)) < 600
    assert one.key.startswith("\0")


def test_tag_that_looks_like_a_joined_key_is_a_tag() -> None:
    joint = TagMerge(tags=("acc", "lr"))
    ((card,),) = (build_joined_cards(joint, ("acc", "lr")),)
    runs = {"a": {**TAGS["a"], card.key: FALLING, "\0[": FALLING, "\0[1]": FALLING}}
    cards = CardCache().of(plain_view(runs, joints=(joint,)))
    assert len(set(cards.keys)) == len(cards.keys)
    assert all(isinstance(cards.title_of(key), str) for key in cards.keys)


def test_cards_of_hidden_runs_exist_on_request() -> None:
    runs = {"a": {"acc": FALLING}, "b": {"loss": FALLING}}
    assert keys(runs, solo="a") == ("acc",)
    assert keys(runs, solo="a", empty_cards=True) == ("acc", "loss")


def test_cards_are_the_same_object_for_equal_pins_and_joins() -> None:
    cards = CardCache()
    settings = {"pinned": ("lr",), "joints": (TagMerge(tags=("acc", "loss/val")),)}
    first = cards.of(plain_view(TAGS, **settings))
    assert cards.of(plain_view(TAGS, smoothing=0.1, **settings)) is first
    assert cards.of(plain_view(TAGS, pinned=("acc",))).keys != first.keys


@pytest.mark.parametrize(
    ("names", "title"),
    [
        (("loss/train", "loss/val"), "loss/{train,val}"),
        (("train/loss", "val/loss"), "{train,val}/loss"),
        (("train/loss_a", "val/loss_b"), "{train/loss_a,val/loss_b}"),
        (("a/x/z", "a/y/z"), "a/{x,y}/z"),
        (("layer1/w", "layer2/w"), "layer{1,2}/w"),
        (("layer1/w", "layer12/w"), "{layer1,layer12}/w"),
        (("loss", "loss/val"), "{loss,loss/val}"),
        (("loss",), "loss"),
        (tuple(f"l{i}" for i in range(6)), "l{0,1,2,3,4,5}"),
        (tuple(f"l{i}" for i in range(40)), "l{0,1,2,3,4,⋯+35}"),
    ],
)
def test_joined_title_has_common_and_distinct_parts(names: tuple[str, ...], title: str) -> None:
    assert join_titles(names) == title


@given(st.lists(st.text("ab/1", min_size=1, max_size=8), min_size=2, max_size=5, unique=True))
def test_joined_title_keeps_part_of_every_name(names: list[str]) -> None:
    start, end = measure_common_ends(names)
    assert all(start + end < len(name) for name in names)
    assert len({name[:start] for name in names}) == 1
    assert len({name[len(name) - end :] for name in names}) == 1
