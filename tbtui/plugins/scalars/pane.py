"""The pane of the Scalars tab: a grid of charts, and one of them in full size."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from tbtui.plugins.scalars import changes
from tbtui.plugins.scalars.data import ScalarData
from tbtui.plugins.scalars.drawing import Drawing
from tbtui.plugins.scalars.form_keys import FormKeys
from tbtui.plugins.scalars.groups import groups_of
from tbtui.plugins.scalars.painter import ScalarsPainter
from tbtui.plugins.scalars.words import settings
from tbtui.viewstate.changes import next_outliers
from tbtui.widgets.charts_pane import Charted

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.scalars.cards import Cards
    from tbtui.viewstate.view import View


class ScalarsPane(FormKeys):
    """One card a tag, or for several that are joined."""

    BINDING_GROUP_TITLE = "Charts"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("O", "next_outliers", show=False, id="scalars.outliers", tooltip="outliers"),
        Binding("m", "switch_extremes", show=False, id="scalars.extremes", tooltip="min, max, best"),
    ]

    def __init__(self, payloads: Payloads | None = None) -> None:
        super().__init__(payloads)
        self._data = ScalarData()
        self._drawing = Drawing()

    def charted(self, view: View) -> Charted[Cards]:
        """The cards of a view."""
        cards = self._data.cards(view)
        return Charted(view, cards, ScalarsPainter(self._data, self._drawing, view, cards))

    def status(self) -> str:
        """How the charts are drawn."""
        view = self.view
        return "" if view is None else settings(view.choices, self.opened.key, [run.name for run in view.runs])

    def groups(self, view: View) -> Mapping[str, Collection[str]]:
        """Runs that are averaged."""
        return {group.name: group.runs for group in groups_of([run.name for run in view.runs], view.choices)}

    def action_next_outliers(self) -> None:
        """Another rule for values far out."""
        self.change(next_outliers)

    def action_switch_extremes(self) -> None:
        """Mark least, greatest and best values, or no longer."""
        self.change(changes.extremes_switched)
