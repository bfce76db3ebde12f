"""Test `tbtui print --plugin graphs`: graph outlines within the row limit."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest

from tbtui.cli.main import main
from tbtui.events.schema import get_message_class
from tbtui.events.writer import EventFileWriter
from tbtui.plugins.graphs import PRINTED, READS
from tbtui.plugins.graphs.formats.graph_def import read_graph
from tbtui.plugins.graphs.graph import build_graph
from tbtui.plugins.graphs.hierarchy import Hierarchy
from tbtui.plugins.graphs.print_blocks import LINKS, choose_opened
from tests.helpers.graph_bytes import encoded, graph, layer, model, node
from tests.helpers.graph_logs import GraphLogs
from tests.helpers.print_command import Stream, log_values, printed

if TYPE_CHECKING:
    from pathlib import Path

SMALL = graph(
    node("x", "Placeholder", shapes=[(-1, 4)]),
    node("net/dense/w", "VariableV2", shapes=[(4, 3)], shape=(4, 3), dtype=1),
    node("net/dense/MatMul", "MatMul", "x", "net/dense/w", shapes=[(-1, 3)]),
    node("net/out", "Softmax", "net/dense/MatMul", shapes=[(-1, 3)]),
)


def test_print_graph_knows_every_kind_of_graph() -> None:
    assert {*PRINTED, "graph_tagged_run_metadata"} == READS  # which has run times only


def test_print_graph_has_scopes_with_types_shapes_and_parameters(tmp_path: Path) -> None:
    GraphLogs(tmp_path).add("run", SMALL)
    assert (
        printed(tmp_path).out
        == """\
__run_graph__ · run · step 0
4 ops, 12 parameters
name          type         shape  params
  x           Placeholder  ?×4
▾ net         3 ops                   12
  ▾ dense     2 ops        ?×3        12
      w       VariableV2   4×3        12
      MatMul  MatMul       ?×3
    out       Softmax      ?×3

links between nodes: tbtui export --plugin graphs --format mermaid (or dot, svg)
"""
    )


def test_print_graph_of_a_model_has_its_layers(tmp_path: Path) -> None:
    GraphLogs(tmp_path).add(
        "run", model(layer("InputLayer", "in", batch_shape=[None, 2]), layer("Dense", "d", units=3))
    )
    shown = printed(tmp_path)
    assert shown.lines[:2] == ["keras · run · step 0", "2 layers, 9 parameters"]
    assert [line.split() for line in shown.lines[-4:-2]] == [["in", "InputLayer", "?×2"], ["d", "Dense", "?×3", "9"]]


def test_print_graph_reports_folded_scopes(tmp_path: Path) -> None:
    GraphLogs(tmp_path).add("run", SMALL)
    assert printed(tmp_path, "--height", 4).lines[2:] == [
        "name       type         shape  params",
        "  x        Placeholder  ?×4",
        "▾ net      3 ops                   12",
        "  ▸ dense  2 ops        ?×3        12",
        "    out    Softmax      ?×3",
        "1 folded (--height ROWS: more rows, tbtui export --plugin graphs: all)",
        "",
        LINKS,
    ]


@pytest.mark.parametrize("name", ["mermaid", "dot", "svg"])
def test_print_graph_the_suggested_command_for_edges_exists(tmp_path: Path, name: str) -> None:
    GraphLogs(tmp_path).add("run", SMALL)
    assert name in LINKS
    command = LINKS.partition(": ")[2].partition(" (")[0].split()
    assert command[0] == "tbtui"
    with contextlib.redirect_stdout(Stream()) as out:
        assert main([*command[1:-1], name, str(tmp_path), "--no-cache"]) == 0
    assert "MatMul" in out.getvalue()


def test_print_graph_flat_graph_is_cut_with_a_note(tmp_path: Path) -> None:
    GraphLogs(tmp_path).add("run", graph(*(node(f"op{chr(97 + n)}", f"Op{n}") for n in range(20))))
    lines = printed(tmp_path, "--height", 5).lines
    assert len(lines) == 2 + 1 + 5 + 1
    assert lines[-1].startswith("15 more rows (--height ROWS: more rows")


def test_print_graph_rows_stay_within_the_limit(tmp_path: Path) -> None:
    GraphLogs(tmp_path).add("run", graph(*(node(f"{n % 7}/{n % 5}/{n}", f"Op{n}") for n in range(300))))
    lines = printed(tmp_path).lines
    assert len(lines) <= 2 + 1 + 60 + 2


def test_print_graph_opens_outer_and_small_scopes_first() -> None:
    written = graph(*(node(name) for name in ("a/b/c/d", "a/e", "f/g", "f/h", "f/i")))
    hierarchy = Hierarchy(build_graph(read_graph(written.SerializeToString())))
    names = [{hierarchy.name(item) for item in choose_opened(hierarchy, most)} for most in (2, 4, 5, 7, 8, 99)]
    assert names == [set(), {"a"}, {"a", "a/b"}, {"a", "f"}, {"a", "f", "a/b"}, {"a", "f", "a/b", "a/b/c"}]


def test_print_graph_markdown_is_a_code_block(tmp_path: Path) -> None:
    GraphLogs(tmp_path).add("run", SMALL)
    lines = printed(tmp_path, "--format", "markdown").lines
    assert lines[0] == "### \\_\\_run\\_graph\\_\\_ · run · step 0"
    assert lines[4] == "```text"
    assert lines[7] == "▾ net         3 ops                   12"


@pytest.mark.parametrize("width", [20, 30, 300])
def test_print_graph_drops_columns_before_cutting_names(tmp_path: Path, width: int) -> None:
    GraphLogs(tmp_path).add("run", SMALL)
    shown = printed(tmp_path, "--width", width)
    assert max(map(len, shown.lines)) <= width
    assert "      MatMul" in shown.out


def test_print_graph_shows_deeply_nested_names(tmp_path: Path) -> None:
    GraphLogs(tmp_path).add("run", graph(node("/".join(f"s{depth}" for depth in range(50)))))
    assert printed(tmp_path, "--width", 40).lines[-1].strip().startswith("s49")


def test_print_graph_selects_the_requested_step(tmp_path: Path) -> None:
    path = tmp_path / "run" / "events.out.tfevents.1"
    path.parent.mkdir()
    with EventFileWriter(str(path)) as writer:
        for step, name in enumerate("abc"):
            event = get_message_class("Event")(wall_time=1.0, step=step)
            value = event.summary.value.add(tag="model")
            value.metadata.plugin_data.plugin_name = "graph_keras_model"
            value.metadata.plugin_data.content = b"1"
            value.tensor.dtype = 7
            value.tensor.string_val.append(encoded(model(layer("Dense", name, units=3))))
            writer.event(event)
    assert printed(tmp_path).lines[0] == "model · run · step 2 (3 steps in all)"
    shown = printed(tmp_path, "--plugin", "graphs", "--step", 1)
    assert shown.lines[0] == "model · run · step 1 (3 steps in all)"
    assert ["b", "Dense"] in [line.split()[:2] for line in shown.lines]


def test_print_graph_escapes_names_and_types_from_files(tmp_path: Path) -> None:
    GraphLogs(tmp_path).add("run", graph(node("a\x1b[31m", "Op\x1b[0m\n")))
    shown = printed(tmp_path, "--color", "always", out=Stream(is_terminal=True), TERM="xterm")
    assert "\x1b[31m" not in shown.out
    assert "Op·[0m" in shown.out


def test_print_graph_without_a_graph_is_reported(tmp_path: Path) -> None:
    GraphLogs(tmp_path).add("run", b"\xff\xff no graph")
    shown = printed(tmp_path)
    assert shown.code == 0
    assert shown.lines[0] == "__run_graph__ · run · step 0"
    assert len(shown.lines) == 2


def test_print_graph_names_runs_beyond_the_limit(tmp_path: Path) -> None:
    for run in "abcdef":
        GraphLogs(tmp_path).add(run, SMALL)
    more, *_, links = printed(tmp_path).lines[-3:]
    assert more == "2 more runs: e, f (--max-runs 0: all, --runs REGEX: which)"
    assert links == LINKS
    assert printed(tmp_path, "--max-runs", 0).out.count("__run_graph__") == 6


def test_print_scalars_mentions_graphs(tmp_path: Path) -> None:
    log_values(tmp_path, "run", [1, 2])
    GraphLogs(tmp_path).add("run", SMALL, file="events.out.tfevents.2.host")
    assert printed(tmp_path).lines[-1] == "also here: graphs (1 tag) (--plugin NAME)"


def test_print_graph_drawing_refers_to_export(tmp_path: Path) -> None:
    GraphLogs(tmp_path).add("run", SMALL)
    shown = printed(tmp_path, "--plugin", "graphs", "--format", "svg")
    assert (shown.code, shown.out) == (2, "")
    assert "tbtui export --plugin graphs" in shown.err
