from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.run_health.conditions import judge_runs
from tbtui.run_health.summaries import SummaryCache, collect_tags, summarize_run, unite_tags
from tbtui.view.run_tree import list_run_nodes, list_run_rows, measure_common_label
from tbtui.view.tag_tree import cut_group, get_group, list_tag_rows
from tbtui.view.view import sort_runs
from tests.helpers.snapshots import START, plain_store, references, run, store

if TYPE_CHECKING:
    from tbtui.store.snapshot import RunSnapshot

NONE: frozenset[str] = frozenset()
BULLETS = {"shown": "●", "hidden": "○", "writing": "◐", "nan": "✗", "unreadable": "!"}


def places(*names: str, folded: frozenset[str] = NONE) -> list[str]:
    tree = list_run_nodes(sort_runs(frozenset(names)), folded)
    return ["  " * p.depth + (f"{p.label} {len(p.runs)}" if p.run is None else f"* {p.label}") for p in tree]


@pytest.mark.parametrize(
    ("names", "lines"),
    [
        ((), []),
        ((".",), ["* ."]),
        (("b", "a10", "a9"), ["* a9", "* a10", "* b"]),
        (("adam/seed0", "adam/seed1", "sgd"), ["adam 2", "  * seed0", "  * seed1", "* sgd"]),
        (("a/b/seed0",), ["* a/b/seed0"]),
        (("a/b/seed0", "a/b/seed1"), ["a/b 2", "  * seed0", "  * seed1"]),
        (("a/b/c/1", "a/x"), ["a 2", "  * b/c/1", "  * x"]),
        ((".", "run1", "run1/179"), ["* .", "* run1", "  * 179"]),
        (("a//b", "a/b"), ["a 2", "  * /b", "  * b"]),
    ],
)
def test_runs_as_a_tree(names: tuple[str, ...], lines: list[str]) -> None:
    assert places(*names) == lines


@pytest.mark.parametrize(("tag", "group"), [("loss/train/x", "loss"), ("lr", "lr"), ("/odd", ""), ("", "")])
def test_the_group_of_a_tag(tag: str, group: str) -> None:
    assert get_group(tag) == group


def test_a_folded_folder_keeps_its_runs_to_itself() -> None:
    assert places("a/x", "a/y", "b", folded=frozenset({"da/"})) == ["a 2", "* b"]


def test_a_very_deep_path_is_one_line() -> None:
    deep = "/".join(["d"] * 3000)
    assert places(deep, f"{deep}/x", f"{deep}/y") == [f"* {deep}", "  * x", "  * y"]


@given(st.lists(st.text("ab/.", min_size=1, max_size=9), max_size=9))
def test_every_run_has_one_line_in_tree_order_and_keys_differ(names: list[str]) -> None:
    order = sort_runs(frozenset(names))
    tree = list_run_nodes(order, NONE)
    assert tuple(p.run for p in tree if p.run is not None) == order
    assert len({p.key for p in tree}) == len(tree)
    for place in tree:
        if place.run is None:
            assert len(place.runs) > 1


@pytest.mark.parametrize(
    ("labels", "common"),
    [
        ([], ""),
        (["seed0"], ""),
        (["seed0", "seed1", "seed12"], "seed"),
        (["seed10", "seed11"], "seed"),
        (["adam", "adagrad"], ""),
        (["adam_lr1e-3_seed0", "adam_lr1e-3_seed1"], "adam_lr1e-3_seed"),
        (["adam_big", "adam_best"], "adam_"),
        (["a_b", "a_b_c"], "a_"),
        (["lr0.0001_wd0", "lr0.001_wd1", "lr0.0003_wd2"], "lr"),
        (["lr0.1", "lr0.15"], "lr"),
        (["adam_lr1e-3", "adam_lr1e-4"], "adam_lr"),
        (["v1.2.3", "v1.2.10"], "v"),
        (["epoch.1", "epoch.2"], "epoch."),
        (["epoch.10", "epoch.11"], "epoch."),
        (["b64_lr0.5", "b64_lr0.9"], "b64_lr"),
        (["a_", "a_1"], "a"),  # something of the name stays bright
    ],
)
def test_what_neighbours_share_ends_at_a_word(labels: list[str], common: str) -> None:
    assert (labels[0][: measure_common_label(labels)] if labels else "") == common


def state_of(made: RunSnapshot, *, shown: bool = True, now: float = START + 1000) -> str:
    tree = list_run_nodes((made.name,), NONE)
    on = frozenset({made.name}) if shown else NONE
    facts = {made.name: summarize_run(made)}
    (row,) = list_run_rows(tree, {made.name: made}, facts, judge_runs(facts, now, None).of, on, NONE)
    return row.state


NAN = float("nan")


@pytest.mark.parametrize(
    ("made", "shown", "state"),
    [
        (run("r", {"t": (1, 2)}), True, "shown"),
        (run("r", {"t": (1, 2)}), False, "hidden"),
        (run("r", {"t": (1, 2)}, last=START + 941), True, "writing"),
        (run("r", {"t": (1, 2)}, last=START + 940), True, "shown"),
        (run("r", {"t": (1, 2)}, last=START + 1060), True, "writing"),  # a clock a little ahead of ours
        (run("r", {"t": (1, 2)}, last=START + 2000), True, "shown"),  # a clock far ahead: who knows when that was
        (run("r", {"t": (1, 2)}, last=START + 990, vanished=True), True, "shown"),
        (run("r", {"t": (1, NAN)}), True, "nan"),
        (run("r", {"t": (NAN, 1)}), True, "shown"),
        (run("r", {"t": (1, NAN)}), False, "hidden"),
        (run("r", {"t": (1, float("inf"))}), True, "shown"),
        (run("r", {"t": ()}), True, "shown"),
        (run("r", problem="permission denied"), True, "unreadable"),
        (run("r", problem="permission denied"), False, "unreadable"),
    ],
)
def test_the_bullet_of_a_run(made: RunSnapshot, shown: bool, state: str) -> None:
    assert state_of(made, shown=shown) == state


def test_a_folder_says_how_much_of_it_is_shown() -> None:
    snapshot = plain_store(["a/x", "a/y", "b/x", "b/y", "c/x", "c/y"])
    tree = list_run_nodes(tuple(snapshot.runs), NONE)
    facts = SummaryCache().of(snapshot)
    conditions = judge_runs(facts, START, None).of
    rows = list_run_rows(tree, snapshot.runs, facts, conditions, frozenset({"a/x", "a/y", "b/x"}), NONE)
    assert [(r.node.label, r.switch) for r in rows if r.node.run is None] == [
        ("a", "on"),
        ("b", "mixed"),
        ("c", "off"),
    ]


def test_only_runs_that_changed_are_looked_through_again() -> None:
    cache = SummaryCache()
    first = cache.of(store(run("a", {"t": (1,)}), run("b", {"t": (1,)})))
    second = cache.of(store(run("a", {"t": (1,)}), run("b", {"t": (1, 2)}, revision=2), run("c")))
    assert second["a"] is first["a"]
    assert second["b"] is not first["b"]
    assert second["b"].last_step == 1
    assert list(cache.of(store(run("c")))) == ["c"]


def test_tags_are_those_of_the_given_runs_and_plugins_that_hold_values() -> None:
    snapshot = store(
        run("a", {"loss": (1,), "empty": ()}, others=[references("a", "img", "images")]), run("b", {"acc": (1,)})
    )
    facts = SummaryCache().of(snapshot)
    runs = tuple(snapshot.runs.values())
    assert collect_tags(facts, runs, frozenset({"scalars"})) == {"loss", "acc"}
    assert collect_tags(facts, runs[:1], frozenset({"scalars", "images"})) == {"loss", "img"}
    assert collect_tags(facts, (), frozenset({"scalars"})) == NONE


@given(st.lists(st.frozensets(st.sampled_from("abcde")), max_size=5))
def test_union_of_sets_has_all_tags(sets: list[frozenset[str]]) -> None:
    assert unite_tags(sets) == frozenset().union(*sets)


def test_union_of_sets_is_the_largest_that_contains_all_others() -> None:
    largest, part = frozenset({"loss", "acc"}), frozenset({"loss"})
    assert unite_tags([part, largest, largest, part]) is largest


@pytest.mark.parametrize(
    ("tags", "lines"),
    [
        ((), []),
        (("loss/val", "loss/train", "acc"), ["acc", "loss: 2", "  train", "  val"]),
        (("loss", "loss/a"), ["loss: 2", "  loss", "  a"]),
        (("g/x/y", "g/x/a"), ["g: 2", "  x/a", "  x/y"]),
        (("/rooted",), ["/: 1", "  rooted"]),
        (("",), ["(no name)"]),
        (("l/scalar_summary", "l10/a", "l9/a"), ["l: 1", "  scalar_summary", "l9: 1", "  a", "l10: 1", "  a"]),
        (("layer2/w/scalar_summary",), ["layer2: 1", "  w"]),
    ],
)
def test_tags_as_a_tree(tags: tuple[str, ...], lines: list[str]) -> None:
    rows = list_tag_rows(frozenset(tags), NONE)
    assert ["  " * r.depth + r.label + (f": {r.count}" if r.tag is None else "") for r in rows] == lines


def test_a_folded_group_keeps_its_count() -> None:
    rows = list_tag_rows(frozenset({"loss/a", "loss/b", "acc"}), frozenset({"loss"}))
    assert [(r.label, r.count, r.folded) for r in rows] == [("acc", 0, False), ("loss", 2, True)]


@given(st.frozensets(st.text("ab/", max_size=6), max_size=9))
def test_every_tag_has_one_line_and_keys_differ(tags: frozenset[str]) -> None:
    rows = list_tag_rows(tags, NONE)
    assert {r.tag for r in rows if r.tag is not None} == tags
    assert len({r.key for r in rows}) == len(rows)
    assert sum(r.count for r in rows) + sum(r.depth == 0 and r.tag is not None for r in rows) == len(tags)


def test_a_title_is_never_empty_where_there_is_a_tag() -> None:
    assert cut_group("a/") == "a/"
