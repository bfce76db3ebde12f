"""Lines as character cells, drawn by plotext: dots that merge where one colour more tells lines apart, else letters.

What plotext 6 is given, and why:

* Dots, not lines: the lines that it draws between points end the whole process on some inputs (an assertion of its
  kernel, and `bad_alloc`), and join what lies on both sides of a NaN. `charts.raster` knows exactly which dots of which
  column a line lights, whatever the scale of the axes.
* Few of them: a million points take it eleven seconds, so `series.decimate` thins them before, extremes kept.
* No ticks: those of the dashboard (`charts.chart_layout`) know steps, durations, dates and logarithms.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.charts.axis import DOTS_ACROSS, DOTS_DOWN, across, column_edges, down
from tbtui.charts.cells import Cells, Ink, faint
from tbtui.charts.raster import line_spans
from tbtui.frozen import frozen
from tbtui.series.decimate import decimate, drawable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from tbtui.charts.chart_layout import PlotArea
    from tbtui.charts.line_chart import Trace

    Places = npt.NDArray[np.intp]

BRAILLE = "braille"
"""The symbol of a line that is drawn in dots, eight a cell."""


@frozen(eq=False)
class _Dots:
    """What one line lights: columns and rows of dots, or of cells where it is drawn in letters."""

    columns: Places
    rows: Places


def plotted(traces: Sequence[Trace], symbols: Sequence[str], plot: PlotArea, *, turns: bool = True) -> Cells:
    """The plot of a chart.

    Args:
        traces: Lines, the last on top.
        symbols: What each is drawn with: `BRAILLE`, or one character of one column. All in braille, or none.
        plot: Where it lies and what its axes are; the picture has its size.
        turns: Whether bright lines that share cells have one after the other of them, so that none hides another.
    """
    in_dots = BRAILLE in symbols
    size = (DOTS_ACROSS, DOTS_DOWN) if in_dots else (1, 1)
    lit = [_lit(trace, plot, size) for trace in traces]
    owners = _owners(traces, lit, plot, size, turns=turns)
    cells = Cells.blank(plot.height, plot.width)
    shown = [_kept(dots, owners == index, size) if not in_dots else dots for index, dots in enumerate(lit)]
    bright = np.array([*(not trace.faint for trace in traces), False])[owners]  # -1 is the last of them
    if in_dots:  # what is faint shows where nothing bright is
        shown = [_kept(dots, ~bright, size) if trace.faint else dots for trace, dots in zip(traces, shown, strict=True)]
    cells.glyphs[:] = _drawn(shown, symbols, plot, size)
    inks = np.array([faint(trace.ink) if trace.faint else trace.ink for trace in traces] or [0], np.int16)
    cells.inks[:] = np.where(owners < 0, np.int16(Ink.NONE), inks[owners])
    return cells


def _lit(trace: Trace, plot: PlotArea, size: tuple[int, int]) -> _Dots:
    """The dots (or cells) that a line passes."""
    log = plot.y_axis.scale == "log"
    edges = column_edges(plot.x_axis, plot.width)[:: DOTS_ACROSS // size[0]]
    x, y = decimate(trace.x, trace.y, edges, log=log, ascending=trace.ascending)
    y = drawable(y, log=log)
    columns = (across(plot.x_axis, x, plot.width) + 0.5) * (size[0] / DOTS_ACROSS) - 0.5
    rows = (down(plot.y_axis, y, plot.height) + 0.5) * (size[1] / DOTS_DOWN) - 0.5
    spans = line_spans(columns, rows, size[0] * plot.width).within(size[1] * plot.height)
    lengths = spans.bottoms - spans.tops + 1
    of_span = np.repeat(np.arange(len(lengths)), lengths)
    all_rows = np.arange(len(of_span)) - np.repeat(np.cumsum(lengths) - lengths - spans.tops, lengths)
    lit = np.zeros((size[1] * plot.height, size[0] * plot.width), np.bool_)
    lit[all_rows, spans.columns[of_span]] = True
    found_rows, found_columns = np.nonzero(lit)
    return _Dots(found_columns, found_rows)


def _owners(
    traces: Sequence[Trace], lit: Sequence[_Dots], plot: PlotArea, size: tuple[int, int], *, turns: bool
) -> npt.NDArray[np.intp]:
    """Which line each cell is of, int[height, width]; -1: none. Bright ones that share it take turns by columns."""
    touched = np.zeros((len(traces), plot.height, plot.width), np.bool_)
    for index, dots in enumerate(lit):
        touched[index, dots.rows // size[1], dots.columns // size[0]] = True
    bright = np.array([not trace.faint for trace in traces], np.bool_).reshape(-1, 1, 1)
    touched &= bright | ~(touched & bright).any(axis=0)
    many = touched.sum(axis=0)
    turn = np.arange(plot.width) % np.maximum(many, 1) if turns else np.zeros_like(many)
    nth = np.cumsum(touched[::-1], axis=0)  # from the top one down
    taken = touched[::-1] & (nth == turn + 1)
    return np.where(many > 0, len(traces) - 1 - taken.argmax(axis=0), -1) if len(traces) else many - 1


def _kept(dots: _Dots, cells: npt.NDArray[np.bool_], size: tuple[int, int]) -> _Dots:
    """The dots that lie in some cells."""
    inside = cells[dots.rows // size[1], dots.columns // size[0]]
    return _Dots(dots.columns[inside], dots.rows[inside])


def _drawn(
    lit: Sequence[_Dots], symbols: Sequence[str], plot: PlotArea, size: tuple[int, int]
) -> npt.NDArray[np.uint32]:
    """The glyphs that plotext makes of dots, uint32[height, width]."""
    plotext = _plotext()
    plotext.terminal.limit(False, False)
    figure = plotext.figure
    figure.clear.all()
    figure.plot_size(plot.width, plot.height)
    figure.canvas("default")
    figure.axes(False)
    # Its limits lie in the middle of the outermost cells.
    for axis, cells in (("x", plot.width), ("y", plot.height)):
        figure.ruler(axis).frequency(0)
        figure.ruler(axis).lim(0, max(cells - 1, 1))
    for dots, symbol in zip(lit, symbols, strict=True):
        if len(dots.columns):
            x = (dots.columns + 0.5) / size[0] - 0.5
            y = plot.height - 1 - ((dots.rows + 0.5) / size[1] - 0.5)
            figure.draw(figure.signal(x.tolist(), y.tolist(), marker=symbol))
    rows = figure.build().string(colorless=True).split("\n")
    text = "".join(row[: plot.width].ljust(plot.width) for row in rows[: plot.height])
    text = text.ljust(plot.height * plot.width)
    return np.frombuffer(text.encode("utf-32-le"), "<u4").reshape(plot.height, plot.width).astype(np.uint32)


def _plotext() -> Any:
    """The library, without what takes most of the time of importing it: its manual, its tests, films."""
    known = sys.modules.get("plotext")
    if known is not None:
        return known
    with _set_aside():
        import plotext
    return plotext


@contextmanager
def _set_aside() -> Iterator[None]:
    """Modules that plotext imports and nothing here needs: as empty ones, or as if they were not installed.

    Its manual is made anew at each import, which takes three times as long as all else together; Pillow, and what plays
    films, are for pictures. Where a later version has its own modules elsewhere nothing is lost but that time.
    """
    manual, tests = ModuleType("plotext._doc.doc"), ModuleType("plotext._tests.run")
    manual.__dict__["docs"], tests.__dict__["test"] = None, None
    absent = {"plotext._doc.doc": manual, "plotext._tests.run": tests, "PIL": None, "yt_dlp": None, "ffpyplayer": None}
    before = {name: sys.modules[name] for name in absent if name in sys.modules}
    sys.modules.update(absent)  # type: ignore[arg-type] # None stands for a module that cannot be imported
    try:
        yield
    finally:
        for name in absent:
            del sys.modules[name]
        sys.modules.update(before)
