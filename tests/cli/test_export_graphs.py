"""Test `tbtui export --plugin graphs` with graphs of real logs and of invalid ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from tbtui.cli.main import main
from tbtui.cli.options.parser import TABLE_SUFFIXES
from tbtui.events.schema import get_message_class
from tbtui.export.formats import TABLE_FORMATS
from tbtui.plugins.graphs import FORMATS, scope_diagram
from tbtui.plugins.graphs.export import GRAPH_FORMATS
from tbtui.tfrecord.framing import frame_record
from tests.helpers.log_directory import LogDirectory
from tests.helpers.pty_app import PtyApp, product

if TYPE_CHECKING:
    from collections.abc import Sequence

WRITERS = Path(__file__).parents[1] / "corpus" / "writers"
TF1, TORCH, KERAS = WRITERS / "tf" / "v1", WRITERS / "torch" / "run1", WRITERS / "tf" / "keras" / "train"


def export(*words: object) -> int:
    return main(["export", "--plugin", "graphs", *map(str, words)])


def log_graph(directory: Path, graph: bytes) -> None:
    """Write an event file with a run graph."""
    directory.mkdir(parents=True, exist_ok=True)
    event = get_message_class("Event")(wall_time=1.5e9, graph_def=graph)
    (directory / "events.out.tfevents.1.host").write_bytes(frame_record(event.SerializeToString()))


def graph_of(*nodes: tuple[str, str, Sequence[str]]) -> bytes:
    made = get_message_class("GraphDef")()
    for name, op, inputs in nodes:
        made.node.add(name=name, op=op, input=inputs)
    data: bytes = made.SerializeToString()
    return data


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """Write two runs with a graph each, and one without."""
    log_graph(tmp_path / "logs" / "a", graph_of(("x", "Placeholder", ()), ("y", "Relu", ("x",))))
    log_graph(tmp_path / "logs" / "b/deep", graph_of(("z", "NoOp", ())))
    LogDirectory(tmp_path / "logs").log("c", range(2))
    return tmp_path / "logs"


def test_export_graph_as_dot(capsys: pytest.CaptureFixture[str]) -> None:
    assert export(TF1) == 0
    out, complaint = capsys.readouterr()
    assert complaint == ""
    assert out.startswith('digraph ". · __run_graph__" {\n')
    assert '[label="(mm)\\nMatMul\\n?×4", tooltip="layer_1/mm/(mm)"];\n' in out
    assert out.count("\n  subgraph cluster_") == 5  # w, w2, layer_1, layer_2, pr
    assert out.endswith("}\n")


def test_export_graph_as_json_has_every_node_and_edge(capsys: pytest.CaptureFixture[str]) -> None:
    assert export(TORCH, "--format", "json") == 0
    read = json.loads(capsys.readouterr().out)
    assert {name: read[name] for name in ("run", "tag", "kind", "step")} == {
        "run": ".",
        "tag": "__run_graph__",
        "kind": "ops",
        "step": 0,
    }
    nodes = {node["name"]: node for node in read["nodes"]}
    assert len(nodes) == 9
    assert nodes["Sequential/Linear[0]/input.3"]["op"] == "aten::linear"
    assert nodes["Sequential/Linear[0]/input.3"]["shapes"] == [[1, 3]]
    edges = [(edge["source"], edge["target"]) for edge in read["edges"]]
    assert edges.count(("Sequential/Linear[0]/input.3", "Sequential/ReLU[1]/input")) == 1
    assert len(edges) == 8


def test_export_model_of_layers_has_its_parameters(capsys: pytest.CaptureFixture[str]) -> None:
    assert export(KERAS, "--tags", "^keras$", "--format", "mermaid") == 0
    out = capsys.readouterr().out
    assert out.startswith("flowchart TB\n")
    assert "<br/>Dense<br/>" in out
    assert "parameters" in out


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("x.dot", "digraph "),
        ("x.GV", "digraph "),
        ("x.mmd", "flowchart TB\n"),
        ("x.mermaid", "flowchart TB\n"),
        ("x.svg", "<"),
        ("x.pbtxt", "node {\n"),
        ("x.json", '{"run": "a", '),
        ("x.txt", "digraph "),
    ],
)
def test_export_graph_format_follows_the_extension(
    logs: Path, tmp_path: Path, name: str, begins: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert export(logs, "--runs", "^a$", "-o", tmp_path / name) == 0
    assert capsys.readouterr() == ("", "")
    assert (tmp_path / name).read_text().startswith(begins)


def test_export_graph_svg_shows_names_and_is_xml(logs: Path, tmp_path: Path) -> None:
    assert export(logs, "--runs", "^a$", "-o", tmp_path / "x.svg") == 0
    texts = [element.text or "" for element in ET.parse(tmp_path / "x.svg").iter() if element.tag.endswith("text")]
    assert any("y" in text for text in texts)


def test_export_graph_text_proto_round_trips(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert export(logs, "--runs", "^a$", "--format", "pbtxt") == 0
    assert capsys.readouterr().out == (
        'node {\n  name: "x"\n  op: "Placeholder"\n}\nnode {\n  name: "y"\n  op: "Relu"\n  input: "x"\n}\n'
    )


def test_export_several_graphs_into_a_folder(logs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for output in (tmp_path / "new", f"{tmp_path}/with.dot/"):
        assert export(logs, "-o", output, "--format", "mermaid") == 0
        assert sorted(path.name for path in Path(output).iterdir()) == ["a-run_graph.mmd", "b_deep-run_graph.mmd"]
    assert capsys.readouterr() == ("", "")
    (tmp_path / "here.d").mkdir()
    assert export(logs, "-o", tmp_path / "here.d") == 0
    assert (tmp_path / "here.d" / "a-run_graph.dot").read_text().startswith('digraph "a · __run_graph__" {')


def test_export_several_graphs_to_one_file_is_refused(
    logs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    complaint = (
        "tbtui: 2 graphs match (__run_graph__ of a, __run_graph__ of b/deep): "
        "choose one with --runs and --tags, or name a folder with -o\n"
    )
    assert export(logs) == 2
    assert capsys.readouterr() == ("", complaint)
    assert export(logs, "-o", tmp_path / "x.svg") == 2
    assert capsys.readouterr() == ("", complaint)
    assert not (tmp_path / "x.svg").exists()


def test_export_superseded_graph_is_written_into_folders_only(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log, folder = tmp_path / "log", tmp_path / "out"
    log_graph(log, graph_of(("old", "NoOp", ())))
    newer = get_message_class("Event")(wall_time=1.6e9, graph_def=graph_of(("new", "NoOp", ())))
    with (log / "events.out.tfevents.1.host").open("ab") as file:
        file.write(frame_record(newer.SerializeToString()))
    assert export(log) == 0
    assert "new" in (text := capsys.readouterr().out)
    assert "old" not in text
    assert export(log, "-o", f"{folder}/", "--format", "json") == 0
    nodes = sorted(json.loads(path.read_text())["nodes"][0]["name"] for path in folder.iterdir())
    assert nodes == ["new", "old"]
    assert export(log, "-o", f"{folder}/", "--format", "json", "--current", "--force") == 0
    assert main(["print", "--plugin", "graphs", str(log)]) == 0
    assert "1 earlier graph superseded" in capsys.readouterr().out


def test_export_graph_existing_file_needs_force(logs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x.dot").write_text("dear")
    assert export(logs, "--runs", "^a$", "-o", tmp_path / "x.dot") == 2
    assert capsys.readouterr().err == f"tbtui: {tmp_path}/x.dot exists already (--force replaces it)\n"
    assert (tmp_path / "x.dot").read_text() == "dear"
    assert export(logs, "--runs", "^a$", "-o", tmp_path / "x.dot", "--force") == 0
    folder = tmp_path / "full"
    folder.mkdir()
    (folder / "dear").touch()
    assert export(logs, "-o", folder) == 2
    assert capsys.readouterr().err == (
        f"tbtui: {folder} exists already and is not empty "
        "(--force writes into it, and replaces files of the same names)\n"
    )
    assert export(logs, "-o", folder, "--force") == 0
    assert sorted(path.name for path in folder.iterdir()) == ["a-run_graph.dot", "b_deep-run_graph.dot", "dear"]


def test_export_format_must_match_graphs_or_tables(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words, complaint in (
        (["--plugin", "graphs", "--format", "csv"], "graphs: written as dot, mermaid, svg, pbtxt or json, not as csv"),
        (["--format", "dot"], "scalars: written as csv, json, jsonl, parquet or arrow, not as dot"),
    ):
        with pytest.raises(SystemExit) as ended:
            main(["export", str(logs), *words])
        assert ended.value.code == 2
        assert capsys.readouterr().err == f"tbtui: {complaint} (see tbtui export --help)\n"


def test_export_graph_formats_of_the_command_line_are_complete() -> None:
    assert (tuple(TABLE_SUFFIXES), tuple(FORMATS)) == (TABLE_FORMATS, GRAPH_FORMATS)


def test_export_logs_without_graphs_print_one_line_and_return_1(
    logs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert export(logs / "c") == 1
    assert capsys.readouterr() == ("", f"tbtui: {logs / 'c'}: no graphs\n")
    assert export(logs, "--runs", "nobody") == 1
    assert capsys.readouterr().err == f"tbtui: {logs}: nothing matches --runs 'nobody': there are 'a', 'b/deep', 'c'\n"
    assert export(logs / "c", "-o", tmp_path / "none") == 1
    assert not (tmp_path / "none").exists()


def test_export_unreadable_graph_is_omitted_and_reported(
    logs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log_graph(logs / "bad", b"\xff\xff\xff")
    assert export(logs, "-o", tmp_path / "out") == 0
    assert len(list((tmp_path / "out").iterdir())) == 2
    complaint = capsys.readouterr().err
    assert complaint.startswith("tbtui: 1 of 3 graphs left out, first __run_graph__ of bad at step 0: ")
    assert export(logs, "--runs", "bad") == 1
    out, complaint = capsys.readouterr()
    assert out == ""
    assert complaint.splitlines()[-1] == f"tbtui: {logs}: nothing that can be written"


def test_export_unreadable_part_of_a_graph_is_reported(
    logs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cut = graph_of(("x", "Placeholder", ()), ("yy", "Relu", ("x",)))[:-1]
    log_graph(logs / "cut", cut)
    assert export(logs, "--runs", "cut", "--format", "json") == 0
    out, complaint = capsys.readouterr()
    assert [node["name"] for node in json.loads(out)["nodes"]] == ["x"]
    assert complaint == "tbtui: not all of __run_graph__ of cut: 14 bytes at the end of the graph cannot be read\n"
    log_graph(logs / "cut too", cut)
    assert export(logs, "-o", tmp_path / "out") == 0
    assert capsys.readouterr().err.startswith("tbtui: 2 graphs are not whole, first __run_graph__ of cut: 14 bytes ")


def test_export_flat_graph_with_too_many_boxes_is_refused_as_svg(
    logs: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scope_diagram, "MAX_BOXES", 3)
    log_graph(logs / "flat", graph_of(*((name, name, ()) for name in "ABCDE")))
    assert export(logs, "--runs", "flat", "--format", "svg") == 1
    out, complaint = capsys.readouterr()
    assert out == ""
    assert "it has 5 boxes, too many for a picture: dot and json hold them all" in complaint
    assert export(logs, "--runs", "flat", "--format", "dot") == 0
    assert capsys.readouterr().out.count("label=") >= 5


def test_export_graph_escapes_names_on_a_terminal(tmp_path: Path) -> None:
    log_graph(tmp_path / "run", graph_of(("\x1b[31mred\u202e", "\x9b31m", ())))
    for form in ("dot", "pbtxt"):
        with PtyApp(product("export", "--plugin", "graphs", "--format", form, str(tmp_path))) as app:
            assert app.wait() == 0
            assert b"[31mred" in app.raw
            for obeyed in (b"\x1b", "\x9b".encode(), "\u202e".encode()):
                assert obeyed not in app.raw
