"""Test that no session with a metric is ever absent: from no view, no command, no table, no Python object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tbtui.export.table import SkippedValues
from tbtui.loading.payloads import Payloads
from tbtui.plugins.comparison.compared_runs import compare
from tbtui.plugins.hparams.export import build_hparam_tables, build_session_table, build_table
from tbtui.plugins.hparams.grid import CellCache, build_table_rows
from tbtui.plugins.hparams.parallel import compute_axis_dots, list_axis_keys, make_axis
from tbtui.plugins.hparams.print_blocks import build_hparam_blocks
from tbtui.plugins.hparams.settings import FIGURES
from tbtui.plugins.hparams.slices import build_metric_axis, slice_names, split_sessions
from tbtui.plugins.hparams.table_builder import SessionTables
from tbtui.plugins.hparams.values import Sessions
from tbtui.plugins.registry import run_folder
from tbtui.report.blocks import Table
from tbtui.report.options import PrintOptions
from tbtui.report.terminal import OutputTarget
from tests.helpers.property_examples import examples
from tests.helpers.sessions import prepared, session_run
from tests.helpers.snapshots import run, store

if TYPE_CHECKING:
    from tbtui.store.snapshot import RunSnapshot, StoreSnapshot

HPARAM = st.none() | st.floats() | st.booleans() | st.sampled_from(["adam", "", "ü😀", "a|b"])
CURVE = st.lists(st.floats(), min_size=1, max_size=3)
NAMES = ("a", "ab", "a/b", "exp/a", "exp/ab", "x y")
"""Some are prefixes of others, and one is below another one."""

WRITERS = ("itself", "torch", "keras", "keras beside", "metric of its own")


def runs_of(name: str, writer: str, hparams: dict[str, Any], curve: list[float], group: str) -> list[RunSnapshot]:
    """Return the runs of a training as a writer logs them."""
    if writer == "torch":
        child = session_run(f"{name}/1700000000.5", hparams, {"hparam/loss": curve[-1:]}, group)
        return [run(name, {"loss": curve}), child]
    if writer == "keras":
        return [session_run(name, hparams, {}, group), run(f"{name}/train", {"loss": curve})]
    if writer == "keras beside":
        return [session_run(f"{name}/hparams", hparams, {}, group), run(f"{name}/train", {"loss": curve})]
    tag = f"only {name}" if writer == "metric of its own" else "loss"
    return [session_run(name, hparams, {tag: curve}, group)]


TRAININGS = st.dictionaries(
    st.sampled_from(NAMES),
    st.tuples(
        st.sampled_from(WRITERS),
        st.fixed_dictionaries({}, optional={"lr": HPARAM, "opt": HPARAM, "seed": HPARAM}),
        CURVE,
        st.sampled_from(["", "", "g"]),
    ),
    min_size=1,
    max_size=5,
)


@settings(max_examples=examples(25))
@given(TRAININGS, st.sampled_from(FIGURES), st.booleans())
def test_every_session_with_a_metric_is_in_every_view(trainings: dict[str, Any], figure: Any, grouped: bool) -> None:
    stored = store(*(each for name, made in trainings.items() for each in runs_of(name, *made)))
    listed = run_folder().fold(stored)
    logged = {name for name, each in stored.runs.items() if "_hparams_/session_start_info" in each.series}
    for snapshot in (stored, listed):
        shown = prepared(snapshot, figure=figure, grouped=grouped)
        table = shown.table
        with_metric = [row for row in range(len(table)) if any(has_value(metric, row) for metric in table.metrics)]
        assert logged <= table.row_of.keys()
        assert len(with_metric) == len(trainings) or {"a", "a/b"} <= trainings.keys()
        check_tab(shown, with_metric)
        check_texts(snapshot, shown)
    check_tables(stored, listed)


def has_value(metric: Any, row: int) -> bool:
    return metric.curves[row] is not None or metric.logged[row] is not None


def check_tab(shown: Any, with_metric: list[int]) -> None:
    """Check the first look, the table, the parallel axes and the slices."""
    rows = sorted(row for members in shown.rows.members for row in members)
    assert rows == list(range(len(shown.table)))
    assert {row.key for row in build_table_rows(shown, CellCache())} >= set(shown.rows.names)
    main = shown.rows.metric
    if main is None:
        assert not with_metric
        return
    importance = shown.importance
    assert importance.sessions + importance.without == len(shown.table)
    assert importance.sessions == sum(has_value(main, row) for row in range(len(shown.table)))
    axes = [make_axis(shown, key) for key in list_axis_keys(shown)]
    if len(axes) > 1:
        dots = compute_axis_dots(axes, 10)
        assert len(dots) == len(shown.table)
        assert np.isfinite(dots).all()
    metric = build_metric_axis(shown)
    for name in slice_names(shown):
        if metric is not None:
            parts = split_sessions(make_axis(shown, f"h/{name}"), metric, shown.rows.selected)
            assert sorted(np.concatenate(parts).tolist()) == rows


def check_texts(snapshot: StoreSnapshot, shown: Any) -> None:
    """Check what print writes."""
    options = PrintOptions(OutputTarget("text", 200), 10, 0, 0, None, None)
    tables = [block for block in build_hparam_blocks(shown.view, options) if isinstance(block, Table)]
    assert len(tables[-1].rows) == len(shown.table) if not shown.rows.is_grouped else tables[-1].rows


def check_tables(stored: StoreSnapshot, listed: StoreSnapshot) -> None:
    """Check compare, the exports and Python."""
    table = build_table(stored.runs.values())
    assert [each.name for each in Sessions(table)] == [each.name for each in table.sessions]
    _, rows = build_session_table(table, lambda _: True)
    assert rows.columns["run"].tolist() == [each.name for each in table.sessions]
    exported = {each.run for each in build_hparam_tables(table, SkippedValues())}
    for row, session in enumerate(table.sessions):
        if any(hparam.column.present[row] for hparam in table.hparams.values()):
            assert exported.issuperset(session.hparams_runs)
    compared = compare(
        listed.runs,
        lambda _: True,
        lambda _: True,
        figure="last",
        table=SessionTables(Payloads()).build(listed.runs),
    )
    for name in (each.name for each in listed.runs.values() if any(map(is_scalar, each.series.values()))):
        assert name in compared.runs
        row = table.row_of[name]
        values = {n: h.column.value(row) for n, h in table.hparams.items() if h.column.present[row]}
        assert compared.sessions[name].values.keys() == values.keys()


def is_scalar(series: Any) -> bool:
    return series.metadata.plugin_name == "scalars"
