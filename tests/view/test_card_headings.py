"""Headings among the cards of a grid: which are shown, and at which cards keys stop."""

from __future__ import annotations

import pytest

from tbtui.view.card_groups import MIN_HEADINGS_HEIGHT, CardGroup, CardHeadings, GroupedCards

KEYS = ("open", "a", "b", "folded")
GROUPED = GroupedCards(KEYS, {"open": CardGroup("open", 2), "folded": CardGroup("folded", 3, is_folded=True)})


def group_headings(height: int = MIN_HEADINGS_HEIGHT) -> CardHeadings:
    """Return the headings of two groups of cards in a grid."""
    headings = CardHeadings()
    headings.replace(("a", "b"), (), GROUPED)
    headings.fit_to(height)
    return headings


def test_headings_of_groups_need_a_high_grid() -> None:
    assert group_headings().card_keys == KEYS
    low = group_headings(MIN_HEADINGS_HEIGHT - 1)
    assert (low.card_keys, tuple(low.keys)) == (("a", "b"), ())
    low.fit_to(0)  # a hidden grid has the height that it had
    assert low.card_keys == ("a", "b")


def test_headings_without_cards_are_shown_in_a_low_grid() -> None:
    headings = CardHeadings()
    headings.replace((), (), GROUPED)
    headings.fit_to(1)
    assert headings.card_keys == KEYS


@pytest.mark.parametrize(
    ("index", "step", "stop"), [(0, 1, 1), (0, -1, 2), (1, -1, 1), (3, 1, 3), (-1, -1, 2), (4, 1, 4)]
)
def test_keys_stop_at_cards_and_folded_groups(index: int, step: int, stop: int) -> None:
    assert group_headings().find_stop(KEYS, index, step, focused=2) == stop


@pytest.mark.parametrize(("index", "step", "card"), [(0, 1, 1), (3, -1, 2), (3, 1, None), (0, -1, None)])
def test_open_cards_are_turned_over_headings(index: int, step: int, card: int | None) -> None:
    assert group_headings().find_card(KEYS, index, step) == card


def test_heading_above_a_card_is_that_of_its_group() -> None:
    headings = group_headings()
    assert [headings.find_heading(KEYS, index) for index in range(4)] == [0, 0, 0, 3]
    assert headings.find_heading(("a", "b"), 1) is None
