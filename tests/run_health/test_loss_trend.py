"""Verdicts on losses: none on a good training, however noisy; the right one where the case is clear."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tbtui.run_health.anomalies import MAX_TREND_POINTS, MIN_TREND_POINTS, average_values, is_loss, judge_loss_trend

COUNTS = st.integers(MIN_TREND_POINTS, 1500)
SEEDS = st.integers(0, 2**32 - 1)
SCALES = st.sampled_from([1e-300, 1e-6, 1.0, 37.0, 1e300])


def noise(count: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(count)


def falling(count: int, shape: str, floor: float) -> np.ndarray:
    """From 1 towards `floor`, and still on its way at the end."""
    t = np.linspace(0, 1, count)
    curves = {
        "exponential": np.exp(-4 * t),
        "power": (1 + 30 * t) ** -0.5,
        "straight": 1 - t,
        "late": 1 / (1 + np.exp(12 * (t - 0.5))),
    }
    return floor + (1 - floor) * curves[shape]


@settings(deadline=None)
@given(
    COUNTS,
    st.sampled_from(["exponential", "power", "straight", "late"]),
    st.floats(0, 0.15),
    st.floats(0, 0.08),
    SEEDS,
    SCALES,
)
def test_a_noisy_loss_that_comes_down_is_never_alarming(
    count: int, shape: str, floor: float, spread: float, seed: int, scale: float
) -> None:
    curve = falling(count, shape, floor)
    values = np.abs(curve * (1 + spread * noise(count, seed)))
    assert judge_loss_trend(scale * values) is None


@settings(deadline=None)
@given(COUNTS, st.floats(0.3, 0.9), st.floats(0, 0.02), SEEDS)
def test_loss_trend_spikes_overfitting_and_restarts_are_healthy(
    count: int, floor: float, spread: float, seed: int
) -> None:
    t = np.linspace(0, 1, count)
    values = falling(count, "exponential", 0.05) * (1 + spread * noise(count, seed))
    spiked = values.copy()
    spiked[-count // 15 :: 7] *= 50
    assert judge_loss_trend(np.abs(spiked)) != "diverges"
    overfit = 1 - 0.8 * np.sin(np.pi * t) ** 2 * floor + spread * noise(count, seed)
    assert judge_loss_trend(np.abs(overfit)) != "diverges"
    cosine = 0.55 + 0.45 * np.cos(np.pi * (t * 3 % 1)) + spread * noise(count, seed)
    assert judge_loss_trend(np.abs(cosine)) != "diverges"


@settings(deadline=None)
@given(COUNTS, st.floats(3, 1e6), st.floats(0, 0.02), SEEDS, SCALES)
def test_a_loss_that_goes_far_above_its_start_diverges(
    count: int, height: float, spread: float, seed: int, scale: float
) -> None:
    t = np.linspace(0, 1, count)
    values = np.where(t < 0.6, 1 - 0.9 * t / 0.6, 0.1 + height * ((t - 0.6) / 0.4) ** 2)
    assert judge_loss_trend(scale * np.abs(values * (1 + spread * noise(count, seed)))) == "diverges"


@pytest.mark.parametrize("spread", [0, 0.02, 0.1])
@pytest.mark.parametrize("count", [110, 150, 200, 400, 500, 700, 1000, 2000, 4000, 20_000, 300_000])
def test_a_loss_that_exploded_never_loses_its_verdict(count: int, spread: float) -> None:
    k = np.arange(count)
    with np.errstate(over="ignore"):
        exploded = np.where(k < 80, np.exp(-k / 30), np.exp(-80 / 30) * np.minimum(1.15 ** (k - 80.0), 1e300))
    jumped = np.where(k < 80, np.exp(-k / 30), 50)
    settled = np.where(k < 80, np.exp(-k / 30), 5 + 45 * np.exp((80 - k) / 50))
    for values in (exploded, jumped, settled):
        assert judge_loss_trend(np.abs(values * (1 + spread * noise(count, 3)))) == "diverges"


@settings(deadline=None)
@given(st.integers(300, 5000), st.floats(0.1, 0.9), st.floats(3, 1e9), st.floats(0, 0.05), SEEDS, SCALES)
def test_a_loss_that_jumps_and_stays_there_diverges(
    count: int, when: float, height: float, spread: float, seed: int, scale: float
) -> None:
    t = np.linspace(0, 1, count)
    values = np.where(t < when, np.exp(-3 * t / when), height) * (1 + spread * noise(count, seed))
    assert judge_loss_trend(np.minimum(scale, 1e290) * values) == "diverges"


@settings(deadline=None)
@given(st.integers(300, 5000), st.floats(0.1, 0.7), st.floats(3, 1e6), st.floats(0, 0.1), SEEDS)
def test_a_loss_that_came_back_down_does_not(count: int, when: float, height: float, spread: float, seed: int) -> None:
    t = np.linspace(0, 1, count)
    values = np.exp(-3 * t) * np.where(np.abs(t - when) < 0.1, height, 1) * (1 + spread * noise(count, seed))
    assert judge_loss_trend(values) != "diverges"


@settings(deadline=None)
@given(st.integers(500, 20_000), st.floats(0.02, 0.5), st.floats(0, 0.55), st.floats(0, 0.1), SEEDS)
def test_nor_does_one_that_gives_back_half_of_what_it_gained(
    count: int, when: float, regained: float, spread: float, seed: int
) -> None:
    t = np.linspace(0, 1, count)
    down = np.exp(-4 * t / when)
    values = np.where(t < when, down, np.exp(-4) + regained * (t - when) / (1 - when))
    assert judge_loss_trend(np.abs(values * (1 + spread * noise(count, seed)))) != "diverges"


@settings(deadline=None)
@given(st.integers(MIN_TREND_POINTS, 20_000), st.floats(0, 1), SEEDS)
def test_noise_alone_never_diverges(count: int, spread: float, seed: int) -> None:
    drawn = noise(count, seed)
    for values in (np.exp(spread * drawn), np.abs(1 + spread * drawn), drawn**2):
        assert judge_loss_trend(values) is None


@settings(deadline=None)
@given(st.integers(90, 1500), st.floats(0.3, 0.8), st.floats(1e-4, 0.02), SEEDS, SCALES)
def test_loss_trend_plateau_is_flat_and_not_diverging(
    count: int, floor: float, spread: float, seed: int, scale: float
) -> None:
    plateau = np.maximum(floor, 1 - 3 * np.linspace(0, 1, count))
    for values in (plateau, 0 * plateau + floor):
        assert judge_loss_trend(scale * (values + spread * floor * noise(count, seed))) != "diverges"
    # Without noise nothing is left to chance.
    assert judge_loss_trend(scale * plateau) == "flat"
    assert judge_loss_trend(scale * np.full(count, floor)) is None  # it never moved: nothing is said of it


def test_a_noisy_plateau_is_flat_and_one_near_zero_has_arrived() -> None:
    fell = np.maximum(0.6, 1 - 3 * np.linspace(0, 1, 6000))
    assert judge_loss_trend(fell + 0.01 * noise(6000, 1)) == "flat"
    assert judge_loss_trend(fell - 0.55 + 0.01 * noise(6000, 1)) is None
    assert (
        judge_loss_trend(fell[::20] + 0.01 * noise(300, 1)) is None
    )  # too few to tell it from one that still comes down


def test_losses_below_zero_are_not_judged_to_diverge() -> None:
    t = np.linspace(0, 1, 300)
    rising = np.where(t < 0.5, 1 - t, 0.5 + 50 * (t - 0.5))
    assert judge_loss_trend(rising) == "diverges"
    assert judge_loss_trend(rising - 0.51) is None


@given(st.lists(st.floats(), max_size=80))
def test_no_values_raise(values: list[float]) -> None:
    assert judge_loss_trend(np.array(values, np.float64)) in (None, "flat", "diverges")


def test_few_values_and_those_that_are_no_numbers_say_nothing() -> None:
    up = np.array([1.0, 0.1, *np.geomspace(0.1, 1e6, MIN_TREND_POINTS - 3)])
    assert judge_loss_trend(up) is None
    assert judge_loss_trend(np.full(500, np.nan)) is None
    assert judge_loss_trend(np.zeros(500)) is None
    blown = np.concatenate((np.linspace(1, 0.1, 200), np.linspace(0.1, 40, 100), np.full(300, np.inf)))
    assert judge_loss_trend(blown) == "diverges"
    late = np.concatenate((np.full(MIN_TREND_POINTS, np.nan), blown))
    assert judge_loss_trend(late) == "diverges"


@pytest.mark.parametrize("count", [MAX_TREND_POINTS, MAX_TREND_POINTS + 1, 2 * MAX_TREND_POINTS, 1_000_000])
def test_many_values_become_some_averages(count: int) -> None:
    few = average_values(np.arange(1.0, count + 1))
    assert len(few) == MAX_TREND_POINTS
    assert few[-1] == pytest.approx(1, abs=0.01)
    assert 0 < np.diff(few).min() <= np.diff(few).max() < 2.1 / MAX_TREND_POINTS


def test_averages_leave_out_what_is_no_number() -> None:
    assert average_values(np.array([1, np.nan, np.inf, 4.0])).tolist() == [0.25, 1]
    many = np.where(np.arange(3000) % 10 < 9, np.nan, 2.0)
    many[:100] = -np.inf
    assert average_values(many).tolist() == [1.0] * 290


@pytest.mark.parametrize(
    ("tag", "judged"),
    [
        ("loss/train", True),
        ("val_loss", True),
        ("trainLoss", True),
        ("eval/perplexity", True),
        ("rmse", True),
        ("acc", False),
        ("Losses/Value Loss", False),
        ("train/policy_gradient_loss", False),
        ("train/entropy_loss", False),
        ("Losses/Q1 Loss", False),
        ("Loss/learning_rate", False),
        ("generator_loss", False),
        ("kl_loss", False),
        ("glossary", False),
    ],
)
def test_which_tags_are_judged(tag: str, judged: bool) -> None:
    assert is_loss(tag) is judged
