"""Two texts as one document that says how they differ."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, pairwise
from typing import TYPE_CHECKING

from tbtui.charts.cells import Ink
from tbtui.charts.numbers import counted
from tbtui.plugins.text.difference import compare
from tbtui.plugins.text.document import growing, text_lines
from tbtui.plugins.text.layout import Setter
from tbtui.plugins.text.lines import BLANK, DIM, PLAIN, WARN, Look, piece

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.loading.texts import StoredText
    from tbtui.plugins.text.difference import DiffLine
    from tbtui.plugins.text.document import Document
    from tbtui.plugins.text.lines import DocumentLine, Pieces

REMOVED_SIGN, ADDED_SIGN = "-", "+"
_LOOKS = {"same": PLAIN, "removed": Look(Ink.BAD), "added": Look(Ink.GOOD)}
_SIGNS = {"same": " ", "removed": REMOVED_SIGN, "added": ADDED_SIGN}

NO_DIFFERENCE = "no difference"
BYTES_ALONE = "no difference but for bytes that are not shown, such as line ends and null characters"
ROUGH = "they differ in too much: lines that both have may stand as removed and added"


def differences(before: StoredText, after: StoredText, width: int, *, wrap: bool) -> Iterator[Document]:
    """How a text became another one, a line for each line that was removed or added.

    Args:
        before: The one.
        after: The other.
        width: Columns of the screen.
        wrap: Whether lines are broken where they are too long.

    Yields:
        The document, as far as it is made; the last one is whole.
    """
    setter = Setter(width, wrap=wrap)
    lines = text_lines(before), text_lines(after)
    if lines[0] == lines[1]:
        words = NO_DIFFERENCE if before.cells == after.cells else BYTES_ALONE
        return growing(setter.as_written((piece(words, DIM),)), "difference")
    found = compare(*lines)
    told = [f"{counted(found.removed, 'line')} removed, {counted(found.added, 'line')} added"]
    warnings = [ROUGH] * found.is_rough
    if found.left_out:
        warnings.append(f"{counted(found.left_out, 'line')} at the end are not compared")
    head = chain(
        chain.from_iterable(setter.as_written((piece(words, DIM),)) for words in told),
        chain.from_iterable(setter.warning((piece(words, WARN),)) for words in warnings),
        (BLANK,),
    )
    body = chain.from_iterable(_set(line, setter) for line in found.lines)
    return growing(chain(head, body), "difference")


def _set(line: DiffLine, setter: Setter) -> Iterator[DocumentLine]:
    if line.kind == "folded":
        return setter.as_written((piece(f"⋯ {counted(line.count, 'line')} alike", DIM),))
    look = _LOOKS[line.kind]
    sign: Pieces = ((f"{_SIGNS[line.kind]} ", replace(look, bold=True)),)
    return setter.as_written(_pieces(line, look), sign, (("  ", look),))


def _pieces(line: DiffLine, look: Look) -> Pieces:
    """A line, the words by which it differs from its other version set off."""
    word = replace(look, bold=True, underline=True)
    ends = [0, *chain.from_iterable(line.changed), len(line.text)]
    parts = [line.text[start:end] for start, end in pairwise(ends)]
    return tuple(piece(part, word if index % 2 else look) for index, part in enumerate(parts) if part)
