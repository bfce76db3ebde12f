"""The keys of the run list: colour, baseline, path and highlight."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import pytest

from tbtui.app.colour_chooser import ColourChooser
from tbtui.app.run_actions import find_run_directory, quote_path
from tbtui.charts.series_colours import PALETTE_SIZE, get_series_marker
from tbtui.plugins.registry import PLUGINS
from tbtui.settings.persistence import SavedState, SettingsFile
from tbtui.settings.settings import Settings
from tbtui.widgets.pane import Choose
from tests.helpers.screen_text import screen_lines, screen_text, until
from tests.helpers.scripted_dashboard import FakeLoader, WordsPane, dashboard
from tests.helpers.snapshots import plain_store, run, store

if TYPE_CHECKING:
    from pathlib import Path

    from textual.pilot import Pilot

    from tbtui.app.app import Dashboard

WIDE = (100, 24)
RUNS = ("adam/seed0", "adam/seed1", "sgd")


def made(**given: object) -> Dashboard:
    return dashboard(FakeLoader(plain_store(RUNS)), **given)


async def press(pilot: Pilot[int], *keys: str) -> None:
    await pilot.press(*keys)
    await pilot.pause()


def words(app: Dashboard) -> str:
    return " ".join(screen_text(app).split())


# Colours


async def test_colour_chooser_sets_colour_and_marker(tmp_path: Path) -> None:
    saved = SettingsFile(tmp_path / "one.json")
    app = made(saved=saved)
    async with app.run_test(size=WIDE) as pilot:
        await press(pilot, "tab", "down", "c")
        assert isinstance(app.screen, ColourChooser)
        assert "colour of adam/seed0" in words(app)
        assert "1 [●] ◆ ■ ▲" in words(app)
        assert "2 ● ◆ ■ ▲ adam/seed1" in words(app)
        await press(pilot, "down", "down", "down", "right", "enter")
        assert app.build_state().view.inks["adam/seed0"] == PALETTE_SIZE + 3
        assert app.screen.query_one(WordsPane).view.inks["adam/seed0"] == PALETTE_SIZE + 3
        assert "◆ seed0" in words(app)
        await press(pilot, "c", "5")
        assert app.screen_stack[0].query_one(WordsPane).view.inks["adam/seed0"] == PALETTE_SIZE + 4
        await press(pilot, "escape")
        assert app.build_state().view.inks["adam/seed0"] == PALETTE_SIZE + 3
    assert saved.load().inks == {"adam/seed0": PALETTE_SIZE + 3, "adam/seed1": 1, "sgd": 2}


async def test_colour_chooser_names_what_differs() -> None:
    names = [f"multirun/0{n}/optimizer=adamw,lr={lr},model=vit_base_patch16,seed={n}" for n, lr in enumerate((1, 2, 3))]
    app = dashboard(FakeLoader(plain_store(names)))
    async with app.run_test(size=WIDE) as pilot:
        await press(pilot, "tab", "down", "c")
        assert isinstance(app.screen, ColourChooser)
        assert "colour of lr=1 seed=0" in words(app)
        assert "2 ● ◆ ■ ▲ lr=2 seed=1" in words(app)


async def test_colour_chooser_names_only_runs_of_the_list() -> None:
    loader = FakeLoader(plain_store((*RUNS, "gone")))
    app = dashboard(loader)
    async with app.run_test(size=WIDE) as pilot:
        await pilot.pause()
        loader.publish(plain_store(RUNS))
        await until(pilot, lambda: "gone" not in screen_text(app))
        await press(pilot, "tab", "down", "c")
        assert "4 ● ◆ ■ ▲" in words(app)
        assert "gone" not in words(app)


async def test_colour_chooser_sets_one_colour_for_a_folder_by_mouse() -> None:
    app = made()
    async with app.run_test(size=WIDE) as pilot:
        await press(pilot, "tab", "c")
        assert "colour of adam/" in words(app)
        line = next(y for y, text in enumerate(screen_lines(app)) if text.split()[:2] == ["3", "●"] or " 3  ●" in text)
        await pilot.click(offset=(screen_lines(app)[line].index("■"), line))
        await pilot.pause()
        assert app.build_state().view.inks == {"adam/seed0": 26, "adam/seed1": 26, "sgd": 2}


async def test_colour_chooser_shows_its_keys_in_a_narrow_terminal() -> None:
    app = made()
    async with app.run_test(size=(40, 12)) as pilot:
        await press(pilot, "b", "down", "c")
        assert isinstance(app.screen, ColourChooser)
        assert "⏎ apply  esc cancel" in screen_lines(app)[1]


@pytest.mark.parametrize("size", [(30, 8), (40, 12), (80, 24)])
async def test_colour_chooser_fits_and_shows_its_cursor(size: tuple[int, int]) -> None:
    app = made(saved_state=SavedState(inks={"sgd": 11}))
    async with app.run_test(size=size) as pilot:
        await press(pilot, *(["b"] if size[0] < 80 else ["tab"]), "G", "c")
        assert "12 [●] ◆ ■ ▲" in words(app)
        assert "colour of sgd" in words(app)
        await press(pilot, "down", "left")
        assert "1 ● ◆ ■ [▲]" in words(app)


# Baseline


async def test_baseline_is_marked_and_removed() -> None:
    app = made()
    async with app.run_test(size=WIDE) as pilot:
        await press(pilot, "tab", "d")
        assert app.settings.baseline is None  # a folder is none
        await press(pilot, "down", "d")
        assert app.settings.baseline == "adam/seed0"
        assert "Δ● seed0 2" in words(app)
        await press(pilot, "question_mark")
        assert "use as baseline: adam/seed0" in words(app)
        await press(pilot, "escape", "down", "d")
        assert app.settings.baseline == "adam/seed1"
        await press(pilot, "d")
        assert app.settings.baseline is None


# Focus


async def test_run_under_the_cursor_is_highlighted_with_the_focus(tmp_path: Path) -> None:
    saved = SettingsFile(tmp_path / "one.json")
    app = made(saved=saved)
    async with app.run_test(size=WIDE) as pilot:
        await press(pilot, "tab")
        assert app.settings.focus is None  # on a folder
        await press(pilot, "down")
        assert app.settings.focus == "adam/seed0"
        assert screen_lines(app)[-1].startswith(" adam/seed0 · step 2 · last write 15m ago")
        await press(pilot, "down", "down", "up", "down")
        assert app.settings.focus == "sgd"
        await press(pilot, "tab")
        assert app.settings.focus is None
        assert screen_lines(app)[-1].startswith(" smooth 0.6")
        assert app._settings_saver.timer is None  # where one looks is not worth keeping


async def test_highlight_of_a_chart_stays() -> None:
    app = made()
    async with app.run_test(size=WIDE) as pilot:
        app.post_message(Choose(focus="adam/seed0"))
        await press(pilot, "tab", "tab")
        assert app.settings.focus == "adam/seed0"
        await press(pilot, "shift+tab", "down", "tab")  # the cursor stands on it, and it was in focus before
        assert app.settings.focus == "adam/seed0"
        await press(pilot, "shift+tab", "down", "tab")
        assert app.settings.focus is None


async def test_footer_drops_the_line_of_a_vanished_run() -> None:
    fake = FakeLoader(plain_store(["a", "b"]))
    app = dashboard(fake)
    async with app.run_test(size=WIDE) as pilot:
        await press(pilot, "tab", "down")
        assert app.settings.focus == "b"
        fake.publish(plain_store(["a"]))
        await until(pilot, lambda: app.settings.focus == "a")
        assert app.settings.focus == "a"
        assert screen_lines(app)[-1].startswith(" a · step 2")


# Path


def copied(app: Dashboard) -> str:
    return app.clipboard


async def test_copy_path_of_a_run_and_of_a_folder() -> None:
    app = made()
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await press(pilot, "tab", "C")
        assert copied(app) == "/logs/adam"
        await press(pilot, "down", "C")
        assert copied(app) == "/logs/adam/seed0"
        assert "copied /logs/adam/seed0" in words(app)


async def test_copy_path_without_files_warns() -> None:
    app = dashboard(FakeLoader(store(run("a\x1b[2J", {"loss": (1,)}))))
    app._loader.state.snapshot.runs["a\x1b[2J"].__dict__["files"] = ()
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await press(pilot, "tab", "C")
        assert copied(app) == ""
        assert "a·[2J has no directory" in words(app)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("/logs/adam_lr=1e-3/run", "/logs/adam_lr=1e-3/run"),
        ("/logs/adam lr=1e-3/ü", "'/logs/adam lr=1e-3/ü'"),
        ("/a b; rm -rf $(x)", "'/a b; rm -rf $(x)'"),
        ("/it's", "'/it'\"'\"'s'"),
        ("/a\nrm -rf ~\n", r"$'/a\x0arm -rf ~\x0a'"),
        ("/a\x1b[201~'\\", r"$'/a\x1b[201~\'\\'"),
        ("/\udcff", r"$'/\xff'"),
        ("/\u202ea", r"$'/\xe2\x80\xaea'"),
    ],
)
def test_quote_path_is_safe_to_paste(path: str, text: str) -> None:
    assert quote_path(path) == text
    assert text.isprintable()
    if "$'" not in text:
        assert shlex.split(text) == [path]


def test_run_directory_of_a_folder_follows_from_its_runs() -> None:
    snapshot = plain_store(["here/a", "here/b/c", "."])
    assert find_run_directory(snapshot, "here/") == "/logs/here"
    assert find_run_directory(snapshot, "here/b/") == "/logs/here/b"
    assert find_run_directory(snapshot, ".") == "/logs"
    assert find_run_directory(snapshot, "gone") is None
    assert find_run_directory(snapshot, "gone/") is None


async def test_palette_lists_the_actions_of_runs() -> None:
    app = made(settings=Settings(tab="scalars"))
    async with app.run_test(size=(80, 60)) as pilot:
        await press(pilot, "ctrl+p")
        await press(pilot, *"baseline")
        assert "Use as baseline" in words(app)
        await press(pilot, "ctrl+u", *"path")
        assert "Copy the path" in words(app)


async def test_palette_names_each_direction_and_gives_a_key_once() -> None:
    app = dashboard(FakeLoader(store(run("a", {"loss": [1.0, 2.0]}))), plugins=PLUGINS)
    async with app.run_test(size=(80, 60)) as pilot:
        await until(pilot, lambda: "loss" in words(app))
        commands = [
            group.make(label) for group in app.list_palette_entries() for label in group.labels if not group.note
        ]
        assert {"Previous run", "Next run"} <= {each.label for each in commands}
        keys = [each.key for each in commands if each.key]
        assert sorted(set(keys)) == sorted(keys)


# Page of a run


async def test_i_opens_the_page_of_the_run_under_the_cursor() -> None:
    app = made()
    async with app.run_test(size=WIDE) as pilot:
        await press(pilot, "tab", "down", "down", "i")
        await until(pilot, lambda: "last step" in words(app))
        assert "about adam/seed1 esc close" in words(app)
        assert "WordsPane" in words(app), "the dashboard stays in sight"
        await press(pilot, "escape")
        assert app.query_one(WordsPane).view is not None


@pytest.mark.parametrize("key", ["i", "d"])
async def test_keys_of_one_run_explain_themselves_on_a_folder(key: str) -> None:
    app = made()
    async with app.run_test(size=WIDE) as pilot:
        await press(pilot, "tab", key)
        assert "about" not in words(app).split()[:1]
        assert [each.message for each in app._notifications] == ["adam/ is a folder of 2 runs: select one of them"]
        assert app.settings.baseline is None


async def test_runs_beyond_the_colours_of_a_light_terminal_get_other_markers() -> None:
    app = dashboard(FakeLoader(plain_store(tuple(f"run{number:02}" for number in range(12)))), theme="ansi-light")
    async with app.run_test(size=(100, 50)) as pilot:
        await press(pilot, "tab")
        assert "● run08 " in words(app)
        assert "◆ run09 " in words(app)
        await press(pilot, "G", "c")
        assert "3 ● [◆] ■ ▲" in words(app)
        assert "10 ●" not in words(app), "the palette has nine colours"
        await press(pilot, "down", "enter")
        assert get_series_marker(app.build_state().view.inks["run11"]) == "◆"
        app.theme = "ansi-dark"
        await pilot.pause()
        assert "● run09 " in words(app)
