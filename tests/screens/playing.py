"""Drive the app with the actions of `acts`, and report what breaks."""

from __future__ import annotations

import os
import shutil
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from unicodedata import lookup

import pytest
from textual import events
from textual.keys import REPLACED_KEYS, _character_to_key, _get_unicode_name_from_key

from tbtui.app.app import Dashboard
from tbtui.app.main_screen import TooSmallScreen
from tbtui.export import output
from tbtui.export.output import OutputError
from tbtui.loading.loader import Loader
from tbtui.loading.sources import parse_sources
from tbtui.plugins.audio.pane import pane as audio_pane
from tbtui.plugins.audio.pane.player import NoPlayerError
from tbtui.plugins.registry import list_plugin_settings
from tbtui.settings.persistence import SettingsFile, build_state_document
from tbtui.widgets.worker import Worker
from tests.helpers.screen_text import screen_lines
from tests.screens import logs_of_all
from tests.screens.acts import PASTES
from tests.screens.looks import LABEL, NOW, settle

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from textual.driver import Driver
    from textual.pilot import Pilot

    from tbtui.settings.persistence import SavedState

START_SIZE = 80, 24
LOOKED_AT_EVERY = 25
"""Acts after which the whole screen is looked at; it takes as long as a few keys."""

LOOKS = 20
"""After so many it is blank for good: on a busy machine a screen may just have come, and not be laid out yet."""

LONG, HANGING = 1.0, 20.0
"""Seconds in which a key has to be answered, and after which it is taken to hang; of the processor, which may be busy
with other things."""

LEAST_AREA = 60
"""Cells of a terminal in which something has to be seen."""

LEAST_LAYERS = 8
"""More presses of escape than there are layers."""


class BrokenError(Exception):
    """What must never be so is so."""


class Undisturbed(Dashboard):
    """Quits only when it is meant."""

    leaving = False

    async def action_quit(self) -> None:
        if self.leaving:
            await super().action_quit()

    def action_close(self) -> None:
        if self.leaving:
            super().action_close()
        else:
            self._main_screen.close_opened()


class Remembering(SettingsFile):
    """Knows what was kept last."""

    last: SavedState | None = None

    def save(self, kept: SavedState) -> None:
        super().save(kept)
        self.last = kept


@dataclass
class Told:
    """What was seen on the way."""

    slow: list[tuple[float, str]] = field(default_factory=list)
    """Seconds of acts that took long."""

    failed: list[Exception] = field(default_factory=list)
    """What panes could not draw."""


@dataclass
class Player:
    """Somebody in front of the app.

    Args:
        app: It runs.
        pilot: Of the app.
        logs: The directory that it shows.
        loader: That of the app, without a thread.
        told: Is filled.
    """

    app: Undisturbed
    pilot: Pilot[int]
    logs: Path
    loader: Loader
    told: Told
    _steps: int = logs_of_all.STEPS

    async def play(self, acts: Sequence[str]) -> None:
        """Do it all, then leave."""
        for number, act in enumerate(acts):
            began = time.process_time()
            await self._do(act)
            if (seconds := time.process_time() - began) > LONG:
                self.told.slow.append((seconds, act))
                if seconds > HANGING:
                    raise BrokenError(f"{act} takes {seconds:.0f} s")
            self._check()
            if number % LOOKED_AT_EVERY == 0:
                await self._look()
        await self._look()
        await self._leave()

    async def _do(self, act: str) -> None:
        kind, _, what = act.partition(":")
        doing: dict[str, Callable[[], Any]] = {
            "key": lambda: self._key(what),
            "tab": lambda: self.app.choose(tab=what),
            "paste": lambda: self._driver.send_message(events.Paste(PASTES[int(what)])),
            "size": lambda: self._resize(*map(int, what.split("x"))),
            "news": lambda: self._find(what),
        }
        if kind in doing:
            doing[kind]()
        elif kind == "wait":
            await self.pilot.pause()
        elif kind == "idle":
            await settle(self.pilot)
        else:
            await self._mouse(kind, [float(part) for part in what.split(",")])

    @property
    def _driver(self) -> Driver:
        assert self.app._driver is not None
        return self.app._driver

    def _key(self, name: str) -> None:
        name = _character_to_key(name) if len(name) == 1 and not name.isalnum() else name
        try:
            character = lookup(_get_unicode_name_from_key(REPLACED_KEYS.get(name, name)))
        except KeyError:
            character = name if len(name) == 1 else None
        self._driver.send_message(events.Key(name, character))

    def _resize(self, width: int, height: int) -> None:
        size = events.Size(width, height)
        self._driver._size = size
        self.app.post_message(events.Resize(size, size))

    async def _mouse(self, kind: str, places: list[float]) -> None:
        x, y = self._place(*places[:2])
        if kind in ("click", "double", "right"):
            for _ in range(2 if kind == "double" else 1):
                self._send(events.MouseDown, x, y, 3 if kind == "right" else 1)
                self._send(events.MouseUp, x, y, 3 if kind == "right" else 1)
        elif kind == "drag":
            to_x, to_y = self._place(*places[2:])
            self._send(events.MouseDown, x, y, 1)
            await self.pilot.pause()
            for part in (0.3, 0.6, 1.0):
                self._send(events.MouseMove, round(x + part * (to_x - x)), round(y + part * (to_y - y)), 1)
            self._send(events.MouseUp, to_x, to_y, 1)
        else:
            self._send(events.MouseScrollDown if kind == "wheel" else events.MouseScrollUp, x, y, 0)

    def _place(self, x: float, y: float) -> tuple[int, int]:
        width, height = self.app.size
        return min(int(x * width), width - 1), min(int(y * height), height - 1)

    def _send(self, kind: type[events.MouseEvent], x: int, y: int, button: int) -> None:
        self._driver.send_message(
            kind(None, x, y, 0, 0, button, shift=False, meta=False, ctrl=False, screen_x=x, screen_y=y)
        )

    def _find(self, what: str) -> None:
        """Change the logs, and have them read again."""
        sgd = self.logs / logs_of_all.RUNS[-1]
        if what == "more":
            for run in logs_of_all.RUNS[:2]:
                logs_of_all.write_steps(self.logs, run, range(self._steps, self._steps + 4))
            self._steps += 4
        elif what == "run":
            logs_of_all.write_steps(self.logs, f"new/{self._steps}", range(2))
        elif what == "gone" and sgd.exists():
            shutil.move(sgd, self.logs.with_name("away"))
        elif what == "back" and not sgd.exists():
            shutil.move(self.logs.with_name("away"), sgd)
        elif what == "torn":
            with next((self.logs / logs_of_all.RUNS[1]).iterdir()).open("ab") as file:
                file.write(b"\x18\0\0\0\0\0\0\0 no record")
        self.loader.load_all()

    # What must always be so

    def _check(self) -> None:
        app = self.app
        if app._exception is not None:
            raise app._exception
        if self.told.failed:
            raise self.told.failed[0]

    async def _look(self) -> None:
        """At the whole screen, once all is drawn."""
        for _ in range(LOOKS):
            await settle(self.pilot)
            self._check()
            if self.app.screen.size.area <= LEAST_AREA or any(line.strip() for line in screen_lines(self.app)):
                return
        raise BrokenError(f"{self.app.screen} is blank, in {self.app.screen.size}")

    def _check_focus(self) -> None:
        main_screen, focused = self.app._main_screen, self.app.screen.focused
        if self.app.screen is not main_screen:
            raise BrokenError(f"escape does not lead back from {self.app.screen}")
        if focused is None:
            if main_screen._panes.focus_target is not None:  # words in its place take no keys
                raise BrokenError("nobody has the keys")
        elif not all(node.display for node in focused.ancestors_with_self):
            raise BrokenError(f"{focused}, which has the keys, is hidden")

    async def _leave(self) -> None:
        """By way of the first screen, with the key that leaves from there."""
        self._resize(*START_SIZE)
        await settle(self.pilot)
        for _ in range(LEAST_LAYERS):
            if self.app.screen is not self.app._main_screen or not isinstance(self.app.screen, TooSmallScreen):
                self._key("escape")
                await settle(self.pilot)
        await self._look()
        self._check_focus()
        self.app.leaving = True
        for _ in range(LEAST_LAYERS):
            self._key("q")  # the first may close the sidebar of a narrow screen
            for _ in range(20):
                if self.app._exit:
                    return
                await self.pilot.pause(0.01)
        raise BrokenError("q does not leave")


async def play(acts: Sequence[str], home: Path) -> Told:
    """Start the app on fresh logs in `home`, an empty directory, and do all this.

    Raises:
        Exception: Whatever breaks.
    """
    logs = home / "logs"
    logs_of_all.write(logs)
    logs_of_all.write_bad(logs)
    told, saved = Told(), Remembering(home / "choices.json", list_plugin_settings())
    with _kept_apart(home, told):
        loader = Loader(parse_sources([str(logs)]), now=lambda: NOW)
        app = _app(loader, saved)
        broken: list[Exception] = []
        try:
            async with app.run_test(size=START_SIZE) as pilot:
                loader.load_all()
                try:
                    await Player(app, pilot, logs, loader, told).play(acts)
                except Exception as error:  # noqa: BLE001 - whatever it is, it comes before what ending the app brings
                    broken.append(error)
        finally:
            if broken:
                raise broken[0]
        await _start_again(loader, saved)
    return told


def _app(loader: Loader, saved: SettingsFile) -> Undisturbed:
    kept = saved.load()
    return Undisturbed(
        loader, label=LABEL, settings=kept.settings, saved_state=kept, saved=saved, alert=True, clock=lambda: NOW
    )


async def _start_again(loader: Loader, saved: Remembering) -> None:
    """The next session begins with what this one has left."""
    if saved.last is not None and build_state_document(saved.load()) != build_state_document(saved.last):
        raise BrokenError(f"kept was {build_state_document(saved.last)}, read was {build_state_document(saved.load())}")
    app = _app(loader, saved)
    async with app.run_test(size=START_SIZE) as pilot:
        await settle(pilot)
        if app._exception is not None:
            raise app._exception


@contextmanager
def _kept_apart(home: Path, told: Told) -> Iterator[None]:
    """Nothing is written beside `home`, no sound is heard, and what panes cannot do is known."""
    ask, check = Worker.ask, output.check_output

    def asked(self: Worker, kind: str, work: Any, deliver: Any, failed: Any) -> None:
        def fail(error: Exception) -> None:
            if not type(error).__module__.startswith("tbtui."):  # those are answers that were thought of
                told.failed.append(error)
            failed(error)

        ask(self, kind, work, deliver, fail)

    def checked(path: Path, *, force: bool = False) -> None:
        if not path.resolve().is_relative_to(home):
            raise OutputError(f"{path} is elsewhere")
        check(path, force=force)

    def nothing_plays(*_: Any, **__: Any) -> Any:
        raise NoPlayerError("there is silence")

    before = os.getcwd()  # noqa: PTH109
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Worker, "ask", asked)
        patch.setattr(output, "check_output", checked)
        patch.setattr(audio_pane, "find_player", nothing_plays)
        os.chdir(home)
        try:
            yield
        finally:
            os.chdir(before)
