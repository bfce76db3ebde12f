"""Choices given for one session, on the command line: what of them is kept for the next one."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING

from tbtui.viewstate.choices import all_charts
from tbtui.viewstate.saved_fields import NOT_KEPT

if TYPE_CHECKING:
    from tbtui.viewstate.choices import Choices


class Given:
    """Fields that begin a session otherwise than they were kept.

    They go back to what was kept when they were not touched; from the first change by hand on, they are kept as chosen.

    Args:
        kept: What the last session left.
        begun: What this one began with.
    """

    def __init__(self, kept: Choices, begun: Choices) -> None:
        self._kept = kept
        self._untouched = _different(kept, begun)

    def changed(self, before: Choices, after: Choices) -> bool:
        """The user has made `after` of `before`.

        Returns:
            Whether anything changed that is kept.
        """
        changed = _different(before, after)
        self._untouched -= changed
        return bool(changed - NOT_KEPT)

    def to_keep(self, choices: Choices) -> Choices:
        """What of the present choices is kept."""
        keep = replace(choices, **{name: getattr(self._kept, name) for name in self._untouched})
        if keep.x_axis != choices.x_axis:
            # Ranges set by hand are in the units of an axis that the next session will not have.
            kept = self._kept
            charts = {
                key: replace(keep.chart(key), x_range=kept.chart(key).x_range) for key in (*keep.charts, *kept.charts)
            }
            keep = replace(keep, x_range=kept.x_range, charts=all_charts(replace(keep, charts=charts)))
        return keep


def _different(some: Choices, others: Choices) -> frozenset[str]:
    """Names of the fields in which they differ."""
    return frozenset(held.name for held in fields(some) if getattr(some, held.name) != getattr(others, held.name))
