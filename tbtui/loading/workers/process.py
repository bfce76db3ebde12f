"""What a worker does: reads whole runs for the program that has started it, as long as that program is there."""

from __future__ import annotations

import json
import os
import select
import socket
import subprocess
import sys
from collections import deque
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from tbtui.events.decoder import RunDecoder
from tbtui.events.templates import TemplateCache
from tbtui.loading.cache.format import index_contents, pack, parse_index, unpack
from tbtui.loading.malloc_trim import tune_malloc
from tbtui.loading.run import RunReader
from tbtui.store.staging import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import BinaryIO

    from tbtui.loading.cache.format import IndexContents, RunIndex
    from tbtui.loading.run import RunLoader


NICENESS = 10
"""A training beside it goes first."""

READ, REFUSED = b"+", b"-"
"""Answers of one byte each, in the order of the questions. With the first one comes the descriptor of a file that has
no name and holds what was read, in the form of an index."""

_PIECE_BYTES = 2 << 20


def main(how: str) -> None:
    """Answer what comes over the socket that is stdin, until its other end is closed.

    Args:
        how: `whole` to read all bytes of large payloads, too; else empty.
    """
    os.nice(NICENESS)
    tune_malloc()
    new_decoder = partial(RunDecoder, TemplateCache(), whole=how == "whole")
    with socket.socket(fileno=0) as channel, suppress(_ParentGone, BrokenPipeError, ConnectionResetError):
        serve(channel, new_decoder)


def serve(channel: socket.socket, new_decoder: Callable[[], RunDecoder]) -> None:
    """Answer every question, which is the paths of a run's files as a list in JSON on one line.

    Raises:
        OSError: Nobody waits for the answer.
    """
    asker = select.poll()
    asker.register(channel, 0)  # tells nothing but that the other end is closed
    with channel.makefile("rb") as questions:
        for line in questions:
            file = _read_into_file(tuple(json.loads(line)), new_decoder(), asker)
            if file is None:
                channel.sendall(REFUSED)
                continue
            with file:
                socket.send_fds(channel, [READ], [file.fileno()])


class _ParentGone(Exception):  # noqa: N818 - nothing went wrong
    """Whoever asked has gone."""


def _read_into_file(paths: tuple[str, ...], decoder: RunDecoder, asker: select.poll) -> BinaryIO | None:
    """A file with all that was read of a run; None when not all of it can be read, or there is no room for it.

    At no time are there more than two copies of it: in memory as read and as it is to be written, or that and the file.
    """
    kept = _read_run(paths, decoder, asker)
    if kept is None:
        return None
    try:
        file = _anonymous_file()
        file.writelines(pack(kept))
        file.flush()
    except OSError:
        return None
    return file


def _read_run(paths: tuple[str, ...], decoder: RunDecoder, asker: select.poll) -> IndexContents | None:
    reading = RunReader(paths, Store().stage(""), decoder, os.stat)
    while reading.pending and not reading.void:
        if asker.poll(0):
            raise _ParentGone
        reading.read(_PIECE_BYTES)
    index = reading.index()
    return None if index is None else index_contents(index)


def _anonymous_file() -> BinaryIO:
    """A file that is gone when nobody has it open any more: in memory where the system can."""
    if hasattr(os, "memfd_create"):
        return open(os.memfd_create("tbtui"), "w+b")  # noqa: PTH123 - a descriptor
    import tempfile  # brings much along

    return tempfile.TemporaryFile()


# A worker as the program sees it that has started it.


MIN_QUEUED_BYTES = 4 << 20
"""A worker that has so much to read, in two runs at least, does not run out of it before somebody looks again."""

_CODE = "import sys; how, *sys.path = sys.argv[1:]; from tbtui.loading.workers.process import main; sys.exit(main(how))"
"""Modules are looked for where this process finds them, and nowhere else: not in the current directory, say."""

_REAPING_SECONDS = 0.5


class Worker:
    """A process that reads runs, one after the other, and what it was asked for."""

    def __init__(self, *, whole: bool) -> None:
        """Start the process.

        Args:
            whole: read all bytes, also those of long values that are only needed when they are shown.

        Raises:
            OSError: No process can be started.
        """
        self._channel, others = socket.socketpair()
        self._channel.setblocking(False)
        with others:
            try:
                self._process = _start_process(others, "whole" if whole else "")
            except OSError:
                self._channel.close()
                raise
        self._asked: deque[tuple[RunLoader, int]] = deque()
        self._unsent = b""
        self.is_lost = False
        """Whether the process was found to have ended: there will be no more answers."""

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    @property
    def has_enough(self) -> bool:
        """Whether it need not be asked for more for now."""
        return len(self._asked) > 1 and sum(size for _, size in self._asked) >= MIN_QUEUED_BYTES

    @property
    def is_busy(self) -> bool:
        """Whether an answer is still to come."""
        return bool(self._asked)

    def ask(self, run: RunLoader) -> None:
        """Let it read a run; never waits."""
        self._asked.append((run, run.unread))
        self._unsent += json.dumps(run.paths).encode("ascii") + b"\n"
        self._send()

    def answers(self) -> Iterator[tuple[RunLoader, RunIndex | None]]:
        """The runs that it is done with, and what it has read of each; None when it could not. Never waits."""
        self._send()
        while self._asked:
            try:
                said, descriptors, _, _ = socket.recv_fds(self._channel, 1, 1)
            except BlockingIOError:
                return
            except OSError:
                said = b""
            if not said:
                self.is_lost = True
                return
            run, _ = self._asked.popleft()
            yield run, _load_index(descriptors)

    def kill(self) -> None:
        """End the process, whatever it does: it holds nothing that anybody could miss. Does not wait for its end."""
        self._channel.close()
        self._process.kill()

    def reap(self) -> None:
        """After `kill`: wait for the end, which is near, so that the system can forget the process."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_REAPING_SECONDS)

    def _send(self) -> None:
        """Send as much of what is asked as goes on its way now; who has hung up is found out by `answers`."""
        with suppress(OSError):
            while self._unsent:
                self._unsent = self._unsent[self._channel.send(self._unsent) :]


def _start_process(channel: socket.socket, how: str) -> subprocess.Popen[bytes]:
    if not sys.executable or getattr(sys, "frozen", False):
        raise FileNotFoundError(sys.executable)  # what runs here is no Python that could run something else
    return subprocess.Popen(  # noqa: S603 - this Python, this program
        [sys.executable, "-c", _CODE, how, *sys.path],
        stdin=channel.fileno(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},  # nothing there multiplies matrices
    )


def _load_index(descriptors: list[int]) -> RunIndex | None:
    """What a file says that came as a descriptor; None when none came, or it makes no sense."""
    kept = None
    for descriptor in descriptors:
        with open(descriptor, "rb") as file, suppress(OSError, MemoryError):  # noqa: PTH123 - a descriptor
            file.seek(0)
            kept = unpack(np.fromfile(file, np.uint8))
    return None if kept is None else parse_index(kept)
