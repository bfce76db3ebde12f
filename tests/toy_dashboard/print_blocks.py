"""Print levels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.cells import Ink
from tbtui.charts.text import safe
from tbtui.report.blocks import Heading, Notes
from tbtui.view.cards import ShownTags
from tests.toy_dashboard.decode import levels_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.report.blocks import Block
    from tbtui.report.options import PrintOptions
    from tbtui.view.view import View


def level_blocks(view: View, options: PrintOptions) -> Iterator[Block]:
    for tag in ShownTags("levels").of(view):
        yield Heading(tag)
        for run in view.runs:
            levels, reasons = levels_of(run, tag)
            yield Notes((f"{safe(run.name)}: {levels}",))
            if reasons:
                yield Notes(tuple(safe(reason) for reason in reasons), Ink.WARN)
