"""What waits until the first screen stands, so that it stands sooner."""

from __future__ import annotations

import gc
import os
import sys
import threading

TURN = 0.0005
"""Seconds that a thread which reads or draws is let run when the one that answers keys wants its turn. With Python's
own 5 ms an answer that takes several turns takes several frames."""


class Startup:
    """From the first import to the first screen; make it before anything heavy is imported."""

    def __init__(self) -> None:
        # No garbage to speak of comes up meanwhile, but looking for it costs a tenth of the time.
        gc.disable()
        # Read by Textual when it is imported: over a slow line, one animated tab switch costs more than the tab.
        os.environ.setdefault("TEXTUAL_ANIMATIONS", "none")
        # Read by numpy when it is imported: nothing here multiplies matrices, and a server has many cores to start
        # threads for.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        sys.setswitchinterval(TURN)
        self._over = threading.Event()

    def hold(self) -> None:
        """Block until the start is over: the loader calls it after its first state, which is what is drawn first."""
        self._over.wait()

    def end(self) -> None:
        """The first screen stands, or will never. Calling it twice is no error."""
        gc.freeze()  # what is there now stays: no need to look at it ever again
        gc.enable()
        self._over.set()
