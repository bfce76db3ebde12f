"""The Text tab, driven by keys over real event files."""

from __future__ import annotations

import re
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from textual.widgets import Input

from tbtui.plugins.text import PLUGIN
from tbtui.plugins.text.pane.list_widget import TextRows
from tbtui.plugins.text.pane.titles import MAX_COPY_BYTES
from tbtui.plugins.text.settings import RAW, WRAP
from tbtui.settings.settings import Settings
from tbtui.widgets import worker as worker_module
from tests.helpers.log_directory import START
from tests.helpers.pane_app import pressed
from tests.helpers.screen_text import screen_lines, screen_text, until
from tests.helpers.scripted_dashboard import FakeLoader, dashboard
from tests.helpers.text_logs import TextApp, TextLogs

if TYPE_CHECKING:
    from pathlib import Path

    from textual.pilot import Pilot

    from tbtui.plugins.text.read import StoredText, TextPoint

WIDE, MIDDLE, TALL, SMALL = (120, 40), (80, 24), (45, 45), (40, 12)
NOTES = {step: f"## Step {step}\n\nloss was **{step / 10}**\n" for step in (10, 20, 30)}


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_module, "MAX_WAIT_SECONDS", 30)


@pytest.fixture
def logs(tmp_path: Path) -> TextLogs:
    logs = TextLogs(tmp_path / "logs")
    logs.add("a/seed0", {"config": {0: "|key|value|\n|-|-|\n|lr|0.1|\n"}, "notes": NOTES})
    logs.add("a/seed1", {"config": {0: "|key|value|\n|-|-|\n|lr|0.2|\n"}})
    return logs


@pytest.fixture
def one(tmp_path: Path) -> TextLogs:
    """One run with one tag."""
    logs = TextLogs(tmp_path / "one")
    logs.add("run", {"notes": NOTES})
    return logs


def page(app: TextApp) -> list[str]:
    """What the part of the screen says that shows the text."""
    region = app.text_pane.page.region
    return [line[region.x : region.right].rstrip(" ▏▌") for line in screen_lines(app)[region.y : region.bottom]]


def text(app: TextApp) -> list[str]:
    """The text without its title and blank lines."""
    return [line for line in page(app)[1:] if line.strip(" ▏▌")]


def title(app: TextApp) -> str:
    return page(app)[0]


async def shown(pilot: Pilot[None], keys: str = "") -> TextApp:
    """The app once everything the keys lead to is on the screen."""
    await pressed(pilot, keys)
    await pressed(pilot, "")
    assert isinstance(pilot.app, TextApp)
    return pilot.app


# The four looks


async def test_text_pane_before_the_first_view_shows_reading(logs: TextLogs) -> None:
    app = logs.app()
    async with app.run_test(size=WIDE) as pilot:
        app.text_pane.view = None
        app.text_pane.on_mount()
        await until(pilot, lambda: "reading the logs" in screen_text(app))


async def test_text_pane_folded_tags_show_the_unfold_key(logs: TextLogs) -> None:
    app = logs.app(hidden_groups=frozenset({"config", "notes"}))
    async with app.run_test(size=WIDE) as pilot:
        await shown(pilot)
        assert "all groups of tags are folded away" in screen_text(app)


async def test_text_pane_shows_list_and_document(logs: TextLogs) -> None:
    async with logs.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot)
        assert [line[:40].split()[:2] for line in screen_lines(app)[:5]] == [
            ["config", "2"],
            ["●", "a/seed0"],
            ["●", "a/seed1"],
            ["notes", "3"],
            ["●", "a/seed0"],
        ]
        assert title(app).split() == ["●", "a/seed0", "config", "step", "0", "2026-09-21", "14:13:20", "Markdown"]
        assert text(app) == ["key │ value", "────┼──────", "lr  │ 0.1"]
        assert app.text_pane.status() == "5 texts of 2 tags"


async def test_text_pane_missing_file_is_reported_and_others_work(logs: TextLogs) -> None:
    path = logs.add("b", {"config": {0: "lr: 3"}})
    async with logs.app().run_test(size=WIDE) as pilot:
        path.unlink()
        app = await shown(pilot, "j j")
        assert "this text cannot be shown" in screen_text(app)
        assert "the file is gone" in screen_text(app)
        app = await shown(pilot, "k")
        assert text(app)[-1] == "lr  │ 0.2"


@pytest.mark.parametrize(
    ("held", "words"),
    [
        (np.ones((2, 2)), "a tensor of type double instead of a text"),
        (b"caf\xe9", "1 byte that are no UTF-8 stand as ·"),
        (b"x\0", "1 null character left out"),
        ("", "the text is empty"),
        (
            [[["a", "b"]], [["c", "d"]]],
            "only its [0, :, :] is shown; w writes all to a file",
        ),
        (b"\x1b[2J\x1b]0;title\x07done", "·[2J·]0;title·done"),
    ],
)
async def test_text_pane_bad_input_shows_a_message(logs: TextLogs, held: Any, words: str) -> None:
    logs.add("0", {"config": {0: held}})
    async with logs.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot)
        assert words in " ".join(" ".join(page(app)).split())
        assert "\x1b" not in screen_text(app)


async def test_text_pane_reading_is_reported_and_does_not_block(
    logs: TextLogs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_module, "MAX_WAIT_SECONDS", 0)
    async with logs.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot)
        gate, read = threading.Event(), app.text_pane.texts.text

        def slowly(wanted: TextPoint) -> StoredText:
            gate.wait(30)
            return read(wanted)

        monkeypatch.setattr(app.text_pane.texts, "text", slowly)
        await pilot.press("j")
        await until(pilot, lambda: "reading the text" in screen_text(app))
        assert "a/seed1" in title(app)
        assert title(app).endswith("reading …")
        assert "lr  │" not in screen_text(app)
        gate.set()
        app = await shown(pilot)
        assert text(app)[-1] == "lr  │ 0.2"


async def test_text_pane_internal_error_is_shown_in_the_tab(one: TextLogs, monkeypatch: pytest.MonkeyPatch) -> None:
    async with one.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot)

        def fail(*_: object) -> None:
            raise RuntimeError("told")

        monkeypatch.setattr(app.text_pane.texts, "make_documents", fail)
        app = await shown(pilot, "j j")
        assert "RuntimeError: told" in screen_text(app)


# Looking around


async def test_text_pane_keys_move_between_texts_and_skip_tags(logs: TextLogs) -> None:
    async with logs.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot)
        told = [title(app).split()[1:3]]
        for key in ("j", "j", "k", "g", "G", "k", "g"):
            app = await shown(pilot, key)
            told.append(title(app).split()[1:3])
        assert told == [
            ["a/seed0", "config"],
            ["a/seed1", "config"],
            ["a/seed0", "notes"],
            ["a/seed1", "config"],
            ["a/seed0", "config"],
            ["a/seed0", "notes"],
            ["a/seed0", "notes"],
            ["a/seed0", "config"],
        ]


async def test_text_pane_newest_text_is_followed_until_another_is_chosen(one: TextLogs) -> None:
    async with one.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot)
        assert "step 30" in title(app)
        one.add("run", {"notes": {40: "newest"}})
        app.store = one.load()
        app.look()
        app = await shown(pilot)
        assert "step 40" in title(app)
        assert text(app) == ["newest"]
        app = await shown(pilot, "j j")
        assert "step 30" in title(app)
        one.add("run", {"notes": {50: "even newer"}})
        app.store = one.load()
        app.look()
        app = await shown(pilot)
        assert "step 30" in title(app)
        assert screen_lines(app)[1][:40].split()[0] == "50"


async def test_text_pane_open_text_stays_and_newer_is_announced(one: TextLogs) -> None:
    one.add("run", {"notes": {40: "\n\n".join(f"line {n}" for n in range(100))}})
    async with one.app().run_test(size=MIDDLE) as pilot:
        app = await shown(pilot, "enter pagedown")
        assert "line 0" not in text(app)
        one.add("run", {"notes": {50: "newer"}})
        app.store = one.load()
        app.look()
        app = await shown(pilot)
        assert "step 40" in title(app)
        assert "newer at step 50" in title(app)
        app = await shown(pilot, "g")
        assert "step 50" in title(app)
        assert text(app) == ["newer"]


async def test_text_pane_title_is_kept_until_the_newer_text_arrives(one: TextLogs) -> None:
    async with one.app().run_test(size=MIDDLE) as pilot:
        app = await shown(pilot, "enter")
        shown_before = app.text_pane.request
        one.add("run", {"notes": {50: "newer"}})
        app.store = one.load()
        app.look()
        app = await shown(pilot)
        app.text_pane.request = shown_before
        app.text_pane.show_titles()
        app = await shown(pilot)
        assert "newer at step 50" in title(app)


async def test_text_pane_brackets_open_older_and_newer_texts(logs: TextLogs) -> None:
    async with logs.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot, "j j left_square_bracket")
        assert "step 20" in title(app)
        app = await shown(pilot, "enter left_square_bracket left_square_bracket")
        assert "step 10" in title(app)
        app = await shown(pilot, "right_square_bracket")
        assert "step 20" in title(app)


async def test_text_pane_steps_fold_and_unfold(one: TextLogs) -> None:
    async with one.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot, "j j h")
        assert len(app.text_pane.rows.rows) == 1
        assert "step 30" in title(app)
        app = await shown(pilot, "l")
        assert len(app.text_pane.rows.rows) == 4


async def test_text_pane_sidebar_tag_selects_its_texts(logs: TextLogs) -> None:
    async with logs.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot)
        app.text_pane.reveal("notes")
        app = await shown(pilot)
        assert title(app).split()[1:3] == ["a/seed0", "notes"]
        app.text_pane.reveal("unknown")
        assert title(app).split()[1:3] == ["a/seed0", "notes"]


async def test_text_pane_superseded_texts_are_shown_on_request(one: TextLogs) -> None:
    one.add("run", {"notes": {20: "again", 30: "and again"}}, start=START + 100)
    async with one.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot)
        assert len(app.text_pane.rows.rows) == 4
        app = await shown(pilot, "u")
        assert len(app.text_pane.rows.rows) == 6
        assert "superseded too" in app.text_pane.status()


# Where both stand


async def test_text_pane_tall_terminal_puts_the_list_above(logs: TextLogs) -> None:
    async with logs.app().run_test(size=TALL) as pilot:
        app = await shown(pilot)
        lines = [line.strip(" ▏▌") for line in screen_lines(app)]
        assert lines[7].split()[0] == "10"
        assert lines[8].split() == ["●", "a/seed0", "config", "step", "0", "Markdown"]
        assert lines[9:12] == ["key │ value", "────┼──────", "lr  │ 0.1"]


async def test_text_pane_small_terminal_shows_list_or_text(logs: TextLogs) -> None:
    async with logs.app().run_test(size=SMALL) as pilot:
        app = await shown(pilot)
        assert not app.text_pane.page.display
        assert "key │ value" not in screen_text(app)
        app = await shown(pilot, "j enter")
        assert not app.text_pane.rows.display
        assert text(app)[-1] == "lr  │ 0.2"
        app = await shown(pilot, "escape")
        assert app.text_pane.rows.has_focus
        assert "config" in screen_lines(app)[0]


async def test_text_pane_resize_rewraps_the_text(one: TextLogs) -> None:
    one.add("run", {"notes": {40: "words " * 40}})
    async with one.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot)
        wide = len(text(app))
        await pilot.resize_terminal(*MIDDLE)
        app = await shown(pilot)
        assert len(text(app)) > wide
        await pilot.resize_terminal(60, 30)
        app = await shown(pilot)
        assert max(map(len, text(app))) <= 60


# Scrolling


async def test_text_pane_draws_visible_lines_and_keys_scroll(one: TextLogs) -> None:
    one.add("run", {"notes": {40: "\n".join(f"line {n}" for n in range(5000))}})
    async with one.app().run_test(size=MIDDLE) as pilot:
        app = await shown(pilot, "enter")
        assert text(app)[0] == "line 0"
        height = app.text_pane.page.view.size.height
        await shown(pilot, "j")
        assert text(app)[0] == "line 1"
        await shown(pilot, "pagedown")
        assert text(app)[0] == f"line {height}"
        await shown(pilot, "G")
        assert text(app)[-1] == "line 4999"
        await shown(pilot, "k pageup")
        assert text(app)[0] == f"line {5000 - 2 * height}"
        await shown(pilot, "g")
        assert text(app)[0] == "line 0"


async def test_text_pane_long_raw_lines_wrap_or_scroll(one: TextLogs) -> None:
    one.add("run", {"notes": {40: f"{'x' * 100}END"}})
    async with one.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot, "m")
        assert RAW.value(app.settings)
        assert "END" in screen_text(app)
        app = await shown(pilot, "f")
        assert not WRAP.value(app.settings)
        assert "END" not in screen_text(app)
        assert "lines not broken" in app.text_pane.status()
        app = await shown(pilot, "enter l l l l l l")
        assert "END" in screen_text(app)
        app = await shown(pilot, "h h h h h h")
        assert "END" not in screen_text(app)


async def test_text_pane_wheel_scrolls(one: TextLogs) -> None:
    one.add("run", {"notes": {40: "\n".join(f"line {n}" for n in range(100))}})
    async with one.app().run_test(size=MIDDLE) as pilot:
        app = await shown(pilot)
        view = app.text_pane.page.view
        view.action_scroll_rows(3)
        assert view.top == 3
        await pilot.click(view)
        await pilot.pause()
        assert view.has_focus


# As written


async def test_text_pane_escape_target_is_shown_in_the_title(logs: TextLogs) -> None:
    async with logs.app().run_test(size=WIDE) as pilot:
        assert "esc back" not in screen_text(await shown(pilot))
        assert title(await shown(pilot, "enter")).endswith("Markdown  esc back")
        await pilot.resize_terminal(40, 12)
        assert title(await shown(pilot)).split()[-4:] == ["step", "0", "esc", "back"]
        assert "esc back" not in screen_text(await shown(pilot, "escape"))


async def test_text_pane_raw_key_shows_texts_as_written(logs: TextLogs) -> None:
    async with logs.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot, "m")
        assert text(app) == ["|key|value|", "|-|-|", "|lr|0.1|"]
        assert title(app).endswith("as written")
        app = await shown(pilot, "m")
        assert title(app).endswith("Markdown")


# Searching


async def test_text_pane_search_updates_while_typing(one: TextLogs) -> None:
    one.add("run", {"notes": {40: "\n\n".join(f"loss {n} of many" for n in range(100))}})
    async with one.app().run_test(size=MIDDLE) as pilot:
        app = await shown(pilot, "slash 9 9")
        assert "1 of 1" in screen_text(app)
        assert "loss 99 of many" in text(app)
        app = await shown(pilot, "enter")
        assert app.text_pane.page.view.has_focus
        app = await shown(pilot, "escape")
        assert "find in this text" not in screen_text(app)
        assert not app.text_pane.page.is_searched


async def test_text_pane_match_keys_move_between_matches(one: TextLogs) -> None:
    one.add("run", {"notes": {40: "\n\n".join(f"loss {n}" for n in range(100))}})
    async with one.app().run_test(size=MIDDLE) as pilot:
        app = await shown(pilot, "slash l o s s enter")
        assert "1 of 100" in screen_text(app)
        app = await shown(pilot, "n")
        assert "2 of 100" in screen_text(app)
        app = await shown(pilot, "N N")
        assert "100 of 100" in screen_text(app)
        assert "loss 99" in text(app)


async def test_text_pane_search_continues_in_the_next_text(one: TextLogs) -> None:
    async with one.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot, "slash s t e p enter")
        assert "1 of 1" in screen_text(app)
        app = await shown(pilot, "escape escape slash l o s enter")
        app.text_pane.rows.focus()
        app = await shown(pilot, "j j")
        assert "step 20" in title(app)
        assert "1 of 1" in screen_text(app)


async def test_text_pane_search_reports_no_match_and_literal_patterns(one: TextLogs) -> None:
    one.add("run", {"notes": {40: "call f(x now"}})
    async with one.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot, "slash z z z")
        assert "no match" in screen_text(app)
        app = await shown(pilot, "escape slash f left_parenthesis")
        assert "1 of 1 · plain text" in screen_text(app)


async def test_text_pane_escape_in_search_restores_the_last_search(one: TextLogs) -> None:
    async with one.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot, "slash s t e p enter slash x escape")
        assert "1 of 1" in screen_text(app)
        assert app.text_pane.page.view.has_focus


async def test_text_pane_search_in_a_small_terminal_opens_the_text(one: TextLogs) -> None:
    async with one.app().run_test(size=SMALL) as pilot:
        app = await shown(pilot, "slash s t e p enter")
        assert "1 of 1" in screen_text(app)
        app = await shown(pilot, "escape escape")
        assert app.text_pane.rows.has_focus


# Comparing


async def test_text_pane_two_runs_are_compared(logs: TextLogs) -> None:
    async with logs.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot, "space j d")
        lines = page(app)
        assert lines[0].split()[:3] == ["-", "●", "a/seed0"]
        assert lines[1].split()[:3] == ["+", "●", "a/seed1"]
        assert lines[1].endswith("difference  esc back")
        assert lines[2] == "1 line removed, 1 line added"
        assert lines[6:8] == ["- |lr|0.1|", "+ |lr|0.2|"]
        app = await shown(pilot, "escape")
        assert text(app)[-1] == "lr  │ 0.2"


async def test_text_pane_without_a_mark_compares_with_the_previous_text(one: TextLogs) -> None:
    async with one.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot, "d")
        assert "step 20" in page(app)[0]
        assert "step 30" in page(app)[1]
        assert "- ## Step 20" in page(app)
        app = await shown(pilot, "j j j")
        assert "step 20" in page(app)[0]  # the oldest text is compared with the next one
        assert "step 10" in page(app)[1]
        app = await shown(pilot, "k")
        assert "+ ## Step 20" in page(app)
        app = await shown(pilot, "d")
        assert text(app)[0] == "Step 20"


async def test_text_pane_marked_text_is_not_compared_with_itself(logs: TextLogs) -> None:
    async with logs.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot, "space d")
        assert "this is the marked text" in screen_text(app)
        app = await shown(pilot, "space")
        assert "a/seed1  config" in page(app)[0]


async def test_text_pane_mark_no_longer_listed_is_reported(logs: TextLogs) -> None:
    async with logs.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot, "space j d")
        app.settings = replace(app.settings, hidden_runs=frozenset({"a/seed0"}))
        app.look()
        app = await shown(pilot)
        assert "the marked text is not listed any more" in screen_text(app)


async def test_text_pane_equal_texts_are_reported(one: TextLogs) -> None:
    one.add("run", {"notes": {40: NOTES[30]}})
    async with one.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot, "d")
        assert "no difference" in page(app)


# What is known of a text


async def test_text_pane_about_describes_a_text(one: TextLogs) -> None:
    async with one.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot, "i")
        told = screen_text(app)
        assert "about notes at step 30" in told
        assert "step 30 of run" in told
        assert "tensor of strings, rank 0, 29 B" in told
        assert "record of" in told
        assert "run/events.out.tfevents.1.host" in re.sub(r"[^\w./-]", "", told)  # a long path is wrapped in its frame
        assert "plugin text" in told
        assert "3 texts at steps 10–30" in told


async def test_text_pane_text_is_copied(one: TextLogs) -> None:
    one.add("run", {"notes": {40: b"a\tb\x1b[31m\nend"}})
    async with one.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot, "y")
        assert app.copied == ["a\tb·[31m\nend"]
        assert app.said == ["copied 2 lines"]
        app = await shown(pilot, "C")
        assert app.paths == ["run"]


async def test_text_pane_diff_is_copied_as_shown(one: TextLogs) -> None:
    async with one.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot, "d y")
        assert "- ## Step 20\n+ ## Step 30" in app.copied[0]


async def test_text_pane_overlong_text_is_not_copied(one: TextLogs) -> None:
    one.add("run", {"notes": {40: "x" * (MAX_COPY_BYTES + 1)}})
    async with one.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot, "y")
        assert app.copied == []
        assert "too long for the clipboard" in app.said[0]


async def test_text_pane_text_is_written_to_a_file(one: TextLogs, tmp_path: Path) -> None:
    one.add("run", {"notes": {40: b"caf\xe9\r\n\0end"}})
    path = tmp_path / "out.md"
    async with one.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot, "w")
        assert "write notes at step 40" in screen_text(app)
        app.screen.query_one(Input).value = str(path)
        await pilot.press("enter")
        await until(pilot, lambda: app.said)
        assert app.said == [f"1 text in {path}"]
        assert path.read_bytes() == b"caf\xe9\r\n\0end"


# Mouse


async def test_text_pane_click_selects_and_second_click_opens(logs: TextLogs) -> None:
    async with logs.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot)
        await pilot.click(app.text_pane.rows, offset=(4, 2))
        app = await shown(pilot)
        assert title(app).split()[1] == "a/seed1"
        assert app.text_pane.rows.has_focus
        await pilot.click(app.text_pane.rows, offset=(4, 2))
        app = await shown(pilot)
        assert app.text_pane.page.view.has_focus


async def test_text_pane_second_click_on_a_run_folds_its_steps(one: TextLogs) -> None:
    async with one.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot)
        await pilot.click(app.text_pane.rows, offset=(4, 0))
        app = await shown(pilot)
        assert len(app.text_pane.rows.rows) == 1


async def test_text_pane_tag_click_selects_its_first_text(logs: TextLogs) -> None:
    async with logs.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot)
        await pilot.click(app.text_pane.rows, offset=(4, 3))
        app = await shown(pilot)
        assert title(app).split()[1:3] == ["a/seed0", "notes"]


# In the app


async def test_text_pane_escape_closes_one_layer_in_the_app(logs: TextLogs) -> None:
    app = dashboard(FakeLoader(logs.load()), plugins=(PLUGIN,), settings=Settings(tag_filter="config"))
    async with app.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: "lr  │ 0.1" in screen_text(app))
        assert "2 texts of 1 tag" in screen_text(app)
        await pilot.press("enter", "slash", "l", "r", "enter")
        await until(pilot, lambda: "1 of 1" in screen_text(app))
        await pilot.press("escape")
        await until(pilot, lambda: "1 of 1" not in screen_text(app))
        await pilot.press("escape", "escape")
        await until(pilot, lambda: "notes" in screen_text(app))
        assert app.settings.tag_filter == ""


async def test_text_pane_help_lists_keys_and_their_values_in_the_app(logs: TextLogs) -> None:
    app = dashboard(FakeLoader(logs.load()), plugins=(PLUGIN,))
    async with app.run_test(size=(120, 80)) as pilot:
        await until(pilot, lambda: "lr  │ 0.1" in screen_text(app))
        await pilot.press("m", "question_mark")
        await until(pilot, lambda: "Markdown or raw: as written" in screen_text(app))
        told = screen_text(app)
        for words in ("find in this text", "select for comparing", "write texts to a file"):
            assert words in told


async def test_text_pane_removed_run_leaves_the_others(logs: TextLogs) -> None:
    async with logs.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot, "enter")
        app.store = replace(app.store, runs={"a/seed1": app.store.runs["a/seed1"]})
        app.look()
        app = await shown(pilot)
        assert title(app).split()[1] == "a/seed1"
        assert text(app)[-1] == "lr  │ 0.2"


async def test_text_pane_all_tags_folded_shows_a_message_and_ignores_keys(
    logs: TextLogs,
) -> None:
    async with logs.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot, "j l")
        before = screen_lines(app)
        app.settings = replace(app.settings, hidden_groups=frozenset({"config", "notes"}))
        app.look()
        # What was clicked and pressed just before comes after it.
        app.text_pane.rows.post_message(app.text_pane.rows.Chosen())
        app.text_pane.rows.action_fold(True)
        app = await shown(pilot)
        said = [line.strip() for line in screen_lines(app) if line.strip()]
        assert [line.split()[0] for line in said] == ["all", "press"]
        assert app.text_pane.request is None
        app.settings = replace(app.settings, hidden_groups=frozenset())
        app.look()
        assert [line.strip("▏ ") for line in screen_lines(await shown(pilot))] == [line.strip("▏ ") for line in before]


async def test_text_pane_matches_of_the_previous_text_are_not_counted(one: TextLogs) -> None:
    async with one.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot, "slash")
        app.query_one(Input).value = "loss"
        app = await shown(pilot, "enter")
        search = app.text_pane.page._search
        app.text_pane.page._search = lambda *, move: None  # type: ignore[method-assign]
        app = await shown(pilot, "left_square_bracket")
        app.text_pane.page._note()
        assert " of 1" not in screen_text(await shown(pilot))
        search(move=False)
        assert "1 of 1" in screen_text(await shown(pilot))


async def test_text_pane_message_in_key_of_text_texts_ignores_keys(logs: TextLogs) -> None:
    app = dashboard(FakeLoader(logs.load()), plugins=(PLUGIN,))
    async with app.run_test(size=WIDE) as pilot:
        await pilot.pause()
        await until(pilot, lambda: "notes" in screen_text(app))
        app.choose(hidden_groups=frozenset({"config", "notes"}))
        await until(pilot, lambda: "all groups of tags are folded away" in screen_text(app))
        await pilot.pause()
        assert app._main_screen._panes.focus_target is app._main_screen.focused is None
        await pilot.press("enter", "slash", "w", "escape")
        await pilot.pause()
        assert "all groups of tags are folded away" in screen_text(app)
        app.choose(hidden_groups=frozenset())
        await until(pilot, lambda: app._main_screen.focused is app.query_one(TextRows))
