"""In which way the app's terminal shows pictures: asked when they are first wanted, without anybody waiting for it."""

from __future__ import annotations

import asyncio
import os
import subprocess
from contextlib import suppress
from typing import TYPE_CHECKING

from tbtui.graphics.capabilities import TMUX_COMMAND, asks_tmux, choose, questions, tmux_facts
from tbtui.graphics.half_blocks import depth_of
from tbtui.graphics.questions import TIME_LIMIT, AnswerParser, CellSize
from tbtui.widgets.textual_patches.driver import PatchedLinuxDriver

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.widget import Widget

    from tbtui.graphics.capabilities import ImageProtocol, TmuxFacts, Wanted
    from tbtui.graphics.half_blocks import Depth

TMUX_TIME_LIMIT = 1.0
"""Seconds until tmux is taken to say nothing."""


class PictureWay:
    """Asks the terminal, and tmux where the app runs in it, and decides.

    All but `hear` and `release` belongs to the UI thread.

    Args:
        widget: On whose app's terminal they are shown; not mounted yet.
        changed: Called when pictures are to be shown in another way than before, unless it was found by `want`.
        announce: Called on the thread that reads keys when answers have come; it must have `decide` called soon.
    """

    def __init__(self, widget: Widget, changed: Callable[[], object], announce: Callable[[], object]) -> None:
        self.way: ImageProtocol | None = None
        """None as long as answers are waited for, which is not long."""

        self._widget = widget
        self._changed = changed
        self._announce = announce
        self.depth: Depth = "true"
        """Colours of the terminal."""

        self._wanted: Wanted | None = None
        self._ear = AnswerParser()
        self._asked = ""
        self._tmux: TmuxFacts | None = None
        self._tmux_asked: asyncio.Task[None] | None = None
        self._tmux_told = False
        self._waiting = 0
        self._first_cell: CellSize | None = None

    def want(self, wanted: Wanted) -> None:
        """Have pictures shown in this way if that can be; where answers decide, the present one stays until then."""
        app = self._widget.app
        depth = depth_of(app.console.color_system, no_color=app.no_color, native=app.native_ansi_color)
        if (wanted, depth) != (self._wanted, self.depth):
            self._wanted, self.depth = wanted, depth
            if self._ask_terminal(wanted, depth) | self._ask_tmux(wanted, depth):
                self._waiting += 1
                app.set_timer(TIME_LIMIT, self._stop_waiting)
            self._choose()

    # Asking

    @property
    def _driver(self) -> PatchedLinuxDriver | None:
        """The way to the terminal; none in tests and in a browser."""
        driver = self._widget.app._driver  # noqa: SLF001 - there is no other way to it
        return driver if isinstance(driver, PatchedLinuxDriver) else None

    def _ask_terminal(self, wanted: Wanted, depth: Depth) -> bool:
        """Ask what has not been asked yet; whether anything was."""
        driver, asked = self._driver, questions(wanted, os.environ, depth)
        if driver is None or not asked or self._asked:
            return False
        self._asked, self._first_cell = asked, self._cell_by_system()
        driver.listener = self
        driver.write(asked)
        return True

    def _ask_tmux(self, wanted: Wanted, depth: Depth) -> bool:
        if self._driver is None or self._tmux_asked is not None or not asks_tmux(wanted, os.environ, depth):
            return False
        self._tmux_asked = asyncio.create_task(self._hear_tmux())
        return True

    async def _hear_tmux(self) -> None:
        with suppress(OSError, subprocess.TimeoutExpired):
            said = await asyncio.to_thread(
                subprocess.run,
                TMUX_COMMAND,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                timeout=TMUX_TIME_LIMIT,
                check=False,
            )
            self._tmux = tmux_facts(said.stdout.decode(errors="replace"))
        self._tmux_told = True
        self.decide()

    def hear(self, data: str) -> str:
        """See `Listener`."""
        before = self._ear.answers
        keys = self._ear.hear(data)
        if self._ear.answers != before:
            self._announce()
        return keys

    def release(self, waited: float) -> str:
        """See `Listener`."""
        return self._ear.release(waited)

    # Deciding

    @property
    def _is_told(self) -> bool:
        """Whether all that was asked has been answered."""
        by_terminal = not self._asked or self._ear.answers.complete
        return by_terminal and (self._tmux_asked is None or self._tmux_told)

    def _stop_waiting(self) -> None:
        self._waiting -= 1
        self.decide()

    def decide(self) -> None:
        """Choose by what is known by now: answers have come, or the terminal has another size, and perhaps font."""
        before = self.way
        self._choose()
        if self.way != before:
            self._changed()

    def _choose(self) -> None:
        if self._wanted is not None and (self._is_told or not self._waiting):
            self.way = choose(self._wanted, os.environ, self.depth, self._ear.answers, self._tmux, self._cell())

    def _cell(self) -> CellSize | None:
        """The size of a cell: what the terminal said, unless the system tells of another font since."""
        by_system = self._cell_by_system()
        if by_system is not None and by_system != self._first_cell:
            return by_system
        return self._ear.answers.cell_of(*self._widget.app.size) or by_system

    def _cell_by_system(self) -> CellSize | None:
        (columns, rows), pixels = self._widget.app.size, self._driver and self._driver.pixels
        return CellSize.of(pixels[0] / columns, pixels[1] / rows) if pixels and columns and rows else None
