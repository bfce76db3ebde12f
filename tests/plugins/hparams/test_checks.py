"""Test what `tbtui inspect` says about sessions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from tbtui.cli.main import main

if TYPE_CHECKING:
    import pytest

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
