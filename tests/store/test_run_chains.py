"""Numbered runs of one training, joined into one on request."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import tbtui
from tbtui.cli.main import main
from tbtui.store.run_chains import RunJoiner, find_chains
from tbtui.store.snapshot import ScalarSeries
from tests.helpers.log_directory import START, LogDirectory
from tests.helpers.print_command import printed
from tests.helpers.snapshots import references, run, store

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("names", "chains"),
    [
        (["PPO_1", "PPO_2", "PPO_10"], {"PPO_*": ("PPO_1", "PPO_2", "PPO_10")}),
        (
            ["logs/version_0", "logs/version_1", "other/version_0"],
            {"logs/version_*": ("logs/version_0", "logs/version_1")},
        ),
        (
            ["a_1/train", "a_2/train", "a_1/val", "a_2/val"],
            {"a_*/train": ("a_1/train", "a_2/train"), "a_*/val": ("a_1/val", "a_2/val")},
        ),
        (["part-1", "part-2"], {"part-*": ("part-1", "part-2")}),
        (["PPO_1"], {}),
        (["0", "1", "2"], {}),
        (["seed_0", "seed_1", "run-seed-2", "run-seed-3", "fold_1", "fold_2", "rank_0", "rank_1"], {}),
        (["lr=1", "lr=2", "x/lr_1", "x/lr_2"], {}),
        (["a_1", "a_2", "a_*"], {}),
    ],
)
def test_chains_of_names(names: list[str], chains: dict[str, tuple[str, ...]]) -> None:
    assert find_chains(names) == chains


def test_joiner_no_returns_the_snapshot_itself() -> None:
    snapshot = store(run("PPO_1", {"loss": [1.0]}), run("PPO_2", {"loss": [2.0]}))
    assert RunJoiner().join(snapshot, "no") is snapshot


def test_joiner_joins_points_and_files_in_the_order_of_numbers() -> None:
    late, early = run("PPO_10", {"loss": [3.0], "new": [7.0]}), run("PPO_9", {"loss": [1.0, 2.0]})
    joined = RunJoiner().join(store(late, run("other"), early), "numbered")
    assert list(joined.runs) == ["PPO_*", "other"]
    whole = joined.runs["PPO_*"]
    loss = whole.series["loss"]
    assert isinstance(loss, ScalarSeries)
    assert loss.values.tolist() == [1.0, 2.0, 3.0]
    assert loss.file_parts is not None
    assert loss.file_parts.find_files(3).tolist() == [0, 0, 1]
    assert whole.series["new"].file_parts.find_files(1).tolist() == [1]  # type: ignore[union-attr]
    assert [file.path for file in whole.files] == [early.files[0].path, late.files[0].path]
    assert whole.name == loss.run == "PPO_*"


def test_joiner_references_point_into_the_files_of_their_part() -> None:
    runs = [run(f"v_{number}", others=[references(f"v_{number}", "img", "images")]) for number in (1, 2)]
    series = RunJoiner().join(store(*runs), "numbered").runs["v_*"].series["img"]
    count = len(series) // 2
    assert series.files.tolist() == [0] * count + [1] * count  # type: ignore[union-attr]


def test_joiner_unchanged_members_give_the_same_run() -> None:
    one, two = run("PPO_1", {"loss": [1.0]}), run("PPO_2", {"loss": [2.0]})
    joiner = RunJoiner()
    first = joiner.join(store(one, two), "numbered").runs["PPO_*"]
    assert joiner.join(store(one, two, run("x")), "numbered").runs["PPO_*"] is first
    grown = joiner.join(store(one, run("PPO_2", {"loss": [2.0, 3.0]})), "numbered").runs["PPO_*"]
    assert grown.series["loss"].revision > first.series["loss"].revision


def test_joiner_tags_of_different_kinds_stay_apart() -> None:
    other = run("PPO_2", others=[references("PPO_2", "loss", "images")])
    joined = RunJoiner().join(store(run("PPO_1", {"loss": [1.0]}), other), "numbered")
    assert set(joined.runs) == {"PPO_1", "PPO_2"}


@pytest.fixture
def resumed(tmp_path: Path) -> LogDirectory:
    """Two parts of one training; the second begins at step 3, which the first had passed."""
    logs = LogDirectory(tmp_path / "logs")
    logs.log("PPO_1", range(5))
    logs.log("PPO_2", range(3, 8), start=START + 100)
    logs.log("seed_1", range(2))
    logs.log("seed_2", range(2))
    return logs


def test_open_chain_continues_like_one_directory(resumed: LogDirectory) -> None:
    opened = tbtui.open(str(resumed.root), chain_runs="numbered")
    assert list(opened) == ["PPO_*", "seed_1", "seed_2"]
    loss = opened["PPO_*"].scalars("loss")
    assert len(loss) == 10
    assert loss.current.steps.tolist() == list(range(8))
    assert np.diff(loss.wall_times).min() >= 0
    assert opened["PPO_*"].problems == ()
    resumed.log("PPO_2", [8], start=START + 100)
    assert opened.refresh()
    assert len(opened["PPO_*"].scalars("loss")) == 11


def test_print_chain_runs_is_one_line(resumed: LogDirectory) -> None:
    text = printed(resumed.root, "--chain-runs", "numbered").out
    assert "PPO_*" in text
    assert "PPO_1" not in text


def test_export_chain_runs_has_all_points_of_one_run(resumed: LogDirectory, tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    assert main(["export", str(resumed.root), "--chain-runs", "numbered", "--runs", "PPO", "-o", str(target)]) == 0
    rows = [line.split(",")[:3] for line in target.read_text().splitlines()[1:]]
    assert rows == [["PPO_*", "loss", str(step)] for step in (*range(5), *range(3, 8))]
    assert main(["export", str(resumed.root), "-o", str(target), "--force"]) == 0
    assert "PPO_*" not in target.read_text()
