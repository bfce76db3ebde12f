"""The PR curves dashboard: precision over recall, one chart a tag with a curve for every run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.plugins.base import Plugin

if TYPE_CHECKING:
    from tbtui.widgets.pane import Pane


def _load_pane() -> type[Pane]:
    from tbtui.plugins.pr_curves.pane import PrCurvesPane  # Textual is imported when the tab is opened

    return PrCurvesPane


PLUGIN = Plugin("pr_curves", "PR curves", "PR curves", frozenset({"pr_curves"}), _load_pane)
