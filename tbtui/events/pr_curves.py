"""One precision-recall curve: a tensor of six rows, the same whoever wrote it.

Source: TensorBoard `plugins/pr_curve/summary.py` (what the rows are), `metadata.py` (their order); PyTorch and
tensorboardX `summary.py` `pr_curve`, `pr_curve_raw`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.events.kinds import KINDS
from tbtui.events.tensors import spelled, to_array

if TYPE_CHECKING:
    import numpy.typing as npt

TRUE_POSITIVES, FALSE_POSITIVES, TRUE_NEGATIVES, FALSE_NEGATIVES, PRECISION, RECALL = range(6)
"""The rows of a curve."""

ROWS = 6

MOST_THRESHOLDS = 1 << 20
"""TensorFlow writes 201, PyTorch 127 at most; a shape is only a claim."""


class CurveError(ValueError):
    """What stands here cannot be drawn as a precision-recall curve; the message is one plain sentence."""


def read_curve(value: Any) -> npt.NDArray[np.float64]:
    """The curve that a `SummaryValue` holds.

    Returns:
        float64[6, T], T >= 1: the rows as they are numbered above, a column for each of T thresholds, as stored:
        counts may be fractions, and anything may be NaN.

    Raises:
        CurveError: It holds something else.
        TensorError: Its tensor cannot be read.
    """
    kind = value.WhichOneof("value")
    if kind != "tensor":
        raise CurveError(f"{KINDS[kind]} stands here in place of a PR curve")
    sizes = [int(dim.size) for dim in value.tensor.tensor_shape.dim]
    if len(sizes) == 2 and sizes[1] > MOST_THRESHOLDS:
        raise CurveError(f"a PR curve of {sizes[1]:,} thresholds is too large to show")
    array = to_array(value.tensor)
    if array.dtype.kind in "Oc":
        raise CurveError("a tensor without real numbers stands here in place of a PR curve")
    if array.ndim != 2 or array.shape[0] != ROWS:
        what = f"a tensor of shape {spelled(array.shape)}" if array.ndim else "a single number"
        raise CurveError(f"{what} stands here in place of a PR curve, which has {ROWS} rows")
    if not array.shape[1]:
        raise CurveError("a PR curve without thresholds")
    return array.astype(np.float64)
