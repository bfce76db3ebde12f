"""Pictures in real event files, and the tab that reads them again."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

from tbtui.events.messages import message
from tbtui.events.tensors import make_tensor
from tbtui.events.writer import EventFileWriter
from tbtui.loading.loader import Loader
from tbtui.loading.payloads import Payloads
from tbtui.loading.sources import parse_sources
from tbtui.plugins.images.pane import ImagesPane
from tests.log_directory import FILE, START, LogDirectory
from tests.plugins.pane_app import PaneApp

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from tbtui.store.snapshot import StoreSnapshot

RED, GREEN, BLUE, WHITE, BLACK = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255), (0, 0, 0)


def plain(colour: tuple[int, int, int], width: int = 8, height: int = 8) -> np.ndarray[Any, Any]:
    """A picture of one colour, uint8[height, width, 3]."""
    return np.full((height, width, 3), colour, np.uint8)


def encoded(pixels: np.ndarray[Any, Any], kind: str = "PNG") -> bytes:
    """A picture as a file."""
    file = BytesIO()
    Image.fromarray(pixels).save(file, kind)
    return file.getvalue()


def gif(colours: Sequence[tuple[int, int, int]], duration: int = 100) -> bytes:
    """An animation of frames of one colour each, of so many milliseconds."""
    frames = [Image.fromarray(plain(colour)) for colour in colours]
    file = BytesIO()
    frames[0].save(file, "GIF", save_all=True, append_images=frames[1:], duration=duration, loop=0)
    return file.getvalue()


class ImageLogs(LogDirectory):
    """Writes pictures into event files below a directory, and loads them."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self._loader: Loader | None = None

    def add(self, run: str, tags: Mapping[str, Mapping[int, Any]], *, file: str = FILE) -> None:
        """Append to a run: of each tag, step to a picture (pixels or bytes), a list of several, or a value as it is."""
        path = self.path(run, file)
        path.parent.mkdir(parents=True, exist_ok=True)
        with EventFileWriter(str(path), wall_time=START) as writer:
            for tag, steps in tags.items():
                for step, given in steps.items():
                    event = message("Event")(wall_time=START + step, step=step)
                    if hasattr(given, "tag"):
                        event.summary.value.append(given)
                    else:
                        _fill(event.summary.value.add(tag=tag), given)
                    writer.event(event)

    def load(self) -> StoreSnapshot:
        """What there is by now."""
        if self._loader is None:
            self._loader = Loader(parse_sources([str(self.root)]), now=lambda: START)
        return self._loader.load_all().snapshot

    def app(self, **choices: Any) -> PaneApp:
        """The tab that shows them."""
        return PaneApp(ImagesPane(Payloads()), self.load(), **choices)


def _fill(value: Any, given: Any) -> None:
    """As TensorFlow 2 writes pictures."""
    samples = [
        each if isinstance(each, bytes) else encoded(each) for each in (given if isinstance(given, list) else [given])
    ]
    vector = np.empty(len(samples) + 2, object)
    vector[:] = [b"8", b"8", *samples]
    value.tensor.CopyFrom(make_tensor(vector))
    value.metadata.plugin_data.plugin_name = "images"
