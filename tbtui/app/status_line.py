"""The line at the top: which logs, how much of them shows, how fresh it is, and whether files are damaged."""

from __future__ import annotations

from itertools import chain, repeat
from typing import TYPE_CHECKING

from textual.message import Message

from tbtui.app.layout import WIDE_FROM
from tbtui.app.run_words import NO_NUMBERS
from tbtui.app.sidebar_rows import LOST
from tbtui.app.words import damaged_files, of_all, progress
from tbtui.charts.cells import Ink
from tbtui.charts.numbers import counted
from tbtui.charts.text import cell_width, safe, shorten
from tbtui.viewstate.ages import freshness
from tbtui.viewstate.filters import filter_for
from tbtui.viewstate.select import solo_runs
from tbtui.widgets.line import Line, Piece, apart, pieces_width

if TYPE_CHECKING:
    from textual import events

    from tbtui.app.outlook import Outlook
    from tbtui.viewstate.choices import Choices

WARNING = "⚠"
HELP = "? help"
SHORTEST_LABEL = 12
"""Columns that the log directory keeps before anything else of the line goes."""


def damage_notice(outlook: Outlook, wide: bool) -> tuple[Piece, ...]:
    """`⚠ 1 damaged file`; nothing when all are healthy."""
    count = damaged_files(outlook.state.problems)
    if not count:
        return ()
    return ((f"{WARNING} {counted(count, 'damaged file') if wide else count} ", Ink.WARN),)


def counts(outlook: Outlook) -> list[tuple[int, Piece]]:
    """`2 of 7 runs`, `33 tags`, `live`, `✗ 1 NaN`, each with its weight: where there is no room the lightest goes."""
    choices, snapshot = outlook.choices, outlook.state.snapshot
    runs, are_all = of_all(len(outlook.shown), len(snapshot.runs), "run"), len(outlook.shown) == len(snapshot.runs)
    # How many there are matters less than the worst trouble of any; that some are hidden matters more.
    worth = 2 if are_all else 5
    found: list[tuple[int, Piece]] = [(worth, (f"{runs} (solo)" if is_solo(outlook) else runs, Ink.DIM))]
    if outlook.plugin is not None:
        tags = of_all(outlook.unfolded, len(outlook.all_tags), "tag")
        found.append((1, (tags, Ink.TEXT if choices.tag_filter else Ink.DIM)))
    news = progress(outlook.state) or _news(outlook)
    found.append((6, (news, Ink.DIM if outlook.state.complete else Ink.ACCENT)))
    found += [(5, (f"{kind} filter {error}", Ink.WARN)) for kind, error in _failing_filters(choices)]
    return [*found, *zip(chain([4], repeat(2)), health(outlook), strict=False)]


def health(outlook: Outlook) -> list[Piece]:
    """`✗ 1 NaN`, `✗ 2 Inf`, `1 diverging`, `2 stalled`, of the runs that are drawn; nothing while all is well."""
    troubles = [outlook.facts[run].trouble for run in outlook.shown]
    kinds = [trouble.kind for trouble in troubles if trouble is not None]
    stalled = sum(outlook.conditions.of[run].stalled for run in outlook.shown)
    said: list[Piece] = []
    for kind, word in NO_NUMBERS.items():
        if lost := kinds.count(kind):
            said.append((f"{LOST} {lost} {word}", Ink.BAD))
    if diverging := kinds.count("diverges"):
        said.append((f"{diverging} diverging", Ink.BAD))
    if stalled:
        said.append((f"{stalled} stalled", Ink.WARN))
    return said


def _failing_filters(choices: Choices) -> list[tuple[str, str]]:
    """Of the filters that apply those that hide nothing, each with the reason."""
    tried = (("run", filter_for(choices.run_filter).error), ("tag", filter_for(choices.tag_filter).error))
    return [(kind, error) for kind, error in tried if error]


def is_solo(outlook: Outlook) -> bool:
    """Whether one run or folder is drawn alone."""
    return bool(solo_runs(outlook.shown, outlook.choices))


def _news(outlook: Outlook) -> str:
    if outlook.state.watching == "off":
        return "not watching"
    news = freshness(outlook.conditions.age) or "waiting"
    return f"{news} (polled)" if outlook.state.watching == "polled" else news


def short_path(path: str, width: int) -> str:
    """A path in at most `width` columns: `…/trainings/digits`; its end says most."""
    path = safe(path)
    while cell_width(path) > width and "/" in path.removeprefix("…/").rstrip("/"):
        path = "…/" + path.removeprefix("…/").partition("/")[2]
    return shorten(path, width)


def status_pieces(outlook: Outlook, label: str, width: int, keys: bool = True) -> tuple[Piece, ...]:
    """The whole line.

    Args:
        outlook: What is loaded and chosen.
        label: The log directory as the user wrote it.
        width: Terminal columns.
        keys: Whether the line of keys shows; where it has no room this one tells how to find them.
    """
    wide = width >= WIDE_FROM
    name: tuple[Piece, ...] = ((" tbtui  ", Ink.ACCENT),) if wide else ((" ", Ink.NONE),)
    notice = damage_notice(outlook, wide)
    found = [*counts(outlook), *([] if keys else [(3, (HELP, Ink.ACCENT))])]
    around = pieces_width(name) + cell_width(short_path(label, SHORTEST_LABEL)) + pieces_width(notice)
    room = width - around - (4 if notice else 2)  # a blank before what follows, and the margin
    while len(found) > 1 and pieces_width(_joined(found)) > room:
        found.remove(min(reversed(found), key=lambda weighed: weighed[0]))
    right = [*_joined(found), ("   " if notice else " ", Ink.NONE), *notice]
    label = short_path(label, max(width - pieces_width(name) - pieces_width(right) - 1, 1))
    return apart((*name, (label, Ink.BOLD)), right, width)


def _joined(found: list[tuple[int, Piece]]) -> list[Piece]:
    pieces: list[Piece] = []
    for _, piece in found:
        pieces += [(" · ", Ink.FAINT), piece] if pieces else [piece]
    return pieces


class StatusLine(Line):
    """The line as a widget; the notice of damage opens the damage list."""

    class DamageAsked(Message):
        """The notice of damage was clicked."""

    def on_click(self, event: events.Click) -> None:
        """Open the damage list from its notice, which stands last."""
        notice = self.pieces[-1:] if self.pieces and self.pieces[-1][0].startswith(WARNING) else ()
        if notice and event.x >= self.size.width - pieces_width(notice):
            event.stop()
            self.post_message(self.DamageAsked())
