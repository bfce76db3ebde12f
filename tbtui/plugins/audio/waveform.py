"""Draw a sound as cells: its waveform, its spectrogram, or both over the same time."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.axis import Axis
from tbtui.charts.cells import Cells, Ink
from tbtui.charts.chart_layout import PlotArea
from tbtui.charts.text import fit, safe, write
from tbtui.maths.sound import choose_window_frames, compute_spectrogram, find_column_extremes, find_loudest
from tbtui.plugins.audio.chart import (
    draw_frame,
    draw_legend,
    draw_spectrum,
    draw_unit,
    draw_wave,
    lay_out_panels,
    mark_clipped,
)
from tbtui.settings.settings import apply_range, convert_range

if TYPE_CHECKING:
    from tbtui.maths.sound import Envelope, Frames
    from tbtui.plugins.audio.read import LoadedSound
    from tbtui.plugins.audio.settings import AudioStyle
    from tbtui.settings.settings import Range


MIN_LANES_HEIGHT = 8
"""Minimum rows in which two channels are drawn one above the other; in fewer rows they are mixed."""

MIN_BOTH_HEIGHT = 9
"""Minimum rows in which an opened sound shows waveform and spectrogram one above the other."""

LARGER = 0.6
"""Share of the height for the selected one of the two."""

_LIMITS = (1.0, 2.0, 5.0)

_ROOM = 1.06
"""Factor by which the axis exceeds a round number: a sound at full scale does not look clipped."""


def time_axis(seconds: float, chosen: Range) -> Axis:
    """Return the time axis: the whole sound, or the part set by hand."""
    limits = apply_range((0.0, max(seconds, 1e-9)), convert_range(chosen, "linear"), "linear")
    return Axis(*limits, kind="duration" if limits[1] - limits[0] >= 1e-5 else "number")


def build_level_axis(peak: float) -> Axis:
    """Return the axis of a waveform: a round number above its peak; full scale for a peak close to it."""
    if not peak > 0:
        return Axis(-_ROOM, _ROOM)
    power = 10.0 ** math.floor(math.log10(peak))
    limit = next((each * power for each in _LIMITS if each * power >= peak * 0.999), 10 * power)
    return Axis(-_ROOM * limit, _ROOM * limit)


def draw_message(why: str, width: int, height: int) -> Cells:
    """Return a message in place of a picture, wrapped."""
    cells = Cells.blank(max(height, 0), max(width, 0))
    lines = textwrap.wrap(safe(why), max(width - 2, 1))
    for y, line in enumerate(lines, max(min(height // 3, height - len(lines)), 0)):
        write(cells, y, 1, fit(line, width - 2), Ink.WARN)
    return cells


def create_empty_plot(width: int, height: int) -> PlotArea:
    """Return the plot area of a missing picture, so that the cursor can still move."""
    return PlotArea(0, 0, max(width, 1), max(height, 1), Axis(0.0, 1.0, kind="duration"), Axis(-1.0, 1.0), turned=True)


def draw_sound(
    sound: LoadedSound,
    style: AudioStyle,
    width: int,
    height: int,
    ink: int,
    selected_range: Range,
    *,
    both: bool = False,
) -> tuple[Cells, PlotArea]:
    """Draw a sound; return its cells and the plot area of its time axis.

    Args:
        sound: The sound.
        style: The picture that is drawn, or that has more room.
        width: Columns; at least 1, likewise rows.
        height: Rows.
        ink: Series ink of the run.
        selected_range: Ends of the time that is shown, set by hand.
        both: Draw the other picture too, where there is room.
    """
    wav, summed = sound.wav, sound.summed
    if wav is None or summed is None:
        return draw_message(sound.error, width, height), create_empty_plot(width, height)
    if style == "auto":
        style = (
            "spectrogram"
            if all(is_block(summed, wav, wav.seconds, lane) for lane in ((1, 2) if wav.channels == 2 else (0,)))
            else "waveform"
        )
    wave_share = _choose_wave_height(style, height, both=both)
    lanes = [] if not wave_share else [1, 2] if wav.channels == 2 and wave_share * height >= MIN_LANES_HEIGHT else [0]
    x_axis, level, pitch = (
        time_axis(wav.seconds, selected_range),
        build_level_axis(summed.peak),
        Axis(0.0, wav.rate / 2),
    )
    y_axes = [*(level for _ in lanes), *([pitch] if wave_share < 1 else [])]
    shares = [*(wave_share / len(lanes) for _ in lanes), *([1 - wave_share] if wave_share < 1 else [])]
    panels = lay_out_panels(x_axis, y_axes, shares, width, height, colours=wave_share < 1)
    cells = draw_frame(panels)
    for lane, panel in zip(lanes, panels.panels, strict=False):
        low, high = find_column_extremes(summed, wav, panel.column_edges, lane)
        draw_wave(cells, panel, low, high, ink)
        if summed.clipped:
            mark_clipped(cells, panel, (low <= -wav.clip_level) | (high >= wav.clip_level))
        if len(lanes) > 1:
            write(cells, panel.plot.top, panel.plot.left + 1, "LR"[lane - 1], Ink.DIM)
    if wave_share < 1:
        panel = panels.panels[-1]
        levels = compute_spectrogram(wav, panel.time_edges, choose_window_frames(wav.rate))
        draw_unit(cells, panel, "Hz")
        draw_spectrum(cells, panel, find_loudest(levels, wav.rate, panel.row_edges), sound.loudest)
        if panels.margin:
            draw_legend(cells, panel, sound.loudest)
    return cells, panels.plot


BLOCK_EDGES = 33
"""Edges of the parts in which the heights of a waveform are compared."""

MAX_BLOCK_DEVIATION = 0.05
"""A waveform whose heights deviate by at most this part of their mean is a block, which says nothing of the sound."""


def is_block(summed: Envelope, wav: Frames, seconds: float, lane: int) -> bool:
    """Return True if a waveform is as high everywhere, as that of a steady tone or of noise is."""
    low, high = find_column_extremes(summed, wav, np.linspace(0.0, seconds, BLOCK_EDGES), lane)
    heights = (high - low)[np.isfinite(high - low)]
    mean = float(heights.mean()) if len(heights) else 0.0
    return mean > 0 and float(heights.std()) <= MAX_BLOCK_DEVIATION * mean


def _choose_wave_height(style: AudioStyle, height: int, *, both: bool) -> float:
    """Return the share of the height for the waveform."""
    if both and height >= MIN_BOTH_HEIGHT:
        return LARGER if style == "waveform" else 1 - LARGER
    return float(style == "waveform")
