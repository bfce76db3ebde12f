"""State of the terminal before the dashboard, and its restoration when Textual fails to restore it."""

from __future__ import annotations

import os
import select
import termios
from contextlib import suppress
from typing import Any

from tbtui.frozen import frozen

RESET_MODES = (
    b"\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[?1016l"  # no mouse reports, not in pixels either
    b"\x1b[?2004l\x1b[?1004l\x1b[?2048l"  # no bracketed paste, no focus reports, no reports of the size
    b"\x1b[?2026l"  # no half-sent frame kept back
    b"\x1b[<u"  # the keyboard as it was
    b"\x1b[?7h\x1b[0m\x1b[?1049l\x1b[?25h"  # line wrap, plain colours, the screen from before, the cursor
)
"""Disables every mode that the dashboard may have enabled. Each sequence is harmless if its mode is off."""

PUSH_TITLE, POP_TITLE = b"\x1b[22;0t", b"\x1b[23;0t"
"""Push the title on the terminal's title stack, and pop it (xterm, tmux and most others have one)."""

DISABLE_PIXEL_MOUSE = b"\x1b[?1016l"
"""Mouse reports in pixels: Textual enables them if the terminal supports them, and never disables them."""


@frozen
class TerminalState:
    """State to restore, recorded before the first mode is changed."""

    keys: int
    """File descriptor that keys come from."""

    screen: int
    """File descriptor that the screen is drawn on."""

    attributes: list[Any] | None
    """Result of `termios.tcgetattr`; None if the terminal did not return it."""

    titled: bool = False
    """True if the app may set the title."""

    @staticmethod
    def of(keys: int, screen: int, *, titled: bool = False) -> TerminalState:
        """Record the attributes of the terminal.

        Args:
            keys: File descriptor that keys come from.
            screen: File descriptor that the screen is drawn on.
            titled: True if the app may set the title.
        """
        try:
            return TerminalState(keys, screen, termios.tcgetattr(keys), titled)
        except termios.error:
            return TerminalState(keys, screen, None, titled)

    def save_title(self) -> None:
        """Save the title on the stack of the terminal."""
        if self.titled:
            with suppress(OSError):
                self._write(PUSH_TITLE)

    def reset_modes(self) -> None:
        """Reset modes that Textual leaves enabled after a regular end; discard output if the terminal is gone."""
        try:
            self._write(DISABLE_PIXEL_MOUSE + self._title_back)
        except OSError:
            discard_output()

    def restore(self) -> None:
        """Restore everything after Textual failed to."""
        with suppress(OSError, termios.error):
            if self.attributes is not None:
                termios.tcsetattr(self.keys, termios.TCSANOW, self.attributes)
            self._write(RESET_MODES + self._title_back)

    def write_line(self, line: str) -> None:
        """Write a line, if the terminal accepts output."""
        with suppress(OSError):
            self._write(f"{line}\r\n".encode(errors="replace"))

    @property
    def _title_back(self) -> bytes:
        return POP_TITLE if self.titled else b""

    def _write(self, data: bytes) -> None:
        """Write unbuffered, without waiting for a terminal that accepts no output."""
        if select.select([], [self.screen], [], 0)[1]:
            os.write(self.screen, data)


def discard_output() -> None:
    """Redirect stdout and stderr to the null device: they have no reader, and the flush at exit would fail."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)


def wait_for_hang_up(descriptor: int) -> bool:
    """Block until the terminal of `descriptor` hangs up, without reading its input.

    Returns:
        True after a hang-up; False if the system cannot detect it (macOS does not poll terminals).
    """
    poll = select.poll()
    poll.register(descriptor, 0)  # no events: poll reports POLLHUP, POLLERR and POLLNVAL anyway
    try:
        events = poll.poll()
    except OSError:
        return False
    return any(event & (select.POLLHUP | select.POLLERR) for _, event in events)
