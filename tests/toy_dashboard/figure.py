"""Draw levels as cards of a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.card import body_size, draw_card
from tbtui.charts.cells import Cells, Ink
from tbtui.charts.text import safe, write
from tbtui.plugins.figure import Charts, runs_of
from tbtui.view.cards import ShownTags
from tbtui.view.painted_cards import PaintedCard
from tests.toy_dashboard.decode import levels_of

if TYPE_CHECKING:
    from collections.abc import Hashable

    from tbtui.view.view import View


class LevelPainter:
    """Writes the levels of each run on a line of the card."""

    def __init__(self, view: View) -> None:
        self._view = view

    def look(self, key: str) -> Hashable:
        return key

    def paint(self, key: str, width: int, height: int, *, focused: bool) -> PaintedCard:
        rows, columns = body_size(width, height)[::-1]
        body = Cells.blank(rows, columns)
        for row, run in enumerate(self._view.runs[:rows]):
            levels, reasons = levels_of(run, key)
            write(body, row, 0, safe(f"levels {levels} {', '.join(reasons)}"), Ink.TEXT)
        return PaintedCard(draw_card(key, body, width, height, focused=focused))

    def outline(self, key: str, width: int, height: int, *, focused: bool) -> Cells:
        return Cells.blank(height, width)

    def broken(self, key: str, width: int, height: int, error: Exception, *, focused: bool) -> Cells:
        return Cells.blank(height, width)


def level_charts(view: View) -> Charts:
    tags = tuple(ShownTags("levels").of(view))
    return Charts(tags, LevelPainter(view), lambda keys: runs_of(view, [None]), "levels over steps")
