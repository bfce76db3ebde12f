"""Draw the charts of a dashboard as one picture for papers and issues, with a legend of all runs.

The painters of the dashboards draw the cards; no Textual is imported.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tbtui.charts.card import SEPARATOR
from tbtui.charts.cells import Ink
from tbtui.charts.line_chart import ABOVE_SIGN, BELOW_SIGN, CROSSED_SIGN, NAN_SIGN, RESTART_SIGN
from tbtui.charts.series_colours import dash_patterns
from tbtui.charts.text import write
from tbtui.export.drawing.sheet import SAMPLE_COLUMNS, Card, Grid, LegendEntry, count_legend_rows, draw_sheet
from tbtui.frozen import frozen
from tbtui.view.run_names import fit_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from tbtui.charts.cells import Cells
    from tbtui.charts.ink_colours import InkTheme
    from tbtui.export.drawing.shapes import Drawing
    from tbtui.view.painted_cards import CardPainter, PaintedCard
    from tbtui.view.view import View

SIGNS = {
    RESTART_SIGN: f"{RESTART_SIGN} resumed from an earlier step",
    CROSSED_SIGN: f"{CROSSED_SIGN} bounds crossed",
    NAN_SIGN: f"{NAN_SIGN} NaN",
    ABOVE_SIGN: f"{ABOVE_SIGN} infinity",
    BELOW_SIGN: f"{BELOW_SIGN} minus infinity, on a log axis 0 and less",
}
"""Explanations of the signs that appear in a picture."""


class NothingToDrawError(Exception):
    """Raised when there is nothing to draw. The message is one plain sentence, or empty without data."""


@frozen
class Charts:
    """The charts of one dashboard, ready to be drawn as a picture."""

    keys: tuple[str, ...]
    painter: CardPainter
    legend: Callable[[Sequence[str]], Iterator[LegendEntry]]
    """Returns the legend entries of some cards, by their keys."""

    caption: str
    """Sentence about the drawing of all cards."""

    names_in_frame: bool = False
    """The frame of each card names its lines. The picture erases these names: its legend has them once."""


def draw_charts(
    charts: Charts,
    colours: InkTheme,
    *,
    background: str | None,
    width: int | None = None,
    height: int | None = None,
    max_charts: int | None = None,
) -> Drawing:
    """Return the picture of all charts of one dashboard.

    Args:
        charts: The charts, as a `PictureExport` of the registry returns them.
        colours: Colours of the inks.
        background: Background colour; None: transparent.
        width: Columns of all cards together; None: a width that reads well.
        height: Rows of each card; None: a height that reads well.
        max_charts: Maximum number of charts; None and 0: all.

    Raises:
        NothingToDrawError: There is no chart, or none can be drawn.
        PictureSizeError: There are too many charts for a picture of that size, or of any size.
    """
    if max_charts:
        charts = replace(charts, keys=charts.keys[:max_charts])
    count = len(charts.keys)
    if not count:
        raise NothingToDrawError
    grid = Grid.arrange(count, width, height)
    grid.check(0)
    painted = list(_paint_cards(charts, grid))
    if charts.names_in_frame:
        for each in painted:
            _close_frame(each.cells)
    cards = [Card(*grid.place(index)[:2], each.cells, each.body) for index, each in enumerate(painted)]
    legend = list(_fit_entries(charts.legend(charts.keys), grid.width))
    caption = SEPARATOR.join((charts.caption, *_explain_signs(painted)))
    grid.check(count_legend_rows(legend, grid.width, caption))
    title = charts.keys[0].rpartition("\0")[2] if count == 1 else f"{count} charts"
    size = grid.width, grid.height
    return draw_sheet(cards, legend, *size, colours, background=background, caption=caption, title=title)


def _explain_signs(painted: Iterable[PaintedCard]) -> Iterator[str]:
    """Yield the meanings of the signs that appear in any chart."""
    glyphs = {mark.glyph for each in painted if each.body is not None for mark in each.body.signs}
    return (word for glyph, word in SIGNS.items() if glyph in glyphs)


def _close_frame(cells: Cells) -> None:
    """Erase the legend in the bottom line of a card's frame."""
    if cells.height > 1 and cells.width > 2:
        write(cells, cells.height - 1, 1, "─" * (cells.width - 2), Ink.FAINT)


def run_legend_entries(view: View, run_names: Iterable[str | None]) -> Iterator[LegendEntry]:
    """Yield legend entries of runs in the order of the run tree; a None in `run_names` selects all runs."""
    selected_names = set(run_names)
    names = [run.name for run in view.runs if None in selected_names or run.name in selected_names]
    dashes = dash_patterns(view.inks[name] for name in names)
    for name in names:
        yield LegendEntry(name, view.inks[name], dashes[view.inks[name]])


def _fit_entries(legend: Iterable[LegendEntry], width: int) -> Iterator[LegendEntry]:
    """Yield each line once, under a unique name that fits."""
    lines = list(dict.fromkeys(legend))
    names = fit_names(tuple(line.name for line in lines), max(width - SAMPLE_COLUMNS - 2, 1))
    return (replace(line, name=name) for line, name in zip(lines, names, strict=True))


def _paint_cards(charts: Charts, grid: Grid) -> Iterator[PaintedCard]:
    """Yield all cards. A card that cannot be drawn shows the reason; raise if that holds for every card."""
    from tbtui.view.painted_cards import PaintedCard

    errors = 0
    for index, key in enumerate(charts.keys):
        _, _, width, height = grid.place(index)
        try:
            yield charts.painter.paint(key, width, height, focused=False)
        except Exception as error:
            errors += 1
            if errors == len(charts.keys):
                raise NothingToDrawError(str(error) or type(error).__name__) from error
            yield PaintedCard(charts.painter.paint_error(key, width, height, error, focused=False))
