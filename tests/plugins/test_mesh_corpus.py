"""Meshes of real writers: the arrays that TensorBoard sends to its page, and better ones where those are wrong.

`mesh_corpus` holds files of PyTorch, tensorboardX and TensorFlow, and `expected.json` what TensorBoard 2.21 answers:
the number of rows, and the CRC-32 of the bytes, as float32, int32 and uint8.
"""

from __future__ import annotations

import json
import zlib
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tbtui
from tbtui.loading.payloads import Payloads
from tbtui.plugins.mesh.data import prepare
from tbtui.plugins.mesh.decode import MeshError
from tbtui.plugins.mesh.figures import measure_mesh
from tbtui.plugins.mesh.read import Mesh, read_mesh
from tbtui.plugins.mesh.series import find_meshes

CORPUS = Path(__file__).parent / "mesh_corpus"
EXPECTED: dict[str, Any] = json.loads((CORPUS / "expected.json").read_text(encoding="utf-8"))
RUNS = [run for run in EXPECTED if (CORPUS / run).is_dir()]

DIFFERENT = {
    ("edge", "colours_beyond_255", "COLOR"): "TensorBoard: error 500",
    ("edge", "faces_without_vertices", "FACE"): "no vertices, nothing to draw",
    ("edge", "fewer_colours", "COLOR"): "the rest is grey",
    ("edge", "float_colours", "COLOR"): "black in TensorBoard",
    ("edge", "rgba", "COLOR"): "TensorBoard cuts four channels into triples",
    ("edge", "xy_only", "VERTEX"): "TensorBoard cuts two coordinates into triples",
    ("torch", "mesh/colours_0_to_1", "COLOR"): "black in TensorBoard",
}
"""Arrays that differ from TensorBoard's, and why."""


@lru_cache
def opened() -> Any:
    return tbtui.open(CORPUS)


def mesh_of(run: str, name: str, step: int = 0, sample: int = 0) -> Mesh:
    snapshot = opened()[run].snapshot
    mesh = find_meshes(snapshot)[name]
    point = [*mesh.main.steps].index(step)
    return read_mesh(Payloads(), snapshot, mesh, step, float(mesh.main.wall_times[point]), sample)


@pytest.mark.parametrize("run", RUNS)
def test_every_mesh_is_found_by_its_name(run: str) -> None:
    unknown_version = {"unknown_version"} if run == "edge" else set()  # which TensorBoard leaves out
    assert set(find_meshes(opened()[run].snapshot)) == set(EXPECTED[run]) | unknown_version


@pytest.mark.parametrize("run", RUNS)
def test_arrays_are_those_of_tensorboard(run: str) -> None:
    compared = 0
    for name, expected in EXPECTED[run].items():
        for key, values in expected["data"].items():
            _, step, _, sample, kind = key.split()
            if (run, name, kind) in DIFFERENT:
                continue
            mesh = mesh_of(run, name, int(step), int(sample))
            array, dtype = {
                "VERTEX": (mesh.vertices, "<f4"),
                "FACE": (mesh.faces, "<i4"),
                "COLOR": (mesh.colours, "u1"),
            }[kind]
            assert array is not None, (name, key)
            assert len(array) == values["rows"], (name, key)
            assert zlib.crc32(array.astype(dtype).tobytes()) == values["crc32"], (name, key)
            compared += 1
    assert compared >= 4


def test_samples_are_all_found_where_tensorboard_shows_one() -> None:
    assert mesh_of("torch", "mesh/all").samples == EXPECTED["torch"]["mesh/all"]["samples"] == 2
    assert EXPECTED["edge"]["batch_differs"]["samples"] == 1
    assert [mesh_of("edge", "batch_differs", step).samples for step in (0, 1)] == [2, 3]
    second = mesh_of("edge", "batch_differs", 0, 1)
    assert second.faces is not None, "the faces of the only sample belong to all of them"
    with pytest.raises(MeshError, match="2 samples only"):
        mesh_of("edge", "batch_differs", 0, 2)


def test_faces_written_once_are_kept_and_named() -> None:
    mesh = mesh_of("edge", "faces_once", 3)
    assert (len(mesh.faces if mesh.faces is not None else ()), mesh.faces_step) == (224, 0)
    assert mesh.notes == ("faces of step 0",)
    assert mesh_of("edge", "faces_once", 0).notes == ()


@pytest.mark.parametrize(
    ("name", "note"),
    [
        ("float_colours", "colours from 0 to 1"),
        ("colours_beyond_255", "colours above 255 are cut off"),
        ("rgba", "the first three of 4 channels"),
        ("fewer_colours", "5 of 128 vertices have a colour"),
        ("xy_only", "two coordinates: z is 0"),
        ("bad_config", "the configuration is no JSON"),
        ("unknown_classes", "not drawn: Orthographic, SpotLight"),
        ("unknown_version", "written in version 3 of the format"),
    ],
)
def test_changes_are_noted_in_words(name: str, note: str) -> None:
    assert mesh_of("edge", name).notes == (note,)


def test_colours_from_0_to_1_are_those_from_0_to_255() -> None:
    whole = mesh_of("tf", "m").colours
    for found in (mesh_of("edge", "float_colours").colours, mesh_of("torch", "mesh/colours_0_to_1").colours):
        assert found is not None
        np.testing.assert_array_equal(found, whole)
    four = mesh_of("edge", "rgba").colours
    assert four is not None
    np.testing.assert_array_equal(four, whole)


def test_faces_without_vertices_say_so() -> None:
    with pytest.raises(MeshError, match="faces, but no vertices were logged"):
        mesh_of("edge", "faces_without_vertices")


@pytest.mark.parametrize(
    ("name", "warnings"),
    [
        ("nan_vertices", ("31 degenerate faces", "2 vertices not finite")),
        ("all_nan", ("4 vertices not finite",)),
        ("degenerate", ("3 degenerate faces",)),
        ("index_out_of_range", ("2 faces of unknown vertices",)),
        ("no_faces", ()),
        ("one_point", ()),
    ],
)
def test_defects_are_warned_of(name: str, warnings: tuple[str, ...]) -> None:
    assert prepare("", mesh_of("edge", name)).warnings == warnings


def test_config_gives_camera_lights_and_material() -> None:
    config = mesh_of("torch", "mesh/all").config
    assert (config.position, config.look_at, config.view_angle) == ((0, 0, 4), (0, 0, 0), 60)
    assert [light.direction for light in config.lights] == [None, (1, 1, 1)]
    assert config.lights[1].colour == pytest.approx((0.8, 0.8 * 0xCC / 255, 0.8 * 0x88 / 255))
    assert (config.colour, config.point_size) == ((0x44, 0x88, 0xCC), 0.05)
    assert mesh_of("torch", "mesh/plain").config.is_wireframe
    assert mesh_of("tbx", "me", 1).config.is_empty, "tensorboardX writes null"
    assert mesh_of("edge", "unknown_classes").config.colour == (0, 255, 0)


@pytest.mark.parametrize("name", ["huge", "tiny", "double"])
def test_figures_do_not_depend_on_the_units(name: str) -> None:
    scale = {"huge": 1e30, "tiny": 1e-30, "double": 1.0}[name]
    found, plain = measure_mesh(mesh_of("edge", name)), measure_mesh(mesh_of("tf", "m"))
    assert plain.area is not None
    assert plain.volume is not None
    assert found.area == pytest.approx(plain.area * scale**2)
    assert found.volume == pytest.approx(plain.volume * scale**3)
    assert (found.parts, found.open_edges, found.is_closed) == (1, 0, True)


def test_more_than_16_bits_of_vertices_are_drawn(tmp_path: Path) -> None:
    from tests.helpers.mesh_logs import MeshLogs

    count = 65_700
    strip = np.zeros((count, 3), np.float32)
    strip[:, 0] = np.linspace(-1, 1, count)
    strip[::2, 1] = 0.2
    faces = np.array([[i, i + 1, i + 2] for i in range(count - 150, count - 2)], np.int32)
    logs = MeshLogs(tmp_path / "logs")
    logs.add("run", "strip", {0: {"vertices": strip, "faces": faces}})
    snapshot = logs.load().runs["run"]
    mesh = read_mesh(Payloads(), snapshot, find_meshes(snapshot)["strip"], 0, 0.0)
    model = prepare("", mesh).model
    assert (len(model.faces), int(model.faces.max())) == (148, count - 1)
    assert model.vertices[model.faces][..., 0].min() > 0.49, "the faces lie at the end of the strip"
