"""What was read from files or made of it, kept until more than so many bytes are."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

Value = TypeVar("Value")

MOST_VALUES = 1 << 14
"""Values kept at most, for those of no bytes take some too."""


class ByteCache(Generic[Value]):
    """Keeps values within a number of bytes; the least recently used go first. Any thread may use it.

    A value that is alone larger than that is not kept.
    """

    def __init__(self, most_bytes: int) -> None:
        """Args: most_bytes: how much is kept in all."""
        self.most_bytes = most_bytes
        self._lock = threading.Lock()
        self._values: OrderedDict[Hashable, tuple[Value, int]] = OrderedDict()
        """By key, the value and its bytes, the least recently used first."""

        self._bytes = 0

    def __len__(self) -> int:
        return len(self._values)

    @property
    def nbytes(self) -> int:
        """Bytes of all that is kept."""
        return self._bytes

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The value of a key; made, and kept as one of no bytes, when there is none. `make` has to be quick."""
        with self._lock:
            held = self._values.get(key)
            if held is None:
                held = self._values[key] = (make(), 0)
            self._values.move_to_end(key)
            self._forget()
            return held[0]

    def put(self, key: Hashable, value: Value, nbytes: int) -> None:
        """Keep a value, or tell that the one of that key has now so many bytes."""
        with self._lock:
            _, before = self._values.pop(key, (None, 0))
            self._bytes -= before
            if nbytes > self.most_bytes:
                return
            self._values[key] = (value, nbytes)
            self._bytes += nbytes
            self._forget()

    def _forget(self) -> None:
        while self._bytes > self.most_bytes or len(self._values) > MOST_VALUES:
            _, (_, gone) = self._values.popitem(last=False)
            self._bytes -= gone
