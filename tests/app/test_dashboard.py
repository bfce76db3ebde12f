"""The dashboard from the user's side: screen content and keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from textual.events import Key
from textual.widgets import Input

from tbtui.app.layout import SidebarPlacement
from tbtui.app.main_screen import PaneArea
from tbtui.app.themes import DARK, LIGHT
from tbtui.settings.persistence import SavedState, SidebarState
from tbtui.settings.settings import Settings
from tests.helpers.screen_text import screen_lines, screen_text, until
from tests.helpers.scripted_dashboard import NOW, FakeLoader, ImagesPane, WordsPane, damage, dashboard
from tests.helpers.snapshots import plain_store, references, run, store

if TYPE_CHECKING:
    from textual.pilot import Pilot

    from tbtui.app.app import Dashboard

RUNS = ("adam/seed0", "adam/seed1", "sgd")
WIDE, NARROW = (100, 24), (45, 45)
NAN = float("nan")


def loader(*names: str) -> FakeLoader:
    return FakeLoader(plain_store(names or RUNS))


def squeezed(app: Dashboard) -> list[str]:
    return [" ".join(line.split()) for line in screen_lines(app)]


def sidebar(app: Dashboard) -> list[str]:
    """Lines of both trees, without the edge."""
    return [line[:22].rstrip(" ▏▌") for line in screen_lines(app)[2:-1]]


def drawn(app: Dashboard) -> str:
    """The runs that the open pane was handed, as it says itself."""
    return next((line.partition("draws ")[2] for line in screen_lines(app) if "draws " in line), "")


async def press(pilot: Pilot[int], *keys: str) -> None:
    await pilot.press(*keys)
    await pilot.pause()


async def test_dashboard_first_screen() -> None:
    app = dashboard(loader())
    async with app.run_test(size=WIDE) as pilot:
        await pilot.pause()
        assert squeezed(app)[0] == "tbtui logs/digits 3 runs · 3 tags · last write 15m ago"
        assert squeezed(app)[1] == "1 Scalars"
        assert sidebar(app)[1:5] == [
            " ▾ adam            2",
            "   ● seed0         2",
            "   ● seed1         2",
            " ● sgd             2",
        ]
        assert [line for line in sidebar(app)[11:] if line] == [
            " / tags…",
            " acc",
            " ▾ loss            2",
            "   train",
            "   val",
        ]
        assert drawn(app) == "adam/seed0 adam/seed1 sgd by step"
        assert squeezed(app)[-1] == "smooth 0.6 tab runs b sidebar / filter tags x axis q quit ? help"


async def test_dashboard_has_drawn_once_its_pane_shows_the_view() -> None:
    app = dashboard(loader())
    assert not app.has_drawn
    async with app.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: app.has_drawn)
        assert "adam/seed0" in drawn(app)
    app = dashboard(FakeLoader(store(), complete=False))
    async with app.run_test(size=WIDE):
        assert app.has_drawn  # there is nothing to draw


async def test_run_list_bullets_show_the_state_of_each_run() -> None:
    snapshot = store(
        run("broken", problem="permission denied"),
        run("diverged", {"loss": (1, NAN)}),
        run("gone", {"loss": (1,)}, vanished=True),
        run("writing", {"loss": (1,)}, last=NOW - 10),
    )
    app = dashboard(FakeLoader(snapshot))
    async with app.run_test(size=WIDE) as pilot:
        await pilot.pause()
        assert sidebar(app)[1:5] == [
            " ✗ broken",
            " ✗ diverged   NaN @1",
            " ● gone         gone",
            " ◐ writing         0",
        ]


async def test_run_list_switches_runs_and_folders() -> None:
    app = dashboard(loader())
    async with app.run_test(size=WIDE) as pilot:
        await press(pilot, "tab", "down", "space")
        assert drawn(app) == "adam/seed1 sgd by step"
        assert sidebar(app)[1:3] == [" ▾ adam          1/2", "   ○ seed0         2"]
        assert "2 of 3 runs" in squeezed(app)[0]
        await press(pilot, "up", "enter")  # a folder that is not all on is switched on
        assert drawn(app) == "adam/seed0 adam/seed1 sgd by step"
        await press(pilot, "space")
        assert drawn(app) == "sgd by step"
        await press(pilot, "a")
        assert drawn(app) == "adam/seed0 adam/seed1 sgd by step"
        await press(pilot, "a")
        assert "all runs are hidden" in screen_text(app)
        await press(pilot, "a")
        assert drawn(app) == "adam/seed0 adam/seed1 sgd by step"


async def test_run_list_solo_and_back() -> None:
    app = dashboard(loader())
    async with app.run_test(size=WIDE) as pilot:
        await press(pilot, "tab", "G", "space", "up", "s")
        assert drawn(app) == "adam/seed1 by step"
        assert "1 of 3 runs (solo)" in squeezed(app)[0]
        await press(pilot, "s")
        assert drawn(app) == "adam/seed0 adam/seed1 by step"  # sgd is off as before
        await press(pilot, "s", "escape")
        assert drawn(app) == "adam/seed0 adam/seed1 by step"
        await press(pilot, "s", "down", "space")  # solo ends, what is seen stays, and one more
        assert drawn(app) == "adam/seed1 sgd by step"
        await press(pilot, "g", "s")
        assert drawn(app) == "adam/seed0 adam/seed1 by step"
        assert "2 of 3 runs (solo)" in squeezed(app)[0]
        await press(pilot, "s")
        assert drawn(app) == "adam/seed1 sgd by step"


async def test_sidebar_folds_folders_and_groups() -> None:
    app = dashboard(loader())
    async with app.run_test(size=WIDE) as pilot:
        await press(pilot, "tab", "left")
        assert sidebar(app)[1:3] == [" ▸ adam            2", " ● sgd             2"]
        await press(pilot, "left", "right")
        assert sidebar(app)[2] == "   ● seed0         2"
        await press(pilot, "tab", "G", "space")  # from a tag its group folds, and the cursor stands on it
        assert " ▸ loss            2" in sidebar(app)
        assert app.settings.hidden_groups == {"loss"}
        await press(pilot, "enter")
        assert " ▾ loss            2" in sidebar(app)
        await press(pilot, "g", "space")  # a tag without a group folds nothing
        assert app.settings.hidden_groups == frozenset()


async def test_sidebar_one_key_folds_and_unfolds_all() -> None:
    app = dashboard(loader())
    async with app.run_test(size=WIDE) as pilot:
        await press(pilot, "tab", "asterisk")
        assert sidebar(app)[1:3] == [" ▸ adam            2", " ● sgd             2"]
        await press(pilot, "asterisk")
        assert sidebar(app)[1:3] == [" ▾ adam            2", "   ● seed0         2"]
        await press(pilot, "tab", "asterisk")
        assert app.settings.hidden_groups == {"loss"}
        assert " ▸ loss            2" in sidebar(app)
        await press(pilot, "asterisk")
        assert app.settings.hidden_groups == frozenset()


async def test_tag_list_enter_reveals_the_card() -> None:
    app = dashboard(loader())
    async with app.run_test(size=WIDE) as pilot:
        await press(pilot, "tab", "tab", "G", "enter")
        pane = app.screen.query_one(WordsPane)
        assert pane.revealed == ["loss/val"]
        assert pane.has_focus_within


async def test_tag_filter_applies_while_typing() -> None:
    app = dashboard(loader())
    async with app.run_test(size=WIDE) as pilot:
        await press(pilot, "/", "l", "o")
        assert squeezed(app)[0] == "tbtui logs/digits 3 runs · 2 of 3 tags · last write 15m ago"
        assert any("/ lo 2 of 3" in line for line in squeezed(app))
        assert app.screen.query_one(WordsPane).view.tag_matches("loss/val")
        assert squeezed(app)[-1].startswith("smooth 0.6 ⏎ apply ^u clear esc cancel")
        await press(pilot, "(")
        assert any("missing )" in line for line in squeezed(app))
        assert squeezed(app)[-1].startswith("filter not applied: missing ) ⏎ apply")
        assert "2 of 3 tags" in squeezed(app)[0]
        await press(pilot, "escape")
        assert "3 tags" in squeezed(app)[0]
        assert "of 3 tags" not in squeezed(app)[0]
        assert app.screen.query_one(WordsPane).has_focus_within  # the keys are back where they were


async def test_run_filter_pasted_name_is_found_as_plain_text() -> None:
    app = dashboard(loader("lr=1e-3+aug[v2]", "train3 (copy)", "train3"))
    async with app.run_test(size=WIDE) as pilot:
        await press(pilot, "tab", "/")
        for name in ("train3 (copy)", "lr=1e-3+aug[v2]", "aug[v2"):
            app.screen.query_one("#run-filter Input", Input).value = name
            await pilot.pause()
            assert drawn(app) in (f"{name} by step", "lr=1e-3+aug[v2] by step")
            assert "plain text" in sidebar(app)[0]
        app.screen.query_one("#run-filter Input", Input).value = "train"
        await pilot.pause()
        assert "2 of 3" in sidebar(app)[0]


async def test_filter_without_matches_shows_why_and_escape_clears_it() -> None:
    app = dashboard(loader())
    async with app.run_test(size=WIDE) as pilot:
        await press(pilot, "/", "z", "enter")
        assert "the filter “z” hides all 3 tags" in screen_text(app)
        assert "press escape to clear it" in screen_text(app)
        await press(pilot, "escape")
        assert drawn(app) == "adam/seed0 adam/seed1 sgd by step"


async def test_empty_state_takes_the_colours_of_another_theme() -> None:
    app = dashboard(FakeLoader(store()))
    async with app.run_test(size=WIDE) as pilot:
        styles = []
        for name in (DARK, LIGHT):
            app.theme = name
            await press(pilot)
            line = next(line for line in app.screen._compositor.render_strips() if "no event files" in line.text)
            styles.append(next(segment.style for segment in line if "no event files" in segment.text))
        assert styles[0].color != styles[1].color


async def test_run_filter_hides_runs() -> None:
    app = dashboard(loader())
    async with app.run_test(size=WIDE) as pilot:
        await press(pilot, "tab", "/", "S", "G", "enter")
        assert drawn(app) == "sgd by step"
        assert [line for line in sidebar(app)[:5] if line] == [" / SG         1 of 3", " ● sgd             2"]
        assert squeezed(app)[-1].startswith("sgd · step 2 · last write 15m ago space on/off s solo a all c colour")
        await press(pilot, "escape")
        assert drawn(app) == "adam/seed0 adam/seed1 sgd by step"


async def test_tag_filter_unfolds_all_groups() -> None:
    app = dashboard(loader(), settings=Settings(hidden_groups=frozenset({"loss"}), tag_filter="train"))
    async with app.run_test(size=WIDE) as pilot:
        await pilot.pause()
        assert [line for line in sidebar(app)[12:] if line] == [" ▾ loss            1", "   train"]
        await press(pilot, "tab", "tab", "space")
        assert app.settings.hidden_groups == {"loss"}
        await press(pilot, "escape")
        assert " ▸ loss            2" in sidebar(app)


async def test_run_filter_refuses_a_slow_pattern() -> None:
    names = ["a" * 3000 + "b" * 3000 + str(i) for i in range(50)]
    app = dashboard(loader(*names))
    async with app.run_test(size=WIDE) as pilot:
        await press(pilot, "tab", "/")
        app.screen.query_one("#run-filter Input", Input).value = "(a|aa)+$"
        await pilot.pause()
        assert any("too slow" in line for line in squeezed(app))
        assert len(app.build_state().view.runs) == 50


async def test_keys_change_axis_smoothing_and_scale() -> None:
    app = dashboard(loader())
    async with app.run_test(size=WIDE) as pilot:
        await press(pilot, "x")
        assert drawn(app).endswith("by relative")
        for axis in ("wall", "order", "active"):
            await press(pilot, "x")
            assert drawn(app).endswith(f"by {axis}")
        await press(pilot, "x", "+", "=")
        assert drawn(app).endswith("by step")
        assert squeezed(app)[-1].startswith("smooth 0.7 ")
        await press(pilot, *["-"] * 20)
        assert app.settings.smoothing == 0
        await press(pilot, *["+"] * 30)
        assert app.settings.smoothing == 0.999
        await press(pilot, "minus", "minus")
        assert app.settings.smoothing == 0.95
        await press(pilot, "Y")
        assert app.settings.get_y_scale("any") == "log"
        await press(pilot, "Y", "Y")
        assert app.settings.y_scale == "linear"


async def test_tab_appears_with_data_and_its_pane_when_opened() -> None:
    fake = loader()
    app = dashboard(fake)
    async with app.run_test(size=WIDE) as pilot:
        await press(pilot, "2")
        assert app.settings.tab == ""
        fake.publish(
            store(run("adam/seed0", {"loss": (1,)}, others=[references("adam/seed0", "img", "images")], revision=2))
        )
        await until(pilot, lambda: "Images" in screen_text(app))
        assert squeezed(app)[1] == "1 Scalars 2 Images"
        assert not app.screen.query(ImagesPane)
        shown = app.screen.query_one(WordsPane).shown
        await press(pilot, "2")
        assert "ImagesPane draws adam/seed0" in screen_text(app)
        assert "1 tag ·" in squeezed(app)[0]
        assert " img" in sidebar(app)
        await press(pilot, "x")
        assert app.screen.query_one(WordsPane).shown == shown  # a pane out of sight is not handed views
        await press(pilot, "1")
        assert "WordsPane draws adam/seed0 by relative" in screen_text(app)
        await pilot.click("#tabs", offset=(14, 0))
        await pilot.pause()
        assert "ImagesPane draws adam/seed0 by relative" in screen_text(app)


async def test_tabs_keep_their_numbers_once_all_is_read() -> None:
    sounds, pictures = references("a", "clip", "audio"), references("a", "img", "images")
    fake = FakeLoader(store(run("a", others=[sounds])), complete=False)
    app = dashboard(fake)
    async with app.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: squeezed(app)[1] == "1 Audio")
        await press(pilot, "1", "x")
        fake.publish(store(run("a", others=[pictures, sounds], revision=2)), complete=True)
        await until(pilot, lambda: squeezed(app)[1] == "1 Images 2 Audio")  # as in any start on these logs
        assert "ImagesPane draws" not in screen_text(app)
        fake.publish(store(run("a", {"loss": (1,)}, others=[pictures, sounds], revision=3)))
        await until(pilot, lambda: squeezed(app)[1] == "1 Images 2 Audio 3 Scalars")
        await press(pilot, "1")
        assert "ImagesPane draws" in screen_text(app)
        await press(pilot, "3")
        assert app.settings.tab == "scalars"


async def test_open_tab_stays_while_others_are_found() -> None:
    pictures = references("a", "img", "images")
    fake = FakeLoader(store(run("a", others=[pictures])), complete=False)
    app = dashboard(fake)
    async with app.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: squeezed(app)[1] == "1 Images")
        await press(pilot, "x")
        fake.publish(store(run("a", {"loss": (1,)}, others=[pictures], revision=2)), complete=True)
        await until(pilot, lambda: squeezed(app)[1] == "1 Scalars 2 Images")
        assert app.settings.tab == ""
        assert "ImagesPane draws" in screen_text(app)


async def test_empty_directory_waits_then_shows_the_first_run() -> None:
    fake = FakeLoader(store(), complete=False)
    app = dashboard(fake)
    async with app.run_test(size=WIDE) as pilot:
        assert "looking for event files in logs/digits" in screen_text(app)
        fake.publish(complete=True)
        await until(pilot, lambda: "no event files" in screen_text(app))
        assert "no event files in logs/digits yet" in screen_text(app)
        assert squeezed(app)[0].endswith("0 runs · live") or squeezed(app)[0].endswith("0 runs · waiting")
        fake.publish(plain_store(["first"]))
        await until(pilot, lambda: "first by step" in screen_text(app))
        assert drawn(app) == "first by step"
        await until(pilot, lambda: app.screen.query_one(WordsPane).has_focus_within)
        assert app.screen.query_one(WordsPane).has_focus_within


async def test_new_runs_keep_cursor_and_focus() -> None:
    fake = loader("b", "c", "d")
    app = dashboard(fake)
    async with app.run_test(size=WIDE) as pilot:
        await press(pilot, "tab", "down")
        before = app.focused
        fake.publish(plain_store(["a", "b", "c", "d"]))
        await until(pilot, lambda: " ◐ a" in screen_text(app))
        assert sidebar(app)[1:3] == [" ◐ a          1/s  2", " ● b               2"]
        await press(pilot, "space")
        assert drawn(app) == "a b d by step"
        assert app.focused is before


async def test_narrow_terminal_shows_charts_or_sidebar() -> None:
    app = dashboard(loader())
    async with app.run_test(size=NARROW) as pilot:
        await pilot.pause()
        assert squeezed(app)[:2] == ["logs/digits 3 runs · 3 tags · 15m ago", "● seed0 ● seed1 ● sgd"]
        assert squeezed(app)[-1] == "b sidebar / filter tags x axis ? help"
        assert drawn(app)
        await press(pilot, "b")
        assert not drawn(app)
        assert squeezed(app)[1:4] == ["/ runs…", "▾ adam 2 ▏", "● seed0 2 ▏"]
        assert squeezed(app)[-1].endswith("b charts ? help")
        await press(pilot, "tab", "G", "enter")  # to a chart: the sidebar makes room
        assert drawn(app)
        await press(pilot, "b", "escape")
        assert drawn(app)
        await press(pilot, "/", "l", "enter")
        assert drawn(app)
        assert app.settings.tag_filter == "l"


async def test_low_terminal_drops_the_lines_around_the_chart() -> None:
    app = dashboard(loader())
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.pause()
        assert squeezed(app)[0] == "logs/digits 3 runs · 15m ago · ? help"  # the line of keys has no room
        assert "draws" in squeezed(app)[1]
        await press(pilot, "b")
        assert squeezed(app)[1] == "/ runs…"


async def test_tiny_terminal_shows_a_message_until_it_grows() -> None:
    app = dashboard(loader())
    async with app.run_test(size=(20, 5)) as pilot:
        await pilot.pause()
        assert [line for line in squeezed(app) if line] == ["tbtui needs at least", "30x8"]
        await press(pilot, "slash", "b", "x", "question_mark", "1")
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert drawn(app)
        await press(pilot, "question_mark")
        await pilot.resize_terminal(10, 3)
        await pilot.pause()
        assert "tbtui" in screen_text(app)
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert "keys of" in screen_text(app)


@pytest.mark.parametrize("size", [(30, 8), (31, 9), (79, 15), (80, 8), (200, 60), (500, 9)])
async def test_every_sufficient_size_shows_the_charts(size: tuple[int, int]) -> None:
    app = dashboard(loader(), settings=Settings(run_filter="sgd"))
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        assert "draws" in screen_text(app)
        assert max(map(len, screen_lines(app))) <= size[0]


async def test_sidebar_can_be_hidden_in_a_wide_terminal() -> None:
    app = dashboard(loader())
    async with app.run_test(size=WIDE) as pilot:
        await press(pilot, "tab", "b")
        assert "runs…" not in screen_text(app)
        assert app.screen.query_one(WordsPane).has_focus_within
        assert "tab runs" not in squeezed(app)[-1]
        await press(pilot, "slash")
        assert "tags…" in screen_text(app)
        await press(pilot, "escape")
        assert "tags…" not in screen_text(app)
        await press(pilot, "b")
        assert "tags…" in screen_text(app)


async def test_filter_typed_before_it_opens_keeps_all_letters() -> None:
    app = dashboard(loader())
    async with app.run_test(size=WIDE) as pilot:
        await press(pilot, "tab")
        for key, character in (("slash", "/"), *((letter, letter) for letter in "bsxq")):
            app.post_message(Key(key, character))
        await press(pilot, "shift+home")  # the last key, when it is answered, comes after all of them
        assert "bsxq" in screen_text(app)
        assert app.is_running


async def test_tag_list_labels_of_neighbours_stay_distinct() -> None:
    tags = [f"evaluation_{what}_vs_iterations" for what in ("accuracy", "loss")]
    tags += [f"loss/validation_of_{part}_after_epoch" for part in ("head", "body")]
    app = dashboard(FakeLoader(plain_store(["a"], tags)))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        lines = [line.strip() for line in sidebar(app)[11:] if line.strip()]
        assert lines == [
            "/ tags…",
            "evaluation_accur…ns",
            "evaluation_loss_…ns",
            "▾ loss            2",
            "…body_after_epoch",
            "…head_after_epoch",
        ]
        await press(pilot, "}", "}", "}", "}")
        assert "validation_of_body_after_epoch" in screen_text(app)


def edge(app: Dashboard) -> int:
    """The column of the sidebar's right edge."""
    return screen_lines(app)[3].index("▏")


async def test_sidebar_keys_widen_within_limits() -> None:
    app = dashboard(loader(), saved_state=SavedState(sidebar=SidebarState(width=30)))
    async with app.run_test(size=WIDE) as pilot:
        await pilot.pause()
        assert edge(app) == 29
        await press(pilot, "}")
        assert edge(app) == 33
        await press(pilot, *["}"] * 20)
        assert edge(app) == WIDE[0] - 41
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert edge(app) == 39
        await press(pilot, *["{"] * 20)
        assert edge(app) == 15
        await pilot.resize_terminal(*NARROW)
        await press(pilot, "b", "}")
        assert edge(app) == NARROW[0] - 1
        await pilot.resize_terminal(*WIDE)
        await pilot.pause()
        assert edge(app) == 15
        await press(pilot, "b", "}", "b")
        assert edge(app) == 15


async def test_sidebar_edge_follows_the_mouse() -> None:
    app = dashboard(loader())
    async with app.run_test(size=WIDE) as pilot:
        await pilot.pause()
        before, shown = edge(app), drawn(app)
        focused = app.focused
        await pilot.mouse_down(offset=(before, 3))
        await pilot.hover(offset=(before + 7, 9))
        assert edge(app) == before + 7
        await pilot.hover(offset=(3, 9))
        assert edge(app) == 15
        await pilot.mouse_up(offset=(28, 4))
        await pilot.hover(offset=(50, 4))
        assert edge(app) == 28
        await pilot.click(offset=(28, 3))
        assert (drawn(app), app.focused) == (shown, focused)


async def test_tab_key_cycles_through_the_areas() -> None:
    app = dashboard(loader())
    async with app.run_test(size=WIDE) as pilot:
        await pilot.pause()
        for key, focused in [
            ("tab", "runs"),
            ("tab", "tags"),
            ("tab", None),
            ("shift+tab", "tags"),
            ("shift+tab", "runs"),
        ]:
            await press(pilot, key)
            assert app.focused.id == focused, key
        await press(pilot, "slash", "tab")  # from the filter of the runs to the tags
        assert app.focused.id == "tags"


async def test_reload_wakes_the_loader_and_q_quits() -> None:
    fake = loader()
    app = dashboard(fake)
    async with app.run_test(size=WIDE) as pilot:
        await press(pilot, "r")
        assert fake.woken == 1
        await press(pilot, "q")
    assert app.return_code == 0


async def test_q_quits_in_a_tiny_terminal() -> None:
    app = dashboard(loader())
    async with app.run_test(size=(20, 5)) as pilot:
        await press(pilot, "q")
    assert app.return_code == 0


async def test_resumed_terminal_is_repainted() -> None:
    app = dashboard(loader())
    async with app.run_test(size=WIDE) as pilot:
        await pilot.pause()
        painted: list[bool] = []
        app.refresh = lambda *_, layout=False, **__: painted.append(layout)  # type: ignore[method-assign,assignment]
        app.app_resume_signal.publish(app)
        await pilot.pause()
        assert True in painted


async def test_ctrl_c_quits_while_typing() -> None:
    app = dashboard(loader())
    async with app.run_test(size=WIDE) as pilot:
        await press(pilot, "slash", "a", "ctrl+c")
        assert app._exit


async def test_screen_holds_no_control_characters_of_files() -> None:
    names = ["a\x1b]0;title\x07", "b\n[bold]x[/]", "\u202eright\u2066", "e" * 4000, "[@click=app.quit]q[/]"]
    tags = {f"{name}/{name}": (1.0,) for name in names}
    app = dashboard(FakeLoader(store(*(run(name, tags) for name in names)), problems=damage(*names)), label=names[0])
    async with app.run_test(size=WIDE) as pilot:
        await pilot.pause()
        for key in ("tab", "slash", "escape", "exclamation_mark", "j", "escape", "question_mark"):
            await press(pilot, key)
            for line in screen_lines(app):
                assert line.isprintable()
                assert not {"\u202e", "\u2066"} & set(line)


async def test_quit_while_a_pane_is_mounted_does_not_crash() -> None:
    app = dashboard(loader())
    async with app.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: "Scalars" in screen_text(app))
        area = app.query_one(PaneArea)
        app.exit()
        await area._mount_pane(app.build_state().plugins[0])  # had been called for, and its turn comes only now
    assert app.return_code == 0


async def test_run_vanishes_while_the_focused_sidebar_is_hidden() -> None:
    held = loader()
    app = dashboard(held)
    async with app.run_test(size=WIDE) as pilot:
        await press(pilot, "tab", "G")
        assert app._main_screen._sidebar.runs.current_run == "sgd"
        app._main_screen._placement = SidebarPlacement(is_shown_wide=False)  # as in a terminal that narrows now
        held.publish(plain_store(RUNS[:1]))
        await until(pilot, lambda: app._main_screen.focused is app._main_screen._panes.focus_target)
        assert drawn(app).startswith(RUNS[0])
