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
from tbtui.cli.print.fitting import fitted
from tbtui.cli.signals import ending_in_order
from tbtui.cli.stdout import check_reader, print_text
from tbtui.report.terminal import DUMB, joined

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tbtui.cli.print.command import Printing
    from tbtui.loading.loader import Loader
    from tbtui.report.terminal import OutputTarget
    from tbtui.store.snapshot import StoreSnapshot

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
        PatternError: A pattern takes too long on the current names.
    """
    screen = _Screen() if _can_redraw() else _Pages()
    shown: tuple[int, OutputTarget] | None = None
    with ending_in_order(), screen.used():
        while True:
            snapshot, target = loader.load_all().snapshot, printing.target(fits=True)
            if (snapshot.revision, target) != shown:
                screen.show(frame(printing, snapshot, target), target)
                shown = snapshot.revision, target
            time.sleep(seconds)
            check_reader()  # without new data nothing is written, so a closed pipe would stay unnoticed


def _can_redraw() -> bool:
    return sys.stdout is not None and sys.stdout.isatty() and os.environ.get("TERM", DUMB[0]) not in DUMB


def frame(printing: Printing, snapshot: StoreSnapshot, target: OutputTarget) -> list[str]:
    """Return the lines of one frame, or the reason why there are none yet."""
    view = printing.view(snapshot)
    return fitted(printing, view, target) or [
        target.encoded(shorten(f"{printing.label}: {printing.why_nothing(view)}, waiting", target.width))
    ]


class _Screen:
    """A terminal that lines are replaced on."""

    def __init__(self) -> None:
        self._shown: list[str] = []
        self._size: tuple[int, int | None] = (0, None)

    @contextmanager
    def used(self) -> Iterator[None]:
        print_text(ENTER)
        try:
            yield
        finally:
            print_text(LEAVE + joined(self._shown))

    def show(self, lines: Sequence[str], target: OutputTarget) -> None:
        """Write the lines that differ from those before."""
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
            print_text(joined(lines) if self._shown is None else FORM_FEED + joined(lines))
            self._shown = list(lines)
