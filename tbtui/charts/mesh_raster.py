"""Draw meshes and point clouds as pixels with a depth buffer, in numpy.

A frame of 200,000 faces takes 6 ms at 96 x 68 pixels. Memory is bounded: large pictures are drawn in bands of rows, and
faces in batches that may cover at most `MAX_CANDIDATES` pixels.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from tbtui.charts.mesh_camera import Projection, Projector
from tbtui.charts.mesh_shading import GREY, Light, apply_fog, colour_by_depth, colour_by_normal, shade_faces
from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from tbtui.charts.mesh_camera import MeshCamera
    from tbtui.charts.mesh_model import Colours, Faces, MeshModel

    Floats: TypeAlias = npt.NDArray[np.float32]
    Indices: TypeAlias = npt.NDArray[np.int32]
    Keys: TypeAlias = npt.NDArray[np.int64]


MeshMode: TypeAlias = Literal["shaded", "wireframe", "points", "depth", "normals"]
MESH_MODES: tuple[MeshMode, ...] = ("shaded", "wireframe", "points", "depth", "normals")

MAX_CANDIDATES = 1 << 18
"""Pixels in the boxes of faces, steps along edges and dots of points that are tested at once: 30 MB of arrays."""

MAX_BATCH_FACES = 1 << 18
MAX_BAND_PIXELS = 1 << 18
"""Pixels of a band: a face that covers all of it stays within `MAX_CANDIDATES`."""

MAX_POINT_SIZE = 3
POINT_SIDE_DIVISOR = 50
"""Maximum side of a point: in dots, and as a divisor of the shorter side of the picture in pixels."""

MAX_LOGGED_SIZE = 16
"""Maximum side of a point in dots if the log specifies the size of points."""


@frozen
class MeshStyle:
    """Way of drawing a mesh."""

    mode: MeshMode = "shaded"
    base: tuple[int, int, int] = GREY
    """Colour where the mesh has none."""

    lights: tuple[Light, ...] = ()
    """Empty: a light that moves with the camera."""

    point_size: int = 0
    """Side of a point in dots; 0: neighbours touch."""

    point_side: float = 0.0
    """Side of a point in coordinates of the model, which overrides `point_size`; 0: unknown."""


@frozen(eq=False)
class MeshDrawing:
    """A drawn mesh."""

    pixels: npt.NDArray[np.uint8]
    """uint8[height, width, 3]; the background is black."""

    is_drawn: npt.NDArray[np.bool_]
    """bool[height, width]: False for pixels of the background."""

    faces: Indices | None = None
    """int32[height, width]: the face of each pixel, -1: none; None for drawings of points and edges."""


def draw_mesh(model: MeshModel, camera: MeshCamera, width: int, height: int, style: MeshStyle) -> MeshDrawing:
    """Draw a mesh; a point cloud is drawn as points in any mode."""
    width, height = max(width, 1), max(height, 1)
    projector = Projector(camera, model.extent, width, height)
    camera_points = projector.to_camera(model.vertices)
    if model.is_cloud or style.mode == "points":
        return _draw_points(model, projector, camera_points, width, height, style)
    if style.mode == "wireframe":
        return _draw_edges(model, projector, camera_points, width, height, style)
    return _draw_faces(model, projector, camera_points, width, height, style)


def _draw_faces(
    model: MeshModel, projector: Projector, camera_points: Floats, width: int, height: int, style: MeshStyle
) -> MeshDrawing:
    clipped = _clip(camera_points, model.faces, projector.near)
    projected = projector.project(clipped.points)
    face_of_pixel = find_nearest_faces(projected, clipped.faces, width, height)
    pixels = np.zeros((height * width, 3), np.uint8)
    covered = np.flatnonzero(face_of_pixel >= 0)
    original_face_of_pixel = face_of_pixel.copy()
    if len(covered):
        triangles = clipped.faces[face_of_pixel[covered]]
        faces = (
            face_of_pixel[covered] if clipped.original_faces is None else clipped.original_faces[face_of_pixel[covered]]
        )
        original_face_of_pixel[covered] = faces
        shares = _compute_barycentric_shares(projected, triangles, covered, width)
        if style.mode == "depth":
            pixels[covered] = colour_by_depth(1 / (shares * projected.nearness[triangles]).sum(1))
        else:
            facing = model.normals[faces] @ projector.rotation.T
            if style.mode == "normals":
                pixels[covered] = colour_by_normal(facing)
            else:
                pixels[covered] = shade_faces(
                    _mix_face_colours(model.colours, clipped, projected, triangles, shares, style.base),
                    facing,
                    style.lights,
                    projector.rotation,
                )
    return MeshDrawing(
        pixels.reshape(height, width, 3),
        (face_of_pixel >= 0).reshape(height, width),
        original_face_of_pixel.reshape(height, width),
    )


def find_nearest_faces(projected: Projection, faces: Faces, width: int, height: int) -> Indices:
    """Return the nearest face that covers the centre of each pixel, int32[height * width]; -1: none.

    The first of several faces at the same depth wins.
    """
    face_of_pixel = np.empty(height * width, np.int32)
    rows = max(MAX_BAND_PIXELS // width, 1)
    for top in range(0, height, rows):
        bottom = min(top + rows, height)
        depth_keys = np.zeros((bottom - top) * width, np.int64)
        for start in range(0, len(faces), MAX_BATCH_FACES):
            batch = faces[start : start + MAX_BATCH_FACES]
            _rasterise_faces(depth_keys, projected, batch, start, width, top, bottom)
        face_of_pixel[top * width : bottom * width] = _decode_items(depth_keys)
    return face_of_pixel


def _decode_items(depth_keys: Keys) -> Indices:
    """Return the index of the nearest item of each pixel; -1: none."""
    return np.where(depth_keys == 0, -1, _LAST - (depth_keys & _LAST)).astype(np.int32)


_LAST = 0x7FFFFFFF
"""A key is the bits of the nearness, which sort like the nearness, followed by this number minus the index."""


def _update_depth_keys(
    depth_keys: Keys, pixels: npt.NDArray[np.integer], nearness: Floats, items: npt.NDArray[np.integer]
) -> None:
    """Enter items with their nearness into the depth buffer."""
    keys = nearness.view(np.int32).astype(np.int64) << 32 | (np.int32(_LAST) - items)
    np.maximum.at(depth_keys, pixels, keys)


def _rasterise_faces(
    depth_keys: Keys, projected: Projection, faces: Faces, first: int, width: int, top: int, bottom: int
) -> None:
    """Enter the faces that cover centres of pixels in a band into the depth buffer."""
    corners = [(projected.x[index], projected.y[index]) for index in (faces[:, 0], faces[:, 1], faces[:, 2])]
    (x0, y0), (x1, y1), (x2, y2) = corners
    half = np.float32(0.5)
    with np.errstate(invalid="ignore"):
        # First and last pixel with a centre in the bounding box of the face; comparisons with NaN are False.
        left = np.maximum(np.ceil(np.minimum(np.minimum(x0, x1), x2) - half), 0)
        right = np.minimum(np.floor(np.maximum(np.maximum(x0, x1), x2) - half), width - 1)
        upper = np.maximum(np.ceil(np.minimum(np.minimum(y0, y1), y2) - half), top)
        lower = np.minimum(np.floor(np.maximum(np.maximum(y0, y1), y2) - half), bottom - 1)
        in_band = np.flatnonzero((right >= left) & (lower >= upper))
    if not len(in_band):
        return
    faces = faces[in_band]
    left, upper = left[in_band].astype(np.int32), upper[in_band].astype(np.int32)
    columns = right[in_band].astype(np.int32) - left + 1
    counts = (columns * (lower[in_band].astype(np.int32) - upper + 1)).astype(np.int64)
    boxes = _Boxes(faces, in_band.astype(np.int32) + np.int32(first), left, upper, columns, counts)
    order: npt.NDArray[np.intp] | None = None
    if int(counts.sum()) > 4 * MAX_CANDIDATES:
        # Many layers of large faces: tested from front to back, layers behind a full picture are skipped.
        nearest = np.maximum.reduce([projected.nearness[faces[:, corner]] for corner in range(3)])
        order = np.argsort(-nearest, kind="stable")
    ends = np.cumsum(counts if order is None else counts[order])
    for start, end in _iter_portions(ends):
        batch = np.arange(start, end, dtype=np.int32) if order is None else order[start:end].astype(np.int32)
        if order is not None and depth_keys.all() and _decode_nearness(depth_keys.min()) > nearest[batch[0]]:
            return
        _rasterise_portion(depth_keys, projected, boxes, batch, width, top)


@frozen(eq=False)
class _Boxes:
    """Bounding boxes, in pixels, of k faces in a band."""

    faces: Faces
    numbers: Indices
    left: Indices
    upper: Indices
    columns: Indices
    counts: npt.NDArray[np.int64]
    """Pixels in each box."""


def _decode_nearness(key: np.int64) -> float:
    return float((np.array([key >> 32], np.int64)).astype(np.int32).view(np.float32)[0])


def _iter_portions(ends: npt.NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Yield ranges of items whose counts add up to at most `MAX_CANDIDATES`; a single item may have more."""
    start, previous_count = 0, 0
    while start < len(ends):
        end = max(int(np.searchsorted(ends, previous_count + MAX_CANDIDATES, "right")), start + 1)
        yield start, end
        start, previous_count = end, int(ends[end - 1])


def _rasterise_portion(
    depth_keys: Keys, projected: Projection, boxes: _Boxes, batch: Indices, width: int, top: int
) -> None:
    """Test each pixel in the boxes of a batch of faces: three edge functions, then the depth."""
    count = boxes.counts[batch]
    total = int(count.sum())
    box_of_pixel = np.repeat(batch, count)
    number_in_box = np.arange(total, dtype=np.int32) - np.repeat((np.cumsum(count) - count).astype(np.int32), count)
    columns = boxes.columns[box_of_pixel]
    row = number_in_box // columns
    column = boxes.left[box_of_pixel] + (number_in_box - row * columns)
    row += boxes.upper[box_of_pixel]
    across, down = column.astype(np.float32), row.astype(np.float32)
    across += np.float32(0.5)
    down += np.float32(0.5)
    # Distances to the corners. Two faces with a common edge compute the same number with opposite signs.
    first, second, third = (boxes.faces[:, corner][box_of_pixel] for corner in range(3))
    x0, y0 = projected.x[first] - across, projected.y[first] - down
    x1, y1 = projected.x[second] - across, projected.y[second] - down
    x2, y2 = projected.x[third] - across, projected.y[third] - down
    first_edge, second_edge, third_edge = x1 * y2 - x2 * y1, x2 * y0 - x0 * y2, x0 * y1 - x1 * y0
    inside = np.flatnonzero(
        ((first_edge >= 0) & (second_edge >= 0) & (third_edge >= 0))
        | ((first_edge <= 0) & (second_edge <= 0) & (third_edge <= 0))
    )
    first_edge, second_edge, third_edge = first_edge[inside], second_edge[inside], third_edge[inside]
    # 1 / depth is linear on the screen, which depth is not.
    nearness = first_edge * projected.nearness[first[inside]]
    nearness += second_edge * projected.nearness[second[inside]]
    nearness += third_edge * projected.nearness[third[inside]]
    with np.errstate(invalid="ignore"):
        nearness /= first_edge + second_edge + third_edge
    box_of_pixel = box_of_pixel[inside]
    is_valid = nearness > 0  # NaN for faces seen edge-on
    if not is_valid.all():
        inside, box_of_pixel, nearness = inside[is_valid], box_of_pixel[is_valid], nearness[is_valid]
    _update_depth_keys(depth_keys, (row[inside] - top) * width + column[inside], nearness, boxes.numbers[box_of_pixel])


def _compute_barycentric_shares(
    projected: Projection, triangles: Faces, pixels: npt.NDArray[np.intp], width: int
) -> Floats:
    """Return the barycentric coordinates of each pixel centre on the screen, float32[k, 3]; their sum is 1."""
    across = (pixels % width).astype(np.float32) + np.float32(0.5)
    down = (pixels // width).astype(np.float32) + np.float32(0.5)
    x, y = projected.x[triangles] - across[:, None], projected.y[triangles] - down[:, None]
    edges = np.stack([x[:, i] * y[:, j] - x[:, j] * y[:, i] for i, j in ((1, 2), (2, 0), (0, 1))], 1)
    total = edges.sum(1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares: Floats = np.nan_to_num(edges / total, nan=1 / 3, posinf=1 / 3, neginf=1 / 3)
    return shares


class _EdgePoints(NamedTuple):
    """Vertices added on edges by clipping."""

    starts: Indices
    """First vertex of the edge."""

    ends: Indices
    share: Floats
    """Share of the second vertex, 0 to 1."""


@frozen(eq=False)
class _ClippedFaces:
    points: Floats
    """Vertices in coordinates of the camera."""

    faces: Faces
    original_faces: Indices | None = None
    """Index of the original of each face; None: no face was clipped."""

    added: _EdgePoints | None = None
    """Origin of the added vertices; None: there are none."""


def _clip(points: Floats, faces: Faces, near: np.float32) -> _ClippedFaces:
    """Cut off the parts of faces behind the camera."""
    is_front = points[:, 2] > near
    is_behind = points[:, 2] <= near  # NaN is neither; no face has such a vertex
    if not is_behind.any():
        return _ClippedFaces(points, faces)
    in_front = is_front[faces]
    count = in_front.sum(1)
    unclipped = np.flatnonzero(count == 3)
    parts, owners, ends = [faces[unclipped]], [unclipped.astype(np.int32)], []
    next_vertex = len(points)
    for corners_in_front in (1, 2):
        selected = np.flatnonzero(count == corners_in_front)
        if not len(selected):
            continue
        single_corner = (in_front[selected] if corners_in_front == 1 else ~in_front[selected]).argmax(1)
        corners = faces[selected][np.arange(len(selected))[:, None], (single_corner[:, None] + np.arange(3)) % 3]
        first, second, third = corners.T
        ends += [np.stack([first, second], 1), np.stack([first, third], 1)]
        to_second = next_vertex + np.arange(len(selected), dtype=np.int32)
        to_third = to_second + np.int32(len(selected))
        next_vertex += 2 * len(selected)
        if corners_in_front == 1:
            parts.append(np.stack([first, to_second, to_third], 1))
            owners.append(selected.astype(np.int32))
        else:
            parts += [np.stack([to_second, second, third], 1), np.stack([to_second, third, to_third], 1)]
            owners += [selected.astype(np.int32)] * 2
    if not ends:
        return _ClippedFaces(points, faces[unclipped], unclipped.astype(np.int32))
    pairs = np.concatenate(ends)
    start, end = points[pairs[:, 0]], points[pairs[:, 1]]
    share = ((near * np.float32(1.001) - start[:, 2]) / (end[:, 2] - start[:, 2])).astype(np.float32)
    corners = start + share[:, None] * (end - start)
    return _ClippedFaces(
        np.concatenate([points, corners]),
        np.concatenate(parts).astype(np.int32),
        np.concatenate(owners),
        _EdgePoints(pairs[:, 0].astype(np.int32), pairs[:, 1].astype(np.int32), share),
    )


def _mix_face_colours(
    colours: Colours | None,
    clipped: _ClippedFaces,
    projected: Projection,
    triangles: Faces,
    shares: Floats,
    base: tuple[int, int, int],
) -> Floats:
    """Return the unlit colour of each pixel, mixed from the colours of the corners, float32[k or 1, 3]."""
    if colours is None:
        return np.array([base], np.float32)
    corner_colours = colours.astype(np.float32)
    if clipped.added is not None:
        start, end, share = clipped.added
        corner_colours = np.concatenate(
            [corner_colours, corner_colours[start] + share[:, None] * (corner_colours[end] - corner_colours[start])]
        )
    weights = shares * projected.nearness[triangles]
    weights /= weights.sum(1, keepdims=True)
    mixed: Floats = np.einsum("kc,kcj->kj", weights, corner_colours[triangles])
    return mixed


def _draw_points(
    model: MeshModel, projector: Projector, camera_points: Floats, width: int, height: int, style: MeshStyle
) -> MeshDrawing:
    projected = projector.project(camera_points)
    with np.errstate(invalid="ignore"):
        x, y = np.floor(projected.x), np.floor(projected.y)
        inside = np.flatnonzero((x >= 0) & (x < width) & (y >= 0) & (y < height))
    max_size = max(MAX_POINT_SIZE, min(width, height) // POINT_SIDE_DIVISOR)
    size = style.point_size or choose_point_size(x[inside], y[inside], max_size)
    if style.point_side:
        size = max(1, min(round(style.point_side * float(projector.scale / projector.distance)), MAX_LOGGED_SIZE))
    column, row = x[inside].astype(np.int32), y[inside].astype(np.int32)
    depth_keys = np.zeros(width * height, np.int64)
    step = max(MAX_CANDIDATES // size**2, 1)
    offsets = np.arange(size, dtype=np.int32) - (size - 1) // 2
    for start in range(0, len(inside), step):
        batch = slice(start, start + step)
        for down in offsets:
            for across in offsets:
                rows, columns = row[batch] + down, column[batch] + across
                is_inside = np.flatnonzero((rows >= 0) & (rows < height) & (columns >= 0) & (columns < width))
                points = inside[batch][is_inside]
                _update_depth_keys(
                    depth_keys, rows[is_inside] * width + columns[is_inside], projected.nearness[points], points
                )
    return _draw_items(model, projected.nearness, _decode_items(depth_keys), None, width, height, style)


def choose_point_size(x: Floats, y: Floats, max_size: int = MAX_POINT_SIZE) -> int:
    """Return the side of points so that neighbours in a surface touch; otherwise the back is visible between them."""
    if not len(x):
        return 1
    box = (float(x.max() - x.min()) + 1) * (float(y.max() - y.min()) + 1)
    return max(1, min(round(math.sqrt(box / len(x))), max_size))


def _draw_edges(
    model: MeshModel, projector: Projector, camera_points: Floats, width: int, height: int, style: MeshStyle
) -> MeshDrawing:
    projected, edges = projector.project(camera_points), model.edges
    depth_keys = np.zeros(width * height, np.int64)
    for start in range(0, len(edges), MAX_BATCH_FACES):
        batch = edges[start : start + MAX_BATCH_FACES]
        lines = _clip_lines(projected, batch, width, height)
        ends = np.cumsum(lines.counts)
        for begin, end in _iter_portions(ends):
            _test_lines(depth_keys, lines, begin, end, start, width, height)
    return _draw_items(model, projected.nearness, _decode_items(depth_keys), edges, width, height, style)


@frozen(eq=False)
class _Lines:
    edges: npt.NDArray[np.intp]
    starts: Floats
    """float32[k, 3]: column, row and nearness at one end of the visible part."""

    changes: Floats
    """float32[k, 3]: differences to the other end."""

    counts: npt.NDArray[np.int64]
    """Dots along each line."""


def _clip_lines(projected: Projection, edges: Faces, width: int, height: int) -> _Lines:
    """Return the parts of edges in the picture (Liang and Barsky, 1984)."""
    ends = np.stack([projected.x, projected.y, projected.nearness], 1)
    begin, change = ends[edges[:, 0]], ends[edges[:, 1]] - ends[edges[:, 0]]
    enter, leave = np.zeros(len(edges), np.float32), np.ones(len(edges), np.float32)
    with np.errstate(invalid="ignore", divide="ignore"):
        for axis, size in ((0, width), (1, height)):
            low, high = -begin[:, axis] / change[:, axis], (size - begin[:, axis]) / change[:, axis]
            is_parallel = change[:, axis] == 0
            is_inside = (begin[:, axis] >= 0) & (begin[:, axis] < size)
            low = np.where(is_parallel, np.where(is_inside, 0, 2), low).astype(np.float32)
            high = np.where(is_parallel, np.where(is_inside, 1, -1), high).astype(np.float32)
            enter = np.maximum(enter, np.minimum(low, high))
            leave = np.minimum(leave, np.maximum(low, high))
        visible = np.flatnonzero(enter <= leave)
    begin, change, enter, leave = begin[visible], change[visible], enter[visible], leave[visible]
    begin = begin + enter[:, None] * change
    change = (leave - enter)[:, None] * change
    counts = np.ceil(np.abs(change[:, :2]).max(1)).astype(np.int64) + 1 if len(visible) else np.zeros(0, np.int64)
    return _Lines(visible, begin, change, counts)


def _test_lines(depth_keys: Keys, lines: _Lines, begin: int, end: int, first: int, width: int, height: int) -> None:
    counts = lines.counts[begin:end]
    line_of_dot = np.repeat(np.arange(begin, end), counts)
    number_in_line = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    fraction = (number_in_line / np.maximum(lines.counts[line_of_dot] - 1, 1)).astype(np.float32)
    dots = lines.starts[line_of_dot] + fraction[:, None] * lines.changes[line_of_dot]
    column = np.minimum(dots[:, 0].astype(np.int32), width - 1)
    row = np.minimum(dots[:, 1].astype(np.int32), height - 1)
    _update_depth_keys(
        depth_keys, row * width + column, dots[:, 2].astype(np.float32), lines.edges[line_of_dot] + first
    )


def _draw_items(
    model: MeshModel,
    nearness: Floats,
    item_of_pixel: Indices,
    edges: Faces | None,
    width: int,
    height: int,
    style: MeshStyle,
) -> MeshDrawing:
    """Return the drawing of points, or of edges, from the index of the point or edge of each pixel."""
    pixels = np.zeros((height * width, 3), np.uint8)
    covered = np.flatnonzero(item_of_pixel >= 0)
    if len(covered):
        vertices = item_of_pixel[covered] if edges is None else edges[item_of_pixel[covered], 0]
        if style.mode == "depth":
            pixels[covered] = colour_by_depth(1 / nearness[vertices])
        else:
            colours = np.array([style.base], np.float32) if model.colours is None else model.colours[vertices]
            pixels[covered] = apply_fog(colours.astype(np.float32), nearness[vertices])
    return MeshDrawing(pixels.reshape(height, width, 3), (item_of_pixel >= 0).reshape(height, width))
