"""Check everything that a program wrote to its terminal against a list of what is allowed.

An emulator that knows fewer sequences than a real terminal would miss some. This check therefore finds sequences by
their form and rejects those that are not listed.
"""

from __future__ import annotations

import base64
import re
import unicodedata
from typing import TYPE_CHECKING

from wcwidth import wcwidth

from tbtui.terminal_images.terminal_query import BACKGROUND_QUERY, QUERIES

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyte

_COLOUR = r"[34]8;2;\d{1,3};\d{1,3};\d{1,3}|[34]8;5;\d{1,3}|[34][0-79]|(?:9|10)[0-7]"
_LOOKS = rf"(?:{_COLOUR}|[0123479])"  # neither blinking nor hidden: tbtui uses neither, data might

ALLOWED = re.compile(
    rf"""
      \x1b\[(?:{_LOOKS}(?:;{_LOOKS})*)?m                                   # colours and looks
    | \x1b\[\d+;\d+H | \x1b\[\d+G                                          # where the next text goes
    | \x1b\[\?(?:7|25|1000|1003|1004|1006|1015|1016|1049|2004|2026|2048)[hl]
    | \x1b\[\?(?:2026|2048)\$p | \x1b\[>\d+u | \x1b\[<u                    # capabilities, keyboard
    | \x1b\[22;0t | \x1b\[23;0t                                            # push and pop the title
    | \x1b\]0;tbtui\ (?P<title>[^\x07]*)\x07
    | \x1b\]22;(?:default|pointer|text)\x07                                # shape of the mouse
    | \x1b\]52;c;(?P<copied>[A-Za-z0-9+/=]*)\x07
    | \x07 | \r\n
    | {re.escape(QUERIES)} | {re.escape(BACKGROUND_QUERY)}
    """,
    re.VERBOSE,
)
"""Everything that tbtui may write besides text."""

TOP, BOTTOM, SIDES, CORNERS = "╭─╮", "╰─╯", frozenset("│┤├┼┬┴▐▌"), frozenset("╭╮╰╯")


def trespasses(written: bytes) -> list[str]:
    """Return what is neither allowed nor text of its apparent width, with a few characters around it."""
    found = []
    text = written.decode("utf-8", "surrogateescape")
    at = 0
    while at < len(text):
        sequence = ALLOWED.match(text, at)
        if sequence is None:
            if not _is_plain(text[at]):
                found.append(repr(text[max(at - 12, 0) : at + 24]))
            at += 1
            continue
        if not all(map(_is_plain, sequence["title"] or "")):
            found.append(repr(sequence["title"]))
        found += [repr(line) for line in _copied(sequence["copied"]) if not line.isprintable()]
        at = sequence.end()
    return found


def _copied(encoded: str | None) -> list[str]:
    """Return the lines and cells that went to the clipboard, where tabs and newlines are harmless."""
    return re.split(r"[\n\t]", base64.b64decode(encoded or "").decode())


def _is_plain(char: str) -> bool:
    return char == " " or (unicodedata.category(char)[0] not in "CMZ" and wcwidth(char) in (1, 2))


def crooked_frames(screen: pyte.Screen) -> Iterator[str]:
    """Yield frames on the screen whose right side is not a straight line below its corner.

    What a whole frame covers, such as a dialog over cards, is passed over.
    """
    rows = [[screen.buffer[y][x].data for x in range(screen.columns)] for y in range(screen.lines)]
    corners = [(y, x) for y, row in enumerate(rows) for x, glyph in enumerate(row) if glyph == TOP[0]]
    traced = [(y, x, *_traced(rows, y, x)) for y, x in corners]
    whole = [(y, x, end_y, end_x) for y, x, end_y, end_x, fault in traced if fault == ""]
    for _, _, fault_y, fault_x, fault in traced:
        if fault and not any(y <= fault_y <= end_y and x <= fault_x <= end_x for y, x, end_y, end_x in whole):
            yield fault


def _traced(rows: list[list[str]], top: int, left: int) -> tuple[int, int, str | None]:
    """Return where a frame ends or is broken, and how: an empty text if it is whole, None if its end is hidden."""
    right = next((x for x in range(left + 1, len(rows[top])) if rows[top][x] in CORNERS), None)
    if right is None:
        return top, left, None  # it continues beyond the right edge of the screen
    if rows[top][right] != TOP[2]:
        return top, right, f"row {top}: no corner at the right of column {left}: {''.join(rows[top])}"
    for y, row in enumerate(rows[top + 1 :], top + 1):
        if row[left] == BOTTOM[0]:
            return y, right, "" if row[right] == BOTTOM[2] else f"no corner in column {right}: {''.join(row)}"
        if row[left] not in SIDES:
            return y, left, None  # it continues below the screen
        if row[right] not in SIDES:
            return y, right, f"no side in column {right}: {''.join(row)}"
    return len(rows), right, None
