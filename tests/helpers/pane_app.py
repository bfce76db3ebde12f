"""Run a pane of charts with the part of the app that it needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.app import App, ComposeResult

from tbtui.run_health.summaries import SummaryCache
from tbtui.view.run_names import RunColours
from tbtui.view.view import build_view
from tbtui.widgets.card_grid import CardGrid
from tbtui.widgets.chart_view import ChartView
from tests.helpers.screen_text import screen_lines
from tests.helpers.settings import settings_of

if TYPE_CHECKING:
    from textual.pilot import Pilot

    from tbtui.store.snapshot import StoreSnapshot
    from tbtui.widgets.charts_pane import ChartsPane
    from tbtui.widgets.pane import Choose, CopyRequested


class PaneAlone(App[None]):
    """A pane that shows what a test hands it.

    Args:
        pane: Not on a screen yet.
    """

    def __init__(self, pane: ChartsPane[Any]) -> None:
        super().__init__()
        self.pane = pane

    def compose(self) -> ComposeResult:
        yield self.pane

    @property
    def grid(self) -> CardGrid:
        return self.query_one(CardGrid)

    @property
    def chart(self) -> ChartView:
        return self.query_one(ChartView)

    def lines(self) -> list[str]:
        """The screen, without blank lines and blanks at both ends."""
        return [line.strip() for line in screen_lines(self) if line.strip()]


class PaneApp(PaneAlone):
    """A pane that shows a store through settings.

    Args:
        pane: Not on a screen yet.
        stored: What there is to show; a test may put another in its place, and `look`.
        settings: What is chosen at first.
    """

    def __init__(self, pane: ChartsPane[Any], stored: StoreSnapshot, **settings: Any) -> None:
        super().__init__(pane)
        self.store = stored
        self.settings = settings_of(**settings)
        self.colours, self.summary_cache = RunColours(), SummaryCache()
        self.said: list[str] = []

    def on_mount(self) -> None:
        self.look()

    def look(self) -> None:
        self.pane.show(build_view(self.store, self.settings, self.colours, self.summary_cache))

    def on_choose(self, message: Choose) -> None:
        self.settings = message.of(self.settings)
        self.look()

    def notify(self, message: str, **_: Any) -> None:
        self.said.append(message)


class AskedApp(PaneApp):
    """A pane with what it asks the app for beside settings."""

    def __init__(self, pane: Any, stored: StoreSnapshot, **settings: Any) -> None:
        super().__init__(pane, stored, **settings)
        self.copied: list[str] = []
        self.paths: list[str] = []

    def copy_to_clipboard(self, text: str) -> None:
        self.copied.append(text)

    def on_copy_requested(self, message: CopyRequested) -> None:
        self.paths.append(message.run)


async def pressed(pilot: Pilot[None], keys: str) -> None:
    """Press keys as one does who looks at the screen: each once all that went before is shown. Waits without any, too.

    What keys do that come faster than pictures is for whoever presses them with `pilot.press`.
    """
    app = pilot.app
    assert isinstance(app, PaneAlone)
    await pilot.pause()
    await _shown(app, pilot)
    for key in keys.split():
        await pilot.press(key)
        await _shown(app, pilot)


async def _shown(app: PaneAlone, pilot: Pilot[None]) -> None:
    await app.pane.idle()
    await pilot.pause()
