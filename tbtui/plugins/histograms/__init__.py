"""The Histograms dashboard: how the values of a tag were distributed at every step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.plugins.base import Plugin

if TYPE_CHECKING:
    from tbtui.widgets.pane import Pane


def _load_pane() -> type[Pane]:
    from tbtui.plugins.histograms.pane import HistogramsPane  # Textual is imported when the tab is opened

    return HistogramsPane


PLUGIN = Plugin("histograms", "Histograms", "histograms", frozenset({"histograms"}), _load_pane)
