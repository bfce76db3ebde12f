"""Precision-recall curves in the Python API."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from tbtui.api.values import Value, Values
from tbtui.maths.pr_curves import compute_thresholds
from tbtui.plugins.pr_curves.read import (
    FALSE_NEGATIVES,
    FALSE_POSITIVES,
    PRECISION,
    RECALL,
    TRUE_NEGATIVES,
    TRUE_POSITIVES,
    read_curve,
)

if TYPE_CHECKING:
    from typing import TypeAlias

    import numpy as np
    import numpy.typing as npt

    from tbtui.api.values import ValueLocation

    Floats: TypeAlias = npt.NDArray[np.float64]


class PrCurve(Value):
    """The curve of a step: read-only arrays float64[T], one number for each of T thresholds.

    Counts may be fractions. Precision is stored as 0 if nothing is predicted to be positive. Raises `PayloadError` if
    the curve cannot be read.
    """

    @cached_property
    def thresholds(self) -> Floats:
        """Evenly spaced from 0 to 1, since they are not stored. Predictions at or above a threshold are positive."""
        return compute_thresholds(self._rows.shape[1])

    @property
    def precision(self) -> Floats:
        """Share of the positive predictions that are right."""
        return self._row(PRECISION)

    @property
    def recall(self) -> Floats:
        """Share of the positive examples that are predicted to be positive."""
        return self._row(RECALL)

    @property
    def true_positives(self) -> Floats:
        """Count of true positives."""
        return self._row(TRUE_POSITIVES)

    @property
    def false_positives(self) -> Floats:
        """Count of false positives."""
        return self._row(FALSE_POSITIVES)

    @property
    def true_negatives(self) -> Floats:
        """Count of true negatives."""
        return self._row(TRUE_NEGATIVES)

    @property
    def false_negatives(self) -> Floats:
        """Count of false negatives."""
        return self._row(FALSE_NEGATIVES)

    def _row(self, number: int) -> Floats:
        row: Floats = self._rows[number]
        return row

    @cached_property
    def _rows(self) -> Floats:
        return self._location.decode(read_curve)


class PrCurves(Values[PrCurve]):
    """Curves of a tag: `curves[-1].precision`, `curves[-1].recall`."""

    plugin = "pr_curves"

    def _value(self, location: ValueLocation) -> PrCurve:
        return PrCurve(location)
