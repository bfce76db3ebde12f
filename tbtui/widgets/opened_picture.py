"""One chart in full size as a picture, with the table of its runs below: painted off the UI thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.viewstate.choices import Choices
from tbtui.viewstate.cursor import has_stretch
from tbtui.widgets.frames import OpenedLast, plotted
from tbtui.widgets.plot_picture import PlotPicture
from tbtui.widgets.table_rows import TableRows
from tbtui.widgets.work_sign import WorkSign, draw_working

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.charts.cells import Cells
    from tbtui.widgets.background import Background
    from tbtui.widgets.frames import Opened, OpenPainter, Plotted


class OpenedPicture(PlotPicture):
    """Shows one card in full size.

    Args:
        background: Computes the picture.
    """

    DEFAULT_CSS = """
    OpenedPicture { padding-right: 1; }
    """

    def __init__(self, background: Background, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._background = background
        self._painter: OpenPainter | None = None
        self._key: str | None = None
        self._choices = Choices()
        self._opened: Opened | None = None
        self._opened_last = OpenedLast()
        self._place = 0
        self._table = TableRows()
        self._sign = WorkSign(self, self._say_working, self._draw)

    @property
    def key(self) -> str | None:
        """The card shown; None when there is none."""
        return self._key

    @property
    def plotted(self) -> Plotted | None:
        """The chart as it stands on the screen; None while there is none."""
        opened = self._opened
        return None if opened is None else plotted(opened.key, opened.plot, opened.stops)

    def show(self, painter: OpenPainter, key: str, choices: Choices) -> None:
        """Show card `key`, or the same with other content."""
        if key != self._key:
            self._key = key
            self._begin_anew()
            self._table.forget()
        had_stretch = has_stretch(self._choices)
        self._painter, self._choices = painter, choices
        self._table.select(choices.focus)
        self._draw_table()
        if had_stretch != has_stretch(choices):
            self.refresh_bindings()
        self._ask()

    def forget(self) -> None:
        """Show nothing any more."""
        self._key = self._painter = None
        self._begin_anew()
        self.clear(0, 0)  # nothing of it is seen where another opens

    def _begin_anew(self) -> None:
        """What is shown does not stay, however the next picture looks."""
        self._opened = None
        self._place += 1

    def _ask(self) -> None:
        painter, key, size = self._painter, self._key, self.size
        if painter is None or key is None or not size:
            return
        place, opener = self._place, self._opened_last

        def work() -> Iterator[Opened | None]:
            yield from opener.open(painter, key, size.width, size.height, place)
            yield None

        self._sign.begin()
        self._background.ask("opened", work, self._take, self._fail)

    def _take(self, opened: Opened | None) -> None:
        """Draw a result, unless another chart is shown by now or the size is another; None comes after the last."""
        if opened is None:
            self._sign.end()
        elif opened.key == self._key and opened.picture.width == self.size.width:
            self._opened = opened
            self._draw()

    def _fail(self, error: Exception) -> None:
        raise error

    def _say_working(self) -> None:
        """At the right end of the title."""
        if self._opened is None:
            self.clear(self.size.height, self.size.width)
        sign = draw_working(self.size.width)
        self.put(0, self.size.width - sign.width, sign)

    # Drawing

    def _draw(self) -> None:
        opened = self._opened
        if opened is None:
            return
        size = (self.size.height, self.size.width)
        if self._cells.glyphs.shape != size:
            self.clear(*size)
        self._table.show(opened.rows, opened.runs, self.size.height - opened.picture.height - 1)
        self.put(0, 0, self._picture_of(opened))
        self.put(opened.picture.height, 0, opened.header)
        self._draw_table()

    def _picture_of(self, opened: Opened) -> Cells:
        """What stands above the table."""
        return opened.picture

    def _draw_table(self) -> None:
        if self._opened is not None:
            top = self._opened.picture.height + 1
            self.put(top, 0, self._table.draw(self.size.width))
            self.mark_rows(top + y for y in self._table.marked())

    def on_resize(self) -> None:
        """Draw for the new size."""
        self._begin_anew()
        self._ask()
