"""Test the HParams tab: what matters, table, filter, sorting, opened session."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tbtui.plugins.hparams.pane import pane as pane_module
from tbtui.plugins.hparams.pane.pane import HParamsPane
from tbtui.plugins.hparams.settings import SESSIONS
from tbtui.run_health.summaries import SummaryCache
from tbtui.view.run_names import RunColours
from tbtui.view.view import build_view
from tests.helpers.pane_app import AskedApp, pressed
from tests.helpers.sessions import search_store, session_run
from tests.helpers.snapshots import store

if TYPE_CHECKING:
    import pytest


class HParamsApp(AskedApp):
    def __init__(self, stored: Any = None, **settings: Any) -> None:
        super().__init__(HParamsPane(), stored or search_store(40), **settings)

    @property
    def chosen(self) -> Any:
        return SESSIONS.value(self.settings)

    def sessions(self) -> list[str]:
        return [line.split()[1] for line in self.lines() if line[:1] in "●◆■▲" and line[2:3] in "tw"]


async def test_hparams_tab_shows_what_matters_above_the_table() -> None:
    app = HParamsApp()
    async with app.run_test(size=(110, 40)) as pilot:
        await pressed(pilot, "")
        lines = app.lines()
        assert lines[0].startswith("What matters for val/loss")
        assert lines[0].endswith("▾ least is best")
        (row,) = [line for line in lines if line.startswith("lr ")]
        assert "█" in row
        assert any(line.startswith("session") and "val/loss" in line for line in lines)
        assert len(app.sessions()) > 20


async def test_hparams_tab_enter_on_a_name_opens_and_elsewhere_sorts() -> None:
    app = HParamsApp()
    async with app.run_test(size=(110, 40)) as pilot:
        await pressed(pilot, "enter")
        lines = app.lines()
        assert lines[0].startswith("‹ t")
        assert any(line.startswith("lr ") and "logged" in line for line in lines)
        assert any("╭ val/loss" in line for line in lines)
        first = lines[0]
        await pressed(pilot, "n")
        assert app.lines()[0] != first
        await pressed(pilot, "escape right right right enter")
        assert app.chosen.sort == "h/lr"
        await pressed(pilot, "enter")
        assert app.chosen.descending
        await pressed(pilot, "enter")
        assert app.chosen.sort == ""


async def test_hparams_tab_filter_takes_terms_and_says_what_is_wrong() -> None:
    app = HParamsApp()
    async with app.run_test(size=(110, 40)) as pilot:
        await pressed(pilot, "")
        await pilot.press("slash", *"opt=adam", "enter")
        await pressed(pilot, "")
        assert app.settings.run_filter == "opt=adam"
        await pilot.press("slash", *" lr>x")
        await pressed(pilot, "")
        assert any("lr>x: x is no number" in line for line in app.lines())
        assert app.settings.run_filter == "opt=adam"
        await pressed(pilot, "escape")
        assert app.settings.run_filter == "opt=adam"


async def test_hparams_tab_space_switches_a_session_off_and_a_all_on() -> None:
    app = HParamsApp()
    async with app.run_test(size=(110, 40)) as pilot:
        await pressed(pilot, "")
        (first, *_) = app.sessions()
        await pressed(pilot, "space")
        assert app.settings.hidden_runs == {first}
        assert first not in app.sessions()
        await pressed(pilot, "a")
        assert app.settings.hidden_runs == frozenset()
        await pressed(pilot, "s")
        assert len(app.sessions()) == 1


async def test_hparams_tab_keys_change_figure_groups_baseline_and_columns() -> None:
    app = HParamsApp()
    async with app.run_test(size=(110, 40)) as pilot:
        await pressed(pilot, "t")
        assert app.chosen.figure == "best"
        await pressed(pilot, "R")
        assert app.chosen.grouped
        await pressed(pilot, "R d")
        assert app.chosen.baseline
        assert app.chosen.deltas
        assert any("Δ val/loss" in line for line in app.lines())
        await pressed(pilot, "d right greater_than_sign")
        assert app.chosen.columns.first[:2] == ("m/acc", "m/val/loss")
        await pressed(pilot, "underscore")
        assert app.chosen.columns.hidden == {"m/val/loss"}
        await pressed(pilot, "left left right B")
        assert app.chosen.metric == "acc"
        assert "What matters for acc" in app.lines()[0]
        await pressed(pilot, "e")
        assert app.settings.chart("acc").best == "min"


async def test_hparams_tab_small_terminal_shows_the_table_and_m_what_matters() -> None:
    app = HParamsApp()
    async with app.run_test(size=(40, 10)) as pilot:
        await pressed(pilot, "")
        assert any(line.startswith("session") for line in app.lines())
        await pressed(pilot, "m")
        assert app.lines()[0].startswith("What matters for val/loss")
        assert not any(line.startswith("session ") for line in app.lines())


async def test_hparams_tab_few_sessions_say_why_there_are_no_shares() -> None:
    app = HParamsApp(store(*(session_run(f"t{n}", {"lr": float(n)}, {"loss": [1.0 + n]}) for n in range(3))))
    async with app.run_test(size=(100, 30)) as pilot:
        await pressed(pilot, "")
        assert "shares need 12 sessions with a value of loss: 3 have one" in app.lines()
        assert len(app.sessions()) == 3


async def test_hparams_tab_sessions_without_metric_are_listed() -> None:
    app = HParamsApp(store(*(session_run(f"t{n}", {"lr": float(n)}) for n in range(3))))
    async with app.run_test(size=(100, 30)) as pilot:
        await pressed(pilot, "")
        assert len(app.sessions()) == 3
        assert "these sessions have no metric" in app.lines()


async def test_hparams_tab_waits_while_a_log_grows_but_not_for_choices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pane_module, "PARTIAL_WAITS", 1e9)
    app = HParamsApp(search_store(20))

    def view(**settings: Any) -> Any:
        return build_view(search_store(40), replace(app.settings, **settings), RunColours(), SummaryCache())

    async with app.run_test(size=(110, 40)) as pilot:
        await pressed(pilot, "")
        assert app.pane.waits_for(view())
        assert not app.pane.waits_for(view(hidden_runs=frozenset({"t01"})))
        monkeypatch.setattr(pane_module, "PARTIAL_WAITS", 0)
        app.pane.show(view())
        await pressed(pilot, "")
        assert not app.pane.waits_for(view())
