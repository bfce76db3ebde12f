"""A level of too many boxes is not drawn: that is said, and lists show it all the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tbtui.plugins.graphs import scope_diagram
from tbtui.widgets import worker as worker_module
from tests.helpers.graph_bytes import graph, node
from tests.helpers.graph_logs import GraphLogs, many_ops
from tests.helpers.pane_app import pressed
from tests.helpers.screen_text import screen_text

if TYPE_CHECKING:
    from pathlib import Path

MANY = 60


@pytest.fixture(autouse=True)
def bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_module, "MAX_WAIT_SECONDS", 30)
    monkeypatch.setattr(scope_diagram, "MAX_BOXES", MANY - 1)


async def test_too_many_boxes_flat_graph_is_listed_not_drawn(tmp_path: Path) -> None:
    logs = GraphLogs(tmp_path / "logs")
    logs.add("run", graph(*(node(f"op{chr(97 + at % 26)}{at}x", "Op") for at in range(MANY))))
    async with logs.app().run_test(size=(120, 36)) as pilot:
        await pressed(pilot, "")
        await pressed(pilot, "")
        said = screen_text(pilot.app)
        assert "the diagram cannot be drawn" in said
        assert f"it has {MANY} boxes: s and o list them" in said
        assert "Error" not in said
        assert "opa0x" in said, "the tree beside it has all"
        await pressed(pilot, "o")
        assert "opb1x" in screen_text(pilot.app)


async def test_too_many_boxes_ignores_closed_scopes(tmp_path: Path) -> None:
    logs = GraphLogs(tmp_path / "logs")
    logs.add("run", many_ops(10 * MANY // 2))
    async with logs.app().run_test(size=(120, 36)) as pilot:
        await pressed(pilot, "")
        await pressed(pilot, "")
        assert "cannot be drawn" not in screen_text(pilot.app)
        assert "block0" in screen_text(pilot.app)
