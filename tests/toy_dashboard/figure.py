"""Draw levels as cards of a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.plugins.figure import Charts, runs_of
from tbtui.view.card_painter import Painter
from tbtui.view.cards import ShownRunCards
from tests.toy_dashboard.painter import LevelSource

if TYPE_CHECKING:
    from tbtui.view.view import View


def level_charts(view: View) -> Charts:
    cards = ShownRunCards("levels", together=True).of(view)
    return Charts(
        cards.keys, Painter(LevelSource(view), cards), lambda keys: runs_of(view, [None]), "levels over steps"
    )
