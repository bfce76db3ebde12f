"""Show levels in a tab; the only module that imports Textual."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.widgets import Static

from tbtui.view.cards import ShownTags
from tbtui.widgets.pane import Pane, setting_bindings
from tests.toy_dashboard import MARKER
from tests.toy_dashboard.decode import levels_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.app import ComposeResult

    from tbtui.view.view import View

SIGNS = {"star": "★", "plus": "✚"}


class LevelList(Static, can_focus=True):
    """Takes the focus, so that the keys of the pane work."""


class LevelsPane(Pane):
    """One line per run and tag."""

    BINDING_GROUP_TITLE = "Levels"
    SETTINGS = (MARKER,)
    BINDINGS = setting_bindings(SETTINGS)

    def compose(self) -> ComposeResult:
        yield LevelList("", markup=False)

    def prepare(self, view: View) -> Iterator[str]:
        sign = SIGNS[MARKER.value(view.choices)]
        tags = ShownTags("levels").of(view)
        yield "\n".join(f"{sign} {tag} {run.name} {levels_of(run, tag)}" for tag in tags for run in view.runs)

    def present(self, prepared: str) -> None:
        self.query_one(LevelList).update(prepared)

    def say(self, headline: str, hint: str = "") -> None:
        self.query_one(LevelList).update(f"{headline} {hint}".strip())

    def reveal(self, tag: str) -> None:
        self.query_one(LevelList).focus()
