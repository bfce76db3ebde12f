"""The Audio dashboard: sounds as waveforms and spectrograms, played by what the machine has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.plugins.base import Plugin

if TYPE_CHECKING:
    from tbtui.widgets.pane import Pane


def _load_pane() -> type[Pane]:
    from tbtui.plugins.audio.pane import AudioPane  # Textual is imported when the tab is opened

    return AudioPane


PLUGIN = Plugin("audio", "Audio", "sounds", frozenset({"audio"}), _load_pane)
