from __future__ import annotations

from dataclasses import dataclass

from tbtui.view.run_names import build_run_legend

RUNS = ("sweep/adam_seed0", "sweep/adam_seed1", "sweep/sgd_seed0")


@dataclass(frozen=True)
class Shown:
    run: str
    ink: int


SHOWN = [Shown(RUNS[0], 0), Shown(RUNS[2], 14)]


def test_run_legend_shows_sign_ink_and_distinct_name_of_each_run() -> None:
    assert build_run_legend(SHOWN, RUNS, 60) == [("● adam_seed0", 0), ("◆ sgd_seed0", 14)]


def test_the_focused_run_comes_first() -> None:
    assert [text for text, _ in build_run_legend(SHOWN, RUNS, 60, RUNS[2])] == ["◆▸sgd_seed0", "● adam_seed0"]
    assert [text for text, _ in build_run_legend(SHOWN, RUNS, 60, "gone")] == ["● adam_seed0", "◆ sgd_seed0"]


def test_names_share_the_width_of_the_card() -> None:
    names = [text.partition(" ")[2] for text, _ in build_run_legend(SHOWN, RUNS, 24)]
    assert all(len(name) <= 8 for name in names)
    assert len(set(names)) == 2


def test_where_one_run_is_drawn_in_all_there_is_nothing_to_tell() -> None:
    assert build_run_legend(SHOWN[:1], RUNS[:1], 60) == []
    assert build_run_legend([], RUNS, 60) == []
