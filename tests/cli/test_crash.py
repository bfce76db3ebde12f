"""Test crash reports: their content, their path, and failures to write them."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import TYPE_CHECKING

from tbtui.cli.session import REPORT_NAME, CrashReport

if TYPE_CHECKING:
    import pytest


def broken() -> ZeroDivisionError:
    try:
        _ = 1 / 0
    except ZeroDivisionError as error:
        return error
    raise AssertionError


def test_crash_report_without_error_is_not_written(tmp_path: Path) -> None:
    report = CrashReport(tmp_path / "state")
    report.add("  \n")
    assert report.write() is None
    assert not (tmp_path / "state").exists()


def test_crash_report_has_the_error_and_its_place(tmp_path: Path) -> None:
    report = CrashReport(tmp_path / "state")
    report.add(broken())
    report.add("and a text")
    path = tmp_path / "state" / REPORT_NAME
    assert report.write() == f"tbtui: crashed; the report is in {path}"
    text = path.read_text("utf-8")
    assert text.startswith("tbtui ")
    assert "ZeroDivisionError: division by zero" in text
    assert "in broken" in text
    assert text.endswith("and a text\n")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_crash_report_replaces_the_previous_one(tmp_path: Path) -> None:
    for what in ("first \udc80", "second"):
        report = CrashReport(tmp_path)
        report.add(what)
        report.write()
    assert [path.name for path in tmp_path.iterdir()] == [REPORT_NAME]
    assert "second" in (tmp_path / REPORT_NAME).read_text("utf-8")


def test_crash_report_unwritable_is_reported_in_one_line(tmp_path: Path) -> None:
    in_the_way = tmp_path / "state"
    in_the_way.write_text("a file")
    report = CrashReport(in_the_way)
    report.add(broken())
    line = report.write()
    assert line is not None
    assert "ZeroDivisionError: division by zero" in line
    assert "\n" not in line


def test_crash_report_interrupted_write_leaves_no_draft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    report = CrashReport(tmp_path)
    report.add("x")
    line = report.write()
    assert line is not None
    assert "No space left" in line
    assert list(tmp_path.iterdir()) == []


def test_crash_report_quotes_are_escaped_for_the_terminal(tmp_path: Path) -> None:
    evil = "tag\x1b]0;owned\x07\u202e\x9b2J\udc9b"
    report = CrashReport(tmp_path)
    report.add(f"first\n  {evil}")
    assert report.write() == f"tbtui: crashed; the report is in {tmp_path / REPORT_NAME}"
    assert (tmp_path / REPORT_NAME).read_text("utf-8").endswith("\n\nfirst\n  tag·]0;owned··2J·\n")
    (tmp_path / "file").touch()
    report = CrashReport(tmp_path / "file" / "state\x1b[2J")
    report.add(LookupError(evil))
    line = report.write()
    assert line is not None
    assert line.startswith("tbtui: crashed (LookupError: tag·]0;owned··2J·); ")
    assert line.isprintable()
