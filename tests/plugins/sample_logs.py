"""Pictures or sounds in real event files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tbtui.events.messages import message
from tbtui.events.writer import EventFileWriter
from tbtui.loading.loader import Loader
from tbtui.loading.sources import parse_sources
from tests.log_directory import FILE, START, LogDirectory

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tbtui.store.snapshot import StoreSnapshot


class SampleLogs(LogDirectory):
    """Writes values into event files below a directory, and loads them. Subclasses say what values are made of."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self._loader: Loader | None = None

    def value(self, held: Any) -> Any:
        """A `SummaryValue` of what a test logs, its tag aside."""
        raise NotImplementedError

    def add(self, run: str, tags: Mapping[str, Mapping[int, Any]], *, file: str = FILE) -> None:
        """Append to a run: of each tag, step to a value as it is, or to what `value` makes one of."""
        path = self.path(run, file)
        path.parent.mkdir(parents=True, exist_ok=True)
        with EventFileWriter(str(path), wall_time=START) as writer:
            for tag, steps in tags.items():
                for step, held in steps.items():
                    event = message("Event")(wall_time=START + step, step=step)
                    value = held if hasattr(held, "tag") else self.value(held)
                    value.tag = tag
                    event.summary.value.append(value)
                    writer.event(event)

    def load(self) -> StoreSnapshot:
        """All that is there by now."""
        if self._loader is None:
            self._loader = Loader(parse_sources([str(self.root)]), now=lambda: START)
        return self._loader.load_all().snapshot
