"""Show levels in a tab; only modules in `pane` import Textual."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.widgets import Static

from tbtui.charts.text import safe
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
        sign = SIGNS[MARKER.value(view.settings)]
        tags = ShownTags("levels").of(view)
        lines = []
        for tag in tags:
            for run in view.runs:
                levels, reasons = levels_of(run, tag)
                lines.append(f"{sign} {safe(tag)} {safe(run.name)} {levels} {safe(', '.join(reasons))}")
        yield "\n".join(lines)

    def present(self, prepared: str) -> None:
        self.query_one(LevelList).update(prepared)

    def say(self, headline: str, hint: str = "") -> None:
        self.query_one(LevelList).update(f"{headline} {hint}".strip())

    def reveal(self, tag: str) -> None:
        self.query_one(LevelList).focus()
