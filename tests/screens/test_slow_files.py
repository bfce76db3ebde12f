"""Files that take their time, as on a busy network: no key waits for them, and the screen says what it waits for."""

from __future__ import annotations

import re
import threading
import traceback
from typing import TYPE_CHECKING, Any

import pytest

from tbtui.app.app import Dashboard
from tbtui.app.help_screen import HelpScreen
from tbtui.loading.loader import Loader
from tbtui.loading.sources import parse_sources
from tbtui.settings.settings import Settings
from tbtui.tfrecord.file import OpenFile
from tbtui.tfrecord.file_batches import FileBatch
from tests.helpers.log_directory import START
from tests.helpers.screen_text import screen_text, until
from tests.screens import logs_of_all

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt


KEYS = ("right", "down", "full_stop", "z", "m", "i", "escape", "enter", "n")
"""What is pressed in every tab while nothing can be read."""

FROM_MEMORY = ("scalars", "comparison", "custom_scalars", "hparams")
"""Tabs that read no file."""

SAYS_SO = re.compile(r"working …|reading|loading")


class Gate:
    """Where bytes of files are read: closed, whoever reads waits. Nobody on the UI thread may come here at all."""

    def __init__(self) -> None:
        self.is_open = threading.Event()
        self.waiting = 0
        self.on_ui: list[str] = []

    def pass_through(self) -> None:
        if threading.current_thread() is threading.main_thread():
            self.on_ui.append("".join(traceback.format_stack(limit=12)))
            return
        self.waiting += 1
        assert self.is_open.wait(60)
        self.waiting -= 1


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    gate = Gate()
    fill, put = OpenFile.fill, FileBatch.put

    def read_in_time(self: OpenFile, offset: int, data: npt.NDArray[np.uint8]) -> int:
        gate.pass_through()
        return fill(self, offset, data)

    def put_in_time(self: FileBatch, paths: Sequence[str], sizes: Sequence[int]) -> None:
        gate.pass_through()
        put(self, paths, sizes)

    monkeypatch.setattr(OpenFile, "fill", read_in_time)
    monkeypatch.setattr(FileBatch, "put", put_in_time)
    yield gate
    gate.is_open.set()


async def answers(pilot: Any) -> None:
    """A key that anything answers: help comes, and goes."""
    await pilot.press("question_mark")
    assert isinstance(pilot.app.screen, HelpScreen)
    await pilot.press("escape")
    assert not isinstance(pilot.app.screen, HelpScreen)


async def test_keys_do_not_wait_for_slow_files(tmp_path: Path, gate: Gate) -> None:
    logs_of_all.write(tmp_path)
    loader = Loader(parse_sources([str(tmp_path)]), now=lambda: START + 3600, reload_seconds=0)
    app = Dashboard(loader, label="logs", settings=Settings(), clock=lambda: START + 1920)
    loader.start()
    try:
        async with app.run_test(size=(120, 40)) as pilot:
            await until(pilot, lambda: gate.waiting)
            await answers(pilot)
            assert "loading" in screen_text(app)
            gate.is_open.set()
            await until(pilot, lambda: app._load.complete)
            gate.is_open.clear()
            for plugin in app.build_state().plugins:
                app.choose(tab=plugin.name)
                for key in KEYS:
                    await pilot.press(key)
                await answers(pilot)
                if plugin.name not in FROM_MEMORY:
                    await until(pilot, lambda: SAYS_SO.search(screen_text(app)))
                    assert SAYS_SO.search(screen_text(app)), plugin.name
            assert gate.on_ui == []
    finally:
        gate.is_open.set()
        loader.stop()
