"""Heat maps of histograms: steps across, values down, the share of each bin as its colour.

A cell shows two pixels, one above the other. A column shows the mean of its steps, or the step that reaches into it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, TypeVar

import numpy as np

from tbtui.charts.annotations import draw_cursor
from tbtui.charts.axis import DOTS_ACROSS, DOTS_DOWN, across, value_down
from tbtui.charts.cells import HEAT_FROM, HEAT_LEVELS, Cells, Ink, heat, warm
from tbtui.charts.chart_layout import chart_layout, draw_axes
from tbtui.charts.line_chart import NAN_SIGN, draw_signs
from tbtui.charts.numbers import short
from tbtui.charts.text import fit, write
from tbtui.frozen import frozen

if TYPE_CHECKING:
    from datetime import tzinfo

    import numpy.typing as npt

    from tbtui.charts.axis import Axis
    from tbtui.charts.chart_layout import Layout, PlotArea
    from tbtui.charts.line_chart import Sign


AnyNumber = TypeVar("AnyNumber", bound="np.number[Any]")

TOLERANCES = (1.0, 2.0, 4.0)
"""Levels that a pixel may be off, so that more neighbours share a colour and the picture takes fewer bytes. The first
is invisible and halves a picture of many histograms; the others are for noisy pictures, which hide them."""

MAX_RUNS_PER_CELL, MAX_RUNS_SMALL_MAP = 0.16, 200
"""Runs of equal cells, as a part of all cells and (in a small picture) in all, up to which the next tolerance is not
needed; each run takes about 40 bytes to the terminal."""

UPPER, LOWER, BLANK = ord("▀"), ord("▄"), 32

_APART = -1000.0
"""Replaces level 0 in comparisons: empty and non-empty pixels never share a run."""


def draw_heat_levels(levels: npt.NDArray[np.int16]) -> Cells:
    """Return cells [height, width] from levels [2 height, width], the top row first.

    A cell of one colour is a blank on it. A cell with an empty upper pixel has its glyph below, because the background
    of the theme cannot be the colour of a glyph.
    """
    over, under = levels[::2], levels[1::2]
    falls = (over == 0) & (under > 0)
    inks = np.where(falls, heat(under, over), heat(over, under))
    inks[(over == 0) & (under == 0)] = Ink.NONE
    glyphs = np.select([over == under, falls], [BLANK, LOWER], UPPER)
    return Cells(glyphs.astype(np.uint32), inks)


def round_levels(levels: npt.NDArray[np.float64]) -> npt.NDArray[np.int16]:
    """Round fractional levels, in runs along each row of cells.

    From the left, a run continues while neither its upper pixels nor its lower ones spread over more than twice the
    tolerance; all pixels of a run get the level in the middle of the spread.

    Args:
        levels: float64[2 height, width]; 0 is empty and stays so, anything else is at least 1.

    Returns:
        int16[2 height, width].
    """
    height, width = len(levels) // 2, levels.shape[1]
    pairs = levels.reshape(height, 2, width).transpose(1, 0, 2)
    columns = np.where(pairs > 0, pairs, _APART).transpose(2, 0, 1).copy()
    for tolerance in TOLERANCES:
        begins = run_starts(columns, 2 * tolerance)
        starts = np.flatnonzero(begins)
        if len(starts) <= max(MAX_RUNS_PER_CELL * begins.size, MAX_RUNS_SMALL_MAP):
            break
    flat = pairs.reshape(2, -1)
    middles = (np.minimum.reduceat(flat, starts, axis=1) + np.maximum.reduceat(flat, starts, axis=1)) / 2
    whole = np.repeat(np.rint(middles).astype(np.int16), np.diff(starts, append=begins.size), axis=1)
    return np.asarray(whole.reshape(2, height, width).transpose(1, 0, 2).reshape(2 * height, width))


def run_starts(columns: npt.NDArray[AnyNumber], spread: float) -> npt.NDArray[np.bool_]:
    """Return where runs of similar cells begin, from the left of each row.

    Args:
        columns: [width, parts, height]: each cell has `parts` numbers.
        spread: Maximum distance of numbers within a run.

    Returns:
        bool[height, width].
    """
    begins = np.ones((columns.shape[2], len(columns)), np.bool_)
    low = high = columns[0]
    for index in range(1, len(columns)):
        column = columns[index]
        low, high = np.minimum(low, column), np.maximum(high, column)
        begins[:, index] = fresh = (high - low > spread).any(axis=0)
        low, high = np.where(fresh, column, low), np.where(fresh, column, high)
    return begins


ColourSpacing: TypeAlias = Literal["linear", "log"]

LOG_DECADES = 3
"""Decades of a log scale below its top; smaller shares have the lowest level."""

TOP_QUANTILE = 0.9
"""Part of the columns whose greatest share is not above the top, so that a first step of zeros does not darken all
others."""

MAX_ZERO_SHARE = 1e-12
"""Shares up to here are rounding errors of 0."""

STRIP_WIDTH, LABEL_WIDTH = 2, 8
LEGEND_WIDTH = 1 + STRIP_WIDTH + 1 + LABEL_WIDTH
"""Width with a blank before the strip and one before its labels."""

_ROUND = (1.0, 1.5, 2.0, 3.0, 5.0, 7.5, 10.0)


@frozen
class ColourScale:
    """Map from shares to levels."""

    top: float
    """Share of the last level, above 0 and at most 1; larger shares have the last level too."""

    spacing: ColourSpacing = "linear"
    exceeded: bool = False
    """True if there are larger shares."""

    def levels(self, shares: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return fractional levels of the colour map: 0 for empty bins, otherwise 1 to `HEAT_LEVELS` - 1."""
        some = shares > MAX_ZERO_SHARE
        places = shares / self.top
        if self.spacing == "log":
            places = 1 + np.log10(places, out=np.zeros_like(places), where=some) / LOG_DECADES
        return np.where(some, 1 + (HEAT_LEVELS - 2) * np.clip(places, 0, 1), 0)

    def labels(self, height: int) -> list[tuple[int, str]]:
        """Return row and text of each label beside a strip of `height` rows, from the top down."""
        if self.spacing == "log":
            shares = [self.top * 10.0**-decade for decade in range(LOG_DECADES + 1)]
        else:
            shares = [self.top, self.top / 2, 0.0]
        rows = np.rint(np.linspace(0, height - 1, len(shares))).astype(int).tolist()
        texts = [_percent(share) for share in shares]
        if self.exceeded:
            texts[0] = "≥" + texts[0]
        return list(zip(rows, texts, strict=True))


def colour_scale(
    shares: npt.NDArray[np.float64], spacing: ColourSpacing = "linear", top: float | None = None
) -> ColourScale:
    """Return the colour scale of visible columns.

    Args:
        shares: float64[columns, bins], without NaN.
        spacing: Spacing of the levels.
        top: Share of the last level, such as one that several heat maps share; None: a round one that suits most
            columns.
    """
    greatest = shares.max(axis=1, initial=0)
    greatest = greatest[greatest > MAX_ZERO_SHARE]
    if top is None:
        top = _rounded_up(float(np.quantile(greatest, TOP_QUANTILE))) if len(greatest) else 1.0
    return ColourScale(top, spacing, bool(greatest.max(initial=0) > top))


def _rounded_up(share: float) -> float:
    power = math.floor(math.log10(share))
    rounded = (float(f"{each}e{power}") for each in _ROUND)
    return min(next(each for each in rounded if each >= share * (1 - 1e-9)), 1.0)


def _percent(share: float) -> str:
    if share == 0:
        return ">0 %"
    text = short(float(f"{100 * share:.2g}")).removeprefix("0")
    return f"{text} %" if len(text) < LABEL_WIDTH - 2 else f"{text}%"


def draw_legend(cells: Cells, scale: ColourScale, top: int, left: int, height: int) -> None:
    """Draw a strip of all colours, `height` rows high, and its labels into `LEGEND_WIDTH` columns from `left`."""
    levels = np.rint(np.linspace(HEAT_LEVELS - 1, 1, 2 * height)).astype(np.int16)
    strip = draw_heat_levels(np.repeat(levels[:, None], STRIP_WIDTH, axis=1))
    area = (slice(top, top + height), slice(left + 1, left + 1 + STRIP_WIDTH))
    cells.glyphs[area], cells.inks[area] = strip.glyphs, strip.inks
    for row, text in scale.labels(height):
        write(cells, top + row, left + STRIP_WIDTH + 2, fit(text, LABEL_WIDTH).rstrip(), Ink.DIM)


PAUSE_FACTOR = 5
"""A distance between steps of more than this many usual distances is a pause, which stays blank."""

NEIGHBOUR_GAPS = 3
"""Distances on either side that define the usual one: few, because some runs write ever more rarely."""

LONE_STEP_PART = 1 / 16
"""Part of the width that a step without neighbours reaches to either side."""


class HeatColumns(NamedTuple):
    """Content of each column."""

    shares: npt.NDArray[np.float64]
    """float64[width, bins]: the mean of its steps; zeros without steps."""

    refused: npt.NDArray[np.bool_]
    """bool[width]: whether one of its steps has no histogram."""


def heat_columns(x: npt.NDArray[np.float64], shares: npt.NDArray[np.float64], axis: Axis, width: int) -> HeatColumns:
    """Distribute steps over columns.

    A column with steps shows their mean, which is a distribution again. Any other column shows the step that reaches
    into it: each reaches half way to its neighbours, and at a pause only as far as is usual beside it.

    Args:
        x: float64[n], ascending on the axis; NaN and values that the scale cannot show are dropped.
        shares: float64[n, bins]; a row of NaN is not a histogram.
        axis: The horizontal axis.
        width: Columns of the plot.
    """
    places = (across(axis, x, width) + 0.5) / DOTS_ACROSS
    known = np.isfinite(places)
    if not known.all():
        x, places, shares = x[known], places[known], shares[known]
    columns = HeatColumns(np.zeros((width, shares.shape[1])), np.zeros(width, np.bool_))
    if not len(places):
        return columns
    first, end = np.searchsorted(places, (0, width)).tolist()
    at = places[first:end].astype(np.intp)
    starts = np.flatnonzero(np.diff(at, prepend=-1))
    filled = at[starts]
    columns.shares[filled], columns.refused[filled] = _means(shares[first:end], starts)
    free = np.flatnonzero(np.bincount(filled, minlength=width) == 0)
    owners = _owners(x, places, free.astype(np.float64) + 0.5, width)
    reached, owners = free[owners >= 0], owners[owners >= 0]
    columns.shares[reached], columns.refused[reached] = _means(shares[owners], np.arange(len(owners)))
    return columns


def _means(
    shares: npt.NDArray[np.float64], starts: npt.NDArray[np.intp]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Return the mean of each group of rows that begins at `starts`, and which groups have rows of NaN."""
    if not len(starts):
        return np.zeros((0, shares.shape[1])), np.zeros(0, np.bool_)
    bad = np.isnan(shares[:, 0])
    if bad.any():
        shares = np.where(bad[:, None], 0.0, shares)
    counts = np.add.reduceat(~bad, starts, dtype=np.intp)
    sizes = np.diff(starts, append=len(shares))
    return np.add.reduceat(shares, starts, axis=0) / np.maximum(counts, 1)[:, None], counts < sizes


def _owners(
    x: npt.NDArray[np.float64],
    places: npt.NDArray[np.float64],
    middles: npt.NDArray[np.float64],
    width: int,
) -> npt.NDArray[np.intp]:
    """Return the step that reaches to each of some places; -1: none."""
    after = np.searchsorted(places, middles)
    before = after - 1
    left, right = np.maximum(before, 0), np.minimum(after, len(places) - 1)
    to_left = np.where(before < 0, np.inf, middles - places[left])
    to_right = np.where(after == len(places), np.inf, places[right] - middles)
    owners = np.where(to_left <= to_right, left, right)
    reach = _reach(x, places, before, width)
    return np.where(np.minimum(to_left, to_right) <= reach, owners, -1)


def _reach(
    x: npt.NDArray[np.float64], places: npt.NDArray[np.float64], gaps: npt.NDArray[np.intp], width: int
) -> npt.NDArray[np.float64]:
    """Return how far steps reach into gaps; gap i is between step i and the next, -1 before the first."""
    if len(places) == 1:
        return np.full(len(gaps), max(width * LONE_STEP_PART, 1.0))
    seen, which = np.unique(gaps, return_inverse=True)
    usual = _usual(np.diff(places), seen)
    inner = np.clip(seen, 0, len(places) - 2)
    wide = (np.diff(x)[inner] > PAUSE_FACTOR * _usual(np.diff(x), seen)) & (
        np.diff(places)[inner] > PAUSE_FACTOR * usual
    )
    outer = (seen < 0) | (seen == len(places) - 1)
    return np.where(wide | outer, np.maximum(usual / 2, 0.5), np.inf)[which]


def _usual(distances: npt.NDArray[np.float64], gaps: npt.NDArray[np.intp]) -> npt.NDArray[np.float64]:
    """Return the usual distance beside each gap: the greater of the medians before and after it."""
    padded = np.concatenate((np.full(NEIGHBOUR_GAPS + 1, np.nan), distances, np.full(NEIGHBOUR_GAPS + 1, np.nan)))
    padded[padded == 0] = np.nan
    offsets = np.arange(NEIGHBOUR_GAPS)
    middle = gaps[:, None] + NEIGHBOUR_GAPS + 1
    return np.fmax(_median(padded[middle - NEIGHBOUR_GAPS + offsets]), _median(padded[middle + 1 + offsets]))


def _median(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the upper median of each row without its NaNs; NaN for a row of them."""
    ordered = np.sort(values, axis=1)  # NaNs go last
    counts = np.count_nonzero(~np.isnan(ordered), axis=1)
    return np.asarray(ordered[np.arange(len(ordered)), counts // 2])


MIN_LEGEND_WIDTH, MIN_LEGEND_HEIGHT = 60, 8
"""Smaller pictures have no legend."""

BINS_PER_ROW = 2
"""Bins in a row of cells."""

MISSING_SIGN = "╌"
"""Follows the sign in the bottom row while histograms are missing."""


@frozen(eq=False)
class HeatMap:
    """Data of a heat map."""

    x: npt.NDArray[np.float64]
    """float64[n] on the x axis, ascending."""

    shares: npt.NDArray[np.float64]
    """float64[n, bins]: share of the values of each histogram in each bin of the layout, the lowest values first. A row
    of NaN is a histogram that could not be read."""

    scale: ColourSpacing = "linear"
    """Spacing of the colours."""

    top: float | None = None
    """Share of the last colour; None: found by `colour_scale`."""

    signs: tuple[Sign, ...] = ()
    """Signs over the plot, such as restarts."""


@frozen(eq=False)
class HeatLayout:
    """Layout of a heat map of one size, before there is data."""

    chart: Layout
    """Layout of everything except the legend."""

    bin_edges: npt.NDArray[np.float64]
    """float64[bins + 1], ascending: values at the edges of the rows of pixels, two in a row of cells."""

    width: int
    height: int
    legend: bool
    """True if there is room for a legend."""

    zone: tzinfo | None

    @property
    def plot(self) -> PlotArea:
        """Return the area of the data."""
        return self.chart.plot


def heat_layout(x_axis: Axis, y_axis: Axis, width: int, height: int, zone: tzinfo | None = None) -> HeatLayout:
    """Lay out a heat map of `width` x `height` cells, both at least 1.

    Args:
        x_axis: Axis of steps or times.
        y_axis: Axis of values; the height of bins follows its scale.
        width: Columns; where there are too few, the legend is dropped first, then the labels of the y axis.
        height: Rows; where there are too few, the line of the x axis is dropped first, then the legend, then the
            labels.
        zone: Time zone of a wall time axis; None: the zone of the machine.
    """
    legend = width >= MIN_LEGEND_WIDTH and height >= MIN_LEGEND_HEIGHT
    chart = chart_layout(x_axis, y_axis, (), width - legend * LEGEND_WIDTH, height, zone)
    rows = chart.plot.height
    dots = DOTS_DOWN * rows - 0.5 - DOTS_DOWN / BINS_PER_ROW * np.arange(BINS_PER_ROW * rows + 1)
    edges = np.nan_to_num(value_down(y_axis, dots, rows))  # half a dot beyond the greatest of floats is infinite
    return HeatLayout(chart, np.maximum.accumulate(edges), width, height, legend, zone)


@frozen(eq=False)
class HeatPicture:
    """A drawn heat map without its cursor, which can be drawn over it repeatedly."""

    layout: Layout
    scale: ColourScale
    """Meaning of its colours."""

    _cells: Cells
    """Everything except cursor and signs."""

    _zone: tzinfo | None
    _signs: tuple[Sign, ...]

    def at(self, cursor: float | None = None, mark: float | None = None) -> Cells:
        """Return fresh cells with the columns at two x values in warm colours, and lines where these have none.

        Args:
            cursor: x of the cursor; None or a value outside the axis is not drawn.
            mark: x of the other end of a range.
        """
        plot = self.layout.plot
        cells = self._cells.copy()
        rows = slice(plot.top, plot.top + plot.height)
        drawn = cells.inks[rows, plot.left : plot.left + plot.width] != Ink.NONE
        for column in {plot.column(x) for x in (cursor, mark) if x is not None} - {None}:
            inks = cells.inks[rows, column]
            cells.inks[rows, column] = np.where(inks >= HEAT_FROM, warm(inks), inks)
        draw_cursor(cells, self.layout, (cursor, mark), drawn, self._zone)
        draw_signs(cells, self._signs, plot)
        return cells


def heat_picture(heat_map: HeatMap, layout: HeatLayout) -> HeatPicture:
    """Draw a heat map without its cursor.

    Raises:
        ValueError: The bins are not those of the layout.
    """
    if heat_map.shares.shape[1] != len(layout.bin_edges) - 1:
        raise ValueError(f"{heat_map.shares.shape[1]} bins in a layout of {len(layout.bin_edges) - 1}")
    plot = layout.plot
    cells = Cells.blank(layout.height, layout.width)
    draw_axes(cells, layout.chart)
    columns = heat_columns(heat_map.x, heat_map.shares, plot.x_axis, plot.width)
    scale = colour_scale(columns.shares, heat_map.scale, heat_map.top)
    drawn = draw_heat_levels(round_levels(scale.levels(columns.shares).T[::-1]))
    area = (slice(plot.top, plot.top + plot.height), slice(plot.left, plot.left + plot.width))
    cells.glyphs[area], cells.inks[area] = drawn.glyphs, drawn.inks
    _draw_refused(cells, columns.refused, plot)
    if layout.legend:
        draw_legend(cells, scale, plot.top, plot.left + plot.width, plot.height)
    return HeatPicture(layout.chart, scale, cells, layout.zone, heat_map.signs)


def _draw_refused(cells: Cells, refused: npt.NDArray[np.bool_], plot: PlotArea) -> None:
    """Draw a sign where missing histograms begin, and a line as far as they reach."""
    columns = np.flatnonzero(refused)
    begins = np.diff(columns, prepend=-2) > 1
    row = plot.top + plot.height - 1
    cells.glyphs[row, plot.left + columns] = np.where(begins, ord(NAN_SIGN), ord(MISSING_SIGN))
    cells.inks[row, plot.left + columns] = Ink.BAD
