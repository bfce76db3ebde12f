"""Tensors of meshes in every form, joined at every step."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tbtui.events.schema import get_message_class
from tbtui.loading.payloads import Payloads
from tbtui.plugins.mesh.config import MeshConfig, parse_config
from tbtui.plugins.mesh.decode import (
    MIN_PACKED_VALUES,
    MeshError,
    convert_colours,
    convert_faces,
    convert_vertices,
    read_array,
    select_sample,
)
from tbtui.plugins.mesh.figures import find_parts, measure_mesh, measure_movement
from tbtui.plugins.mesh.read import Mesh, read_mesh
from tbtui.plugins.mesh.series import find_meshes
from tests.helpers.mesh_logs import MeshLogs, cube, mesh_value, sphere

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.hypothesis


@pytest.fixture
def logs(tmp_path: Path) -> MeshLogs:
    return MeshLogs(tmp_path / "logs")


def read(logs: MeshLogs, step: int, name: str = "m", sample: int = 0) -> Mesh:
    run = logs.load().runs["run"]
    mesh = find_meshes(run)[name]
    return read_mesh(Payloads(), run, mesh, step, float(mesh.main.wall_times[-1]), sample)


@pytest.mark.parametrize("count", [6, MIN_PACKED_VALUES * 3])
def test_packed_floats_are_read_as_they_are(count: int) -> None:
    floats = np.arange(count, dtype=np.float32).reshape(1, -1, 3)
    value = mesh_value("m", "vertices", floats)
    value.tensor.tensor_content = b""
    value.tensor.float_val.extend(floats.ravel().tolist())
    np.testing.assert_array_equal(read_array(value), floats)


def test_packed_floats_of_another_shape_are_refused() -> None:
    value = mesh_value("m", "vertices", np.zeros((1, 4000, 3), np.float32))
    value.tensor.tensor_content = b""
    value.tensor.float_val.extend([1.0] * 2000)
    assert read_array(value).shape == (1, 4000, 3), "the last value is repeated, as TensorFlow does"
    text = get_message_class("SummaryValue")()
    text.tensor.dtype = 7
    text.tensor.string_val.append(b"x")
    for broken, reason in ((text, "no numbers"), (get_message_class("SummaryValue")(simple_value=1.0), "no tensor")):
        with pytest.raises(MeshError, match=reason):
            read_array(broken)


@pytest.mark.parametrize(
    ("shape", "reason"), [((3,), r"vertices of shape \[3\] are not"), ((1, 2, 3, 4), "1x2x3x4"), ((), "no dimension")]
)
def test_other_shapes_are_refused_in_words(shape: tuple[int, ...], reason: str) -> None:
    with pytest.raises(MeshError, match=reason):
        select_sample(np.zeros(shape), 0, 1)


def test_a_tensor_without_samples_is_one_sample() -> None:
    assert select_sample(np.ones((5, 3)), 0, 1).shape == (5, 3)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i4", "u1", "i8", "?"])
def test_vertices_of_every_dtype_are_floats(dtype: str) -> None:
    found = convert_vertices(np.ones((4, 3), dtype)).values
    assert found.dtype == (np.float64 if dtype in ("f8", "i8") else np.float32)
    assert (found == 1).all()


@pytest.mark.parametrize(("columns", "kept"), [(2, [[1, 1, 0]]), (3, [[1, 1, 1]]), (5, [[1, 1, 1]])])
def test_vertices_of_other_numbers_of_coordinates(columns: int, kept: list[list[int]]) -> None:
    np.testing.assert_array_equal(convert_vertices(np.ones((1, columns))).values, kept)


def test_one_coordinate_is_no_point() -> None:
    with pytest.raises(MeshError, match="vertices of 1 coordinate are no points"):
        convert_vertices(np.ones((4, 1)))
    with pytest.raises(MeshError, match="faces of 2 corners are no areas"):
        convert_faces(np.ones((4, 2)))
    with pytest.raises(MeshError, match="colours of 2 channels are no colours"):
        convert_colours(np.ones((4, 2)), 4)


def test_faces_of_floats_become_indices() -> None:
    found = convert_faces(np.array([[0, 1, 2], [np.nan, np.inf, -1], [0, 1, 2**25]], np.float32))
    np.testing.assert_array_equal(found.values, [[0, 1, 2], [-1, -1, -1], [0, 1, 2**25]])
    assert found.notes == ("indices above 16,777,216 were rounded by the writer",)
    np.testing.assert_array_equal(convert_faces(np.array([[1, 2, 2**64 - 1]], np.uint64)).values, [[1, 2, -1]])


def test_faces_of_four_corners_become_triangles() -> None:
    found = convert_faces(np.array([[0, 1, 2, 3], [4, 5, 6, 7]]))
    np.testing.assert_array_equal(found.values, [[0, 1, 2], [4, 5, 6], [0, 2, 3], [4, 6, 7]])


@pytest.mark.parametrize(
    ("array", "expected", "notes"),
    [
        (np.array([[0, 128, 255]], np.uint8), [0, 128, 255], ()),
        (np.array([[0, 1, 1]], np.int32), [0, 1, 1], ()),
        (np.array([[0, 128, 255]], np.float32), [0, 128, 255], ()),
        (np.array([[0, 0.5, 1]], np.float32), [0, 128, 255], ("colours from 0 to 1",)),
        (np.array([[False, True, True]]), [0, 255, 255], ("colours from 0 to 1",)),
        (np.array([[-3, 0, 300]], np.int32), [0, 0, 255], ("colours above 255 are cut off",)),
        (np.array([[-3.0, 0, 1]]), [0, 0, 1], ("colours below 0 are cut off",)),
        (np.array([[np.nan, 0, 0.5]]), [160, 0, 128], ("1 colour not a number: grey", "colours from 0 to 1")),
        (np.array([[7]], np.uint8), [7, 7, 7], ()),
        (np.array([[1, 2, 3, 0]], np.uint8), [1, 2, 3], ("the first three of 4 channels",)),
    ],
)
def test_colours_of_every_kind(array: Any, expected: list[int], notes: tuple[str, ...]) -> None:
    found = convert_colours(array, 1)
    np.testing.assert_array_equal(found.values, [expected])
    assert found.notes == notes


def test_faces_and_colours_that_do_not_fit_are_left_out(logs: MeshLogs) -> None:
    points, faces = sphere()
    colours = np.full((len(points), 3), 9, np.uint8)
    steps = {0: {"vertices": points, "faces": faces, "colours": colours}, 1: {"vertices": points[:20]}}
    logs.add("run", "m", steps)
    found = read(logs, 1)
    assert (found.faces, found.colours) == (None, None)
    assert found.notes == (
        "the faces of step 0 do not fit 20 vertices",
        "the colours of step 0 do not fit 20 vertices",
    )


def test_broken_faces_leave_a_cloud(logs: MeshLogs) -> None:
    points, _ = sphere()
    logs.add("run", "m", {0: {"vertices": points, "faces": np.zeros((4, 2), np.int32)}})
    found = read(logs, 0)
    assert found.faces is None
    assert found.notes == ("no faces: faces of 2 corners are no areas",)


def test_parts_in_other_files_of_the_run_are_joined(logs: MeshLogs) -> None:
    points, faces = sphere()
    logs.add("run", "m", {0: {"vertices": points}})
    logs.add("run", "m", {0: {"faces": faces}}, file="events.out.tfevents.2.host")
    found = read(logs, 0)
    assert found.faces is not None
    assert len(found.faces) == len(faces)


def test_a_tensor_that_is_no_mesh_says_so(logs: MeshLogs) -> None:
    logs.add("run", "m", {0: {"vertices": np.zeros((2, 2, 2, 2), np.float32)}})
    with pytest.raises(MeshError, match="vertices of shape 2x2x2x2"):
        read(logs, 0)


WORDS = st.sampled_from(["camera", "lights", "material", "cls", "color", "position", "fov", "size"])
DOCUMENTS = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(WORDS, inner),
)


@given(st.text(max_size=60) | DOCUMENTS.map(json.dumps))
@example('{"camera":{"cls":[]}}')
@example('{"material":{"cls":{}}}')
def test_any_configuration_is_read(text: str) -> None:
    found = parse_config(text)
    assert isinstance(found, MeshConfig)
    assert 1 <= found.view_angle <= 170


@pytest.mark.parametrize("colour", ["#4488cc", "0x4488cc", 0x4488CC, "rgb(68, 136, 204)"])
def test_colours_of_three_js_are_read(colour: object) -> None:
    assert parse_config(json.dumps({"material": {"color": colour}})).colour == (0x44, 0x88, 0xCC)


# Figures


def test_figures_of_a_cube() -> None:
    vertices, faces = cube()
    found = measure_mesh(Mesh(vertices, faces))
    assert (found.area, found.volume) == (pytest.approx(24), pytest.approx(8))
    assert (found.size, found.centre) == ((2, 2, 2), (0, 0, 0))
    assert (found.parts, found.open_edges, found.crowded_edges, found.is_closed) == (1, 0, 0, True)


def test_figures_of_an_open_cube_and_of_two_parts() -> None:
    vertices, faces = cube()
    opened = measure_mesh(Mesh(vertices, faces[1:]))
    assert (opened.volume, opened.open_edges) == (None, 3)
    both = Mesh(np.concatenate([vertices, vertices + 5]), np.concatenate([faces, faces + 8]))
    assert measure_mesh(both).parts == 2
    assert measure_mesh(both).volume == pytest.approx(16)
    labels, count = find_parts(both)
    assert count == 2
    assert set(labels[:8]) != set(labels[8:])


def test_figures_count_repeated_and_crowded_faces() -> None:
    vertices, faces = cube()
    found = measure_mesh(Mesh(vertices, np.concatenate([faces, faces[:1, [1, 2, 0]]])))
    assert (found.repeated, found.open_edges) == (1, 0)
    fan = np.array([[0, 1, 2], [0, 1, 3], [0, 1, 4]])
    assert measure_mesh(Mesh(np.random.default_rng(0).normal(size=(5, 3)), fan)).crowded_edges == 1


def test_figures_of_nothing() -> None:
    found = measure_mesh(Mesh(np.zeros((0, 3))))
    assert (found.vertices, found.size, found.area, found.parts) == (0, None, None, 0)


# What moved


def test_movement_is_the_distance_of_each_vertex() -> None:
    vertices, _ = cube()
    moved = vertices.copy()
    moved[0] += [3, 4, 0]
    found = measure_movement(moved, vertices)
    assert found is not None
    assert found.distances.tolist() == [5, 0, 0, 0, 0, 0, 0, 0]
    assert (found.mean, found.greatest, found.references) == (pytest.approx(5 / 8), 5, None)


def test_movement_of_other_numbers_of_points_is_to_the_nearest() -> None:
    vertices, _ = sphere()
    found = measure_movement(vertices[:50] * 1.5, vertices)
    assert found is not None
    assert found.references == len(vertices)
    np.testing.assert_allclose(found.distances, 0.5, atol=1e-6)


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_movement_of_any_unit(scale: float) -> None:
    vertices = cube()[0].astype(np.float64) * scale
    found = measure_movement(vertices * 2, vertices)
    assert found is not None
    assert found.mean == pytest.approx(3**0.5 * scale)


def test_movement_without_finite_points_is_none() -> None:
    vertices, _ = cube()
    assert measure_movement(vertices, np.full((8, 3), np.nan)) is None
    assert measure_movement(vertices, np.full((3, 3), np.nan)) is None
