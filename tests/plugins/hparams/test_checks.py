"""Test what `tbtui inspect` and `print` say about sessions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tbtui.cli.main import main
from tests.helpers.log_directory import LogDirectory

LOGS = Path(__file__).parent / "logs"


def inspected(case: str, capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, list[str]]]:
    assert main(["inspect", "--json", "--no-cache", str(LOGS / case)]) == 0
    runs = json.loads(capsys.readouterr().out)["runs"]
    return {name: run["hparams"] for name, run in runs.items() if run["hparams"]}


def test_inspect_names_metrics_that_were_never_written(capsys: pytest.CaptureFixture[str]) -> None:
    assert inspected("sb3", capsys)["PPO_1"]["declared_but_never_written"] == ["train/value_loss"]
    assert inspected("tf_groups", capsys)["t0"]["declared_but_never_written"] == ["never_written"]
    assert inspected("torch_trials", capsys)["trial0/hp"]["declared_but_never_written"] == []


def test_inspect_names_metrics_logged_at_step_0_of_a_curve(capsys: pytest.CaptureFixture[str]) -> None:
    assert inspected("torch_same_run_no_step", capsys)["r0"]["logged_at_step_0"] == ["val/loss"]
    assert inspected("torch_same_run", capsys)["r0"]["logged_at_step_0"] == []


def test_inspect_names_values_outside_their_domain(capsys: pytest.CaptureFixture[str]) -> None:
    assert "opt" in inspected("odd_names", capsys)["s"]["outside_domain"]
    assert all(not run["outside_domain"] for run in inspected("tbx", capsys).values())
    assert main(["inspect", "--no-cache", str(LOGS / "sb3")]) == 0
    assert "metrics that were declared and never written: train/value_loss" in capsys.readouterr().out


@pytest.mark.parametrize(("file", "names"), [("hparams.yaml", ()), ("notes.yaml", ("--run-names", "auto"))])
def test_print_shows_sessions_that_are_not_in_event_files(
    file: str, names: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    logs = LogDirectory(tmp_path)
    for rate in (0.1, 0.2):
        logs.log(f"lr={rate}", range(3))
        (tmp_path / f"lr={rate}" / file).write_text(f"lr: {rate}\n")
    assert main(["print", "--no-cache", "--plugin", "hparams", *names, str(tmp_path)]) == 0
    assert capsys.readouterr().out.startswith("hparams · 2 sessions")
