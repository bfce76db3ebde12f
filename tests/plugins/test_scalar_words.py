"""What the Scalars tab says about itself and about its emptiness."""

from __future__ import annotations

import pytest

from tbtui.plugins.scalars.words import settings, smoothing_word, why_empty
from tbtui.viewstate.choices import Choices
from tests.made_up import references, run
from tests.plugins.made_views import FALLING, plain_view, view


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
        (Choices(log_all=True, x_axis="wall"), None, "smooth .60 · y log · x wall"),
        (Choices(log_tags=frozenset({"t"})), None, "smooth .60 · x step"),
        (Choices(log_tags=frozenset({"t"})), "t", "smooth .60 · y log · x step"),
        (Choices(log_all=True, log_tags=frozenset({"t"})), "t", "smooth .60 · x step"),
    ],
)
def test_settings(choices: Choices, tag: str | None, text: str) -> None:
    assert settings(choices, tag) == text


ONE = {"a": {"loss": FALLING}}


@pytest.mark.parametrize(
    ("shown", "headline", "hint"),
    [
        pytest.param(plain_view({}), "No event files yet", "first values", id="nothing there"),
        pytest.param(
            view(run("a", others=[references("a", "p", "images")])), "No scalars in these runs", "", id="images"
        ),
        pytest.param(plain_view(ONE, run_filter="zzz"), "No run matches zzz", "run filter", id="run filter"),
        pytest.param(plain_view(ONE, hidden_runs=frozenset("a")), "No run is switched on", "Press a", id="runs off"),
        pytest.param(plain_view(ONE, tag_filter="zzz"), "No scalar tag matches zzz", "/", id="tag filter"),
        pytest.param(
            plain_view(ONE, hidden_groups=frozenset({"loss"})), "All groups of tags are folded", "space", id="folded"
        ),
        pytest.param(
            plain_view({**ONE, "b": {}}, hidden_runs=frozenset("a")),
            "No scalars in the runs that are shown",
            "",
            id="others",
        ),
    ],
)
def test_why_there_is_no_card(shown: object, headline: str, hint: str) -> None:
    words = why_empty(shown)  # type: ignore[arg-type]
    assert headline in words[0]
    assert hint in words[1]
