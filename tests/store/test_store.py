from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.store.snapshot import EventFile, Metadata
from tbtui.store.staging import Store

if TYPE_CHECKING:
    from tbtui.store.snapshot import RunSnapshot


def put(store: Store, name: str, start: float | None = None, steps: int = 1) -> RunSnapshot:
    stage = store.stage(name)
    stage.add_tag("loss", Metadata("scalars"))
    stage.append_scalars("loss", np.arange(steps), np.zeros(steps), np.zeros(steps))
    stage.put_files((EventFile(f"{name}/e.tfevents", 1, steps, None, start, start, "ok"),))
    run = stage.snapshot()
    store.put(run)
    return run


def test_changes_are_hidden_before_publish() -> None:
    store = Store()
    put(store, "a")
    assert dict(store.snapshot.runs) == {}
    store.publish()
    assert list(store.snapshot.runs) == ["a"]


def test_a_held_snapshot_never_changes() -> None:
    store = Store()
    put(store, "a")
    held = store.publish()
    put(store, "b")
    store.drop("a")
    store.publish()
    assert list(held.runs) == ["a"]


def test_store_publish_orders_runs_by_start_then_name() -> None:
    store = Store()
    for name, start in (("y", None), ("late", 9.0), ("b", 5.0), ("x", None), ("a", 5.0), ("odd", float("nan"))):
        put(store, name, start)
    assert list(store.publish().runs) == ["a", "b", "late", "odd", "x", "y"]


def test_publish_reorders_a_run_when_its_start_is_known() -> None:
    store = Store()
    put(store, "b", 2.0)
    put(store, "a")
    assert list(store.publish().runs) == ["b", "a"]
    put(store, "a", 1.0)
    assert list(store.publish().runs) == ["a", "b"]


def test_revisions_only_grow() -> None:
    store = Store()
    seen = []
    for steps in (3, 2, 1):
        run = put(store, "a", steps=steps)
        seen += [run.revision, run.series["loss"].revision, store.publish().revision]
    assert seen == sorted(seen)
    assert len(set(seen[::3])) == len(set(seen[2::3])) == 3


def test_store_replaced_run_has_greater_revisions() -> None:
    store = Store()
    old = put(store, "a", steps=9)
    store.publish()
    new = put(store, "a", steps=1)
    assert store.publish().runs["a"] is new
    assert new.series["loss"].revision > old.series["loss"].revision


def test_a_vanished_run_is_dimmed_with_its_data_then_dropped() -> None:
    store = Store()
    run = put(store, "a")
    store.mark_vanished("a")
    dimmed = store.publish().runs["a"]
    assert dimmed.vanished
    assert dimmed.revision > run.revision
    assert dimmed.series is run.series
    store.drop("a")
    assert dict(store.publish().runs) == {}


def test_mark_vanished_twice_or_unknown_changes_nothing() -> None:
    store = Store()
    put(store, "a")
    store.mark_vanished("a")
    first = store.publish().runs["a"]
    store.mark_vanished("a")
    store.mark_vanished("b")
    store.drop("b")
    assert store.publish().runs["a"] is first
