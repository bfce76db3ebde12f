"""The Compare dashboard: one row a run, one column a scalar tag."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.plugins.base import Plugin, PrintedText
from tbtui.plugins.comparison.settings import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.report.blocks import Block
    from tbtui.report.options import PrintOptions
    from tbtui.view.view import View
    from tbtui.widgets.pane import Pane


def _load_pane() -> type[Pane]:
    from tbtui.plugins.comparison.pane.pane import ComparisonPane

    return ComparisonPane


def _blocks(view: View, options: PrintOptions) -> Iterator[Block]:
    from tbtui.plugins.comparison.text import comparison_blocks

    return comparison_blocks(view, options)


PLUGIN = Plugin(
    "comparison",
    "Compare",
    "scalars",
    frozenset({"scalars"}),
    _load_pane,
    rank=20,
    text=PrintedText(_blocks, takes_figure=True),
    settings=SETTINGS,
)
