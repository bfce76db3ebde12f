"""Rows of the sidebar: whole names, or names that show what is left out; rows that are made when they are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tbtui.app import sidebar_rows
from tbtui.app.sidebar_rows import RunListRows, RunTexts, build_legend, build_outline_rows, build_tag_rows
from tbtui.app.state import AppStateBuilder
from tbtui.charts import text as text_module
from tbtui.charts.styled_text import pieces_width
from tbtui.charts.text import ELLIPSIS, cell_width
from tbtui.loading.state import LoadState
from tbtui.settings.settings import Settings
from tbtui.view.run_names import RunColours
from tbtui.widgets.pane import OutlineRow
from tests.helpers.scripted_dashboard import NOW, SCALARS
from tests.helpers.snapshots import run, store

if TYPE_CHECKING:
    from tbtui.store.snapshot import RunSnapshot
    from tbtui.view.run_tree import RunRow

NAMES = ("action_rate", "ang_vel_xy", "dof_acc", "torques", "tracking_ang_vel")
REWARDS = frozenset(f"Episode/rew_{name}" for name in NAMES)


def labels(width: int, tags: frozenset[str] = REWARDS) -> dict[str, str]:
    rows, tree = build_tag_rows(tags, frozenset(), width)
    assert all(pieces_width(row.prefix) + cell_width(row.label) <= width for row in rows)
    return {tag.tag: row.label for row, tag in zip(rows, tree, strict=True) if tag.tag is not None}


def test_tags_that_fit_are_whole_beside_longer_ones() -> None:
    found = labels(20)
    assert found["Episode/rew_torques"] == "rew_torques"
    assert found["Episode/rew_tracking_ang_vel"] == "…tracking_ang_vel"


@pytest.mark.parametrize("width", range(10, 26))
def test_shortened_tags_have_an_ellipsis_and_stay_distinct(width: int) -> None:
    found = labels(width)
    assert len(set(found.values())) == len(NAMES)
    for tag, label in found.items():
        assert label == tag.partition("/")[2] or ELLIPSIS in label


def test_outline_items_that_are_shortened_have_an_ellipsis() -> None:
    items = [OutlineRow(f"k{name}", f"rew_{name}") for name in NAMES]
    rows = build_outline_rows((OutlineRow("g", "Episode", is_group=True, count=5), *items), 18)
    assert [row.label for row in rows][1:-1] == [f"rew_{name}" for name in NAMES[:-1]]
    assert rows[-1].label == "…trackin…ng_vel"


@pytest.mark.parametrize(
    ("width", "expected"),
    [
        (24, [("lr1e-4 vit s0", "2"), ("lr1e-4 vit s1", "2"), ("lr3e-4 res s0", "2")]),
        (15, [("1e-4 vit 0", "2"), ("1e-4 vit 1", "2"), ("3e-4 res 0", "2")]),
        (14, [("1e-4 vit 0", ""), ("1e-4 vit 1", ""), ("3e-4 res 0", "")]),
        (13, [("1e-4…t 0", "2"), ("1e-4…t 1", "2"), ("3e-4…s 0", "2")]),
    ],
)
def test_run_rows_steps_give_way_to_names_that_are_whole_then(width: int, expected: list[tuple[str, str]]) -> None:
    settings = [("0.0001", "vit_base", 0), ("0.0001", "vit_base", 1), ("0.0003", "resnet50", 0)]
    names = [f"optimizer.lr={lr},model={model},seed={seed}" for lr, model, seed in settings]
    runs = [run(name, {"loss": [1.0, 2.0, 3.0]}) for name in names]
    state = AppStateBuilder((SCALARS,), RunColours()).build(LoadState(store(*runs), complete=True), Settings(), NOW)
    rows = RunListRows(state, frozenset(), width, RunTexts())
    assert [(row.label, "".join(text for text, _ in row.right).strip()) for row in rows] == expected


def test_run_rows_steps_give_way_to_most_names_of_a_sweep() -> None:
    names = [f"lr=0.000{lr},wd=0.01,seed={seed}" for lr in range(1, 9) for seed in range(4)]
    runs = [run(name, {"loss": [1.0, 2.0, 3.0]}) for name in [*names, "lr=0.00012345,wd=0.01,seed=11"]]
    state = AppStateBuilder((SCALARS,), RunColours()).build(LoadState(store(*runs), complete=True), Settings(), NOW)
    labels = [row.label for row in RunListRows(state, frozenset(), 12, RunTexts())]
    assert labels[0] == "1e-4 0"
    assert sum("…" in label for label in labels) <= 1


def test_run_rows_of_a_thousand_runs_make_the_texts_of_changed_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    right = sidebar_rows._build_right_pieces

    def counted(row: RunRow, *arguments: Any, **options: Any) -> Any:
        made.append(row.node.path)
        return right(row, *arguments, **options)

    monkeypatch.setattr(sidebar_rows, "_build_right_pieces", counted)
    runs = [run(f"run{number:03d}", revision=1) for number in range(1000)]
    builder, texts = AppStateBuilder((SCALARS,), RunColours()), RunTexts()

    def show(*changed: RunSnapshot) -> list[str]:
        by_name = {each.name: each for each in (*runs, *changed)}
        loaded = LoadState(store(*by_name.values()), complete=True)
        rows = RunListRows(builder.build(loaded, Settings(), NOW), frozenset(), 40, texts)
        made.clear()
        assert len(rows) == 1000
        assert made == []
        assert [row.label for row in rows[10:12]] == ["run010", "run011"]
        assert len(rows._rows) == 2
        return made

    assert len(show()) == 1000
    assert show() == []
    assert show(run("run500", {"loss": [1.0, 2.0]}, revision=2)) == ["run500"]


def test_legend_of_one_run_opened_directly_names_its_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_module, "_root_label", ["my_run"])
    state = AppStateBuilder((SCALARS,), RunColours()).build(LoadState(store(run(".")), complete=True), Settings(), NOW)
    assert "".join(piece for piece, _ in build_legend(state, 60)) == " ● my_run"


def test_legend_of_a_sweep_names_what_differs() -> None:
    runs = [run(f"job/optimizer.lr={lr},model=vit_base,seed={seed}") for lr in ("0.0001", "0.0003") for seed in (0, 1)]
    state = AppStateBuilder((SCALARS,), RunColours()).build(LoadState(store(*runs), complete=True), Settings(), NOW)
    text = "".join(piece for piece, _ in build_legend(state, 60))
    assert text == " ● lr1e-4 s0 ● lr1e-4 s1 ● lr3e-4 s0 ● lr3e-4 s1"
