"""The driver of Textual for POSIX, with somebody who hears what a terminal answers before it is read as keys.

What is pasted is never read as keys, whatever it holds.

Whoever asks the terminal something is the driver's listener from then on. As long as there is none nothing is added.
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

from tbtui.widgets.pasting import PasteGuard

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from textual.message import Message


STAYED_SECONDS = 0.2
"""After so long a process that asked to be stopped goes on: nobody stopped it."""


class Listener(Protocol):
    """Hears what arrives. Called on the thread that reads keys."""

    def hear(self, data: str) -> str:
        """What of it are keys; some may be kept back."""

    def release(self, waited: float) -> str:
        """What was kept back and is a key after all, as nothing more has come for so many seconds."""


class _HeardParser(XTermParser):
    """Makes keys of what a driver's listener leaves."""

    def __init__(self, driver: ListeningDriver, debug: bool = False) -> None:
        super().__init__(debug)
        self._driver = driver
        self._heard_at = 0.0
        self._guard = PasteGuard()

    def feed(self, data: str) -> Iterable[Message]:
        if not data:  # the end of the input
            return super().feed(data)
        data = self._guard.without_escapes(data)
        if not data:  # all of it may be the end of a paste
            return ()
        listener = self._driver.listener
        if listener is None:
            return super().feed(data)
        self._heard_at = time.monotonic()
        keys = listener.hear(data)
        return super().feed(keys) if keys else ()

    def tick(self) -> Iterable[Message]:
        listener = self._driver.listener
        if listener is not None and (keys := listener.release(time.monotonic() - self._heard_at)):
            yield from super().feed(keys)
        yield from super().tick()

    def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterable[Key]:
        """The keys of a sequence: one to be ignored where it names a character that there is not."""
        try:
            keys = [*super()._sequence_to_key_events(sequence, alt)]
            "".join(key.character or "" for key in keys).encode()  # half a character can be written nowhere
        except (ValueError, OverflowError):
            return [Key(Keys.Ignore, sequence)]
        return keys


def _indulgent_decoder(encoding: str) -> Callable[[], codecs.IncrementalDecoder]:
    """What makes decoders that leave out what is no text."""
    return partial(codecs.getincrementaldecoder(encoding), errors="ignore")


class ListeningDriver(linux_driver.LinuxDriver):
    """Reads keys and draws, as every driver; arguments likewise."""

    def __init__(self, *args: Any, **how: Any) -> None:
        super().__init__(*args, **how)
        self._loop = asyncio.get_running_loop()
        # Handlers of Python's, as Textual sets them, run in the middle of whatever the main thread does. When that was
        # writing to the queue of the thread that draws, whose lock it held, leaving the screen waited for that lock for
        # ever. And after a suspension the system gives the signal to any of the threads; a handler would then wait
        # until the main thread does something, which it may never do again. The loop of asyncio is woken, and calls
        # them when nothing else is under way.
        self._loop.add_signal_handler(signal.SIGTSTP, self._sigtstp_application)
        self._loop.add_signal_handler(signal.SIGCONT, self._sigcont_application)
        self.listener: Listener | None = None
        """Who hears what arrives."""

        self.farewell: Callable[[], str] = str
        """What is written before the screen is left: at the end, after a crash, or to come back to it later."""

        self.draws = False
        """Whether the screen is the program's: before and after, nothing should be written."""

    def run_input_thread(self) -> None:
        """Read keys with a parser that listens and a decoder that never fails: Textual makes its own in there."""
        linux_driver.XTermParser = partial(_HeardParser, self)  # type: ignore[assignment, attr-defined]
        # Noise on the line, or a terminal that is not set to UTF-8, would end the thread, and the app with it.
        linux_driver.getincrementaldecoder = _indulgent_decoder  # type: ignore[assignment, attr-defined]
        super().run_input_thread()

    def write(self, data: str) -> None:
        """Write to the terminal, but for the time in which the screen is not the program's."""
        if self._writer_thread is not None and self._writer_thread.is_alive():
            super().write(data)

    def start_application_mode(self) -> None:
        """Take the screen."""
        super().start_application_mode()  # type: ignore[no-untyped-call]
        # In the background of a shell it is not given, and the process stops until the shell lets it go on.
        self.draws = self._writer_thread is not None and self._writer_thread.is_alive()
        self._must_signal_resume = not self.draws

    def disable_input(self) -> None:
        """Read no more keys."""
        if not self._must_signal_resume:
            super().disable_input()

    def stop_application_mode(self) -> None:
        """Leave the screen."""
        # A process that is to end while it is suspended has left it. The terminal is the shell's, which would stop
        # whoever touches it.
        if self._must_signal_resume:
            return
        self.draws = False
        if last := self.farewell():
            self.write(last)
        super().stop_application_mode()

    def _sigtstp_application(self, *_: Any) -> None:
        """Leave the screen and stop."""
        if self._must_signal_resume:
            return  # asked twice before the first one had stopped it
        if self.draws:
            self.suspend_application_mode()
            self._must_signal_resume = True
        # By what the signal does by itself, not by SIGSTOP: where no shell could let it go on (in a terminal of its
        # own, in a container) the system leaves it running. To this thread, so that it has happened afterwards.
        self._loop.remove_signal_handler(signal.SIGTSTP)
        signal.pthread_kill(threading.get_ident(), signal.SIGTSTP)
        self._loop.add_signal_handler(signal.SIGTSTP, self._sigtstp_application)
        # After what the shell told when it let it go on.
        self._loop.call_later(STAYED_SECONDS, self._loop.call_soon, self._stay)

    def _stay(self) -> None:
        """Take the screen again when the process has not been stopped."""
        if self._must_signal_resume:
            self._sigcont_application()

    def _sigcont_application(self, *_: Any) -> None:
        """Take the screen again when the process goes on."""
        if self._app._exit:  # noqa: SLF001 - nothing public tells that it is about to end
            return
        if self.draws:
            # Nothing told of the stop (SIGSTOP, as by job schedulers), or there was none. Taken twice, the screen would
            # have two threads that read keys, and the settings of the first time would pass for the terminal's own.
            self.suspend_application_mode()
            self._must_signal_resume = True
        if self._must_signal_resume:
            super()._sigcont_application()

    @property
    def pixels(self) -> tuple[int, int] | None:
        """Width and height of all cells together as the operating system has them; None where it has nothing."""
        try:
            told = fcntl.ioctl(self.fileno, termios.TIOCGWINSZ, bytes(8))
        except OSError:
            return None
        _, _, width, height = struct.unpack("HHHH", told)
        return (width, height) if width and height else None
