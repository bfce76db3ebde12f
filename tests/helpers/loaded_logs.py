"""Load a log directory again after each change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tbtui.loading.loader import Loader
from tbtui.loading.sources import parse_sources
from tbtui.run_health.summaries import SummaryCache
from tbtui.view.run_names import RunColours
from tbtui.view.view import build_view
from tests.helpers.log_directory import START, LogDirectory
from tests.helpers.settings import settings_of

if TYPE_CHECKING:
    from pathlib import Path

    from tbtui.store.snapshot import StoreSnapshot
    from tbtui.view.view import View


class LoadedLogs(LogDirectory):
    """Subclasses say what is written into event files."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self._loader: Loader | None = None

    def load(self) -> StoreSnapshot:
        """All that is there by now."""
        if self._loader is None:
            self._loader = Loader(parse_sources([str(self.root)]), now=lambda: START)
        return self._loader.load_all().snapshot

    def view(self, **settings: Any) -> View:
        """What is there, seen through settings given by name."""
        return build_view(self.load(), settings_of(**settings), RunColours(), SummaryCache())
