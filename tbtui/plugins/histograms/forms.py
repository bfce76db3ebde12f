"""Forms and pages of the cards of recorded histograms. Imports no Textual."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.plugins.histograms.about import about
from tbtui.plugins.histograms.words import LOOKS, written_word
from tbtui.plugins.histograms.writing import Writing, written_fields
from tbtui.viewstate.options import HEAT_SCALES
from tbtui.viewstate.run_cards import RunCards
from tbtui.widgets.chart_forms import (
    CardForms,
    FileForm,
    axes_fields,
    columns_field,
    drawing_fields,
    plain,
    row_order_field,
    yes_no,
)
from tbtui.widgets.form_fields import Choice

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tbtui.loading.payloads import Payloads
    from tbtui.viewstate.choices import Choices
    from tbtui.viewstate.view import View
    from tbtui.widgets.form_fields import Field


class HistogramForms(CardForms[RunCards]):
    """Forms and pages of recorded histograms, for the Histograms and the Distributions tab.

    Args:
        payloads: Reads histograms.
        options: Returns the fields of all charts.
        quantiles_first: True if the file form offers quantiles of steps first, otherwise buckets.
    """

    def __init__(
        self, payloads: Payloads, options: Callable[[Choices], Sequence[Field]], *, quantiles_first: bool = False
    ) -> None:
        self._payloads = payloads
        self._options = options
        self._quantiles_first = quantiles_first

    def options_fields(self, view: View) -> Sequence[Field]:
        return self._options(view.choices)

    def about(self, view: View, cards: RunCards, key: str) -> Sequence[str]:
        return about(self._payloads, view, cards.tag_of(key), cards.run_of(key))

    def file_form(self, view: View, cards: RunCards, key: str) -> FileForm:
        writing = Writing(self._payloads, view, key)
        return FileForm(
            f"write the histograms of {cards.name_of(key)}",
            written_fields(quantiles=self._quantiles_first),
            writing,
            writing.stop,
            lambda written: written_word(written, writing.refusals),
        )


def options_fields(choices: Choices) -> tuple[Field, ...]:
    """Return the fields of all charts; they have the names of the fields of `Choices`."""
    look = "density as colour; the steps one before the other; some steps as lines over one baseline"
    rows = ((False, "runs"), (True, "buckets"))
    return (
        Choice("histogram_look", "look", tuple(LOOKS.items()), choices.histogram_look, look),
        Choice(
            "heat_scale",
            "colours",
            plain(HEAT_SCALES),
            choices.heat_scale,
            "how the colours of a heat map grow with the part of a step's values",
        ),
        *axes_fields(choices),
        *drawing_fields(choices),
        *cards_fields(choices),
        Choice("bucket_rows", "table", rows, choices.bucket_rows, "below an opened chart: a row a run, or a bucket"),
        row_order_field(choices),
    )


def cards_fields(choices: Choices) -> tuple[Field, ...]:
    """Return the fields of the cards: one run or all of them, the overview, cards in a row."""
    return (
        Choice(
            "runs_together",
            "runs",
            ((False, "apart"), (True, "together")),
            choices.runs_together,
            "a card for each run, or one for all of them",
        ),
        yes_no(
            "overview", "overview", choices.overview, "small cards of all layers, in the order they were written in"
        ),
        columns_field(choices),
    )
