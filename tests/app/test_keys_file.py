"""The file that changes keys, and what is told about keys once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from textual.binding import Binding

from tbtui.app.keys_file import (
    FIRST_KEYS,
    MOVED_KEYS,
    is_key,
    known_bindings,
    once,
    parse_keys,
    read_keys_file,
    template,
    write_template,
)
from tests.helpers.screen_text import screen_text, until
from tests.helpers.scripted_dashboard import FakeLoader, dashboard
from tests.helpers.snapshots import plain_store

if TYPE_CHECKING:
    from pathlib import Path

KNOWN = {
    "Grid": {
        "grid.open": Binding("enter", "open", id="grid.open"),
        "grid.mark": Binding("space", "mark", id="grid.mark"),
        "grid.less": Binding("less_than_sign", "less", id="grid.less"),
    },
    "App": {"app.x": Binding("x", "x", id="app.x")},
}


def test_keys_file_changes_keys_and_ignores_comments() -> None:
    found = parse_keys("# mine\n\ngrid.open = o ctrl+o  # open\napp.x = f2\n", KNOWN)
    assert found.keymap == {"grid.open": "o,ctrl+o", "app.x": "f2"}
    assert found.complaints == ()


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("grid.open", "line 1: expected “action = key”"),
        ("grid.open =", "line 1: expected “action = key”"),
        ("grid.opne = o", "line 1: unknown action grid.opne; did you mean grid.open?"),
        ("zzz = o", "line 1: unknown action zzz"),
        ("grid.open = hyper+o", "line 1: hyper+o is no key; write o, ctrl+o, f2, space, comma"),
    ],
)
def test_keys_file_reports_a_line_that_it_cannot_use(line: str, complaint: str) -> None:
    assert parse_keys(line, KNOWN).complaints == (complaint,)
    assert not parse_keys(line, KNOWN).keymap


@pytest.mark.parametrize("key", ["space", "<", "less_than_sign"])
def test_keys_file_names_conflicts_within_one_part(key: str) -> None:
    found = parse_keys(f"grid.open = {key}", KNOWN)
    other = "grid.mark" if key == "space" else "grid.less"
    name = "space" if key == "space" else "less_than_sign"
    assert found.complaints == (f"{name} is the key of grid.open and of {other}; grid.open has it",)


def test_keys_file_exchange_of_two_keys_is_no_conflict() -> None:
    assert parse_keys("grid.open = space\ngrid.mark = enter", KNOWN).complaints == ()


@pytest.mark.parametrize(("text", "known"), [("o", True), ("ctrl+o", True), ("f5", True), ("oo", False), ("", False)])
def test_is_key_knows_names_and_characters(text: str, known: bool) -> None:
    assert is_key(text) == known


def test_template_lists_every_action_as_a_comment(tmp_path: Path) -> None:
    text = template(known_bindings())
    assert "# grid.open = enter" in text
    assert "# profile.find = slash" in text
    assert parse_keys(text, known_bindings()).keymap == {}
    path = tmp_path / "state" / "keys.conf"
    assert "change them there" in write_template(path)
    assert path.read_text("utf-8") == text
    assert write_template(path) == f"your keys are in {path}"
    assert read_keys_file(path).complaints == ()


def test_unreadable_keys_file_is_reported(tmp_path: Path) -> None:
    (tmp_path / "keys.conf").write_bytes(b"\xff\xfe")
    assert "cannot be read" in read_keys_file(tmp_path / "keys.conf").complaints[0]
    assert not read_keys_file(tmp_path / "none").complaints


def test_keys_are_told_once(tmp_path: Path) -> None:
    assert once(tmp_path / "new") == FIRST_KEYS
    assert once(tmp_path / "new") == ""
    (tmp_path / "old" / "choices").mkdir(parents=True)
    assert once(tmp_path / "old") == MOVED_KEYS
    assert once(tmp_path / "old") == ""
    (tmp_path / "file").write_text("")
    assert once(tmp_path / "file" / "below") == ""


async def test_changed_key_works_and_help_shows_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "keys.conf"
    path.write_text("app.x_axis = f2\napp.zzzzqqqq = o\n", "utf-8")
    monkeypatch.setattr("tbtui.app.keys_file.keys_path", lambda: path)
    app = dashboard(FakeLoader(plain_store(["adam"])))
    app.reads_keys = True
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        assert [told.message for told in app._notifications][:1] == ["line 2: unknown action app.zzzzqqqq"]
        await pilot.press("x")
        assert app.settings.x_axis == "step"
        await pilot.press("f2")
        assert app.settings.x_axis == "relative"
        await pilot.press("question_mark")
        await until(pilot, lambda: "keys.conf" in screen_text(app))
        assert "f2" in screen_text(app)
