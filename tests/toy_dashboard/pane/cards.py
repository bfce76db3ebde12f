"""Show levels as a grid of cards, instead of as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.view.card_painter import Painter
from tbtui.view.cards import RunCards, ShownRunCards
from tbtui.widgets.charts_pane import ChartsPane, PreparedView
from tests.toy_dashboard.painter import LevelSource

if TYPE_CHECKING:
    from tbtui.loading.payloads import Payloads
    from tbtui.view.view import View


class LevelCardsPane(ChartsPane[RunCards]):
    """One card per tag."""

    BINDING_GROUP_TITLE = "Levels"
    UNUSED = frozenset({"smooth", "next_x_axis", "next_y_scale"})

    def __init__(self, payloads: Payloads | None = None) -> None:
        super().__init__(payloads)
        self._cards = ShownRunCards("levels", together=True)

    def charted(self, view: View) -> PreparedView[RunCards]:
        cards = self._cards.of(view)
        return PreparedView(view, cards, Painter(LevelSource(view), cards))
