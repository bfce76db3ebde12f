"""The file that changes keys, and what is told about keys once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from textual.binding import Binding

from tbtui.app.key_meanings import MEANINGS
from tbtui.app.key_notices import MOVED_FROM, MOVED_KEYS, Introduction, introduce_keys
from tbtui.app.keys_file import (
    describe_hidden_key,
    find_hidden_keys,
    format_template,
    is_key,
    list_bindings,
    list_focus_paths,
    parse_keys,
    read_keys_file,
    write_template,
)
from tbtui.plugins.registry import list_tabs
from tests.helpers.screen_text import screen_lines, screen_text, until
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


def test_keys_of_the_product_hide_nothing_without_a_change() -> None:
    assert find_hidden_keys({}, list_focus_paths()) == []


@pytest.mark.parametrize(
    ("keymap", "sentences"),
    [
        ({"app.x_axis": "f9"}, []),
        ({"grid.open": "x"}, ["x is the key of app.x_axis and of grid.open; grid.open has it where both work"]),
        ({"grid.open": "x", "app.x_axis": "f9"}, []),
        (
            {"graphs.find": "b"},
            ["b is the key of board.sidebar and of graphs.find; graphs.find has it where both work"],
        ),
    ],
)
def test_changed_key_that_hides_a_key_of_another_part_is_named(keymap: dict[str, str], sentences: list[str]) -> None:
    assert [*map(describe_hidden_key, find_hidden_keys(keymap, list_focus_paths()))] == sentences


def test_key_of_the_app_that_many_tabs_have_is_named_once() -> None:
    (sentence,) = map(describe_hidden_key, find_hidden_keys({"app.x_axis": "o"}, list_focus_paths()))
    assert sentence.startswith("o is the key of app.x_axis, and where they work of ")
    assert "more" in sentence


@pytest.mark.parametrize(("text", "known"), [("o", True), ("ctrl+o", True), ("f5", True), ("oo", False), ("", False)])
def test_is_key_knows_names_and_characters(text: str, known: bool) -> None:
    assert is_key(text) == known


def test_template_lists_every_action_as_a_comment(tmp_path: Path) -> None:
    text = format_template(list_bindings())
    assert "# grid.open = enter" in text
    assert "# profile.find = slash" in text
    assert parse_keys(text, list_bindings()).keymap == {}
    path = tmp_path / "state" / "keys.conf"
    assert "change them there" in write_template(path)
    assert path.read_text("utf-8") == text
    assert write_template(path) == f"your keys are in {path}"
    assert read_keys_file(path).complaints == ()


def test_unreadable_keys_file_is_reported(tmp_path: Path) -> None:
    (tmp_path / "keys.conf").write_bytes(b"\xff\xfe")
    assert "cannot be read" in read_keys_file(tmp_path / "keys.conf").complaints[0]
    assert not read_keys_file(tmp_path / "none").complaints


def test_new_user_is_introduced_to_keys_once(tmp_path: Path) -> None:
    assert introduce_keys(tmp_path / "new", {}) == Introduction(is_first=True)
    assert introduce_keys(tmp_path / "new", {}) == Introduction()
    (tmp_path / "file").write_text("")
    assert introduce_keys(tmp_path / "file" / "below", {}) == Introduction()
    (tmp_path / "former").mkdir()
    (tmp_path / "former" / "keys_told").write_text("1\n")
    assert introduce_keys(tmp_path / "former", {}) == Introduction()


@pytest.mark.parametrize(
    ("width", "keys"),
    [
        (120, "? all keys  / filter tags  tab runs and tags  q quit"),
        (80, "? all keys  / filter tags  tab runs and tags  q quit"),
        (45, "? all keys  / filter tags  q quit"),
    ],
)
async def test_first_start_shows_keys_in_the_footer_and_covers_nothing(width: int, keys: str, tmp_path: Path) -> None:
    app = dashboard(FakeLoader(plain_store(["adam"])))
    app.keys_path = tmp_path / "keys.conf"
    async with app.run_test(size=(width, 24)) as pilot:
        await pilot.pause()
        assert not list(app._notifications)
        assert screen_lines(app)[-1].strip() == keys
        await pilot.click(offset=(4, 23))
        await pilot.pause()
        assert "keys of Scalars" in screen_text(app)
        await pilot.press("escape")
        await pilot.pause()
        assert screen_lines(app)[-1].strip().endswith("? help")


async def test_first_start_shows_the_keys_of_a_place_once_it_is_entered(tmp_path: Path) -> None:
    app = dashboard(FakeLoader(plain_store(["adam"])))
    app.keys_path = tmp_path / "keys.conf"
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("x")
        await pilot.pause()
        assert "all keys" in screen_lines(app)[-1]
        await pilot.press("tab")
        await pilot.pause()
        assert "space on/off" in screen_lines(app)[-1]
        assert "all keys" not in screen_lines(app)[-1]


async def test_dialog_ends_notices_but_no_warnings() -> None:
    app = dashboard(FakeLoader(plain_store(["adam"])))
    async with app.run_test(size=(80, 24)) as pilot:
        app.notify("copied")
        app.notify("cannot be saved", severity="warning")
        await pilot.press("question_mark")
        await pilot.pause()
        assert [told.message for told in app._notifications] == ["cannot be saved"]


def test_user_of_older_keys_is_told_each_of_them_once(tmp_path: Path) -> None:
    (tmp_path / "choices").mkdir()
    first = introduce_keys(tmp_path, {"graphs.find": "f3"})
    moved = first.moved
    assert (first.is_first, first.notice) == (False, MOVED_KEYS)
    assert moved is not None
    assert moved.announce("graphs", "f") == "find: f3 now (f: fit)"
    assert moved.announce("graphs", "f") == ""
    assert moved.announce("text", "f") == "find: / now (f: fit)"
    assert moved.announce("text", "j") == ""
    moved.save()
    second = introduce_keys(tmp_path, {})
    again = second.moved
    assert not second.notice
    assert again is not None
    assert again.announce("graphs", "f") == ""
    assert again.announce("projector", "comma") == "all points: a now (,: cursor or step: left, right)"


def test_moved_keys_lead_to_bindings_that_exist() -> None:
    known = {name: binding for table in list_bindings().values() for name, binding in table.items()}
    for tab, moved in MOVED_FROM.items():
        assert tab in {plugin.name for plugin in list_tabs()}
        for old, (_, name, key) in moved.items():
            assert MEANINGS[key].keys
            assert not name or key in known[name].key.split(","), name
            assert old != key


async def test_introduction_gives_way_to_a_dialog_and_old_key_tells(tmp_path: Path) -> None:
    (tmp_path / "choices").mkdir()
    app = dashboard(FakeLoader(plain_store(["adam"])))
    app.keys_path = tmp_path / "keys.conf"
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        assert [told.message for told in app._notifications] == [MOVED_KEYS]
        await pilot.press("question_mark")
        await pilot.pause()
        assert not list(app._notifications)
        await pilot.press("y")  # into the help
        assert not list(app._notifications)
        await pilot.press("escape")
        await pilot.pause()
        await pilot.press("y", "y")
        await pilot.pause()
        assert [told.message for told in app._notifications] == ["y scale: Y now (y: copy)"]
    assert "scalars y" in (tmp_path / "keys_told").read_text()


async def test_introduction_gives_way_to_the_status_that_a_key_changed(tmp_path: Path) -> None:
    app = dashboard(FakeLoader(plain_store(["adam"])))
    app.keys_path = tmp_path / "new" / "keys.conf"
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        assert "all keys" in screen_lines(app)[-1]
        await pilot.press("plus")
        await pilot.pause()
        assert "smooth 0.65" in screen_lines(app)[-1]


async def test_palette_shows_the_keys_of_the_user(tmp_path: Path) -> None:
    path = tmp_path / "keys.conf"
    path.write_text("app.x_axis = f2\napp.tab_1 = f5\n", "utf-8")
    app = dashboard(FakeLoader(plain_store(["adam"])))
    app.keys_path = path
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        keys = {label: group.make(label).key for group in app.list_palette_entries() for label in group.labels}
        assert keys["X axis"] == "f2"
        assert next(key for label, key in keys.items() if label.startswith("Open ")) == "f5"


async def test_changed_key_works_and_help_shows_it(tmp_path: Path) -> None:
    path = tmp_path / "keys.conf"
    path.write_text("app.x_axis = f2\napp.zzzzqqqq = o\n", "utf-8")
    app = dashboard(FakeLoader(plain_store(["adam"])))
    app.keys_path = path
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
