"""Texts written to files, and what is told of them."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any

import pytest

from tbtui.loading.payloads import Payloads
from tbtui.plugins.text.document import Texts
from tbtui.plugins.text.pane.details import TextWriter, format_about_lines, write_fields
from tbtui.plugins.text.pane.list_model import TextKey, build_series_key
from tbtui.widgets.form_fields import FieldError
from tests.helpers.log_directory import START
from tests.helpers.text_logs import TextLogs

if TYPE_CHECKING:
    from pathlib import Path

    from tbtui.plugins.text.read import TextPoint


@pytest.fixture
def logs(tmp_path: Path) -> TextLogs:
    logs = TextLogs(tmp_path / "logs")
    logs.add("a", {"notes": {1: "first", 2: b"caf\xe9\0"}, "table": {0: [["x", 'say "y"'], ["1,5", "two\nlines"]]}})
    logs.add("b", {"notes": {1: "of b"}})
    return logs


def newest(logs: TextLogs, run: str, tag: str) -> TextPoint:
    listed = logs.listed()
    text = listed.at(listed.text_keys[build_series_key(run, tag)])
    assert text is not None
    return text


def write(logs: TextLogs, path: Path, *, run: str = "a", tag: str = "notes", **entered: Any) -> tuple[int, bytes]:
    """How many texts were written, and what is in the file."""
    writing = TextWriter(Payloads(), logs.listed(), newest(logs, run, tag))
    written = writing({"path": path, "format": None, "which": "this", "force": False, **entered})
    assert written is not None
    return written.rows, path.read_bytes()


def test_writer_single_text_writes_its_bytes(logs: TextLogs, tmp_path: Path) -> None:
    assert write(logs, tmp_path / "out.md") == (1, b"caf\xe9\0")


def test_writer_several_texts_have_headlines(logs: TextLogs, tmp_path: Path) -> None:
    count, data = write(logs, tmp_path / "out.md", which="series")
    assert count == 2
    assert data == (
        f'=== ["a", "notes"] step 1 wall time {START + 1}\nfirst\n'
        f'=== ["a", "notes"] step 2 wall time {START + 2}\n'.encode()
        + b"caf\xe9\0\n"
    )


@pytest.mark.parametrize(("which", "count"), [("this", 1), ("series", 2), ("tag", 3), ("all", 4)])
def test_writer_choice_selects_texts(logs: TextLogs, tmp_path: Path, which: str, count: int) -> None:
    assert write(logs, tmp_path / "out.md", which=which)[0] == count


def test_writer_table_is_csv(logs: TextLogs, tmp_path: Path) -> None:
    write(logs, tmp_path / "out.md", tag="table")
    with (tmp_path / "out.md").open(newline="") as file:
        assert list(csv.reader(file)) == [["x", 'say "y"'], ["1,5", "two\nlines"]]


def test_writer_format_uses_export_columns(logs: TextLogs, tmp_path: Path) -> None:
    count, data = write(logs, tmp_path / "out.csv", which="series")
    assert count == 2
    assert data.decode() == (
        "run,tag,step,wall_time,row,column,text\n"
        f"a,notes,1,{START + 1},0,0,first\n"
        f"a,notes,2,{START + 2},0,0,caf\\udce9\0\n"
    )


@pytest.mark.parametrize("form", [{"format": "jsonl"}, {}], ids=["chosen", "by name"])
def test_writer_json_lines_hold_everything(logs: TextLogs, tmp_path: Path, form: dict[str, str]) -> None:
    _, data = write(logs, tmp_path / "out.jsonl", which="all", **form)
    lines = [json.loads(line) for line in data.decode().splitlines()]
    told = {tuple(line[name] for name in ("run", "tag", "step", "row", "column")): line["text"] for line in lines}
    assert told == {
        ("a", "notes", 1, 0, 0): "first",
        ("a", "notes", 2, 0, 0): "caf\udce9\0",
        ("b", "notes", 1, 0, 0): "of b",
        ("a", "table", 0, 0, 0): "x",
        ("a", "table", 0, 0, 1): 'say "y"',
        ("a", "table", 0, 1, 0): "1,5",
        ("a", "table", 0, 1, 1): "two\nlines",
    }
    assert lines[0]["wall_time"] == START + 1


def test_writer_unreadable_text_is_refused_without_file(logs: TextLogs, tmp_path: Path) -> None:
    writing = TextWriter(Payloads(), logs.listed(), newest(logs, "a", "notes"))
    logs.path("a").unlink()
    with pytest.raises(FieldError, match="step 2 of a: the file is gone") as refused:
        writing({"path": tmp_path / "out.md", "format": None, "which": "this", "force": False})
    assert refused.value.name == "which"
    assert refused.value.name in {field.name for field in write_fields(newest(logs, "a", "notes"))}
    assert not (tmp_path / "out.md").exists()


def test_writer_can_be_stopped(logs: TextLogs, tmp_path: Path) -> None:
    writing = TextWriter(Payloads(), logs.listed(), newest(logs, "a", "notes"))
    writing.stop()
    assert writing({"path": tmp_path / "out.md", "format": None, "which": "all", "force": False}) is None
    assert not (tmp_path / "out.md").exists()


def test_about_text_shows_contents_and_record(logs: TextLogs) -> None:
    lines = format_about_lines(Texts(Payloads()), logs.view(), newest(logs, "a", "table"))
    assert lines[0] == "step 0 of a"
    assert lines[2] == "tensor of strings, rank 2, shape 2x2, 20 B"
    assert str(logs.path("a")) in lines[3]
    assert "a: 1 text at step 0" in lines


def test_about_unreadable_text_gives_reason(logs: TextLogs) -> None:
    text = newest(logs, "b", "notes")
    logs.path("b").unlink()
    assert "cannot be read: the file is gone" in format_about_lines(Texts(Payloads()), logs.view(), text)


def test_about_superseded_text_says_so(logs: TextLogs) -> None:
    logs.add("b", {"notes": {1: "again"}})
    text = logs.listed(superseded=True).at(TextKey("b", "notes", 0))
    assert text is not None
    assert format_about_lines(Texts(Payloads()), logs.view(), text)[0] == "step 1 of b, superseded by a restart"
