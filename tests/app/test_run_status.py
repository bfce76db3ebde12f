"""Status texts of runs in rows, status line, legend and footer."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.app.run_status import format_pace, format_run_line, format_time_left
from tbtui.app.sidebar_rows import HALVES, RunListRows, RunTexts, build_legend, choose_bullet
from tbtui.app.state import AppState, AppStateBuilder, TabOrder
from tbtui.app.status_line import build_status_line
from tbtui.charts.cells import Ink
from tbtui.charts.series_colours import PALETTE_SIZE
from tbtui.charts.styled_text import row_pieces
from tbtui.loading.state import LoadState
from tbtui.plugins.registry import PLUGINS
from tbtui.settings.settings import Settings
from tbtui.view.run_names import RunColours
from tests.helpers.scripted_dashboard import NOW, SCALARS
from tests.helpers.snapshots import START, run, scalars, store

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from tbtui.store.snapshot import RunSnapshot

NAN = math.nan
T = np.linspace(0, 1, 300)
BLOWN_UP = np.where(T < 0.6, 1 - T, 0.4 + 500 * (T - 0.6) ** 2)
PLATEAU = np.maximum(0.5, 2 - 4 * T)


def wrote(name: str, values: Sequence[float], *, ago: float = 10.0, tag: str = "loss") -> RunSnapshot:
    """A value a second, the last one so long ago."""
    made = scalars(name, tag, values, start=NOW - ago - len(values) + 1)
    return run(name, others=[made], last=NOW - ago)


def state(*runs: RunSnapshot, **settings: Any) -> AppState:
    state = LoadState(store(*runs), complete=True, watching="notified")
    return AppStateBuilder((SCALARS,), RunColours()).build(state, Settings(**settings), NOW)


def rows(seen: AppState, width: int = 40) -> list[str]:
    made = RunListRows(seen, frozenset(), width, RunTexts())
    return ["".join(text for text, _ in row_pieces(row, width)) for row in made]


FALLING = np.linspace(2, 1, 300)


@pytest.mark.parametrize(
    ("made", "settings", "says"),
    [
        (wrote("run", FALLING), {}, "◐ run 1/s 299"),
        (wrote("run", FALLING, ago=100), {}, "● run 1/s 299"),
        (wrote("run", FALLING, ago=301), {}, "● run 5m ago 299"),
        (wrote("run", FALLING, ago=301), {"max_steps": 7499}, "● run stalled 5m 299"),
        (wrote("run", FALLING, ago=90_000), {}, "● run 299"),
        (wrote("run", FALLING), {"max_steps": 7499}, "◐ run eta 2h 299"),
        (wrote("run", FALLING), {"max_steps": 299}, "◐ run done 299"),
        (wrote("run", [1, 1, NAN, NAN]), {}, "✗ run NaN @2 3"),
        (wrote("run", [1, 1, math.inf]), {}, "◐ run Inf @2 2"),
        (wrote("run", [1] * 299 + [NAN], ago=301), {}, "✗ run NaN @299 299"),
        (wrote("run", BLOWN_UP), {}, "◐ run diverges 299"),
        (wrote("run", BLOWN_UP, ago=301), {}, "● run diverges 299"),
        (wrote("run", BLOWN_UP, ago=301), {"max_steps": 7499}, "● run stalled 5m 299"),
        (wrote("run", PLATEAU, ago=301), {}, "● run 5m ago 299"),
        (wrote("run", PLATEAU), {}, "◐ run flat 299"),
        (wrote("run", BLOWN_UP), {"hidden_runs": frozenset({"run"})}, "○ run 299"),
        (wrote("run", FALLING), {"baseline": "run"}, "Δ◐ run baseline 1/s 299"),
        (run("run", {"loss": (1, 2)}, vanished=True), {"baseline": "run"}, "Δ● run baseline gone"),
    ],
)
def test_run_row_shows_step_and_label(made: RunSnapshot, settings: dict[str, Any], says: str) -> None:
    (row,) = rows(state(made, **settings), 39)
    assert len(row) == 39
    assert " ".join(row.split()) == says


@pytest.mark.parametrize(
    ("width", "says"),
    [
        (37, " ✗ adam_lr1e-3_seed0  NaN @251  12.5k"),
        (36, " ✗ adam_lr1e-3_seed0 NaN @251  12.5k"),
        (35, " ✗ adam_lr1e-3_seed0       NaN @251"),
        (23, " ✗ adam_…seed0 NaN @251"),
        (22, " ✗ adam_…eed0 NaN @251"),
        (21, " ✗ adam_lr…_seed0 NaN"),
    ],
)
def test_run_row_shows_trouble_at_any_width(width: int, says: str) -> None:
    steps = [1.0] * 251 + [NAN] * (12_500 - 250)
    (row,) = rows(state(wrote("adam_lr1e-3_seed0", steps)), width)
    assert row == says


@pytest.mark.parametrize(
    ("width", "says"),
    [
        (40, " ● adam_lr1e-3_seed0     stalled 5m  299"),
        (34, " ● adam_lr1e-3_seed0    stalled 5m"),
        (28, " ● adam_lr1e-3_seed0 stalled"),
        (27, " ● adam_lr1e-3_seed0      ‖"),
        (20, " ● adam…1e-3_seed0 ‖"),
    ],
)
def test_run_row_cuts_a_name_only_for_a_sign(width: int, says: str) -> None:
    assert rows(state(wrote("adam_lr1e-3_seed0", FALLING, ago=301), max_steps=7499), width) == [says]


SWEEP = tuple(f"{name}_lr1e{lr}_wd0.01_seed{seed}" for name in ("adam", "sgd") for lr in (3, 4) for seed in (0, 1))


@pytest.mark.parametrize(
    ("width", "labels"),
    [
        (40, ["adam_lr1e3_wd0.01_seed0", "adam_lr1e3_wd0.01_seed1", "adam_lr1e4_wd0.01_seed0"]),
        (31, ["adam_lr1e3_seed0", "adam_lr1e3_seed1", "adam_lr1e4_seed0"]),
        (20, ["adam_lr1e3_seed0", "adam_lr1e3_seed1", "adam_lr1e4_seed0"]),
        (15, ["ada…d0", "ada…d1", "ada~2"]),
    ],
)
def test_run_rows_of_neighbours_stay_distinct(width: int, labels: list[str]) -> None:
    steps = (10, 1000, 12_500, 999, 100_000, 2, 10_000, 99)
    seen = state(*(wrote(name, np.zeros(step)) for name, step in zip(SWEEP, steps, strict=True)))
    shown = [row.split()[1] for row in rows(seen, width)]
    assert shown[:3] == labels
    assert len(set(shown)) == len(SWEEP)


def test_run_rows_are_distinct_within_each_folder() -> None:
    folders = [f"2026-11-20_resnet50_imagenet_{name}_base" for name in ("adam", "sgd")]
    seen = state(*(run(f"{folder}/seed{seed}", {"loss": (1,)}) for folder in folders for seed in (0, 1)))
    assert [row.split()[1] for row in rows(seen, 22)] == ["adam_base", "seed0", "seed1", "sgd_base", "seed0", "seed1"]


def test_run_row_label_changes_no_other_name() -> None:
    before, after = (
        rows(state(*(wrote(name, [*FALLING, last], ago=90_000) for name, last in zip(SWEEP, lasts, strict=True))), 26)
        for lasts in ([1.0] * 8, [NAN] + [1.0] * 7)
    )
    assert (before[0], after[0]) == (" ● adam_lr1e3_seed0    300", " ✗ adam…1e3_seed0 NaN @300")
    assert before[1:] == after[1:]


def test_run_row_drops_optional_labels_for_the_name() -> None:
    seen = state(wrote("adam_lr1e-3_seed0", FALLING))
    assert rows(seen, 30) == [" ◐ adam_lr1e-3_seed0  1/s  299"]
    assert rows(seen, 29) == [" ◐ adam_lr1e-3_seed0 1/s  299"]
    assert rows(seen, 28) == [" ◐ adam_lr1e-3_seed0     299"]


def test_bullets_of_one_colour_have_distinct_markers() -> None:
    signs = [choose_bullet("shown", ink)[0] for ink in range(0, 5 * PALETTE_SIZE, PALETTE_SIZE)]
    assert signs == ["●", "◆", "■", "▲", "●"]
    assert [choose_bullet("writing", ink)[0] for ink in (0, 12, 24, 36)] == list(HALVES)
    assert choose_bullet("hidden", 12) == ("◇", Ink.FAINT)
    assert choose_bullet("nan", 12) == ("✗", 12)
    many = state(*(run(f"r{i:02}", {"loss": (1,)}) for i in range(14)))
    assert [row[1] for row in rows(many)] == ["●"] * 12 + ["◆"] * 2


def said(made: RunSnapshot, **settings: Any) -> str:
    seen = state(made, **settings)
    return "".join(text for text, _ in format_run_line(made, seen.summaries[made.name], seen.conditions.of[made.name]))


@pytest.mark.parametrize(
    ("made", "settings", "line"),
    [
        (wrote("adam/seed0", FALLING), {}, "adam/seed0 · step 299 · live · 1/s"),
        (wrote("a", FALLING), {"max_steps": 7499}, "a · step 299 · live · 1/s · eta 2h"),
        (wrote("a", FALLING), {"max_steps": 299}, "a · step 299 · live · done"),
        (wrote("a", FALLING, ago=400), {}, "a · step 299 · last write 6m ago"),
        (wrote("a", FALLING, ago=400), {"max_steps": 7499}, "a · step 299 · stalled 6m"),
        (wrote("a", FALLING, ago=90_000), {}, "a · step 299 · last write 25h ago"),
        (wrote("a", FALLING, ago=-1000), {}, "a · step 299 · clock ahead"),
        (
            wrote("a", [1, NAN], ago=100, tag="loss/train"),
            {},
            "a · step 1 · NaN from step 1 in loss/train · last write 1m ago · 1/s",
        ),
        (wrote("a", BLOWN_UP), {}, "a · step 299 · loss diverges · live · 1/s"),
        (wrote("a", PLATEAU), {}, "a · step 299 · loss is flat · live · 1/s"),
        (run("a", vanished=True), {}, "a · gone"),
        (run("a", problem="permission denied", last=START), {}, "a · permission denied · last write 16m ago"),
    ],
)
def test_run_line_shows_all_details(made: RunSnapshot, settings: dict[str, Any], line: str) -> None:
    assert said(made, **settings) == line


@pytest.mark.parametrize(
    ("rate", "word"),
    [
        (12.34, "12/s"),
        (3.44, "3.4/s"),
        (0.99, "0.99/s"),
        (0.5, "30/min"),
        (1 / 45, "1.3/min"),
        (0.01, "36/h"),
        (1e-4, "8.6/d"),
        (1e-9, "8.6e-05/d"),
        (990.0, "990/s"),
        (1234.0, "1200/s"),
        (123_456.0, "120k/s"),
        (1e300, "1e18/s"),
    ],
)
def test_pace_text_has_two_digits(rate: float, word: str) -> None:
    assert format_pace(rate) == word


@given(st.floats(1e-300, 1e300))
def test_pace_and_duration_texts_are_short(number: float) -> None:
    assert len(format_pace(number)) <= 13
    assert len(format_time_left(number)) <= 5


@pytest.mark.parametrize(
    ("seconds", "word"),
    [
        (0, "<1m"),
        (59, "<1m"),
        (60, "1m"),
        (5400, "90m"),
        (7200, "2h"),
        (86_400, "24h"),
        (2 * 86_400, "2d"),
        (1e12, ">999d"),
    ],
)
def test_duration_text_uses_the_largest_unit(seconds: float, word: str) -> None:
    assert format_time_left(seconds) == word


SICK = (
    wrote("a", FALLING[:200], ago=3000),
    wrote("b", [1.0] * 40 + [NAN]),
    wrote("c", BLOWN_UP),
    wrote("d", [1.0, NAN]),
)


@pytest.mark.parametrize(
    ("width", "line"),
    [
        (100, "tbtui logs/digits 4 runs · 1 tag · live · ✗ NaN in 2 runs · 1 diverging · 1 stalled"),
        (70, "logs/digits 4 runs · live · ✗ 2 NaN · 1 diverging · 1 stalled"),
        (56, "logs/digits 4 runs · live · ✗ 2 NaN · 1 diverging"),
        (40, "logs/digits 4 runs · live · ✗ 2 NaN"),
        (30, "logs/digits live · ✗ 2 NaN"),
    ],
)
def test_status_line_shows_trouble_if_it_fits(width: int, line: str) -> None:
    pieces = build_status_line(state(*SICK), "logs/digits", width)
    assert " ".join("".join(text for text, _ in pieces).split()) == line


def test_status_line_ignores_hidden_runs() -> None:
    seen = state(*SICK, hidden_runs=frozenset({"b", "d"}), solo=None)
    assert "NaN" not in "".join(text for text, _ in build_status_line(seen, "logs", 100))


def test_status_line_does_not_count_folded_tags() -> None:
    seen = state(run("a", {"loss/a": (1,), "loss/b": (1,), "acc": (1,)}), hidden_groups=frozenset({"loss"}))
    assert "1 of 3 tags" in "".join(text for text, _ in build_status_line(seen, "logs", 80))
    filtered = state(run("a", {"loss/a": (1,), "acc": (1,)}), hidden_groups=frozenset({"loss"}), tag_filter="loss")
    assert "1 of 2 tags" in "".join(text for text, _ in build_status_line(filtered, "logs", 80))


def test_status_line_reports_a_failing_filter() -> None:
    seen = state(run("a", {"loss": (1,)}), run_filter="(")
    line = "".join(text for text, _ in build_status_line(seen, "logs", 80))
    assert "run filter: missing )" in line


def test_legend_shows_trouble() -> None:
    line = "".join(text for text, _ in build_legend(state(*SICK), 60))
    assert line == " ● a ‖ ✗ b ◐ c ↗ ✗ d"


def test_run_with_a_future_wall_time_is_not_live() -> None:
    ahead = wrote("a", FALLING, ago=-7200)
    assert "clock ahead" in "".join(text for text, _ in build_status_line(state(ahead), "logs", 80))
    both = state(ahead, wrote("b", FALLING, ago=700))
    assert "last write 11m ago" in "".join(text for text, _ in build_status_line(both, "logs", 80))


def test_run_row_dims_the_shared_part_of_a_name() -> None:
    seen = state(*(wrote(f"2026-11-2{day}_b512_lr{day}e-4", (1.0,)) for day in range(1, 4)))
    found = RunListRows(seen, frozenset(), 22, RunTexts())
    assert [(row.label, row.dim_characters) for row in found] == [("21_lr1e-4", 0), ("22_lr2e-4", 0), ("23_lr3e-4", 0)]
    wide = RunListRows(seen, frozenset(), 60, RunTexts())
    assert [row.label[: row.dim_characters] for row in wide] == ["2026-11-"] * 3


def test_a_tab_that_opened_without_a_choice_stays_open_after_a_key() -> None:
    tabs, graphs = TabOrder(), next(plugin for plugin in PLUGINS if plugin.name == "graphs")
    assert tabs.open(tabs.sort([graphs]), tab="mesh") is graphs  # the tab of the last session has no data here
    tabs.keep()
    assert tabs.open(tabs.sort([SCALARS, graphs]), tab="mesh") is graphs
    assert tabs.open(tabs.sort([SCALARS, graphs]), tab="scalars") is SCALARS
