"""What is said of an age, and until when."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tbtui.run_health.health import AGE_STEPS, DAY, age_label, freshness, seconds_until_change


@pytest.mark.parametrize(
    ("days", "word"),
    [
        (99, "30d"),
        (100, "100d"),
        (364.9, "100d"),
        (365, "1y"),
        (729, "1y"),
        (730, "2y"),
        (3 * 365, "3y"),
        (4 * 365, "3y"),
        (5 * 365, "5y"),
        (10 * 365, "10y"),
        (56 * 365, "50y"),  # a wall time of 0
        (1e6, "100y"),
    ],
)
def test_ages_go_on_with_years(days: float, word: str) -> None:
    assert age_label(days * DAY) == word
    assert freshness(days * DAY) == f"quiet {word}"


def test_each_word_holds_until_the_next() -> None:
    for (begin, word), (end, following) in pairwise(AGE_STEPS):
        assert begin < end
        assert age_label(begin) == word
        assert seconds_until_change(begin) == end - begin
        assert age_label(end) == following
    assert seconds_until_change(AGE_STEPS[-1][0]) is None
