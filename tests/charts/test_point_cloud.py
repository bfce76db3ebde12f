"""Draw points as dots and density, and find them again."""

from __future__ import annotations

import numpy as np

from tbtui.charts.cells import HEAT_FROM, HEAT_LEVELS, Cells, Ink
from tbtui.charts.point_cloud import (
    Camera,
    Frame,
    Marker,
    PointColours,
    PointLabel,
    Projection,
    draw_density,
    draw_dots,
    draw_segments,
    find_nearest_point,
    find_point_in_direction,
    is_crowded,
    place_labels,
    project,
    put_markers,
)

ALL = np.ones(4, np.bool_)
SQUARE = np.array([[0, 0], [1, 0], [0, 1], [1, 1]], np.float32)


def square(camera: Camera | None = None) -> Projection:
    return project(SQUARE, Frame.of(SQUARE), camera or Camera(), 40, 40)


def test_projection_has_one_scale_and_keeps_a_margin() -> None:
    wide = SQUARE * np.array([4, 1], np.float32)
    found = project(wide, Frame.of(wide), Camera(), 80, 40)
    assert (found.x[1] - found.x[0]) / (found.y[0] - found.y[2]) == 4
    assert found.x.min() >= 3
    assert found.x.max() <= 76


def test_projection_upwards_is_up() -> None:
    found = square()
    assert found.y[2] < found.y[0]
    assert found.x[1] > found.x[0]


def test_projection_zooms_about_a_place() -> None:
    before = square()
    about = before.get_unit_position(float(before.x[3]), float(before.y[3]), Camera())
    after = square(Camera().magnify(3, about))
    assert abs(float(after.x[3] - before.x[3])) < 1e-3
    assert abs(float(after.y[3] - before.y[3])) < 1e-3
    assert after.x[3] - after.x[2] > 2.9 * (before.x[3] - before.x[2])


def test_projection_of_three_dimensions_keeps_lengths_when_turned() -> None:
    points = np.random.default_rng(0).normal(size=(50, 3)).astype(np.float32)
    frame = Frame.of(points)
    flat = project(points, frame, Camera(), 100, 100)
    turned = project(points, frame, Camera(yaw=np.pi), 100, 100)
    assert np.allclose(turned.x - 49.5, 49.5 - flat.x, atol=1e-2)
    assert np.allclose(turned.y, flat.y, atol=1e-2)
    assert flat.depth is not None
    assert turned.depth is not None
    assert np.allclose(flat.depth + turned.depth, 1, atol=1e-3)
    assert bool(turned.inside.all())


def test_frame_of_equal_points_and_of_nan_is_finite() -> None:
    for points in (np.ones((3, 2)), np.full((3, 3), np.nan), np.empty((0, 2))):
        found = project(points.astype(np.float32), Frame.of(points.astype(np.float32)), Camera(), 20, 20)
        assert not np.isinf(found.x).any()


def test_dots_are_where_points_are() -> None:
    cells, touched = draw_dots(square(), ALL, None)
    assert touched.sum() == 4
    assert cells.text().count("⠛") + cells.text().count("⣤") + cells.text().count("⠶") == 4


def test_dots_of_nan_and_hidden_points_are_not_drawn() -> None:
    points = SQUARE.copy()
    points[0] = np.nan
    found = project(points, Frame.of(points), Camera(), 40, 40)
    _, touched = draw_dots(found, np.array([True, True, True, False]), None)
    assert touched.sum() == 2


def test_cell_has_the_colour_of_its_most_frequent_class() -> None:
    points = np.array([[0, 0], [0, 0], [0, 0], [1, 1]], np.float32)
    colours = PointColours(np.array([1, 0, 0, 1], np.int32), (5, 6))
    cells, touched = draw_dots(project(points, Frame.of(points), Camera(), 40, 40), ALL, colours)
    assert sorted(cells.inks[touched].tolist()) == [5, 6]


def test_cell_of_equally_frequent_classes_has_that_of_the_rarer() -> None:
    points = np.array([[0, 0], [0, 0], [1, 1], [2, 2]], np.float32)
    colours = PointColours(np.array([0, 1, 0, 0], np.int32), (5, 6))
    cells, touched = draw_dots(project(points, Frame.of(points), Camera(), 40, 40), ALL, colours)
    assert sorted(cells.inks[touched].tolist()) == [5, 5, 6]


def test_gradient_takes_levels_and_missing_values_are_dim() -> None:
    colours = PointColours(np.array([-1, 10, 20, 47], np.int32))
    cells, touched = draw_dots(square(), ALL, colours)
    inks = sorted(cells.inks[touched].tolist())
    assert inks[0] == Ink.DIM
    assert inks[1:] == [HEAT_FROM + level * 48 for level in (10, 20, 47)]


def test_density_counts_points_per_half_cell() -> None:
    points = np.array([[0, 0]] * 90 + [[1, 1]], np.float32)
    found = project(points, Frame.of(points), Camera(), 40, 40)
    cells, touched = draw_density(found, np.ones(91, np.bool_))
    levels = sorted(max(divmod(ink - HEAT_FROM, 48)) for ink in cells.inks[touched].tolist())
    assert levels[-1] == 47
    assert levels[0] < 12
    assert is_crowded(found, np.ones(91, np.bool_))
    assert not is_crowded(square(), ALL)


def test_density_leaves_an_empty_half_cell_to_the_background() -> None:
    points = np.array([[0, 0], [1, 1]], np.float32)
    cells, touched = draw_density(project(points, Frame.of(points), Camera(), 40, 40), np.ones(2, np.bool_))
    grounds = [(ink - HEAT_FROM) % HEAT_LEVELS for ink in cells.inks[touched].tolist()]
    assert set(map(chr, cells.glyphs[touched].tolist())) <= {"▀", "▄"}
    assert grounds == [0, 0]  # 16 colours know no colour for level 0, so that it must not be that of a glyph


def test_point_in_direction_is_the_next_in_that_quarter() -> None:
    found = square()
    assert find_point_in_direction(found, ALL, 0, 1, 0) == 1
    assert find_point_in_direction(found, ALL, 0, 0, -1) == 2
    assert find_point_in_direction(found, ALL, 0, -1, 0) is None
    assert find_nearest_point(found, ALL, float(found.x[3]) + 1, float(found.y[3])) == 3
    assert find_nearest_point(found, ALL, 20, 20, max_distance=2) is None


def test_labels_do_not_collide_and_need_blank_cells() -> None:
    cells = Cells.blank(3, 20)
    dots = np.zeros((3, 20), np.bool_)
    dots[1, 10] = True
    occupied = np.zeros((3, 20), np.bool_)
    labels = [
        PointLabel(0, 2, 1, "first"),
        PointLabel(1, 2, 1, "second"),
        PointLabel(2, 8, 5, "blocked"),
        PointLabel(3, 8, 5, "covers", covers=True),
        PointLabel(4, float("nan"), 1, "nowhere"),
    ]
    shown = place_labels(cells, dots, occupied, labels)
    assert [label.text for label in shown] == ["first", "covers"]
    assert cells.get_row_text(0).rstrip() == "   first"
    assert cells.get_row_text(1).rstrip() == "      covers"


def test_label_at_the_edge_is_left_of_its_point() -> None:
    cells = Cells.blank(1, 12)
    blank = np.zeros((1, 12), np.bool_)
    place_labels(cells, blank, blank.copy(), [PointLabel(0, 22, 1, "label")])
    assert cells.get_row_text(0) == "     label  "


def test_markers_are_drawn_inside_only() -> None:
    cells, occupied = Cells.blank(2, 4), np.zeros((2, 4), np.bool_)
    put_markers(cells, occupied, [Marker(0, 0, "◉", Ink.ACCENT), Marker(99, 0, "x", 0), Marker(np.nan, 0, "x", 0)])
    assert cells.text() == "◉   \n    "
    assert occupied.sum() == 1


def test_segments_join_points() -> None:
    cells = draw_segments(square(), np.array([0]), np.array([1]))
    rows = [row for row in range(cells.height) if cells.get_row_text(row).strip()]
    assert len(rows) == 1
    assert len(cells.get_row_text(rows[0]).strip()) > 15
