"""The process that trains beside the dashboard, as a real training would, and takes its files away when it ends.

It is forked before the dashboard has threads, and lives as long as the pipe that the dashboard holds open: however
the dashboard dies, the pipe closes, the process removes the log directory and ends.
"""

from __future__ import annotations

import os
import select
import shutil
import signal
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

PERIOD = 0.2
"""Seconds between two ticks."""

HISTORY = 400
"""Ticks that are written at once, so that the first screen already shows curves."""

LAST_TICK = 9000
"""Half an hour; then the trainings are over and the files, some 80 MB by then, grow no more."""

LONGEST_REASON = 1000
"""Bytes of why the simulation stopped."""


class Demo:
    """A simulated training in a process of its own, as a context manager."""

    def __init__(self) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="tbtui-demo-"))
        """The log directory, empty at first."""

        self._pid = 0
        self._lifeline = -1
        self._reason = -1

    def __enter__(self) -> Self:
        """Begin training. Call it while the process has a single thread."""
        end_here, self._lifeline = os.pipe()
        self._reason, told_here = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            os.close(self._lifeline)
            os.close(self._reason)
            _live(self.directory, end_here, told_here)
        os.close(end_here)
        os.close(told_here)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the training and take its files away."""
        os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        shutil.rmtree(self.directory, ignore_errors=True)
        os.close(self._lifeline)
        os.close(self._reason)

    def complaint(self) -> str | None:
        """Why the simulation stopped before its end (a full disk, say); None when it did not."""
        if not select.select([self._reason], [], [], 0)[0]:
            return None
        return os.read(self._reason, LONGEST_REASON).decode(errors="replace") or "it ended unexpectedly"


def _live(directory: Path, end_here: int, told_here: int) -> NoReturn:
    """Be the simulating process, to its end.

    Args:
        directory: The log directory.
        end_here: Descriptor that becomes readable when the dashboard is gone.
        told_here: Descriptor for the reason when the simulation cannot go on.
    """
    try:
        os.setsid()  # Ctrl-C and a terminal that hangs up are for the dashboard to answer
        _leave_terminal()
        _simulate(directory, end_here)
    except (OSError, ImportError, MemoryError) as error:
        os.write(told_here, str(error).encode()[:LONGEST_REASON])
        select.select([end_here], [], [])
    finally:
        shutil.rmtree(directory, ignore_errors=True)
        os._exit(0)  # nothing of the dashboard that was forked with this process may run here


def _leave_terminal() -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)


def _simulate(directory: Path, end_here: int) -> None:
    """Write the history, then a tick every `PERIOD`, until the dashboard is gone."""
    from tbtui.cli.demo.writer import DemoWriter  # numpy, protobuf and Pillow load here, not in the dashboard

    writer = DemoWriter(directory)
    writer.write_history(HISTORY, PERIOD, time.time())
    began = time.monotonic()
    for tick in range(HISTORY, LAST_TICK):
        due = began + (tick - HISTORY) * PERIOD
        if select.select([end_here], [], [], max(0.0, due - time.monotonic()))[0]:
            return
        writer.write(tick, time.time())
    writer.close()
    select.select([end_here], [], [])
