"""Print levels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.cli.print.sheet import Heading, Words
from tbtui.viewstate.shown_tags import ShownTags
from tests.toy_dashboard.decode import levels_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.cli.print.asked import Asked
    from tbtui.cli.print.sheet import Block
    from tbtui.viewstate.view import View


def level_blocks(view: View, asked: Asked) -> Iterator[Block]:
    for tag in ShownTags("levels").of(view):
        yield Heading(tag)
        yield Words(tuple(f"{run.name}: {levels_of(run, tag)}" for run in view.runs))
