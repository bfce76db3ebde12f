from __future__ import annotations

import math
import re
from datetime import timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.charts.numbers import (
    MAX_BRIEF_COLUMNS,
    format_brief,
    format_brief_distinct,
    format_clock,
    format_count,
    format_difference,
    format_distinct,
    format_duration,
    format_number,
    format_size,
    format_step,
    spell_age,
)

PREFIXES = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
ANY_FLOAT = st.floats() | st.floats(allow_nan=False, allow_infinity=False, width=32)


@pytest.mark.parametrize(
    ("value", "shown", "brief_shown"),
    [
        (0, "0", "0"),
        (-0.0, "0", "0"),
        (1, "1", "1"),
        (-1.0, "-1", "-1"),
        (0.5, "0.5", "0.500"),
        (-0.25, "-0.25", "-0.250"),
        (0.0213, "0.0213", "0.0213"),
        (0.142, "0.142", "0.142"),
        (2.3456789, "2.3457", "2.35"),
        (12.34, "12.34", "12.3"),
        (440, "440", "440"),
        (999.96, "999.96", "1000"),
        (0.99996, "0.99996", "1.00"),
        (1234.5, "1234.5", "1234"),
        (12345, "12345", "12.3k"),
        (99999, "99999", "100k"),
        (99999.6, "100k", "100k"),
        (123456, "123.46k", "123k"),
        (1e6, "1M", "1M"),
        (1.5e9, "1.5G", "1.5G"),
        (999_999, "1M", "1M"),
        (1e12, "1T", "1T"),
        (9.9999e14, "999.99T", "1e15"),
        (1e15, "1e15", "1e15"),
        (1e38, "1e38", "1e38"),
        (2**63, "9.223e18", "9.22e18"),
        (0.001, "0.001", "0.00100"),
        (0.0012345, "0.001234", "0.00123"),
        (0.00099999, "0.001", "0.00100"),
        (0.00012345, "1.234e-4", "1.23e-4"),
        (-1.2345e-38, "-1.2e-38", "-1.2e-38"),
        (1.7976931348623157e308, "1.8e308", "1.8e308"),
        (-1.7976931348623157e308, "-1.8e308", "-1.8e308"),
        (5e-324, "4.9e-324", "4.9e-324"),
        (math.nan, "NaN", "NaN"),
        (math.inf, "Inf", "Inf"),
        (-math.inf, "-Inf", "-Inf"),
    ],
)
def test_short_and_brief(value: float, shown: str, brief_shown: str) -> None:
    assert format_number(value) == shown
    assert format_brief(value) == brief_shown


def test_a_wider_place_shows_five_digits_of_everything() -> None:
    assert format_number(-1.23454e-38, 11) == "-1.2345e-38"
    assert format_number(-0.0012345, 11) == "-0.0012345"
    assert format_number(2.0**63, 11) == "9.2234e18"


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([0.987651, 0.987652, 0.5], ["0.987651", "0.987652", "0.5"]),
        pytest.param([0.98765, 0.987652], ["0.98765", "0.987652"], id="zeros at the end say nothing"),
        ([12.345678, 12.345679, 12.345671], ["12.345678", "12.345679", "12.345671"]),
        ([123456.0, 123457.0, 99.0], ["123.456k", "123.457k", "99"]),
        pytest.param([1234567.0, 1234568.0], ["1234567", "1234568"], id="a prefix has no room"),
        ([0.12345678, 0.12345679], ["0.12345678", "0.12345679"]),
        ([0.693147180, 0.693147181], ["0.69314718", "0.693147181"]),
        ([1_700_000_000.0, 1_700_000_001.0], ["1700000000", "1700000001"]),
        ([1.2e17, 1.2e17 + 1e10], ["1.2e17", "1.2000001e17"]),
        ([2.0**53 - 1, 2.0**53], ["9007199254740991", "9007199254740992"]),
        ([1e9 + 19e-6, 1e9 + 19.5e-6], ["1000000000.000019", "1000000000.00002"]),
        ([0.3, 0.1 * 3], ["0.3", "0.3"]),
        ([1000.1, 1000.1006], ["1000.1", "1000.101"]),
        pytest.param([0.1 + 0.2, 0.3], ["0.3", "0.3"], id="a rounding error of doubles is no difference"),
        pytest.param([0.987654] * 2, ["0.98765"] * 2, id="the same value"),
        pytest.param([math.nan, math.nan, math.inf, -math.inf], ["NaN", "NaN", "Inf", "-Inf"], id="no numbers"),
        ([], []),
    ],
)
def test_format_distinct_equal_texts_get_more_digits(values: list[float], texts: list[str]) -> None:
    assert format_distinct(values) == texts


def test_brief_distinct_equal_texts_get_more_digits() -> None:
    assert format_brief_distinct([0.9431, 0.9433, 2.0]) == ["0.9431", "0.9433", "2"]
    assert format_brief_distinct([1_700_000_000.0, 1_700_000_001.0]) == ["1700000000", "1700000001"]
    assert format_brief_distinct([0.943, 0.943]) == ["0.943", "0.943"]


def test_so_have_differences() -> None:
    assert format_distinct([0.0, -0.123451, -0.123452, 0.5], format_difference) == [
        "±0",
        "-0.123451",
        "-0.123452",
        "+0.5",
    ]
    assert format_difference(math.nan) == "NaN"
    assert [
        format_difference(-math.inf),
        format_difference(math.inf),
        format_difference(-0.0),
        format_difference(-1e-5),
    ] == ["-Inf", "+Inf", "±0", "-1e-5"]


@given(st.lists(ANY_FLOAT | st.integers(-200, 200).map(lambda n: 1.5 + n * 1e-6), max_size=20))
def test_more_digits_are_bounded_and_never_tell_less(values: list[float]) -> None:
    texts, usual = format_distinct(values), [format_number(value) for value in values]
    assert max(map(len, texts), default=0) <= 23
    assert len(set(texts)) >= len(set(usual))
    for value, text, before in zip(values, texts, usual, strict=True):
        if usual.count(before) == 1:
            assert text == before
        elif math.isfinite(value) and abs(value) < 1e14:
            assert abs(_read(text) - value) <= abs(_read(before) - value) * (1 + 1e-9) + 1e-9 * abs(value)


def _read(text: str) -> float:
    match = re.fullmatch(r"(-?[0-9]*\.?[0-9]+(?:e-?[0-9]+)?)([kMGT]?)", text)
    assert match, text
    return float(match[1]) * PREFIXES[match[2]]


def _error(value: float, width: int) -> float:
    """The relative error that rounding to a width of 8 to 11 may make."""
    if 0.01 < abs(value) < 1e9 or (width == 11 and 1e-99 < abs(value) < 1e99):
        return 5.1e-5 * 10 ** (11 - width)
    return 0.06 if 1e-99 < abs(value) < 1e99 else 0.5


@given(ANY_FLOAT, st.integers(8, 11))
def test_short_is_bounded_and_reads_back_to_what_its_width_holds(value: float, width: int) -> None:
    text = format_number(value, width)
    assert len(text) <= width
    if math.isfinite(value) and abs(value) > 1e-300:
        mantissa = re.sub(r"e.*|[^0-9]", "", text).lstrip("0")
        assert len(mantissa) <= 5 or text[-1:] == "0" or abs(value) >= 1e4
        assert math.isclose(_read(text), value, rel_tol=_error(value, width)) or abs(value) > 1.7e308


@given(ANY_FLOAT)
def test_brief_has_a_bounded_width(value: float) -> None:
    text = format_brief(value)
    assert len(text) <= MAX_BRIEF_COLUMNS
    if math.isfinite(value) and 1e-300 < abs(value) < 1.7e308:
        assert math.isclose(_read(text), value, rel_tol=0.006 if 1e-9 < value < 1e9 else 0.5)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "0"),
        (440, "440"),
        (-440, "-440"),
        (9999, "9999"),
        (10_000, "10k"),
        (12_500, "12.5k"),
        (-12_345, "-12.3k"),
        (99_949, "99.9k"),
        (99_950, "100k"),
        (999_999, "1M"),
        (1_234_567, "1.23M"),
        (2**40, "1.1T"),
        (2**62, "4.61e18"),
        (-(2**63), "-9.22e18"),
    ],
)
def test_step(value: int, shown: str) -> None:
    assert format_step(value) == shown


@given(st.integers(-(2**63), 2**64))
def test_steps_are_short_and_near(value: int) -> None:
    assert len(format_step(value)) <= 8
    assert math.isclose(_read(format_step(value)), value, rel_tol=0.0051)


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0, "0s"),
        (1e-10, "1e-10s"),
        (1e-9, "1ns"),
        (8.42e-7, "842ns"),
        (5e-6, "5µs"),
        (0.000999, "999µs"),
        (0.0042, "4.2ms"),
        (0.35, "350ms"),
        (0.9996, "1s"),
        (4.2, "4.2s"),
        (9.96, "10s"),
        (42.4, "42s"),
        (59.6, "1m"),
        (192, "3m12s"),
        (3599, "59m59s"),
        (3599.7, "1h"),
        (11_520, "3h12m"),
        (86_369, "23h59m"),
        (86_399, "1d"),
        (187_200, "2d4h"),
        (35_600_000, "412d"),
        (1e38, "1.16e33d"),
        (-4.2, "-4.2s"),
        (math.nan, "NaN"),
        (math.inf, "Inf"),
    ],
)
def test_format_duration(seconds: float, shown: str) -> None:
    assert format_duration(seconds) == shown


@given(ANY_FLOAT)
def test_durations_and_ages_are_bounded(seconds: float) -> None:
    assert 0 < len(format_duration(seconds)) <= 9
    assert 0 < len(spell_age(seconds)) <= 16


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (-5, "0 seconds"),
        (0.9, "0 seconds"),
        (4.9, "4 seconds"),
        (59.9, "59 seconds"),
        (60, "1 minute"),
        (3600, "1 hour"),
        (86_400, "1 day"),
        (8e9, "92,592 days"),
        (1e15, "11.574G days"),
        (math.nan, "NaN"),
        (-math.inf, "-Inf"),
    ],
)
def test_spell_age(seconds: float, shown: str) -> None:
    assert spell_age(seconds) == shown


@pytest.mark.parametrize(
    ("wall_time", "shown"),
    [
        (1_795_194_437.5, "2026-11-20 19:07:17"),
        (0, "1970-01-01 02:00:00"),
        (-1, "1970-01-01 01:59:59"),
        (math.nan, "NaN"),
        (math.inf, "Inf"),
        (1e38, "1e38"),
    ],
)
def test_format_clock(wall_time: float, shown: str) -> None:
    assert format_clock(wall_time, timezone(timedelta(hours=2))) == shown


@given(ANY_FLOAT)
def test_any_wall_time_has_a_text(wall_time: float) -> None:
    assert format_clock(wall_time)


@pytest.mark.parametrize(
    ("number", "noun", "text"),
    [(1, "run", "1 run"), (0, "run", "0 runs"), (5000, "op", "5,000 ops"), (3, "summary", "3 summaries")],
)
def test_format_count(number: int, noun: str, text: str) -> None:
    assert format_count(number, noun) == text


@pytest.mark.parametrize(
    ("nbytes", "said"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (4234, "4.2 kB"),
        (99_949, "99.9 kB"),
        (99_951, "100 kB"),
        (999_499, "999 kB"),
        (999_501, "1.0 MB"),
        (1 << 30, "1.1 GB"),
        (2_000 * 10**12, "2,000 TB"),
    ],
)
def test_sizes(nbytes: int, said: str) -> None:
    assert format_size(nbytes) == said
