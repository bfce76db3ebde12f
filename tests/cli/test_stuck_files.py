"""Test that the dashboard responds and quits while a file system blocks, as a network one may."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from tbtui.events.writer import EventFileWriter
from tests.helpers.pty_app import PtyApp

if TYPE_CHECKING:
    from pathlib import Path

CODE = """
import os, sys, time
opened = os.open
def open_or_wait(path, *how, **more):
    if "tfevents" in str(path) and os.path.exists(sys.argv[0]):
        time.sleep(3600)
    return opened(path, *how, **more)
os.open = open_or_wait
from tbtui.cli.main import program
program()
"""
"""Run tbtui with an `os.open` that blocks on event files while the file `sys.argv[0]` exists."""


def test_stuck_files_dashboard_responds_and_quits(tmp_path: Path) -> None:
    run = tmp_path / "logs" / "run"
    run.mkdir(parents=True)
    stuck = tmp_path / "stuck"
    with EventFileWriter(str(run / "events.out.tfevents.1.host")) as writer:
        writer.text("note", "some words", 1, 1_790_000_000)
        writer.scalar("loss", 0.5, 1, 1_790_000_000)
        writer.flush()
        command = [sys.executable, "-c", f"import sys; sys.argv[0] = {str(stuck)!r}\n{CODE}", str(tmp_path / "logs")]
        with PtyApp(command) as app:
            app.until("3 Text")
            app.until("loss")
            stuck.touch()
            writer.scalar("loss", 0.4, 2, 1_790_000_001)
            writer.flush()
            app.send("r")  # first the loader blocks, then the Text tab does
            app.send("3")
            app.until("note")
            app.send("+")
            app.send("1")
            app.until("smooth")
            began = time.monotonic()
            app.send("q")
            assert app.wait() == 0
            assert time.monotonic() - began < 10
            assert app.family_ended()
            assert app.attributes() == app.attributes_before
