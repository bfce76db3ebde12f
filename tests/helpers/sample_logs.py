"""Write images or sounds into event files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tbtui.events.schema import get_message_class
from tbtui.events.writer import EventFileWriter
from tests.helpers.loaded_logs import LoadedLogs
from tests.helpers.log_directory import FILE, START

if TYPE_CHECKING:
    from collections.abc import Mapping


class SampleLogs(LoadedLogs):
    """Writes values into event files below a directory, and loads them. Subclasses say what values are made of."""

    def value(self, held: Any) -> Any:
        """A `SummaryValue` of what a test logs, its tag aside."""
        raise NotImplementedError

    def add(self, run: str, tags: Mapping[str, Mapping[int, Any]], *, file: str = FILE, start: float = START) -> None:
        """Append to a run: of each tag, step to a value as it is, or to what `value` makes one of."""
        path = self.path(run, file)
        path.parent.mkdir(parents=True, exist_ok=True)
        with EventFileWriter(str(path), wall_time=start) as writer:
            for tag, steps in tags.items():
                for step, held in steps.items():
                    event = get_message_class("Event")(wall_time=start + step, step=step)
                    value = held if hasattr(held, "tag") else self.value(held)
                    value.tag = tag
                    event.summary.value.append(value)
                    writer.event(event)
