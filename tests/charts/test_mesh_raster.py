"""Meshes as pixels: what is nearest is seen, whatever the camera, and memory stays within a bound."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.charts import mesh_raster
from tbtui.charts.mesh_camera import SIDES, Extent, MeshCamera, Projector, place_camera
from tbtui.charts.mesh_model import coarsen, prepare_mesh
from tbtui.charts.mesh_raster import MESH_MODES, MeshStyle, draw_mesh
from tbtui.charts.mesh_shading import Light
from tests.helpers.mesh_logs import cube, sphere

WIDTH, HEIGHT = 24, 16

pytestmark = pytest.mark.hypothesis


def soup(seed: int, count: int = 50) -> mesh_raster.MeshModel:
    """Triangles anywhere in a box."""
    rng = np.random.default_rng(seed)
    vertices = rng.uniform(-1, 1, (count * 3, 3))
    return prepare_mesh(vertices, np.arange(count * 3).reshape(-1, 3))


def depths_by_hand(
    model: mesh_raster.MeshModel, camera: MeshCamera
) -> tuple[np.ndarray[tuple[int, ...], np.dtype[np.float64]], np.ndarray[tuple[int, ...], np.dtype[np.float64]]]:
    """Depth of each face at the centre of each pixel along the ray through it, and how deep inside the face that is.

    Both float64[faces, pixels], of the plane of the face; the second is the least share of a corner, negative outside.
    """
    projector = Projector(camera, model.extent, WIDTH, HEIGHT)
    seen = projector.to_camera(model.vertices).astype(np.float64)
    middle = [float(each) for each in projector._middle]
    columns, rows = np.meshgrid(np.arange(WIDTH) + 0.5, np.arange(HEIGHT) + 0.5)
    rays = np.stack([columns - middle[0], middle[1] - rows, np.full(columns.shape, float(projector.scale))], -1)
    rays = rays.reshape(-1, 3)
    depths, inside = [], []
    for face in model.faces:
        corners = seen[face]  # right, up, depth: a ray is a multiple of (x, y, scale)
        shares = rays @ np.linalg.pinv(corners) if np.linalg.matrix_rank(corners) == 3 else np.full(rays.shape, -1.0)
        total = shares.sum(1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            where = shares / total
            depth = rays[:, 2] / total[:, 0]
        depths.append(np.where(total[:, 0] > 0, depth, np.inf))
        inside.append(np.where(total[:, 0] > 0, where.min(1), -1.0))
    return np.array(depths), np.array(inside)


CAMERAS = st.builds(
    MeshCamera,
    yaw=st.floats(-180, 180),
    pitch=st.floats(-90, 90),
    zoom=st.floats(0.3, 6),
    x=st.floats(-0.5, 0.5),
    y=st.floats(-0.5, 0.5),
)


@given(st.integers(0, 10_000), CAMERAS)
def test_pixel_shows_the_nearest_face_that_covers_its_centre(seed: int, camera: MeshCamera) -> None:
    model = soup(seed)
    shown = draw_mesh(model, camera, WIDTH, HEIGHT, MeshStyle()).faces
    assert shown is not None
    depths, inside = depths_by_hand(model, camera)
    pixels = np.arange(WIDTH * HEIGHT)
    covers = inside > 1e-4
    nearest = np.where(covers, depths, np.inf).min(0)
    seen = shown.ravel()
    hit = seen >= 0
    assert (hit | ~np.isfinite(nearest)).all(), "a covered pixel is not drawn"
    assert (inside[seen[hit], pixels[hit]] > -1e-3).all(), "a face is drawn beside itself"
    assert (depths[seen[hit], pixels[hit]] <= nearest[hit] + 1e-4).all(), "a face is drawn over a nearer one"


@given(st.integers(0, 10_000), st.floats(-1, 1), st.floats(-1, 1), st.floats(-1, 1))
def test_camera_inside_a_mesh_shows_what_is_in_front_of_it(seed: int, x: float, y: float, z: float) -> None:
    model = soup(seed)
    camera = place_camera((x / 2, y / 2, z / 2), (x / 2 + 0.1, y / 2, z / 2 - 0.3), 90.0)
    shown = draw_mesh(model, camera, WIDTH, HEIGHT, MeshStyle()).faces
    assert shown is not None
    depths, inside = depths_by_hand(model, camera)
    near = float(Projector(camera, model.extent, WIDTH, HEIGHT).near)
    far_enough = np.where((inside > 1e-3) & (depths > near * 2), depths, np.inf)
    nearest = far_enough.min(0)
    first = np.where((inside > -1e-3) & (depths > near * 0.9), depths, np.inf).min(0)
    seen, pixels = shown.ravel(), np.arange(WIDTH * HEIGHT)
    hit = seen >= 0
    assert (hit | ~np.isfinite(nearest)).all()
    assert (depths[seen[hit], pixels[hit]] <= nearest[hit] + 1e-3).all()
    assert (depths[seen[hit], pixels[hit]] >= first[hit] - 1e-3).all()


def test_neighbouring_faces_leave_no_gap() -> None:
    vertices, faces = sphere(64, 32)
    model = prepare_mesh(vertices, faces)
    for yaw in range(0, 90, 7):
        drawn = draw_mesh(model, MeshCamera(yaw=yaw), 97, 83, MeshStyle()).is_drawn
        for row in drawn:
            columns = np.flatnonzero(row)
            assert not len(columns) or row[columns[0] : columns[-1] + 1].all()


@pytest.mark.parametrize("portion", [64, 1000])
def test_portions_and_bands_do_not_change_the_picture(monkeypatch: pytest.MonkeyPatch, portion: int) -> None:
    model = soup(3, 200)
    whole = draw_mesh(model, MeshCamera(), 60, 50, MeshStyle())
    monkeypatch.setattr(mesh_raster, "MAX_CANDIDATES", portion)
    monkeypatch.setattr(mesh_raster, "MAX_BATCH_FACES", 17)
    monkeypatch.setattr(mesh_raster, "MAX_BAND_PIXELS", 300)
    parts = draw_mesh(model, MeshCamera(), 60, 50, MeshStyle())
    np.testing.assert_array_equal(parts.faces, whole.faces)
    np.testing.assert_array_equal(parts.pixels, whole.pixels)


@pytest.mark.parametrize("mode", MESH_MODES)
def test_orbit_stays_within_a_bound_of_memory(mode: mesh_raster.MeshMode) -> None:
    model = soup(1, 3_000)  # each covers a large part of the picture: 40 million candidates
    draw_mesh(model, MeshCamera(), 8, 8, MeshStyle(mode))
    tracemalloc.start()
    draw_mesh(model, MeshCamera(), 240, 160, MeshStyle(mode))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 80 << 20


def test_coarse_copy_loses_few_pixels() -> None:
    vertices, faces = sphere(400, 200)
    model = prepare_mesh(vertices, faces)
    coarse = coarsen(model)
    assert len(coarse.faces) < len(model.faces) / 2
    one, other = (draw_mesh(each, MeshCamera(), 96, 68, MeshStyle()) for each in (model, coarse))
    assert (one.is_drawn & ~other.is_drawn).mean() < 0.001
    both = one.is_drawn & other.is_drawn
    assert np.abs(one.pixels[both].astype(int) - other.pixels[both]).mean() < 4


def test_coarse_cloud_is_the_same_each_time() -> None:
    points = np.random.default_rng(0).normal(size=(300_000, 3))
    colours = np.arange(300_000)[:, None].repeat(3, 1).astype(np.uint8)
    one, other = (coarsen(prepare_mesh(points, colours=colours)) for _ in range(2))
    np.testing.assert_array_equal(one.vertices, other.vertices)
    assert one.members is not None
    kept = np.flatnonzero(one.members >= 0)
    np.testing.assert_array_equal(one.colours, colours[kept])
    np.testing.assert_array_equal(one.with_colours(colours).colours, colours[kept])


@pytest.mark.parametrize("scale", [1e-30, 1e-3, 1.0, 1e30, 1e300])
def test_units_do_not_change_the_picture(scale: float) -> None:
    vertices, faces = cube()
    model = prepare_mesh(vertices.astype(np.float64) * scale + 3 * scale, faces)
    np.testing.assert_array_equal(
        draw_mesh(model, MeshCamera(), 40, 40, MeshStyle()).is_drawn,
        draw_mesh(prepare_mesh(vertices, faces), MeshCamera(), 40, 40, MeshStyle()).is_drawn,
    )
    assert model.size == pytest.approx(2 * scale)


@pytest.mark.parametrize("size", [(120, 40), (40, 120), (60, 60)])
@given(st.integers(0, 10_000), st.floats(-180, 180), st.floats(-90, 90), st.tuples(*[st.floats(0.05, 20)] * 3))
def test_whole_mesh_is_in_the_picture(
    size: tuple[int, int], seed: int, yaw: float, pitch: float, sides: tuple[float, float, float]
) -> None:
    model = prepare_mesh(np.random.default_rng(seed).normal(size=(60, 3)) * sides)
    projector = Projector(MeshCamera(yaw, pitch), model.extent, *size)
    found = projector.project(projector.to_camera(model.vertices))
    for values, most in ((found.x, size[0]), (found.y, size[1])):
        assert values.min() > 0
        assert values.max() < most
    middle = MeshCamera(0.0, pitch), MeshCamera(yaw, pitch)
    scales = [float(Projector(each, model.extent, *size).scale) for each in middle]
    assert scales[0] == scales[1], "the size does not change while the mesh turns"


def test_long_meshes_fill_the_width() -> None:
    model = prepare_mesh(np.array([[-5, -1, -1], [5, 1, 1], [5, -1, 1]], float))
    projector = Projector(MeshCamera(0.0, 0.0), model.extent, 200, 60)
    found = projector.project(projector.to_camera(model.vertices))
    assert found.x.max() - found.x.min() > 150


def test_sides_show_the_axes() -> None:
    points = np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], float)
    model = prepare_mesh(points)
    at: dict[str, dict[str, tuple[int, int]]] = {}
    for side in SIDES:
        projector = Projector(MeshCamera().move_to_side(side), model.extent, 100, 100)
        found = projector.project(projector.to_camera(model.vertices))
        at[side] = {
            axis: (round(float(found.x[index])), round(float(found.y[index])))
            for index, axis in enumerate(("x", "-x", "y", "-y", "z", "-z"))
        }
    assert at["front"]["x"][0] > 90
    assert at["front"]["y"][1] < 10
    assert at["side"]["z"][0] < 10, "seen from +x, z points to the left"
    assert at["top"]["z"][1] > 90, "seen from above, z points down"
    assert at["front"]["z"] == (50, 50)


def test_logged_camera_looks_from_its_place() -> None:
    camera = place_camera((0.0, 0.0, 4.0), (0.0, 0.0, 0.0), 60.0)
    assert (camera.yaw, camera.pitch, camera.distance) == (0, 0, 4)
    projector = Projector(camera, Extent(), 100, 100)
    found = projector.project(
        projector.to_camera(np.array([[0, 0, 0], [0, 4 * np.tan(np.radians(30)), 0]], np.float32))
    )
    assert (found.x[0], found.y[0]) == (50, 50)
    assert found.y[1] == pytest.approx(0, abs=1e-3), "half the angle of view ends at the edge"


def test_shading_is_alike_for_both_windings() -> None:
    vertices, faces = cube()
    one, other = (
        draw_mesh(prepare_mesh(vertices, each), MeshCamera(), 30, 30, MeshStyle()) for each in (faces, faces[:, ::-1])
    )
    np.testing.assert_array_equal(one.pixels, other.pixels)


def test_logged_lights_colour_the_faces_they_reach() -> None:
    vertices, faces = cube()
    style = MeshStyle(base=(200, 200, 200), lights=(Light((1.0, 0.0, 0.0), (0.0, 0.0, 5.0)),))
    drawn = draw_mesh(prepare_mesh(vertices, faces), MeshCamera().move_to_side("front"), 20, 20, style)
    assert tuple(drawn.pixels[10, 10]) == (200, 0, 0)


def test_vertex_colours_are_mixed_across_a_face() -> None:
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], float)
    colours = np.array([[255, 0, 0], [0, 255, 0], [0, 0, 255]], np.uint8)
    model = prepare_mesh(corners, np.array([[0, 1, 2]]), colours)
    style = MeshStyle(lights=(Light((1.0, 1.0, 1.0)),))
    drawn = draw_mesh(model, MeshCamera().move_to_side("front"), 90, 90, style)
    found = drawn.pixels[drawn.is_drawn].astype(int)
    assert np.abs(found.sum(1) - 255).max() <= 3
    assert found.max(0).min() > 220


def test_depth_is_bright_near_and_normals_point_at_the_viewer() -> None:
    vertices, faces = cube()
    model, front = prepare_mesh(vertices, faces), MeshCamera().move_to_side("front")
    normals = draw_mesh(model, front, 20, 20, MeshStyle("normals"))
    assert tuple(normals.pixels[10, 10]) == (127, 127, 255)
    depth = draw_mesh(model, MeshCamera(), 60, 60, MeshStyle("depth"))
    bright = depth.pixels[depth.is_drawn].sum(1)
    assert bright.max() > 450
    assert bright.min() < 200


def test_wireframe_draws_edges_and_points_draw_vertices() -> None:
    vertices, faces = cube()
    model = prepare_mesh(vertices, faces)
    wire = draw_mesh(model, MeshCamera(), 80, 80, MeshStyle("wireframe"))
    points = draw_mesh(model, MeshCamera(), 80, 80, MeshStyle("points", point_size=1))
    assert points.is_drawn.sum() == 8
    assert wire.is_drawn[points.is_drawn].mean() > 0.5
    assert wire.is_drawn.mean() < draw_mesh(model, MeshCamera(), 80, 80, MeshStyle()).is_drawn.mean()
    assert len(model.edges) == 18


def test_points_have_the_side_that_the_log_gives() -> None:
    model = prepare_mesh(np.array([[-1, -1, 0], [1, 1, 0]], float))
    drawn = draw_mesh(model, MeshCamera(0.0, 0.0), 100, 100, MeshStyle(point_side=0.1)).is_drawn
    assert int(drawn[:50, 50:].any(0).sum()) == pytest.approx(0.1 * 67, abs=2)


def test_zoomed_wireframe_stays_in_the_picture() -> None:
    vertices, faces = cube()
    drawn = draw_mesh(prepare_mesh(vertices, faces), MeshCamera(zoom=150.0), 40, 30, MeshStyle("wireframe"))
    assert drawn.is_drawn.shape == (30, 40)


def test_defects_are_counted_and_left_out() -> None:
    vertices = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [np.nan, 0, 0], [2, 0, 0]], np.float32)
    faces = np.array([[0, 1, 2], [0, 0, 1], [0, 1, 4], [0, 1, 9], [-1, 0, 1], [0, 1, 3]])
    model = prepare_mesh(vertices, faces)
    found = model.defects
    assert (len(model.faces), found.degenerate, found.out_of_range, found.with_nonfinite_vertex) == (1, 2, 2, 1)
    assert (found.not_finite, found.faces) == (1, 5)


@pytest.mark.parametrize(
    "points", [np.zeros((0, 3)), np.full((4, 3), np.nan), np.ones((1, 3)), np.ones((5, 3)) * 7], ids=str
)
def test_clouds_without_a_box_are_drawn_as_they_are(points: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> None:
    drawn = draw_mesh(prepare_mesh(points), MeshCamera(), 20, 10, MeshStyle())
    assert drawn.is_drawn.any() == bool(np.isfinite(points).any())


def test_enormous_meshes_keep_a_coarse_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    vertices, faces = sphere(64, 32)
    bad = np.concatenate([faces, [[0, 1, 9999], [5, 5, 6]]])
    monkeypatch.setattr("tbtui.charts.mesh_model.MAX_MODEL_ITEMS", 100)
    monkeypatch.setattr("tbtui.charts.mesh_model._FACES_PER_BATCH", 64)
    reduced = prepare_mesh(vertices, bad)
    assert reduced.members is not None
    assert reduced.defects.out_of_range == 1
    drawn = draw_mesh(reduced, MeshCamera(), 60, 60, MeshStyle()).is_drawn
    monkeypatch.undo()
    whole = draw_mesh(prepare_mesh(vertices, faces), MeshCamera(), 60, 60, MeshStyle()).is_drawn
    assert (drawn != whole).mean() < 0.01
    assert coarsen(reduced).extent == reduced.extent


def test_camera_keys_move_it_within_bounds() -> None:
    camera = MeshCamera(yaw=175.0, pitch=85.0).turn(10, 10)
    assert (camera.yaw, camera.pitch) == (-175, 90)
    zoomed = MeshCamera().magnify(2, fixed_point=(0.25, 0))
    assert (zoomed.zoom, zoomed.x) == (2, -0.25), "the point under the pointer stays"
    assert MeshCamera().magnify(1e9).zoom == 200
    assert MeshCamera().shift(9, 0).x == 1
