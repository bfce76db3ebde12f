"""One sound being played by another program, until it ends or is stopped."""

from __future__ import annotations

import subprocess
from threading import Lock, Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import IO

PATIENCE = 1.0
"""Seconds that a player has to end before it is killed."""

MOST_SAID = 400
"""Bytes kept of what a player complains of."""


class Playing:
    """Plays one sound at a time.

    Args:
        ended: Called on another thread when a player ends by itself, with what it complained of; empty where it did
            not.
    """

    def __init__(self, ended: Callable[[str], object]) -> None:
        self._ended = ended
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def is_on(self) -> bool:
        """Whether something is being played."""
        return self._process is not None

    def start(self, command: Sequence[str]) -> None:
        """Run a command. What was played before is stopped.

        Raises:
            OSError: It cannot be run.
        """
        self.stop()
        process = subprocess.Popen(  # noqa: S603 - no shell; the user asked for it, or has it installed
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,  # keys that interrupt tbtui are not meant for it
        )
        with self._lock:
            self._process = process
        Thread(target=self._wait, args=(process,), name="tbtui-player", daemon=True).start()

    def stop(self) -> bool:
        """End what is being played; whether there was something."""
        with self._lock:
            process, self._process = self._process, None
        if process is None:
            return False
        process.terminate()
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        return True

    def _wait(self, process: subprocess.Popen[bytes]) -> None:
        said = _complaint(process.stderr)
        code = process.wait()
        with self._lock:
            by_itself = self._process is process
            if by_itself:
                self._process = None
        if by_itself:
            self._ended("" if code == 0 else said or f"it ended with {code}")


def _complaint(stream: IO[bytes] | None) -> str:
    """The first line of what a player says; all of it is read, so that it never waits for us."""
    if stream is None:
        return ""
    kept = b""
    with stream:
        for line in stream:
            kept = (kept + line)[:MOST_SAID]
    return kept.decode("utf-8", "replace").strip().split("\n", 1)[0]
