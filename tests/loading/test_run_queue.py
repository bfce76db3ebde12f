from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from tbtui.loading.run_queue import RunQueue

if TYPE_CHECKING:
    from tbtui.loading.run import RunLoader


@dataclass
class FakeRun:
    """Fake run with the attributes that the queue uses."""

    name: str
    passes: int = 0
    modified: float = 0.0
    lent: bool = False


def queue_of(*waiting: FakeRun) -> RunQueue:
    queue = RunQueue()
    for run in waiting:
        queue.push(cast("RunLoader", run))
    return queue


def order(*waiting: FakeRun) -> list[str]:
    queue = queue_of(*waiting)
    taken = []
    while queue:
        taken.append(queue.pop().name)
    return taken


def test_run_queue_newest_run_comes_first() -> None:
    assert order(FakeRun("old", 0, 1.0), FakeRun("new", 0, 3.0), FakeRun("middle", 0, 2.0)) == ["new", "middle", "old"]


def test_run_queue_least_served_run_comes_before_the_newest() -> None:
    assert order(FakeRun("new", 1, 3.0), FakeRun("old", 0, 1.0)) == ["old", "new"]


def test_run_queue_holds_a_run_once() -> None:
    assert order(FakeRun("a"), FakeRun("a")) == ["a"]


def test_run_queue_replacement_takes_the_place_of_the_old_run() -> None:
    queue = RunQueue()
    first, second = FakeRun("a"), FakeRun("a")
    queue.push(cast("RunLoader", first))
    queue.push(cast("RunLoader", second))
    assert cast("object", queue.pop()) is second
    assert not queue


def lend_one_by_one(queue: RunQueue) -> list[str]:
    queue.start_assigning()
    names = []
    while (run := queue.assign(lambda run: run.name != "small")) is not None:
        names.append(run.name)
    return names


def test_run_queue_lends_the_oldest_and_keeps_one() -> None:
    queue = queue_of(FakeRun("new", 0, 3.0), FakeRun("begun", 1, 4.0), FakeRun("old", 0, 1.0), FakeRun("b", 0, 1.0))
    assert lend_one_by_one(queue) == ["old", "b", "new"]
    assert [run.name for run in queue] == ["begun"]


def test_run_queue_run_that_may_not_be_lent_stays() -> None:
    queue = queue_of(FakeRun("a", 0, 3.0), FakeRun("small", 0, 2.0), FakeRun("b", 0, 1.0))
    assert lend_one_by_one(queue) == ["b", "a"]
    assert [run.name for run in queue] == ["small"]


def test_run_queue_lent_runs_come_after_all_others_last_lent_first() -> None:
    queue = queue_of(FakeRun("a", 0, 3.0), FakeRun("b", 0, 2.0), FakeRun("c", 0, 1.0))
    lend_one_by_one(queue)
    queue.push(cast("RunLoader", FakeRun("later", 5, 0.0)))
    assert [queue.pop().name for _ in range(4)] == ["a", "later", "b", "c"]
    assert not queue


def test_run_queue_pushed_lent_run_keeps_waiting() -> None:
    queue = queue_of(FakeRun("a", 0, 3.0), run := FakeRun("b", 0, 2.0))
    lend_one_by_one(queue)
    queue.push(cast("RunLoader", run))
    assert [each.name for each in queue] == ["a"]
    queue.push(cast("RunLoader", FakeRun("b", 0, 2.0)))  # another run of the same name
    assert sorted(each.name for each in queue) == ["a", "b"]


def test_run_queue_reclaimed_run_is_absent_until_pushed() -> None:
    queue = queue_of(FakeRun("a", 0, 3.0), run := FakeRun("b", 0, 2.0))
    lend_one_by_one(queue)
    queue.release(cast("RunLoader", run))
    assert queue.pop().name == "a"
    assert not queue
    queue.push(cast("RunLoader", run))
    assert cast("object", queue.pop()) is run


def test_run_queue_runs_added_while_lending_are_lent_too() -> None:
    queue = queue_of(FakeRun("a", 0, 9.0), FakeRun("b", 0, 8.0))
    lend_one_by_one(queue)
    for number in range(4):
        queue.push(cast("RunLoader", FakeRun(f"new{number}", 0, float(number))))
    assert lend_one_by_one(queue) == ["new0", "new1", "new2", "new3"]
    assert [each.name for each in queue] == ["a"]


def test_run_queue_depth_first_finishes_a_run_once_all_are_begun() -> None:
    queue = RunQueue()
    queue.start_assigning()
    runs = [FakeRun("new", 0, 2.0), FakeRun("old", 0, 1.0)]
    for run in runs:
        queue.push(cast("RunLoader", run))
    taken = []
    while queue:
        run = cast("FakeRun", queue.pop())
        taken.append(run.name)
        run.passes += 1
        if run.passes < 4:
            queue.push(cast("RunLoader", run))
    assert taken == ["new", "old", "new", "new", "new", "old", "old", "old"]
