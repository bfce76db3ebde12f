"""Run a program in a pseudo-terminal and read its screen, for tests and benchmarks of the whole product."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import shlex
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyte
from wcwidth import wcwidth

import tbtui

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from typing_extensions import Self

LAUNCHER = """
import os, signal, sys
for ignored in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM, signal.SIGQUIT):  # as by nohup, around the tests
    signal.signal(ignored, signal.SIG_DFL)
terminal = os.open(sys.argv[1], os.O_RDWR)
for descriptor in (0, 1, 2):
    os.dup2(terminal, descriptor)
if sys.argv[2]:  # as a job of a shell
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)  # which hands over the terminal from the background
    job = os.fork()
    while job:
        _, status = os.waitpid(job, os.WUNTRACED)
        if not os.WIFSTOPPED(status):
            os._exit(os.waitstatus_to_exitcode(status) & 255)
        os.kill(os.getpid(), signal.SIGSTOP)
    os.setpgid(0, 0)
    os.tcsetpgrp(0, os.getpid())
    signal.signal(signal.SIGTTOU, signal.SIG_DFL)
os.write(1, b"%d\\0" % os.getpid())
os.execvp(sys.argv[3], sys.argv[3:])
"""
"""Takes the terminal as its controlling one (a session leader does by opening it), says which process will be the
program, and becomes it. Or another does, as one of a shell does that can be stopped: then this one waits for it, stops
when it stops and ends as it ends.
"""

KEYS = {
    "enter": "\r",
    "escape": "\x1b",
    "tab": "\t",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "right": "\x1b[C",
    "left": "\x1b[D",
    "pageup": "\x1b[5~",
    "pagedown": "\x1b[6~",
    "ctrl+c": "\x03",
}
NOT_FOR_PYTE = re.compile(rb"\x1b[P_^\]].*?(?:\x1b\\|\x07)|\x1b\[[<=>][0-9;:]*[@-~]|\x1b\[\?[0-9;]*\$p", re.DOTALL)
UNFINISHED = re.compile(rb"\x1b(?:\[[0-9;:?<=>$ ]*|[P_^\]][^\x07\x1b]*\x1b?)?\Z")
MODE = re.compile(rb"\x1b\[\?([0-9;]+)([hl])")


def product(*words: str) -> list[str]:
    """Return the command line of tbtui: that of the environment variable TBTUI, or the checkout under this Python."""
    command = shlex.split(os.environ.get("TBTUI", ""))
    return [*(command or [sys.executable, "-m", "tbtui"]), *words]


class PtyApp:
    """A running program; use it as a context manager, so that it never outlives the test."""

    def __init__(
        self,
        command: Sequence[str],
        size: tuple[int, int] = (120, 40),
        env: Mapping[str, str | None] | None = None,
        cwd: Path | None = None,
        *,
        job: bool = False,
    ) -> None:
        """Start the program.

        Args:
            command: Program and arguments.
            size: Columns and rows of the terminal.
            env: Changes to the environment; None takes a variable out.
            cwd: Working directory; that of this process when None.
            job: Whether there is a shell that lets it go on when it was stopped; else it is all that the terminal runs.
        """
        self.raw = bytearray()
        """All bytes that the program has written."""

        self._screen = pyte.Screen(*size)
        self._stream = pyte.ByteStream(self._screen)
        self._drawn = 0  # how much of `raw` the model of the screen has been fed: only what is asked for is drawn
        self._master, self._slave = pty.openpty()
        self.resize(*size)
        self.attributes_before = self.attributes()
        # Every process that descends from the program inherits the other end: the last one that ends closes it.
        self._family, inherited = os.pipe()
        self.process = subprocess.Popen(
            [sys.executable, "-ISc", LAUNCHER, os.ttyname(self._slave), "job" if job else "", *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=_environment(env or {}),
            cwd=cwd,
            start_new_session=True,
            pass_fds=(inherited,),
        )
        os.close(inherited)
        self._await_program()

    def _await_program(self) -> None:
        deadline = time.perf_counter() + 30
        while b"\0" not in self.raw:
            assert time.perf_counter() < deadline
            self.pump(1)
        self.started = time.perf_counter()
        """Time of the program's exec; `time.perf_counter`."""

        told, _, _ = self.raw.partition(b"\0")
        del self.raw[: len(told) + 1]
        self.pid = int(told)
        """Process id of the program."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            os.kill(self.pid, signal.SIGKILL)
            self.process.kill()
        self.process.wait()
        for descriptor in (self._master, self._slave, self._family):
            if descriptor >= 0:
                os.close(descriptor)

    def pump(self, seconds: float) -> int:
        """Read once, waiting `seconds` at most for something to arrive.

        Returns:
            How many bytes arrived.
        """
        if not select.select([self._master], [], [], seconds)[0]:
            return 0
        data = os.read(self._master, 1 << 16)
        self.raw += data
        return len(data)

    @property
    def screen(self) -> pyte.Screen:
        """Return the screen after everything that was written."""
        self._draw(len(self.raw))
        return self._screen

    def _draw(self, end: int) -> None:
        """Draw the bytes before `end`; a sequence that has not come to its end waits."""
        waiting = bytes(self.raw[self._drawn : end])
        unfinished = UNFINISHED.search(waiting)
        whole = waiting[: unfinished.start()] if unfinished else waiting
        self._drawn += len(whole)
        self._stream.feed(NOT_FOR_PYTE.sub(b"", whole))

    @property
    def text(self) -> str:
        """Return the text of the screen, its rows joined by newlines."""
        return _text(self.screen)

    def until(self, pattern: str, seconds: float = 30) -> None:
        """Wait until the screen shows `pattern`, a regular expression.

        Raises:
            AssertionError: when the time is up or the program has ended.
        """
        compiled = re.compile(pattern)
        self.until_true(lambda: compiled.search(self.text) is not None, f"{pattern!r} on the screen", seconds)

    def until_true(self, holds: Callable[[], bool], what: str, seconds: float = 30) -> None:
        """Read and draw until `holds()`.

        Raises:
            AssertionError: when the time is up or the program has ended.
        """
        deadline = time.perf_counter() + seconds
        while not holds():
            ended = self.process.poll() is not None
            if not self.pump(0.05) and (ended or time.perf_counter() > deadline) and not holds():
                why = f"ended with {self.process.returncode}" if ended else f"waited {seconds} s"
                raise AssertionError(f"no {what}: {why}; the screen:\n{self.text}")

    def send(self, *keys: str) -> None:
        """Press keys: names of `KEYS`, or characters; other bytes are escaped as in names of files."""
        for key in keys:
            os.write(self._master, os.fsencode(KEYS.get(key, key)))

    def seconds_to_answer(self, key: str, answer: str, limit: float = 30) -> float:
        """Press a key, and return the seconds until the bytes that show `answer` arrive, at most `limit`.

        Only changed cells are written, so the output itself does not hold the whole text. The model of the screen
        draws slower than the program writes: what arrives is drawn afterwards, and counts from its arrival.
        """
        pressed = time.perf_counter()
        self.send(key)
        parts: list[tuple[float, int]] = []
        while (waited := time.perf_counter() - pressed) < limit:
            if self.pump(0.05 if not parts else 0.003):
                parts.append((time.perf_counter() - pressed, len(self.raw)))
                continue
            for arrived, end in parts:
                self._draw(end)
                if answer in _text(self._screen):
                    return arrived
            parts.clear()
        return waited

    def resize(self, columns: int, rows: int, cell: tuple[int, int] = (0, 0)) -> None:
        """Change the terminal's size, as a window does, and the pixels of a cell, if it reports them."""
        pixels = columns * cell[0], rows * cell[1]
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, *pixels))
        self._screen.resize(rows, columns)

    def hang_up(self) -> None:
        """Close the terminal, as a lost connection does. Nothing can be read afterwards."""
        for descriptor in (self._master, self._slave):
            os.close(descriptor)
        self._master = self._slave = -1

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the program alone."""
        if self.process.poll() is None:
            os.kill(self.pid, number)
            if number == signal.SIGCONT:
                self.process.send_signal(number)  # who waits for it goes on, too

    def wait(self, seconds: float = 30) -> int:
        """Wait for the end, reading whatever is still written.

        Returns:
            The exit code; negative for the signal that killed it.

        Raises:
            AssertionError: when the time is up.
        """
        deadline = time.perf_counter() + seconds
        while self.process.poll() is None:
            assert time.perf_counter() < deadline, f"still running; the screen:\n{self.text}"
            if self._master >= 0:
                self.pump(0.05)
            else:
                select.select([], [], [], 0.05)
        while self._master >= 0 and self.pump(0):
            pass
        return self.process.returncode

    def family_ended(self, seconds: float = 30) -> bool:
        """Return True if the program and all processes that it started end within `seconds`."""
        return bool(select.select([self._family], [], [], seconds)[0])

    def attributes(self) -> list[Any]:
        """Return the terminal's line settings, as `termios.tcgetattr` does."""
        return termios.tcgetattr(self._slave)

    def modes_left_on(self) -> set[int]:
        """Return the private modes that were switched on and not off again."""
        on: set[int] = set()
        for numbers, switch in MODE.findall(bytes(self.raw)):
            modes = {int(number) for number in numbers.split(b";")}
            on = on | modes if switch == b"h" else on - modes
        return on


def _text(screen: pyte.Screen) -> str:
    return "\n".join(_row_text([screen.buffer[y][x].data for x in range(screen.columns)]) for y in range(screen.lines))


def _row_text(cells: Sequence[str]) -> str:
    """Return a row as text. The right half of a wide glyph is no character; without its left half it is blank."""
    return "".join(
        cell or ("" if before and wcwidth(before[0]) == 2 else " ")
        for before, cell in zip(["", *cells[:-1]], cells, strict=True)
    )


def _environment(changes: Mapping[str, str | None]) -> dict[str, str]:
    environ = {name: value for name, value in os.environ.items() if not name.startswith("TEXTUAL")}
    plain = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LC_ALL": "C.UTF-8", "PYTHONUNBUFFERED": None}
    changed: dict[str, str | None] = {**plain, **changes}
    if "TBTUI" not in environ:
        changed["PYTHONPATH"] = str(Path(tbtui.__file__).parents[1])
    for name, value in changed.items():
        environ.pop(name, None)
        if value is not None:
            environ[name] = value
    return environ
