"""Test `tbtui export --plugin pr_curves`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tbtui.cli.main import main
from tests.helpers.curve_snapshots import curve, log_curves
from tests.helpers.log_directory import START

if TYPE_CHECKING:
    from pathlib import Path

HEADER = "run,tag,step,wall_time,threshold,precision,recall,tp,fp,tn,fn\n"
ROWS = (
    "0.0,0.5,1.0,4.0,4.0,0.0,0.0",
    "0.5,0.75,0.75,3.0,1.0,3.0,1.0",
    "1.0,0.0,0.0,0.0,0.0,4.0,4.0",
)
"""The curve of `curve` of the helpers at three thresholds."""


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """Write two runs; the value at step 2 of the second is not a PR curve."""
    root = tmp_path / "logs"
    root.mkdir()
    log_curves(root, "a", {"pr/cat": {1: curve(thresholds=3), 4: curve(thresholds=3)}})
    log_curves(root, "a", {"pr/cat": {4: curve(thresholds=3)}}, start=START + 100)
    log_curves(root, "b", {"pr/cat": {1: curve(thresholds=3), 2: np.ones((5, 2))}, "pr/dog": {1: 0.5}})
    return root


def export(logs: Path, *words: object) -> int:
    return main(["export", str(logs), "--plugin", "pr_curves", *map(str, words)])


def rows(run: str, step: int, wall_time: float) -> str:
    return "".join(f"{run},pr/cat,{step},{wall_time},{row}\n" for row in ROWS)


def test_export_pr_curves_has_a_row_per_threshold_and_curve(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert export(logs, "--runs", "^a$") == 0
    written = rows("a", 1, START) + rows("a", 4, START + 10) + rows("a", 4, START + 100)
    assert capsys.readouterr() == (HEADER + written, "")


def test_export_pr_curves_omits_superseded_curves_on_request(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert export(logs, "--runs", "^a$", "--current") == 0
    assert capsys.readouterr().out == HEADER + rows("a", 1, START) + rows("a", 4, START + 100)


def test_export_pr_curves_invalid_curve_is_omitted_and_reported(
    logs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert export(logs, "--runs", "^b$", "-o", tmp_path / "b.jsonl") == 0
    message = "2 of 3 PR curves left out, first pr/cat of b at step 2: a tensor of shape 5x2 instead of a PR"
    assert message in capsys.readouterr().err
    lines = [json.loads(line) for line in (tmp_path / "b.jsonl").read_text().splitlines()]
    assert [(line["threshold"], line["precision"], line["tp"]) for line in lines] == [
        (0, 0.5, 4),
        (0.5, 0.75, 3),
        (1, 0, 0),
    ]


def test_export_pr_curves_no_match_is_reported(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert export(logs, "--tags", "dog") == 1
    out, message = capsys.readouterr()
    assert out == ""
    assert "nothing that can be written" in message
    assert main(["export", str(logs / "a"), "--plugin", "histograms"]) == 1
    assert "no histograms" in capsys.readouterr().err


def test_export_pr_curves_logs_without_curves_are_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from tbtui.events.writer import EventFileWriter

    with EventFileWriter(str(tmp_path / "events.out.tfevents.1"), wall_time=START) as writer:
        writer.scalar("loss", 1.0, 0, START)
    assert export(tmp_path) == 1
    assert "no PR curves" in capsys.readouterr().err
