"""Test that all commands and the Python API agree on a run with several sessions."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import tbtui
from tbtui.cli.main import main
from tests.helpers.compare_command import log
from tests.helpers.print_command import printed

if TYPE_CHECKING:
    from pathlib import Path

FIRST = {"lr": 0.1, "opt": "adam", "bias": True}
LAST = {"lr": 0.3 - 0.1, "opt": "adam", "bias": True}


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    log(tmp_path, "run", FIRST, loss=[2.0, 1.0])
    log(tmp_path, "run", LAST, loss=[1.5, 0.5])
    return tmp_path


def output_of(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    assert main([*map(str, words), "--no-cache"]) == 0
    return capsys.readouterr().out


def test_hparams_last_session_is_used_everywhere(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert tbtui.open(logs, cache=False)["run"].hparams.values == LAST
    (run,) = json.loads(output_of(capsys, "compare", "--json", logs))["runs"]
    assert run["hparams"] == LAST
    inspected = json.loads(output_of(capsys, "inspect", "--json", logs))["runs"]["run"]["hparams"]
    assert (inspected["values"], inspected["sessions"], inspected["changed"]) == (LAST, 2, ["lr"])
    rows = json.loads(output_of(capsys, "export", "--plugin", "hparams", "--format", "json", logs))
    assert {row["name"]: row["value"] for row in rows} == {"lr": repr(LAST["lr"]), "opt": "adam", "bias": "true"}
    assert [row["number"] for row in rows if row["name"] == "lr"] == [LAST["lr"]]
    columns = tbtui.open(logs, cache=False).columns(plugin="hparams")
    assert columns["value"].tolist() == [row["value"] for row in rows]


def test_hparams_earlier_sessions_are_reported(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = "the last of 2 sessions in this run; between them changed lr"
    assert words in output_of(capsys, "inspect", logs)
    shown = printed(logs, "--plugin", "hparams", "--width", 100)
    assert f"run: {words}" in shown.lines
    assert "0.19999999999999998" in shown.out
