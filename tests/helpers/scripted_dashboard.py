"""Run the app on a loader that the test controls, with panes that show their input as words."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual.widgets import Static

from tbtui.app.app import Dashboard
from tbtui.charts.text import safe
from tbtui.loading.state import FileProblem, LoadState
from tbtui.plugins.base import Plugin
from tbtui.settings.settings import Settings
from tbtui.store.snapshot import Problem
from tbtui.widgets.pane import Pane
from tests.helpers.snapshots import START

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from textual.app import ComposeResult

    from tbtui.loading.payloads import Payloads
    from tbtui.loading.sources import Source
    from tbtui.store.snapshot import StoreSnapshot
    from tbtui.view.view import View

NOW = START + 1000


class FakeLoader:
    """Publish states when a test calls `publish`."""

    def __init__(self, snapshot: StoreSnapshot, **state: Any) -> None:
        self.state = LoadState(snapshot, **{"complete": True, "watching": "notified", "unverified_bytes": 0, **state})
        self.on_change: Callable[[], None] = lambda: None
        self.woken = 0
        self.pauses = 0
        self.sources: tuple[Source, ...] = ()
        self.verifying = False

    def publish(self, snapshot: StoreSnapshot | None = None, **state: Any) -> None:
        """Replace the state or some of its fields, and announce it."""
        self.state = replace(self.state, **({} if snapshot is None else {"snapshot": snapshot}), **state)
        self.on_change()

    def make_way(self) -> None:
        self.pauses += 1

    def wake(self) -> None:
        self.woken += 1

    def set_sources(self, sources: Sequence[Source]) -> None:
        self.sources = tuple(sources)

    def verify(self, wanted: bool) -> None:
        self.verifying = wanted


class Words(Static, can_focus=True):
    """Take the focus in a pane."""


class WordsPane(Pane):
    """Show the names of the visible runs and the x axis."""

    UNUSED: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, payloads: Payloads | None = None) -> None:
        super().__init__(payloads)
        self.shown = 0
        self.revealed: list[str] = []

    def compose(self) -> ComposeResult:
        yield Words("", markup=False)

    def show(self, view: View) -> None:
        self.view = view
        self.shown += 1
        runs = safe(" ".join(run.name for run in view.runs))
        self.query_one(Words).update(f"{type(self).__name__} draws {runs} by {view.settings.x_axis}")

    def show_message(self, headline: str, hint: str = "") -> None:
        self.query_one(Words).update(f"{headline} {hint}".strip())

    def status(self) -> str:
        return "" if self.view is None else f"smooth {self.view.settings.smoothing:g}"

    def reveal(self, tag: str) -> None:
        self.revealed.append(tag)
        self.query_one(Words).focus()


class ImagesPane(WordsPane):
    """Another dashboard."""


SCALARS = Plugin("scalars", "Scalars", "scalars", frozenset({"scalars"}), lambda: WordsPane)
IMAGES = Plugin("images", "Images", "images", frozenset({"images"}), lambda: ImagesPane)
AUDIO = Plugin("audio", "Audio", "sounds", frozenset({"audio"}), lambda: WordsPane)


def dashboard(loader: FakeLoader, **changes: Any) -> Dashboard:
    """Return an app with tabs for scalars, images and audio at a fixed time."""
    given = {
        "label": "logs/digits",
        "theme": "tbtui-dark",
        "settings": Settings(),
        "plugins": (SCALARS, IMAGES, AUDIO),
        "clock": lambda: NOW,
    }
    return Dashboard(loader, **{**given, **changes})


def damage(*paths: str) -> tuple[FileProblem, ...]:
    """Return one problem per file."""
    problem = Problem("length_checksum", 1234, 567, "the length of a record is not what was written")
    return tuple(FileProblem("run", path, "corrupt", problem) for path in paths)
