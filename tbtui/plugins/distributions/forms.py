"""The forms of the Distributions tab: what is chosen as fields. Imports no Textual."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.plugins.histograms.forms import cards_fields
from tbtui.widgets.chart_forms import axes_fields, drawing_fields, row_order_field

if TYPE_CHECKING:
    from tbtui.viewstate.choices import Choices
    from tbtui.widgets.form_fields import Field


def options_fields(choices: Choices) -> tuple[Field, ...]:
    """Everything that can be set for all charts; the fields have the names of those of `Choices`."""
    return *axes_fields(choices), *drawing_fields(choices), *cards_fields(choices), row_order_field(choices)
