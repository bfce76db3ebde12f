"""Make PR curves, and event files with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tbtui.events.schema import get_message_class
from tbtui.events.tensors import make_tensor
from tbtui.events.writer import EventFileWriter
from tests.helpers.log_directory import FILE, START

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import numpy.typing as npt

    Floats: TypeAlias = npt.NDArray[np.float64]

PLUGIN = "pr_curves"

LABELS = (1, 1, 0, 1, 0, 0, 0, 1)
SCORES = (0.9, 0.8, 0.7, 0.6, 0.4, 0.35, 0.2, 0.1)
"""Eight examples, four of them positive, of which five thresholds (0, .25, .5, .75, 1) see this much:

    threshold   0    .25  .5   .75  1
    TP          4    3    3    2    0
    FP          4    3    1    0    0
    TN          0    1    3    4    4
    FN          0    1    1    2    4
    precision   1/2  1/2  3/4  1    0 (nothing is predicted to be positive)
    recall      1    3/4  3/4  1/2  0
    F1          2/3  3/5  3/4  2/3  0

The last threshold is not drawn. Average precision: 1/2 x 1 + (3/4 - 1/2) x 3/4 + (1 - 3/4) x 1/2 = 0.8125.
"""


def curve(
    labels: Sequence[float] = LABELS,
    scores: Sequence[float] = SCORES,
    thresholds: int = 5,
    weights: Sequence[float] | None = None,
) -> Floats:
    """Return the six rows of a curve, counted example by example."""
    truth, score = np.array(labels, np.float64), np.array(scores, np.float64)
    weight = np.ones(len(truth)) if weights is None else np.array(weights, np.float64)
    rows = np.zeros((6, thresholds))
    for column, threshold in enumerate(np.linspace(0, 1, thresholds)):
        positive = score >= threshold
        found, wrong = weight @ (positive * truth), weight @ (positive * (1 - truth))
        passed, missed = weight @ (~positive * (1 - truth)), weight @ (~positive * truth)
        precision = found / (found + wrong) if found + wrong else 0.0
        recall = found / (found + missed) if found + missed else 0.0
        rows[:, column] = found, wrong, passed, missed, precision, recall
    return rows


def log_curves(
    root: Path,
    run: str,
    tags: Mapping[str, Mapping[int, npt.ArrayLike]],
    *,
    file: str = FILE,
    start: float = START,
    display_name: str = "",
    description: str = "",
) -> Path:
    """Append arrays as float32, by tag and step. A step is logged ten seconds after the one before."""
    path = root / run / file
    path.parent.mkdir(parents=True, exist_ok=True)
    with EventFileWriter(str(path), wall_time=start) as writer:
        for tag, steps in tags.items():
            for number, (step, rows) in enumerate(steps.items()):
                event = get_message_class("Event")(wall_time=start + 10 * number, step=step)
                tensor = make_tensor(np.asarray(rows, np.float32))
                event.summary.value.append(tagged(tag, tensor, display_name, description))
                writer.event(event)
    return path


def tagged(tag: str, tensor: Any, display_name: str = "", description: str = "") -> Any:
    """Return a `SummaryValue` of the plugin."""
    value = get_message_class("SummaryValue")(tag=tag, tensor=tensor)
    value.metadata.plugin_data.plugin_name = PLUGIN
    value.metadata.display_name = display_name
    value.metadata.summary_description = description
    return value
