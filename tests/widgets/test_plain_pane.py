"""A pane without charts, which lists the newest text of each tag and run (example of docs/architecture.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from textual.app import App

from tbtui.charts.cells import Ink
from tbtui.charts.styled_text import Row
from tbtui.events.tensors import read_strings
from tbtui.events.writer import EventFileWriter
from tbtui.loading.loader import Loader
from tbtui.loading.payloads import Payloads
from tbtui.loading.sources import parse_sources
from tbtui.plugins.shown_steps import NoValueError, list_shown_steps
from tbtui.run_health.summaries import SummaryCache
from tbtui.settings.settings import Settings
from tbtui.view.cards import ShownTags
from tbtui.view.run_names import RunColours
from tbtui.view.view import build_view
from tbtui.widgets.empty_state import EmptyState
from tbtui.widgets.pane import ALL_FOLDED, READING, Pane
from tbtui.widgets.row_list import RowList
from tests.helpers.log_directory import FILE, START
from tests.helpers.screen_text import screen_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from textual.app import ComposeResult

    from tbtui.view.view import View

NAME = "checklists"


def read_checklist(value: Any) -> list[bytes]:
    items: list[bytes] = read_strings(value, "a checklist").reshape(-1).tolist()
    return items


class ChecklistPane(Pane):
    def __init__(self) -> None:
        super().__init__()
        self._reader = Payloads()
        self._tags = ShownTags(NAME)

    def compose(self) -> ComposeResult:
        yield RowList()

    def prepare(self, view: View) -> Iterator[list[Row]]:
        yield [row for tag in self._tags.of(view) for row in self._rows(view, tag)]

    def present(self, prepared: list[Row]) -> None:
        if not prepared:
            self.show_message(*ALL_FOLDED)
            return
        self.query_one(RowList).show_rows(prepared)

    def _rows(self, view: View, tag: str) -> Iterator[Row]:
        for run, _ in view.references(tag, NAME):
            key = f"{tag}\n{run.name}"
            try:
                newest = list_shown_steps(view, run.name, tag, NAME, "checklist").nearest(None)
            except NoValueError as error:
                yield Row(key, label=str(error), ink=Ink.WARN)
                continue
            decoded = self._reader.values(read_checklist, run, newest.steps.series)
            error_text = decoded.errors.get(newest.point)
            items = b", ".join(decoded.values.get(newest.point, ())).decode("utf-8", "replace")
            yield Row(key, (("● ", view.inks[run.name]),), run.name, right=((error_text or items, Ink.DIM),))


class ChecklistApp(App[None]):
    def compose(self) -> ComposeResult:
        yield ChecklistPane()


def view_of(logs: Path, *last: bytes) -> View:
    """Write three checklists, the last with these items, and return their view."""
    path = logs / "net" / FILE
    path.parent.mkdir(parents=True)
    with EventFileWriter(str(path), wall_time=START) as writer:
        for step, items in enumerate(([b"first"], [b"second"], last)):
            array = np.array(items, object) if items else np.ones(2, np.float32)
            writer.tensor("todo", array, NAME, step, START + step)
    snapshot = Loader(parse_sources([str(logs)])).load_all().snapshot
    return build_view(snapshot, Settings(), RunColours(), SummaryCache())


async def test_pane_without_charts_lists_the_newest_value(tmp_path: Path) -> None:
    async with ChecklistApp().run_test(size=(60, 10)) as pilot:
        await pilot.pause()
        pane = pilot.app.query_one(ChecklistPane)
        rows, notice = pane.query_one(RowList), pane.query_one(EmptyState)
        assert (rows.display, notice.display) == (False, True)
        assert READING in screen_text(pilot.app)
        pane.show(view_of(tmp_path, b"third", b"fourth"))
        await pane.idle()
        await pilot.pause()
        assert (rows.display, notice.display) == (True, False)
        assert "third, fourth" in screen_text(pilot.app)


async def test_pane_without_charts_names_an_unreadable_value(tmp_path: Path) -> None:
    async with ChecklistApp().run_test(size=(70, 10)) as pilot:
        pane = pilot.app.query_one(ChecklistPane)
        pane.show(view_of(tmp_path))
        await pane.idle()
        await pilot.pause()
        assert "a tensor of type float instead of a checklist" in screen_text(pilot.app)


async def test_pane_without_rows_says_that_all_are_folded() -> None:
    async with ChecklistApp().run_test(size=(60, 10)) as pilot:
        pane = pilot.app.query_one(ChecklistPane)
        pane.present([])
        await pilot.pause()
        assert ALL_FOLDED[0] in screen_text(pilot.app)
