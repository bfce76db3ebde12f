"""Precision-recall curves of one tag of one run."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from tbtui.api.values import Value, Values
from tbtui.maths.pr_curves import thresholds
from tbtui.plugins.pr_curves.read import (
    FALSE_NEGATIVES,
    FALSE_POSITIVES,
    PRECISION,
    RECALL,
    TRUE_NEGATIVES,
    TRUE_POSITIVES,
    curves_in,
)

if TYPE_CHECKING:
    from typing import TypeAlias

    import numpy as np
    import numpy.typing as npt

    from tbtui.api.values import ValueLocation

    Floats: TypeAlias = npt.NDArray[np.float64]


class PrCurve(Value):
    """The curve of a step: float64[T] each, a number for each of T thresholds, read-only.

    Counts may be fractions. Where nothing is predicted to be positive precision is stored as 0. Raises `PayloadError`
    where it cannot be read.
    """

    @cached_property
    def thresholds(self) -> Floats:
        """Evenly from 0 to 1: they are not stored. What is predicted at or above one counts as positive."""
        return thresholds(self._rows.shape[1])

    @property
    def precision(self) -> Floats:
        """Of what is predicted to be positive, the share that is."""
        return self._row(PRECISION)

    @property
    def recall(self) -> Floats:
        """Of what is positive, the share that is predicted to be."""
        return self._row(RECALL)

    @property
    def true_positives(self) -> Floats:
        """A count."""
        return self._row(TRUE_POSITIVES)

    @property
    def false_positives(self) -> Floats:
        """A count."""
        return self._row(FALSE_POSITIVES)

    @property
    def true_negatives(self) -> Floats:
        """A count."""
        return self._row(TRUE_NEGATIVES)

    @property
    def false_negatives(self) -> Floats:
        """A count."""
        return self._row(FALSE_NEGATIVES)

    def _row(self, number: int) -> Floats:
        row: Floats = self._rows[number]
        return row

    @cached_property
    def _rows(self) -> Floats:
        place = self._place
        found = curves_in(place.block(), place.series)[place.point]
        if isinstance(found, str):
            raise place.refused(found)
        return found


class PrCurves(Values[PrCurve]):
    """The curves of a tag: `curves[-1].precision`, `curves[-1].recall`."""

    plugin = "pr_curves"

    def _value(self, place: ValueLocation) -> PrCurve:
        return PrCurve(place)
