"""Draw the map of a scene in cells and in pixels."""

from __future__ import annotations

import numpy as np
import pytest

from tbtui.charts.cells import Ink
from tbtui.charts.ink_colours import PAPER_THEME_COLOURS, InkTheme
from tbtui.charts.point_cloud import Camera
from tbtui.charts.text import iter_glyph_spans
from tbtui.export.drawing.shapes import Boxes, Drawing, Stroke, TextLine
from tbtui.export.drawing.sheet import PictureSizeError
from tbtui.export.drawing.svg import encode_svg
from tbtui.plugins.projector.catalog import Embedding, Version
from tbtui.plugins.projector.files.config import ConfigEntry, Locator
from tbtui.plugins.projector.files.metadata import parse_metadata
from tbtui.plugins.projector.layouts import LayoutChoice, run_layout
from tbtui.plugins.projector.map_drawing import draw_scene
from tbtui.plugins.projector.map_picture import draw_map
from tbtui.plugins.projector.map_pixels import choose_radius, draw_pixels
from tbtui.plugins.projector.point_lists import build_point_list, draw_bar, format_distance
from tbtui.plugins.projector.scene import Neighbours, Scene, choose_default_colour, colour_by_column
from tbtui.plugins.projector.session import MapSession
from tbtui.plugins.projector.sources import EmbeddingSource
from tbtui.plugins.projector.strings import fit_layout, format_compact_title, format_layout, format_source
from tests.helpers.projector_logs import clusters, points_of

VALUES, NAMES = clusters()
TABLE = "class\tname\tscore\t__next__\n" + "".join(
    f"{name}\tword {index}\t{index / 10}\t{index + 1 if index < 2 else ''}\n" for index, name in enumerate(NAMES)
)
POINTS = points_of(VALUES, parse_metadata(TABLE, 60))
SOURCE = EmbeddingSource("run", Embedding("layer", (Version(None, ConfigEntry("layer"), Locator("/", "/")),)), ())
GROUND = (1, 2, 3)


def scene_of(dimensions: int = 2, **session: object) -> Scene:
    choice = LayoutChoice(dimensions=dimensions)
    *_, state = run_layout(POINTS, choice)
    given = {"layout": choice, "colour": "class", "label": "name", **session}
    return Scene(SOURCE, 0, POINTS, state, MapSession(**given))  # type: ignore[arg-type]


def colour_of(ink: int) -> tuple[int, int, int]:
    return (200, 10 * max(ink, 0), 50) if ink >= 0 else (255, 255, 255)


def test_map_has_the_colours_of_the_classes_and_their_names() -> None:
    scene = scene_of()
    picture = draw_map(scene, 60, 24)
    assert {0, 1, 2} <= set(picture.cells.inks.ravel().tolist())
    text = picture.cells.text()
    assert all(name in text for name in ("cat", "dog", "car"))


def test_title_has_the_variance_of_components_only() -> None:
    assert format_layout(scene_of())[-1][0].endswith("of variance")
    begun = scene_of(layout=LayoutChoice("tsne"))  # still in the picture of components
    assert format_layout(begun)[-1][0] == "t-SNE"


@pytest.mark.parametrize(
    ("width", "text"),
    [
        (62, "60 points, 6 dimensions · PCA, axes 1 2 · {} of variance"),
        (50, "60 points, 6D · PCA, axes 1 2 · {} of variance"),
        (40, "60 points, 6 dimensions · PCA, axes 1 2"),
        (30, "60 points, 6D · PCA, axes 1 2"),
        (20, "PCA, axes 1 2"),
        (10, "PCA"),
        (1, "PCA"),
    ],
)
def test_layout_leaves_out_whole_parts_where_it_is_narrow(width: int, text: str) -> None:
    scene = scene_of()
    assert "".join(piece for piece, _ in fit_layout(scene, width)) == text.format(f"{sum(scene.state.shares):.1%}")


def test_low_pane_has_room_for_the_names_before_the_axes() -> None:
    title = "".join(piece for piece, _ in format_compact_title(scene_of(), 20, (), ""))
    assert title.split() == ["●", "run", "layer", "PCA"]


def test_title_shows_what_distinguishes_long_names_of_runs_and_embeddings() -> None:
    versions = SOURCE.embedding.versions
    sources = [
        EmbeddingSource(f"sweep/optimizer=adam,lr={lr},batch_size=64,model=resnet50", Embedding(tag, versions), ())
        for lr in ("1e-3", "3e-4")
        for tag in ("encoder/block1/attention/output/dense", "encoder/block2/attention/output/dense")
    ]
    shown = ["".join(text for text, _ in format_source(each, 0, 0, 40, others=sources)) for each in sources]
    assert ["3e-4" in text for text in shown] == [False, False, True, True]
    assert ["block2" in text for text in shown] == [False, True, False, True]


def test_map_labels_more_of_its_points_when_it_is_zoomed_in() -> None:
    scene = scene_of()
    whole = draw_map(scene, 60, 24)
    about = whole.projection.get_unit_position(float(whole.projection.x[0]), float(whole.projection.y[0]), Camera())
    zoomed = scene_of(camera=Camera().magnify(12, about))
    near = draw_map(zoomed, 60, 24)
    shares = []
    for each, picture in ((scene, whole), (zoomed, near)):
        inside = int((picture.projection.inside & each.visible).sum())
        shares.append(picture.cells.text().count("word") / inside)
    assert shares[0] < shares[1]


def test_map_of_neighbours_makes_the_others_faint() -> None:
    scene = scene_of(cursor=0, centre=0)
    near, away = POINTS.index.find_nearest(0, 5, "cosine")
    scene = Scene(SOURCE, 0, POINTS, scene.state, scene.session, neighbours=Neighbours(0, near, away))
    picture = draw_map(scene, 60, 24)
    inks = set(picture.cells.inks.ravel().tolist())
    assert {4097, 4098} <= inks
    assert Ink.ACCENT in inks
    assert "word 0" in picture.cells.text()


def test_map_joins_points_that_follow_each_other() -> None:
    with_lines = draw_map(scene_of(colour=None, density="off"), 60, 24, has_labels=False).cells.text()
    bare = points_of(VALUES, parse_metadata("".join(f"{name}\n" for name in NAMES), 60))
    plain = Scene(SOURCE, 0, bare, scene_of().state, MapSession(density="off"))
    without = draw_map(plain, 60, 24, has_labels=False).cells.text()
    assert all(here != " " for here, there in zip(with_lines, without, strict=True) if there not in " \n")
    assert sum(character != " " for character in with_lines) > sum(character != " " for character in without)


def test_pixels_show_each_point_in_its_colour() -> None:
    scene = scene_of()
    picture = draw_map(scene, 60, 24, has_labels=False)
    image = draw_pixels(scene, picture, (10, 20), GROUND, colour_of)
    assert image.shape == (480, 600, 3)
    found = {tuple(pixel) for pixel in image.reshape(-1, 3).tolist()}
    assert {(200, 0, 50), (200, 10, 50), (200, 20, 50), GROUND} <= found
    x = int(np.rint(picture.projection.x[7] * 5 + 2))
    y = int(np.rint(picture.projection.y[7] * 5 + 2))
    assert tuple(image[y, x].tolist()) != GROUND


def test_pixels_of_three_dimensions_are_darker_far_away() -> None:
    scene = scene_of(3)
    image = draw_pixels(scene, draw_map(scene, 60, 24, has_labels=False), (8, 16), (0, 0, 0), colour_of)
    assert len({tuple(pixel) for pixel in image.reshape(-1, 3).tolist()}) > 20


def test_pixels_have_labels_and_markers() -> None:
    scene = scene_of(cursor=3, selected=frozenset({4}))
    plain = draw_pixels(scene, draw_map(scene, 60, 24, has_labels=False), (10, 20), GROUND, colour_of)
    labelled = draw_pixels(scene, draw_map(scene, 60, 24), (10, 20), GROUND, colour_of)
    picture = draw_map(scene, 60, 24)
    changed = (plain != labelled).any(axis=2).reshape(24, 20, 60, 10).any(axis=(1, 3))
    runs = [run for run in iter_glyph_spans(picture.cells, picture.texts) if run[2] not in "◉●"]  # in both
    assert len(runs) > 5
    assert all(changed[row, start : start + len(text)].any() for row, start, text, _ in runs)
    beside = picture.texts | np.roll(picture.texts, 1, axis=1) | np.roll(picture.texts, -1, axis=1)  # with a margin
    rows = beside | np.roll(beside, 1, axis=0) | np.roll(beside, -1, axis=0)
    assert not (changed & ~rows).any()
    assert choose_radius(100, 300_000) > choose_radius(100_000, 300_000) == 1


def test_colours_of_a_number_are_levels_and_missing_ones_none() -> None:
    column = parse_metadata("a\tb\nx\t1\ny\t\nz\t3\n", 3).column("b")
    assert column is not None
    colours = colour_by_column(column)
    assert colours is not None
    assert colours.is_gradient
    assert colours.codes.tolist() == [8, -1, 47]


def test_default_colour_is_the_first_category() -> None:
    assert choose_default_colour(POINTS) == "class"
    assert choose_default_colour(points_of(VALUES, parse_metadata("", 60))) is None


def test_list_of_neighbours_has_distances_and_same_labels() -> None:
    scene = scene_of(cursor=0)
    near, away = POINTS.index.find_nearest(0, 5, "cosine")
    listed = build_point_list(
        Scene(SOURCE, 0, POINTS, scene.state, scene.session, neighbours=Neighbours(0, near, away)), 40
    )
    assert listed.heading == "5 nearest, cosine"
    assert listed.summary == "5 of 5 are cat"
    assert [row.key for row in listed.rows] == [str(point) for point in near.tolist()]


def test_texts_of_distances_and_bars_are_short() -> None:
    assert [format_distance(value) for value in (0, 1e-5, 0.0312, 3.14159, 1234.5, 2.5e9, float("inf"))] == [
        "0", "1e-5", ".031", "3.14", "1,234", "2.5e+09", "–",
    ]  # fmt: skip
    assert draw_bar(0.5, 4) == "██  "
    assert draw_bar(2.0, 3) == "███"
    assert draw_bar(0.0, 2) == "  "


def drawn(scene: Scene, **given: object) -> Drawing:
    return draw_scene(scene, InkTheme(PAPER_THEME_COLOURS), ground="#ffffff", **given)  # type: ignore[arg-type]


def dots(drawing: Drawing) -> dict[tuple[str, float], int]:
    """Return how many round points a drawing has, by colour and size."""
    found: dict[tuple[str, float], int] = {}
    for shape in drawing.shapes:
        if isinstance(shape, Stroke) and np.isnan(shape.points[1::2]).all():
            key = shape.colour, shape.width
            found[key] = found.get(key, 0) + len(shape.points[::2])
    return found


def test_drawing_has_each_point_in_the_colour_of_its_class_and_a_legend() -> None:
    drawing = drawn(scene_of())
    # 20 points of each class, and the sample of each class in the legend
    assert sorted(dots(drawing).values()) == [1, 1, 1, 20, 20, 20]
    texts = " ".join(shape.text for shape in drawing.shapes if isinstance(shape, TextLine))
    assert all(f"{name} 20" in texts for name in ("cat", "dog", "car"))
    assert "PCA, axes 1 2" in texts
    svg = "".join(encode_svg(drawing))
    assert svg.count("<path") >= 6


def test_drawing_of_neighbours_makes_them_larger() -> None:
    scene = scene_of(cursor=0, centre=0)
    near, away = POINTS.index.find_nearest(0, 5, "cosine")
    chosen = Scene(SOURCE, 0, POINTS, scene.state, scene.session, neighbours=Neighbours(0, near, away))
    sizes: dict[float, int] = {}
    for (_, size), count in dots(drawn(chosen)).items():
        sizes[size] = sizes.get(size, 0) + count
    assert sizes[max(size for size, count in sizes.items() if count != 3)] == 6


def test_drawing_of_numbers_has_a_scale() -> None:
    drawing = drawn(scene_of(colour="score"))
    boxes = [shape for shape in drawing.shapes if isinstance(shape, Boxes) and shape.colour != "#ffffff"]
    assert len(boxes) == 12


def test_drawing_that_is_too_large_is_refused() -> None:
    with pytest.raises(PictureSizeError, match="too many"):
        drawn(scene_of(), columns=1000, rows=1000)
