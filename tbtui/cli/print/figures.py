"""Numbers that stand below one another in a table."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tbtui.charts.cells import Ink
from tbtui.charts.numbers import told_apart
from tbtui.cli.print.sheet import Piece

if TYPE_CHECKING:
    from collections.abc import Sequence

MISSING = Piece("–", Ink.FAINT)
"""Where there is none."""


def figures(values: Sequence[float | None]) -> list[Piece]:
    """With as many digits as tell them apart; in red what is no number."""
    texts = iter(told_apart([value for value in values if value is not None]))
    return [
        MISSING if value is None else Piece(next(texts), Ink.TEXT if math.isfinite(value) else Ink.BAD)
        for value in values
    ]
