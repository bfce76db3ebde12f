"""The estimate of the time left of a load: unknown at first, then calm, and right where the rate changes."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.loading.time_left import FILE_BYTES, RATE_SECONDS, RECENT_SECONDS, RUN_BYTES, TimeLeft, round_seconds

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MB = 1 << 20
SECONDS_PER_BYTE = 1 / (4 * MB)


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


def simulate(runs: Sequence[tuple[int, float]]) -> Iterator[tuple[float, int | None]]:
    """Read runs of some work each, at some factor of the usual seconds for it; yield the time left, true and shown."""
    time_left = TimeLeft()
    total = sum(work for work, _ in runs)
    left = sum(work * factor * SECONDS_PER_BYTE for work, factor in runs)
    now, done = 0.0, 0
    for work, factor in runs:
        pieces = max(1, work // MB)
        for piece in range(pieces):
            seconds = work * factor * SECONDS_PER_BYTE / pieces
            now, left = now + seconds, left - seconds
            yield left, time_left.estimate(now, done + work * (piece + 1) // pieces, total)
        done += work


RUNS = st.tuples(st.integers(0, 20 * MB), st.integers(1, 1000)).map(
    lambda run: run[0] + RUN_BYTES + FILE_BYTES * run[1]
)


@given(st.lists(RUNS, min_size=20, max_size=200), st.floats(0.2, 3))
def test_time_left_of_any_runs_at_their_usual_cost_is_right(works: list[int], factor: float) -> None:
    for left, shown in simulate([(work, factor) for work in works]):
        # 1/4 is what a new estimate must differ by, and a second what the end is rounded to.
        assert shown is None or 0.7 * left - 1 <= shown <= round_seconds(1.3 * left + 1)


@given(st.lists(st.tuples(RUNS, st.floats(1, 2)), min_size=20, max_size=200))
def test_time_left_of_runs_of_several_costs_is_of_the_right_size(runs: list[tuple[int, float]]) -> None:
    for left, shown in simulate(runs):
        assert shown is None or 0.7 * left / 2 - 1 <= shown <= round_seconds(1.3 * 2 * left + 1)


@pytest.mark.parametrize("slower", [2, 5, 20])
def test_time_left_of_a_load_that_slows_down_is_not_too_short(slower: int) -> None:
    small = [(MB // 4, float(slower))] * (480 // slower)
    results = list(simulate([(10 * MB, 1.0)] * 10 + small))
    slow = [each for each in results if each[0] < (30 if slower < 20 else 25) - RECENT_SECONDS - 1]
    assert all(shown is not None and shown >= 0.7 * left - 1 for left, shown in slow if left > 0)
    assert len(slow) > 10
