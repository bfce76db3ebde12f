"""Draws the cards of one view, and one of them in full size."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.cells import Cells, Ink
from tbtui.charts.text import cell_width, fit, safe, shorten, write
from tbtui.plugins.scalars.drawing import broken_card, note_of, outline_card, what_went_wrong
from tbtui.plugins.scalars.table import run_table
from tbtui.plugins.scalars.words import settings
from tbtui.viewstate.tag_tree import TF1_SUFFIX
from tbtui.widgets.frames import Opened, Painted

if TYPE_CHECKING:
    from collections.abc import Hashable

    from tbtui.plugins.scalars.data import ScalarData
    from tbtui.plugins.scalars.drawing import Drawing
    from tbtui.viewstate.view import View

TABLE_FROM_HEIGHT = 14
"""Lower panes give all their rows to the chart."""

BACK = "esc back"


class ScalarsPainter:
    """The charts of one view as pictures: a `CardPainter` and an `OpenPainter`.

    Args:
        data: Kept from view to view, as is the drawing; only `outline` leaves both alone.
        drawing: Draws the charts.
        view: What is shown.
    """

    def __init__(self, data: ScalarData, drawing: Drawing, view: View) -> None:
        self._data = data
        self._drawing = drawing
        self._view = view

    def look(self, key: str) -> Hashable:
        """See `CardPainter`."""
        return self._data.look(self._view, key)

    def paint(self, key: str, width: int, height: int, *, focused: bool) -> Painted:
        """See `CardPainter`."""
        return Painted(self._drawing.card(self._data.chart(self._view, key), width, height, focused=focused))

    def outline(self, key: str, width: int, height: int, *, focused: bool) -> Cells:
        """See `CardPainter`."""
        return outline_card(_plain_title(key), width, height, focused=focused)

    def broken(self, key: str, width: int, height: int, error: Exception, *, focused: bool) -> Cells:
        """See `CardPainter`."""
        return broken_card(_plain_title(key), error, width, height, focused=focused)

    def open(self, key: str, width: int, height: int) -> Opened:
        """See `OpenPainter`."""
        chart = self._data.chart(self._view, key)
        header, rows = run_table(chart, width)
        table_height = min(rows.height + 1, height * 2 // 5) if height >= TABLE_FROM_HEIGHT else 0
        beside = settings(self._view.choices, key) if table_height else note_of(chart)
        title = _title_line(chart.title, beside, width)
        body = self._drawing.body(chart, width, height - table_height - 1)
        return Opened(key, _below(title, body), header, rows)

    def broken_open(self, key: str, width: int, height: int, error: Exception) -> Opened:
        """See `OpenPainter`."""
        body = Cells.blank(max(height - 1, 0), width)
        write(body, body.height // 3, 2, fit(what_went_wrong(error), width - 2), Ink.WARN)
        title = _title_line(_plain_title(key), settings(self._view.choices, key), width)
        return Opened(key, _below(title, body), Cells.blank(0, width), Cells.blank(0, width))


def _plain_title(tag: str) -> str:
    """The title of a chart as far as the tag alone tells."""
    return tag.removesuffix(TF1_SUFFIX)


def _title_line(title: str, beside: str, width: int) -> Cells:
    """`‹ title  smooth .60 · x step      esc back`; what is in the way of the title is left out."""
    cells = Cells.blank(1, max(width, 0))
    write(cells, 0, 0, "‹", Ink.ACCENT)
    right = width - len(BACK)
    if right - 3 >= min(cell_width(safe(title)), 12):
        write(cells, 0, right, BACK, Ink.DIM)
    else:
        right = width
    end = write(cells, 0, 2, shorten(title, right - 3), Ink.BOLD)
    if end + 2 + cell_width(beside) + 1 <= right:
        write(cells, 0, end + 2, beside, Ink.DIM)
    return cells


def _below(title: Cells, body: Cells) -> Cells:
    return Cells(np.vstack((title.glyphs, body.glyphs)), np.vstack((title.inks, body.inks)))
