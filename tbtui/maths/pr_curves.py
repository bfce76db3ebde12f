"""Thresholds, displayed range and F1 scores of precision-recall curves."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats: TypeAlias = npt.NDArray[np.float64]


def thresholds(count: int) -> Floats:
    """Return the thresholds of a curve, float64[count]: evenly spaced from 0 to 1, since they are not stored.

    Predictions at or above a threshold count as positive. (TensorBoard's `pr_curves_plugin.py`)
    """
    return np.linspace(0.0, 1.0, count, dtype=np.float64)


def displayed_count(true_positives: Floats, false_positives: Floats) -> int:
    """Return the number of leading thresholds that are drawn: beyond them nothing is predicted positive.

    There precision is 0 / 0, and writers store 0, which would drag the curve down. The rule is TensorBoard's
    (`pr_curves_plugin.py`): counts are truncated to integers, and at least one threshold is drawn.

    Args:
        true_positives: float64[T]; NaN counts as a prediction.
        false_positives: float64[T].
    """
    with np.errstate(invalid="ignore", over="ignore"):
        predicted = np.flatnonzero(np.trunc(true_positives) + np.trunc(false_positives) != 0)
    return int(predicted[-1]) + 1 if len(predicted) else 1


def f1_scores(precision: Floats, recall: Floats) -> Floats:
    """Return the harmonic mean of precision and recall, float64[n]; 0 if both are 0, NaN if either is not finite."""
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        both = precision + recall
        scores = np.where(both == 0, 0.0, 2 * (precision * (recall / both)))
    return np.where(np.isfinite(precision) & np.isfinite(recall), scores, np.nan)


def average_precision(precision: Floats, recall: Floats) -> float:
    """Return the area under a curve as steps: the precision at each point times the recall gained since the one before.

    Nothing is interpolated: straight lines between points of a precision-recall curve promise more than any threshold
    can keep. Recall begins at 0, so that the area does not depend on how confident the first predictions are. With
    all thresholds this is scikit-learn's `average_precision_score`; with those of a summary it is near it.

    Args:
        precision: float64[n] by rising threshold, as stored. Points that are not finite do not count.
        recall: float64[n] of the same thresholds; points are sorted by it where it does not fall.

    Returns:
        NaN where there is no point, or no recall above 0: no example is positive.
    """
    finite = np.isfinite(precision) & np.isfinite(recall)
    precision, recall = precision[finite][::-1], recall[finite][::-1]
    if not len(recall) or recall.max() <= 0:
        return float("nan")
    order = np.argsort(recall, kind="stable")
    with np.errstate(over="ignore", invalid="ignore"):
        return float(np.diff(recall[order], prepend=0.0) @ precision[order])
