"""What the user has chosen for one chart alone, as one frozen value."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from tbtui.charts.axis import Scale
    from tbtui.viewstate.options import Best

Range: TypeAlias = "tuple[float | None, float | None]"
"""Ends of an axis set by hand, in data units (steps, seconds, values); None leaves that end to the data."""

WHOLE: Range = (None, None)
"""Both ends as the data has them."""


@frozen
class ReferenceLine:
    """A horizontal line drawn into a chart by hand."""

    y: float
    name: str = ""


@frozen
class ChartChoices:
    """What was chosen for one chart alone. The default chooses nothing."""

    y_scale: Scale | None = None
    """None: as all charts have it."""

    x_range: Range = WHOLE
    y_range: Range = WHOLE
    lines: tuple[ReferenceLine, ...] = ()
    best: Best | None = None
    """Whether the least or the greatest value is the best one; None: told from the tag's name."""

    across_range: Range = WHOLE
    """What is seen across where neither axis has steps or times, as of PR curves; `y_range` is what is seen down."""


PLAIN_CHART = ChartChoices()
