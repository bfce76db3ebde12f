"""What running a graph cost in the Graphs tab, and the graph on its way to a file, driven by keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tbtui.plugins.graphs.settings import COLOUR, DEVICES
from tbtui.widgets import worker as worker_module
from tests.helpers.graph_bytes import graph, node
from tests.helpers.graph_logs import GraphLogs, GraphsApp
from tests.helpers.pane_app import pressed
from tests.helpers.screen_text import screen_text, until
from tests.helpers.step_stats import CPU, GPU, STREAM, Ran, step_stats

if TYPE_CHECKING:
    from pathlib import Path

    from textual.pilot import Pilot

SIZE = (110, 36)


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_module, "MAX_WAIT_SECONDS", 30)


@pytest.fixture
def logs(tmp_path: Path) -> GraphLogs:
    """A graph of two scopes that was run on a CPU and a GPU, with a stream of it."""
    logs = GraphLogs(tmp_path / "logs")
    ran = {
        CPU: [Ran("in", 0, 1000), Ran("_SOURCE", 0, 10)],
        GPU: [Ran("a/mul", 1000, 5000, (4096,)), Ran("b/add", 6000, 2000)],
        STREAM: [Ran("a/mul:Mul", 1500, 7000)],
    }
    made = graph(node("in", "Placeholder"), node("a/mul", "Mul", "in"), node("b/add", "Add", "a/mul"))
    logs.add("run", made, ("step", step_stats(ran)))
    return logs


async def shown(pilot: Pilot[None], keys: str = "") -> GraphsApp:
    await pressed(pilot, keys)
    await pressed(pilot, "")
    assert isinstance(pilot.app, GraphsApp)
    return pilot.app


def times(app: GraphsApp) -> dict[str, float]:
    known = app.graphs.loader.costs
    assert known is not None
    return {name: known.cost(known.hierarchy.find_item(name) or 0, "time") for name in ("in", "a", "b")}


async def test_times_pane_graph_without_devices_is_coloured_by_executions(logs: GraphLogs) -> None:
    async with logs.app(graph_colour="device").run_test(size=SIZE) as pilot:
        app = await shown(pilot)
        assert "run on  ● CPU:0  ● GPU:0" in screen_text(app)
        assert app.hierarchy is not None
        inks = {name: app.graphs.parts.diagram._tints.get(app.hierarchy.find_item(name)) for name in ("in", "a", "b")}
        assert inks["a"] == inks["b"] != inks["in"]
        assert inks["in"] is not None


async def test_times_pane_colour_meaning_is_shown_in_timeline_and_names(logs: GraphLogs) -> None:
    async with logs.app(graph_colour="memory").run_test(size=(80, 36)) as pilot:
        app = await shown(pilot)
        assert app.graphs.table.columns(app.graphs.scene)
        assert "memory" in screen_text(app)
        app = await shown(pilot, "m T")
        assert "largest" in screen_text(app)
        app = await shown(pilot, "c")
        assert COLOUR.value(app.settings) == "time"
        assert "longest" in screen_text(app)
        assert "memory" not in screen_text(app)


async def test_times_pane_colour_key_skips_structure_without_equal_scopes(logs: GraphLogs) -> None:
    async with logs.app().run_test(size=SIZE) as pilot:
        walked = [COLOUR.value((await shown(pilot, "c")).settings) for _ in range(5)]
        assert walked == ["device", "time", "memory", "none", "device"]


async def test_times_pane_opens_with_times_and_without_streams(logs: GraphLogs) -> None:
    async with logs.app().run_test(size=SIZE) as pilot:
        app = await shown(pilot)
        assert times(app) == {"in": 1000, "a": 5000, "b": 2000}
        assert "5µs" in screen_text(app)


async def test_times_pane_device_key_cycles_through_devices(logs: GraphLogs) -> None:
    async with logs.app().run_test(size=SIZE) as pilot:
        app = await shown(pilot, "D")
        assert times(app) == {"in": 1000, "a": 0, "b": 0}
        assert times(await shown(pilot, "D")) == {"in": 0, "a": 5000, "b": 2000}
        assert times(await shown(pilot, "D")) == {"in": 0, "a": 7000, "b": 0}
        assert times(await shown(pilot, "D")) == {"in": 1000, "a": 5000, "b": 2000}
        assert app.said == [
            "times of operations on CPU:0",
            "times of operations on GPU:0",
            "times of operations on GPU:0/stream:all",
            "times of operations on CPU:0, GPU:0",
        ]


async def test_times_pane_device_choice_is_kept_for_runs_that_have_it(logs: GraphLogs) -> None:
    async with logs.app().run_test(size=SIZE) as pilot:
        app = await shown(pilot, "D D")
        held = DEVICES.value(app.settings)
        assert held == {GPU}
        assert not DEVICES.value((await shown(pilot, "D D")).settings)
    async with logs.app(graph_devices=held).run_test(size=SIZE) as pilot:
        assert times(await shown(pilot)) == {"in": 0, "a": 5000, "b": 2000}
    async with logs.app(graph_devices=frozenset({"/device:TPU:0"})).run_test(size=SIZE) as pilot:
        assert times(await shown(pilot)) == {"in": 1000, "a": 5000, "b": 2000}


async def test_times_pane_timeline_has_every_device_and_selects_nodes(logs: GraphLogs) -> None:
    async with logs.app().run_test(size=SIZE) as pilot:
        app = await shown(pilot, "m T")
        told = screen_text(app)
        for title in ("CPU:0 · 2 executions", "GPU:0 · 2 executions", "GPU:0/stream:all · 1 execution · not counted"):
            assert title in told
        app = await shown(pilot, "G")
        view = app.graphs.parts.timeline.timeline
        assert view is not None
        assert view.text() in screen_text(app)


async def test_times_pane_about_lists_counted_and_uncounted_devices(logs: GraphLogs) -> None:
    async with logs.app().run_test(size=SIZE) as pilot:
        told = screen_text(await shown(pilot, "i"))
        for words in ("4 executions on CPU:0, GPU:0", "not counted: GPU:0/stream:all (1)", "_SOURCE"):
            assert words in told


async def test_times_pane_keys_report_a_single_run_or_device(tmp_path: Path) -> None:
    logs = GraphLogs(tmp_path / "one")
    logs.add("run", graph(node("a")), ("step", step_stats({CPU: [Ran("a", 0, 5000)]})))
    async with logs.app().run_test(size=SIZE) as pilot:
        app = await shown(pilot, "t D")
        assert app.said == ["only one timing was recorded for this graph", "all timed operations ran on CPU:0"]


async def test_times_pane_drawn_costs_and_the_place_of_the_rest_are_shown(tmp_path: Path) -> None:
    logs = GraphLogs(tmp_path / "aside")
    summaries = (node(name, "ImageSummary", "a") for name in ("im", "hi", "lo"))
    ran = [Ran("a", 0, 5000), Ran("im", 0, 7000), Ran("hi", 0, 2000), Ran("lo", 0, 200)]
    logs.add("run", graph(node("a", "Placeholder"), *summaries), ("step", step_stats({CPU: ran})))
    async with logs.app().run_test(size=SIZE) as pilot:
        app = await shown(pilot, "slash")
        assert app.graphs.status() == "3 ops · 14µs in all, 200ns of it in 1 summary set aside"
        assert app.graphs.diagram.laid_out is not None
        layout = app.graphs.diagram.laid_out.layout
        assert [place.lines[0] for place in layout.boxes] == ["a", "im", "hi"]
        assert len(layout.routes) == 2
        app.graphs.parts.bar._field.value = "^lo$"
        told = screen_text(await shown(pilot))
        assert "1 of 1 · set aside beside a" in told
        assert "ImageSummary · set aside beside a" in told


async def test_times_pane_all_drawn_shows_only_the_sum(logs: GraphLogs) -> None:
    async with logs.app().run_test(size=SIZE) as pilot:
        assert (await shown(pilot)).graphs.status() == "3 ops · 8µs in all"


async def test_times_pane_graph_is_written_to_a_file(
    logs: GraphLogs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with logs.app(graph_colour="time").run_test(size=SIZE) as pilot:
        await shown(pilot)
        app = await shown(pilot, "w")
        assert "write" in screen_text(app)
        await pilot.press("enter")
        await until(pilot, lambda: bool(app.said))
        picture = (tmp_path / "run-run-graph.svg").read_text()
        assert 'fill="#fb6a4a" style="fill:#fb6a4a" fill-opacity="1"' in picture
        assert app.said[-1] == f"graph of 3 nodes in {tmp_path}/run-run-graph.svg"
