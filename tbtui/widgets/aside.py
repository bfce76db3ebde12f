"""Runs work that may never end, such as on a file system that does not answer, without delaying the exit."""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


def daemon_call(work: Callable[[], T]) -> asyncio.Future[T]:
    """Run `work` on a daemon thread, which keeps neither the event loop nor the process from ending.

    Returns:
        A future with the result of `work`, or with its exception.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def settle(set_outcome: Callable[[Any], None], value: Any) -> None:
        if not future.done():
            set_outcome(value)

    def run() -> None:
        outcome: tuple[Callable[[Any], None], Any]
        try:
            outcome = future.set_result, work()
        except Exception as error:  # noqa: BLE001 - passed to the caller
            outcome = future.set_exception, error
        with suppress(RuntimeError):  # the loop is closed: no caller waits
            loop.call_soon_threadsafe(settle, *outcome)

    threading.Thread(target=run, name="tbtui-aside", daemon=True).start()
    return future
