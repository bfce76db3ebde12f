"""Read the screen of an app that Textual's pilot drives."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from textual.app import App
    from textual.pilot import Pilot
    from textual.widget import Widget


def screen_lines(app: App[Any]) -> list[str]:
    """Return the lines of the top screen without trailing blanks."""
    strips = app.screen._compositor.render_strips()
    return ["".join(segment.text for segment in strip).rstrip() for strip in strips]


def screen_text(app: App[Any]) -> str:
    """Return the top screen as one text."""
    return "\n".join(screen_lines(app))


def widget_lines(widget: Widget) -> list[str]:
    """Return the lines that a widget draws itself, without trailing blanks."""
    return [widget.render_line(y).text.rstrip() for y in range(widget.size.height)]


async def until(pilot: Pilot[Any], holds: Callable[[], object], seconds: float = 30) -> None:
    """Let the app work until `holds` returns a true value.

    Raises:
        AssertionError: It does not within `seconds`.
    """
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, f"not within {seconds:g} s; the screen:\n{screen_text(pilot.app)}"
        await pilot.pause(0.01)
