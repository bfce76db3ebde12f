"""Test `tbtui --demo` in a terminal: curves on the first screen, and no files left after any exit."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest

from tests.helpers.pty_app import PtyApp, product

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DOTS = r"[\u2801-\u28ff]{3}"


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[PtyApp]:
    with PtyApp(product("--demo"), env={"TMPDIR": str(tmp_path)}) as app:
        app.until("╭ train ")
        app.until(DOTS)
        yield app


def test_demo_first_screen_shows_curves_of_several_runs(demo: PtyApp, tmp_path: Path) -> None:
    demo.until("seed0")
    demo.until("resumed")
    assert [path.name.startswith("tbtui-demo-") for path in tmp_path.iterdir()] == [True]


def test_demo_continues_training(demo: PtyApp) -> None:
    demo.until("adam_late")  # starts some seconds after the demo


def test_demo_quit_deletes_its_files(demo: PtyApp, tmp_path: Path) -> None:
    demo.send("q")
    assert demo.wait() == 0
    assert demo.family_ended()
    assert list(tmp_path.iterdir()) == []
    assert demo.attributes() == demo.attributes_before


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_demo_signal_deletes_its_files(demo: PtyApp, tmp_path: Path, number: signal.Signals) -> None:
    demo.signal(number)
    assert demo.wait() == (-number if number == signal.SIGKILL else 128 + number)
    assert demo.family_ended()
    assert list(tmp_path.iterdir()) == []


def test_demo_lost_terminal_deletes_its_files(demo: PtyApp, tmp_path: Path) -> None:
    demo.hang_up()
    demo.wait()
    assert demo.family_ended()
    assert list(tmp_path.iterdir()) == []


def test_demo_quit_before_the_history_is_written(tmp_path: Path) -> None:
    with PtyApp(product("--demo"), env={"TMPDIR": str(tmp_path)}) as app:
        app.until_true(lambda: b"\x1b[?1049h" in app.raw, "first screen")
        app.send("q")
        assert app.wait() == 0
        assert app.family_ended()
        assert list(tmp_path.iterdir()) == []
