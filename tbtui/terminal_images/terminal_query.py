"""Queries to a terminal about images and its background, and parsers that separate its answers from keys.

This module neither writes nor reads. `QUERIES` are written once, before the first image is shown; from then on all
input passes an `AnswerParser`. `BACKGROUND_QUERY` is written at the start. A terminal may answer late or in pieces,
between keys: an answer never becomes a key.

Source: xterm, "XTerm Control Sequences" (XTVERSION, DA1, window operations 14 and 16, OSC 11); kitty, "Terminal
graphics protocol" (the query action).
"""

from __future__ import annotations

import math
import re
from dataclasses import replace

from tbtui.frozen import frozen

KITTY_QUERY = "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\"
"""Asks if one pixel can be shown; terminals without the protocol do not answer."""

NAME_QUERY = "\x1b[>q"
CELL_QUERY, AREA_QUERY = "\x1b[16t", "\x1b[14t"
LAST_QUERY = "\x1b[c"
"""Every terminal answers this, and in order: queries without an answer by then never get one."""

QUERIES = KITTY_QUERY + NAME_QUERY + CELL_QUERY + AREA_QUERY + LAST_QUERY
TMUX_QUERIES = CELL_QUERY + LAST_QUERY
"""tmux answers these itself; it drops others."""

MAX_WAIT_SECONDS = 0.3
"""Seconds that the first images wait for answers, which take long over a slow line. A terminal without an answer until
then counts as one without images; later answers count too."""

MAX_HELD_CHARS = 512
"""Maximum characters held as the beginning of an answer; no answer is as long."""

KEY_WAIT_SECONDS, ANSWER_WAIT_SECONDS = 0.05, 1.0
"""Seconds after which the beginning of an answer counts as a key: for an escape, alone or with another key
(`KEY_WAIT_SECONDS`), and for text that begins no key (`ANSWER_WAIT_SECONDS`)."""

MAX_KEY_CHARS = 2
"""Characters of such a key."""

SIXEL_ATTRIBUTE = 4
"""Attribute of DA1 for sixels."""

_ENDED = r"(?:\x1b\\|\x07|\x9c)"
_ANSWER = re.compile(
    rf"\x1b_G(?P<kitty>[^\x1b\x07\x9c]*){_ENDED}"
    rf"|\x1bP>\|(?P<name>[^\x1b\x07\x9c]*){_ENDED}"
    r"|\x1b\[(?P<what>[46]);(?P<height>\d{1,5});(?P<width>\d{1,5})t"
    r"|\x1b\[\?(?P<attributes>[\d;]*)c"
)
_BEGUN = re.compile(
    r"\x1b(?:_(?:G[^\x1b\x07\x9c]*\x1b?)?|P(?:>(?:\|[^\x1b\x07\x9c]*\x1b?)?)?|\[(?:[46](?:;\d*(?:;\d*)?)?|\?[\d;]*)?)?\Z"
)


@frozen
class CellSize:
    """Size of a character cell in pixels."""

    width: int
    height: int

    @staticmethod
    def of(width: float, height: float) -> CellSize | None:
        """Return a cell size; None for implausible sizes, which some terminals report."""
        cell = CellSize(int(width), int(height))
        return cell if 2 <= cell.width <= 200 and 4 <= cell.height <= 400 else None


@frozen
class Answers:
    """Answers of a terminal received so far."""

    kitty: bool = False
    """True if it supports kitty graphics."""

    sixel: bool = False
    """True if it draws sixels."""

    name: str = ""
    """Its name with its version: `kitty(0.41.1)`, `XTerm(379)`."""

    cell: CellSize | None = None
    area: tuple[int, int] | None = None
    """Width and height of all cells together, in pixels."""

    complete: bool = False
    """True if the last query was answered: no answer follows."""

    def cell_of(self, columns: int, rows: int, pixels: tuple[int, int] | None = None) -> CellSize | None:
        """Return the size of a cell from the first source that has it.

        Args:
            columns: Columns of the screen.
            rows: Rows of the screen.
            pixels: Width and height of all cells together from the operating system (TIOCGWINSZ); often zeros.
        """
        if self.cell is not None:
            return self.cell
        for width, height in filter(None, (self.area, pixels)):
            if columns and rows and (cell := CellSize.of(width / columns, height / rows)):
                return cell
        return None


class AnswerParser:
    """Removes answers from the input of a terminal; the rest are keys."""

    def __init__(self) -> None:
        self.answers = Answers()
        self._pending = ""

    def feed(self, data: str) -> str:
        """Process input.

        Returns:
            The keys in it. The end may be held back as the possible beginning of an answer.
        """
        if self.answers.complete and not self._pending:
            return data
        rest, keys = self._pending + data, []
        while match := _ANSWER.search(rest):
            keys.append(rest[: match.start()])
            self._note(match)
            rest = rest[match.end() :]
        begun = _BEGUN.search(rest)
        end = begun.start() if begun and len(rest) - begun.start() <= MAX_HELD_CHARS else len(rest)
        keys.append(rest[:end])
        self._pending = rest[end:]
        return "".join(keys)

    def release(self, waited: float = math.inf) -> str:
        """Return buffered input that turned out to be a key, such as the escape key.

        Args:
            waited: Seconds without new input.
        """
        if waited < (KEY_WAIT_SECONDS if len(self._pending) <= MAX_KEY_CHARS else ANSWER_WAIT_SECONDS):
            return ""
        pending, self._pending = self._pending, ""
        return pending

    def _note(self, match: re.Match[str]) -> None:
        if (response := match["kitty"]) is not None:
            self.answers = replace(self.answers, kitty=self.answers.kitty or response.endswith(";OK"))
        elif (name := match["name"]) is not None:
            self.answers = replace(self.answers, name=name)
        elif match["what"] == "6":
            self.answers = replace(self.answers, cell=CellSize.of(int(match["width"]), int(match["height"])))
        elif match["what"] == "4":
            self.answers = replace(self.answers, area=(int(match["width"]), int(match["height"])))
        else:
            attributes = match["attributes"].split(";")
            self.answers = replace(self.answers, sixel=str(SIXEL_ATTRIBUTE) in attributes[1:], complete=True)


BACKGROUND_QUERY = "\x1b]11;?\x1b\\"
"""Asks for the colour of the background. Terminals that do not know it ignore it: no answer follows."""

NO_BACKGROUND_ANSWER = frozenset({"dumb", "unknown", "linux", "vt100", "vt220"})
"""Values of `TERM` of terminals that are not asked, as some of them would print the query."""

_BACKGROUND = re.compile(
    rf"\x1b\]11;rgba?:(?P<red>[0-9a-fA-F]{{1,4}})/(?P<green>[0-9a-fA-F]{{1,4}})/(?P<blue>[0-9a-fA-F]{{1,4}})"
    rf"(?:/[0-9a-fA-F]{{1,4}})?{_ENDED}"
)
_BACKGROUND_BEGUN = re.compile(r"\x1b(?:\](?:1(?:1(?:;[^\x1b\x07\x9c]*\x1b?)?)?)?)?\Z")


class BackgroundParser:
    """Removes the answer to `BACKGROUND_QUERY` from the input of a terminal; the rest are keys."""

    def __init__(self) -> None:
        self.is_light: bool | None = None
        """True if the background is nearer to white than to black; None before the answer."""

        self.colour: tuple[int, int, int] | None = None
        """Red, green and blue of the background, 0 to 255; None before the answer."""

        self._pending = ""

    def feed(self, data: str) -> str:
        """Process input.

        Returns:
            The keys in it. The end may be held back as the possible beginning of the answer.
        """
        if self.is_light is not None:
            return data
        rest, self._pending = self._pending + data, ""
        if answer := _BACKGROUND.search(rest):
            red, green, blue = (
                int(answer[part], 16) / (16 ** len(answer[part]) - 1) for part in ("red", "green", "blue")
            )
            self.colour = round(255 * red), round(255 * green), round(255 * blue)
            self.is_light = 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.5  # weights of ITU-R BT.709
            return rest[: answer.start()] + rest[answer.end() :]
        begun = _BACKGROUND_BEGUN.search(rest)
        if begun and len(rest) - begun.start() <= MAX_HELD_CHARS:
            self._pending = rest[begun.start() :]
            return rest[: begun.start()]
        return rest

    def release(self, waited: float = math.inf) -> str:
        """Return buffered input that turned out to be a key, such as the escape key.

        Args:
            waited: Seconds without new input.
        """
        if waited < (KEY_WAIT_SECONDS if len(self._pending) <= MAX_KEY_CHARS else ANSWER_WAIT_SECONDS):
            return ""
        pending, self._pending = self._pending, ""
        return pending
