"""Entries of forms: what is shown reads back to the same value, what cannot be used is refused with the reason."""

from __future__ import annotations

import math
import time
from contextlib import suppress
from datetime import datetime, timezone
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tbtui.settings.entries import (
    NUMBER,
    X_AXIS_ENTRIES,
    check_range,
    format_exact_duration,
    format_exact_number,
    format_reference_lines,
    format_wall_time,
    make_optional,
    read_duration,
    read_integer,
    read_number,
    read_number_between,
    read_pattern,
    read_reference_lines,
    read_wall_time,
)
from tbtui.settings.settings import ReferenceLine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tbtui.maths.domain import Scale
    from tbtui.settings.settings import Range

finite = st.floats(allow_nan=False, allow_infinity=False)


def _read_weight(text: str) -> float:
    return read_number_between(text, 0, 0.999)


def refusal(read: Callable[[str], object], text: str) -> str:
    with pytest.raises(ValueError) as error:  # noqa: PT011 - its words are what is looked at
        read(text)
    return str(error.value)


# Numbers


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12", 12),
        (" -0.5 ", -0.5),
        (".5", 0.5),
        ("5.", 5),
        ("+1e-3", 1e-3),
        ("1E3", 1000),
        ("12.5k", 12500),
        ("12.5K", 12500),
        ("3M", 3e6),
        ("0.1G", 1e8),
        ("2T", 2e12),
        ("−4", -4),
    ],
)
def test_numbers(text: str, value: float) -> None:
    assert read_number(text) == value


@pytest.mark.parametrize(
    "text", ["12x", "", " ", "nan", "inf", "1e", "1e3k", "5m", "1,5", "0x10", "1 2", "k", "-", "١", "1g"]
)
def test_what_is_no_number_is_told_as_it_was_typed(text: str) -> None:
    assert refusal(read_number, text) == (f"not a number: {text.strip()}" if text.strip() else "a number is needed")


def test_numbers_that_no_float_holds_are_refused() -> None:
    assert refusal(read_number, "1e999") == "out of range: 1e999"


@settings(deadline=None)
@given(finite)
def test_a_shown_number_reads_back(value: float) -> None:
    assert read_number(format_exact_number(value)) == value


def test_numbers_are_shown_plainly() -> None:
    shown = [format_exact_number(value) for value in (12500.0, 0.001, 1e-5, 1e22, -0.5, 0.0, 3)]
    assert shown == ["12500", "0.001", "1e-5", "1e22", "-0.5", "0", "3"]


def test_whole_numbers() -> None:
    assert read_integer("12k", 0, 10**9) == 12000
    assert read_integer(str(2**62 + 1), 0, 2**63) == 2**62 + 1
    assert refusal(lambda text: read_integer(text, 0, 9), "1.5") == "not a whole number: 1.5"
    assert refusal(lambda text: read_integer(text, 0, 64), "65") == "between 0 and 64"
    assert refusal(lambda text: read_integer(text, 1, 10**9), "0") == "1 or more"
    assert refusal(lambda text: read_integer(text, 1, 10**9), "2G") == "1000000000 at most"
    assert refusal(lambda text: read_integer(text, 0, 9), "x") == "not a number: x"


def test_smoothing_stays_below_one() -> None:
    assert [_read_weight(text) for text in ("0", ".6", "0.999")] == [0, 0.6, 0.999]
    assert {refusal(_read_weight, text) for text in ("1", "-0.1", "60")} == {"between 0 and 0.999"}


# Times


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1h30m", 5400),
        ("1h 30m", 5400),
        ("90", 90),
        ("90s", 90),
        ("1.5h", 5400),
        ("350ms", 0.35),
        ("20us", 2e-5),
        ("2d4h", 187200),
        ("-5m", -300),
        ("1e3s", 1000),
        ("2k", 2000),
    ],
)
def test_durations(text: str, seconds: float) -> None:
    assert read_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "1h30", "h", "5 minutes", "1h-30m", "12:30"])
def test_what_is_no_duration(text: str) -> None:
    assert refusal(read_duration, text) == f"not a length of time: {text}"


@pytest.mark.parametrize("text", ["1e400s", "9e999999999d", "1e99999999999999999999s"])
def test_durations_that_no_float_holds_are_refused(text: str) -> None:
    assert refusal(read_duration, text) == f"out of range: {text}"


@settings(deadline=None)
@given(st.one_of(finite, st.floats(0, 1e6), st.integers(0, 10**7).map(float)))
def test_a_shown_duration_reads_back(seconds: float) -> None:
    assert read_duration(format_exact_duration(seconds)) == seconds


def test_durations_are_shown_as_people_write_them() -> None:
    shown = [format_exact_duration(seconds) for seconds in (5400, 3725.5, 90061, -300, 4.2, 0, 86400)]
    assert shown == ["1h30m", "1h2m5.5s", "1d1h1m1s", "-5m", "4.2s", "0s", "1d"]


@pytest.fixture
def berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("berlin")
def test_wall_times_are_local() -> None:
    seconds = datetime(2026, 11, 20, 17, 23, tzinfo=timezone.utc).timestamp()
    assert read_wall_time("2026-11-20 18:23") == seconds
    assert read_wall_time(" 2026-11-20T18:23:00 ") == seconds
    assert read_wall_time(f"{seconds:.0f}") == seconds
    assert read_wall_time("2026-11-20") == seconds - 18 * 3600 - 23 * 60
    assert read_wall_time("2026-11-20 17:23+00:00") == seconds
    assert format_wall_time(seconds) == "2026-11-20 18:23:00"


@pytest.mark.usefixtures("berlin")
def test_an_hour_that_the_clock_passes_twice_is_told_in_seconds() -> None:
    first = datetime(2026, 10, 25, 0, 30, tzinfo=timezone.utc).timestamp()
    assert format_wall_time(first) == "2026-10-25 02:30:00"
    assert format_wall_time(first + 3600) == format_exact_number(first + 3600)


@pytest.mark.parametrize("text", ["", "yesterday", "2026-13-01", "18:23", "2026-11-20 25:00"])
def test_what_is_no_time(text: str) -> None:
    assert refusal(read_wall_time, text) == f"not a time: {text}"


@settings(deadline=None)
@given(st.one_of(finite, st.floats(0, 4e9), st.integers(0, 4 * 10**9).map(float)))
def test_a_shown_time_reads_back(seconds: float) -> None:
    assert read_wall_time(format_wall_time(seconds)) == seconds


# Ranges


def test_an_optional_entry_may_be_empty() -> None:
    entry = make_optional(NUMBER, "as the data has it")
    assert [entry.read(text) for text in ("", "  ", "3")] == [None, None, 3]
    assert [entry.format(value) for value in (None, 3.0)] == ["", "3"]
    assert entry.hint == "a number, such as 0.5, 1e-3 or 12k; empty: as the data has it"
    assert refusal(entry.read, "x") == "not a number: x"


@pytest.mark.parametrize(
    ("ends", "scale", "reason"),
    [
        ((0, 1), "linear", None),
        ((None, None), "log", None),
        ((1, None), "log", None),
        ((-1, 1), "symlog", None),
        ((1, 1), "linear", "the lower end must be below the upper"),
        ((2, 1), "log", "the lower end must be below the upper"),
        ((0, 1), "log", "a log axis needs a range above 0"),
        ((None, -1), "log", "a log axis needs a range above 0"),
    ],
)
def test_ranges_are_checked(ends: Range, scale: Scale, reason: str | None) -> None:
    if reason is None:
        check_range(ends, scale)
    else:
        assert refusal(lambda _: check_range(ends, scale), "") == reason


def test_every_x_axis_has_an_entry() -> None:
    assert {axis: entry.read("90") for axis, entry in X_AXIS_ENTRIES.items()} == {
        "step": 90,
        "relative": 90,
        "wall": 90,
        "order": 90,
        "active": 90,
        "tag": 90,
    }


# Reference lines


def test_reference_lines() -> None:
    lines = read_reference_lines(" 0.5 goal, 1e-3,, 2k the  best ")
    assert lines == (ReferenceLine(0.5, "goal"), ReferenceLine(1e-3), ReferenceLine(2000.0, "the best"))
    assert format_reference_lines(lines) == "0.5 goal, 0.001, 2000 the best"
    assert read_reference_lines("  ") == ()
    assert refusal(read_reference_lines, "goal 0.5") == "not a number: goal"
    assert refusal(read_reference_lines, ".005 .015") == "put a comma between .005 and .015"
    assert refusal(read_reference_lines, ",".join(["1"] * 51)) == "50 lines at most"


words = st.text(
    st.characters(blacklist_characters=",", blacklist_categories=("Cc", "Cs", "Zs", "Zl", "Zp")), min_size=1
)


def is_name(text: str) -> bool:
    try:
        read_number(text)
    except ValueError:
        return True
    return False


names = st.lists(words, max_size=3).map(" ".join).filter(is_name)


@settings(deadline=None)
@given(st.lists(st.builds(ReferenceLine, finite, names), max_size=50))
def test_shown_reference_lines_read_back(lines: list[ReferenceLine]) -> None:
    assert read_reference_lines(format_reference_lines(lines)) == tuple(lines)


# Patterns


def test_patterns_are_tried() -> None:
    assert read_pattern("loss/(.*)", ["loss/a"]) == "loss/(.*)"
    assert read_pattern("") == ""
    assert refusal(read_pattern, "(") == "missing )"
    assert refusal(read_pattern, "a" * 2000) == "too long"


@pytest.mark.parametrize(
    "read", [read_number, read_duration, read_wall_time, read_reference_lines, read_pattern, _read_weight]
)
@settings(deadline=None)
@given(text=st.text(max_size=40))
def test_no_text_makes_a_reader_fail_otherwise(read: Callable[[str], object], text: str) -> None:
    with suppress(ValueError):
        value = read(text)
        assert not isinstance(value, float) or math.isfinite(value)
