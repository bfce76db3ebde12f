"""Test `tbtui print --watch`: redrawn in place on a terminal, frame by frame in a pipe, ended by Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import tbtui
from tbtui.cli.options.print import parse
from tbtui.cli.print import watch
from tbtui.cli.print.command import Printing
from tbtui.cli.print.watch import fit_print
from tbtui.loading.loader import Loader
from tbtui.loading.sources import parse_sources
from tbtui.report.terminal import OutputTarget
from tests.helpers.log_directory import LogDirectory
from tests.helpers.print_command import log_at, log_values
from tests.helpers.pty_app import PtyApp, product

if TYPE_CHECKING:
    from collections.abc import Callable

CHECKOUT = Path(tbtui.__file__).parents[1]
HEEDING = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGTERM, signal.SIG_DFL)
from tbtui.cli.main import program
program()
"""
"""Run tbtui with default signal handlers, also if the tests run in the background or under nohup."""


class FakeTime:
    """Replacement of `time` whose `sleep` runs the next action, and finally raises KeyboardInterrupt."""

    def __init__(self, *actions: Callable[[], object]) -> None:
        self._actions = iter(actions)

    def sleep(self, _seconds: float) -> None:
        action = next(self._actions, None)
        if action is None:
            raise KeyboardInterrupt
        action()


def watched(root: Path, monkeypatch: pytest.MonkeyPatch, *actions: Callable[[], object], words: str = "") -> None:
    """Run `--watch` in this process with an action between two checks."""
    monkeypatch.setattr(watch, "time", FakeTime(*actions))
    arguments = parse([str(root), "--watch", "1", *words.split()])
    loader = Loader(parse_sources([str(root)]), reload_seconds=1)
    with suppress(KeyboardInterrupt):
        watch.watch(loader, Printing(arguments), 1)


def test_watch_prints_only_changed_frames(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    watched(
        tmp_path,
        monkeypatch,
        lambda: None,
        lambda: log_values(tmp_path, "run", [1, 2]),
        lambda: None,
        lambda: log_at(tmp_path, "run", {2: 5.0}),
    )
    pictures = capsys.readouterr().out.split("\f\n")
    assert len(pictures) == 3
    assert pictures[0].endswith(": no event files, waiting\n")
    assert pictures[1].startswith("loss · 1 run · steps 0–1\n")
    assert pictures[2].startswith("loss · 1 run · steps 0–2\n")


def test_watch_runs_keep_their_letters_when_others_appear(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    log_values(tmp_path, "m", [1, 2])
    log_values(tmp_path, "n", [2, 1])
    watched(tmp_path, monkeypatch, lambda: log_values(tmp_path, "a", [3, 3]))
    before, after = capsys.readouterr().out.split("\f\n")
    assert [line[:3] for line in before.splitlines()[-2:]] == ["A m", "B n"]
    assert [line[:3] for line in after.splitlines()[-3:]] == ["C a", "A m", "B n"]


def test_watch_follows_a_layout_file_that_breaks_and_is_mended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    log_values(tmp_path, "run", [1, 2])
    layout = tmp_path / "layout.json"

    def write(text: str) -> Callable[[], object]:
        return lambda: layout.write_text(text)

    write('{"first": {"a": ["Multiline", ["loss"]]}}')()
    again = write('{"again": {"a": ["Multiline", ["loss"]]}}')
    watched(tmp_path, monkeypatch, write("{"), lambda: None, lambda: None, again, words=f"--layout {layout}")
    pages = capsys.readouterr().out.split("\f\n")
    assert [page.splitlines()[0] for page in pages] == ["first: 1 chart", "first: 1 chart", "again: 1 chart"]
    assert "unreadable layouts: 1 chart" in pages[1]
    assert "expecting property name" in pages[1]


@pytest.mark.parametrize("rows", [5, 14, 24, 40, 100])
def test_watch_frame_fits_and_fills_the_screen(tmp_path: Path, rows: int) -> None:
    for tag in "abc":
        log_values(tmp_path, "run", [1, 2], tag=tag)
    printing = Printing(parse([str(tmp_path)]))
    view = printing.view(Loader(parse_sources([str(tmp_path)]), reload_seconds=0).load_all().snapshot)
    lines = fit_print(printing, view, OutputTarget("text", 60, rows))
    assert len(lines) <= rows
    assert len(lines) >= min(rows - 4, 3 * 48)
    charts = [line for line in lines if "· 1 run ·" in line]
    assert len(charts) == {5: 1, 14: 1, 24: 2, 40: 3, 100: 3}[rows]
    notes = [line for line in lines if line.startswith("…")]
    assert bool(notes) == (rows < 40)


@pytest.mark.timeout(60)
def test_watch_on_a_terminal_redraws_in_place_until_ctrl_c(tmp_path: Path) -> None:
    logs = LogDirectory(tmp_path / "logs")
    with PtyApp(product("print", str(logs.root), "--watch", "0.05"), (60, 20)) as app:
        app.until("no event files, waiting")
        logs.log("run", range(5))
        app.until("steps 0–4")
        logs.log("run", range(5, 8))
        app.until("steps 0–7")
        assert "steps 0–4" not in app.text
        app.send("ctrl+c")
        assert app.wait() == 130
        assert app.modes_left_on() == {25}  # the cursor is visible
        stays = app.raw.rpartition(b"\x1b[?1049l")[2]
        assert "steps 0–7" in stays.decode()


@pytest.mark.timeout(60)
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 128 + signal.SIGTERM)])
def test_watch_signal_in_a_pipe_ends_silently(tmp_path: Path, number: signal.Signals, code: int) -> None:
    log_values(tmp_path, "run", [1, 2])
    environ = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    argv = [sys.executable, "-c", HEEDING, "print", str(tmp_path), "--watch", "30"]
    with subprocess.Popen(argv, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
        assert program.stdout is not None
        assert program.stderr is not None
        assert program.stdout.readline().startswith(b"loss")
        program.send_signal(number)
        assert (program.wait(30), program.stderr.read()) == (code, b"")


@pytest.mark.timeout(60)
def test_watch_closed_pipe_ends_without_changes(tmp_path: Path) -> None:
    log_values(tmp_path, "run", [1, 2])
    argv = [sys.executable, "-m", "tbtui", "print", str(tmp_path), "--watch", "0.05"]
    environ = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    with subprocess.Popen(argv, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
        assert program.stdout is not None
        assert program.stderr is not None
        assert program.stdout.readline().startswith(b"loss")
        program.stdout.close()
        try:
            assert (program.wait(30), program.stderr.read()) == (1, b"")
        finally:
            program.kill()
