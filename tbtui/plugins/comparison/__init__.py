"""The Compare dashboard: one row a run, one column a scalar tag."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.plugins.base import Plugin

if TYPE_CHECKING:
    from tbtui.widgets.pane import Pane


def _load_pane() -> type[Pane]:
    from tbtui.plugins.comparison.pane import ComparisonPane  # Textual is imported when the tab is opened

    return ComparisonPane


PLUGIN = Plugin("comparison", "Compare", "scalars", frozenset({"scalars"}), _load_pane)
