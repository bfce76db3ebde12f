"""Test that every end of a session restores the terminal and reports the reason."""

from __future__ import annotations

import asyncio
import select
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import MagicMock

import pytest

from tbtui.cli import session
from tests.helpers.pty_app import PtyApp

if TYPE_CHECKING:
    from collections.abc import Iterator

WRAP_AND_CURSOR = {7, 25}
"""Private modes that are set in a terminal by default."""


def start(*words: str, **env: str) -> PtyApp:
    return PtyApp([sys.executable, str(Path(__file__).with_name("session_app.py")), *words], size=(60, 12), env=env)


@pytest.fixture
def app() -> Iterator[PtyApp]:
    with start() as running:
        running.until("all drawn")
        yield running


def assert_given_back(app: PtyApp) -> None:
    assert app.attributes() == app.attributes_before
    assert app.modes_left_on() <= WRAP_AND_CURSOR
    assert app.raw.rindex(b"\x1b[?1049l") > app.raw.rindex(b"all drawn")
    assert app.raw.rindex(b"\x1b[?25h") > app.raw.rindex(b"\x1b[?25l")
    assert app.raw.count(b"\x1b[<u") >= app.raw.count(b"\x1b[>")


def after_the_screen(app: PtyApp) -> str:
    """Return the text written after the screen is restored."""
    return app.raw[app.raw.rindex(b"\x1b[?1004l") :].decode()


def test_session_quits_by_key(app: PtyApp) -> None:
    app.send("q")
    assert app.wait() == 0
    assert_given_back(app)
    assert "tbtui" not in after_the_screen(app)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT])
def test_session_quits_by_signal(app: PtyApp, number: signal.Signals) -> None:
    app.signal(number)
    assert app.wait() == 128 + number
    assert_given_back(app)


@pytest.mark.parametrize(
    ("key", "what"), [("c", "a key that breaks things"), ("t", "a thread that breaks"), ("p", "a panic in some thread")]
)
def test_session_crash_leaves_a_report_and_one_line(app: PtyApp, own_directories: Path, key: str, what: str) -> None:
    app.send(key)
    assert app.wait() == 1
    assert_given_back(app)
    (path,) = own_directories.rglob("crash.txt")
    assert f"tbtui: crashed; the report is in {path}" in after_the_screen(app)
    assert b"Traceback" not in app.raw
    assert what in path.read_text("utf-8")


def test_session_early_crash_is_reported_without_a_report_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with start("broken", XDG_STATE_HOME=str(tmp_path / "file")) as app:
        assert app.wait() == 1
        assert app.attributes() == app.attributes_before
        assert app.modes_left_on() <= WRAP_AND_CURSOR
    text = after_the_screen(app)
    assert "tbtui: crashed (LookupError: a part that·[2J breaks while it is made); the report could not" in text
    assert text.count("\n") == 1
    assert b"Traceback" not in app.raw


def test_session_stuck_app_is_ended() -> None:
    with start("impatient") as app:
        app.until("all drawn")
        app.send("s")
        app.until_true(lambda: b"stuck now" in app.raw, "sign of being stuck")
        app.signal(signal.SIGTERM)
        assert app.wait() == 128 + signal.SIGTERM
        assert app.attributes() == app.attributes_before
        assert app.modes_left_on() <= WRAP_AND_CURSOR


TITLE_ASIDE, TITLE_BACK = b"\x1b[22;0t", b"\x1b[23;0t"


@pytest.mark.parametrize("key", ["q", "c", "s"])
def test_session_title_is_restored_on_every_exit(key: str) -> None:
    with start("impatient", "titled") as app:
        app.until("all drawn")
        app.send(key)
        if key == "s":
            app.until_true(lambda: b"stuck now" in app.raw, "sign of being stuck")
            app.signal(signal.SIGTERM)
        app.wait()
        assert app.raw.index(TITLE_ASIDE) < app.raw.index(b"all drawn") < app.raw.index(TITLE_BACK)
        assert (app.raw.count(TITLE_ASIDE), app.raw.count(TITLE_BACK)) == (1, 1)


def test_session_unchanged_title_is_not_restored(app: PtyApp) -> None:
    app.send("q")
    app.wait()
    assert TITLE_ASIDE not in app.raw
    assert TITLE_BACK not in app.raw


@pytest.mark.parametrize("words", [(), ("nohup",)])
def test_session_lost_terminal_ends_it(words: tuple[str, ...]) -> None:
    with start(*words) as app:
        app.until("all drawn")
        app.hang_up()
        assert app.wait() == 128 + signal.SIGHUP


@pytest.mark.parametrize("gone", [False, True])
def test_session_failed_thread_ends_it_with_a_blocked_terminal(gone: bool) -> None:
    with start("impatient", "flood") as app:
        app.until("[a-k]{5}")
        app.send("t")
        if gone:
            app.hang_up()
        select.select([], [], [], 0.5)
        assert app.family_ended(), "the terminal does not read the output"
        # A closed terminal also sends SIGHUP; the first of both events determines the exit code.
        assert app.process.wait(30) in {1, 128 + signal.SIGHUP if gone else 1}


def test_session_thread_failure_before_the_app_is_reported(tmp_path: Path) -> None:
    broken_before = (
        "import sys\n"
        "from threading import Thread\n"
        "from tbtui.cli.shutdown import ThreadErrors\n"
        "from tbtui.cli.session import run_app\n"
        "from session_app import SessionApp\n"
        "broken = ThreadErrors()\n"
        "early = Thread(target=SessionApp().break_thread)\n"
        "early.start(), early.join()\n"
        "sys.exit(run_app(SessionApp(), broken=broken))"
    )
    env = {"XDG_STATE_HOME": str(tmp_path)}
    with PtyApp([sys.executable, "-c", broken_before], size=(60, 12), env=env, cwd=Path(__file__).parent) as app:
        assert app.wait() == 1
        assert app.attributes() == app.attributes_before
        assert b"tbtui: crashed; the report is in" in app.raw
        assert b"Traceback" not in app.raw
    assert "a thread that breaks" in (tmp_path / "tbtui" / "crash.txt").read_text()


class DrawnLater:
    """An app whose first screen is drawn at the third look."""

    def __init__(self) -> None:
        self.looks = 0
        self.begun = asyncio.Event()
        self.looks_at_begin = 0

    def is_drawn(self) -> bool:
        self.looks += 1
        return self.looks == 3

    def begin(self) -> None:
        self.looks_at_begin = self.looks
        self.begun.set()

    async def run_async(self) -> None:
        await self.begun.wait()


@pytest.mark.parametrize(("most", "looks"), [(60.0, 3), (-1.0, 1)])
async def test_session_work_that_can_wait_begins_after_the_first_screen(
    monkeypatch: pytest.MonkeyPatch, most: float, looks: int
) -> None:
    monkeypatch.setattr(session, "Shutdown", MagicMock())
    monkeypatch.setattr(session, "MIN_FIRST_SCREEN_SECONDS", 0.0)
    monkeypatch.setattr(session, "FIRST_SCREEN_POLL_SECONDS", 0.0)
    monkeypatch.setattr(session, "MAX_FIRST_SCREEN_SECONDS", most)
    app = DrawnLater()
    await session._serve(app, app.begin, app.is_drawn, MagicMock(), MagicMock(), MagicMock())  # type: ignore[arg-type]
    assert app.looks_at_begin == looks
