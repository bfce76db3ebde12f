"""Driver for POSIX terminals: input listener, safe signals, and input that cannot end the input thread.

Replaces, in Textual 8.2.5 to 8.2.x: `LinuxDriver` with the parser and the decoder of its input thread, its handlers of
SIGTSTP and SIGCONT, and `XTermParser._sequence_to_key_events`.

Benefits:

* Listeners read answers of the terminal (which images can it show? on what background?) before they become keys.
  Textual has no hook.
* Invalid UTF-8 (noise on the line, another encoding) does not end the input thread. Upstream: Textualize/textual#6456
  (open).
* Ctrl+Z does not deadlock or leave the terminal raw, also without a shell or under SIGSTOP. Upstream: #6298 and #1582
  (open).
* A key sequence with a code beyond Unicode (`ESC [1114112u`) does not end the input thread. Not reported upstream.
* Escape characters in a paste press no keys: see `paste_guard`.

Without listeners the output is that of Textual. Each part can go when its canary in the tests fails.
"""

from __future__ import annotations

import asyncio
import codecs
import fcntl
import signal
import struct
import termios
import threading
import time
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from textual._xterm_parser import XTermParser
from textual.drivers import linux_driver
from textual.events import Key
from textual.keys import Keys

from tbtui.widgets.textual_patches.paste_guard import PasteGuard
from tbtui.widgets.thread_turns import hand_over

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from textual.message import Message


STAYED_SECONDS = 0.2
"""A process that still runs this long after its request to be stopped was not stopped."""


class Listener(Protocol):
    """Receives terminal input before it is parsed as keys. Called on the input thread."""

    def feed(self, data: str) -> str:
        """Return the part of the input that is keys; the end may be held back."""

    def release(self, waited: float) -> str:
        """Return input that was held back and is a key after all.

        Args:
            waited: Seconds since the last input.
        """


class _HeardParser(XTermParser):
    """Parser of the input that the listeners of a driver leave."""

    def __init__(self, driver: PatchedLinuxDriver, debug: bool = False) -> None:
        super().__init__(debug)
        self._driver = driver
        self._heard_at = 0.0
        self._guard = PasteGuard()

    def feed(self, data: str) -> Iterable[Message]:
        if not data:  # the end of the input
            return super().feed(data)
        self._driver.on_input()
        data = self._guard.remove_escapes(data)
        if not data:  # all of it may be the start of an end mark
            return ()
        self._heard_at = time.monotonic()
        keys = data
        for listener in self._driver.listeners:
            keys = listener.feed(keys)
        return super().feed(keys) if keys else ()

    def tick(self) -> Iterable[Message]:
        keys = ""
        for listener in self._driver.listeners:
            if keys:
                keys = listener.feed(keys)
            keys += listener.release(time.monotonic() - self._heard_at)
        if keys:
            yield from super().feed(keys)
        yield from super().tick()

    def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterable[Key]:
        """Return the keys of a sequence; a key to be ignored if it names a character that does not exist."""
        try:
            keys = [*super()._sequence_to_key_events(sequence, alt)]
            "".join(key.character or "" for key in keys).encode()  # a surrogate cannot be written
        except (ValueError, OverflowError):
            return [Key(Keys.Ignore, sequence)]
        return keys


def _create_tolerant_decoder(encoding: str) -> Callable[[], codecs.IncrementalDecoder]:
    """Return a factory of decoders that skip invalid bytes."""
    return partial(codecs.getincrementaldecoder(encoding), errors="ignore")


class PatchedLinuxDriver(linux_driver.LinuxDriver):
    """Driver for POSIX whose input listeners can read first, and whose signals and noise cannot hang the app."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._loop = asyncio.get_running_loop()
        # A handler set with signal.signal, as by Textual, interrupts the main thread anywhere. If that holds the lock
        # of the writer thread's queue, leaving the screen waits for that lock for ever. And after a suspension the
        # system delivers the signal to any thread, so the handler waits until the main thread runs Python code again,
        # which may be never. A handler of the asyncio loop wakes the loop and runs between two callbacks.
        self._loop.add_signal_handler(signal.SIGTSTP, self._sigtstp_application)
        self._loop.add_signal_handler(signal.SIGCONT, self._sigcont_application)
        self.listeners: tuple[Listener, ...] = ()
        """Receive input first, one after the other; the parser gets what they leave. Replaced, never changed: the input
        thread reads it."""

        self.on_input: Callable[[], object] = lambda: None
        """Called on the input thread when something was read, before it is parsed."""

        self.farewell: Callable[[], str] = str
        """Returns what to write before the screen is left: at the end, after a crash, or for a suspension."""

        self.background: tuple[int, int, int] | None = None
        """Red, green and blue of the terminal's background; None until it has answered, if it does."""

        self.draws = False
        """True while the program has the screen; nothing should be written before and after."""

        self.glyphs: Mapping[int, str] = {}
        """Replaces characters of all output by others of the same width, as `str.translate` does."""

        self.starts = 0
        """Number of times that the program has taken the screen; it is blank then."""

    def add_listener(self, listener: Listener) -> None:
        """Pass input to one more listener, after the others."""
        self.listeners = (*self.listeners, listener)

    def run_input_thread(self) -> None:
        """Read keys with our parser and a decoder that never fails."""
        linux_driver.XTermParser = partial(_HeardParser, self)  # type: ignore[assignment, attr-defined]
        # Noise on the line, or a terminal that is not set to UTF-8, would end the thread, and the app with it.
        linux_driver.getincrementaldecoder = _create_tolerant_decoder  # type: ignore[assignment, attr-defined]
        super().run_input_thread()

    def write(self, data: str) -> None:
        """Write to the terminal if the program has the screen, in the glyphs that its font has."""
        if self._writer_thread is not None and self._writer_thread.is_alive():
            hand_over()
            super().write(data.translate(self.glyphs) if self.glyphs and not data.isascii() else data)

    def start_application_mode(self) -> None:
        """Take the screen."""
        self.starts += 1
        super().start_application_mode()  # type: ignore[no-untyped-call]
        # In the background of a shell the process is stopped here until the shell continues it.
        self.draws = self._writer_thread is not None and self._writer_thread.is_alive()
        self._must_signal_resume = not self.draws

    def disable_input(self) -> None:
        """Read no more keys."""
        if not self._must_signal_resume:
            super().disable_input()

    def stop_application_mode(self) -> None:
        """Leave the screen."""
        # A suspended process that is to end has left the screen. The shell owns the terminal and would stop a process
        # that changes it.
        if self._must_signal_resume:
            return
        self.draws = False
        if last := self.farewell():
            self.write(last)
        super().stop_application_mode()

    def _sigtstp_application(self, *_: Any) -> None:
        """Leave the screen and stop the process."""
        if self._must_signal_resume:
            return  # a second signal before the first has stopped the process
        if self.draws:
            self.suspend_application_mode()
            self._must_signal_resume = True
        # By the default action of SIGTSTP, not by SIGSTOP: without a shell that could continue the process (a terminal
        # of its own, a container) the system leaves it running. Sent to this thread: the next line runs after it.
        self._loop.remove_signal_handler(signal.SIGTSTP)
        signal.pthread_kill(threading.get_ident(), signal.SIGTSTP)
        self._loop.add_signal_handler(signal.SIGTSTP, self._sigtstp_application)
        # Runs after the SIGCONT with which the shell continues the process.
        self._loop.call_later(STAYED_SECONDS, self._loop.call_soon, self._stay)

    def _stay(self) -> None:
        """Take the screen again if the process was not stopped."""
        if self._must_signal_resume:
            self._sigcont_application()

    def _sigcont_application(self, *_: Any) -> None:
        """Take the screen again when the process continues."""
        if self._app._exit:  # noqa: SLF001 - no public attribute shows that the app is about to end
            return
        if self.draws:
            # Stopped without notice (SIGSTOP, as job schedulers send), or not at all. Taken twice, the screen would
            # have two input threads, and the raw settings would be saved as those of the terminal.
            self.suspend_application_mode()
            self._must_signal_resume = True
        if self._must_signal_resume:
            super()._sigcont_application()

    @property
    def pixels(self) -> tuple[int, int] | None:
        """Width and height of the text area in pixels (TIOCGWINSZ); None if the system does not know."""
        try:
            size = fcntl.ioctl(self.fileno, termios.TIOCGWINSZ, bytes(8))
        except OSError:
            return None
        _, _, width, height = struct.unpack("HHHH", size)
        return (width, height) if width and height else None
