"""The Graphs tab between two graphs: parts of the screen are still of the one before, and keys go to them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from tbtui.plugins.graphs.settings import GRAPH, NAVIGATION
from tbtui.widgets import worker as worker_module
from tests.helpers.graph_bytes import graph, node
from tests.helpers.graph_logs import GraphLogs, GraphsApp, many_ops
from tests.helpers.pane_app import pressed
from tests.helpers.screen_text import screen_lines, screen_text
from tests.helpers.step_stats import CPU, Ran, step_stats

if TYPE_CHECKING:
    from pathlib import Path

    from textual.pilot import Pilot

    from tbtui.widgets.worker import Worker

WIDE = (100, 36)


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_module, "MAX_WAIT_SECONDS", 30)


@pytest.fixture
def logs(tmp_path: Path) -> GraphLogs:
    """A large graph, which was run, and then a small one."""
    logs = GraphLogs(tmp_path / "logs")
    ran = {CPU: [Ran(f"block{number // 10}/op_{number}", number, 1 + number) for number in range(50)]}
    logs.add("a", many_ops(50), ("step", step_stats(ran)))
    logs.add("b", graph(node("x"), node("y", "Op", "x")))
    return logs


class Held:
    """Work of some kinds, begun only when a test says so."""

    def __init__(self, worker: Worker, *kinds: str) -> None:
        self._kinds, self._ask = kinds, worker.ask
        self._waiting: dict[str, Any] = {}
        worker.ask = self.ask  # type: ignore[method-assign]

    def ask(self, kind: str, *how: Any) -> None:
        if kind in self._kinds:
            self._waiting[kind] = how
        else:
            self._ask(kind, *how)

    def go_on(self) -> None:
        self._kinds = ()
        for kind, how in self._waiting.items():
            self._ask(kind, *how)


async def shown(pilot: Pilot[None], keys: str = "") -> GraphsApp:
    await pressed(pilot, keys)
    await pressed(pilot, "")
    assert isinstance(pilot.app, GraphsApp)
    return pilot.app


def chosen(app: GraphsApp) -> str:
    hierarchy, look = app.hierarchy, app.graphs.session.navigation
    return "" if hierarchy is None or look is None else hierarchy.name(look.chosen)


@pytest.mark.parametrize("key", ["k", "g"])
async def test_graph_replaced_table_rows_select_nothing(logs: GraphLogs, key: str) -> None:
    async with logs.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot, "m o G")
        assert chosen(app) == "block4/op_49"
        held = Held(app.graphs.worker, "operations")
        app = await shown(pilot, f"right_square_bracket {key}")
        assert chosen(app) == "x"
        held.go_on()
        app = await shown(pilot, "j")
        assert chosen(app) == "y"


async def test_graph_replaced_detail_rows_select_nothing(logs: GraphLogs) -> None:
    async with logs.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot, "m s G")
        app = await shown(pilot, "right G")
        app.graphs.parts.details.focus()
        app = await shown(pilot)
        assert app.graphs.parts.targets
        held = Held(app.graphs.worker, "details")
        app = await shown(pilot, "right_square_bracket enter")
        assert chosen(app) == "x"
        held.go_on()
        app = await shown(pilot)
        assert app.graphs.parts.targets


async def test_graph_replaced_executions_select_nothing(logs: GraphLogs) -> None:
    async with logs.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot, "m T right")
        held = Held(app.graphs.worker, "times")
        app.graphs.choose_graph(app.graphs.loader.listed.sources[-1])  # type: ignore[union-attr]
        app = await shown(pilot, "G")
        assert chosen(app) == "x"
        held.go_on()


async def test_graph_replaced_matches_beside_the_diagram_select_nothing(logs: GraphLogs) -> None:
    async with logs.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot, "m o slash")
        app.graphs.parts.bar._field.value = "."
        app = await shown(pilot, "enter right_square_bracket")
        assert "of 2" in screen_text(app)


async def test_graph_replaced_while_typing_a_pattern(logs: GraphLogs) -> None:
    async with logs.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot, "m o G slash")
        app.graphs.choose_graph(app.graphs.loader.listed.sources[-1])  # type: ignore[union-attr]
        app = await shown(pilot)
        app.graphs.parts.bar._field.value = "nowhere"
        app = await shown(pilot)
        assert chosen(app) == "x"
        app.graphs.parts.bar._field.value = "y"
        app = await shown(pilot)
        assert chosen(app) == "y"


@pytest.mark.parametrize("hidden", ["a", "b"])
@pytest.mark.parametrize("view", ["d", "s", "o", "T"])
async def test_graph_of_a_hidden_run_is_restored_when_shown(logs: GraphLogs, view: str, hidden: str) -> None:
    async with logs.app(hidden_runs=frozenset({hidden})).run_test(size=WIDE) as pilot:
        app = await shown(pilot, f"m {view} j")
        before = screen_lines(app)
        app.settings = replace(app.settings, hidden_runs=frozenset({"a", "b"}))
        app.look()
        await shown(pilot)
        assert app.graphs.loader.graph is None
        app.settings = replace(app.settings, hidden_runs=frozenset({hidden}))
        app.look()
        app = await shown(pilot)
        assert screen_lines(app)[:2] == before[:2]
        if view == "o":
            assert app.graphs.scene is not None
            assert app.graphs.table.matches(app.graphs.scene) is None
            assert app.graphs.table.operations is not None
        elif view != "T":
            assert app.graphs.parts.diagram.diagram is not None


async def test_graph_replaced_while_the_terminal_is_resized(logs: GraphLogs) -> None:
    async with logs.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot, "s G right G")
        held = Held(app.graphs.worker, "graph")
        await shown(pilot, "right_square_bracket")
        app.graphs.session = replace(
            app.graphs.session, is_bar_open=True
        )  # a line more, so that the parts stand elsewhere from then on
        held.go_on()
        app = await shown(pilot)
        assert chosen(app) == "x"


async def test_graph_being_read_shows_no_costs_of_the_old_one(logs: GraphLogs) -> None:
    async with logs.app(graph=("b", "__run_graph__")).run_test(size=WIDE) as pilot:
        app = await shown(pilot)
        graphs = app.graphs
        assert graphs.loader.listed is not None
        assert graphs.loader.costs is None
        held = Held(graphs.worker, "graph")
        graphs.choose_graph(graphs.loader.listed.sources[0])
        app.look()
        await shown(pilot)
        assert graphs.loader.costs is None
        held.go_on()
        await shown(pilot)
        assert graphs.loader.costs is not None


async def test_graph_keys_faster_than_reading_each_count(logs: GraphLogs) -> None:
    logs.add("c", graph(node("z")))
    async with logs.app(graph=("a", "__run_graph__")).run_test(size=WIDE) as pilot:
        app = await shown(pilot)
        app.graphs.action_step(1)
        app.graphs.action_step(1)
        app = await shown(pilot)
        assert chosen(app) == "z"
        assert GRAPH.value(app.settings) == ("c", "__run_graph__")


async def test_graph_navigation_is_kept_if_replaced_at_once(logs: GraphLogs) -> None:
    async with logs.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot, "s G k")
        name = chosen(app)
        app = await shown(pilot, "right_square_bracket")
        assert NAVIGATION.value(app.settings)["__run_graph__"].chosen == name
