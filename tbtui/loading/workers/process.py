"""What a worker does: reads whole runs for the program that has started it, as long as that program is there."""

from __future__ import annotations

import json
import os
import select
import socket
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from tbtui.events.decoder import RunDecoder
from tbtui.events.shapes import ShapeCache
from tbtui.loading.index.form import packed
from tbtui.loading.index.run_index import kept_of
from tbtui.loading.memory import keep_for_next
from tbtui.loading.reading import RunReading
from tbtui.store.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

    from tbtui.loading.index.form import Kept

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
    keep_for_next()
    new_decoder = partial(RunDecoder, ShapeCache(), whole=how == "whole")
    with socket.socket(fileno=0) as channel, suppress(_Alone, BrokenPipeError, ConnectionResetError):
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
            file = _file_of(tuple(json.loads(line)), new_decoder(), asker)
            if file is None:
                channel.sendall(REFUSED)
                continue
            with file:
                socket.send_fds(channel, [READ], [file.fileno()])


class _Alone(Exception):  # noqa: N818 - nothing went wrong
    """Whoever asked has gone."""


def _file_of(paths: tuple[str, ...], decoder: RunDecoder, asker: select.poll) -> BinaryIO | None:
    """A file with all that was read of a run; None when not all of it can be read, or there is no room for it.

    At no time are there more than two copies of it: in memory as read and as it is to be written, or that and the file.
    """
    kept = _kept(paths, decoder, asker)
    if kept is None:
        return None
    try:
        file = _nameless()
        file.writelines(packed(kept))
        file.flush()
    except OSError:
        return None
    return file


def _kept(paths: tuple[str, ...], decoder: RunDecoder, asker: select.poll) -> Kept | None:
    reading = RunReading(paths, Store().stage(""), decoder, os.stat)
    while reading.pending and not reading.void:
        if asker.poll(0):
            raise _Alone
        reading.read(_PIECE_BYTES)
    index = reading.index()
    return None if index is None else kept_of(index)


def _nameless() -> BinaryIO:
    """A file that is gone when nobody has it open any more: in memory where the system can."""
    if hasattr(os, "memfd_create"):
        return open(os.memfd_create("tbtui"), "w+b")  # noqa: PTH123 - a descriptor
    import tempfile  # brings much along

    return tempfile.TemporaryFile()
