"""Meshes that the terminal draws in pixels, and bounds of memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tbtui.charts.mesh_camera import MeshCamera
from tbtui.loading.payloads import Payloads
from tbtui.plugins.mesh import data as mesh_data
from tbtui.plugins.mesh.cards import Cameras
from tbtui.plugins.mesh.data import MeshData
from tbtui.plugins.mesh.painter import MeshPainter
from tbtui.terminal_images.capabilities import ImageProtocol
from tbtui.terminal_images.kitty import KittyImage
from tbtui.terminal_images.terminal_query import CellSize
from tbtui.view.image_renderer import ImageRenderer, RenderTarget
from tests.helpers.fake_terminals import FakeKitty
from tests.helpers.mesh_logs import MeshLogs, cube, sphere

if TYPE_CHECKING:
    from pathlib import Path

GROUND = (20, 23, 28)
CELL = CellSize(8, 16)
KITTY = ImageProtocol("kitty", "as chosen", placeholders=True, cell=CELL)
SIXEL = ImageProtocol("sixel", "the terminal draws sixels", cell=CELL)
OFF = ImageProtocol("off", "as chosen")
PIXELS = pytest.mark.parametrize("way", [KITTY, SIXEL], ids=["kitty", "sixel"])


@pytest.fixture
def logs(tmp_path: Path) -> MeshLogs:
    found = MeshLogs(tmp_path / "logs")
    corners, faces = cube()
    red = np.tile(np.array([[255, 0, 0]], np.uint8), (8, 1))
    found.add("a", "m", {step: {"vertices": corners, "faces": faces, "colours": red} for step in (0, 1)})
    return found


def painter_of(logs: MeshLogs, way: ImageProtocol, *, is_moving: bool = False, **target: Any) -> MeshPainter:
    view, found = logs.view(), MeshData(Payloads())
    cards = found.cards(view)
    screen = RenderTarget(way=way, ground=GROUND, **target)
    return MeshPainter(found, ImageRenderer(), view, cards, screen, Cameras(), is_moving=is_moving)


KEY = "a\0m_vertices"


@PIXELS
def test_mesh_at_rest_is_drawn_in_pixels(logs: MeshLogs, way: ImageProtocol) -> None:
    painter = painter_of(logs, way)
    opened = painter.open(KEY, 80, 24)
    (inset, *_rest) = opened.insets
    area = opened.area
    assert (inset.row, inset.column) == (area.row, area.column)
    assert sum(each.picture.rows for each in opened.insets if each.column == inset.column) == area.rows
    blank = opened.picture.crop(slice(area.row, area.row + area.rows), slice(area.column, area.column + area.columns))
    assert (blank.glyphs == 32).all()
    assert painter.paint(KEY, 40, 12, focused=False).insets


@PIXELS
def test_mesh_that_moves_is_drawn_in_cells(logs: MeshLogs, way: ImageProtocol) -> None:
    opened = painter_of(logs, way, is_moving=True).open(KEY, 80, 24)
    assert opened.insets == ()
    assert (opened.picture.glyphs == ord("▀")).any()


def test_kitty_shows_the_mesh_on_the_ground_of_the_theme(logs: MeshLogs) -> None:
    from tbtui.terminal_images.kitty import KittyImageCache

    (inset,) = painter_of(logs, KITTY).open(KEY, 80, 24).insets
    picture = inset.picture
    assert isinstance(picture.data, KittyImage)
    terminal = FakeKitty()
    cache = KittyImageCache(range(1, 99))
    terminal.write(cache.put(picture.key, picture.data, picture.columns, picture.rows, {picture.key}))
    (pixels,) = terminal.pictures.values()
    assert pixels.shape[:2] == (picture.rows * 16, picture.columns * 8)
    assert tuple(pixels[0, 0][:3]) == GROUND
    middle = pixels[pixels.shape[0] // 2, pixels.shape[1] // 2]
    assert middle[0] > 100
    assert middle[1] == middle[2] == 0


def test_ground_of_half_blocks_is_that_of_the_terminal(logs: MeshLogs) -> None:
    picture = painter_of(logs, ImageProtocol("half", "")).open(KEY, 60, 24).picture
    assert picture.colours is not None
    assert picture.colours[2, 0] == 0, "no colour beside the mesh"
    assert (picture.glyphs == ord("▄")).any(), "an edge in the middle of a cell has no colour above it"


def test_few_colours_and_none(logs: MeshLogs) -> None:
    half = ImageProtocol("half", "")
    for depth in ("256", "16"):
        assert (painter_of(logs, half, depth=depth).open(KEY, 60, 24).picture.glyphs == ord("▀")).any()
    for dots in (painter_of(logs, half, depth="none"), painter_of(logs, OFF)):
        glyphs = dots.open(KEY, 60, 24).picture.glyphs
        assert ((glyphs > 0x2800) & (glyphs <= 0x28FF)).any()
    dark, light = (painter_of(logs, OFF, dark=dark).open(KEY, 60, 24).picture.glyphs for dark in (True, False))
    assert not np.array_equal(dark, light)


def test_look_changes_with_the_camera_alone_where_it_moved(logs: MeshLogs) -> None:
    painter = painter_of(logs, KITTY)
    turned = painter.with_cameras(Cameras().with_camera(KEY, MeshCamera(yaw=1.0)), is_moving=False)
    assert painter.paint_key(KEY) != turned.paint_key(KEY)
    other = painter.with_cameras(Cameras().with_camera("another", MeshCamera(yaw=1.0)), is_moving=False)
    assert painter.paint_key(KEY) == other.paint_key(KEY)


def test_prepared_meshes_stay_within_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    points, faces = sphere(64, 32)
    logs = MeshLogs(tmp_path / "logs")
    logs.add("a", "m", {step: {"vertices": points + step, "faces": faces} for step in range(20)})
    max_bytes = 500_000
    monkeypatch.setattr(mesh_data, "MAX_MODEL_BYTES", max_bytes)
    view, found = logs.view(), MeshData(Payloads())
    sample = next(iter(found.cards(view).samples.values()))
    sizes = []
    for stop in found.steps.get(view, sample.run, sample.tag):
        prepared = found.prepare(stop, sample)
        assert found.prepare(stop, sample) is prepared, "a mesh is prepared once"
        sizes.append(found.nbytes)
    assert 0 < max(sizes) <= max_bytes
    assert sizes[-1] < 20 * prepared.nbytes


def test_one_mesh_larger_than_the_bound_is_kept_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    points, faces = sphere(64, 32)
    logs = MeshLogs(tmp_path / "logs")
    logs.add("a", "m", {0: {"vertices": points, "faces": faces}})
    monkeypatch.setattr(mesh_data, "MAX_MODEL_BYTES", 1000)
    view, found = logs.view(), MeshData(Payloads())
    sample = next(iter(found.cards(view).samples.values()))
    stop = found.steps.get(view, sample.run, sample.tag).nearest(None)
    assert found.prepare(stop, sample) is found.prepare(stop, sample)
