"""Print levels: a chart and a table for each tag."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.plugins.scalars.number_kind import NumberCharts
from tbtui.plugins.scalars.print_blocks import build_all_blocks
from tests.toy_dashboard.chart import LEVELS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.report.blocks import Block
    from tbtui.report.options import PrintOptions
    from tbtui.view.view import View


def level_blocks(view: View, options: PrintOptions) -> Iterator[Block]:
    """Yield a chart, its table and the unreadable values for each matching tag."""
    return build_all_blocks(NumberCharts(LEVELS, options.cache.payloads), view, options)
