"""tbtui's numbers against those of TensorBoard itself (README.md says how they were recorded)."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pytest

from tbtui.charts.hit_testing import find_nearest_point
from tbtui.maths.decimate import is_ascending
from tbtui.maths.domain import compute_extent, compute_limits
from tbtui.maths.smoothing import smooth
from tbtui.maths.x_values import compute_relative_x, compute_wall_x, step_x

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats: TypeAlias = npt.NDArray[np.float64]

Json: TypeAlias = Any

PRECISION = 1e-12
CLOCK = 1e-6
"""Seconds. TensorBoard counts milliseconds since the epoch, which as a float64 are no finer than 0.24 microseconds."""

UNITS = {"ms": 0.001, "sec": 1, "min": 60, "hr": 3600, "day": 86400, "yr": 31_536_000}


def load_series(name: str) -> Json:
    return json.loads((Path(__file__).parent / name).read_text(encoding="utf-8"))


def floats(numbers: list[float | str]) -> Floats:
    """Numbers, of which those that are not finite are words."""
    return np.array([float(number) for number in numbers], np.float64)


def by_name(cases: list[Json]) -> dict[str, Json]:
    return {case["name"]: case for case in cases}


def by_tag(entries: list[Json]) -> list[list[Json]]:
    return [[entry for entry in entries if entry["tag"] == tag] for tag in LOG]


SMOOTHING = by_name(load_series("smoothing.json"))
CLOSE_TO_ONE = SMOOTHING.pop("close to one")
EXTENTS = by_name(load_series("extents.json"))
CHARTS = load_series("charts.json")
LOG = CHARTS["log"]


def precision_of(values: Floats, smoothed: Floats) -> Floats:
    """By how much averages may differ: not at all if all values are equal, else in the last digits.

    Where terms of both signs cancel, those are the last digits of the largest so far.
    """
    if (values == values[:1]).all():
        return np.zeros_like(values)
    finite = values[np.isfinite(values)]
    if finite.min(initial=0) < 0 < finite.max(initial=0):
        return PRECISION * np.maximum.accumulate(np.where(np.isfinite(values), np.abs(values), 0))
    return PRECISION * np.abs(smoothed)


@pytest.mark.parametrize("case", SMOOTHING.values(), ids=SMOOTHING)
def test_smoothing_equals_tensorboard(case: Json) -> None:
    values, every = floats(case["values"]), case["every"]
    for recording in case["smoothed"]:
        smoothed, theirs = smooth(values, float(recording["weight"])), floats(recording["out"])
        allowed, ours = precision_of(values, smoothed)[::every], smoothed[::every]
        finite = np.isfinite(theirs)
        np.testing.assert_array_equal(ours[~finite], theirs[~finite])
        assert (np.abs(ours[finite] - theirs[finite]) <= allowed[finite]).all(), recording["weight"]


def test_smoothing_close_to_one_is_the_exact_average() -> None:
    """Where TensorBoard's own division loses seven digits; no slider or field of it gives such a weight."""
    values, (recording,) = floats(CLOSE_TO_ONE["values"]), CLOSE_TO_ONE["smoothed"]
    finite, weight = np.isfinite(values), Fraction(recording["weight"])
    last, exact = Fraction(0), []
    for count, value in enumerate(values[finite].tolist(), 1):
        last = weight * last + (1 - weight) * Fraction(value)
        exact.append(float(last / (1 - weight**count)))
    np.testing.assert_allclose(smooth(values, recording["weight"])[finite], exact, rtol=1e-15)
    np.testing.assert_allclose(floats(recording["out"])[finite], exact, rtol=1e-9)


@pytest.mark.parametrize("case", EXTENTS.values(), ids=EXTENTS)
def test_extent_equals_tensorboard(case: Json) -> None:
    series = [floats(values) for values in case["series"]]
    for asked in case["extents"]:
        ours = compute_extent(series, scale=asked["scale"], ignore_outliers=asked["ignore_outliers"])
        assert ours == (None if asked["extent"] is None else tuple(asked["extent"])), asked


@pytest.mark.parametrize("entries", by_tag(CHARTS["charts"]), ids=LOG)
def test_chart_extent_equals_tensorboard(entries: list[Json]) -> None:
    """Of the smoothed lines, as TensorBoard's charts hold them on screen."""
    for asked in entries:
        lines = [smooth(floats(points["values"]), asked["smoothing"]) for points in LOG[asked["tag"]].values()]
        ours = compute_extent(lines, scale=asked["scale"], ignore_outliers=asked["ignore_outliers"])
        assert ours == (None if asked["extent"] is None else pytest.approx(asked["extent"], rel=PRECISION)), asked


@pytest.mark.parametrize("tag", ["one/point", "one/constant", "one/zero", "one/negative", "curve/only_nan"])
def test_limits_of_a_constant_equal_tensorboard(tag: str) -> None:
    """All other limits differ on purpose: tbtui rounds more finely, and holds them while data grows."""
    extents = [asked for asked in CHARTS["charts"] if asked["tag"] == tag and asked["extent"] is not None]
    constants = [asked for asked in extents if asked["extent"][0] == asked["extent"][1]]
    assert constants
    for asked in constants:
        assert compute_limits(tuple(asked["extent"]), scale=asked["scale"]) == tuple(asked["view_box"]), asked


@pytest.mark.parametrize("entries", by_tag(CHARTS["tooltips"]), ids=LOG)
def test_tooltip_points_equal_tensorboard(entries: list[Json]) -> None:
    """Each run's point nearest in x, and of two as near the left one."""
    for asked in entries:
        runs = LOG[asked["tag"]]
        assert [row["run"] for row in asked["rows"]] == sorted(runs)
        for row in asked["rows"]:
            points = runs[row["run"]]
            steps, walls, values = np.array(points["steps"]), floats(points["wall_times"]), floats(points["values"])
            smoothed, relative = smooth(values, asked["smoothing"]), compute_relative_x(walls)
            x = {"step": step_x(steps), "relative": relative, "wall": compute_wall_x(walls)}[asked["x_axis"]]
            at = find_nearest_point(x, asked["x"], ascending=is_ascending(x))
            assert steps[at] == row["step"], asked
            np.testing.assert_array_equal(values[at], float(row["value"]))
            np.testing.assert_allclose(smoothed[at], float(row["smoothed"]), rtol=PRECISION)
            assert relative[at] == pytest.approx(row["relative"], abs=CLOCK)
            if "shown" in row:
                *numbers, step, duration = row["shown"]
                assert int(step.replace(",", "")) == steps[at]
                assert says_duration(duration, relative[at])
                ours = [smoothed[at], values[at]] if asked["smoothing"] else [values[at]]
                assert all(says(text, number) for text, number in zip(numbers, ours, strict=True)), asked


def says(text: str, number: float) -> bool:
    """Whether text is the number rounded to four digits, or to three before an exponent."""
    if number == 0 or not math.isfinite(number):
        return str(float(text)) == str(float(number))
    half = 0.5 * 10.0 ** (math.floor(math.log10(abs(number))) - (2 if "e" in text else 3))
    return abs(float(text) - number) <= half * (1 + 1e-9)


def says_duration(text: str, seconds: float) -> bool:
    if text == "0":
        return seconds == 0
    number, unit = text.split()
    return says(number, seconds / UNITS[unit])
