"""Which tags have a card."""

from __future__ import annotations

import numpy as np
import pytest

from tbtui.plugins.scalars.cards import ShownCards
from tests.made_up import references, run
from tests.plugins.made_views import FALLING, plain_view, series, view

RUNS = {
    "a": {"loss/val": FALLING, "loss/train": FALLING, "lr": FALLING},
    "b": {"layer10/x": FALLING, "layer2/x": FALLING},
}


@pytest.mark.parametrize(
    ("choices", "tags"),
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
def test_tags_of_a_view(choices: dict[str, object], tags: tuple[str, ...]) -> None:
    assert ShownCards().of(plain_view(RUNS, **choices)).keys == tags


def test_values_of_other_plugins_and_empty_series_have_no_card() -> None:
    shown = view(run("a", {"loss": FALLING, "empty": ()}, others=[references("a", "picture", "images")]))
    assert ShownCards().of(shown).keys == ("loss",)


def test_a_value_that_is_no_number_is_a_point_all_the_same() -> None:
    assert ShownCards().of(plain_view({"a": {"lost": (np.nan,)}})).keys == ("lost",)


def test_as_long_as_nothing_changes_the_answer_is_the_same_object() -> None:
    tags = ShownCards()
    first = tags.of(plain_view(RUNS))
    longer = {**RUNS, "a": {**RUNS["a"], "lr": (*FALLING, 0.0)}}
    assert tags.of(plain_view(longer)) is first
    assert tags.of(plain_view({**longer, "c": {"new": FALLING}})) != first


def test_a_new_tag_and_one_that_went_are_noticed() -> None:
    tags = ShownCards()
    assert tags.of(view(run("a", {"x": FALLING, "y": FALLING}))).keys == ("x", "y")
    assert tags.of(view(run("a", {"x": FALLING, "z": FALLING}, revision=2))).keys == ("x", "z")
    assert tags.of(view(run("a", {"x": FALLING}, revision=3))).keys == ("x",)


def test_series_helper_makes_what_it_is_told() -> None:
    made = series("t", (1.0, 2.0), steps=(5, 7))
    assert made.steps.tolist() == [5, 7]
