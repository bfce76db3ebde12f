"""The Text dashboard: Markdown documents and tables of text, one at each step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.plugins.base import Plugin

if TYPE_CHECKING:
    from tbtui.widgets.pane import Pane


def _load_pane() -> type[Pane]:
    from tbtui.plugins.text.pane.pane import TextPane  # Textual is imported when the tab is opened

    return TextPane


PLUGIN = Plugin("text", "Text", "texts", frozenset({"text"}), _load_pane)
