"""Test `tbtui print` of scalars: the chart and the table below it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from tests.helpers.log_directory import START
from tests.helpers.print_command import Stream, log_at, log_values, printed

if TYPE_CHECKING:
    from pathlib import Path

CROSSING = """\
loss · 2 runs · steps 0–4
4 ┤AAAA                             BBBB
  │    AAAAAAA               BBBBBBB
  │           AAAAAAA BBBBBBB
2 ┤             BBBBBAAAAAA
  │      BBBBBBB           AAAAAAA
0 ┤BBBBBB                         AAAAAA
   0        1        2        3        4
  run   last  step  best (min)  at step
A down     0     4         ★ 0        4
B up       4     4           0        0
"""


@pytest.fixture
def crossing(tmp_path: Path) -> Path:
    log_values(tmp_path, "down", [4, 3, 2, 1, 0])
    log_values(tmp_path, "up", [0, 1, 2, 3, 4])
    return tmp_path


def test_print_scalars_runs_are_letters_in_one_chart_with_a_legend(crossing: Path) -> None:
    shown = printed(crossing, "--width", 40, "--height", 7)
    assert (shown.code, shown.err) == (0, "")
    assert shown.out == CROSSING


def test_print_scalars_single_run_is_drawn_in_dots(crossing: Path) -> None:
    assert (
        printed(crossing, "--width", 40, "--height", 7, "--runs", "up").out
        == """\
loss · 1 run · steps 0–4
4 ┤                                ⢀⣀⡠⠤⠒
  │                          ⣀⡠⠤⠔⠒⠉⠁
  │                   ⢀⣀⠤⠔⠒⠊⠉
2 ┤            ⢀⣀⡠⠤⠒⠊⠉⠁
  │      ⣀⡠⠤⠔⠒⠉⠁
0 ┤⣀⠤⠔⠒⠊⠉
   0        1        2        3        4
run  last  step  best (min)  at step
up      4     4           0        0
"""
    )


def test_print_scalars_without_unicode_is_aligned_ascii(crossing: Path) -> None:
    shown = printed(crossing, "--width", 40, "--height", 7, out=Stream("ascii"))
    assert shown.out.isascii()
    signs = str.maketrans("┤│·–★", "+|--*")
    assert shown.out == CROSSING.translate(signs)
    alone = printed(crossing, "--width", 40, "--runs", "up", out=Stream("ascii"))
    assert alone.out.isascii()
    assert alone.lines[-1].startswith("A up")


def test_print_scalars_run_keeps_its_letter_in_every_chart(tmp_path: Path) -> None:
    log_values(tmp_path, "a", [1, 2], tag="loss")
    log_values(tmp_path, "b", [1, 2], tag="loss")
    log_values(tmp_path, "b", [1, 2], tag="other")
    shown = printed(tmp_path, out=Stream("ascii"))
    assert [line[:3] for line in shown.lines if line[1:3] in {" a", " b"}] == ["A a", "B b", "B b"]


@pytest.mark.parametrize("values", [[3.0] * 50, [1e-300, 1e300], [0, 1e30, -1e30], [-(2.0**1000), 2.0**1000]])
def test_print_scalars_values_of_any_size_fit_the_width(tmp_path: Path, values: list[float]) -> None:
    log_values(tmp_path, "run", values)
    for scale in ("linear", "log", "symlog"):
        for width in (20, 40, 200):
            shown = printed(tmp_path, "--width", width, "--y-scale", scale)
            assert shown.code == 0
            assert max(map(len, shown.lines)) <= width


def test_print_scalars_spike_among_many_points_is_visible(tmp_path: Path) -> None:
    log_values(tmp_path, "run", [100.0 if step == 14_007 else 1.0 for step in range(20_000)])
    shown = printed(tmp_path, "--width", 60, "--height", 10, "--outliers", "keep")
    plot = [line.partition("│")[2] or line.partition("┤")[2] for line in shown.lines[1:9]]
    columns = {row.index(char) for row in plot[:-2] for char in row if char.strip()}
    assert len(columns) == 1
    assert abs(columns.pop() / 56 - 0.7) < 0.03


def test_print_scalars_values_beyond_the_axis_are_reported(tmp_path: Path) -> None:
    log_values(tmp_path, "run", [1e6 if step == 50 else 1 + step % 7 for step in range(100)])
    assert "1 value outside the y axis: 1M (--outliers keep: all in sight)" in printed(tmp_path).lines
    assert "outside" not in printed(tmp_path, "--outliers", "keep").out


def test_print_scalars_nan_is_a_marked_gap_and_counted(tmp_path: Path) -> None:
    log_values(tmp_path, "a", [1.0, 1.0, math.nan, math.nan, math.inf, 1.0, 1.0])
    log_values(tmp_path, "b", [2.0] * 7)
    shown = printed(tmp_path, "--width", 70, "--height", 6)
    row = next(line for line in shown.lines if "A" in line)
    assert row.count("✗") == 1
    between = row[row.index("✗") + 1 :]
    assert "A" not in between[:18]
    assert shown.lines[-1] == "✗ NaN here, ▲ +Inf"
    header, first, second = shown.lines[-4:-1]
    assert first[header.index("NaN") : header.index("NaN") + 3].strip() == "2"
    assert first[header.index("Inf") : header.index("Inf") + 3].strip() == "1"
    assert second[header.index("NaN") :].split() == ["7"]


def test_print_scalars_all_nan_is_stated_in_the_chart(tmp_path: Path) -> None:
    log_values(tmp_path, "run", [math.nan] * 3)
    shown = printed(tmp_path)
    assert "no value is a finite number" in shown.out
    assert shown.lines[-2].split()[:3] == ["run", "NaN", "2"]


def test_print_scalars_superseded_points_are_hidden_and_restart_marked(tmp_path: Path) -> None:
    log_at(tmp_path, "run", {0: 1.0, 10: 1.0, 20: 500.0})
    log_at(tmp_path, "run", {11: 1.0, 20: 1.0}, file="events.out.tfevents.2.host", start=START + 10)
    shown = printed(tmp_path)
    assert "500" not in shown.out
    assert "↻ resumed from an earlier step" in shown.lines
    assert "1 superseded by other values at the same or an earlier step (--superseded: draw" in shown.lines
    assert "500" in printed(tmp_path, "--superseded").out


def test_print_scalars_best_values_follow_the_tag_name(tmp_path: Path) -> None:
    for tag in ("acc", "loss", "lr"):
        log_values(tmp_path, "a", [1, 5, 3], tag=tag)
        log_values(tmp_path, "b", [2, 4, 3], tag=tag)
    shown = printed(tmp_path)
    headers = [line for line in shown.lines if line.startswith("  run")]
    assert ["best (max)" in header for header in headers] == [True, False, False]
    assert ["best (min)" in header for header in headers] == [False, True, False]
    rows = [line.split()[4:6] for line in shown.lines if line.startswith("A a")]
    assert rows == [["★", "5"], ["★", "1"], ["1", "0"]]


def test_print_scalars_smoothing_equals_the_dashboard_beside_raw(tmp_path: Path) -> None:
    log_values(tmp_path, "run", [0.0, 1.0])
    shown = printed(tmp_path, "--smoothing", 0.5)
    header, row = shown.lines[-2:]
    assert shown.lines[0].endswith("smoothed 0.5")
    assert header.split()[:4] == ["run", "last", "smoothed", "step"]
    assert row.split()[:4] == ["run", "1", "0.6667", "1"]  # (0 x .5 x .5 + 1 x .5) / (1 - .5²)


@pytest.mark.parametrize(
    ("words", "note", "label"),
    [
        (["--y-scale", "log"], "y log", "100 ┤"),
        (["--x-axis", "relative"], "x relative", "2s"),
        (["--x-axis", "wall"], "x wall", "14:13:21"),
        (["--x-scale", "symlog"], "x step symlog", "1"),
    ],
)
def test_print_scalars_axes_equal_the_dashboard(tmp_path: Path, words: list[str], note: str, label: str) -> None:
    log_values(tmp_path, "run", [1, 10, 100, 1000, 10_000])
    shown = printed(tmp_path, "--width", 100, *words)
    assert shown.lines[0].endswith(note)
    assert label in shown.out


def test_print_scalars_single_values_are_a_table_without_a_chart(tmp_path: Path) -> None:
    log_values(tmp_path, "a", [0.5], tag="acc")
    log_values(tmp_path, "b", [0.75], tag="acc")
    assert (
        printed(tmp_path, "--width", 60).out
        == """\
acc · 2 runs · step 0
run  last  step  best (max)  at step   min  at step  points
a    0.5      0        0.5         0  0.5         0       1
b    0.75     0      ★ 0.75        0  0.75        0       1
"""
    )


def test_print_scalars_many_runs_draw_best_and_worst_and_count_others(tmp_path: Path) -> None:
    for run in range(30):
        log_values(tmp_path, f"run{run:02}", [float(run), float(run)])
    shown = printed(tmp_path)
    rows = [line for line in shown.lines if line[2:5] == "run" and line[0] != " "]
    assert len(rows) == 12
    assert rows[0][2:7] == "run00"
    assert shown.lines[-1].startswith("18 more runs, last values ")
    assert shown.lines[-1].endswith("(--max-runs 0: all, --runs REGEX: which)")
    everything = printed(tmp_path, "--max-runs", 0)
    assert len([line for line in everything.lines if line[2:5] == "run" and line[0] != " "]) == 30


def test_print_scalars_many_tags_draw_some_and_name_the_others(tmp_path: Path) -> None:
    for tag in range(11):
        log_values(tmp_path, "run", [1, 2], tag=f"tag{tag}")
    shown = printed(tmp_path)
    assert [line.split()[0] for line in shown.lines if "· 1 run ·" in line] == [f"tag{tag}" for tag in range(8)]
    assert shown.lines[-1] == "3 more tags: tag8, tag9, tag10 (--max-tags 0: all, --tags REGEX: which)"
    assert sum("· 1 run ·" in line for line in printed(tmp_path, "--max-tags", 0).lines) == 11


def test_print_scalars_hostile_names_are_escaped_and_aligned(tmp_path: Path) -> None:
    log_values(tmp_path, "seed 训练", [1, 2], tag="\x1b]0;owned\x07\x1b[2Jloss\n\u202ex")
    log_values(tmp_path, "plain", [2, 3], tag="\x1b]0;owned\x07\x1b[2Jloss\n\u202ex")
    shown = printed(tmp_path, "--width", 60)
    assert not {"\x1b", "\x07", "\u202e"}.intersection(shown.out)
    assert shown.lines[0].startswith("·]0;owned··[2Jloss␣x")
    first, second = shown.lines[-2:]
    wide = next(row for row in (first, second) if "训练" in row)
    other = next(row for row in (first, second) if "plain" in row)
    assert wide.index("2") + 2 == other.index("3")  # two glyphs of two columns each
    assert "训练" not in printed(tmp_path, out=Stream("latin-1")).out


def test_print_scalars_long_names_stay_distinct_when_narrow(tmp_path: Path) -> None:
    for run in ("experiment_with_a_long_name/seed0", "experiment_with_a_long_name/seed1"):
        log_values(tmp_path, run, [1, 2])
    shown = printed(tmp_path, "--width", 40)
    assert max(map(len, shown.lines)) <= 40
    assert [line.split()[1] for line in shown.lines[-2:]] == ["seed0", "seed1"]
