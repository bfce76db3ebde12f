"""Which tags of a dashboard are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tbtui.run_health.summaries import SummaryCache
from tbtui.settings.settings import Settings
from tbtui.view.cards import ShownTags
from tbtui.view.run_names import RunColours
from tbtui.view.view import build_view
from tests.helpers.snapshots import references, run, store

if TYPE_CHECKING:
    from tbtui.store.snapshot import RunSnapshot
    from tbtui.view.view import View

SOME = (4.0, 3.0)
RUNS = (
    run("a", {"loss/val": SOME, "loss/train": SOME, "lr": SOME}),
    run("b", {"layer10/x": SOME, "layer2/x": SOME}),
)


def seen(*runs: RunSnapshot, **settings: Any) -> View:
    return build_view(store(*runs), Settings(**settings), RunColours(), SummaryCache())


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
def test_tags_of_a_view(settings: dict[str, object], tags: tuple[str, ...]) -> None:
    assert ShownTags("scalars").of(seen(*RUNS, **settings)) == tags


def test_tags_of_all_runs_whatever_is_filtered() -> None:
    shown = seen(*RUNS, solo="b", tag_filter="nothing", hidden_groups=frozenset({"layer2"}))
    assert ShownTags("scalars").ordered(shown) == ("layer2/x", "layer10/x")
    everything = ("layer2/x", "layer10/x", "loss/train", "loss/val", "lr")
    assert ShownTags("scalars").ordered(shown, everywhere=True) == everything


def test_each_plugin_has_its_own_tags_and_empty_series_are_none() -> None:
    shown = seen(run("a", {"loss": SOME, "empty": ()}, others=[references("a", "picture", "images")]))
    assert ShownTags("scalars").of(shown) == ("loss",)
    assert ShownTags("images").of(shown) == ("picture",)


def test_a_value_that_is_no_number_is_a_value_all_the_same() -> None:
    assert ShownTags("scalars").of(seen(run("a", {"lost": (np.nan,)}))) == ("lost",)


def test_as_long_as_nothing_changes_the_answer_is_the_same_object() -> None:
    tags = ShownTags("scalars")
    first = tags.of(seen(*RUNS))
    assert tags.of(seen(RUNS[0], run("b", {"layer10/x": (*SOME, 0.0), "layer2/x": SOME}, revision=2))) is first
    assert tags.of(seen(*RUNS, run("c", {"new": SOME}))) != first


def test_a_new_tag_and_one_that_went_are_noticed() -> None:
    tags = ShownTags("scalars")
    assert tags.of(seen(run("a", {"x": SOME, "y": SOME}))) == ("x", "y")
    assert tags.of(seen(run("a", {"x": SOME, "z": SOME}, revision=2))) == ("x", "z")
    assert tags.of(seen(run("a", {"x": SOME}, revision=3))) == ("x",)
