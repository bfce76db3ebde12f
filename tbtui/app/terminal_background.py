"""Asks the terminal for the colour of its background, so that the default theme fits it.

Nothing waits for the answer.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from textual.message import Message

from tbtui.terminal_images.terminal_query import BACKGROUND_QUERY, NO_BACKGROUND_ANSWER, BackgroundParser

if TYPE_CHECKING:
    from textual.app import App

    from tbtui.widgets.textual_patches.driver import PatchedLinuxDriver


class BackgroundAnswered(Message):
    """The terminal has answered with the colour of its background."""

    def __init__(self, *, is_light: bool) -> None:
        super().__init__()
        self.is_light = is_light


class BackgroundListener:
    """Reads the answer on the input thread: the driver keeps the colour, the app gets `BackgroundAnswered`."""

    def __init__(self, app: App[int], driver: PatchedLinuxDriver) -> None:
        self._app, self._driver = app, driver
        self._parser = BackgroundParser()

    def feed(self, data: str) -> str:
        """Return the part of the input that is keys."""
        before = self._parser.is_light
        keys = self._parser.feed(data)
        if before is None and self._parser.is_light is not None:
            self._driver.background = self._parser.colour
            self._app.post_message(BackgroundAnswered(is_light=self._parser.is_light))
        return keys

    def release(self, waited: float) -> str:
        """Return input that was held back and is a key after all."""
        return self._parser.release(waited)


def ask_background(app: App[int], driver: PatchedLinuxDriver) -> None:
    """Send the query; a terminal that knows it answers with `BackgroundAnswered`."""
    if os.environ.get("TERM", "unknown") not in NO_BACKGROUND_ANSWER:
        driver.add_listener(BackgroundListener(app, driver))
        driver.write(BACKGROUND_QUERY)
