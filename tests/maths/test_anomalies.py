from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.maths.statistics import Anomaly, Moments, find_anomaly


def figures(std: list[float] | np.ndarray, mean: float | list[float] | np.ndarray = 0.0) -> Moments:
    """Return moments of histograms with these standard deviations; NaN is an empty histogram."""
    spread = np.array(std, np.float64)
    middle = np.where(np.isnan(spread), np.nan, mean)
    counts = np.where(np.isnan(spread), 0.0, 100.0)
    return Moments(
        counts, middle, spread, middle - spread, middle + spread, *np.array([[True], [False]]).repeat(len(spread), 1)
    )


def noisy(values: np.ndarray, part: float = 0.3) -> np.ndarray:
    return values * np.exp(np.random.default_rng(len(values)).normal(0, part, len(values)))


STEPS = np.arange(200.0)

ORDINARY = {
    "nothing yet": [],
    "one": [1.0],
    "noise": noisy(np.ones(200), 1.0),
    "weights that grow": 0.1 + 0.01 * STEPS,
    "a bias that spreads from zero": np.r_[0.0, 1 - np.exp(-STEPS / 20)],
    "a bias that spreads from zero while the learning rate warms up": np.r_[0.0, 0.0, 1e-9 * STEPS[1:] ** 2],
    "a bias that spreads from next to nothing within steps": np.r_[0.0, 1e-9, 1e-7, 1e-5, 1e-3, np.full(100, 0.1)],
    "gradients that shrink as the model learns": noisy(1 / (1 + STEPS)),
    "gradients that shrink faster": noisy(1 / (1 + STEPS) ** 1.5),
    "a dead gradient from the start": np.zeros(50),
    "dead, then frozen free": np.r_[np.zeros(50), np.ones(20)],
    "a spike": np.r_[np.ones(50), 1e6, 1e6, 1e6, np.ones(3)],
    "a gap": np.r_[np.ones(50), 0.0, 0.0, 0.0, np.ones(3)],
    "one odd histogram at the end": np.r_[np.ones(50), 1e6],
    "one empty spread at the end": np.r_[np.ones(50), 0.0],
    "too few before": [1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0],
    "empty histograms": [1.0] * 9 + [np.nan] * 5,
    "a learning rate that is cut by ten now and then": noisy(10.0 ** -(STEPS // 100)),
}


@pytest.mark.parametrize("spread", ORDINARY.values(), ids=ORDINARY)
def test_anomaly_ordinary_values_have_none(spread: np.ndarray) -> None:
    assert find_anomaly(figures(spread)) is None


@pytest.mark.parametrize(
    ("spread", "mark"),
    [
        (np.r_[noisy(np.ones(40)), np.zeros(3)], Anomaly("collapsed", 40)),
        (np.r_[noisy(np.ones(40)), noisy(np.full(30, 1e-5))], Anomaly("collapsed", 40)),
        (np.r_[0.0, np.ones(40), 0.0, 1.0, 0.0, 0.0], Anomaly("collapsed", 43)),
        (np.r_[np.ones(30), 0.5 ** np.arange(1, 40)], Anomaly("collapsed", 39)),
        (np.r_[np.ones(9), np.nan, 0.0, np.nan, 0.0], Anomaly("collapsed", 10)),
        (np.r_[noisy(np.ones(40)), noisy(np.full(3, 1e5))], Anomaly("exploded", 40)),
        (np.r_[noisy(np.full(40, 1e-3)), noisy(np.full(40, 1e3))], Anomaly("exploded", 40)),
        (np.r_[np.ones(30), 2.0 ** np.arange(1, 40)], Anomaly("exploded", 39)),
        (np.r_[np.full(30, 1e-9), 1e300, 1.7e308], Anomaly("exploded", 30)),
    ],
)
def test_anomaly_each_kind_is_detected(spread: np.ndarray, mark: Anomaly) -> None:
    assert find_anomaly(figures(spread)) == mark


def test_anomaly_diverging_values_have_exploded() -> None:
    assert find_anomaly(figures(np.ones(30), np.r_[np.zeros(25), 1e4, 1e5, 1e6, 1e7, 1e8])) == Anomaly("exploded", 25)


def test_anomaly_single_value_never_collapses() -> None:
    assert find_anomaly(figures(np.zeros(30), 0.1 * np.arange(30))) is None


@pytest.mark.parametrize(
    ("count", "lost", "since"),
    [(9, {8}, 8), (9, {5, 6, 7, 8}, 5), (9, {2, 6, 7, 8}, 6), (3, {0, 1, 2}, 0), (1, [0], 0)],
)
def test_anomaly_nan_up_to_the_newest_is_lost(count: int, lost: set[int], since: int) -> None:
    spread = np.where(np.isin(np.arange(count), list(lost)), np.nan, 1e9)
    assert find_anomaly(figures(spread), lost) == Anomaly("lost", since)


def test_anomaly_past_nan_is_none() -> None:
    assert find_anomaly(figures([1.0, np.nan, np.nan, *[1.0] * 9]), {1, 2}) is None


@given(st.lists(st.floats(1.0, 30.0), max_size=80), st.floats(1e-300, 1e300))
def test_anomaly_change_within_a_factor_of_30_is_none(spread: list[float], size: float) -> None:
    assert find_anomaly(figures(np.array(spread) * size)) is None


@given(st.integers(5, 60), st.integers(2, 40), st.floats(1.0, 5.0), st.floats(1e-100, 1e100))
def test_anomaly_fall_is_detected_like_a_rise(before: int, after: int, level: float, size: float) -> None:
    high, low = np.full(before, level * size), np.full(after, size * 1e-4)
    assert find_anomaly(figures(np.r_[high, low])) == Anomaly("collapsed", before)
    if before >= 0.1 * (before + after):
        assert find_anomaly(figures(np.r_[low[:1].repeat(before), high[:1].repeat(after)])) == Anomaly(
            "exploded", before
        )
