"""What the Scalars tab says about itself and about its emptiness."""

from __future__ import annotations

import pytest

from tbtui.plugins.scalars.words import settings, smoothing_word
from tbtui.viewstate.choices import ChartChoices, Choices


@pytest.mark.parametrize(
    ("smoothing", "word"),
    [
        (0.6, ".60"),
        (0.999, ".999"),
        (0.05, ".05"),
        (0.1 + 0.2, ".30"),
        (0, "off"),
        (-1, "off"),
        (1, "1.00"),
        (0.995, ".995"),
    ],
)
def test_smoothing(smoothing: float, word: str) -> None:
    assert smoothing_word(smoothing) == f"smooth {word}"


@pytest.mark.parametrize(
    ("choices", "tag", "text"),
    [
        (Choices(), None, "smooth .60 · x step"),
        (Choices(y_scale="log", x_axis="wall"), None, "smooth .60 · y log · x wall"),
        (Choices(charts={"t": ChartChoices(y_scale="log")}), None, "smooth .60 · x step"),
        (Choices(charts={"t": ChartChoices(y_scale="log")}), "t", "smooth .60 · y log · x step"),
        (Choices(y_scale="log", charts={"t": ChartChoices(y_scale="linear")}), "t", "smooth .60 · x step"),
    ],
)
def test_settings(choices: Choices, tag: str | None, text: str) -> None:
    assert settings(choices, tag) == text
