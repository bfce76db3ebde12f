"""The charts of a view as one picture for papers and issues: the cards of the dashboard, and a legend of all runs.

It is drawn by the painters of the dashboards themselves; no Textual is imported for it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tbtui.charts.cells import Ink
from tbtui.charts.headline import BETWEEN
from tbtui.charts.marks import ABOVE_SIGN, BELOW_SIGN, NAN_SIGN, RESTART_SIGN
from tbtui.charts.palette import patterns
from tbtui.charts.text import write
from tbtui.export.drawn_sheet import SAMPLE, Card, Named, legend_rows, sheet
from tbtui.frozen import frozen
from tbtui.plugins.drawn_grid import Grid
from tbtui.viewstate.run_names import told_apart

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from tbtui.charts.cells import Cells
    from tbtui.charts.ink_colours import InkColours
    from tbtui.export.drawn import Drawing
    from tbtui.loading.payloads import Payloads
    from tbtui.viewstate.view import View
    from tbtui.widgets.frames import CardPainter, Painted

FAN = "median, and bands of 38, 68, 87 and 100 % of the values"
"""The quantiles of TensorBoard's distributions: 6.68, 15.87, 30.85, 50, 69.15, 84.13 and 93.32 %, and both ends."""

PLANE = "precision (up) over recall (across), best F1 ★"

SIGNS = {
    RESTART_SIGN: f"{RESTART_SIGN} went on from an earlier step",
    NAN_SIGN: f"{NAN_SIGN} NaN",
    ABOVE_SIGN: f"{ABOVE_SIGN} infinity",
    BELOW_SIGN: f"{BELOW_SIGN} minus infinity, on a log axis 0 and less",
}
"""What is said of signs that are in a picture."""

KINDS = ("scalars", "histograms", "distributions", "pr_curves")
"""Plugins whose charts can be drawn, the one that is drawn unasked first."""


class NoDrawingError(Exception):
    """There is nothing to draw; the text of the error is one plain sentence, empty where there is nothing at all."""


@frozen
class _Charts:
    """The cards of one dashboard."""

    keys: tuple[str, ...]
    painter: CardPainter
    legend: Callable[[Sequence[str]], Iterator[Named]]
    """The names of the lines of some cards."""

    caption: str
    """How all of them are drawn."""

    named_below: bool = False
    """Whether each card names all of its lines in its frame, which a legend of all cards does once."""


def drawn_kind(view: View, payloads: Payloads) -> str | None:
    """The first plugin of `KINDS` that has a card in a view; None where none has."""
    return next((kind for kind in KINDS if _charts(view, kind, payloads).keys), None)


def drawing_of(
    view: View,
    kind: str,
    payloads: Payloads,
    colours: InkColours,
    *,
    ground: str | None,
    width: int | None = None,
    height: int | None = None,
    most: int | None = None,
) -> Drawing:
    """The picture of all charts of one plugin.

    Args:
        view: What is shown.
        kind: One of `KINDS`.
        payloads: Reads what is read when it is shown.
        colours: What inks look like.
        ground: What the picture lies on; None: whatever the page has.
        width: Columns of all cards together; None: as is good to read.
        height: Rows of each card; None likewise.
        most: So many charts at most; None, and 0: all.

    Raises:
        NoDrawingError: There is no chart, or not one that can be drawn.
        BadPictureError: There are too many for a picture of that size, or of any.
    """
    charts = _charts(view, kind, payloads)
    if most:
        charts = replace(charts, keys=charts.keys[:most])
    count = len(charts.keys)
    if not count:
        raise NoDrawingError
    grid = Grid.of(count, width, height)
    grid.check(0)
    painted = list(_painted(charts, grid))
    if charts.named_below:
        for each in painted:
            _close_frame(each.cells)
    cards = [Card(*grid.place(index)[:2], each.cells, each.body) for index, each in enumerate(painted)]
    legend = list(_fitted(charts.legend(charts.keys), grid.width))
    caption = BETWEEN.join((charts.caption, *_signs_of(painted)))
    grid.check(legend_rows(legend, grid.width, caption))
    title = charts.keys[0].rpartition("\0")[2] if count == 1 else f"{count} charts"
    size = grid.width, grid.height
    return sheet(cards, legend, *size, colours, ground=ground, caption=caption, title=title)


def _signs_of(painted: Iterable[Painted]) -> Iterator[str]:
    """What the signs mean that are in any of the charts."""
    glyphs = {mark.glyph for each in painted if each.body is not None for mark in each.body.signs}
    return (word for glyph, word in SIGNS.items() if glyph in glyphs)


def _close_frame(cells: Cells) -> None:
    """Take the legend out of the bottom line of a card's frame."""
    if cells.height > 1 and cells.width > 2:
        write(cells, cells.height - 1, 1, "─" * (cells.width - 2), Ink.FAINT)


def _charts(view: View, kind: str, payloads: Payloads) -> _Charts:
    if kind == "scalars":
        return _scalars(view)
    if kind == "histograms":
        return _histograms(view, payloads)
    return _distributions(view, payloads) if kind == "distributions" else _pr_curves(view, payloads)


def _scalars(view: View) -> _Charts:
    from tbtui.plugins.scalars.data import NoPointsError, ScalarData
    from tbtui.plugins.scalars.drawing import Drawing as Drawn
    from tbtui.plugins.scalars.labels import full_names
    from tbtui.plugins.scalars.painter import ScalarsPainter
    from tbtui.plugins.scalars.words import settings

    data = ScalarData()
    cards = data.cards(view)

    def legend(keys: Sequence[str]) -> Iterator[Named]:
        for key in keys:
            try:
                chart = data.chart(view, key)
            except NoPointsError:
                continue
            dashes = patterns(chart.inks)
            joint = len(chart.tags) > 1
            for name, line, ink in zip(full_names(chart), chart.lines, chart.inks, strict=True):
                yield Named(name, ink, chart.tags.index(line.key.tag) if joint else dashes[ink])

    caption = settings(view.choices, runs=[run.name for run in view.runs])
    return _Charts(cards.keys, ScalarsPainter(data, Drawn(), view, cards), legend, caption)


def _histograms(view: View, payloads: Payloads) -> _Charts:
    from tbtui.plugins.histograms.data import ChartData
    from tbtui.plugins.histograms.drawing import Drawing as Drawn
    from tbtui.plugins.histograms.painter import HistogramsPainter
    from tbtui.plugins.histograms.words import settings

    data = ChartData(payloads)
    cards = data.cards(view)
    painter = HistogramsPainter(data, Drawn(), view, cards)
    is_lines = view.choices.runs_together

    def legend(keys: Sequence[str]) -> Iterator[Named]:
        runs = _runs_of(view, map(cards.run_of, keys))
        return runs if is_lines else (replace(each, pattern=None) for each in runs)

    return _Charts(cards.keys, painter, legend, settings(view.choices), is_lines)


def _distributions(view: View, payloads: Payloads) -> _Charts:
    from tbtui.plugins.distributions.data import DistributionData
    from tbtui.plugins.distributions.drawing import Drawing as Drawn
    from tbtui.plugins.distributions.painter import DistributionsPainter
    from tbtui.plugins.distributions.words import settings

    data = DistributionData(payloads)
    cards = data.cards(view)
    painter = DistributionsPainter(data, Drawn(), view, cards)
    together = view.choices.runs_together
    caption = BETWEEN.join((*(() if together else (FAN,)), settings(view.choices)))
    return _Charts(
        cards.keys, painter, lambda keys: _runs_of(view, map(cards.run_of, keys)), caption, named_below=together
    )


def _pr_curves(view: View, payloads: Payloads) -> _Charts:
    from tbtui.plugins.pr_curves.data import CurveData
    from tbtui.plugins.pr_curves.drawing import Drawing as Drawn
    from tbtui.plugins.pr_curves.painter import PrCurvesPainter
    from tbtui.plugins.pr_curves.words import settings

    data = CurveData(payloads)
    cards = data.cards(view)

    def legend(keys: Sequence[str]) -> Iterator[Named]:
        shown = {each.run for key in keys for each in data.chart(view, key).runs}
        return _runs_of(view, shown)

    caption = BETWEEN.join((PLANE, settings(view.choices)))
    return _Charts(cards.keys, PrCurvesPainter(data, Drawn(), view, cards), legend, caption, named_below=True)


def _runs_of(view: View, shown: Iterable[str | None]) -> Iterator[Named]:
    """Runs in the order of the run tree; all of them where a card shows all."""
    wanted = set(shown)
    names = [run.name for run in view.runs if None in wanted or run.name in wanted]
    dashes = patterns(view.inks[name] for name in names)
    for name in names:
        yield Named(name, view.inks[name], dashes[view.inks[name]])


def _fitted(legend: Iterable[Named], width: int) -> Iterator[Named]:
    """Each line once, under a name that fits and no other line has."""
    lines = list(dict.fromkeys(legend))
    names = told_apart(tuple(line.name for line in lines), max(width - SAMPLE - 2, 1))
    return (replace(line, name=name) for line, name in zip(lines, names, strict=True))


def _painted(charts: _Charts, grid: Grid) -> Iterator[Painted]:
    """All cards; one that cannot be drawn says why, but not where there is no other."""
    from tbtui.widgets.frames import Painted

    errors = 0
    for index, key in enumerate(charts.keys):
        _, _, width, height = grid.place(index)
        try:
            yield charts.painter.paint(key, width, height, focused=False)
        except Exception as error:
            errors += 1
            if errors == len(charts.keys):
                raise NoDrawingError(str(error) or type(error).__name__) from error
            yield Painted(charts.painter.broken(key, width, height, error, focused=False))
