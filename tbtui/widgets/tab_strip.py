"""The tab strip: all tabs in one line, each with the digit that opens it."""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING

from textual.message import Message

from tbtui.charts.cells import Ink
from tbtui.charts.styled_text import Piece, pieces_width
from tbtui.widgets.line import Line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from textual import events

TAB_KEYS = "1234567890"
"""Keys of the first tabs, in order; further tabs have none of their own."""

MAX_FORMER_TABS = 16
"""Maximum number of changes of the tabs that a waiting key may outlast."""

MORE = "…"
_GAPS = (2, 0)
"""Columns between tabs, widest first; every tab begins with a blank besides."""

_MIN_TITLE = 3
"""Characters of a title that still say which tab it is."""


def choose_tab_labels(titles: Sequence[str], opened: int, width: int) -> tuple[tuple[str, ...], int] | None:
    """Return the titles to show and the gap between tabs, such that all tabs fit into `width` columns.

    The gap shrinks first. Then the longest titles lose their ends, down to three characters; the open tab keeps its
    title as long as it can. Last, the tabs that have a key lose their titles, and the open tab has its own again.

    Args:
        titles: Titles of all tabs.
        opened: Index of the open tab.
        width: Columns of the strip.

    Returns:
        None if not even the keys alone fit.
    """
    for labels, gap in _propose_labels(titles, opened):
        room = width - sum(len(_format_key(index, label)) + len(label) for index, label in enumerate(labels))
        room -= gap * (len(titles) - 1)
        if room >= 0:
            return tuple(_complete_titles(titles, labels, room)), gap
    return None


def _propose_labels(titles: Sequence[str], opened: int) -> Iterator[tuple[list[str], int]]:
    for gap in _GAPS:
        yield list(titles), gap
    longest = max(map(len, titles), default=0)
    for length in range(longest, _MIN_TITLE - 1, -1):
        short = _cut_titles(titles, length)
        yield [title if index == opened else short[index] for index, title in enumerate(titles)], 0
    shortest = _cut_titles(titles, _MIN_TITLE)
    for length in range(longest, _MIN_TITLE - 1, -1):
        own = _cut_titles(titles, length)[opened]
        yield [own if index == opened else label for index, label in enumerate(shortest)], 0
    for length in range(longest, _MIN_TITLE - 1, -1):
        own = _cut_titles(titles, length)[opened]
        keys = [label if index >= len(TAB_KEYS) else "" for index, label in enumerate(shortest)]
        yield [own if index == opened else label for index, label in enumerate(keys)], 0


def _complete_titles(titles: Sequence[str], labels: Sequence[str], room: int) -> list[str]:
    """Return the labels with as many titles whole as `room` columns allow, those that lack least first."""
    shown = list(labels)
    missing = sorted(
        (len(title) - len(label), index) for index, (title, label) in enumerate(zip(titles, labels, strict=True))
    )
    for columns, index in missing:
        if labels[index] and columns <= room:
            shown[index] = titles[index]
            room -= columns
    return shown


def _cut_titles(titles: Sequence[str], length: int) -> list[str]:
    """Return the first `length` characters of each title, more where two titles begin alike (`Proj`, `Prof`).

    A second word goes as a whole: `PR`, not `PR cur`.
    """
    short = []
    for title in titles:
        end = length
        while end < len(title) and sum(other.startswith(title[:end]) for other in titles) > 1:
            end += 1
        words, is_cut = title[:end].split(), end < len(title) and title[end] != " "
        complete_words = " ".join(words[:-1]) if is_cut and len(words) > 1 else title[:end].rstrip()
        is_alone = sum(other.startswith(complete_words) for other in titles) == 1
        short.append(complete_words if is_alone else title[:end])
    return short


def _format_key(index: int, label: str) -> str:
    """Return the text before a label: a blank, and the key of the tab if it has one."""
    key = f" {TAB_KEYS[index]}" if index < len(TAB_KEYS) else ""
    return f"{key} " if label else key


class TabStrip(Line):
    """Shows the titles of the tabs, shortened so that all fit; else the open tab and its neighbours."""

    class Chosen(Message):
        """A tab was clicked."""

        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._tabs: tuple[tuple[str, str], ...] = ()
        self._former_tabs: deque[tuple[float, tuple[tuple[str, str], ...]]] = deque(maxlen=MAX_FORMER_TABS)
        """Tabs that were shown before, and until when, as `time.monotonic`; the newest last."""

        self._open = ""
        self._ends: list[tuple[int, str]] = []

    def show_tabs(self, tabs: Sequence[tuple[str, str]], opened: str) -> None:
        """Show other tabs.

        Args:
            tabs: Name and title of each.
            opened: Name of the open one.
        """
        if self._tabs != tuple(tabs):
            self._former_tabs.append((time.monotonic(), self._tabs))
        self._tabs, self._open = tuple(tabs), opened
        self._lay_out()

    def find_tab(self, number: int, read_at: float) -> str | None:
        """Return the name of the tab that had a number when a key was read; None if none had.

        A key may wait while new data is drawn: it means the number that the user saw.

        Args:
            number: Number of the tab, from 1.
            read_at: Time of the key, as `time.monotonic`.
        """
        tabs = next((tabs for until, tabs in self._former_tabs if read_at < until and number <= len(tabs)), self._tabs)
        return tabs[number - 1][0] if number <= len(tabs) else None

    def _lay_out(self) -> None:
        """Lay the titles out and record the column where each ends."""
        pieces: list[Piece] = []
        self._ends = []
        titles = [title for _, title in self._tabs]
        opened = next((i for i, (name, _) in enumerate(self._tabs) if name == self._open), 0)
        first, last = 0, len(titles)
        labels = choose_tab_labels(titles, opened, self.size.width)
        if labels is None:
            first, last = self._find_visible_tabs(titles, opened)
        shown, gap = labels or (titles, _GAPS[0])
        if first > 0:
            pieces.append((MORE, Ink.FAINT))
        for index in range(first, last):
            name = self._tabs[index][0]
            is_open = name == self._open
            pieces += [(_format_key(index, shown[index]), Ink.ACCENT if is_open else Ink.DIM)]
            pieces += [(shown[index], Ink.BOLD if is_open else Ink.DIM), (" " * gap, Ink.NONE)]
            self._ends.append((pieces_width(pieces), name))
        if last < len(self._tabs):
            pieces.append((MORE, Ink.FAINT))
        self.show(pieces)

    def _find_visible_tabs(self, titles: Sequence[str], opened: int) -> tuple[int, int]:
        """Return the index of the first visible tab, and the index after the last."""
        gap = _GAPS[0]
        widths = [pieces_width(((f"{_format_key(i, title)}{title}", 0),)) + gap for i, title in enumerate(titles)]
        first, last = 0, len(widths)

        def too_wide() -> bool:
            behind = len(MORE) if last < len(widths) else -gap
            return sum(widths[first:last]) + len(MORE) * (first > 0) + behind > self.size.width

        while last - 1 > opened and too_wide():
            last -= 1
        while first < opened and too_wide():
            first += 1
        return first, last

    def on_resize(self) -> None:
        """Show the tabs that fit."""
        self._lay_out()

    def on_click(self, event: events.Click) -> None:
        """Open the clicked tab."""
        offset = event.get_content_offset(self)
        name = None if offset is None else next((name for end, name in self._ends if offset.x < end), None)
        if name is not None:
            event.stop()
            self.post_message(self.Chosen(name))
