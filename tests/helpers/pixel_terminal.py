"""Run a program in a simulated terminal that answers queries and draws kitty graphics and sixels."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pyte

from tbtui.terminal_images.terminal_query import AREA_QUERY, CELL_QUERY, KITTY_QUERY, LAST_QUERY, NAME_QUERY
from tests.helpers.fake_terminals import FakeKitty, drawn
from tests.helpers.pty_app import NOT_FOR_PYTE, PtyApp

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np

CELL = 10, 20
"""Width and height of a cell in pixels."""

KITTY = {
    KITTY_QUERY: "\x1b_Gi=31;OK\x1b\\",
    NAME_QUERY: "\x1bP>|kitty(0.41.1)\x1b\\",
    CELL_QUERY: "\x1b[6;20;10t",
    AREA_QUERY: "\x1b[4;800;1200t",
    LAST_QUERY: "\x1b[?62;c",
}
"""Answers by query; the same for the terminals below."""

WITHOUT_PLACEHOLDERS = {**KITTY, NAME_QUERY: "\x1bP>|Konsole 24.08.1\x1b\\"}
XTERM = {NAME_QUERY: "\x1bP>|XTerm(379)\x1b\\", CELL_QUERY: "\x1b[6;20;10t", LAST_QUERY: "\x1b[?63;1;2;4;6c"}
ALACRITTY = {AREA_QUERY: "\x1b[4;800;1200t", LAST_QUERY: "\x1b[?6c"}
TMUX = {CELL_QUERY: "\x1b[6;20;10t", LAST_QUERY: "\x1b[?1;2;4c"}
SILENT: Mapping[str, str] = {}

_QUESTIONS = re.compile("|".join(map(re.escape, KITTY)).encode())
_TMUX = re.compile(rb"\x1bPtmux;((?:[^\x1b]|\x1b\x1b)*)\x1b\\")
_PICTURES = re.compile(rb"(\x1b_G[^\x1b]*\x1b\\|\x1bP[0-9;]*q[^\x1b]*\x1b\\)")
_UNFINISHED = re.compile(rb"\x1b(?:\[[0-9;:?<=>$ ]*|Ptmux;(?:[^\x1b]|\x1b\x1b)*\x1b?|[P_^\]][^\x07\x1b]*\x1b?)?\Z")
_LONGEST = max(map(len, KITTY))
_PLACEHOLDER = "\U0010eeee"


class _Cells(pyte.Screen):
    """Record which cells are written, and keep the sixels that are not overwritten."""

    def __init__(self, columns: int, lines: int) -> None:
        self.sixels: dict[tuple[int, int], np.ndarray[Any, Any]] = {}
        self.cell = CELL
        super().__init__(columns, lines)

    def draw(self, data: str) -> None:
        row, first = self.cursor.y, self.cursor.x
        super().draw(data)
        for (top, left), pixels in tuple(self.sixels.items()):
            height, width = (-(-size // cell) for size, cell in zip(pixels.shape, reversed(self.cell), strict=False))
            if top <= row < top + height and first < left + width and self.cursor.x > left:
                del self.sixels[top, left]

    def erase_in_display(self, how: int = 0, *args: Any, **named: Any) -> None:
        super().erase_in_display(how, *args, **named)
        self.sixels.clear()


class PixelScreen:
    """The screen of a terminal after everything it was sent."""

    def __init__(self, columns: int, lines: int) -> None:
        self.cells = _Cells(columns, lines)
        self.kitty = FakeKitty()
        """The images of a kitty; None for other terminals."""

        self._stream = pyte.ByteStream(self.cells)
        self._held = b""

    def feed(self, data: bytes) -> None:
        """Draw up to the last complete escape sequence."""
        whole = self._held + data
        unfinished = _UNFINISHED.search(whole)
        self._held = unfinished[0] if unfinished else b""
        whole = _TMUX.sub(
            lambda found: found[1].replace(b"\x1b\x1b", b"\x1b"), whole[: unfinished.start()] if unfinished else whole
        )
        for part in _PICTURES.split(whole):
            if part.startswith(b"\x1b_G"):
                if KITTY_QUERY.encode() != part:
                    self.kitty.cursor = self.cells.cursor.y, self.cells.cursor.x
                    self.kitty.write_command(part.decode())
            elif _PICTURES.fullmatch(part):
                self.cells.sixels[self.cells.cursor.y, self.cells.cursor.x] = drawn(part.decode())
            else:
                self._stream.feed(NOT_FOR_PYTE.sub(b"", part))

    @property
    def text(self) -> str:
        """Return the rows, joined by newlines."""
        return "\n".join(self.cells.display)

    @property
    def sixels(self) -> list[tuple[int, int, tuple[int, int, int]]]:
        """Return row, column and middle colour of each sixel image that is whole."""
        return [(*at, _middle(pixels)) for at, pixels in sorted(self.cells.sixels.items())]

    @property
    def placeholders(self) -> int:
        """Return the number of cells that kitty replaces by images."""
        return self.text.count(_PLACEHOLDER)

    @property
    def half_blocks(self) -> set[str]:
        """Return which of pure red, green and blue (`ff0000` …) occur in half blocks."""
        cells = [cell for row in self.cells.buffer.values() for cell in row.values()]
        return {colour for cell in cells for colour in (cell.fg, cell.bg)} & {"ff0000", "00ff00", "0000ff"}


class PixelTerminal(PtyApp):
    """A program in a terminal of some kind.

    Args:
        command: Program and arguments.
        answers: What it says to which question. It may be changed: what was asked before is answered by `answer`.
        size: Columns and rows.
        how: As for `PtyApp`.
    """

    def __init__(self, command: list[str], answers: Mapping[str, str], size: tuple[int, int], **how: Any) -> None:
        self.answers = answers
        self.asked: list[str] = []
        """Queries that were read and have not been answered."""

        self._heard = self._shown = 0
        self._pixels = PixelScreen(*size)
        super().__init__(command, size=size, **how)

    def pump(self, seconds: float) -> int:
        count = super().pump(seconds)
        begin = self._heard
        self._heard = max(begin, len(self.raw) - _LONGEST + 1)  # the end may be the beginning of a question
        for found in _QUESTIONS.finditer(bytes(self.raw[begin:])):
            self.asked.append(found[0].decode())
            self._heard = max(self._heard, begin + found.end())
        if self.answers:
            self.send(self.answer())
        return count

    def answer(self) -> str:
        """Return the answers to all open queries, and mark these as answered."""
        said = "".join(self.answers.get(question, "") for question in self.asked)
        self.asked.clear()
        return said

    def resize(self, columns: int, rows: int, cell: tuple[int, int] = (0, 0)) -> None:
        super().resize(columns, rows, cell)
        self._pixels.cells.resize(rows, columns)
        self._pixels.cells.cell = cell if any(cell) else CELL

    @property
    def shown(self) -> PixelScreen:
        """Return the present screen."""
        fresh = bytes(self.raw[self._shown :])
        self._shown = len(self.raw)
        self._pixels.feed(fresh)
        return self._pixels

    @property
    def text(self) -> str:
        return self.shown.text


def _middle(pixels: np.ndarray[Any, Any]) -> tuple[int, int, int]:
    red, green, blue = pixels[pixels.shape[0] // 2, pixels.shape[1] // 2].tolist()
    return red, green, blue
