"""Cards and opened charts of the Histograms tab."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tbtui.charts.text import cell_width
from tbtui.plugins.histograms.painter import HistogramRenderer, HistogramSource
from tbtui.plugins.histograms.readout import HistogramChartCache
from tbtui.settings.settings import ChartSettings
from tbtui.view.card_painter import Painter
from tbtui.view.cards import make_card_key
from tests.helpers.histogram_payloads import Made, MadePayloads, normal, run_with, steps_of
from tests.helpers.property_examples import examples
from tests.helpers.views import picture, view

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tbtui.charts.cells import Cells
    from tbtui.plugins.histograms.readout import HistogramChart

LOST = "a NaN is among the values of this step"
TWO = {"a": {"w": steps_of(20)}, "b": {"w": steps_of(15, lambda step: normal(3.0, 1 + step / 10))}}


def painter(runs: Mapping[str, Mapping[str, Made]] = TWO, **settings: Any) -> Painter[HistogramChart]:
    data = HistogramChartCache(MadePayloads(runs))
    seen = view(*(run_with(name, tags) for name, tags in runs.items()), **settings)
    cards = data.cards(seen)
    return Painter(HistogramSource(data, HistogramRenderer(), seen, cards), cards)


def size_of(cells: Cells) -> tuple[int, int]:
    assert all(cell_width(cells.get_row_text(y)) == cells.width for y in range(cells.height))
    return cells.width, cells.height


def test_fingerprints_are_equal_while_a_card_is_unchanged() -> None:
    key = make_card_key("a", "w")
    look = painter().paint_key(key)
    assert painter().paint_key(key) == look
    for changed in (
        {"cursor": 3.0},
        {"histogram_look": "ridges"},
        {"heat_scale": "linear"},
        {"bucket_rows": True},
        {"runs_together": True},
        {"overview": True},
        {"outliers": "keep"},
        {"y_scale": "log"},
        {"x_axis": "wall"},
        {"skip_steps": 2},
        {"solo": "a"},
        {"focus": "b"},
        {"baseline": "b"},
        {"row_order": "ascending"},
    ):
        assert painter(**changed).paint_key(key) != look, changed
    assert painter(tag_filter="w", columns=3, pinned=(key,)).paint_key(key) == look


@pytest.mark.parametrize("size", [(1, 1), (2, 3), (9, 4), (26, 6), (40, 12), (89, 13), (90, 14), (200, 60)])
@pytest.mark.parametrize("look", ["heat", "ridges", "overlay", "together"])
def test_cards_and_opened_charts_of_any_size_are_drawn(size: tuple[int, int], look: str) -> None:
    settings: dict[str, Any] = {"runs_together": True} if look == "together" else {"histogram_look": look}
    for more in ({}, {"cursor": 7.0}, {"cursor": 7.0, "mark": 2.0}, {"overview": True}, {"bucket_rows": True}):
        made = painter(**settings, **more)
        for key in made.cards.keys:
            for focused in (False, True):
                assert size_of(made.paint(key, *size, focused=focused).cells) == size
            assert size_of(made.paint_outline(key, *size, focused=True)) == size
            opened = made.open(key, *size)
            assert size_of(opened.picture)[0] == size[0]
            assert 1 <= opened.picture.height <= size[1]
            assert opened.rows.width == size[0]


def test_card_error_is_shown_on_the_card() -> None:
    made = painter(skip_steps=99)
    key = make_card_key("a", "w")
    with pytest.raises(LookupError) as error:
        made.paint(key, 60, 12, focused=True)
    broken = made.paint_error(key, 60, 12, error.value, focused=True)  # type: ignore[arg-type]
    assert "all histograms are at steps below 99" in picture(broken)
    opened = made.open_error(key, 80, 20, ValueError("what?"))
    assert "cannot be drawn: ValueError: what?" in picture(opened.picture)
    assert opened.picture.width == 80


edges = st.one_of(st.floats(-1e307, 1e307), st.floats(-3, 3), st.sampled_from([0.0, 1.0, -1.0, 5e-324, 1e-12]))


@st.composite
def histograms(draw: st.DrawFn) -> Any:
    if draw(st.integers(0, 6)) == 0:
        return LOST
    ends = sorted(draw(st.lists(edges, max_size=8)))
    counts = draw(
        st.lists(
            st.sampled_from([0.0, 0.5, 1.0, 3.0, 1e12]), min_size=max(len(ends) - 1, 0), max_size=max(len(ends) - 1, 0)
        )
    )
    return np.column_stack([ends[:-1], ends[1:], counts]) if counts else np.zeros((0, 3))


@st.composite
def made_runs(draw: st.DrawFn) -> dict[str, dict[str, Made]]:
    runs = {}
    for name in "ab"[: draw(st.integers(1, 2))]:
        held = draw(st.lists(histograms(), min_size=1, max_size=7))
        steps = draw(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=len(held), max_size=len(held), unique=True))
        if draw(st.booleans()):
            steps = list(range(len(held)))
        times = draw(st.lists(st.floats(0, 2e9) | st.just(float("nan")), min_size=len(held), max_size=len(held)))
        runs[name] = {"w": Made(held, steps, times)}
    return runs


@settings(max_examples=examples(120), suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(
    made_runs(),
    st.fixed_dictionaries(
        {},
        optional={
            "histogram_look": st.sampled_from(["heat", "ridges", "overlay"]),
            "heat_scale": st.sampled_from(["log", "linear"]),
            "x_axis": st.sampled_from(["step", "relative", "wall"]),
            "x_scale": st.sampled_from(["linear", "log", "symlog"]),
            "y_scale": st.sampled_from(["linear", "log", "symlog"]),
            "outliers": st.sampled_from(["auto", "ignore", "keep"]),
            "runs_together": st.booleans(),
            "superseded": st.booleans(),
            "overview": st.booleans(),
            "bucket_rows": st.booleans(),
            "cursor": st.floats(-1e19, 1e19),
            "baseline": st.sampled_from(["a", "b"]),
            "row_order": st.sampled_from(["runs", "ascending", "nearest"]),
        },
    ),
    st.sampled_from([(26, 6), (60, 12), (130, 30)]),
    st.booleans(),
)
def test_any_recorded_histogram_is_drawn(
    runs: dict[str, dict[str, Made]], settings: dict[str, Any], size: tuple[int, int], by_hand: bool
) -> None:
    if "cursor" in settings:
        settings["mark"] = settings["cursor"] / 2
    if by_hand:
        own = ChartSettings(x_range=(0.0, 3.0), y_range=(-0.5, None))
        settings["charts"] = dict.fromkeys(("w", make_card_key("a", "w")), own)
    made = painter(runs, **settings)
    for key in made.cards.keys:
        assert size_of(made.paint(key, *size, focused=True).cells) == size
        opened = made.open(key, *size)
        assert opened.picture.width == size[0]
        made.pick(opened, size[0] // 2, size[1] // 3)
