"""Titles, status and messages of the Text tab."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.cells import Ink
from tbtui.charts.numbers import format_clock, format_count
from tbtui.charts.series_colours import get_series_marker
from tbtui.charts.styled_text import GAP, pieces_width, spread_pieces
from tbtui.charts.text import cell_width, format_run_name, safe, shorten
from tbtui.plugins.text.document import ADDED_SIGN, REMOVED_SIGN, split_lines
from tbtui.plugins.text.pane.list_model import TextKey, format_text_title
from tbtui.view.run_names import fit_run_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tbtui.charts.styled_text import Piece
    from tbtui.plugins.text.document import DocumentRequest, Form, Texts
    from tbtui.plugins.text.pane.list_model import TextListing
    from tbtui.plugins.text.read import TextPoint


HOW_TO_WRITE = "w writes it to a file"
UNREADABLE = "this text cannot be shown"
READING, READING_BRIEF = "reading the text …", "reading …"
SAME_TEXT = "this is the marked text"
MARK_IS_GONE = "the marked text is not listed any more"
NOTHING_OTHER = "there is no other text of this tag to compare with"
HOW_TO_COMPARE = "space marks any text, d on another compares them; escape leaves"
MAX_COPY_BYTES = 70_000
"""Bytes that terminals accept for the clipboard; some silently drop longer texts."""

TOO_LONG_TO_COPY = "too long for the clipboard of a terminal; w writes it to a file"
FORMS: Mapping[Form, str] = {
    "markdown": "Markdown",
    "written": "as written",
    "configuration": "configuration",
    "difference": "difference",
}


def draw_title(
    text: TextPoint,
    ink: int,
    right: Sequence[Piece],
    width: int,
    *,
    has_keys: bool,
    sign: str = "",
    runs: Sequence[str] = (),
) -> tuple[Piece, ...]:
    """Return the title of a text, `● adam/seed0  notes  step 440  2026-11-20 18:23:05`, and its form at the right.

    Args:
        text: The text.
        ink: Series ink of its run.
        right: Pieces at the right, which are never cut.
        width: Columns. The time goes first, then names are cut.
        has_keys: True if the text has the focus.
        sign: A sign in front of all; empty: none.
        runs: Names of runs that the name of its run differs from if it is cut.
    """
    run, tag = format_run_name(text.run.name), format_text_title(text.series.tag)
    name_ink = Ink.ACCENT if has_keys else Ink.BOLD
    prefix: tuple[Piece, ...] = ((f"{sign} ", _SIGN_INKS[sign]),) if sign else ()
    first = (*prefix, (f"{get_series_marker(ink)} ", ink))
    step: tuple[Piece, ...] = (GAP, (f"step {text.step}", Ink.TEXT))
    name_width = width - pieces_width((*first, *step, GAP)) - (pieces_width(right) + 2 if right else 0)
    time: tuple[Piece, ...] = (GAP, (format_clock(text.wall_time), Ink.DIM))
    needed = cell_width(safe(run)) + cell_width(safe(tag))
    if name_width - pieces_width(time) < needed:
        time = ()
    name_width = max(name_width - pieces_width(time), 0)
    run = fit_run_name(text.run.name, runs, max(name_width - cell_width(safe(tag)), name_width // 2))
    names: tuple[Piece, ...] = ((run, Ink.TEXT), GAP, (shorten(tag, name_width - cell_width(run)), name_ink))
    return spread_pieces((*first, *names, *step, *time), right, width)


_SIGN_INKS = {REMOVED_SIGN: int(Ink.BAD), ADDED_SIGN: int(Ink.GOOD)}


def explain_no_comparison(marked: TextKey | None, chosen: TextKey) -> str:
    """Return the reason why there is no text to compare the selected one with."""
    if marked is None:
        return NOTHING_OTHER
    return SAME_TEXT if marked == chosen else MARK_IS_GONE


def build_newer_note(step: int) -> Piece:
    """Return the note that a newer text than the shown one exists."""
    return f"newer at step {step}", Ink.ACCENT


def format_status(listed: TextListing, *, wraps: bool) -> str:
    """Return the status, `8 texts of 2 tags`, and the settings of the list."""
    texts = [f"{format_count(listed.texts(), 'text')} of {format_count(listed.tags, 'tag')}"]
    if listed.view.settings.superseded:
        texts.append("superseded too")
    if not wraps:
        texts.append("lines not broken")
    return " · ".join(texts)


def matches_text(current: int, count: int, error: str | None, *, is_plain: bool) -> str:
    """Return the position among the matches, `3 of 17`, and what is wrong with the pattern."""
    texts = [f"{current + 1:,} of {count:,}" if count else "no match"]
    if is_plain:
        texts.append("plain text")
    if error is not None:
        texts.append(error)
    return " · ".join(texts)


def build_clipboard_text(texts: Texts, request: DocumentRequest) -> str:
    """Return the text or the difference for the clipboard, without characters that are unsafe to paste.

    Raises:
        TextReadError: It cannot be read.
    """
    if request.before is not None:
        *_, document = texts.make_documents(request)
        return "\n".join(line.text.rstrip() for line in document.lines)
    lines = split_lines(texts.text(request.text))
    return "\n".join("\t".join(map(safe, line.split("\t"))) for line in lines)
