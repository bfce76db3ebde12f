"""Sounds in real event files, and the tab that reads them again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.events.messages import message
from tbtui.events.tensors import make_tensor
from tbtui.events.writer import EventFileWriter
from tbtui.loading.loader import Loader
from tbtui.loading.payloads import Payloads
from tbtui.loading.sources import parse_sources
from tbtui.plugins.audio.pane import AudioPane
from tbtui.plugins.audio.player import Machine
from tbtui.viewstate.choices import Choices
from tbtui.viewstate.colours import RunColours
from tbtui.viewstate.facts import FactsCache
from tbtui.viewstate.select import view_of
from tests.log_directory import FILE, START, LogDirectory
from tests.made_sounds import sine, wav
from tests.plugins.pane_app import PaneApp

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tbtui.store.snapshot import StoreSnapshot
    from tbtui.viewstate.view import View

TONE = wav(sine(440))
NO_SOUND = Machine({}, which=lambda _: None, platform="linux")


class AudioLogs(LogDirectory):
    """Writes sounds into event files below a directory, and loads them."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self._loader: Loader | None = None

    def add(self, run: str, tags: Mapping[str, Mapping[int, Any]], *, file: str = FILE) -> None:
        """Append to a run: of each tag, step to a value, to the bytes of one sound, or to several with labels."""
        path = self.path(run, file)
        path.parent.mkdir(parents=True, exist_ok=True)
        with EventFileWriter(str(path), wall_time=START) as writer:
            for tag, steps in tags.items():
                for step, held in steps.items():
                    event = message("Event")(wall_time=START + step, step=step)
                    value = old(held) if isinstance(held, bytes) else new(*held) if isinstance(held, list) else held
                    value.tag = tag
                    event.summary.value.append(value)
                    writer.event(event)

    def load(self) -> StoreSnapshot:
        """All that is there by now."""
        if self._loader is None:
            self._loader = Loader(parse_sources([str(self.root)]), now=lambda: START)
        return self._loader.load_all().snapshot

    def view(self, **choices: Any) -> View:
        """What is there, seen through choices given by name."""
        return view_of(self.load(), Choices(**choices), RunColours(), FactsCache())

    def app(self, machine: Machine = NO_SOUND, **choices: Any) -> PaneApp:
        """The tab that shows it."""
        return PaneApp(AudioPane(Payloads(), lambda: machine), self.load(), **choices)


def old(data: bytes) -> Any:
    """A value as PyTorch writes it."""
    value = message("SummaryValue")()
    value.audio.encoded_audio_string, value.audio.content_type = data, "audio/wav"
    return value


def new(*sounds: tuple[bytes, str], description: str = "") -> Any:
    """A value as TensorFlow 2 writes it: sounds with labels."""
    rows = np.empty((len(sounds), 2), object)
    for row, (data, label) in zip(rows, sounds, strict=True):
        row[:] = data, label.encode()
    value = message("SummaryValue")(tensor=make_tensor(rows))
    value.metadata.plugin_data.plugin_name = "audio"
    value.metadata.plugin_data.content = b"\x10\x0b"
    value.metadata.summary_description = description
    return value
