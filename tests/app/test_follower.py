"""The path from the loader to the screen, and from the user's settings to the disk."""

from __future__ import annotations

import itertools
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from tbtui.app import app as app_module
from tbtui.app import follower as follower_module
from tbtui.app import state as app_state
from tbtui.app.follower import LoadChanged, LoaderFollower
from tbtui.app.theme_names import DARK, LIGHT
from tbtui.app.themes import BackgroundAnswered
from tbtui.loading.assets import Profile, RunAssets
from tbtui.plugins import unsupported_data
from tbtui.run_health import summaries
from tbtui.settings import persistence
from tbtui.settings.persistence import SAVE_DELAY_SECONDS, SavedState, SettingsFile, SidebarState
from tbtui.settings.settings import Settings
from tests.helpers.screen_text import screen_lines, screen_text, until
from tests.helpers.scripted_dashboard import IMAGES, SCALARS, FakeLoader, WordsPane, dashboard
from tests.helpers.snapshots import START, plain_store, run, store

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from textual.message import Message

    from tbtui.loading.state import LoadState
    from tbtui.store.snapshot import RunSnapshot


class FakePump:
    """Keeps messages and timers instead of a message loop."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.timers: list[tuple[float, Callable[[], None]]] = []

    def post_message(self, message: Message) -> bool:
        self.messages.append(message)
        return True

    def set_timer(self, delay: float, callback: Callable[[], None]) -> FakeTimer:
        self.timers.append((delay, callback))
        return FakeTimer(self.timers)


class FakeTimer:
    def __init__(self, timers: list[tuple[float, Callable[[], None]]]) -> None:
        self._timers = timers
        self._timer = timers[-1]

    def stop(self) -> None:
        if self._timer in self._timers:
            self._timers.remove(self._timer)


class Clock:
    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        monkeypatch.setattr(follower_module.time, "monotonic", lambda: self.now)


def test_follower_draws_a_burst_at_once_then_ten_times_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, pump = Clock(monkeypatch), FakePump()
    taken: list[LoadState] = []
    fake = FakeLoader(store())
    follower = LoaderFollower(fake, pump, taken.append)  # type: ignore[arg-type]
    follower.open()
    assert len(taken) == 1

    clock.now += 1
    for revision in range(5):
        fake.publish(store(revision=revision))
    assert len(pump.messages) == 1  # one message, however many changes
    follower.handle_change()
    assert [state.snapshot.revision for state in taken[1:]] == [4]

    clock.now += 0.03
    fake.publish(store(revision=5))
    fake.publish(store(revision=6))
    follower.handle_change()
    follower.handle_change()
    assert len(taken) == 2
    ((wait, callback),) = pump.timers
    assert wait == pytest.approx(follower_module.MIN_PERIOD_SECONDS - 0.03)
    callback()
    assert taken[-1].snapshot.revision == 6

    follower.close()
    fake.publish(store(revision=7))
    assert len(pump.messages) == 2


def run_for(seconds: float, clock: Clock, pump: FakePump, fake: FakeLoader, follower: LoaderFollower) -> None:
    """Publish a state every hundredth of a second, and let messages and timers through."""
    due: float | None = None
    for _ in range(round(seconds * 100)):
        clock.now += 0.01
        fake.publish(store(revision=fake.state.snapshot.revision + 1))
        while pump.messages:
            pump.messages.pop()
            follower.handle_change()
        if not pump.timers:
            due = None
        elif due is None:
            due = clock.now + pump.timers[-1][0]
        elif clock.now >= due - 1e-6:
            pump.timers.pop()[1]()
            due = None


def test_follower_slows_down_during_a_long_load(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, pump = Clock(monkeypatch), FakePump()
    taken: list[float] = []
    fake = FakeLoader(store(), complete=False)
    follower = LoaderFollower(fake, pump, lambda _: taken.append(clock.now - 100.0))  # type: ignore[arg-type]
    follower.open()
    run_for(20.0, clock, pump, fake, follower)
    periods = [later - sooner for sooner, later in itertools.pairwise(taken)]
    assert taken[:5] == pytest.approx([0.0, 0.1, 0.2, 0.4, 0.8], abs=0.031)
    assert [round(when, 1) for when in periods] == sorted(round(when, 1) for when in periods)
    assert max(periods) == pytest.approx(follower_module.MAX_PERIOD_SECONDS, abs=0.021)
    assert len(taken) < 40


def test_follower_draws_the_complete_state_without_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, pump = Clock(monkeypatch), FakePump()
    taken: list[LoadState] = []
    fake = FakeLoader(store(), complete=False)
    follower = LoaderFollower(fake, pump, taken.append)  # type: ignore[arg-type]
    follower.open()
    run_for(10.0, clock, pump, fake, follower)
    clock.now += 1.0
    for _, callback in pump.timers:
        callback()
    pump.timers.clear()
    clock.now += 0.03
    fake.publish()
    follower.handle_change()
    assert [wait for wait, _ in pump.timers] == pytest.approx([0.97])
    pump.messages.clear()
    clock.now += 0.03
    fake.publish(complete=True)
    assert len(pump.messages) == 1  # the state that waits to be drawn does not keep this one from being told
    follower.handle_change()
    ((wait, callback),) = pump.timers
    assert wait == pytest.approx(0.04)
    callback()
    assert taken[-1].complete


def test_follower_waits_for_the_complete_state_if_the_rest_is_soon_read(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, pump = Clock(monkeypatch), FakePump()
    taken: list[float] = []
    fake = FakeLoader(store(), complete=False, bytes_read=1_000, bytes_total=10_000)
    follower = LoaderFollower(fake, pump, lambda _: taken.append(clock.now - 100.0))  # type: ignore[arg-type]
    follower.open()
    run_for(2.0, clock, pump, fake, follower)
    assert max(later - sooner for sooner, later in itertools.pairwise(taken)) < 1.0
    fake.publish(bytes_read=9_000)  # the rest takes a ninth of the two seconds until now
    taken.clear()
    run_for(4.0, clock, pump, fake, follower)
    assert taken[1] - taken[0] == pytest.approx(follower_module.MAX_LAST_PERIOD_SECONDS, abs=0.031)


def test_follower_draws_a_state_when_it_is_prepared_then_the_latest(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, pump = Clock(monkeypatch), FakePump()
    taken: list[int] = []
    waiting: list[Callable[[object], None]] = []

    class Preparation:
        def add_done_callback(self, callback: Callable[[object], None]) -> None:
            waiting.append(callback)

    def prepare(state: LoadState) -> Preparation | None:
        return Preparation() if state.snapshot.revision < 3 else None

    fake = FakeLoader(store(revision=0))
    follower = LoaderFollower(fake, pump, lambda state: taken.append(state.snapshot.revision), prepare)  # type: ignore[arg-type]
    follower.open()
    assert taken == [0]
    clock.now += 1
    for revision in (1, 2, 3):
        fake.publish(store(revision=revision))
        follower.handle_change()
    assert taken == [0]
    assert len(waiting) == 1
    clock.now += 1
    waiting.pop()(None)
    assert taken == [0, 1, 3]

    fake.publish(store(revision=2))
    clock.now += 1
    follower.handle_change()
    follower.close()
    waiting.pop()(None)
    assert taken == [0, 1, 3]


async def test_many_new_runs_are_summarised_on_another_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: dict[str, int] = {}
    summarize = summaries.summarize_run

    def noted(made: RunSnapshot) -> summaries.RunSummary:
        assert made.name not in threads, "a run is summarised once"
        threads[made.name] = threading.get_ident()
        return summarize(made)

    monkeypatch.setattr(summaries, "summarize_run", noted)
    fake = FakeLoader(plain_store(["first"]))
    app = dashboard(fake)
    async with app.run_test(size=(80, 24)) as pilot:
        fake.publish(plain_store(["first", *(f"new{number}" for number in range(40))]))
        await until(pilot, lambda: "41 runs" in screen_text(app))
        assert threads.pop("first") == threading.get_ident()
        assert len(threads) == 40
        assert threading.get_ident() not in threads.values()


def test_load_changed_replaces_waiting_messages() -> None:
    assert LoadChanged().can_replace(LoadChanged())


async def test_states_published_by_a_thread_reach_the_screen() -> None:
    fake = FakeLoader(plain_store(["a"]))
    app = dashboard(fake)
    async with app.run_test(size=(80, 24)) as pilot:
        thread = threading.Thread(target=fake.publish, args=(plain_store(["a", "b"]),))
        thread.start()
        thread.join()
        await until(pilot, lambda: "draws a b by" in screen_text(app))
        assert "draws a b by step" in screen_text(app)


async def test_unchanged_state_is_not_drawn_again() -> None:
    fake = FakeLoader(plain_store(["a"]))
    app = dashboard(fake)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        pane = app.screen.query_one(WordsPane)
        shown = pane.shown
        fake.on_change()
        await pilot.pause(0.15)
        assert pane.shown == shown


async def test_ages_refresh_without_a_ticking_timer() -> None:
    now = [START + 30.0]
    app = dashboard(FakeLoader(store(run("a", {"t": (1,)}, last=START))), clock=lambda: now[0])
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert screen_lines(app)[0].endswith("live")
        assert screen_lines(app)[3][1] == "◐"
        assert app._refresh_timer is not None
        assert app._refresh_timer._interval == pytest.approx(30.05)
        now[0] = START + 60.0
        app.refresh_state()  # what the timer calls
        await pilot.pause()
        assert screen_lines(app)[0].endswith("last write 1m ago")
        assert screen_lines(app)[3][1] == "●"
        assert app._refresh_timer._interval == pytest.approx(60.05)
        now[0] = START + 500 * 86400.0
        app.refresh_state()
        assert app._refresh_timer._interval == pytest.approx(86400.0, abs=1)  # then it is 501 days
        now[0] = START + 100 * 365 * 86400.0
        app.refresh_state()
        assert app._refresh_timer is None


async def test_arriving_data_is_live_whatever_its_wall_time() -> None:
    fake = FakeLoader(store(run("a", {"t": (1,)}, last=START - 1e6)))
    app = dashboard(fake)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert screen_lines(app)[0].endswith("last write 11d ago")
        fake.publish(store(run("a", {"t": (1,)}, last=START - 1e6, revision=2, vanished=True), revision=2))
        await until(pilot, lambda: app._load.snapshot.runs["a"].vanished)
        assert screen_lines(app)[0].endswith("last write 11d ago")  # a directory that goes is no news of a training
        fake.publish(store(run("a", {"t": (1, 2)}, last=START - 1e6, revision=3), revision=3), bytes_read=100)
        await until(pilot, lambda: screen_lines(app)[0].endswith("live"))
        assert screen_lines(app)[0].endswith("live")


async def test_settings_survive_a_restart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(persistence, "SAVE_DELAY_SECONDS", 3600.0)
    saved = SettingsFile(tmp_path / "one.json")
    app = dashboard(FakeLoader(plain_store(["adam/a", "adam/b", "c"])), saved=saved, saved_state=saved.load())
    async with app.run_test(size=(100, 24)) as pilot:
        await pilot.pause()
        await pilot.press("tab", "left", "down", "space", "x", "}", "}", "{", "b")
        await pilot.pause()
        assert not saved.path.exists()  # a little later, not at each key
    kept = saved.load()
    assert (kept.settings.hidden_runs, kept.settings.x_axis) == ({"c"}, "relative")
    assert kept.sidebar == SidebarState(open=False, folded_folders=frozenset({"dadam/"}), width=26)
    assert kept.inks == {"adam/a": 0, "adam/b": 1, "c": 2}

    again = dashboard(
        FakeLoader(plain_store(["0", "adam/a", "c"])), saved=saved, saved_state=kept, settings=kept.settings
    )
    async with again.run_test(size=(100, 24)) as pilot:
        await pilot.pause()
        assert "draws 0 adam/a by relative" in screen_text(again)
        assert "runs…" not in screen_text(again)
        assert again.build_state().view.inks == {"0": 1, "adam/a": 0, "adam/b": 1, "c": 2}


async def test_settings_are_saved_after_a_delay(tmp_path: Path) -> None:
    saved = SettingsFile(tmp_path / "one.json")
    app = dashboard(FakeLoader(plain_store(["a"])), saved=saved)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("x", "x")
        assert app._settings_saver.timer is not None
        assert app._settings_saver.timer._interval == SAVE_DELAY_SECONDS
        app._settings_saver.save()
        assert saved.load().settings.x_axis == "wall"


async def test_session_overrides_are_saved_only_after_a_change(tmp_path: Path) -> None:
    saved = SettingsFile(tmp_path / "one.json")
    kept = SavedState(Settings(smoothing=0.5, run_filter="a", max_steps=7))
    given = Settings(smoothing=0.9, run_filter="b", tag_filter="t", max_steps=9)
    app = dashboard(FakeLoader(plain_store(["a", "b"])), saved=saved, saved_state=kept, settings=given)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "draws b by step" in screen_text(app)
        await pilot.press("+", "x")
    assert saved.load().settings == replace(kept.settings, smoothing=0.95, x_axis="relative")


async def test_theme_is_saved_if_chosen_and_not_if_requested(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLORTERM", "truecolor")
    saved = SettingsFile(tmp_path / "one.json")

    async def themes(*names: str, asked: str | None = None) -> str:
        app = dashboard(FakeLoader(plain_store(["a"])), saved=saved, saved_state=saved.load(), theme=asked)
        async with app.run_test(size=(80, 24)) as pilot:
            began = app.theme
            for name in names:
                app.theme = name
                await pilot.pause()
        return began

    assert await themes() == DARK
    assert await themes(asked="nord") == "nord"
    assert await themes(LIGHT) == DARK
    assert await themes(asked="nord") == "nord"
    assert await themes() == LIGHT
    assert await themes("nord", DARK, asked=LIGHT) == LIGHT
    assert saved.load().theme == DARK
    saved.save(SavedState(theme="no such theme"))
    assert await themes() == DARK
    assert saved.load().theme == "no such theme"  # it may be there again one day


async def test_cursor_moves_are_not_saved(tmp_path: Path) -> None:
    saved = SettingsFile(tmp_path / "one.json")
    app = dashboard(FakeLoader(plain_store(["a"])), saved=saved)
    async with app.run_test(size=(80, 24)) as pilot:
        app.choose(cursor=3.0, mark=1.0, focus="a")
        await pilot.pause()
        assert app.settings.cursor == 3.0
        assert app._settings_saver.timer is None


async def test_filter_too_slow_for_later_names_is_reported() -> None:
    fake = FakeLoader(plain_store(["b"]))
    app = dashboard(fake, settings=Settings(run_filter="(q|qq)+$|b"))
    async with app.run_test(size=(110, 24)) as pilot:
        await pilot.pause()
        assert "too slow" not in screen_text(app)
        fake.publish(plain_store(["b", *("q" * 3000 + "a" * 3000 + str(i) for i in range(50))]))
        await until(pilot, lambda: "too slow" in screen_text(app))
        lines = [" ".join(line.split()) for line in screen_lines(app)]
        assert "51 runs · run filter: too slow" in lines[0].replace("· 3 tags · live ", "")
        assert "too slow" in lines[2]
        assert lines[-1].startswith("filter not applied: too slow")


async def test_unwritable_settings_are_reported_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    app = dashboard(FakeLoader(plain_store(["a"])), saved=SettingsFile(tmp_path / "file" / "one.json"))
    async with app.run_test(size=(100, 24), notifications=True) as pilot:
        await pilot.press("x")
        app._settings_saver.save()
        await pilot.pause()
        assert "your settings cannot be saved" in " ".join(screen_text(app).split())
        await pilot.press("x")
        await pilot.pause()
        assert "by wall" in screen_text(app)


async def test_settings_of_absent_runs_are_kept() -> None:
    app = dashboard(
        FakeLoader(plain_store(["a"])), saved_state=SavedState(inks={"gone": 7}), settings=Settings(solo="gone")
    )
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "draws a by step" in screen_text(app)
        assert app.build_state().view.inks == {"gone": 7, "a": 0}


async def test_broken_pane_ends_the_app_with_its_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: WordsPane, view: object) -> None:
        raise RuntimeError("no such thing")

    monkeypatch.setattr(WordsPane, "show", broken)
    app = dashboard(FakeLoader(plain_store(["a"])))
    with pytest.raises(RuntimeError, match="no such thing"):
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.pause()
    assert app.return_code == 1


async def test_data_without_a_dashboard_is_named_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        unsupported_data, "PLUGINS", tuple(plugin for plugin in unsupported_data.PLUGINS if plugin.name != "profile")
    )
    assets = (RunAssets("a", profiles=(Profile("now", ("vm",), ("/logs/vm.xplane.pb",), 6),)),)
    fake = FakeLoader(plain_store(["a"]), assets=assets)
    app = dashboard(fake)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert [toast.message for toast in app._notifications] == ["a: 1 profile of vm, not shown yet"]
        fake.publish(bytes_read=100)
        await pilot.pause()
        assert len(app._notifications) == 1


async def test_default_theme_fits_the_background_and_is_not_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLORTERM", "truecolor")
    saved = SettingsFile(tmp_path / "saved.json")

    async def theme_after(*, is_light: bool, asked: str | None = None, chosen: str | None = None) -> str:
        app = dashboard(FakeLoader(plain_store(["a"])), saved=saved, saved_state=saved.load(), theme=asked)
        async with app.run_test() as pilot:
            if chosen:
                app.theme = chosen
                await pilot.pause()
            app.post_message(BackgroundAnswered(is_light=is_light))
            await pilot.pause()
            return app.theme

    assert await theme_after(is_light=True) == LIGHT
    assert saved.load().theme is None
    assert await theme_after(is_light=False) == DARK
    assert await theme_after(is_light=True, asked=DARK) == DARK
    assert await theme_after(is_light=True, chosen="nord") == "nord"
    assert await theme_after(is_light=True) == "nord"


async def test_age_that_changes_is_not_drawn_by_the_pane() -> None:
    now = [START + 30.0]
    app = dashboard(FakeLoader(store(run("a", {"t": (1,)}, last=START))), clock=lambda: now[0])
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.has_drawn)
        pane = app.screen.query_one(WordsPane)
        shown = pane.shown
        now[0] = START + 60.0
        app.refresh_state()
        await pilot.pause()
        assert screen_lines(app)[0].endswith("last write 1m ago")
        assert pane.shown == shown
        app.choose(smoothing=0.9)
        assert pane.shown == shown + 1


async def test_ages_are_refreshed_more_rarely_if_that_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = itertools.count()
    monkeypatch.setattr(app_module.time, "thread_time", lambda: 0.05 * next(ticks))
    fake = FakeLoader(store(run("a", {"t": (1,)}, last=START)))
    app = dashboard(fake, clock=lambda: START + 58.0)  # two seconds later its age is another one
    async with app.run_test(size=(80, 24)):
        assert app._refresh_timer is not None
        assert app._refresh_timer._interval == pytest.approx(0.05 * app_module.REFRESH_SHARE, abs=0.1)


async def test_key_with_a_thousand_runs_counts_none_of_them_again(monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[str] = []

    def noted(*arguments: Any) -> frozenset[str]:
        counted.append("tags")
        return summaries.collect_tags(*arguments)

    monkeypatch.setattr(app_state, "collect_tags", noted)
    app = dashboard(FakeLoader(plain_store([f"run{number}" for number in range(1000)])))
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: "1,000 runs" in screen_text(app))
        counted.clear()
        await pilot.press("plus", "plus", "x")
        assert app.settings.x_axis == "relative"
        assert counted == []
        app.choose(hidden_runs=frozenset({"run7"}))
        assert counted == ["tags"]
        assert app.build_state().health.stalled == 0


async def test_pane_that_waits_shows_the_complete_state_and_choices(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = FakeLoader(plain_store(["a"]), complete=False)
    app = dashboard(fake)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "draws a by" in screen_text(app))
        monkeypatch.setattr(WordsPane, "waits_for", lambda *_: True)
        fake.publish(plain_store(["a", "b"]))
        await until(pilot, lambda: "2 runs" in screen_text(app))
        assert "draws a by" in screen_text(app)
        fake.publish(complete=True)
        await until(pilot, lambda: "draws a b by" in screen_text(app))


async def test_tab_of_data_in_other_files_appears_once_they_are_found() -> None:
    in_files = replace(IMAGES, has_files=lambda snapshot, _: "b" in snapshot.runs)
    fake = FakeLoader(plain_store(["a"]))
    app = dashboard(fake, plugins=(SCALARS, in_files))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "draws a by" in screen_text(app))
        assert "2 Images" not in screen_text(app)
        fake.publish(plain_store(["a", "b"]))
        await until(pilot, lambda: "2 Images" in screen_text(app))
