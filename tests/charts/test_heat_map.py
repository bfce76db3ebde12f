"""Heat maps, told by glyphs where a picture is easier to read than inks are."""

from __future__ import annotations

import math
from datetime import timezone
from textwrap import dedent
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.charts.axis import Axis
from tbtui.charts.cells import HEAT_FROM, HEAT_LEVELS, WARM_FROM, Cells, Ink, to_heat_inks, to_warm_inks
from tbtui.charts.heat_levels import LEGEND_WIDTH
from tbtui.charts.heat_map import HeatLayout, HeatMap, HeatPicture, draw_heat_map, lay_out_heat_map
from tbtui.charts.line_chart import RESTART_SIGN, LineChart, Sign, plot_area
from tbtui.charts.monochrome import shade_monochrome

if TYPE_CHECKING:
    from tbtui.charts.heat_levels import ColourSpacing
    from tbtui.maths.domain import Scale

STEPS, VALUES = Axis(0, 100, kind="step"), Axis(-1, 1)
MOST = HEAT_LEVELS - 1


def normal(layout: HeatLayout, deviations: np.ndarray) -> np.ndarray:
    """Shares of values that spread as given, one row a step; bins that few would fall into are empty."""
    below = [[(1 + math.erf(edge / spread)) / 2 for edge in layout.bin_edges] for spread in deviations.tolist()]
    shares = np.diff(below, axis=1)
    return np.where(shares > 1e-3, shares, 0.0)


def spreading(width: int, height: int, steps: int = 51, scale: ColourSpacing = "linear", **more: object) -> HeatPicture:
    """Values that spread from step 0 to step 100."""
    layout = lay_out_heat_map(STEPS, VALUES, width, height)
    shares = normal(layout, np.linspace(0.05, 0.4, steps))
    return draw_heat_map(HeatMap(np.linspace(0, 100, steps), shares, scale, **more), layout)  # type: ignore[arg-type]


def told(cells: Cells) -> str:
    """A picture as text, as a text in a test has it."""
    lines = shade_monochrome(cells).text().split("\n")
    return dedent("\n" + "\n".join(line.rstrip() for line in lines) + "\n")


def test_a_heat_map_with_its_legend() -> None:
    assert told(spreading(64, 16, scale="log").at()) == dedent("""
         1.0 ┤                                               ██ 50 %
             │                                       ·····░░ ██
             │                              ····░░░░░░░░░░░░ ██
         0.5 ┤                    ····░░░░░░░░░▒▒▒▒▒▒▒▒▒▒▒▒▒ ▓▓
             │           ····░░░░▒▒▒▒▒▒▒▒▒▒▒▒▒▒▓▓▓▓▓▓▓▓▓▓▓▓▓ ▓▓ 5 %
             │  ··░░░░▒▒▒▒▒▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓ ▓▓
             │▓████████████████████████████████▓▓▓▓▓▓▓▓▓▓▓▓▓ ▒▒
         0.0 ┤▓████████████████████████████████▓▓▓▓▓▓▓▓▓▓▓▓▓ ▒▒
             │  ··░░░░▒▒▒▒▒▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓ ▒▒
             │           ····░░░░▒▒▒▒▒▒▒▒▒▒▒▒▒▒▓▓▓▓▓▓▓▓▓▓▓▓▓ ░░ .5 %
        -0.5 ┤                    ····░░░░░░░░░▒▒▒▒▒▒▒▒▒▒▒▒▒ ░░
             │                              ····░░░░░░░░░░░░ ··
             │                                       ·····░░ ··
        -1.0 ┤                                               ·· .05 %
             └┬────────┬────────┬────────┬────────┬────────┬
              0        20       40       60       80     100
        """)


def test_a_cursor_and_a_mark() -> None:
    assert told(spreading(44, 14).at(20.0, 70.0)) == dedent("""
         1.0 ┤       ╎                  ╎
             │       ╎                  ╎  ·········
             │       ╎            ······│···········
         0.5 ┤       ╎    ··············│···········
             │   ····│··················│···········
             │▒▒▒▒▒▒▒│▒▒▒▒▒▒▒▒░░░░░░░░░░│░░░░░░░░░░░
         0.0 ┤▒▒▒▒▒▒▒│▒▒▒▒▒▒▒▒░░░░░░░░░░│░░░░░░░░░░░
             │   ····│··················│···········
        -0.5 ┤       ╎    ··············│···········
             │       ╎            ······│···········
             │       ╎                  ╎  ·········
        -1.0 ┤       ╎                  ╎
             └┬──────┼━━━━━━━━━━━━━━━━━━┼───┬──────┬
              0      20      40     60  70  80   100
        """)


def test_a_pause_refused_histograms_and_a_restart() -> None:
    layout = lay_out_heat_map(STEPS, VALUES, 44, 10)
    x = np.array([*range(0, 30, 2), *range(60, 91, 2)], np.float64)
    shares = normal(layout, np.full(len(x), 0.3))
    shares[[3, *range(20, 24), *range(28, 31)]] = np.nan
    picture = draw_heat_map(HeatMap(x, shares, signs=(Sign(60, RESTART_SIGN, 0),)), layout)
    assert told(picture.at()) == dedent("""
         1.0 ┤
             │·· ········           ····   ···
         0.5 ┤·· ········           ····   ···
             │▒▒ ▒▒▒▒▒▒▒▒           ▒▒▒▒   ▒▒▒
         0.0 ┤▓▓ ▓▓▓▓▓▓▓▓           ▓▓▓▓   ▓▓▓
             │▒▒ ▒▒▒▒▒▒▒▒           ▒▒▒▒   ▒▒▒
        -0.5 ┤·· ········           ····   ···
             │·· ········           ····   ···
        -1.0 ┤  ✗                   ↻   ✗╌╌   ✗╌╌
              0      20      40     60      80   100
        """)


def test_small_pictures_give_up_the_legend_first() -> None:
    wide, narrow = lay_out_heat_map(STEPS, VALUES, 60, 8), lay_out_heat_map(STEPS, VALUES, 59, 8)
    assert wide.has_legend
    assert wide.plot.left + wide.plot.width == 60 - LEGEND_WIDTH
    assert not narrow.has_legend
    assert narrow.plot.left + narrow.plot.width == 59
    assert not lay_out_heat_map(STEPS, VALUES, 60, 7).has_legend
    assert narrow.plot == plot_area(LineChart((), STEPS, VALUES), 59, 8)


@pytest.mark.parametrize("axis", [VALUES, Axis(1e-3, 1e3, "log"), Axis(-1e4, 1e4, "symlog", threshold=0.1)])
def test_bins_are_the_rows_of_pixels(axis: Axis) -> None:
    layout = lay_out_heat_map(STEPS, axis, 80, 24)
    plot, edges = layout.plot, layout.bin_edges
    assert len(edges) == 2 * plot.height + 1
    assert np.all(np.diff(edges) > 0)
    assert edges[0] < axis.low
    assert edges[-1] > axis.high
    for row in range(plot.height):
        least = edges[2 * (plot.height - 1 - row)]
        greatest = edges[2 * (plot.height - row)]
        middle = plot.get_y(plot.top + row)
        assert least < middle < greatest
        assert plot.row(middle) == plot.top + row
    places = axis.unit(edges)
    assert np.allclose(np.diff(places), places[1] - places[0])


@pytest.mark.parametrize("high", [1.7e308, 1e-300])
def test_bins_of_extreme_axes_are_finite(high: float) -> None:
    edges = lay_out_heat_map(STEPS, Axis(-high, high), 30, 10).bin_edges
    assert np.isfinite(edges).all()
    assert np.all(np.diff(edges) >= 0)


def test_what_has_the_most_in_it_has_the_last_level() -> None:
    layout = lay_out_heat_map(STEPS, VALUES, 20, 3)
    shares = np.zeros((1, 6))
    shares[0, 2:4] = 0.5
    picture = draw_heat_map(HeatMap(np.array([50.0]), shares), layout)
    plot, cells = layout.plot, picture.at()
    column = plot.column(50)
    assert cells.inks[:3, column].tolist() == [Ink.NONE, to_heat_inks(MOST, MOST), Ink.NONE]
    assert picture.scale.top == 0.5


def test_a_single_value_is_seen_among_millions() -> None:
    layout = lay_out_heat_map(STEPS, VALUES, 20, 3)
    shares = np.array([[1e-9, 0, 0, 1 - 1e-9, 0, 0]])
    cells = draw_heat_map(HeatMap(np.array([50.0]), shares), layout).at()
    column = layout.plot.column(50)
    assert cells.inks[:3, column].tolist() == [Ink.NONE, to_heat_inks(MOST, 0), to_heat_inks(1, 0)]
    assert [chr(glyph) for glyph in cells.glyphs[:3, column]] == [" ", "▀", "▄"]


def test_a_top_may_be_shared_by_several() -> None:
    one = spreading(40, 12, top=0.9)
    assert one.scale.top == 0.9
    assert not one.scale.exceeded
    assert spreading(40, 12, top=0.01).scale.exceeded


def test_the_column_under_the_cursor_keeps_what_it_shows_in_other_colours() -> None:
    picture = spreading(70, 20)
    plain, cursor = picture.at(), picture.at(40.0)
    plot = picture.layout.plot
    column = plot.column(40)
    rows = slice(plot.top, plot.top + plot.height)
    before, after = plain.inks[rows, column], cursor.inks[rows, column]
    coloured = before >= HEAT_FROM
    assert 3 < np.count_nonzero(coloured) < plot.height
    assert np.array_equal(after[coloured], to_warm_inks(before[coloured]))
    assert np.array_equal(plain.glyphs[rows, column][coloured], cursor.glyphs[rows, column][coloured])
    assert set(after[~coloured].tolist()) == {Ink.ACCENT}
    others = np.arange(plain.width) != column
    assert np.array_equal(plain.inks[rows, others], cursor.inks[rows, others])
    assert np.array_equal(picture.at().inks, plain.inks)


def test_cursor_and_mark_may_be_in_one_column_or_out_of_sight() -> None:
    picture = spreading(70, 20)
    assert np.array_equal(picture.at(40.0, 40.0).inks[:18], picture.at(40.0).inks[:18])
    assert np.array_equal(picture.at(400.0, -3.0).inks[:18], picture.at().inks[:18])
    assert picture.at().inks.max() < WARM_FROM


def test_bins_of_another_layout_are_refused() -> None:
    layout = lay_out_heat_map(STEPS, VALUES, 40, 10)
    with pytest.raises(ValueError, match="7 bins in a layout of 18"):
        draw_heat_map(HeatMap(np.zeros(1), np.zeros((1, 7))), layout)


def test_nothing_but_refused_histograms() -> None:
    layout = lay_out_heat_map(STEPS, VALUES, 30, 6)
    shares = np.full((3, len(layout.bin_edges) - 1), np.nan)
    rows = shade_monochrome(draw_heat_map(HeatMap(np.array([0.0, 50, 100]), shares), layout).at()).text().split("\n")
    plot = layout.plot
    assert rows[plot.height - 1][plot.left :] == "✗" + "╌" * (plot.width - 1)


def test_no_histograms_leave_axes_and_legend() -> None:
    layout = lay_out_heat_map(STEPS, VALUES, 70, 12, timezone.utc)
    picture = draw_heat_map(HeatMap(np.zeros(0), np.zeros((0, len(layout.bin_edges) - 1))), layout)
    assert "100 %" in told(picture.at(50.0))


@given(
    st.integers(1, 90),
    st.integers(1, 30),
    st.lists(st.integers(-20, 120), max_size=30),
    st.sampled_from(["linear", "log", "symlog"]),
    st.sampled_from(["linear", "log", "symlog"]),
    st.sampled_from(["linear", "log"]),
    st.data(),
)
def test_any_picture_of_any_size_shows_what_there_is(
    width: int,
    height: int,
    steps: list[int],
    across: Scale,
    up: Scale,
    spacing: ColourSpacing,
    data: st.DataObject,
) -> None:
    layout = lay_out_heat_map(Axis(1, 100, across, "step"), Axis(0.5, 50, up), width, height)
    bins = len(layout.bin_edges) - 1
    x = np.sort(np.array(steps, np.float64))
    filled = data.draw(st.lists(st.integers(0, bins - 1), min_size=len(x), max_size=len(x)))
    shares = np.zeros((len(x), bins))
    shares[np.arange(len(x)), filled] = 1
    cells = draw_heat_map(HeatMap(x, shares, spacing), layout).at(50.0, 3.0)
    assert (cells.height, cells.width) == (height, width)
    plot = layout.plot
    for place, which in zip(x.tolist(), filled, strict=True):
        if (column := plot.column(place)) is not None:
            assert cells.inks[plot.top + plot.height - 1 - which // 2, column] >= HEAT_FROM
