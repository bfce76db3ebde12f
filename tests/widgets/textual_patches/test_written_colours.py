"""Colours are written as the ones of 256 that look most like them."""

from __future__ import annotations

import numpy as np
import pytest
from rich.color import Color, ColorSystem

from tbtui.charts.colours import to_oklab
from tbtui.widgets.textual_patches.fixed_colours import write_nearest_colours

GREY_BLUES = ["#2a313b", "#14171c", "#1a1e25", "#20252d"]
"""Grounds of the dark theme."""

rounded = Color.downgrade
"""The method of Rich, in the first process that reads this."""


@pytest.fixture(autouse=True)
def _restored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Color, "downgrade", Color.downgrade)


def distance(colour: str, shown: Color) -> float:
    return float(np.linalg.norm(to_oklab([colour]) - to_oklab([shown.get_truecolor().hex])))


@pytest.mark.parametrize("colour", GREY_BLUES)
def test_dark_grounds_stay_dark_greys(colour: str) -> None:
    write_nearest_colours()
    shown = Color.parse(colour).downgrade(ColorSystem.EIGHT_BIT)
    channels = shown.get_truecolor()
    assert max(channels) - min(channels) == 0
    assert distance(colour, shown) < 0.04


def test_other_colours_and_systems_are_left_to_rich() -> None:
    write_nearest_colours()
    for colour in (Color.parse("red"), Color.default(), Color.from_ansi(200)):
        assert colour.downgrade(ColorSystem.EIGHT_BIT) == colour
    assert Color.parse("#ff0000").downgrade(ColorSystem.STANDARD).number == 1
    assert Color.parse("#5fafd7").downgrade(ColorSystem.EIGHT_BIT).number == 74


@pytest.mark.skipif(getattr(rounded, "is_nearest", False), reason="another test has replaced the method before")
def test_plain_rich_turns_a_dark_grey_blue_into_teal() -> None:
    """The canary: the module is no longer needed when this fails."""
    assert distance("#2a313b", rounded(Color.parse("#2a313b"), ColorSystem.EIGHT_BIT)) > 0.1
