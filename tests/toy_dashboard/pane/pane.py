"""Show levels in a tab; only modules in `pane` import Textual."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from tbtui.loading.payloads import Payloads
from tbtui.plugins.scalars.cards import Cards
from tbtui.plugins.scalars.chart_labels import format_settings_label
from tbtui.plugins.scalars.number_kind import NumberCharts
from tbtui.plugins.scalars.painter import ScalarRenderer, ScalarSource
from tbtui.view.card_painter import Painter
from tbtui.widgets.chart_keys import TAG_CARD_KEYS, WRITE_KEYS
from tbtui.widgets.charts_pane import ChartsPane, PreparedView
from tbtui.widgets.pane import create_setting_bindings
from tests.toy_dashboard.chart import LEVELS
from tests.toy_dashboard.settings import COLUMN

if TYPE_CHECKING:
    from textual.binding import BindingType

    from tbtui.settings.settings import Settings
    from tbtui.view.view import View
    from tbtui.widgets.form_fields import CardForms


class LevelsPane(ChartsPane[Cards]):
    """Shows one card per tag, with a line for every drawn run."""

    BINDING_GROUP_TITLE = "Levels"
    SETTINGS = (COLUMN,)
    BINDINGS: ClassVar[list[BindingType]] = [*TAG_CARD_KEYS, *WRITE_KEYS, *create_setting_bindings(SETTINGS)]

    def __init__(self, payloads: Payloads | None = None) -> None:
        super().__init__(payloads)
        self._reader = payloads or Payloads()
        self._data = NumberCharts(LEVELS, self._reader)
        self._renderer = ScalarRenderer()

    def prepare_cards(self, view: View) -> PreparedView[Cards]:
        cards = self._data.cards(view)
        return PreparedView(view, cards, Painter(ScalarSource(self._data, self._renderer, view), cards))

    def card_forms(self) -> CardForms[Cards]:
        from tbtui.plugins.scalars.pane.forms import NumberForms

        return NumberForms(LEVELS, self._reader)

    def is_overview(self, settings: Settings) -> bool:
        return settings.overview

    def status(self) -> str:
        view = self.view
        return (
            ""
            if view is None
            else format_settings_label(view.settings, self.opened.key, [run.name for run in view.runs])
        )
