"""Text from files: made safe for a terminal, measured, and fitted to columns.

Names of runs and tags, and every text of a summary, are untrusted data: they may hold escape sequences, right-to-left
overrides, newlines or four thousand characters. After `safe` each glyph is one printable code point, one or two columns
wide, so that the measured width is the width on the terminal.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from rich.cells import get_character_cell_size

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import numpy as np
    import numpy.typing as npt

    from tbtui.charts.cells import Cells


BLANK_MARK = "␣"
"""Replaces a newline, a tab and other white space that would move the cursor."""

UNKNOWN_MARK = "·"
"""Replaces a control, unassigned or private character, and bytes of a name that are not UTF-8."""

ELLIPSIS = "…"

NORMALISED_CHARS = 512
"""Characters normalised at once: the time is quadratic in a sequence of combining marks, and a whole text may be one.
"""

MAX_END_CHARS = 4096
"""Characters read from either end of a text to be shortened, more than the columns of any terminal."""

_SPACE = 32
_LINE_BREAKS = frozenset("\t\n\v\f\r\x85\u2028\u2029")
_FILLERS = frozenset("\u115f\u3164\uffa0")
"""Letters without a glyph (Hangul fillers)."""

_REGIONAL_A, _REGIONAL_Z = 0x1F1E6, 0x1F1FF
_SKIN_TONES = range(0x1F3FB, 0x1F400)
_JAMO_JOINED = (range(0x1160, 0x1200), range(0xD7B0, 0xD800))
"""Vowels and finals that a terminal draws into the cell to their left."""


def _replace_char(code: int) -> str:
    """Return the replacement of one code point: itself, a mark, or an empty text if it takes no column."""
    char = chr(code)
    category = unicodedata.category(char)
    if char in _LINE_BREAKS:
        return BLANK_MARK
    if category == "Zs":
        return " "
    if category in ("Cc", "Cn", "Co", "Cs"):
        return UNKNOWN_MARK
    # Format characters (bidi overrides, joiners, tags, soft hyphens) and marks take no column. Flags and skin tones
    # change the width of the neighbouring character, differently on each terminal.
    if category == "Cf" or category[0] == "M" or char in _FILLERS or code in _SKIN_TONES:
        return ""
    if any(code in jamo for jamo in _JAMO_JOINED):
        return ""
    if _REGIONAL_A <= code <= _REGIONAL_Z:
        return chr(ord("A") + code - _REGIONAL_A)
    return char if get_character_cell_size(char) in (1, 2) else ""


class _Replacements(dict[int, str]):
    """Cache of replacements; `str.translate` reads it, so that a long text costs one look-up per character."""

    def __missing__(self, code: int) -> str:
        if len(self) > 1 << 16:
            self.clear()
        self[code] = replaced = _replace_char(code)
        return replaced


_REPLACEMENTS = _Replacements()


def safe(text: str) -> str:
    """Return text as it may reach a terminal: one line, printable, every character one or two columns wide.

    Line breaks and tabs become `␣`; control, private and unassigned characters and undecodable bytes become `·`;
    characters without a column of their own (bidi controls, joiners, variation selectors, combining marks that NFC
    leaves over) are dropped. The function is idempotent.
    """
    if text.isascii() and text.isprintable():
        return text
    chunks = (text[start : start + NORMALISED_CHARS] for start in range(0, len(text), NORMALISED_CHARS))
    return "".join(unicodedata.normalize("NFC", chunk) for chunk in chunks).translate(_REPLACEMENTS)


ROOT_RUN = "."
"""Name of the run in the log directory itself, in files of settings and data; TensorBoard calls it so too."""

_root_label = [ROOT_RUN]


def set_root_label(label: str) -> None:
    """Set the name that users see for `ROOT_RUN`; global, because the log directory of a process never changes."""
    _root_label[0] = label or ROOT_RUN


def format_run_name(name: str) -> str:
    """Return the visible form of a run name: `␣` if it has no visible character, the log directory for `ROOT_RUN`."""
    if name == ROOT_RUN:
        return _root_label[0]
    return name if safe(name[:MAX_END_CHARS]).strip() else BLANK_MARK


def _measure_character(char: str) -> int:
    return 1 if char < "\u0300" else get_character_cell_size(char)


def cell_width(text: str) -> int:
    """Return the terminal columns of safe text."""
    return len(text) if text.isascii() else sum(map(_measure_character, text))


def _take_head(text: str, width: int) -> str:
    """Return the leading characters that fit into `width` columns."""
    if text.isascii():
        return text[: max(width, 0)]
    used = 0
    for index, char in enumerate(text):
        used += _measure_character(char)
        if used > width:
            return text[:index]
    return text


def _take_tail(text: str, width: int) -> str:
    """Return the trailing characters that fit into `width` columns."""
    return _take_head(text[::-1], width)[::-1]


def split_at(text: str, width: int) -> tuple[str, str]:
    """Split safe, non-empty text after the characters that fit into `width` columns, at least one."""
    head = _take_head(text, width) or text[0]
    return head, text[len(head) :]


def _drop_middle(text: str) -> str:
    """Return the text, or its two ends if it is very long."""
    return text if len(text) <= 2 * MAX_END_CHARS else text[:MAX_END_CHARS] + text[-MAX_END_CHARS:]


def fit(text: str, width: int) -> str:
    """Return safe text in at most `width` columns, cut at the end and marked with `…` if it is too long."""
    text = safe(_drop_middle(text))
    if cell_width(text) <= width:
        return text
    return _take_head(text, width - 1) + ELLIPSIS if width > 0 else ""


def shorten(text: str, width: int, tail_width: int | None = None) -> str:
    """Return safe text in at most `width` columns; the middle of a long text is cut out: `adam_lr1e-3…seed0`.

    Args:
        text: Any text.
        width: Columns.
        tail_width: Columns of the end of a cut text, less than `width`; None: half of them.
    """
    text = safe(_drop_middle(text))
    if cell_width(text) <= width:
        return text
    if width <= 0:
        return ""
    tail = _take_tail(text, (width - 1) // 2 if tail_width is None else tail_width)
    return _take_head(text, width - 1 - cell_width(tail)) + ELLIPSIS + tail


def pad(text: str, width: int) -> str:
    """Return safe text in exactly `width` columns: cut like `fit`, or filled with blanks at the right."""
    text = fit(text, width)
    return text + " " * (width - cell_width(text))


def write(cells: Cells, y: int, x: int, text: str, ink: int) -> int:
    """Write text into row `y` from column `x`, clipped to the picture.

    A wide glyph with only one half inside becomes a blank, and so does the rest of one that is half covered.

    Args:
        cells: New cells, changed in place.
        y: Row; rows outside the picture are ignored.
        x: Column of the first character; may be negative.
        text: Any text; it is made `safe` here.
        ink: Ink of every cell written.

    Returns:
        The column after the last character, clipped or not.
    """
    text = safe(text)
    end = x + cell_width(text)
    if not 0 <= y < cells.height or x >= cells.width or end <= 0:
        return end
    if end - x == len(text):
        first, last = max(x, 0), min(end, cells.width)
        _put(cells, y, first, last, [ord(char) for char in text[first - x : last - x]], ink)
        return end
    for char in text:
        width = _measure_character(char)
        first, last = max(x, 0), min(x + width, cells.width)
        if first < last:
            _put(cells, y, first, last, [ord(char), 0][:width] if last - first == width else [_SPACE], ink)
        x += width
    return end


def iter_glyph_spans(cells: Cells, is_selected: npt.NDArray[np.bool_]) -> Iterator[tuple[int, int, str, int]]:
    """Yield row, first column, text and ink of consecutive selected cells with one ink.

    Args:
        cells: A picture.
        is_selected: True for each cell to read, bool[height, width]; right halves of wide glyphs add no character.
    """
    for row in is_selected.any(axis=1).nonzero()[0].tolist():
        start, text, ink = 0, "", 0
        for column in (*is_selected[row].nonzero()[0].tolist(), -2):
            glyph = 0 if column < 0 else int(cells.glyphs[row, column])
            if text and (column != start + len(text) or int(cells.inks[row, column]) != ink):
                yield row, start, text, ink
                text = ""
            if column >= 0 and glyph:
                if not text:
                    start, ink = column, int(cells.inks[row, column])
                text += chr(glyph)


def _put(cells: Cells, y: int, first: int, last: int, codes: list[int], ink: int) -> None:
    """Overwrite cells `first` to before `last` of a row, and blank the rest of wide glyphs at both ends."""
    row = cells.glyphs[y]
    if row[first] == 0:
        row[first - 1] = _SPACE
    if last < cells.width and row[last] == 0:
        row[last] = _SPACE
    row[first:last] = codes
    cells.inks[y, first:last] = ink
    if cells.colours is not None:
        cells.colours[y, first:last] = 0


def _has_point(text: str) -> bool:
    """Return True if the text is a number without exponent, which is aligned by its decimal point."""
    return text[-1:].isdigit() and "e" not in text


def count_decimals(text: str) -> int:
    """Return the number of characters from the decimal point on; 0 for other texts (`NaN`, `12.5M`, `-8e-5`)."""
    if not _has_point(text):
        return 0
    point = text.find(".")
    return len(text) - point if point >= 0 else 0


def count_max_decimals(texts: Iterable[str]) -> int:
    """Return the maximum of `count_decimals` of the texts of a column."""
    return max(map(count_decimals, texts), default=0)


def pad_to_point(text: str, point_distance: int, width: int) -> str:
    """Return the text in at least `width` characters with its decimal point `point_distance` from the end.

    If that takes more than `width`, the point is nearer to the end: in a column with a fixed width, complete numbers
    are more important than aligned ones.
    """
    missing = point_distance - count_decimals(text) if _has_point(text) else 0
    return (text + " " * max(min(missing, width - len(text)), 0)).rjust(width)


def align_numbers(texts: Sequence[str]) -> tuple[str, ...]:
    """Return the texts padded to one width, just wide enough to align all decimal points."""
    # Columns have thousands of numbers, so each is looked at once.
    decimal_counts = [count_decimals(text) if _has_point(text) else None for text in texts]
    max_count = max((count for count in decimal_counts if count is not None), default=0)
    padded = [
        text if count is None else text + " " * (max_count - count)
        for text, count in zip(texts, decimal_counts, strict=True)
    ]
    width = max(map(len, padded), default=0)
    return tuple(text.rjust(width) for text in padded)
