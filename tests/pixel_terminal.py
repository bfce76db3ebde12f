"""A terminal that answers questions and shows pictures, with a program in it: for tests of what is on the screen."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pyte
from pty_app import NOT_FOR_PYTE, PtyApp

from tbtui.graphics.questions import AREA_QUESTION, CELL_QUESTION, KITTY_QUESTION, LAST_QUESTION, NAME_QUESTION
from tests.graphics.fake_terminals import FakeKitty, drawn

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np

CELL = 10, 20
"""Pixels of a cell, across and down."""

KITTY = {
    KITTY_QUESTION: "\x1b_Gi=31;OK\x1b\\",
    NAME_QUESTION: "\x1bP>|kitty(0.41.1)\x1b\\",
    CELL_QUESTION: "\x1b[6;20;10t",
    AREA_QUESTION: "\x1b[4;800;1200t",
    LAST_QUESTION: "\x1b[?62;c",
}
"""What it answers to which question; likewise the others."""

WITHOUT_PLACEHOLDERS = {**KITTY, NAME_QUESTION: "\x1bP>|Konsole 24.08.1\x1b\\"}
XTERM = {NAME_QUESTION: "\x1bP>|XTerm(379)\x1b\\", CELL_QUESTION: "\x1b[6;20;10t", LAST_QUESTION: "\x1b[?63;1;2;4;6c"}
ALACRITTY = {AREA_QUESTION: "\x1b[4;800;1200t", LAST_QUESTION: "\x1b[?6c"}
TMUX = {CELL_QUESTION: "\x1b[6;20;10t", LAST_QUESTION: "\x1b[?1;2;4c"}
SILENT: Mapping[str, str] = {}

_QUESTIONS = re.compile("|".join(map(re.escape, KITTY)).encode())
_TMUX = re.compile(rb"\x1bPtmux;((?:[^\x1b]|\x1b\x1b)*)\x1b\\")
_PICTURES = re.compile(rb"(\x1b_G[^\x1b]*\x1b\\|\x1bP[0-9;]*q[^\x1b]*\x1b\\)")
_UNFINISHED = re.compile(rb"\x1b(?:\[[0-9;:?<=>$ ]*|Ptmux;(?:[^\x1b]|\x1b\x1b)*\x1b?|[P_^\]][^\x07\x1b]*\x1b?)?\Z")
_PLACEHOLDER = "\U0010eeee"


class _Screen(pyte.Screen):
    """Tells which cells are written."""

    def __init__(self, columns: int, lines: int) -> None:
        super().__init__(columns, lines)
        self.sixels: dict[tuple[int, int], np.ndarray[Any, Any]] = {}
        """By row and column of their upper left cells, with nothing written over any of theirs."""

    def draw(self, data: str) -> None:
        row, first = self.cursor.y, self.cursor.x
        super().draw(data)
        self._wipe(row, first, self.cursor.x)

    def erase_in_display(self, how: int = 0, *args: Any, **named: Any) -> None:
        super().erase_in_display(how, *args, **named)
        self.sixels.clear()

    def reset(self) -> None:
        super().reset()
        self.sixels = {}

    def _wipe(self, row: int, first: int, end: int) -> None:
        for (top, left), pixels in tuple(self.sixels.items()):
            height, width = (-(-size // cell) for size, cell in zip(pixels.shape, reversed(CELL), strict=False))
            if top <= row < top + height and first < left + width and end > left:
                del self.sixels[top, left]

    def put(self, pixels: np.ndarray[Any, Any]) -> None:
        self.sixels[self.cursor.y, self.cursor.x] = pixels


class PixelTerminal(PtyApp):
    """A program in a terminal of some kind.

    Args:
        command: Program and arguments.
        answers: What it says to which question. It may be changed: what was asked before is answered by `answer`.
        how: As for `PtyApp`.
    """

    def __init__(self, command: list[str], answers: Mapping[str, str], **how: Any) -> None:
        self.answers = answers
        self._kitty = FakeKitty()
        self.asked: list[str] = []
        """Questions that were read and have not been answered."""

        self._heard = 0
        super().__init__(command, **how)
        size = self._screen.columns, self._screen.lines
        self._screen = _Screen(*size)
        self._stream = pyte.ByteStream(self._screen)

    def pump(self, seconds: float) -> int:
        count = super().pump(seconds)
        for found in _QUESTIONS.finditer(bytes(self.raw), self._heard):
            self._heard = found.end()
            self.asked.append(found[0].decode())
        if self.answers:
            self.send(self.answer())
        return count

    def answer(self) -> str:
        """What it says to all that was asked, which from then on is answered."""
        said = "".join(self.answers.get(question, "") for question in self.asked)
        self.asked.clear()
        return said

    @property
    def text(self) -> str:
        waiting = bytes(self.raw[self._drawn :])
        unfinished = _UNFINISHED.search(waiting)
        whole = waiting[: unfinished.start()] if unfinished else waiting
        self._drawn += len(whole)
        whole = _TMUX.sub(lambda found: found[1].replace(b"\x1b\x1b", b"\x1b"), whole)
        for part in _PICTURES.split(whole):
            if part.startswith(b"\x1b_G"):
                if KITTY_QUESTION.encode() != part:
                    self._kitty.cursor = self._screen.cursor.y, self._screen.cursor.x
                    self._kitty.write_command(part.decode())
            elif _PICTURES.fullmatch(part):
                self._screen.put(drawn(part.decode()))
            else:
                self._stream.feed(NOT_FOR_PYTE.sub(b"", part))
        return "\n".join(self._screen.display)

    # What is on the screen

    @property
    def kitty(self) -> FakeKitty:
        """What it holds, where it is of that kind."""
        assert self.text
        return self._kitty

    @property
    def sixels(self) -> list[tuple[int, int, tuple[int, int, int]]]:
        """Row, column and colour in the middle of each picture in sixels that is whole."""
        assert self.text
        return [(*at, _middle(pixels)) for at, pixels in sorted(self._screen.sixels.items())]

    @property
    def placeholders(self) -> int:
        """How many cells kitty draws pictures in place of."""
        return self.text.count(_PLACEHOLDER)

    @property
    def half_blocks(self) -> set[str]:
        """Which of pure red, green and blue (`ff0000` …) cells are drawn in."""
        assert self.text
        cells = [cell for row in self._screen.buffer.values() for cell in row.values()]
        return {colour for cell in cells for colour in (cell.fg, cell.bg)} & {"ff0000", "00ff00", "0000ff"}


def _middle(pixels: np.ndarray[Any, Any]) -> tuple[int, int, int]:
    red, green, blue = pixels[pixels.shape[0] // 2, pixels.shape[1] // 2].tolist()
    return red, green, blue
