"""The forms of the Histograms tab: what is chosen as fields. Imports no Textual."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.plugins.histograms.words import LOOKS
from tbtui.viewstate.options import HEAT_SCALES
from tbtui.widgets.chart_forms import axes_fields, columns_field, drawing_fields, plain, row_order_field, yes_no
from tbtui.widgets.form_fields import Choice

if TYPE_CHECKING:
    from tbtui.viewstate.choices import Choices
    from tbtui.widgets.form_fields import Field


def options_fields(choices: Choices) -> tuple[Field, ...]:
    """Everything that can be set for all charts; the fields have the names of those of `Choices`."""
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
    """Which cards there are, where each shows a run or all of them, and how many stand in a row."""
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
