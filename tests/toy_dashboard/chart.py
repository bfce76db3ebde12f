"""Charts of levels: lines over steps, as those of scalars."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.plugins.scalars.number_kind import NumberCharts, NumberKind
from tbtui.plugins.scalars.painter import create_charts
from tests.toy_dashboard.decode import read_level
from tests.toy_dashboard.settings import COLUMN, COLUMNS, NAME

if TYPE_CHECKING:
    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.picture import Charts
    from tbtui.view.view import View

LEVELS = NumberKind(NAME, "level", COLUMNS, read_level, COLUMN)


def level_charts(view: View, payloads: Payloads) -> Charts:
    """Return one chart per tag, with a line for every run."""
    return create_charts(NumberCharts(LEVELS, payloads), view)
