"""What is said of an age, and until when."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tbtui.run_health.ages import AGE_STEPS, DAY, age_label, freshness, seconds_until_change


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
    assert age_label(days * DAY) == word
    assert freshness(days * DAY) == f"last write {word} ago"


def test_each_word_holds_until_the_next() -> None:
    for (begin, word), (end, following) in pairwise(AGE_STEPS):
        assert begin < end
        assert age_label(begin) == word
        assert seconds_until_change(begin) == end - begin
        assert age_label(end) == following
    assert seconds_until_change(AGE_STEPS[-1][0]) is None
