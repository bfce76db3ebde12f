"""Cards by run and tag, and cards of all runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tbtui.run_health.summaries import SummaryCache
from tbtui.settings.settings import Settings
from tbtui.view.cards import RunCards, ShownRunCards, make_card_key, shorten_tag
from tbtui.view.run_names import RunColours
from tbtui.view.view import build_view
from tests.helpers.snapshots import references, run, store

if TYPE_CHECKING:
    from tbtui.store.snapshot import StoreSnapshot


def stored(**runs: tuple[str, ...]) -> StoreSnapshot:
    return store(
        *(
            run(name, {"loss": (1,)}, others=[references(name, tag, "histograms") for tag in tags])
            for name, tags in runs.items()
        )
    )


RUNS = stored(a=("z", "l/10", "l/2"), b=("l/2", "only"))


def cards(snapshot: StoreSnapshot = RUNS, shown: ShownRunCards | None = None, **settings: Any) -> RunCards:
    view = build_view(snapshot, Settings(**settings), RunColours(), SummaryCache())
    return (shown or ShownRunCards("histograms")).of(view)


def test_tag_by_tag_and_of_each_run_by_run() -> None:
    assert cards().keys == (
        make_card_key("a", "l/2"),
        make_card_key("b", "l/2"),
        make_card_key("a", "l/10"),
        make_card_key("b", "only"),
        make_card_key("a", "z"),
    )
    assert cards(runs_together=True).keys == ("l/2", "l/10", "only", "z")


def test_the_overview_is_in_written_order() -> None:
    assert cards(overview=True, runs_together=True).keys == ("z", "l/10", "l/2", "only")


def test_filtered_folded_and_pinned() -> None:
    assert cards(tag_filter="only").keys == (make_card_key("b", "only"),)
    assert cards(hidden_groups=frozenset({"l"}), runs_together=True).keys == ("only", "z")
    assert cards(hidden_runs=frozenset({"a"})).keys == (make_card_key("b", "l/2"), make_card_key("b", "only"))
    assert cards(pinned=(make_card_key("a", "z"), "gone")).keys[0] == make_card_key("a", "z")


def test_the_same_object_while_it_is_the_same() -> None:
    shown = ShownRunCards("histograms")
    assert cards(shown=shown) is cards(shown=shown, cursor=3.0)
    assert cards(shown=shown) is not cards(shown=shown, solo="a")


def test_what_a_key_is_about() -> None:
    found = cards()
    key = make_card_key("a", "l/10")
    assert (found.run_of(key), found.tag_of(key), found.title_of(key)) == ("a", "l/10", "l/10")
    assert (found.run_of("gone"), found.tag_of("gone")) == (None, "gone")
    assert found.key_of("only") == make_card_key("b", "only")


@pytest.mark.parametrize(
    ("together", "key", "found"),
    [
        (False, make_card_key("b", "l/2"), make_card_key("b", "l/2")),
        (False, "l/2", make_card_key("a", "l/2")),
        (False, "only", make_card_key("b", "only")),
        (False, "gone", None),
        (False, make_card_key("gone", "l/2"), None),  # a run that is switched off leaves no counterpart
        (True, make_card_key("b", "l/2"), "l/2"),
        (True, "l/2", "l/2"),
        (True, make_card_key("a", "gone"), None),
    ],
)
def test_what_stands_for_a_card_when_runs_are_put_together_or_apart(
    together: bool, key: str, found: str | None
) -> None:
    assert cards(runs_together=together).find_counterpart(key) == found


def test_titles_without_what_writers_append() -> None:
    assert [shorten_tag(tag) for tag in ("w/histogram_summary", "w/histogram", "w", "/histogram")] == [
        "w",
        "w",
        "w",
        "/histogram",
    ]
