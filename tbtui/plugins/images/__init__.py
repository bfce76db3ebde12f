"""The Images dashboard: the pictures of every tag at every step, and one of them in full size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.plugins.base import Plugin

if TYPE_CHECKING:
    from tbtui.widgets.pane import Pane


def _load_pane() -> type[Pane]:
    from tbtui.plugins.images.pane import ImagesPane  # Textual and Pillow are imported when the tab is opened

    return ImagesPane


PLUGIN = Plugin("images", "Images", "images", frozenset({"images"}), _load_pane)
