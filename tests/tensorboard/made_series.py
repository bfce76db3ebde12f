"""Series for TensorBoard to show and compute with: what `record.py` feeds it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    Floats: TypeAlias = npt.NDArray[np.float64]

NAN, INF = math.nan, math.inf
START = 1_790_000_000.0
"""Wall time of the first point of all, seconds since the epoch."""

WEIGHTS = (0.25, 0.6, 0.9, 0.99, 0.999)
ODD_WEIGHTS = (0.0, 1.0, -1.0, 7.0, NAN, INF, -INF, 1e-20)
CLOSE_TO_ONE = (0.9999999,)
ODD_SERIES = np.array([1.0, 2.0, 4.0, NAN, 3.0, INF, -7.5, 0.1])
"""Smoothed by weights that no slider gives."""


@dataclass(frozen=True)
class Points:
    """A series of a log: columns of one length."""

    steps: list[int]
    wall_times: list[float]
    values: list[float]


Log: TypeAlias = dict[str, dict[str, Points]]
"""Tag → run → points."""


def log() -> Log:
    """The log directory that is shown. Every value is exact as a 32-bit float."""
    random = np.random.default_rng(1)
    noise = random.normal

    def decay(count: int, start: float, level: float) -> Floats:
        return _short(level + start * np.exp(-np.arange(count) / count * 4) + noise(0, 0.08, count))

    broken = decay(90, 2.0, 0.2)
    broken[[0, 1, 30, 31, 32, 60]] = NAN
    broken[[40, 70]] = INF, -INF
    diverges = decay(80, 2.0, 0.2)
    diverges[50:] = [INF, *[NAN] * 29]
    spikes = decay(120, 1.0, 0.5)
    spikes[[17, 55, 56, 99]] = 250.0, -40.0, 1000.0, 75.5
    mixed = _short(noise(0, 1, 60))
    mixed[::7] = 0
    every, thrice = range(200), range(2, 182, 3)
    return {
        "curve/noisy": {
            "adam": points(every, decay(200, 2.0, 0.1), pace=0.4),
            "sgd": points(thrice, decay(60, 2.2, 0.4), pace=1.7, start=3600.25),
            "late": points(range(100, 300, 5), decay(40, 1.5, 0.2), pace=21.0, start=-500.5),
            "uneven": points([0, 1, 3, 4, 90, 91, 150, 400], decay(8, 2.0, 0.2), pace=600.0),
        },
        "curve/broken": {"broken": points(range(90), broken), "diverges": points(range(0, 160, 2), diverges)},
        "curve/only_nan": {"broken": points(range(5), [NAN] * 5), "adam": points(range(3), [1.0, 0.5, 0.25])},
        "curve/spikes": {"adam": points(range(120), spikes), "sgd": points(range(60), decay(60, 1.0, 0.5))},
        "curve/signs": {"adam": points(range(60), mixed), "sgd": points(range(40), np.abs(mixed[:40]) + 0.125)},
        "curve/negative": {"adam": points(range(30), -1 - decay(30, 1.0, 0.5))},
        "curve/decades": {"adam": points(range(70), np.float32(10.0 ** random.uniform(-20, 20, 70)))},
        "curve/two": {"adam": points([7, 11], [0.75, -2.5]), "sgd": points([7, 19], [1.5, 3.25])},
        "one/point": {"adam": points([5], [0.375])},
        "one/point_not_finite": {"adam": points([5], [NAN]), "sgd": points([6], [INF])},
        "one/constant": {"adam": points(range(20), [0.5] * 20), "sgd": points(range(0, 40, 4), [0.5] * 10)},
        "one/zero": {"adam": points(range(12), [0.0] * 12)},
        "one/negative": {"adam": points(range(12), [-3.25] * 12)},
        "one/constant_with_nan": {"adam": points(range(8), [2.0, 2.0, NAN, 2.0, 2.0, INF, 2.0, 2.0])},
        "one/huge": {"adam": points([10**12, 10**12 + 1, 10**12 + 3], np.float32([1e38, 3e38, -2e38]))},
        "one/tiny": {"adam": points([-4, -2, 0, 9], np.float32([1e-38, 3e-38, 1e-45, 2e-40]))},
    }


EXACT_X = {
    "curve/noisy": (-50.0, 0.5, 3.5, 46.5, 46.999, 47.001, 100.0, 275.0, 1e9),
    "curve/broken": (0.0, 1.0, 30.0, 41.0, 60.0, 111.0),
    "curve/two": (9.0, 13.0, 8.999, 9.001),
    "one/point": (-3.0, 5.0, 1e6),
    "one/huge": (1e12 + 0.5, 1e12 + 2, 1e12 + 2.25),
    "one/tiny": (-3.0, -1.0, 4.5),
}
"""Steps to ask a chart's tooltip for: half-way between points, outside all of them."""


def points(steps: Iterable[int], values: Iterable[float], *, pace: float = 1.5, start: float = 0.0) -> Points:
    """Points whose wall times go on by `pace` seconds on average, irregularly."""
    steps = list(steps)
    gaps = np.random.default_rng(len(steps)).exponential(pace, len(steps))
    walls = np.round(START + start + np.cumsum(gaps), 6)
    return Points(steps, walls.tolist(), np.float32(list(values)).astype(np.float64).tolist())


def _short(values: Floats) -> Floats:
    """Rounded so that a 32-bit float holds them and few digits write them."""
    return np.round(values * 1024) / 1024


def smoothing_cases() -> dict[str, Floats]:
    """Series to smooth, each by all `WEIGHTS`."""
    return {name: np.array(values, np.float64) for name, values in _BY_HAND.items()} | _random_cases()


_BY_HAND = {
    "no point": [],
    "one point": [5.0],
    "one NaN": [NAN],
    "one infinity": [-INF],
    "two points": [1.0, 2.0],
    "two equal points": [0.1, 0.1],
    "NaN, then a point": [NAN, 3.0],
    "a point, then NaN": [3.0, NAN],
    "only NaN": [NAN] * 4,
    "only infinities": [INF] * 4,
    "infinities of both signs": [INF, -INF, INF],
    "constant": [0.3] * 20,
    "negative constant": [-1e10] * 20,
    "zeros": [0.0] * 9,
    "zeros of both signs": [0.0, -0.0, 0.0, -0.0],
    "constant, then another": [0.1] * 10 + [0.7] * 10,
    "constant but for a NaN": [0.1, 0.1, NAN, 0.1, 0.1],
    "constant but for a NaN at the start": [NAN, 0.1, 0.1, 0.1],
    "constant but for an infinity at the end": [0.1, 0.1, 0.1, INF],
    "constant but for the last digit": [0.1, 0.1, math.nextafter(0.1, 1.0), 0.1],
    "not finite first": [INF, NAN, -INF, 1.0, 2.0, 4.0],
    "not finite in the middle": [1.0, NAN, 3.0, INF, 5.0, -INF, 7.0],
    "points between NaN": [NAN, 1.0, NAN, 2.0, NAN, 4.0, NAN],
    "a spike": [0.0] * 10 + [1000.0] + [0.0] * 10,
    "a spike at the start": [1e6] + [1.0] * 20,
    "both signs in turn": [1.0, -1.0] * 10,
    "beyond exact integers": [2.0**53, 2.0**53 + 2, 2.0**60, -(2.0**55)],
    "32-bit subnormals": [1e-45, 3e-45, 7e-45, 1e-44],
    "very small": [1e-300, 2e-300, 5e-299, 3e-300],
    "very large": [1.7e308, 1e308, 1.5e308, 1.79e308],
    "very large, both signs": [1.7e308, -1.7e308, 1e308],
    "a straight line": list(range(25)),
    "a block of 64 and one": [float(i % 7) for i in range(65)],
}


def _random_cases() -> dict[str, Floats]:
    cases = {}
    for seed in range(36):
        random = np.random.default_rng(seed)
        count = int(random.integers(3, 36))
        values = (
            random.normal(0, 1, count),
            np.cumsum(random.normal(0, 1, count)),
            2 * np.exp(-np.arange(count) / 8) + random.exponential(0.1, count),
            10.0 ** random.uniform(-30, 30, count),
            random.integers(-100, 100, count).astype(np.float64),
            random.uniform(1e5, 1e5 + 1, count),
        )[seed % 6]
        rarity = (0.0, 0.15, 0.6)[seed // 6 % 3]
        holes = random.random(count) < rarity
        values[holes] = random.choice([NAN, INF, -INF], int(holes.sum()))
        cases[f"random {seed}"] = values
    return cases


def long_cases() -> dict[str, Floats]:
    """Series of 5,000 points in few digits; of what comes out only a part is kept."""
    random = np.random.default_rng(2)
    walk = np.cumsum(random.normal(0, 0.1, 5000)).round(2)
    loss = (3 * np.exp(-np.arange(5000) / 900) + random.exponential(0.2, 5000)).round(3)
    loss[random.random(5000) < 0.02] = NAN
    loss[2000:2200] = NAN
    loss[[4, 3000, 3001]] = INF, -INF, 1e6
    return {"5,000 points": walk, "5,000 points with holes": loss}


def extent_cases() -> dict[str, list[Floats]]:
    """Charts, as the y values of each of their series."""
    cases: dict[str, list[list[float]]] = {
        "no series": [],
        "no point": [[]],
        "only NaN": [[NAN, NAN]],
        "one": [[3.0]],
        "zero": [[0.0, 0.0]],
        "negative": [[-2.5]],
        "two far apart": [[1.0, 1000.0]],
        "three in two series": [[1.0, 2.0], [1000.0]],
        "two that are finite": [[1.0, NAN, INF, 1000.0, -INF]],
        "none above zero": [[-1.0, 0.0, -5.0]],
        "one above zero": [[-1.0, 0.0, 7.0, -5.0]],
        "infinities": [[INF, 1.0, 2.0, 3.0, -INF]],
        "0 to 20": [list(map(float, range(21)))],
        "0 to 100": [list(map(float, range(101)))],
        "constants with spikes": [[1.0] * 40, [50.0, 1.0, 1.0, -50.0]],
        "very small": [[1e-300, 1e-310, 4e-300]],
        "very large": [[1.7e308, -1.7e308, 1e308]],
    }
    arrays = {name: [np.array(values, np.float64) for values in series] for name, series in cases.items()}
    for seed in range(36):
        random = np.random.default_rng(seed)
        series = []
        for count in random.integers(0, 24, random.integers(1, 4)):
            values = (random.standard_cauchy(count) * 10.0 ** random.integers(-8, 8)).round(9)
            values[random.random(count) < 0.1] = random.choice([NAN, INF, -INF])
            series.append(np.abs(values) if seed % 3 == 0 else values)
        arrays[f"random {seed}"] = series
    return arrays
