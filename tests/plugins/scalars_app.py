"""The Scalars tab with the part of the app that it speaks to: what it asks for is chosen, and shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.app import App, ComposeResult

from tbtui.plugins.scalars.pane import ScalarsPane
from tbtui.viewstate.choices import Choices
from tbtui.viewstate.colours import RunColours
from tbtui.viewstate.facts import FactsCache
from tbtui.viewstate.select import view_of
from tbtui.widgets.card_grid import CardGrid
from tbtui.widgets.chart_view import ChartView
from tests.made_up import run, store
from tests.screen_text import screen_lines

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from textual.pilot import Pilot

    from tbtui.widgets.pane import Choose

FALLING = tuple(100 / (step + 1) for step in range(100))
"""Values at steps 0 to 99."""

TAGS = ("acc", "loss/train", "loss/val", "lr")
RUNS: Mapping[str, Mapping[str, Sequence[float]]] = {
    name: dict.fromkeys(TAGS, tuple(value * factor for value in FALLING)) for factor, name in enumerate("abc", 1)
}


class ScalarsApp(App[None]):
    """Shows runs through choices."""

    def __init__(self, runs: Mapping[str, Mapping[str, Sequence[float]]] = RUNS, **choices: Any) -> None:
        super().__init__()
        self.store = store(*(run(name, tags) for name, tags in runs.items()))
        self.choices = Choices(**{"smoothing": 0.0, **choices})
        self.colours, self.facts = RunColours(), FactsCache()
        self.said: list[str] = []

    def compose(self) -> ComposeResult:
        yield ScalarsPane()

    def on_mount(self) -> None:
        self.look()

    @property
    def pane(self) -> ScalarsPane:
        return self.query_one(ScalarsPane)

    @property
    def grid(self) -> CardGrid:
        return self.query_one(CardGrid)

    @property
    def chart(self) -> ChartView:
        return self.query_one(ChartView)

    def look(self) -> None:
        self.pane.show(view_of(self.store, self.choices, self.colours, self.facts))

    def on_choose(self, message: Choose) -> None:
        self.choices = message.of(self.choices)
        self.look()

    def notify(self, message: str, **_: Any) -> None:
        self.said.append(message)

    def lines(self) -> list[str]:
        """The screen, without blank lines and blanks at both ends."""
        return [line.strip() for line in screen_lines(self) if line.strip()]


async def pressed(pilot: Pilot[None], keys: str) -> None:
    """Press keys, and wait until everything they lead to is on the screen."""
    await pilot.press(*keys.split())
    await pilot.pause()
    await pilot.app.query_one(ScalarsPane).idle()
    await pilot.pause()
