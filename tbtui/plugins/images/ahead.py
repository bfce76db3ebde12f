"""Thumbnails decoded on threads of their own before they are drawn: Pillow decodes without holding up Python."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Generic, TypeVar

Value = TypeVar("Value")

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator
    from typing import TypeAlias

    Task: TypeAlias = tuple[Hashable, Callable[[], Value]]

THREADS = 2
"""Decode at the same time; more would take the processor from the training that is looked at."""

AHEAD = 2 * THREADS
"""Are decoded or wait to be, so that none of the threads does."""


class Ahead(Generic[Value]):
    """Does what will be asked for, a few steps before it is. Used by one thread."""

    def __init__(self) -> None:
        self._threads: ThreadPoolExecutor | None = None
        self._coming: Iterator[Task[Value]] = iter(())
        self._begun: dict[Hashable, Future[Value]] = {}

    def expect(self, coming: Iterator[Task[Value]]) -> None:
        """Begin with what is coming, and forget what was expected before.

        Args:
            coming: Key of each outcome and what makes it, in the order in which they will be taken; taken one by one on
                the caller's thread. What makes it runs on another.
        """
        for begun in self._begun.values():
            begun.cancel()
        self._begun = {}
        self._coming = coming
        self._begin()

    def take(self, key: Hashable) -> Future[Value] | None:
        """The outcome of that key if it was begun, which is then forgotten; more is begun in its place."""
        begun = self._begun.pop(key, None)
        if begun is not None:
            self._begin()
        return begun

    def _begin(self) -> None:
        while len(self._begun) < AHEAD:
            task = next(self._coming, None)
            if task is None:
                return
            key, make = task
            if self._threads is None:
                self._threads = ThreadPoolExecutor(THREADS, "tbtui-decoding")
            self._begun[key] = self._threads.submit(make)
