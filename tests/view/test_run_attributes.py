"""Test colours, groups and columns of runs by attributes."""

from __future__ import annotations

from typing import Any

from tbtui.plugins.comparison.attributes import ATTRIBUTE, TableAttributes
from tbtui.plugins.scalars.run_groups import group_by_settings, select_averaged
from tbtui.run_health.summaries import SummaryCache
from tbtui.settings.settings import Settings
from tbtui.view.attributes import (
    NO_ATTRIBUTES,
    AttributeColumn,
    RunAttributes,
    colour_levels,
    format_attribute,
    group_runs,
    needs_attributes,
)
from tbtui.view.run_names import RunColours
from tbtui.view.view import build_view, filter_runs
from tests.helpers.snapshots import run, store

NAMES = ("a", "b", "c", "c/val", "other")


def attributes(**columns: Any) -> RunAttributes:
    made = {name: AttributeColumn.of_values(values) for name, values in columns.items()}
    return RunAttributes((("a",), ("b",), ("c", "c/val")), made, ("a", "b", "c"))


KNOWN = attributes(lr=[0.1, 0.01, 0.1], opt=["adam", "sgd", None], seed=[0.0, 1.0, 2.0])


def view(known: RunAttributes | None = KNOWN, **settings: Any) -> Any:
    runs = store(*(run(name, {"loss": [1.0, 2.0]}) for name in NAMES))
    return build_view(runs, Settings(**settings), RunColours(), SummaryCache(), known)


def test_colours_runs_with_equal_values_share_one() -> None:
    inks = view(colour_by="lr").inks
    assert inks["a"] == inks["c"] == inks["c/val"] != inks["b"]
    assert inks["other"] not in {inks["a"], inks["b"]}
    assert view(colour_by="lr").inks.keys() == set(NAMES)


def test_colours_of_an_unknown_attribute_are_those_of_the_runs() -> None:
    assert view(colour_by="nothing").inks == view().inks
    assert view(NO_ATTRIBUTES, colour_by="lr").inks == view().inks


def test_colour_levels_many_numbers_are_binned() -> None:
    members = tuple((f"t{number}",) for number in range(100))
    numbers = AttributeColumn.of_values([float(number) for number in range(100)])
    found, labels = colour_levels(RunAttributes(members, {"lr": numbers}, [m[0] for m in members]), "lr")
    assert len(set(found.values())) == 8
    assert [found[f"t{number}"] for number in range(99)] == sorted(found[f"t{number}"] for number in range(99))
    assert labels[-1] == "no value"


def test_groups_runs_with_equal_values_are_averaged_by_part() -> None:
    settings = view(group_by=("lr",)).settings
    groups = group_by_settings(["a", "b", "c", "c/val"], settings)
    assert [(group.name, group.runs) for group in select_averaged(groups)] == [("lr=0.1", ("a", "c"))]
    assert group_runs(KNOWN, ("nothing",)) is None


def test_filter_runs_takes_terms_with_attributes_and_expressions_without() -> None:
    assert filter_runs(NAMES, Settings(run_filter="lr=0.1"), KNOWN) == ("a", "c", "c/val")
    assert filter_runs(["lr=0.1", "b"], Settings(run_filter="lr=0.1")) == ("lr=0.1",)
    assert filter_runs(NAMES, Settings(run_filter="lr<x"), KNOWN) == filter_runs(NAMES, Settings(), KNOWN)
    assert len(filter_runs(NAMES, Settings(run_filter="lr>5"), NO_ATTRIBUTES)) == len(NAMES)
    assert view(run_filter="opt?").runs[0].name == "a"


def test_needs_attributes_only_for_terms_colours_groups_and_columns() -> None:
    assert not needs_attributes(Settings(run_filter="adam.*"))
    for changed in ({"run_filter": "lr>1"}, {"colour_by": "lr"}, {"group_by": ("lr",)}, {"run_columns": ("lr",)}):
        assert needs_attributes(Settings(**changed))  # type: ignore[arg-type]


def test_comparison_has_columns_of_attributes_and_sorts_by_them() -> None:
    made = view(run_columns=("lr", "opt", "nothing"))
    found = TableAttributes.of(made)
    assert found.chosen == (f"{ATTRIBUTE}lr", f"{ATTRIBUTE}opt")
    cells, _ = found.cells(f"{ATTRIBUTE}opt", NAMES)
    assert [cells[name][0][0] for name in NAMES] == ["adam", "sgd", "–", "–", "–"]
    ordered = [each.name for each in found.sort(made.runs, f"{ATTRIBUTE}seed", descending=True)]
    assert ordered == ["c", "c/val", "b", "a", "other"]


def test_attribute_text_is_short() -> None:
    assert [format_attribute(value) for value in (None, True, "x", 64.0, 1e-5, 0.123456)] == [
        *("–", "true", "x", "64", "1e-5", "0.1235")
    ]
