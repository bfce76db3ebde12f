"""Paint the cards of layouts, and the headings of their categories."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts import card
from tbtui.charts.cells import Cells, Ink
from tbtui.charts.numbers import format_count
from tbtui.charts.text import format_run_name
from tbtui.plugins.scalars.chart import Chart
from tbtui.plugins.scalars.painter import WARNING_SIGN, ScalarRenderer, ScalarSource
from tbtui.view.card_painter import Painter
from tbtui.view.painted_cards import PaintedCard

if TYPE_CHECKING:
    from collections.abc import Hashable

    from tbtui.plugins.custom_scalars.arrangement import ArrangedCategory, Arrangement
    from tbtui.plugins.scalars.chart import ScalarData
    from tbtui.view.view import View


def count_problems(category: ArrangedCategory) -> int:
    """Return the number of charts of a category that lack something."""
    return sum(chart.has_problem for chart in category.charts)


def draw_heading(category: ArrangedCategory, width: int, height: int, *, focused: bool) -> Cells:
    """Draw `▾ losses ────────── ⚠ 1 · 4 charts` in one line."""
    problems = count_problems(category)
    notes = [(f"{WARNING_SIGN} {problems}", int(Ink.WARN))] if problems else []
    notes.append((format_count(len(category.charts), "chart"), int(Ink.DIM)))
    title = format_run_name(category.title)
    return card.draw_heading(title, notes, width, height, is_folded=category.is_folded, focused=focused)


class CustomPainter(Painter[Chart]):
    """Paints the cards and headings of one view.

    Args:
        view: The view to draw.
        arrangement: Its categories and cards.
        data: Chart data, cached across views.
        renderer: Renderer of the charts, with a cache across views.
    """

    def __init__(self, view: View, arrangement: Arrangement, data: ScalarData, renderer: ScalarRenderer) -> None:
        super().__init__(ScalarSource(data, renderer, view), arrangement)
        self._headings = arrangement.headings

    def paint_key(self, key: str) -> Hashable:
        category = self._headings.get(key)
        if category is None:
            return super().paint_key(key)
        return category.title, len(category.charts), count_problems(category), category.is_folded

    def paint(self, key: str, width: int, height: int, *, focused: bool, heading: str = "") -> PaintedCard:
        category = self._headings.get(key)
        if category is None:
            return super().paint(key, width, height, focused=focused, heading=heading)
        return PaintedCard(draw_heading(category, width, height, focused=focused))

    def paint_outline(self, key: str, width: int, height: int, *, focused: bool, heading: str = "") -> Cells:
        category = self._headings.get(key)
        if category is None:
            return super().paint_outline(key, width, height, focused=focused, heading=heading)
        return draw_heading(category, width, height, focused=focused)
