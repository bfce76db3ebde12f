"""Write texts into event files, and open the Text tab on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.events.schema import get_message_class
from tbtui.events.tensors import make_tensor
from tbtui.events.writer import EventFileWriter
from tbtui.loading.payloads import Payloads
from tbtui.plugins.text.pane.list_model import TextLister
from tbtui.plugins.text.pane.pane import TextPane
from tbtui.plugins.text.read import StoredText
from tests.helpers.loaded_logs import LoadedLogs
from tests.helpers.log_directory import FILE, START
from tests.helpers.pane_app import AskedApp

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tbtui.plugins.text.pane.list_model import TextKey, TextListing


class TextApp(AskedApp):
    """The tab alone, with what it asks the app for."""

    @property
    def text_pane(self) -> TextPane:
        return self.query_one(TextPane)


class TextLogs(LoadedLogs):
    """Writes texts into event files below a directory, and loads them."""

    def add(self, run: str, tags: Mapping[str, Mapping[int, Any]], *, file: str = FILE, start: float = START) -> Path:
        """Append to a run: of each tag, step to a document, to cells in lists, to a tensor's array, or to a value."""
        path = self.path(run, file)
        path.parent.mkdir(parents=True, exist_ok=True)
        with EventFileWriter(str(path), wall_time=start) as writer:
            for tag, steps in tags.items():
                for step, held in steps.items():
                    event = get_message_class("Event")(wall_time=start + step, step=step)
                    value = value_of(held)
                    value.tag = tag
                    value.metadata.plugin_data.plugin_name = "text"
                    event.summary.value.append(value)
                    writer.event(event)
        return path

    def listed(self, *, marked: TextKey | None = None, width: int = 40, **settings: Any) -> TextListing:
        """The list of what is there."""
        return TextLister().list(self.view(**settings), {}, marked, width)

    def app(self, **settings: Any) -> TextApp:
        """The tab that shows it."""
        return TextApp(TextPane(Payloads()), self.load(), **settings)


def value_of(held: Any) -> Any:
    """A `SummaryValue` with a tensor of strings or of whatever an array has, or as it is."""
    if isinstance(held, (str, bytes, list)):
        held = strings(held)
    return get_message_class("SummaryValue")(tensor=make_tensor(held)) if isinstance(held, np.ndarray) else held


def strings(held: str | bytes | list[Any]) -> Any:
    """An array of strings: of rank 0 for one, otherwise as deep as the lists."""
    return np.array(_encoded(held), object)


def _encoded(held: Any) -> Any:
    if isinstance(held, list):
        return [_encoded(item) for item in held]
    return held.encode() if isinstance(held, str) else held


def stored(held: str | bytes) -> StoredText:
    """A document as it is read."""
    data = held.encode() if isinstance(held, str) else held
    return StoredText((), ((data,),), len(data))


def table(*rows: tuple[str, ...]) -> StoredText:
    """A table of rank 2 as it is read."""
    cells = tuple(tuple(cell.encode() for cell in row) for row in rows)
    return StoredText((len(rows), len(rows[0])), cells, sum(len(cell) for row in cells for cell in row))
