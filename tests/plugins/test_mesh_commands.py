"""Meshes outside the dashboard: print, export, inspect, files and Python."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import tbtui
from tbtui.cli.main import main
from tbtui.export.request import ExportRequest
from tbtui.export.table import SkippedValues, match_all
from tbtui.loading.loader import Loader
from tbtui.loading.sources import parse_sources
from tbtui.plugins.mesh.export import WRITERS, build_mesh_rows, encode_npz, encode_obj, encode_ply
from tbtui.plugins.mesh.read import Mesh
from tests.helpers.mesh_logs import MeshLogs, cube
from tests.helpers.print_command import printed

if TYPE_CHECKING:
    from collections.abc import Iterator

CORPUS = Path(__file__).parent / "mesh_corpus"


@pytest.fixture
def logs(tmp_path: Path) -> MeshLogs:
    found = MeshLogs(tmp_path / "logs")
    corners, faces = cube()
    found.add("a", "m", {0: {"vertices": corners, "faces": faces}, 5: {"vertices": corners * 2}})
    return found


def test_print_draws_a_cube_in_dots(logs: MeshLogs) -> None:
    found = printed(logs.root, "--plugin", "mesh", "--step", 0, "--height", 12, "--width", 60)
    assert found.code == 0
    assert found.out == (Path(__file__).parent / "mesh_corpus" / "cube.txt").read_text(encoding="utf-8")


def test_print_names_the_faces_of_an_earlier_step(logs: MeshLogs) -> None:
    found = printed(logs.root, "--plugin", "mesh", "--height", 8)
    assert "m · a · step 5 (2 steps in all)" in found.out
    assert "⚠ faces of step 0" in found.out
    assert "volume 64, closed" in found.out


def test_print_has_half_blocks_in_colours(logs: MeshLogs) -> None:
    found = printed(logs.root, "--plugin", "mesh", "--color", "always", "--height", 8, COLORTERM="truecolor")
    assert "\x1b[" in found.out
    assert "▀" in found.out


def test_print_reads_the_whole_corpus() -> None:
    found = printed(CORPUS, "--plugin", "mesh", "--max-tags", 0, "--height", 4)
    assert found.code == 0
    for words in (
        "faces, but no vertices were logged",
        "no points at this step",
        "not drawn: Orthographic, SpotLight",
        "⚠ 2 faces with an index that no vertex has",
        "sample 1 of 2",
        "the configuration is no JSON",
    ):
        assert words in found.out, words


def rows_of(text: str) -> list[dict[str, str]]:
    return [*csv.DictReader(io.StringIO(text))]


def test_export_lists_every_sample(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(CORPUS), "--plugin", "mesh", "--runs", "torch|edge", "--format", "csv"]) == 0
    rows = rows_of(capsys.readouterr().out)
    of_all = [row for row in rows if row["tag"] == "mesh/all"]
    assert [(row["step"], row["sample"]) for row in of_all] == [(str(s), str(n)) for s in (0, 10, 20) for n in (0, 1)]
    assert {row["vertices"] for row in of_all} == {"128"}
    nan = next(row for row in rows if row["tag"] == "nan_vertices")
    assert (nan["nan"], nan["faces"], nan["max_y"]) == ("2", "224", "1.0")
    broken = next(row for row in rows if row["tag"] == "faces_without_vertices")
    assert broken["problem"] == "faces, but no vertices were logged"
    assert next(row for row in rows if row["tag"] == "index_out_of_range")["out_of_range"] == "2"


def test_export_numbers_and_flags_of_tables_are_not_texts() -> None:
    columns: dict[str, set[str]] = {}
    runs = Loader(parse_sources([str(CORPUS)]), reload_seconds=0).load_all().snapshot.runs
    request = ExportRequest([runs["torch"], runs["edge"]], match_all, SkippedValues())
    for table in build_mesh_rows(request).tables:
        for name, column in table.columns.items():
            columns.setdefault(name, set()).add(column.dtype.kind)
    assert columns["problem"] == {"O"}
    assert columns["colours"] == {"b"}
    assert {name for name, kinds in columns.items() if kinds == {"i"}} >= {"step", "vertices", "faces", "out_of_range"}
    assert {name for name, kinds in columns.items() if kinds == {"f"}} >= {"wall_time", "min_x", "max_z"}


def test_export_writes_a_ply_each(logs: MeshLogs, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert main(["export", str(logs.root), "--plugin", "mesh", "-o", str(out)]) == 0
    rows = [json.loads(line) for line in (out / "manifest.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["problem"] for row in rows] == ["", "faces of step 0"]
    assert [read_ply((out / row["file"]).read_bytes())[0].max() for row in rows] == [1, 2]


def test_inspect_has_one_row_for_a_mesh(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", str(CORPUS), "--no-cache", "--runs", "torch"]) == 0
    text = capsys.readouterr().out
    assert "2 × 128 vertices · 224 faces · colours; 32 degenerate faces" in " ".join(text.split())
    assert "mesh/all" in text
    assert "mesh/all_VERTEX" not in text


# Files


def read_ply(data: bytes) -> tuple[Any, Any, Any]:
    """Read the vertices, colours and faces of a binary PLY by its header alone."""
    header, _, body = data.partition(b"end_header\n")
    lines = header.decode().split("\n")
    assert lines[:2] == ["ply", "format binary_little_endian 1.0"]
    kinds = {"float": "<f4", "double": "<f8", "uchar": "u1"}
    fields, counts, element = [], {}, ""
    for line in lines[2:]:
        words = line.split()
        if words[:1] == ["element"]:
            element = words[1]
            counts[element] = int(words[2])
        elif words[:1] == ["property"] and element == "vertex":
            fields.append((words[2], kinds[words[1]]))
    rows = np.frombuffer(body, fields, counts["vertex"])
    rest = body[rows.nbytes :]
    faces = np.frombuffer(rest, [("count", "u1"), ("corners", "<i4", 3)], counts.get("face", 0))
    assert len(rest) == faces.nbytes
    assert (faces["count"] == 3).all()
    names = [name for name, _ in fields]
    points = np.stack([rows[axis] for axis in "xyz"], 1)
    colours = np.stack([rows[name] for name in ("red", "green", "blue")], 1) if "red" in names else None
    return points, colours, faces["corners"]


def meshes() -> Iterator[Mesh]:
    corners, faces = cube()
    colours = np.arange(24, dtype=np.uint8).reshape(8, 3)
    yield Mesh(corners)
    yield Mesh(corners.astype(np.float64) / 3, faces.astype(np.int64))
    yield Mesh(corners, np.concatenate([faces, [[0, 1, 99], [-1, 0, 1]]]), colours)
    yield Mesh(np.zeros((0, 3), np.float32))


@pytest.mark.parametrize("mesh", [*meshes()], ids=["cloud", "double", "coloured", "empty"])
def test_files_read_back_to_the_same_arrays(mesh: Mesh) -> None:
    valid = np.zeros((0, 3)) if mesh.faces is None else mesh.faces[((mesh.faces >= 0) & (mesh.faces < 8)).all(1)]
    points, colours, faces = read_ply(encode_ply(mesh))
    np.testing.assert_array_equal(points, mesh.vertices)
    np.testing.assert_array_equal(faces, valid)
    assert (colours is None) == (mesh.colours is None)
    lines = [line.split() for line in encode_obj(mesh).decode().splitlines()]
    found = np.array([[float(word) for word in words[1:4]] for words in lines if words[0] == "v"]).reshape(-1, 3)
    np.testing.assert_array_equal(found.astype(mesh.vertices.dtype), mesh.vertices)
    corners = np.array([[int(word) for word in words[1:]] for words in lines if words[0] == "f"]).reshape(-1, 3)
    np.testing.assert_array_equal(corners - 1, valid)
    with np.load(io.BytesIO(encode_npz(mesh)), allow_pickle=False) as arrays:
        np.testing.assert_array_equal(arrays["vertices"], mesh.vertices)
        assert ("faces" in arrays) == (mesh.faces is not None)
    assert set(WRITERS) == {"ply", "obj", "npz"}


# Python


def test_python_reads_meshes_by_name_or_tag(logs: MeshLogs) -> None:
    run = tbtui.open(logs.root)["a"]
    for name in ("m", "m_vertices", "m_faces"):
        found = run.meshes(name)
        assert found.steps.tolist() == ([0, 5] if name != "m_faces" else [0])
    last = run.meshes("m")[-1]
    np.testing.assert_array_equal(last.vertices, cube()[0] * 2)
    assert last.faces is not None
    assert (last.colours, last.notes, last.config) == (None, ("faces of step 0",), {})
    assert last.figures.volume == pytest.approx(64)
    with pytest.raises(ValueError, match="read-only"):
        last.vertices[0] = 1


def test_python_gives_all_samples_and_the_configuration() -> None:
    found = tbtui.open(CORPUS)["torch"].meshes("mesh/all").at(10)
    assert len(found.all_of_step) == 2
    assert not np.array_equal(found.all_of_step[0].vertices, found.all_of_step[1].vertices)
    assert found.config["camera"]["fov"] == 60


def test_python_errors_name_the_value() -> None:
    run = tbtui.open(CORPUS)["edge"]
    with pytest.raises(tbtui.PayloadError, match="faces, but no vertices were logged"):
        _ = run.meshes("faces_without_vertices")[0].vertices
    with pytest.raises(tbtui.UnknownTagError):
        run.meshes("nothing")
