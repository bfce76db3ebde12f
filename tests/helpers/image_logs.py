"""Write images into event files, and open the Images tab on them."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

from tbtui.events.schema import get_message_class
from tbtui.events.tensors import make_tensor
from tbtui.loading.payloads import Payloads
from tbtui.plugins.images.pane.pane import ImagesPane
from tests.helpers.pane_app import PaneApp
from tests.helpers.sample_logs import SampleLogs

if TYPE_CHECKING:
    from collections.abc import Sequence

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


class ImageLogs(SampleLogs):
    """Of each tag, step to a picture (pixels or bytes), or to a list of several."""

    def value(self, held: Any) -> Any:
        """As TensorFlow 2 writes pictures."""
        each = held if isinstance(held, list) else [held]
        samples = [picture if isinstance(picture, bytes) else encoded(picture) for picture in each]
        vector = np.empty(len(samples) + 2, object)
        vector[:] = [b"8", b"8", *samples]
        value = get_message_class("SummaryValue")(tensor=make_tensor(vector))
        value.metadata.plugin_data.plugin_name = "images"
        return value

    def app(self, **settings: Any) -> PaneApp:
        """The tab that shows them."""
        return PaneApp(ImagesPane(Payloads()), self.load(), **settings)
