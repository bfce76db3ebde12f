"""Print levels."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
        yield Notes(tuple(f"{run.name}: {levels_of(run, tag)}" for run in view.runs))
