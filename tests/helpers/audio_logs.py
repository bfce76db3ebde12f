"""Write sounds into event files, and open the Audio tab on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.events.schema import get_message_class
from tbtui.events.tensors import make_tensor
from tbtui.loading.payloads import Payloads
from tbtui.plugins.audio.pane.pane import AudioPane
from tbtui.plugins.audio.pane.player import Machine
from tbtui.run_health.summaries import SummaryCache
from tbtui.view.run_names import RunColours
from tbtui.view.view import build_view
from tests.helpers.pane_app import PaneApp
from tests.helpers.sample_logs import SampleLogs
from tests.helpers.settings import settings_of
from tests.helpers.sounds import sine, wav

if TYPE_CHECKING:
    from tbtui.view.view import View

TONE = wav(sine(440))
NO_SOUND = Machine({}, which=lambda _: None, platform="linux")


class AudioLogs(SampleLogs):
    """Of each tag, step to the bytes of one sound, or to several with labels."""

    def value(self, held: Any) -> Any:
        return old(held) if isinstance(held, bytes) else new(*held)

    def view(self, **settings: Any) -> View:
        """What is there, seen through settings given by name."""
        return build_view(self.load(), settings_of(**settings), RunColours(), SummaryCache())

    def app(self, machine: Machine = NO_SOUND, **settings: Any) -> PaneApp:
        """The tab that shows it."""
        return PaneApp(AudioPane(Payloads(), lambda: machine), self.load(), **settings)


def old(data: bytes) -> Any:
    """A value as PyTorch writes it."""
    value = get_message_class("SummaryValue")()
    value.audio.encoded_audio_string, value.audio.content_type = data, "audio/wav"
    return value


def new(*sounds: tuple[bytes, str], description: str = "") -> Any:
    """A value as TensorFlow 2 writes it: sounds with labels."""
    rows = np.empty((len(sounds), 2), object)
    for row, (data, label) in zip(rows, sounds, strict=True):
        row[:] = data, label.encode()
    value = get_message_class("SummaryValue")(tensor=make_tensor(rows))
    value.metadata.plugin_data.plugin_name = "audio"
    value.metadata.plugin_data.content = b"\x10\x0b"
    value.metadata.summary_description = description
    return value
