"""What charts say of their axes in few words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tbtui.settings.settings import FULL_RANGE, ChartSettings, Settings
from tbtui.view.descriptions import (
    describe_range,
    format_cursor,
    format_range,
    format_x_value,
    format_y_axis,
    list_x_axis_labels,
)

if TYPE_CHECKING:
    from tbtui.settings.settings import Range, XAxis


@pytest.mark.parametrize(
    ("x_axis", "x", "word"),
    [
        ("step", 312.0, "312"),
        ("step", 0.5, "0.5"),
        ("step", 1e16, "10000000000000000"),
        ("relative", 192.0, "3m12s"),
        ("wall", 0.0, "1970-01-01 00:00:00"),
    ],
)
def test_x_values_are_told_in_their_unit(x_axis: XAxis, x: float, word: str) -> None:
    assert format_x_value(x_axis, x) == word


@pytest.mark.parametrize(
    ("ends", "word"),
    [
        (FULL_RANGE, ""),
        ((1.0, 2.0), "1–2"),
        ((-1.0, 2.0), "-1 – 2"),
        ((None, 2.0), "to 2"),
        ((1e-7, None), "from 1e-7"),
    ],
)
def test_a_range_has_one_end_or_two(ends: Range, word: str) -> None:
    assert format_range(ends) == word


def test_an_axis_of_values_is_told_where_it_is_not_plain() -> None:
    settings = Settings(y_scale="log", charts={"t": ChartSettings(y_scale="linear", y_range=(0.0, 1.0))})
    assert format_y_axis(Settings()) == ""
    assert format_y_axis(settings) == format_y_axis(settings, "u") == "y log"
    assert format_y_axis(settings, "t") == "y 0–1"


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({}, ["x step"]),
        ({"x_scale": "log", "x_axis": "wall"}, ["x wall"]),
        ({"x_scale": "symlog", "x_axis": "relative"}, ["x relative symlog"]),
        ({"skip_steps": 5000, "linked": True}, ["x step", "from step 5,000 on", "linked"]),
        ({"cursor": 3.0, "mark": 1.0}, ["x step"]),
    ],
)
def test_an_axis_of_steps_is_always_told(settings: dict[str, Any], words: list[str]) -> None:
    assert list(filter(None, list_x_axis_labels(Settings(**settings), "t"))) == words


def test_without_a_cursor_there_is_nothing_to_say_of_it() -> None:
    assert format_cursor(Settings(mark=3.0)) == ""


def test_in_tight_places_steps_are_told_without_the_word() -> None:
    stretch = Settings(cursor=3.0, mark=1.0)
    assert (format_cursor(stretch), format_cursor(stretch, brief=True)) == ("@ step 1–3", "@ 1–3")


def test_what_lies_between_is_told_with_its_unit() -> None:
    assert describe_range(5.0, 9.0, "step") == "between step 5 and 9"
    assert describe_range(None, 90.0, "relative") == "up to 1m30s"
    assert describe_range(5.0, None, "step") == "from step 5"
