"""Open the Scalars tab on runs without files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tbtui.plugins.scalars.pane.pane import ScalarsPane
from tests.helpers.pane_app import PaneApp
from tests.helpers.snapshots import run, store

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

FALLING = tuple(100 / (step + 1) for step in range(100))
"""Values at steps 0 to 99."""

TAGS = ("acc", "loss/train", "loss/val", "lr")
RUNS: Mapping[str, Mapping[str, Sequence[float]]] = {
    name: dict.fromkeys(TAGS, tuple(value * factor for value in FALLING)) for factor, name in enumerate("abc", 1)
}


class ScalarsApp(PaneApp):
    """Shows runs through settings."""

    def __init__(self, runs: Mapping[str, Mapping[str, Sequence[float]]] = RUNS, **settings: Any) -> None:
        stored = store(*(run(name, tags) for name, tags in runs.items()))
        super().__init__(ScalarsPane(), stored, **{"smoothing": 0.0, **settings})
