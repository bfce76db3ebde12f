"""Find the corpus of custom scalars, and load its logs."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tbtui.loading.loader import Loader
from tbtui.loading.sources import parse_sources
from tbtui.plugins.custom_scalars.arrangement import ArrangementCache
from tbtui.run_health.summaries import SummaryCache
from tbtui.settings.settings import Settings
from tbtui.view.run_names import RunColours
from tbtui.view.view import build_view

if TYPE_CHECKING:
    from tbtui.plugins.custom_scalars.arrangement import Arrangement
    from tbtui.store.snapshot import StoreSnapshot
    from tbtui.view.view import View

CUSTOM_CORPUS = Path(__file__).parents[1] / "tensorboard" / "custom_scalars"
CASES = sorted(path.name for path in (CUSTOM_CORPUS / "logs").iterdir())


def case_path(case: str) -> Path:
    """Return the log directory of a case."""
    return CUSTOM_CORPUS / "logs" / case


@lru_cache
def expected_answers() -> dict[str, Any]:
    """Return what TensorBoard's backend answers for each case."""
    answers: dict[str, Any] = json.loads((CUSTOM_CORPUS / "expected.json").read_text(encoding="utf-8"))
    return answers


@lru_cache
def case_snapshot(case: str) -> StoreSnapshot:
    """Return everything that a case holds."""
    return Loader(parse_sources([str(case_path(case))]), reload_seconds=0).load_all().snapshot


def case_view(case: str, **settings: Any) -> View:
    """Return a view of a case; settings are given by name, and smoothing is off."""
    chosen = Settings(**{"smoothing": 0.0, **settings})
    return build_view(case_snapshot(case), chosen, RunColours(), SummaryCache())


def case_arrangement(case: str, **settings: Any) -> Arrangement:
    """Return the arrangement of a case."""
    return ArrangementCache().get_arrangement(case_view(case, **settings))
