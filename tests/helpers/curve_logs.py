"""Write PR curves into event files, and make views of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.loading.loader import Loader
from tbtui.loading.sources import parse_sources
from tbtui.run_health.summaries import SummaryCache
from tbtui.view.run_names import RunColours
from tbtui.view.view import build_view
from tests.helpers.curve_snapshots import curve, log_curves
from tests.helpers.log_directory import START
from tests.helpers.settings import settings_of

if TYPE_CHECKING:
    from pathlib import Path

    from tbtui.store.snapshot import StoreSnapshot
    from tbtui.view.view import View

PERFECT = curve((1, 1, 0, 0), (0.9, 0.8, 0.2, 0.1), 5)
"""Average precision 1, F1 1 from threshold .25 to .75; at 1 nothing is predicted, at 0 everything:

    threshold   0    .25  .5  .75  1
    TP          2    2    2   2    0
    FP          2    0    0   0    0
    precision   1/2  1    1   1    0
    recall      1    1    1   1    0
"""

POOR = curve((0, 1, 0, 1), (0.9, 0.8, 0.2, 0.1), 5)
"""Precision 1/2 at every threshold that is drawn; recall 1, then 1/2: average precision 1/2, best F1 2/3 at 0."""

NAN = np.full((6, 5), np.nan)


def log_runs(root: Path) -> None:
    """Two runs with curves of `pr/cat` at steps 0, 10, 20 and at 0, 20, 40, the first alone with `pr/dog`."""
    log_curves(root, "a", {"pr/cat": {0: POOR, 10: curve(), 20: PERFECT}, "pr/dog": {0: curve()}})
    log_curves(root, "b", {"pr/cat": {0: POOR, 20: POOR, 40: curve()}}, start=START + 1000)


def load(root: Path) -> StoreSnapshot:
    """What a log directory holds."""
    return Loader(parse_sources([str(root)]), now=lambda: START).load_all().snapshot


def view_in(root: Path, **settings: Any) -> View:
    """A log directory seen through settings."""
    return build_view(load(root), settings_of(**settings), RunColours(), SummaryCache())
