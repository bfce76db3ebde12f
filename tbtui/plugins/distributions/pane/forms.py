"""Form fields of the Distributions tab. Imports no Textual."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.plugins.histograms.pane.forms import cards_fields
from tbtui.widgets.form_fields import axes_fields, drawing_fields, row_order_field

if TYPE_CHECKING:
    from tbtui.settings.settings import Settings
    from tbtui.widgets.form_fields import Field


def options_fields(settings: Settings) -> tuple[Field, ...]:
    """Return the fields of all charts; they have the names of the fields of `Settings`."""
    return *axes_fields(settings), *drawing_fields(settings), *cards_fields(settings), row_order_field(settings)
