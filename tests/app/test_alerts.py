"""Alerts: each event is reported once, in text that is safe for the terminal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.app.alerts import MAX_TITLE_COLUMNS, SIGNS, Alert, AlertDetector, encode_title, format_title, format_toasts
from tbtui.app.state import AppState, AppStateBuilder
from tbtui.charts.text import cell_width
from tbtui.loading.state import LoadState
from tbtui.settings.settings import Settings
from tbtui.view.run_names import RunColours
from tests.helpers.screen_text import screen_text, until
from tests.helpers.scripted_dashboard import NOW, SCALARS, FakeLoader, dashboard
from tests.helpers.snapshots import run, scalars, store

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from tbtui.store.snapshot import RunSnapshot

NAN = math.nan
T = np.linspace(0, 1, 300)
BLOWN_UP = np.where(T < 0.6, 1 - T, 0.4 + 500 * (T - 0.6) ** 2)


def wrote(name: str, values: Sequence[float], *, last: float = NOW, revision: int = 1) -> RunSnapshot:
    """A value a second."""
    made = scalars(name, "loss", values, start=last - len(values) + 1)
    return run(name, others=[made], last=last, revision=revision)


class Watched:
    """AppStateBuilder in turn, and what is new in each."""

    def __init__(self) -> None:
        self._builder = AppStateBuilder((SCALARS,), RunColours())
        self._alerts = AlertDetector()

    def news(self, *runs: RunSnapshot, now: float = NOW, complete: bool = True, **settings: Any) -> list[str]:
        state = LoadState(store(*runs), complete=complete, watching="notified")
        self._builder.record_arrival(state, now)
        return [alert.text for alert in self._alerts.detect(self._builder.build(state, Settings(**settings), now))]


def test_detector_reports_each_event_once() -> None:
    watched = Watched()
    fine = [1.0] * 100
    assert watched.news(wrote("a", fine)) == []
    sick = wrote("a", [*fine, NAN], revision=2)
    assert watched.news(sick) == ["a: NaN from step 100 in loss"]
    assert watched.news(sick) == []
    assert watched.news(wrote("a", [*fine, NAN, NAN], revision=3)) == []
    assert watched.news(wrote("a", [*fine, NAN, NAN, 1.0, NAN], revision=4)) == []


def test_detector_ignores_events_of_the_initial_load() -> None:
    watched = Watched()
    assert watched.news(wrote("a", [1.0]), complete=False) == []
    sick = wrote("a", [1.0, NAN], revision=2)
    assert watched.news(sick, complete=False) == []
    assert watched.news(sick) == []
    assert watched.news(sick, wrote("b", BLOWN_UP)) == ["b: loss diverges"]


@pytest.mark.parametrize(("max_steps", "says"), [(None, "over or stalled"), (1000, "stalled")])
def test_detector_reports_a_second_stall_after_the_run_continued(max_steps: int | None, says: str) -> None:
    watched = Watched()
    made = wrote("a", [1.0] * 100)
    assert watched.news(made, max_steps=max_steps) == []
    assert watched.news(made, max_steps=max_steps, now=NOW + 299) == []
    assert watched.news(made, max_steps=max_steps, now=NOW + 300) == [f"a: {says}, no write for 5m"]
    assert watched.news(made, max_steps=max_steps, now=NOW + 4000) == []
    more = wrote("a", [1.0] * 101, last=NOW + 5000, revision=2)
    assert watched.news(more, max_steps=max_steps, now=NOW + 5000) == []
    assert watched.news(more, max_steps=max_steps, now=NOW + 6000) == [f"a: {says}, no write for 16m"]


def test_detector_ignores_a_silent_run_that_becomes_stalled() -> None:
    watched = Watched()
    made, other = wrote("a", [1.0] * 100), wrote("b", [1.0] * 100)
    assert watched.news(made, other) == []
    assert watched.news(made, wrote("b", [1.0] * 101, last=NOW + 300, revision=2), now=NOW + 300) == [
        "a: over or stalled, no write for 5m"
    ]
    assert watched.news(made, wrote("b", [1.0] * 900, last=NOW + 900, revision=3), now=NOW + 900) == []


def test_detector_reports_the_end_when_reached_not_when_max_steps_changes() -> None:
    watched = Watched()
    assert watched.news(wrote("a", [1.0] * 100), max_steps=101) == []
    longer = wrote("a", [1.0] * 102, revision=2)
    assert watched.news(longer, max_steps=101) == ["a: done at step 101"]
    other = wrote("b", [1.0] * 60)
    assert watched.news(longer, other, max_steps=101) == []
    assert watched.news(longer, other, max_steps=50) == []
    assert watched.news(longer, wrote("b", [1.0] * 61, revision=2), max_steps=50) == []


def test_detector_ignores_hidden_and_filtered_runs_for_good() -> None:
    watched = Watched()
    fine, sick = [1.0] * 5, [1.0] * 4 + [NAN]
    before, after = ([wrote(name, values, revision=n) for name in "abc"] for n, values in ((1, fine), (2, sick)))
    assert watched.news(*before) == []
    assert watched.news(*after, run_filter="[ab]", hidden_runs=frozenset({"b"})) == ["a: NaN from step 4 in loss"]
    assert watched.news(*after) == []


def test_detector_ignores_flat_losses_and_vanished_runs() -> None:
    watched = Watched()
    watched.news(wrote("a", [2.0] * 50))
    flat = wrote("a", np.maximum(0.5, 2 - 4 * T), revision=2)
    assert watched.news(flat) == []
    gone = run("a", others=list(flat.series.values()), last=NOW, revision=3, vanished=True)
    assert watched.news(gone, now=NOW + 1000) == []


def test_detector_names_a_run_by_what_distinguishes_it() -> None:
    names = [f"2026-11-20/sweep/optimizer=adam,lr={lr},batch_size=64,model=resnet50" for lr in ("1e-3", "3e-4")]
    watched = Watched()
    assert watched.news(*(wrote(name, [1.0] * 5) for name in names)) == []
    sick = [wrote(name, [1.0] * 4 + [NAN], revision=2) for name in names]
    assert watched.news(*sick) == [
        f"lr={lr},batch_size=64,model=resnet50: NaN from step 4 in loss" for lr in ("1e-3", "3e-4")
    ]


def test_title_text_has_the_first_alert_and_a_count() -> None:
    alerts = [Alert("adam/seed0", "nan", "NaN from step 251 in loss"), Alert("b", "done", "done at step 5")]
    assert format_title(alerts[:1]) == "✗ adam/seed0: NaN from step 251 in loss"
    assert format_title(alerts) == "✗ adam/seed0: NaN from step 251 in loss (+1)"
    assert format_title(alerts[::-1]) == "✓ b: done at step 5 (+1)"
    assert [text for text, _ in format_toasts([*alerts, *alerts, *alerts])] == [
        "adam/seed0: NaN from step 251 in loss",
        "b: done at step 5",
        "adam/seed0: NaN from step 251 in loss",
        "and 3 more",
    ]


@given(st.text(), st.text(), st.sampled_from(sorted(SIGNS)), st.integers(1, 2000))
def test_title_text_is_safe_and_bounded_for_any_name(name: str, says: str, kind: str, count: int) -> None:
    title = format_title([Alert(name, kind, says)] * count)
    assert title.isprintable()
    assert cell_width(title) <= MAX_TITLE_COLUMNS
    sequence = encode_title(title)
    assert (sequence[:4], sequence[-1]) == ("\x1b]0;", "\a")
    assert sequence[4:-1].isprintable()


async def told(alert: bool, monkeypatch: pytest.MonkeyPatch) -> tuple[list[str], int, str]:
    """What a run that loses its numbers makes the app write to the terminal, how often it rings, and what it shows."""
    fake = FakeLoader(store(wrote("a\x1b]0;x\a", [1.0] * 5)))
    app = dashboard(fake, alert=alert)
    written: list[str] = []
    rung: list[bool] = []
    monkeypatch.setattr(app, "bell", lambda: rung.append(True))
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await pilot.pause()
        monkeypatch.setattr(app._driver, "write", written.append)
        fake.publish(store(wrote("a\x1b]0;x\a", [1.0] * 4 + [NAN], revision=2)))
        await until(pilot, lambda: "✗" in screen_text(app))
        await pilot.pause()
        return [text for text in written if "\x1b]" in text], len(rung), screen_text(app)


async def test_app_with_alerts_rings_sets_the_title_and_shows_a_toast(monkeypatch: pytest.MonkeyPatch) -> None:
    titles, rung, shown = await told(True, monkeypatch)
    assert titles == ["\x1b]0;tbtui ✗ a·]0;x·: NaN from step 4 in loss\a"]
    assert rung == 1
    assert "a·]0;x·: NaN from step 4 in loss" in " ".join(shown.split())


async def test_app_without_alerts_is_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    titles, rung, shown = await told(False, monkeypatch)
    assert (titles, rung) == ([], 0)
    assert "NaN from step 4" not in shown


def test_builder_reuses_parts_while_nothing_changes() -> None:
    builder, alerts = AppStateBuilder((SCALARS,), RunColours()), AlertDetector()
    state = LoadState(store(wrote("a", [1.0, NAN])), complete=True)
    seen: AppState = builder.build(state, Settings(), NOW)
    alerts.detect(seen)
    again = builder.build(state, Settings(cursor=1.0), NOW + 5)
    assert again.conditions is seen.conditions
    assert again.summaries is seen.summaries
    assert again.tags is seen.tags
    assert alerts.detect(again) == []
    assert builder.build(state, Settings(), NOW + 61).conditions is not seen.conditions
