"""The Scalars dashboard: one line chart a tag."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.plugins.base import Plugin

if TYPE_CHECKING:
    from tbtui.widgets.pane import Pane


def _load_pane() -> type[Pane]:
    from tbtui.plugins.scalars.pane import ScalarsPane  # Textual is imported when the tab is opened

    return ScalarsPane


PLUGIN = Plugin("scalars", "Scalars", "scalars", frozenset({"scalars"}), _load_pane)
