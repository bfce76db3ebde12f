"""Thresholds, displayed range and F1 scores of precision-recall curves."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats: TypeAlias = npt.NDArray[np.float64]


def compute_thresholds(count: int) -> Floats:
    """Return the thresholds of a curve, float64[count]: evenly spaced from 0 to 1, since they are not stored.

    Predictions at or above a threshold count as positive. (TensorBoard's `pr_curves_plugin.py`)
    """
    return np.linspace(0.0, 1.0, count, dtype=np.float64)


def count_displayed(true_positives: Floats, false_positives: Floats) -> int:
    """Return the number of leading thresholds that are drawn; no example is predicted positive at later ones.

    Precision there is 0 / 0, and writers store 0, which would pull the curve down. The rule is TensorBoard's
    (`pr_curves_plugin.py`): counts are truncated to integers, and at least one threshold is drawn.

    Args:
        true_positives: float64[T]; NaN counts as a prediction.
        false_positives: float64[T].
    """
    with np.errstate(invalid="ignore", over="ignore"):
        predicted = np.flatnonzero(np.trunc(true_positives) + np.trunc(false_positives) != 0)
    return int(predicted[-1]) + 1 if len(predicted) else 1


def compute_f1_scores(precision: Floats, recall: Floats) -> Floats:
    """Return the harmonic mean of precision and recall, float64[n]; 0 if both are 0, NaN if either is not finite."""
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        total = precision + recall
        scores = np.where(total == 0, 0.0, 2 * (precision * (recall / total)))
    return np.where(np.isfinite(precision) & np.isfinite(recall), scores, np.nan)


def average_precision(precision: Floats, recall: Floats) -> float:
    """Return the area under a curve as steps: the sum of precision times the increase of recall at each point.

    Nothing is interpolated: straight lines between points of a precision-recall curve show values that no threshold
    reaches. Recall begins at 0, so that the area does not depend on the confidence of the first predictions. With all
    thresholds the result is scikit-learn's `average_precision_score`; with those of a summary it is close to it.

    Args:
        precision: float64[n] by rising threshold, as stored. Points that are not finite are ignored.
        recall: float64[n] of the same thresholds; points are sorted by recall.

    Returns:
        NaN without points, or if no recall is above 0 (there are no positive examples).
    """
    finite = np.isfinite(precision) & np.isfinite(recall)
    precision, recall = precision[finite][::-1], recall[finite][::-1]
    if not len(recall) or recall.max() <= 0:
        return float("nan")
    order = np.argsort(recall, kind="stable")
    with np.errstate(over="ignore", invalid="ignore"):
        return float(np.diff(recall[order], prepend=0.0) @ precision[order])
