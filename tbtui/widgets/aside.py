"""Work that may take for ever, as where a file system does not answer: nobody who leaves has to wait for it."""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


def aside(work: Callable[[], T]) -> asyncio.Future[T]:
    """Begin `work` on a thread of its own, which keeps neither the loop of asyncio nor the process from ending.

    Returns:
        Its result, or what it raised, when it has ended.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def settle(how: Callable[[Any], None], what: Any) -> None:
        if not future.done():
            how(what)

    def run() -> None:
        told: tuple[Callable[[Any], None], Any]
        try:
            told = future.set_result, work()
        except Exception as error:  # noqa: BLE001 - whoever waits gets it
            told = future.set_exception, error
        with suppress(RuntimeError):  # the loop has closed: nobody waits
            loop.call_soon_threadsafe(settle, *told)

    threading.Thread(target=run, name="tbtui-aside", daemon=True).start()
    return future
