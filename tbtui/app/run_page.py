"""Opens the page of a run over the dashboard."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.app.clipboard import run_directory
from tbtui.charts.text import safe, shorten, visible_name
from tbtui.plugins.registry import run_details
from tbtui.view.run_page import run_page_lines
from tbtui.widgets.text_page import FRAME, MARGIN_COLUMNS, READING, TextScreen
from tbtui.widgets.worker import daemon_call

if TYPE_CHECKING:
    import asyncio

    from textual.app import App

    from tbtui.app.state import AppState
    from tbtui.loading.payloads import Payloads

MAX_TITLE_COLUMNS = 40


def open_run_page(app: App[int], state: AppState, name: str, payloads: Payloads) -> None:
    """Open the page of a run and show its lines, or why they cannot be shown.

    Args:
        app: The app.
        state: The state whose run is shown.
        name: Name of the run.
        payloads: Reads configurations and hyperparameters from event files.
    """
    run = state.load.snapshot.runs.get(name)
    if run is None:
        app.notify(f"{safe(visible_name(name))} is a mean of runs: the run list has each", markup=False)
        return
    screen = TextScreen(f"about {shorten(visible_name(name), MAX_TITLE_COLUMNS)}", (READING,))
    columns = app.size.width - MARGIN_COLUMNS - FRAME

    def lines() -> list[str]:
        try:
            directory = run_directory(state.load.snapshot, name)
        except OSError:
            directory = None
        details = run_details(run, payloads)
        summary, condition = state.summaries[name], state.conditions.of[name]
        return [*run_page_lines(run, summary, condition, directory, details, columns)]

    def show(result: asyncio.Future[list[str]]) -> None:
        error = result.exception()
        screen.show_lines(result.result() if error is None else (f"{type(error).__name__}: {error}",))

    app.push_screen(screen)
    daemon_call(lines).add_done_callback(show)
