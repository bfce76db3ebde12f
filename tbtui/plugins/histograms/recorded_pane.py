"""A pane that shows recorded histograms, whatever of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from tbtui.charts.text import safe
from tbtui.loading.payloads import Payloads
from tbtui.plugins.histograms.words import written_word
from tbtui.viewstate.changes import next_outliers
from tbtui.widgets.run_cards_pane import RunCardsPane

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.viewstate.view import View
    from tbtui.widgets.file_writing import Written


class RecordedPane(RunCardsPane):
    """One card a run and tag, or for all runs together one a tag."""

    writes_quantiles: ClassVar[bool] = False
    """What is offered first where data is written to a file: quantiles of steps, or buckets."""

    UNUSED = frozenset({"smooth"})
    BINDING_GROUP_TITLE = "Charts"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("O", "next_outliers", show=False, id="runs.outliers", tooltip="outliers"),
    ]

    def __init__(self, payloads: Payloads | None = None) -> None:
        super().__init__(payloads)
        self.read_by = payloads or Payloads()
        """Reads histograms."""

    def about(self, view: View, tag: str, run: str | None) -> Sequence[str]:
        """What is known of a tag."""
        from tbtui.plugins.histograms.about import about

        return about(self.read_by, view, tag, run)

    def ask_file(self, view: View, key: str) -> None:
        """Ask for a file, and write buckets or quantiles to it."""
        from tbtui.plugins.histograms.writing import Writing, written_fields

        writing = Writing(self.read_by, view, key)

        def say(written: Written) -> None:
            self.notify(safe(written_word(written, writing.refusals)), title="written", markup=False)

        title = f"write the histograms of {self.name_of(key)}"
        fields = written_fields(quantiles=self.writes_quantiles)
        self.open_form(title, fields, writing, say, slow=True, cancel=writing.stop)

    def action_next_outliers(self) -> None:
        """Another rule for values far out."""
        self.change(next_outliers)
