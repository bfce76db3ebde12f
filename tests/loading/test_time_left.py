"""The estimate of the time left of a load: unknown at first, then calm, and right where the rate changes."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tbtui.loading.time_left import RATE_SECONDS, TimeLeft, round_seconds

MB = 1 << 20


@pytest.mark.parametrize(
    ("seconds", "rounded"), [(0.2, 1), (3.1, 4), (10, 10), (11, 15), (59, 60), (61, 90), (400, 420)]
)
def test_seconds_left_are_rounded_up_to_calm_steps(seconds: float, rounded: int) -> None:
    assert round_seconds(seconds) == rounded


def test_time_left_is_unknown_before_and_after_reading_and_in_the_first_seconds() -> None:
    time_left = TimeLeft()
    assert time_left.estimate(100.0, 0, 100 * MB) is None  # directories were searched until now
    assert time_left.estimate(130.0, 1 * MB, 100 * MB) is None
    assert time_left.estimate(131.9, 2 * MB, 100 * MB) is None
    assert time_left.estimate(132.0, 11 * MB, 100 * MB) == 20  # 5 MB a second, whatever came before
    assert time_left.estimate(140.0, 100 * MB, 100 * MB) is None


def test_time_left_of_a_steady_load_counts_down() -> None:
    time_left = TimeLeft()
    shown = [time_left.estimate(tick / 10, 2 * MB * tick, 1000 * MB) for tick in range(1, 500)]
    estimates = [each for each in shown if each is not None]
    assert estimates[0] == 50
    assert estimates == sorted(estimates, reverse=True)
    assert estimates[-1] == 1
    assert all(abs(each - (50 - 0.1 * tick)) <= 5 for tick, each in enumerate(shown, 1) if each is not None)


def test_time_left_of_an_uneven_load_stays_until_it_is_wrong() -> None:
    time_left, shown = TimeLeft(), []
    done = MB
    for tick in range(200):
        done += (1 if tick % 4 else 5) * MB  # pieces of several sizes, 20 MB a second
        shown.append(time_left.estimate(tick / 10, done, 1000 * MB))
    estimates = [each for each in shown if each is not None]
    assert len(set(estimates)) == 1 + sum(one != other for one, other in pairwise(estimates))


def test_time_left_follows_another_rate() -> None:
    time_left = TimeLeft()
    done = MB
    for tick in range(100):
        done += MB
        time_left.estimate(tick / 10, done, 1000 * MB)
    for tick in range(100, 100 + 10 * round(RATE_SECONDS) + 20):
        done += MB // 10
        left = time_left.estimate(tick / 10, done, 1000 * MB)
    assert left == pytest.approx((1000 * MB - done) / MB, rel=0.3)
