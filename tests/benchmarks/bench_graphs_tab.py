"""How long a graph takes to open in the Graphs tab, and how long the tab's keys keep the screen waiting."""

from __future__ import annotations

import asyncio
import gc
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from tbtui.cli.dashboard import GC_THRESHOLDS
from tbtui.loading.loader import Loader
from tbtui.loading.payloads import Payloads
from tbtui.loading.sources import parse_sources
from tbtui.plugins.graphs.pane.pane import GraphsPane
from tbtui.store.snapshot import StoreSnapshot
from tests.helpers.graph_bytes import graph, node
from tests.helpers.graph_logs import GraphLogs, GraphsApp
from tests.helpers.pane_app import pressed

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.pilot import Pilot

NODES = 50_000
MOVES = 30


def model(count: int) -> Any:
    """Operations in 50 blocks of 20 layers, each with the one before it and a variable as its inputs."""
    nodes, before = [], "input"
    nodes.append(node("input", "Placeholder", shapes=((-1, 64),)))
    while len(nodes) < count:
        number = len(nodes) // 2
        scope = f"block_{number // 500}/layer_{number // 25 % 20}"
        nodes.append(node(f"{scope}/w_{number}", "VariableV2", shapes=((64, 64),), dtype=1, shape=(64, 64)))
        nodes.append(node(f"{scope}/op_{number}", ("MatMul", "Add", "Relu")[number % 3], before, nodes[-1].name))
        before = nodes[-1].name
    return graph(*nodes)


def told(what: str, milliseconds: list[float], goal: str) -> None:
    """Print the median and the worst."""
    print(
        f"{what:44} median {np.median(milliseconds):8.1f} ms  worst {max(milliseconds):8.1f} ms  goal {goal}",
        flush=True,
    )


async def opened(path: Path) -> float:
    """Seconds from a view to everything that the first screen shows of it; nothing is known of it yet."""
    app = GraphsApp(GraphsPane(Payloads()), StoreSnapshot())
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "")
        app.store = Loader(parse_sources([str(path)])).load_all().snapshot
        began = time.perf_counter()
        app.look()
        await app.graphs.idle()
        taken = time.perf_counter() - began
        assert app.graphs.diagram.laid_out is not None
    return taken


async def answered(pilot: Pilot[None], do: Callable[[], Any]) -> float:
    """Milliseconds for which the screen waits for a key; what goes on behind it is waited for before the next."""
    began = time.perf_counter()
    do()
    taken = 1e3 * (time.perf_counter() - began)
    await pressed(pilot, "")
    return taken


async def keys(path: Path) -> None:
    snapshot = Loader(parse_sources([str(path)])).load_all().snapshot
    app = GraphsApp(GraphsPane(Payloads()), snapshot)
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "j")
        tab = app.graphs
        moves = [("a scope opened or closed", tab.action_open)] * MOVES
        moves += [("box by box", lambda: tab.parts.diagram.action_go("down"))] * MOVES
        moves += [("traced", tab.action_next_trace)] * MOVES
        taken: dict[str, list[float]] = {}
        for name, do in moves:
            taken.setdefault(name, []).append(await answered(pilot, do))
        tab.show_view("tree")
        await pressed(pilot, "")
        for name, do in [("row by row in the tree", lambda: tab.parts.scopes.action_move(1))] * MOVES:
            taken.setdefault(name, []).append(await answered(pilot, do))
        await pressed(pilot, "slash o p _ 4 enter")
        for name, do in [("match by match", lambda: tab.action_next_match(1))] * MOVES:
            taken.setdefault(name, []).append(await answered(pilot, do))
        await pressed(pilot, "escape")
        tab.show_view("operations")
        await pressed(pilot, "")
        for name, do in [("row by row in the table", lambda: tab.parts.operations.action_move(1))] * MOVES:
            taken.setdefault(name, []).append(await answered(pilot, do))
        for name, do in [("sorted", tab.parts.operations.action_sort)] * 3:
            taken.setdefault(name, []).append(await answered(pilot, do))
        for name, milliseconds in taken.items():
            told(name, milliseconds, "16")


async def main() -> None:
    """Of a made model, and of a log directory where one is given."""
    gc.set_threshold(*GC_THRESHOLDS)  # as the dashboard does
    with tempfile.TemporaryDirectory(prefix="tbtui-bench-") as directory:
        logs = GraphLogs(Path(directory) / "logs")
        logs.add("run", model(NODES))
        told(f"{NODES:,} nodes opened", [1e3 * await opened(logs.root) for _ in range(3)], "2000")
        await keys(logs.root)
    for path in sys.argv[1:]:
        told(f"{Path(path).name} opened", [1e3 * await opened(Path(path)) for _ in range(3)], "500")
        await keys(Path(path))


if __name__ == "__main__":
    asyncio.run(main())
