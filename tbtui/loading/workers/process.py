"""Worker process: reads whole runs for its parent until the parent exits."""

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
from tbtui.loading.run_reader import RunReader
from tbtui.loading.whole_run_reader import MAX_RUN_BYTES, WholeRunReader
from tbtui.store.staging import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import BinaryIO

    from tbtui.loading.cache.format import IndexContents, RunIndex
    from tbtui.loading.run import RunLoader


NICENESS = 10
"""Low priority: a training on the same machine gets the processor first."""

READ, REFUSED = b"+", b"-"
"""One-byte answers in the order of the requests. `READ` comes with the descriptor of an anonymous file that holds
the index of the run.
"""

_PIECE_BYTES = 2 << 20


def main(mode: str) -> None:
    """Serve requests from the socket that is stdin, until its other end is closed.

    Args:
        mode: `whole` to read all bytes of large payloads too; otherwise empty.
    """
    os.nice(NICENESS)
    tune_malloc()
    new_decoder = partial(RunDecoder, TemplateCache(), whole=mode == "whole")
    with socket.socket(fileno=0) as channel, suppress(_ParentGone, BrokenPipeError, ConnectionResetError):
        serve(channel, new_decoder)


def serve(channel: socket.socket, new_decoder: Callable[[], RunDecoder]) -> None:
    """Answer requests; each is one line with the paths of a run's files as a JSON list.

    Raises:
        OSError: The parent is gone.
    """
    asker = select.poll()
    asker.register(channel, 0)  # reports only that the other end is closed
    whole_runs = WholeRunReader()
    with channel.makefile("rb") as questions:
        for line in questions:
            file = _read_into_file(tuple(json.loads(line)), new_decoder(), whole_runs, asker)
            if file is None:
                channel.sendall(REFUSED)
                continue
            with file:
                socket.send_fds(channel, [READ], [file.fileno()])


class _ParentGone(Exception):  # noqa: N818 - nothing went wrong
    """The parent process has exited."""


def _read_into_file(
    paths: tuple[str, ...], decoder: RunDecoder, whole_runs: WholeRunReader, asker: select.poll
) -> BinaryIO | None:
    """Read a run into an anonymous file; None if it cannot be read completely, or there is no space.

    At most two copies of the run exist at once: first columns and index contents, then index contents and file.
    """
    contents = _read_run(paths, decoder, whole_runs, asker)
    if contents is None:
        return None
    try:
        file = _open_anonymous_file()
        file.writelines(pack(contents))
        file.flush()
    except OSError:
        return None
    return file


def _read_run(
    paths: tuple[str, ...], decoder: RunDecoder, whole_runs: WholeRunReader, asker: select.poll
) -> IndexContents | None:
    reading = RunReader(paths, Store().stage(""), decoder, os.stat)
    if reading.progress[1] <= MAX_RUN_BYTES:
        whole_runs.read([reading])
    while reading.pending and not reading.void:
        if asker.poll(0):
            raise _ParentGone
        reading.read(_PIECE_BYTES)
    index = reading.index()
    return None if index is None else index_contents(index)


def _open_anonymous_file() -> BinaryIO:
    """Return a file without a name, in memory if the system supports it."""
    if hasattr(os, "memfd_create"):
        return open(os.memfd_create("tbtui"), "w+b")  # noqa: PTH123 - a descriptor
    import tempfile  # slow import, needed here only

    return tempfile.TemporaryFile()


MIN_QUEUED_BYTES = 4 << 20
"""A worker with two or more requested runs of this total size stays busy until the next request."""

_CODE = (
    "import sys; mode, *sys.path = sys.argv[1:]; from tbtui.loading.workers.process import main; sys.exit(main(mode))"
)
"""Modules are searched where the parent finds them and nowhere else, in particular not in the current directory."""

_REAPING_SECONDS = 0.5


class WorkerProcess:
    """Parent's handle of a process that reads runs one after the other."""

    def __init__(self, *, whole: bool) -> None:
        """Start the process.

        Args:
            whole: Read all bytes, including large payloads that are needed only for display.

        Raises:
            OSError: The process cannot be started.
        """
        self._channel, others = socket.socketpair()
        self._channel.setblocking(False)
        with others:
            try:
                self._process = _start_process(others, "whole" if whole else "")
            except OSError:
                self._channel.close()
                raise
        self._requests: deque[tuple[RunLoader, int]] = deque()
        self._unsent = b""
        self.is_lost = False
        """True if the process has ended: no more answers will come."""

    @property
    def pid(self) -> int:
        """Process ID."""
        return self._process.pid

    @property
    def has_enough(self) -> bool:
        """True if it needs no more requests for now."""
        return len(self._requests) > 1 and sum(size for _, size in self._requests) >= MIN_QUEUED_BYTES

    @property
    def is_busy(self) -> bool:
        """True if an answer is outstanding."""
        return bool(self._requests)

    def ask(self, run: RunLoader) -> None:
        """Request a run; never waits."""
        self._requests.append((run, run.unread))
        self._unsent += json.dumps(run.read_paths).encode("ascii") + b"\n"
        self._send()

    def answers(self) -> Iterator[tuple[RunLoader, RunIndex | None]]:
        """Yield the finished runs with what was read; None if a run could not be read. Never waits."""
        self._send()
        while self._requests:
            try:
                answer, descriptors, _, _ = socket.recv_fds(self._channel, 1, 1)
            except BlockingIOError:
                return
            except OSError:
                answer = b""
            if not answer:
                self.is_lost = True
                return
            run, _ = self._requests.popleft()
            yield run, _load_index(descriptors)

    def kill(self) -> None:
        """Kill the process, which holds nothing of value. Does not wait for its end."""
        self._channel.close()
        self._process.kill()

    def reap(self) -> None:
        """Wait for the end of a killed process, so that the system can forget it."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_REAPING_SECONDS)

    def _send(self) -> None:
        """Send as much of the requests as is possible without waiting; `answers` detects a closed connection."""
        with suppress(OSError):
            while self._unsent:
                self._unsent = self._unsent[self._channel.send(self._unsent) :]


def _start_process(channel: socket.socket, mode: str) -> subprocess.Popen[bytes]:
    if not sys.executable or getattr(sys, "frozen", False):
        raise FileNotFoundError(sys.executable)  # a frozen program cannot run Python code
    return subprocess.Popen(  # noqa: S603 - this Python, this program
        [sys.executable, "-c", _CODE, mode, *sys.path],
        stdin=channel.fileno(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},  # nothing there multiplies matrices
    )


def _load_index(descriptors: list[int]) -> RunIndex | None:
    """Read the index from a received descriptor; None if there is none or it is invalid."""
    contents = None
    for descriptor in descriptors:
        with open(descriptor, "rb") as file, suppress(OSError, MemoryError):  # noqa: PTH123 - a descriptor
            file.seek(0)
            contents = unpack(np.fromfile(file, np.uint8))
    return None if contents is None else parse_index(contents)
