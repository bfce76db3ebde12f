"""Test images in terminals of every kind: queries, drawing, and the cleanup at exit."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, Any

import pytest

from tbtui.terminal_images.terminal_query import CELL_QUERY, KITTY_QUERY, QUERIES, TMUX_QUERIES
from tests.helpers.image_logs import BLUE, GREEN, RED, ImageLogs, gif, plain
from tests.helpers.pixel_terminal import ALACRITTY, KITTY, SILENT, TMUX, WITHOUT_PLACEHOLDERS, XTERM, PixelTerminal
from tests.helpers.pty_app import product

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

HERE = {"TMUX": None, "ZELLIJ": None, "STY": None, "TERM_PROGRAM": None, "SSH_CONNECTION": None, "SSH_TTY": None}
"""Removes the variables of the terminal that runs the tests."""

CARDS = "a · step 20"


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """Write two image tags of three steps, and a scalar so that another tab opens first."""
    made = ImageLogs(tmp_path / "logs")
    made.log("a", [0, 10, 20])
    steps = {0: plain(RED), 10: plain(GREEN), 20: plain(BLUE)}
    made.add("a", {"x": steps, "y": steps}, file="events.out.tfevents.2.host")
    return made.root


@pytest.fixture
def in_terminal(logs: Path) -> Iterator[Any]:
    """Return a function that starts tbtui in a terminal with the given replies."""
    begun: list[PixelTerminal] = []

    def begin(answers: Mapping[str, str], *words: str, job: bool = False, **env: str | None) -> PixelTerminal:
        command, environment = product(*words, str(logs)), {**HERE, **env}
        app = PixelTerminal(command, answers, size=(100, 30), env=environment, cwd=logs.parent, job=job)
        begun.append(app)
        return app

    yield begin
    for app in begun:
        app.__exit__()


def queried(app: PixelTerminal) -> bool:
    return QUERIES.encode() in app.raw


def settle(app: PixelTerminal) -> bytes:
    """Return the output until it pauses."""
    start = len(app.raw)
    while app.pump(0.4):
        pass
    return bytes(app.raw[start:])


def written(app: PixelTerminal, *keys: str, until: Callable[[], bool] | None = None) -> bytes:
    """Send keys and return their output once the condition is true and the output pauses."""
    start = len(app.raw)
    app.send(*keys)
    app.until_true(lambda: len(app.raw) > start and (until is None or until()), "answer")
    settle(app)
    return bytes(app.raw[start:])


# Terminal queries


def test_terminal_is_queried_once_when_the_tab_opens(in_terminal: Any) -> None:
    app = in_terminal(KITTY)
    app.until("3 Images")
    app.until("╭ .*loss")
    settle(app)
    assert KITTY_QUERY.encode() not in app.raw
    app.send("3")
    app.until_true(lambda: app.shown.placeholders, "pictures")
    app.send("1")
    app.until("●.*loss|loss")
    app.send("3")
    app.until(CARDS)
    assert app.raw.count(QUERIES.encode()) == 1


@pytest.mark.parametrize("way", ["half", "off"])
def test_terminal_is_not_queried_without_an_effect(in_terminal: Any, way: str) -> None:
    app = in_terminal(KITTY, "--tab", "images", "--images", way)
    app.until(CARDS)
    app.until("half blocks" if way == "half" else "images off")
    assert KITTY_QUERY.encode() not in app.raw


def test_silent_terminal_shows_half_blocks_and_handles_keys(in_terminal: Any) -> None:
    app = in_terminal(SILENT, "--tab", "images")
    app.until_true(lambda: queried(app), "questions")
    app.send("?")
    app.until("keys of")
    app.send("escape")
    app.until_true(lambda: "keys of" not in app.text, "help closed")  # escape and a key at once would be alt+key
    app.until_true(lambda: "0000ff" in app.shown.half_blocks, "blue pictures")
    app.send("i")
    app.until("drawn as half blocks: the terminal did not answer in time")


def test_late_split_replies_between_keys_are_used_and_are_no_keys(in_terminal: Any) -> None:
    app = in_terminal(SILENT, "--tab", "images")
    app.until_true(lambda: "0000ff" in app.shown.half_blocks, "half blocks")
    for reply, cut, key in zip(KITTY.values(), (1, 5, 2, 6, 3), (">", "", "<", "", "right"), strict=True):
        app.send(reply[:cut])
        app.pump(0.01)
        app.send(reply[cut:], key)
    app.until_true(lambda: app.shown.placeholders, "pictures in pixels")
    settle(app)
    assert "step: newest · kitty graphics" in app.text, "no key but those that were pressed"
    app.send("i")
    app.until("about y")
    app.until("cells of 10 × 20")


# kitty


def test_kitty_images_are_uploaded_and_placed_over_cells(in_terminal: Any) -> None:
    app = in_terminal(KITTY, "--tab", "images")
    app.until_true(lambda: app.shown.placeholders, "pictures")
    settle(app)
    (one, other), sizes = app.shown.kitty.pictures.values(), set(app.shown.kitty.virtual.values())
    assert {tuple(one[5, 5]), tuple(other[5, 5])} == {(*BLUE, 255)}
    pixels = {(picture.shape[1], picture.shape[0]) for picture in (one, other)}
    assert {(columns * 10, rows * 20) for columns, rows in sizes} == pixels
    virtual = app.shown.kitty.virtual.values()  # of two cards that share an odd width one is a column wider
    assert app.shown.placeholders == sum(columns * rows for columns, rows in virtual)
    assert not app.shown.half_blocks


def test_kitty_receives_only_new_images(in_terminal: Any) -> None:
    app = in_terminal(KITTY, "--tab", "images")
    app.until_true(lambda: app.shown.placeholders, "pictures")
    settle(app)
    assert b"\x1b_G" not in written(app, "right"), "the focus has moved"
    assert b"\x1b_G" not in written(app, "?", until=lambda: "keys of" in app.text), "another screen has come"
    assert b"\x1b_G" not in written(app, "escape", until=lambda: app.shown.placeholders > 0), "and gone"
    other_step = written(app, "[", until=lambda: "a · step 10" in app.text)
    assert other_step.count(b"\x1b_Ga=T") == 1, "a picture has another step"
    assert b"\x1b_G" not in written(app, "]", until=lambda: "a · step 10" not in app.text), "and is back"
    assert settle(app) == b""


@pytest.mark.parametrize("end", ["q", signal.SIGTERM, signal.SIGHUP])
def test_kitty_images_are_deleted_on_exit(in_terminal: Any, end: Any) -> None:
    app = in_terminal(KITTY, "--tab", "images")
    app.until_true(lambda: app.shown.placeholders, "pictures")
    assert app.shown.kitty.pictures
    app.signal(end) if isinstance(end, signal.Signals) else app.send(end)
    app.wait()
    assert not app.shown.kitty.pictures


def test_kitty_images_are_sent_again_after_a_suspend(in_terminal: Any) -> None:
    app = in_terminal(KITTY, "--tab", "images", job=True)
    app.until_true(lambda: app.shown.placeholders, "pictures")
    settle(app)
    app.send("\x1a")
    app.until_true(lambda: not app.shown.kitty.pictures, "end of the pictures")
    os.waitid(os.P_PID, app.process.pid, os.WSTOPPED)
    app.signal(signal.SIGCONT)
    app.until_true(lambda: len(app.shown.kitty.pictures) == 2, "both pictures")
    settle(app)
    assert app.shown.placeholders


def test_kitty_images_above_text_are_deleted_with_it(in_terminal: Any) -> None:
    app = in_terminal(WITHOUT_PLACEHOLDERS, "--tab", "images", "--images", "kitty")
    app.until_true(lambda: len(app.shown.kitty.placed) == 2, "both pictures")
    before = sorted(app.shown.kitty.placed.values())
    app.send("?")
    app.until_true(lambda: "keys of" in app.text and not app.shown.kitty.placed, "help without pictures")
    app.send("escape")
    app.until_true(lambda: len(app.shown.kitty.placed) == 2, "both pictures")
    assert sorted(app.shown.kitty.placed.values()) == before
    app.send("enter")
    app.until_true(lambda: len(app.shown.kitty.placed) == 1, "the opened picture")
    app.send("1")
    app.until_true(lambda: not app.shown.kitty.placed, "another tab without pictures")
    assert not app.shown.placeholders


# Sixels


def test_sixels_are_drawn_at_the_cards_and_erased_with_them(in_terminal: Any) -> None:
    app = in_terminal(XTERM, "--tab", "images")
    app.until_true(lambda: len(app.shown.sixels) == 2, "both pictures")
    (top, left, colour), (_, right, other) = app.shown.sixels
    assert colour == other == BLUE
    cards = app.text.splitlines()
    assert cards[top - 1][left] in "─ " or "x" in cards[top - 1]
    assert cards[top][left - 1] != "█"
    assert not app.shown.half_blocks
    settle(app)
    assert settle(app) == b"", "nothing is written when nothing has changed"
    app.send("[")
    app.until_true(lambda: sorted(each[2] for each in app.shown.sixels) == [BLUE, GREEN], "another step of one")
    settle(app)
    assert b"\x1bP" not in written(app, "right"), "the focus is beside them"
    app.send("enter")
    app.until_true(lambda: [each[2] for each in app.shown.sixels] == [BLUE], "one picture")
    assert app.shown.sixels[0][:2] != (top, right)
    app.send("escape")
    app.until_true(lambda: len(app.shown.sixels) == 2, "both pictures")
    app.send("1")
    app.until("loss")
    app.until_true(lambda: not app.shown.sixels, "another tab without pictures")


@pytest.mark.parametrize("overlay", ["?", "o", "i", "\x10"])
def test_sixels_return_after_an_overlay_closes(in_terminal: Any, overlay: str) -> None:
    app = in_terminal(XTERM, "--tab", "images")
    app.until_true(lambda: len(app.shown.sixels) == 2, "both pictures")
    settle(app)
    before = app.shown.sixels
    app.send(overlay)
    app.until_true(lambda: len(app.shown.sixels) < 2, "a picture covered")
    settle(app)
    assert len(app.shown.sixels) < 2
    app.send("escape")
    app.until_true(lambda: app.shown.sixels == before, "both pictures")


def test_sixels_do_not_cover_a_notification(in_terminal: Any) -> None:
    app = in_terminal(XTERM, "--tab", "images")
    app.until_true(lambda: len(app.shown.sixels) == 2, "both pictures")
    settle(app)
    app.send("w")
    app.until("write x")
    app.send("made.png", "enter")
    app.until("written")
    app.send("[", "]")
    settle(app)
    assert "written" in app.text
    app.until_true(
        lambda: "written" not in app.text and len(app.shown.sixels) == 2, "both pictures, and no message", 15
    )


def sizes(app: PixelTerminal) -> list[tuple[int, ...]]:
    """Return the width and height in pixels of each sixel image."""
    return [pixels.shape[1::-1] for pixels in app.shown.cells.sixels.values()]


def fill_cells_of(app: PixelTerminal, width: int, height: int) -> bool:
    """Return True if both pictures fill cells of a size, and nothing more is written."""
    shown = sizes(app)
    fit = [across % width == down % height == 0 for across, down in shown]
    return fit == [True, True] and settle(app) == b"" and sizes(app) == shown


def test_sixels_follow_the_terminal_and_font_size(in_terminal: Any) -> None:
    app = in_terminal(XTERM, "--tab", "images")
    app.until_true(lambda: len(app.shown.sixels) == 2, "both pictures")
    app.resize(80, 30)
    app.until_true(lambda: fill_cells_of(app, 10, 20), "both pictures")
    app.resize(90, 30, (12, 24))
    app.until_true(lambda: fill_cells_of(app, 12, 24), "both pictures of the new font")


def test_cell_size_falls_back_to_the_system(in_terminal: Any) -> None:
    answers = {question: reply for question, reply in XTERM.items() if question != CELL_QUERY}
    app = in_terminal(answers, "--tab", "images", "--images", "half")
    app.resize(100, 30, (7, 13))
    app.until_true(lambda: "0000ff" in app.shown.half_blocks, "half blocks")
    app.send("m")
    app.until("images off")
    app.send("m")
    app.until("sixels")
    app.send("i")
    app.until("cells of 7 × 13 pixels")


@pytest.mark.parametrize("answers", [XTERM, KITTY])
def test_animation_plays_in_pixels_until_stopped(in_terminal: Any, logs: Path, answers: Any) -> None:
    ImageLogs(logs).add("a", {"gif": {0: gif([RED, GREEN, BLUE], duration=60)}}, file="events.out.tfevents.3.host")
    app = in_terminal(answers, "--tab", "images", "--tags", "gif")
    app.until("3 frames")
    app.send("enter")
    app.until("frame 1 of 3")
    app.send("P")
    seen: set[tuple[int, ...]] = set()

    def all_seen() -> bool:
        shown = app.shown
        seen.update(each[2] for each in shown.sixels)
        seen.update(tuple(pixels[5, 5, :3].tolist()) for pixels in shown.kitty.pictures.values())
        return len(seen) == 3

    app.until_true(all_seen, "all three frames")
    app.send("P")
    settle(app)
    assert settle(app) == b""


# tmux


@pytest.fixture
def in_tmux(in_terminal: Any, tmp_path: Path) -> Any:
    """Return a function that starts tbtui inside a tmux with the given replies."""

    def begin(facts: str, answers: Mapping[str, str], *words: str) -> PixelTerminal:
        tmux = tmp_path / "bin" / "tmux"
        tmux.parent.mkdir()
        tmux.write_text(f"#!/bin/sh\nprintf '%s\\n' '{facts}'\n")
        tmux.chmod(0o755)
        path = f"{tmux.parent}{os.pathsep}{os.environ['PATH']}"
        return in_terminal(answers, "--tab", "images", *words, TMUX="/tmp/tmux-0/default,1,0", PATH=path)

    return begin


def test_tmux_passes_images_through_to_kitty(in_tmux: Any) -> None:
    app = in_tmux("1|256,RGB,title|kitty(0.41.1)|10|20", TMUX)
    app.until_true(lambda: app.shown.placeholders, "pictures")
    settle(app)
    assert len(app.shown.kitty.pictures) == 2
    assert TMUX_QUERIES.encode() in app.raw
    assert not queried(app), "the terminal around tmux is asked nothing"
    assert app.raw.count(b"\x1b_G") == app.raw.count(b"\x1bPtmux;\x1b\x1b_G")


def test_tmux_with_sixels_shows_only_opened_images(in_tmux: Any) -> None:
    app = in_tmux("0|256,RGB,sixel|foot(1.16.2)|10|20", TMUX)
    app.until_true(lambda: "0000ff" in app.shown.half_blocks, "half blocks")
    app.send("enter")
    app.until_true(
        lambda: [each[2] for each in app.shown.sixels] == [BLUE] and not app.shown.half_blocks, "the picture in pixels"
    )
    app.send("i")
    app.until("drawn as sixels, small ones as half blocks: tmux keeps few images: tmux draws sixels")


def test_tmux_with_half_blocks_suggests_a_setting(in_tmux: Any) -> None:
    app = in_tmux("0|256,RGB,title|kitty(0.41.1)|10|20", TMUX)
    app.until_true(lambda: "0000ff" in app.shown.half_blocks, "half blocks")
    app.send("i")
    app.until("drawn as half blocks: tmux blocks images; `set -g allow-passthrough on` allows them")


# At run time


def test_image_protocol_key_changes_the_protocol(in_terminal: Any) -> None:
    app = in_terminal(XTERM, "--tab", "images")
    app.until_true(lambda: len(app.shown.sixels) == 2, "both pictures")
    app.send("m")
    app.until("half blocks: this terminal does not")
    app.until_true(lambda: "0000ff" in app.shown.half_blocks and not app.shown.sixels, "half blocks")
    app.send("m")
    app.until_true(lambda: len(app.shown.sixels) == 2 and not app.shown.half_blocks, "both pictures")
    app.send("m")
    app.until_true(lambda: "0000ff" in app.shown.half_blocks and not app.shown.sixels, "half blocks")
    app.send("m")
    app.until("images off")
    app.until("8 × 8 pixels")
    app.until("PNG, RGB of 8 bits")
    app.until_true(lambda: not app.shown.sixels and not app.shown.half_blocks, "no pictures")
    app.send("m")
    app.until_true(lambda: len(app.shown.sixels) == 2, "both pictures")
    assert app.raw.count(QUERIES.encode()) == 1


def test_text_only_terminal_shows_half_blocks(in_terminal: Any) -> None:
    app = in_terminal(ALACRITTY, "--tab", "images")
    app.until_true(lambda: "0000ff" in app.shown.half_blocks, "half blocks")
    app.send("i")
    app.until("drawn as half blocks: this terminal shows text only, cells of 12 × 26 pixels")
