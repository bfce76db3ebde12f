"""What other threads tell the loading thread: look at these files, look everywhere, stop resting."""

from __future__ import annotations

import math
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_LONGEST_REST = 1e6
"""Seconds; the system cannot wait for all that a person may ask for."""


class Notices:
    """A letter box with a bell; any thread may put in, one takes out."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._bell = threading.Event()
        self._paths: set[str] = set()
        self._everywhere = False

    def put(self, paths: Iterable[str]) -> None:
        """Tell that something has changed at these absolute paths."""
        with self._lock:
            self._paths.update(paths)
        self._bell.set()

    def put_everywhere(self) -> None:
        """Tell that anything may have changed."""
        with self._lock:
            self._everywhere = True
        self._bell.set()

    def take(self) -> tuple[set[str], bool]:
        """The paths told since the last call, and whether anything may have changed."""
        with self._lock:
            taken = self._paths, self._everywhere
            self._paths, self._everywhere = set(), False
            return taken

    @property
    def told(self) -> bool:
        """Whether something was told that nobody has rested for since."""
        return self._bell.is_set()

    def ring(self) -> None:
        """End a rest without telling anything."""
        self._bell.set()

    def rest(self, seconds: float) -> None:
        """Wait until something is told, or so long at most."""
        self._bell.wait(None if math.isinf(seconds) else min(max(0.0, seconds), _LONGEST_REST))
        self._bell.clear()
