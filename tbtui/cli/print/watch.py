"""Run `--watch`: repeat the same print with the same loader until Ctrl-C.

On a terminal each frame replaces the one before on the alternate screen, and only lines that differ are written; the
last frame stays on the main screen. Elsewhere frames that differ follow one another, with a form feed in a line of its
own between them.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tbtui.charts.text import shorten
from tbtui.cli.output import check_reader, print_text
from tbtui.cli.shutdown import exit_on_signals
from tbtui.report.blocks import Heading, InkTextRows, Picture
from tbtui.report.renderer import render_blocks
from tbtui.report.terminal import DUMB, join_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tbtui.cli.print.command import Printing
    from tbtui.loading.loader import Loader
    from tbtui.report.blocks import Block
    from tbtui.report.terminal import OutputTarget
    from tbtui.store.snapshot import StoreSnapshot
    from tbtui.view.view import View


# Fit a print to the screen: as many legible charts as possible, all as high as the rows allow.


MIN_HEIGHT, MAX_HEIGHT = 8, 48
"""Limits of the chart height: fewer charts are shown before one gets lower, and more rows show nothing more."""


def fit_print(printing: Printing, view: View, target: OutputTarget) -> list[str]:
    """Return the lines of a print in at most as many rows as the target has; none if nothing matches."""
    if target.height is None:
        return list(printing.lines(view, target))
    requested_height = printing.arguments.height
    blocks = printing.blocks(view, target, MIN_HEIGHT)
    if not blocks:
        return []
    sections = _split_sections(blocks)
    all_lines = list(render_blocks(blocks, target))
    # One line is reserved for the note on what is left out.
    shown = len(sections) if len(all_lines) <= target.height else _count_fitting(sections, target, target.height - 1)
    pictures = sum(isinstance(block, Picture | InkTextRows) for section in sections[:shown] for block in section)
    if shown and pictures and requested_height is None:
        used = len(list(render_blocks([block for section in sections[:shown] for block in section], target)))
        room = target.height - (shown < len(sections)) - used
        height = min(MIN_HEIGHT + max(room, 0) // pictures, MAX_HEIGHT)
        sections = _split_sections(printing.blocks(view, target, height))
    lines = list(render_blocks([block for section in sections[: max(shown, 1)] for block in section], target))
    return _cut(lines, len(sections) - max(shown, 1), target, target.height)


def _split_sections(blocks: Sequence[Block]) -> list[list[Block]]:
    """Return each heading with the blocks below it."""
    sections: list[list[Block]] = []
    for block in blocks:
        if isinstance(block, Heading) or not sections:
            sections.append([])
        sections[-1].append(block)
    return sections


def _count_fitting(sections: Sequence[Sequence[Block]], target: OutputTarget, room: int) -> int:
    """Return the number of leading sections that fit into `room` rows."""
    for shown in range(len(sections), 0, -1):
        if len(list(render_blocks([block for section in sections[:shown] for block in section], target))) <= room:
            return shown
    return 0


def _cut(lines: list[str], missing: int, target: OutputTarget, room: int) -> list[str]:
    """Return the lines that fit, and a note on those that do not."""
    if len(lines) + (missing > 0) <= room:
        more = f"{missing:,} more of them" if missing else ""
    else:
        more = f"{len(lines) - room + 1:,} more lines"
        lines = lines[: room - 1]
    return [*lines, target.encode(f"… {more} below (--tags REGEX, --max-tags N)")] if more else lines


ENTER, LEAVE = "\x1b[?1049h\x1b[?25l", "\x1b[?2026l\x1b[0m\x1b[?25h\x1b[?1049l"
"""Sequences that switch to the alternate screen without cursor, and back."""

BEGIN, END = "\x1b[?2026h", "\x1b[?2026l"
"""Synchronised output (mode 2026): terminals that know it show a frame at once."""

FORM_FEED = "\f\n"


def watch(loader: Loader, printing: Printing, seconds: float) -> int:
    """Print until the process is interrupted.

    Args:
        loader: Reads the logs and what is new in them.
        printing: Prints a snapshot.
        seconds: Time between two reads.

    Raises:
        BrokenPipeError: The reader of stdout has closed it.
        KeyboardInterrupt: Ctrl-C; the terminal has been restored.
        OutputError: stdout cannot be written.
        PatternError: A pattern cannot be applied to the current names.
    """
    screen = _Screen() if _can_redraw() else _Pages()
    shown: tuple[object, ...] | None = None
    with exit_on_signals(), screen.used():
        while True:
            snapshot, target = loader.load_all().snapshot, printing.target(fits=True)
            following = snapshot.revision, target, printing.read_files()
            if following != shown:
                screen.show(frame(printing, snapshot, target), target)
                shown = following
            time.sleep(seconds)
            check_reader()  # without new data nothing is written, so a closed pipe would stay unnoticed


def _can_redraw() -> bool:
    return sys.stdout is not None and sys.stdout.isatty() and os.environ.get("TERM", DUMB[0]) not in DUMB


def frame(printing: Printing, snapshot: StoreSnapshot, target: OutputTarget) -> list[str]:
    """Return the lines of one frame, or the reason why there are none yet."""
    view = printing.view(snapshot)
    return fit_print(printing, view, target) or [
        target.encode(shorten(f"{printing.label}: {printing.explain_nothing(view)}, waiting", target.width))
    ]


class _Screen:
    """A terminal on which lines are replaced."""

    def __init__(self) -> None:
        self._shown: list[str] = []
        self._size: tuple[int, int | None] = (0, None)

    @contextmanager
    def used(self) -> Iterator[None]:
        print_text(ENTER)
        try:
            yield
        finally:
            print_text(LEAVE + join_lines(self._shown))

    def show(self, lines: Sequence[str], target: OutputTarget) -> None:
        """Write the lines that differ from the previous ones."""
        size = target.width, target.height
        fresh = size != self._size
        parts = ["\x1b[2J"] if fresh else []
        before = [] if fresh else self._shown
        for row, line in enumerate(lines):
            if row >= len(before) or before[row] != line:
                parts.append(f"\x1b[{row + 1};1H{line}\x1b[K")
        if len(lines) < len(before):
            parts.append(f"\x1b[{len(lines) + 1};1H\x1b[J")
        self._shown, self._size = list(lines), size  # before writing: these lines stay after Ctrl-C
        if parts:
            print_text(f"{BEGIN}{''.join(parts)}{END}")


class _Pages:
    """A file, a pipe or a terminal without cursor movement."""

    def __init__(self) -> None:
        self._shown: list[str] | None = None

    @contextmanager
    def used(self) -> Iterator[None]:
        yield

    def show(self, lines: Sequence[str], target: OutputTarget) -> None:  # noqa: ARG002 - a terminal needs it
        """Write all lines if any has changed."""
        if self._shown != lines:
            print_text(join_lines(lines) if self._shown is None else FORM_FEED + join_lines(lines))
            self._shown = list(lines)
