"""Help, command palette, damage list, themes and toasts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from textual.containers import VerticalScroll

from tbtui.app.damage_screen import DamageScreen, build_damage_rows, format_no_damage, format_verification
from tbtui.app.help_screen import arrange_help
from tbtui.app.keymap import KeyGroup, KeyLine, format_keys, group_keys, iterate_bindings, merge_descriptions
from tbtui.app.palette import Entry, EntryGroup, Palette, search_entries
from tbtui.app.themes import ANSI_DARK, ANSI_LIGHT, DARK, NAMES, choose_default_theme, choose_initial_theme
from tbtui.charts.styled_text import pieces_width
from tbtui.loading.loader import Loader
from tbtui.loading.sources import parse_sources
from tbtui.loading.state import FileProblem, LoadState
from tbtui.settings.settings import Settings
from tbtui.store.snapshot import EventFile, Problem, RunSnapshot
from tbtui.widgets.row_list import RowList
from tests.helpers.screen_text import screen_lines, screen_text, until
from tests.helpers.scripted_dashboard import FakeLoader, WordsPane, damage, dashboard
from tests.helpers.snapshots import plain_store, references, run, store
from tests.screens.logs_of_all import write_bad_sessions

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from textual.pilot import Pilot

    from tbtui.app.app import Dashboard


def made(**given: object) -> Dashboard:
    return dashboard(FakeLoader(plain_store(["adam", "sgd"])), **given)


async def press(pilot: Pilot[int], *keys: str) -> None:
    await pilot.press(*keys)
    await pilot.pause()


FRAMES = str.maketrans("│╭╮╰╯─", " " * 6)


def words(app: Dashboard) -> str:
    return " ".join(screen_text(app).translate(FRAMES).split())


async def test_help_lists_the_keys_of_the_focused_part_on_one_page() -> None:
    app = made(settings=Settings(x_axis="wall", smoothing=0.85))
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "tab")
        await press(pilot, "question_mark")
        assert app.screen.query_one(VerticalScroll).max_scroll_y == 0
        seen = words(app)
        for told in (
            "keys of Runs",
            "x axis: wall",
            "smooth more, less: 0.85",
            "y scale: linear",
            ": ^p find a command",
            "space ⏎ on/off",
            "←→↑↓ hjkl move",
            "esc close",
        ):
            assert told in seen
        assert "go to chart" not in seen
        assert "…" not in seen
        await press(pilot, "question_mark")
        assert "draws adam sgd" in words(app)


async def test_help_search_finds_keys_of_other_places() -> None:
    app = made()
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "question_mark")
        assert "go to chart" not in words(app)
        await press(pilot, "slash", *"chart")
        assert "go to chart" in words(app)
        await press(pilot, "ctrl+u", *"nothing like it")
        assert "no key does that" in words(app)
        await press(pilot, "escape")
        assert "find a command" in words(app)
        await press(pilot, "escape")
        assert "keys of" not in words(app)


async def test_help_leaves_disabled_keys_out() -> None:
    app = made()
    async with app.run_test(size=(60, 40)) as pilot:  # the sidebar beside the charts has no room
        await press(pilot, "question_mark")
        assert "sidebar narrower" not in words(app)
        assert "q close what is open, then quit" in words(app)


async def test_search_of_help_reaches_every_binding_of_the_dashboard() -> None:
    app = made()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        owners = app._main_screen.key_owners
        told = {sign for group in group_keys(owners, {}) for line in group.lines for sign in line.keys.split(" ")}
        for owner in owners:
            for binding in (
                b for c in type(owner).__mro__ if c.__module__.startswith("tbtui.") for b in iterate_bindings(c)
            ):
                if "open_tab" not in binding.action:
                    assert set(format_keys(binding)) <= told, binding


async def test_bindings_of_one_class_have_distinct_keys() -> None:
    app = made()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        for place in (app, app._main_screen, *app._main_screen.query("RunList, TagList")):
            for owner_class in type(place).__mro__:
                keys = [key for binding in iterate_bindings(owner_class) for key in binding.key.split(",")]
                assert len(keys) == len(set(keys)), owner_class


@pytest.mark.parametrize(
    ("says", "told"),
    [
        (["smooth more", "smooth less"], "smooth more, less"),
        (["up", "down"], "up, down"),
        (["open a tab"] * 3, "open a tab"),
        (["fold group", "fold group", "unfold group"], "fold group, unfold group"),
        (["", "one way"], "one way"),
        ([""], ""),
    ],
)
def test_merge_descriptions_drops_repeated_words(says: list[str], told: str) -> None:
    assert merge_descriptions(says) == told


def groups_of(*sizes: int, words: str = "does") -> list[KeyGroup]:
    return [
        KeyGroup(f"Group {n}", tuple(KeyLine(f"k{n}{i}", words) for i in range(size))) for n, size in enumerate(sizes)
    ]


def page_of(groups: Sequence[KeyGroup], width: int, height: int) -> list[str]:
    return ["".join(text for text, _ in line).rstrip() for line in arrange_help(groups, width, height)]


def test_help_takes_no_more_columns_than_the_height_needs() -> None:
    assert len(page_of(groups_of(4, 4, 4, 4), 80, 24)) == 20
    two = page_of(groups_of(4, 4, 4, 4), 80, 12)
    assert len(two) == 10
    assert two[0].split() == ["Group", "0", "Group", "2"]
    assert len(page_of(groups_of(4, 4, 4, 4), 40, 12)) == 20


def test_help_uses_three_columns_if_two_are_too_high() -> None:
    assert len(page_of(groups_of(5, 5, 5, 5, 5, 5, words="so " * 7), 110, 14)) == 12


def test_help_breaks_a_group_rather_than_scroll() -> None:
    page = page_of(groups_of(3, 12, 3), 80, 11)
    assert len(page) <= 11
    assert sum(line.count("Group 1") for line in page) == 2  # its heading stands above both parts
    assert "Group 1" in page[0]
    assert all(f"k1{n}" in "\n".join(page) for n in range(12))


def test_help_sets_keys_side_by_side_where_nothing_else_fits() -> None:
    page = page_of(groups_of(30, 30), 80, 20)
    assert len(page) <= 20
    assert all(f"k{group}{n}" in "\n".join(page) for group in range(2) for n in range(30))


async def test_palette_begins_with_the_commands_of_the_place() -> None:
    app = made()
    async with app.run_test(size=(80, 90)) as pilot:
        await press(pilot, "tab", "ctrl+p")
        assert isinstance(app.screen, Palette)
        labels = [row.label for row in app.screen.query_one(RowList).rows]
        assert labels[0] == "On/off"
        assert labels.index("Solo: show only this run") < labels.index("Use as baseline") < labels.index("Open Scalars")
        assert {"Quit", "Theme tbtui-light", "adam", "sgd"} & set(labels) == {"Theme tbtui-light", "adam", "sgd"}
        assert labels[-1] == "sgd"


async def test_palette_runs_the_command_that_was_typed() -> None:
    app = made()
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "colon", *"y scale")
        assert "Y scale" in words(app)
        await press(pilot, "enter")
        await until(pilot, lambda: app.settings.y_scale == "log")
        assert not isinstance(app.screen, Palette)


async def test_palette_goes_to_a_run_by_part_of_its_name() -> None:
    app = dashboard(FakeLoader(plain_store(["sweep/adam", "sweep/sgd"])))
    async with app.run_test(size=(120, 24)) as pilot:
        await press(pilot, "b", "colon", *"sgd", "enter")
        await until(pilot, lambda: app._main_screen._sidebar.runs.current_run == "sweep/sgd")


async def test_palette_goes_to_a_tag_of_another_tab() -> None:
    both = run("adam", {"loss": (1.0,)}, others=[references("adam", "img", "images")])
    app = dashboard(FakeLoader(store(both)))
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "colon", *"img", "enter")
        await until(pilot, lambda: app.settings.tab == "images" and app._main_screen.pane is not None)
        await press(pilot, "colon", *"nowhere at all")
        assert "no match" in words(app)
        await press(pilot, "enter", "escape")
        assert not isinstance(app.screen, Palette)


def test_matching_entries_begin_with_what_starts_with_the_query() -> None:
    names = ["val/loss", "closs", "loss", "loss/train"]
    every = [EntryGroup("Scalars", lambda: names, lambda name: Entry(name, lambda: None))]
    assert [label for _, label in search_entries(every, "loss")] == ["loss", "loss/train", "val/loss", "closs"]
    assert [label for _, label in search_entries(every, "val sca")] == ["val/loss"]


async def test_palette_with_ten_thousand_tags_makes_the_entries_in_sight() -> None:
    made: list[str] = []

    def make(name: str) -> Entry:
        made.append(name)
        return Entry(name, lambda: None)

    names = [f"layer{number}/loss" for number in range(10_000)]
    app = dashboard(FakeLoader(plain_store(["adam"])))
    async with app.run_test(size=(120, 40)) as pilot:
        await app.push_screen(Palette([EntryGroup("Scalars", lambda: names, make)]))
        await pilot.press(*"9999/")
        assert "layer9999/loss" in screen_text(app)
        await pilot.press("enter")
    assert 20 < len(made) < 500


async def test_palette_theme_recolours_the_lists() -> None:
    app = made()
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "tab")
        before = [segment.style for segment in app.focused.render_line(0)]
        for name in NAMES:
            app.theme = name
            await pilot.pause()
            assert "draws adam sgd" in words(app)
        assert [segment.style for segment in app.focused.render_line(0)] != before


@pytest.mark.parametrize(
    ("no_color", "system", "theme"),
    [
        (False, "truecolor", DARK),
        (False, "256", DARK),
        (False, "standard", ANSI_DARK),
        (True, "truecolor", ANSI_DARK),
        (False, None, DARK),
    ],
)
def test_default_theme_depends_on_the_terminal(no_color: bool, system: str | None, theme: str) -> None:
    assert choose_default_theme(no_color, system) == theme


@pytest.mark.parametrize(
    ("asked", "kept", "default", "theme"),
    [
        (None, None, DARK, DARK),
        (None, "nord", DARK, "nord"),
        ("loud", "nord", DARK, "loud"),  # refused where it is set
        (None, "gone", DARK, DARK),
        (None, "nord", ANSI_DARK, ANSI_DARK),  # this terminal has no such colours
        (None, ANSI_LIGHT, ANSI_DARK, ANSI_LIGHT),
    ],
)
def test_initial_theme_uses_the_saved_theme_if_usable(
    asked: str | None, kept: str | None, default: str, theme: str
) -> None:
    assert choose_initial_theme(asked, kept, {*NAMES, "nord"}, default) == theme


async def test_no_color_keeps_the_colours_of_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = made(theme=None)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        styles = [segment.style for line in app.screen._compositor.render_strips() for segment in line if segment.style]
    assert all(colour is None or colour.is_default for style in styles for colour in (style.color, style.bgcolor))


async def test_damage_screen_lists_each_place_and_updates() -> None:
    fake = FakeLoader(plain_store(["adam"]), problems=damage("/logs/adam/events.1"))
    app = dashboard(fake)
    async with app.run_test(size=(100, 24)) as pilot:
        await pilot.pause()
        await pilot.click("#status", offset=(96, 0))
        await pilot.pause()
        assert isinstance(app.screen, DamageScreen)
        assert "1 damaged file" in words(app)
        assert "✗ run /logs/adam/events.1 corrupt 1 place" in words(app)
        assert "at 1,234 the length of a record is not what was written 567 bytes skipped" in words(app)
        await press(pilot, "down")
        assert screen_lines(app)[-2].strip(" │") == "the length of a record is not what was written"
        fake.publish(problems=damage("/logs/adam/events.0", "/logs/adam/events.1"))
        await until(pilot, lambda: "2 damaged files" in words(app))
        assert "2 damaged files" in words(app)
        assert app.screen.query_one("#damage").cursor_key == "p0:/logs/adam/events.1"
        await press(pilot, "escape")
        assert "⚠ 2 damaged files" in words(app)


def test_damage_rows_unfinished_record_skips_no_bytes() -> None:
    cut = FileProblem("run", "/logs/run/events.1", "truncated", Problem("truncated", 353, 39, "39 bytes so far"))
    assert build_damage_rows([cut])[1].right == ()


async def test_damage_screen_without_damage_says_so() -> None:
    app = made()
    async with app.run_test(size=(60, 20)) as pilot:
        await press(pilot, "exclamation_mark")
        assert "no damage esc close" in words(app)
        assert "2 files read: every complete record matches its checksum" in words(app)
        await press(pilot, "q")
        assert app.screen.query_one(WordsPane)


async def test_damage_screen_reports_no_damage_only_after_comparing_all_files() -> None:
    fake = FakeLoader(plain_store(["adam"]), unverified_bytes=12_500_000)
    app = dashboard(fake)
    async with app.run_test(size=(100, 20)) as pilot:
        await press(pilot, "exclamation_mark")
        assert fake.verifying
        assert "no damage found so far, 12.5 MB left to compare" in words(app)
        assert "matches" not in words(app)
        fake.publish(unverified_bytes=0)
        await until(pilot, lambda: "left to compare" not in words(app))
        assert "no damage esc close" in words(app)
        assert "1 file read: every complete record matches its checksum" in words(app)
        await press(pilot, "escape")
        assert not fake.verifying


def test_undamaged_text_counts_the_files() -> None:
    files = tuple(EventFile(name, 10, 1, None, None, None, "ok") for name in ("a", "b"))
    load = LoadState(store(RunSnapshot("run", 1, files=files)), complete=True, unverified_bytes=0)
    assert format_no_damage(load) == "2 files read: every complete record matches its checksum"


@pytest.mark.parametrize(
    ("state", "text"),
    [
        ({"bytes_read": 1_000, "bytes_total": 4_000}, "3.0 kB left to read"),
        ({"complete": True}, "files not compared yet"),
        ({"complete": True, "unverified_bytes": 700}, "700 B left to compare"),
        ({"complete": True, "unverified_bytes": 0}, ""),
    ],
)
def test_verification_text_tells_what_is_left(state: dict[str, int], text: str) -> None:
    assert format_verification(LoadState(**state)) == text


def test_damage_rows_group_places_by_file() -> None:
    first, second = damage("/a", "/b")
    more = replace(first, problem=Problem("more", 9, 0, "and 3 more"))
    rows = build_damage_rows([first, more, second])
    assert [row.label for row in rows] == [
        "run  /a",
        first.problem.message,
        "and 3 more",
        "run  /b",
        second.problem.message,
    ]
    assert len({row.key for row in rows}) == 5
    assert pieces_width(rows[0].right) == len("corrupt  2 places")


async def test_footer_click_runs_the_action() -> None:
    app = made()
    async with app.run_test(size=(100, 24)) as pilot:
        await pilot.pause()
        column = screen_lines(app)[-1].index("x axis")
        await pilot.click("#keys", offset=(column, 0))
        await pilot.pause()
        assert app.settings.x_axis == "relative"
        await pilot.click("#keys", offset=(1, 0))  # what the pane says is no key
        await pilot.click("#keys", offset=(screen_lines(app)[-1].index("help") + 1, 0))
        await pilot.pause()
        assert "keys of" in screen_text(app)


async def test_help_lists_the_keys_of_the_open_tab_only() -> None:
    both = run("adam", {"loss": (1.0,)}, others=[references("adam", "img", "images")])
    app = dashboard(FakeLoader(store(both)))

    def panes() -> set[str]:
        return {type(node).__name__ for node in app._main_screen.key_owners} & {"WordsPane", "ImagesPane"}

    async with app.run_test(size=(120, 60)) as pilot:
        await until(pilot, lambda: panes() == {"WordsPane"})
        await press(pilot, "2")
        await until(pilot, lambda: panes() == {"ImagesPane"})
        assert panes() == {"ImagesPane"}
        await press(pilot, "1")
        assert panes() == {"WordsPane"}


async def test_notify_replaces_an_equal_toast() -> None:
    app = made()
    async with app.run_test(size=(60, 20), notifications=True) as pilot:
        for message in ("no path to copy", "copied", "no path to copy", "no path to copy"):
            app.notify(message)
            await pilot.pause()
        await until(pilot, lambda: words(app).count("copied") == 1)
        assert words(app).count("no path to copy") == 1
        assert words(app).index("copied") < words(app).index("no path to copy")


async def test_notify_keeps_lines_and_removes_control_characters() -> None:
    app = made()
    async with app.run_test(size=(60, 20)) as pilot:
        app.notify("one\nt\x1bwo")
        await pilot.pause()
        lines = [each.message for each in app._notifications][-1].split("\n")
        assert lines[0] == "one"
        assert "\x1b" not in lines[1]


async def test_damage_screen_names_sessions_that_cannot_be_read(tmp_path: Path) -> None:
    write_bad_sessions(tmp_path)
    loader = Loader(parse_sources([str(tmp_path)]), reload_seconds=0)
    loader.load_all()
    app = dashboard(loader, plugins=None)
    async with app.run_test(size=(100, 30)) as pilot:
        await press(pilot, "exclamation_mark")
        await until(pilot, lambda: "1 unusable value" in words(app))
        assert "⚠ unreadable hyperparameters unusable" in words(app)
        assert "_hparams_/session_start_info: " in words(app)
