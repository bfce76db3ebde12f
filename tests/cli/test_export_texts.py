"""Test `tbtui export --plugin text`."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tbtui.cli.main import main
from tbtui.events.schema import get_message_class
from tbtui.events.tensors import make_tensor
from tbtui.events.writer import EventFileWriter
from tests.helpers.log_directory import FILE, START
from tests.helpers.pty_app import PtyApp, product

if TYPE_CHECKING:
    from pathlib import Path

HEADER = "run,tag,step,wall_time,row,column,text\n"


def add(path: Path, tag: str, step: int, held: Any) -> None:
    """Append a text, the cells of a table, or numbers with the metadata of a text."""
    array = held if isinstance(held, np.ndarray) else np.array(held, object)
    value = get_message_class("SummaryValue")(tag=tag, tensor=make_tensor(array))
    value.metadata.plugin_data.plugin_name = "text"
    event = get_message_class("Event")(wall_time=START + step, step=step)
    event.summary.value.append(value)
    path.parent.mkdir(parents=True, exist_ok=True)
    with EventFileWriter(str(path), wall_time=START) as writer:
        writer.event(event)


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    logs = tmp_path / "logs"
    for step in (1, 2, 2):
        add(logs / "a" / FILE, "notes", step, f"step {step}, *good*\n".encode())
    add(logs / "b" / FILE, "table", 0, [[b"x", b'"y"'], [b"caf\xe9", b"\x1b[31m"]])
    return logs


def export(logs: Path, *words: object) -> int:
    return main(["export", str(logs), "--plugin", "text", *map(str, words)])


def test_export_texts_has_a_row_per_document(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert export(logs, "--runs", "^a$") == 0
    rows = "".join(f'a,notes,{step},{START + step},0,0,"step {step}, *good*\n"\n' for step in (1, 2, 2))
    assert capsys.readouterr() == (HEADER + rows, "")


def test_export_texts_has_a_row_per_table_cell(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert export(logs, "--runs", "^b$", "--format", "jsonl") == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(row["row"], row["column"], row["text"]) for row in rows] == [
        (0, 0, "x"),
        (0, 1, '"y"'),
        (1, 0, "caf\udce9"),
        (1, 1, "\x1b[31m"),
    ]


def test_export_texts_escapes_text_on_a_terminal(logs: Path) -> None:
    with PtyApp(product("export", str(logs), "--plugin", "text", "--runs", "b")) as app:
        assert app.wait() == 0
        assert b"\x1b" not in app.raw
        assert "·[31m".encode() in app.raw


def test_export_texts_omits_superseded_texts_on_request(logs: Path, tmp_path: Path) -> None:
    assert export(logs, "--runs", "^a$", "--current", "-o", tmp_path / "out.csv") == 0
    with (tmp_path / "out.csv").open(newline="") as file:
        assert [row[2] for row in csv.reader(file)] == ["step", "1", "2"]


def test_export_texts_invalid_text_is_omitted_and_reported(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    add(logs / "a" / FILE, "notes", 3, np.ones(2))
    assert export(logs, "--runs", "^a$", "--format", "jsonl") == 0
    written, stderr = capsys.readouterr()
    assert len(written.splitlines()) == 3
    assert stderr == (
        "tbtui: 1 of 4 texts left out, first notes of a at step 3: a tensor of type double instead of a text\n"
    )


def test_export_texts_logs_without_texts_are_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "run").mkdir()
    with EventFileWriter(str(tmp_path / "run" / FILE), wall_time=START) as writer:
        writer.scalar("loss", 1, 1, START)
    assert export(tmp_path) == 1
    assert "no texts" in capsys.readouterr().err
