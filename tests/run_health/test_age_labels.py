"""What is said of an age, and until when."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tbtui.run_health.ages import AGE_STEPS, DAY, format_age, format_freshness, time_until_change


@pytest.mark.parametrize(
    ("days", "word"),
    [
        (1 / 1440, "1m"),
        (59 / 1440, "59m"),
        (1 / 24, "1h"),
        (47 / 24, "47h"),
        (2, "2d"),
        (4, "4d"),
        (99, "99d"),
        (729.9, "729d"),
        (730, "2y"),
        (4 * 365, "4y"),
        (56 * 365, "56y"),  # a wall time of 0
        (1e6, "100y"),
    ],
)
def test_age_label_is_true_to_its_unit(days: float, word: str) -> None:
    assert format_age(days * DAY) == word
    assert format_freshness(days * DAY) == f"last write {word} ago"


def test_each_word_holds_until_the_next() -> None:
    for (begin, word), (end, following) in pairwise(AGE_STEPS):
        assert begin < end
        assert format_age(begin) == word
        assert time_until_change(begin) == end - begin
        assert format_age(end) == following
    assert time_until_change(AGE_STEPS[-1][0]) is None
