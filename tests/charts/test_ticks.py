from __future__ import annotations

import math
from datetime import datetime, timedelta, timezone, tzinfo
from itertools import pairwise, repeat
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from tbtui.charts.axis import Axis
from tbtui.charts.ticks import LABEL_WIDTH, choose_ticks, iter_tick_sets

if TYPE_CHECKING:
    from tbtui.maths.domain import Scale

ZONE = timezone(timedelta(hours=5, minutes=30))
NOON = 1_795_176_000.0  # 2026-11-20 12:00:00 UTC


def labels(axis: Axis, most: int = 6, zone: tzinfo | None = timezone.utc) -> str:
    return " ".join(tick.label for tick in next(iter_tick_sets(axis, most, zone), ()))


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [
        (0, 1, "0.0 0.2 0.4 0.6 0.8 1.0"),
        (-0.05, 2.4, "0.0 0.5 1.0 1.5 2.0"),
        (0, 0.3, "0.0 0.1 0.2 0.3"),
        (-3, 3, "-2 0 2"),
        (0, 99_000, "0 20000 40000 60000 80000"),
        (0, 190_000, "0 50k 100k 150k"),
        (0, 2.5e6, "0 0.5M 1.0M 1.5M 2.0M 2.5M"),
        (0, 0.0005, "0 1e-4 2e-4 3e-4 4e-4 5e-4"),
        (0, 0.002, "0.0000 0.0005 0.0010 0.0015 0.0020"),
        (0, 1.2e38, "0 0.5e38 1.0e38"),
        (0, 3e-38, "0 1e-38 2e-38 3e-38"),
        (-2e-5, 2e-5, "-2e-5 -1e-5 0 1e-5 2e-5"),
        (-1.7e308, 1.7e308, "-1e308 0 1e308"),
        (0, 5e-324, "0 5e-324"),
        (-1.79e308, 1e308, "-1.5e308 -1.0e308 -0.5e308 0 0.5e308 1.0e308"),
        (1e9, 1e9 + 5, "1G +1 +2 +3 +4 +5"),
        (0.30001, 0.30003, "0.300010 0.300015 0.300020 0.300025 0.300030"),
        (0.300001, 0.300003, "0.300001 +5e-7 +1e-6 +1.5e-6 +2e-6"),
        (2.0**53, 2.0**53 + 4, "9007199254740992 +2 +4"),
    ],
)
def test_numbers(low: float, high: float, shown: str) -> None:
    assert labels(Axis(low, high)) == shown


@pytest.mark.parametrize(
    ("low", "high", "origin", "shown"),
    [
        (0, 1, 0, "0 1"),
        (0, 3, 0, "0 1 2 3"),
        (0, 440, 0, "0 100 200 300 400"),
        (0, 9_999, 0, "0 2000 4000 6000 8000"),
        (0, 12_500, 0, "0 5k 10k"),
        (0, 62_500, 0, "0 20k 40k 60k"),
        (-500, 500, 0, "-400 -200 0 200 400"),
        (0.2, 0.7, 0, ""),
        (0, 100, 2**62, "4.612e18 +20 +40 +60 +80 +100"),
        (-100, 100, 2**62, "-100 -50 4.612e18 +50 +100"),
    ],
)
def test_steps_are_whole(low: float, high: float, origin: int, shown: str) -> None:
    assert labels(Axis(low, high, kind="step", origin=origin)) == shown


@pytest.mark.parametrize(
    ("low", "high", "most", "shown"),
    [
        (1e-3, 2, 6, "0.001 0.01 0.1 1"),
        (0.2, 20, 7, "0.2 0.5 1 2 5 10 20"),
        (0.2, 20, 4, "0.3 1 3 10"),
        (1e-6, 1, 4, "1e-6 1e-4 1e-2 1e0"),
        (1, 1e6, 8, "1e0 1e1 1e2 1e3 1e4 1e5 1e6"),
        (0.3, 0.5, 3, "0.3 0.4 0.5"),
        (0.31, 0.34, 4, "0.31 0.32 0.33 0.34"),
        (1e-38, 1e38, 6, "1e-20 1e0 1e20"),
        (2e5, 9e5, 4, "200k 400k 600k 800k"),
    ],
)
def test_log(low: float, high: float, most: int, shown: str) -> None:
    assert labels(Axis(low, high, "log"), most) == shown


@pytest.mark.parametrize(
    ("low", "high", "threshold", "shown"),
    [
        (-10, 10, 1, "-10 -3 -1 0 1 3 10"),
        (-1e4, 1e4, 1, "-10000 -100 -1 0 1 100 10000"),
        (-1, 1000, 1, "-1 0 1 10 100 1000"),
        (0, 1000, 0.01, "0 0.01 0.1 1 10 100 1000"),
        (0, 1e6, 0.01, "0 1e-2 1e0 1e2 1e4 1e6"),
        (-20, 0, 1, "-20 -10 -5 -2 -1 0"),
        (-0.5, 0.5, 1, "-0.4 -0.2 0.0 0.2 0.4"),
        (5, 8, 1, "5 6 7 8"),
        (-800, -3, 1, "-500 -200 -100 -50 -20 -10 -5"),
        (-1e300, 1e300, 1e-300, "-1e200 -1e0 -1e-200 0 1e-200 1e0 1e200"),
    ],
)
def test_symlog(low: float, high: float, threshold: float, shown: str) -> None:
    assert labels(Axis(low, high, "symlog", threshold=threshold), 7) == shown


def test_near_zero_a_symlog_axis_gives_up_its_least_ticks_first() -> None:
    sets = list(iter_tick_sets(Axis(-1e4, 1e4, "symlog"), 7))
    texts = [" ".join(tick.label for tick in ticks) for ticks in sets]
    assert texts.index("-10000 -1000 -100 0 100 1000 10000") < texts.index("-10000 -100 0 100 10000")


@pytest.mark.parametrize(
    ("low", "high", "most", "shown"),
    [
        (1, 300, 7, "1 3 10 30 100 300"),
        (1, 10_000, 7, "1 10 100 1k 10k"),
        (1, 5_000, 7, "1 10 100 1000"),
        (1, 2e6, 8, "1 10 100 1k 10k 100k 1M"),
        (1, 2e6, 5, "1 100 10k 1M"),
        (0.2, 30, 7, "1 2 5 10 20"),
        (100, 440, 7, "100 200 300 400"),
        (1000, 1040, 7, "1000 1010 1020 1030 1040"),
        (1, 1e18, 7, "1 1k 1M 1G 1T 1e15 1e18"),
    ],
)
def test_steps_on_a_log_axis_are_whole(low: float, high: float, most: int, shown: str) -> None:
    assert labels(Axis(low, high, "log", "step"), most) == shown


@pytest.mark.parametrize(
    ("scale", "low", "high", "threshold", "shown"),
    [
        ("log", 0.2, 3600, 1, "1s 10s 1m 10m 1h"),
        ("log", 1, 3 * 86_400, 1, "1s 10s 1m 10m 1h 6h 1d"),
        ("log", 1e-3, 3e7, 1, "1ms 1s 1m 1h 1d"),
        ("log", 40, 90, 1, "40s 50s 1m 1m10s 1m20s 1m30s"),
        ("log", 1e-200, 1e200, 1, "1e-200s 1e-100s 1s 1d 1e100d"),
        ("symlog", 0, 86_400, 10, "0 10s 1m 10m 1h 6h 1d"),
        ("symlog", 0, 1e6, 0.1, "0 1m 10m 1h 6h 1d 10d"),
    ],
)
def test_durations_on_a_log_axis(scale: Scale, low: float, high: float, threshold: float, shown: str) -> None:
    assert labels(Axis(low, high, scale, "duration", threshold=threshold), 7) == shown


@pytest.mark.parametrize(
    ("high", "shown"),
    [
        (0.05, "0 10ms 20ms 30ms 40ms 50ms"),
        (1.2, "0 500ms 1s"),
        (9, "0 2s 4s 6s 8s"),
        (100, "0 30s 1m 1m30s"),
        (1500, "0 5m 10m 15m 20m 25m"),
        (12_000, "0 1h 2h 3h"),
        (100_000, "0 6h 12h 18h 1d"),
        (1e6, "0 2d 4d 6d 8d 10d"),
        (1e9, "0 2000d 4000d 6000d 8000d 10000d"),
        (1e300, "0 2e294d 4e294d 6e294d 8e294d 1e295d"),
    ],
)
def test_durations(high: float, shown: str) -> None:
    assert labels(Axis(0, high, kind="duration")) == shown


def test_durations_that_differ_in_a_third_unit_are_counted_from_the_first() -> None:
    assert labels(Axis(11_520, 11_530, kind="duration")) == "3h12m +2s +4s +6s +8s +10s"


@pytest.mark.parametrize(
    ("span", "zone", "shown"),
    [
        (0.5, timezone.utc, "2026-11-20 12:00:00 00.1s 00.2s 00.3s 00.4s 00.5s"),
        (0.02, timezone.utc, "2026-11-20 12:00:00 00.01s 00.02s"),
        (1e-6, timezone.utc, "2026-11-20 12:00:00 00.000001s"),
        (5, timezone.utc, "12:00:00 12:00:01 12:00:02 12:00:03 12:00:04 12:00:05"),
        (60, timezone.utc, "12:00:00 12:00:15 12:00:30 12:00:45 12:01:00"),
        (3600, timezone.utc, "12:00 12:15 12:30 12:45 13:00"),
        (86_400, timezone.utc, "12:00 18:00 21 Nov 06:00 12:00"),
        (86_400, ZONE, "18:00 21 Nov 06:00 12:00"),
        (4 * 86_400, timezone.utc, "21 Nov 22 Nov 23 Nov 24 Nov"),
        (90 * 86_400, timezone.utc, "Dec 2027 Feb"),
        (1000 * 86_400, timezone.utc, "2027 Jul 2028 Jul 2029 Jul"),
        (9e8, timezone.utc, "2030 2035 2040 2045 2050 2055"),
        (1e38, timezone.utc, "1.7952G 1e38"),
    ],
)
def test_wall_times(span: float, zone: tzinfo, shown: str) -> None:
    assert labels(Axis(NOON, NOON + span, kind="wall"), zone=zone) == shown


class _Summer(tzinfo):
    """Sets its clock forward from 02:00 to 03:00 on 21 November and back from 03:00 to 02:00 on the 22nd."""

    def utcoffset(self, moment: datetime | None) -> timedelta:
        assert moment is not None
        set_forward, set_back = (moment.day, moment.hour) >= (21, 2), (moment.day, moment.hour) >= (22, 3)
        return timedelta(hours=1) if set_forward and not set_back else timedelta(0)

    def dst(self, moment: datetime | None) -> timedelta:
        return self.utcoffset(moment)


def test_ticks_stay_in_order_when_clocks_are_set() -> None:
    ticks = next(iter_tick_sets(Axis(NOON, NOON + 2 * 86_400, kind="wall"), 60, _Summer()))
    assert all(before.value < after.value for before, after in pairwise(ticks))
    assert [tick.label for tick in ticks[:3]] == ["12:00", "13:00", "14:00"]
    assert "21 Nov" in [tick.label for tick in ticks]


def test_sets_grow_coarser_and_the_first_that_fits_is_taken() -> None:
    sizes = [len(ticks) for ticks in iter_tick_sets(Axis(0, 1), 11)]
    assert sizes == [11, 6, 3, 2, 1]
    assert len(choose_ticks(iter_tick_sets(Axis(0, 1), 11), lambda ticks: len(ticks) < 5)) == 3
    assert choose_ticks(iter_tick_sets(Axis(0, 1), 11), lambda ticks: False) == ()


@example(0.0, 1.0, 1, "wall", "linear", 0)
@given(
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(allow_nan=False, allow_infinity=False),
    st.integers(1, 20),
    st.sampled_from(["number", "step", "duration", "wall"]),
    st.sampled_from(["linear", "log", "symlog"]),
    st.integers(-300, 300),
)
def test_any_axis_has_few_short_ticks_in_order_within_it(
    first: float, second: float, most: int, kind: str, scale: str, exponent: int
) -> None:
    low, high = min(first, second), max(first, second)
    assume(low < high and (scale != "log" or low > 0) and (scale == "linear" or kind != "wall"))
    axis = Axis(low, high, scale, kind, threshold=10.0**exponent)  # type: ignore[arg-type]
    for ticks in iter_tick_sets(axis, most, timezone.utc):
        assert 1 <= len(ticks) <= most
        assert all(low <= tick.value <= high for tick in ticks)
        assert all(before.value < after.value for before, after in pairwise(ticks))
        # Microseconds need `00.000001s`; the first tick has a date before: `2026-11-20 12:00:00.000001`.
        first_limit, limit = (26, 10) if kind == "wall" else (LABEL_WIDTH + 1, LABEL_WIDTH + 1)
        limits = [first_limit, *repeat(limit, len(ticks) - 1)]
        assert all(0 < len(tick.label) <= most_columns for tick, most_columns in zip(ticks, limits, strict=True))


@given(st.floats(-1e300, 1e300), st.floats(1e-12, 1e12), st.integers(2, 12))
def test_labels_of_an_axis_differ_and_align(low: float, span: float, most: int) -> None:
    assume(low + span > low)
    for ticks in iter_tick_sets(Axis(low, low + span), most):
        texts = [tick.label for tick in ticks]
        assert len(set(texts)) == len(texts)
        decimals = {len(text.partition(".")[2]) for text in texts if text != "0" and text[0] != "+"}
        assert len(decimals) <= 1 or any(text[0] == "+" for text in texts)


def test_two_neighbouring_floats_are_told_apart() -> None:
    assert labels(Axis(1e300, math.nextafter(1e300, math.inf))) == "1e300 +1.5e284"


def wall_labels(low: float, high: float, most: int, zone: str = "UTC") -> list[list[str]]:
    axis = Axis(low, high, kind="wall")
    return [[tick.label for tick in ticks] for ticks in iter_tick_sets(axis, most, ZoneInfo(zone))]


def test_wall_ticks_when_clocks_go_forward_name_no_skipped_hour() -> None:
    start = 1_774_735_200.0  # 2026-03-28 23:00 in Berlin; at 02:00 clocks go forward
    hours = next(labels for labels in wall_labels(start, start + 6 * 3600, 10, "Europe/Berlin") if "01:00" in labels)
    assert "02:00" not in hours
    assert hours[hours.index("01:00") + 1] == "03:00"


def test_wall_ticks_of_one_moment_tell_date_and_time() -> None:
    assert any("2023-11-14 22:13:20" in " ".join(labels) for labels in wall_labels(1.7e9, 1.7e9 + 1, 3))


@pytest.mark.parametrize("factor", [1e3, 1e6, 1e9])
def test_wall_ticks_of_times_in_smaller_units_are_the_dates_that_are_meant(factor: float) -> None:
    assert wall_labels(1.7e9 * factor, 1.7001e9 * factor, 6) == wall_labels(1.7e9, 1.7001e9, 6)


def test_wall_ticks_exist_below_a_millisecond() -> None:
    labels = wall_labels(1.7e9, 1.7e9 + 2e-4, 8)
    assert labels
    assert all(len(set(each)) == len(each) for each in labels)
