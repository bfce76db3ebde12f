"""Draws the cards of one view, and one of them in full size, whatever of recorded histograms they show."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from tbtui.charts.fan import FanPicture
from tbtui.charts.headline import BETWEEN, below, headline
from tbtui.charts.line_chart import LinePicture
from tbtui.plugins.histograms.kept_charts import MOST_SHARING
from tbtui.plugins.histograms.words import what_went_wrong
from tbtui.viewstate.pointer import pointer_of
from tbtui.widgets.frames import CardFallback, Opened, Painted, table_height

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from tbtui.charts.cells import Cells
    from tbtui.plugins.histograms.axes import Axes
    from tbtui.plugins.histograms.drawn import Drawn
    from tbtui.plugins.histograms.kept_charts import KeptCharts
    from tbtui.plugins.histograms.recorded import Recorded
    from tbtui.viewstate.pointer import Pointer
    from tbtui.viewstate.run_cards import RunCards
    from tbtui.viewstate.view import View


class Shown(Protocol):
    """What is known of any chart."""

    @property
    def key(self) -> str:
        """Of its card."""

    @property
    def title(self) -> str:
        """Not yet made safe for a terminal."""

    @property
    def axes(self) -> Axes:
        """Of steps, and of values."""


Chart = TypeVar("Chart", bound=Shown)
Chart_contra = TypeVar("Chart_contra", contravariant=True)


class Drawer(Protocol[Chart_contra]):
    """Draws charts, and keeps them as long as they are charts."""

    def card(
        self,
        chart: Chart_contra,
        width: int,
        height: int,
        *,
        focused: bool,
        pointer: Pointer,
        sharing: Sequence[Recorded],
        runs: Sequence[str],
    ) -> Drawn:
        """A chart in its frame.

        Args:
            chart: What is shown.
            width: Columns of the card.
            height: Its rows.
            focused: Whether it has the focus.
            pointer: Where the user looks.
            sharing: What all runs have recorded that share its range of values.
            runs: All that are drawn in any card, which the legend must tell apart.
        """

    def opened(
        self, chart: Chart_contra, width: int, height: int, pointer: Pointer, sharing: Sequence[Recorded]
    ) -> Drawn:
        """A chart in full size, without frame."""


class RecordedPainter(Generic[Chart]):
    """The charts of one view as pictures: a `CardPainter` and, but for `pick`, an `OpenPainter`.

    Args:
        data: Kept from view to view, as is the drawing; only `outline` leaves both alone.
        drawing: Draws the charts.
        view: What is shown.
        cards: The cards of the view, from `data`.
    """

    def __init__(self, data: KeptCharts[Chart], drawing: Drawer[Chart], view: View, cards: RunCards) -> None:
        self.data = data
        self.drawing = drawing
        self.view = view
        self.opened_view = (
            replace(view, choices=replace(view.choices, overview=False)) if view.choices.overview else view
        )
        """An opened chart is no small one."""

        self.cards = cards
        self._fallback = CardFallback(cards, what_went_wrong)
        self.runs = tuple(run.name for run in view.runs)

    # What a dashboard has to say

    def settings(self, key: str) -> str:
        """How a chart is drawn."""
        raise NotImplementedError

    def table(
        self, chart: Chart, sharing: Sequence[Recorded], width: int, pointer: Pointer
    ) -> tuple[Cells, Cells, tuple[str, ...]]:
        """Header and rows of an opened chart's table, and the run of each row."""
        raise NotImplementedError

    def told(self, chart: Chart, drawn: Drawn, pointer: Pointer) -> Iterable[str]:
        """What stands beside the title of an opened chart between its run and its settings; some may be empty."""
        raise NotImplementedError

    def told_alone(self, chart: Chart, pointer: Pointer) -> Iterable[str]:
        """What stands there where there is no room for a table."""
        raise NotImplementedError

    def told_below(self) -> Hashable:
        """What of the choices alters the table beside the pointer."""
        return None

    # What panes ask for

    def look(self, key: str) -> Hashable:
        """See `CardPainter`: the chart, what is told above and below it, and where the user looks in it."""
        told = self.settings(key), self.told_below(), self.runs
        return self.data.look(self.view, key), told, pointer_of(self.view.choices)

    def paint(self, key: str, width: int, height: int, *, focused: bool) -> Painted:
        """See `CardPainter`."""
        chart, sharing = self.data.chart(self.view, key), self.data.sharing(self.view, key)
        pointer = self.pointer(chart)
        drawn = self.drawing.card(
            chart, width, height, focused=focused, pointer=pointer, sharing=sharing, runs=self.runs
        )
        picture = drawn.picture if isinstance(drawn.picture, LinePicture | FanPicture) else None
        return Painted(drawn.cells, drawn.plot, drawn.stops, body=picture)

    def outline(self, key: str, width: int, height: int, *, focused: bool) -> Cells:
        """See `CardPainter`."""
        return self._fallback.outline(key, width, height, focused=focused)

    def broken(self, key: str, width: int, height: int, error: Exception, *, focused: bool) -> Cells:
        """See `CardPainter`."""
        return self._fallback.broken(key, width, height, error, focused=focused)

    def open(self, key: str, width: int, height: int) -> Opened:
        """See `OpenPainter`."""
        chart, sharing = self.data.chart(self.opened_view, key), self.data.sharing(self.opened_view, key)
        pointer = self.pointer(chart)
        header, rows, runs = self.table(chart, sharing, width, pointer)
        table_rows = table_height(rows, height)
        drawn = self.drawing.opened(chart, width, height - table_rows - 1, pointer, sharing)
        if table_rows:
            told = self._run_word(key), *self.told(chart, drawn, pointer), self._range_word(key), self.settings(key)
        else:
            told = *self.told_alone(chart, pointer), ""
        title = headline(chart.title, _joined(told), width, first=not table_rows)
        plot = None if drawn.plot is None else drawn.plot.moved(1, 0)
        return Opened(key, below(title, drawn.cells), header, rows, plot, drawn.stops, runs)

    def broken_open(self, key: str, width: int, height: int, error: Exception) -> Opened:
        """See `OpenPainter`."""
        return self._fallback.broken_open(key, width, height, error, _joined((self._run_word(key), self.settings(key))))

    def pointer(self, chart: Chart) -> Pointer:
        """Where the user looks in a chart."""
        return pointer_of(self.view.choices, chart.axes.along.origin)

    def _run_word(self, key: str) -> str:
        """The run of a card, where several have one."""
        run = self.cards.run_of(key)
        return run if run is not None and len(self.runs) > 1 else ""

    def _range_word(self, key: str) -> str:
        """That runs side by side have not the same range of values, where that is so."""
        return f"each run has its own range: more than {MOST_SHARING}" if self.data.is_alone(self.view, key) else ""


def _joined(told: Iterable[str]) -> str:
    """What there is to say, each once; which step the cursor is at has been told where a histogram's step has."""
    parts = dict.fromkeys(part for each in told for part in each.split(BETWEEN) if part)
    has_step = any(part.startswith("step ") for part in parts)
    return BETWEEN.join(part for part in parts if not (has_step and part.startswith("@ step ")))
