from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from tbtui.loading.queue import ReadingQueue

if TYPE_CHECKING:
    from tbtui.loading.run import RunLoader


@dataclass
class Waiting:
    """What the queue asks of a run."""

    name: str
    passes: int = 0
    modified: float = 0.0


def order(*waiting: Waiting) -> list[str]:
    queue = ReadingQueue()
    for run in waiting:
        queue.push(cast("RunLoader", run))
    taken = []
    while queue:
        taken.append(queue.pop().name)
    return taken


def test_the_run_written_last_comes_first() -> None:
    assert order(Waiting("old", 0, 1.0), Waiting("new", 0, 3.0), Waiting("middle", 0, 2.0)) == ["new", "middle", "old"]


def test_the_run_served_least_comes_before_it() -> None:
    assert order(Waiting("new", 1, 3.0), Waiting("old", 0, 1.0)) == ["old", "new"]


def test_a_run_waits_only_once() -> None:
    assert order(Waiting("a"), Waiting("a")) == ["a"]


def test_a_run_that_replaces_another_is_served_in_its_place() -> None:
    queue = ReadingQueue()
    first, second = Waiting("a"), Waiting("a")
    queue.push(cast("RunLoader", first))
    queue.push(cast("RunLoader", second))
    assert cast("object", queue.pop()) is second
    assert not queue
