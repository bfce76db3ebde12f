"""The graph that is shown on its way to a file."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tbtui.export.output import SavedFile
from tbtui.loading.loader import Loader
from tbtui.loading.payloads import Payloads
from tbtui.loading.sources import parse_sources
from tbtui.plugins.graphs.costs import build_run_costs
from tbtui.plugins.graphs.export import GraphDocument
from tbtui.plugins.graphs.formats.run_metadata import read_executions
from tbtui.plugins.graphs.formats.salvage import GraphError
from tbtui.plugins.graphs.graph import build_graph
from tbtui.plugins.graphs.hierarchy import Hierarchy
from tbtui.plugins.graphs.pane.dialogs import GraphSaver, choose_fills, format_saved, list_save_fields
from tbtui.plugins.graphs.read import GraphReader, list_graph_sources
from tbtui.widgets.form_fields import FieldError, Text
from tests.helpers.graphs import chain, two_layers
from tests.helpers.step_stats import CPU, Ran, step_stats

TORCH = Path(__file__).parents[2] / "corpus" / "writers" / "torch" / "run1"


def writing(*opened: str, inside: str | None = None) -> GraphSaver:
    """Of PyTorch's graph, with scopes open; drawn only `inside` of one of them."""
    run = Loader(parse_sources([str(TORCH)]), reload_seconds=0).load_all().snapshot.runs["."]
    reader, source = GraphReader(Payloads()), list_graph_sources(run)[0]
    hierarchy = Hierarchy(build_graph(reader.read(source)))
    items = frozenset(item for item in map(hierarchy.find_item, opened) if item is not None)
    scope = None if inside is None else hierarchy.find_item(inside)
    return GraphSaver(reader, GraphDocument(source, hierarchy, items, scope, fills={0: "#ffcc00"}))


def entered(path: Path, form: str | None = None) -> dict[str, Any]:
    return {"path": path, "format": form, "force": False}


def test_export_writes_the_requested_format() -> None:
    path, form, force = list_save_fields()
    assert isinstance(path, Text)
    assert (path.name, path.shown, form.name, force.name) == ("path", "graph.svg", "format", "force")


def test_export_mermaid_opens_the_open_scopes(tmp_path: Path) -> None:
    assert writing("Sequential")(entered(tmp_path / "x.mmd")) == SavedFile(tmp_path / "x.mmd", 9)
    text = (tmp_path / "x.mmd").read_text()
    assert '["Sequential"]' in text
    assert '[["Linear[0]<br/>' in text
    assert "aten" not in text


def test_export_svg_matches_the_diagram(tmp_path: Path) -> None:
    writing(inside="Sequential")(entered(tmp_path / "x.svg"))
    picture = (tmp_path / "x.svg").read_text()
    assert "Linear[0]" in picture
    assert "IO Node" not in picture
    writing()(entered(tmp_path / "whole", "svg"))
    whole = (tmp_path / "whole").read_text()
    assert "Sequential" in whole
    assert "ffcc00" not in picture + whole  # the item is in a scope that is closed
    writing("input")(entered(tmp_path / "open.svg"))
    assert "ffcc00" in (tmp_path / "open.svg").read_text()


def test_export_svg_keeps_expanded_series_and_direction(tmp_path: Path) -> None:
    hierarchy = Hierarchy(build_graph(chain("x", *(f"net/conv_{number}" for number in range(1, 7)), "y")))
    series = next(item for item in range(len(hierarchy)) if hierarchy.kind(item) == "series")
    scopes = frozenset(hierarchy.path(series)[1:-1])
    run = Loader(parse_sources([str(TORCH)]), reload_seconds=0).load_all().snapshot.runs["."]
    shown = GraphDocument(list_graph_sources(run)[0], hierarchy, scopes)
    sizes = []
    for number, document in enumerate((shown, replace(shown, ungrouped=frozenset((series,)), across=True))):
        path = tmp_path / f"{number}.svg"
        GraphSaver(GraphReader(Payloads()), document)(entered(path))
        picture = path.read_text()
        assert ("conv_3" in picture) == bool(number)
        found = re.search(r'width="(\d+)" height="(\d+)"', picture)
        assert found is not None
        sizes.append(tuple(map(int, found.groups())))
    assert sizes[0][0] < sizes[0][1]
    assert sizes[1][0] > sizes[1][1]


def test_export_colours_are_stronger_for_higher_costs() -> None:
    executions = read_executions(step_stats({CPU: [Ran("dense/MatMul", 0, 100), Ran("out/MatMul", 100, 25)]}))
    times = build_run_costs(Hierarchy(build_graph(two_layers())), executions)
    found = {times.hierarchy.name(item): colour for item, colour in choose_fills(times, "time").items()}
    assert found["dense"] == found["dense/MatMul"] == "#fb6a4aff"
    assert found["out"] == "#fb6a4a40"
    assert "x" not in found
    assert choose_fills(times, "memory") == {}


def test_export_reports_the_written_file() -> None:
    assert format_saved(SavedFile(Path("/a/x.dot"), 1200)) == "graph of 1,200 nodes in /a/x.dot"


def test_export_whole_formats_ignore_open_scopes(tmp_path: Path) -> None:
    for form in ("dot", "json", "pbtxt"):
        writing(inside="Sequential")(entered(tmp_path / form, form))
        assert "aten::linear" in (tmp_path / form).read_text()
        assert "IO Node" in (tmp_path / form).read_text()


def test_export_impossible_choice_shows_the_reason_at_the_field(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "x.dot").write_text("dear")
    with pytest.raises(FieldError, match="exists already") as refused:
        writing()(entered(tmp_path / "x.dot"))
    assert refused.value.name == "force"
    gone = writing()

    def read(*_: object) -> None:
        raise GraphError("the file is gone")

    monkeypatch.setattr(GraphReader, "read", read)
    with pytest.raises(FieldError, match="the file is gone") as refused:
        gone(entered(tmp_path / "x.pbtxt"))
    assert refused.value.name == "format"
    assert not (tmp_path / "x.pbtxt").exists()


def test_export_cancelled_file_is_removed(tmp_path: Path) -> None:
    stopped = writing()
    stopped.stop()
    assert stopped(entered(tmp_path / "x.dot")) is None
    assert list(tmp_path.iterdir()) == []
