"""Pictures of a sound: time stands alike in all of them, loud is bright, and every size is drawn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.charts.axis import Axis
from tbtui.charts.cells import HEAT_FROM, HEAT_LEVELS, Ink
from tbtui.plugins.audio.chart import draw_frame, draw_legend, draw_spectrum, draw_wave, lay_out_panels

TIME = Axis(0.0, 2.0, kind="duration")
LEVEL, PITCH = Axis(-1.0, 1.0), Axis(0.0, 22_050.0)


@pytest.mark.parametrize("height", [12, 20, 40])
def test_time_stands_in_the_same_columns_of_all_panels_below_one_another(height: int) -> None:
    panels = lay_out_panels(TIME, (LEVEL, LEVEL, PITCH), (0.3, 0.3, 0.4), 90, height, colours=True)
    plots = [panel.plot for panel in panels.panels]
    assert len({(plot.left, plot.width) for plot in plots}) == 1
    assert [plot.top for plot in plots[1:]] == [plot.top + plot.height for plot in plots[:-1]]
    assert panels.plot.height == sum(plot.height for plot in plots)
    assert panels.plot.turned
    assert panels.plot.along is None
    text = draw_frame(panels).text()
    assert text.count("1.5s") == 1
    assert "20000" in text


def test_a_waveform_reaches_from_its_least_to_its_greatest() -> None:
    panels = lay_out_panels(TIME, (LEVEL,), (1.0,), 12, 3, colours=False)
    cells = draw_frame(panels)
    (panel,) = panels.panels
    low, high = np.full(24, -1.0), np.full(24, 1.0)
    low[2:4], high[2:4] = 0.0, 0.0
    low[4:6] = high[4:6] = np.nan
    draw_wave(cells, panel, low, high, 7)
    rows = cells.text().split("\n")
    assert [row[:3] for row in rows] == ["⣿  ", "⣿⠤ ", "⣿  "] or [row[:3] for row in rows] == ["⣿  ", "⣿⠒ ", "⣿  "]
    assert cells.inks[0, 0] == 7
    assert cells.inks[0, 2] == Ink.NONE


def test_louder_is_further_along_the_colours_and_silence_has_none() -> None:
    panels = lay_out_panels(TIME, (PITCH,), (1.0,), 12, 1, colours=False)
    cells = draw_frame(panels)
    levels = np.full((12, 2), -200.0)
    levels[3:6], levels[6:9], levels[9:] = -60, 0, np.nan
    draw_spectrum(cells, panels.panels[0], levels, 0.0)
    brightness = (cells.inks[0] - HEAT_FROM) % HEAT_LEVELS
    assert (cells.inks[0, [0, 1, 2, 9, 10, 11]] == Ink.NONE).all()
    assert brightness[7] == HEAT_LEVELS - 1
    assert 0 < brightness[4] < HEAT_LEVELS / 2


@given(st.integers(1, 130), st.integers(1, 50), st.integers(1, 3), st.booleans())
def test_every_size_is_drawn(width: int, height: int, count: int, colours: bool) -> None:
    count = min(count, height)
    axes = (*([LEVEL] * (count - 1)), PITCH)
    panels = lay_out_panels(TIME, axes, (1 / count,) * count, width, height, colours=colours)
    cells = draw_frame(panels)
    for panel in panels.panels:
        plot = panel.plot
        assert plot.height >= 1
        assert plot.width >= 1
        assert len(panel.time_edges) == plot.width + 1
        assert len(panel.row_edges) == 2 * plot.height + 1
        draw_wave(cells, panel, np.full(2 * plot.width, -0.5), np.full(2 * plot.width, 9.0), 3)
        draw_spectrum(cells, panel, np.zeros((plot.width, 2 * plot.height)), 0.0)
    if panels.margin:
        draw_legend(cells, panels.panels[-1], 0.0)
        assert "0dB" in cells.text()
    assert (cells.height, cells.width) == (height, width)
