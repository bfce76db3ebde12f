"""Simulate terminals that draw kitty graphics or sixels."""

from __future__ import annotations

import re
from base64 import standard_b64decode
from io import BytesIO

import numpy as np
from PIL import Image

_COMMAND = re.compile(r"\x1b_G([^;\x1b]*)(?:;([^\x1b]*))?\x1b\\")
_TMUX = re.compile(r"\x1bPtmux;((?:[^\x1b]|\x1b\x1b)*)\x1b\\")
_MOVED = re.compile(r"\x1b7\x1b\[(\d+);(\d+)H(.*?)\x1b8", re.DOTALL)


class FakeKitty:
    """Holds pictures as kitty does, and refuses what the protocol does not allow."""

    def __init__(self, *, in_tmux: bool = False) -> None:
        self.in_tmux = in_tmux
        self.pictures: dict[int, np.ndarray] = {}
        self.virtual: dict[int, tuple[int, int]] = {}
        """Columns and rows."""

        self.placed: dict[int, tuple[int, int, int, int]] = {}
        """Row, column, rows and columns."""

        self.cursor = (0, 0)
        self._begun: dict[str, str] = {}
        self._chunks: list[str] = []

    def write(self, text: str) -> None:
        if self.in_tmux:
            text = _TMUX.sub(lambda found: found[1].replace("\x1b\x1b", "\x1b"), text)
            assert "tmux" not in text
        at = 0
        while at < len(text):
            if moved := _MOVED.match(text, at):
                self.cursor = int(moved[1]) - 1, int(moved[2]) - 1
                self.write_command(moved[3])
                at = moved.end()
            else:
                command = _COMMAND.match(text, at)
                assert command, f"stray text: {text[at : at + 40]!r}"
                self.write_command(command[0])
                at = command.end()

    def write_command(self, text: str) -> None:
        found = _COMMAND.fullmatch(text)
        assert found, text[:60]
        keys, payload = found[1], found[2] or ""
        assert len(payload) <= 4096
        told = dict(pair.split("=") for pair in keys.split(","))
        assert told.pop("q") == "2", "answers would arrive as keys"
        if self._chunks:
            assert set(told) == {"m"}, "nothing else between chunks"
        else:
            self._begun = told
        more = told.pop("m", "0")
        if more == "1":
            assert len(payload) % 4 == 0, "all chunks but the last are whole base64"
            self._chunks.append(payload)
            return
        whole, self._chunks = "".join((*self._chunks, payload)), []
        self._do(self._begun, whole)

    def _do(self, told: dict[str, str], payload: str) -> None:
        action, number = told.pop("a"), int(told.pop("i"))
        assert 0 < number < 1 << 32
        if action in "tT":
            assert told.pop("f") == "100"
            self.pictures[number] = np.asarray(Image.open(BytesIO(standard_b64decode(payload))).convert("RGBA"))
            if action == "T":
                assert told.pop("U") == "1"
                self.virtual[number] = int(told.pop("c")), int(told.pop("r"))
        elif action == "p":
            assert number in self.pictures
            assert (told.pop("C"), told.pop("p")) == ("1", "1")
            self.placed[number] = (*self.cursor, int(told.pop("r")), int(told.pop("c")))
        else:
            assert action == "d"
            self.placed.pop(number, None)
            if told.pop("d") == "I":
                del self.pictures[number]
                self.virtual.pop(number, None)
            else:
                assert told.pop("p") == "1"
        assert not told, f"unknown keys {told}"


_SIXELS = re.compile(r'#(\d+)(?:;2;(\d+);(\d+);(\d+))?|!(\d+)([?-~])|([?-~])|([$-])|"(\d+);(\d+);(\d+);(\d+)')


def drawn(sixels: str) -> np.ndarray:
    """The pixels uint8[height, width, 3] that sixels leave on a screen; -1 where none is drawn would be magenta."""
    begins = re.match(r"\x1bP[\d;]*q", sixels)
    assert begins
    assert sixels.endswith("\x1b\\")
    palette: dict[int, list[int]] = {}
    canvas, x, y, colour = np.zeros((0, 0, 3), np.uint8), 0, 0, 0
    at = begins.end()
    while at < len(sixels) - 2:
        found = _SIXELS.match(sixels, at)
        assert found, repr(sixels[at : at + 20])
        at = found.end()
        if found[9]:
            canvas = np.full((int(found[12]), int(found[11]), 3), [255, 0, 255], np.uint8)
        elif found[1]:
            if found[2]:  # which does not choose it, in an xterm
                palette[int(found[1])] = [round(int(part) * 255 / 100) for part in found.group(2, 3, 4)]
            else:
                colour = int(found[1])
        elif found[8]:
            x, y = 0, y + (6 if found[8] == "-" else 0)
        else:
            count, bits = int(found[5] or 1), ord(found[6] or found[7]) - 63
            for row in range(6):
                if bits >> row & 1:
                    canvas[y + row, x : x + count] = palette[colour]
            x += count
    return canvas
