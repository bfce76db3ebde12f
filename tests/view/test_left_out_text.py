"""What a card says of the points that the step axis leaves out."""

from __future__ import annotations

import numpy as np
import pytest

from tbtui.store.snapshot import Metadata, ScalarSeries
from tbtui.view.descriptions import format_left_out


def series(*steps: int) -> ScalarSeries:
    times = np.arange(len(steps), dtype=np.float64)
    return ScalarSeries("run", "tag", Metadata("scalars"), 1, np.array(steps, np.int64), times, times)


@pytest.mark.parametrize(
    ("steps", "step", "text"),
    [
        ((0, 1, 2), 2, ""),
        ((0, 0, 0, 0, 0), 0, "4 more at this step (u)"),
        ((0, 1, 2, 1, 2, 3), 3, "2 superseded (u)"),
        ((0, 1, 2, 1, 2, 3), 2, "1 more at this step (u)"),
    ],
)
def test_left_out_text_counts_superseded_points(steps: tuple[int, ...], step: int, text: str) -> None:
    assert format_left_out(series(*steps), step) == text
