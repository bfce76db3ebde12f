"""Draw meshes and clouds of points as pixels with a depth buffer, in numpy.

A frame of 200,000 faces takes 6 ms at 96 x 68 pixels. Memory does not depend on what is drawn: large pictures are drawn
in bands of rows, and faces in portions of at most `MAX_CANDIDATES` pixels that they may cover.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from tbtui.charts.mesh_camera import Projection, Projector
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

MAX_FACES_AT_ONCE = 1 << 18
MAX_BAND_PIXELS = 1 << 18
"""Pixels of a band, so that even a face that covers all of it is tested within `MAX_CANDIDATES`."""

MAX_POINT_SIZE = 3
POINT_SIDE_DIVISOR = 50
"""Greatest side of a point in dots; in pixels, a part of the shorter side of the picture."""

MAX_LOGGED_SIZE = 16
"""Greatest side of a point, in dots, if the log gives one."""

GREY = 160, 160, 160
"""Colour of a mesh without colours; three.js's default material in TensorBoard."""

HEADLIGHT = np.array([-0.3, 0.5, 1.0], np.float32) / np.float32(np.sqrt(1.34))
"""Direction of the light that moves with the camera: from the upper left, behind the viewer."""

AMBIENT = 0.25
"""Light that reaches every face."""

FOG = 0.6
"""Part of its colour that the farthest point loses: in a cloud, only this shows what is behind."""


@frozen
class Light:
    """A light that stands still."""

    colour: tuple[float, float, float]
    """Channels from 0 to 1, times the intensity."""

    direction: tuple[float, float, float] | None = None
    """Direction that the light comes from; None: from everywhere."""


@frozen
class MeshStyle:
    """Way of drawing a mesh."""

    mode: MeshMode = "shaded"
    base: tuple[int, int, int] = GREY
    """Colour where the mesh has none."""

    lights: tuple[Light, ...] = ()
    """Empty: a light that moves with the camera."""

    point_size: int = 0
    """Side of a point in dots; 0: such that neighbours touch."""

    point_side: float = 0.0
    """Side of a point in coordinates of the model, which then decides; 0: unknown."""


@frozen(eq=False)
class MeshDrawing:
    """A drawn mesh."""

    pixels: npt.NDArray[np.uint8]
    """uint8[height, width, 3]; the ground is black."""

    is_drawn: npt.NDArray[np.bool_]
    """bool[height, width]: False where the ground is seen."""

    faces: Indices | None = None
    """int32[height, width]: the face of each pixel, -1: none; None for drawings of points and edges."""


def draw_mesh(model: MeshModel, camera: MeshCamera, width: int, height: int, style: MeshStyle) -> MeshDrawing:
    """Draw a mesh; a cloud of points is drawn as points whatever the mode."""
    width, height = max(width, 1), max(height, 1)
    projector = Projector(camera, model.extent, width, height)
    seen = projector.turned(model.vertices)
    if model.is_cloud or style.mode == "points":
        return _draw_points(model, projector, seen, width, height, style)
    if style.mode == "wireframe":
        return _draw_edges(model, projector, seen, width, height, style)
    return _draw_faces(model, projector, seen, width, height, style)


# Faces


def _draw_faces(
    model: MeshModel, projector: Projector, seen: Floats, width: int, height: int, style: MeshStyle
) -> MeshDrawing:
    cut = _clip(seen, model.faces, projector.near)
    projected = projector.project(cut.seen)
    shown = nearest_faces(projected, cut.faces, width, height)
    pixels = np.zeros((height * width, 3), np.uint8)
    hit = np.flatnonzero(shown >= 0)
    owner = shown.copy()
    if len(hit):
        triangles = cut.faces[shown[hit]]
        faces = shown[hit] if cut.owners is None else cut.owners[shown[hit]]
        owner[hit] = faces
        shares = _shares(projected, triangles, hit, width)
        if style.mode == "depth":
            pixels[hit] = depth_colours(1 / (shares * projected.nearness[triangles]).sum(1))
        else:
            facing = model.normals[faces] @ projector.rotation.T
            if style.mode == "normals":
                pixels[hit] = _normal_colours(facing)
            else:
                pixels[hit] = _shaded(
                    _face_colours(model.colours, cut, projected, triangles, shares, style.base),
                    facing,
                    style.lights,
                    projector.rotation,
                )
    return MeshDrawing(
        pixels.reshape(height, width, 3), (shown >= 0).reshape(height, width), owner.reshape(height, width)
    )


def nearest_faces(projected: Projection, faces: Faces, width: int, height: int) -> Indices:
    """Return the nearest face that covers the centre of each pixel, int32[height * width]; -1 where none does.

    Of several at the same depth it is the first.
    """
    shown = np.empty(height * width, np.int32)
    rows = max(MAX_BAND_PIXELS // width, 1)
    for top in range(0, height, rows):
        bottom = min(top + rows, height)
        best = np.zeros((bottom - top) * width, np.int64)
        for start in range(0, len(faces), MAX_FACES_AT_ONCE):
            some = faces[start : start + MAX_FACES_AT_ONCE]
            _test_faces(best, projected, some, start, width, top, bottom)
        shown[top * width : bottom * width] = _first_of(best)
    return shown


def _first_of(best: Keys) -> Indices:
    """Return what won each pixel; -1: nothing."""
    return np.where(best == 0, -1, _LAST - (best & _LAST)).astype(np.int32)


_LAST = 0x7FFFFFFF
"""Keys are the bits of the nearness, which sort as it does, and below them this number minus the index."""


def _win(best: Keys, pixels: npt.NDArray[np.integer], nearness: Floats, what: npt.NDArray[np.integer]) -> None:
    """Enter candidates into the depth buffer."""
    keys = nearness.view(np.int32).astype(np.int64) << 32 | (np.int32(_LAST) - what)
    np.maximum.at(best, pixels, keys)


def _test_faces(best: Keys, projected: Projection, faces: Faces, first: int, width: int, top: int, bottom: int) -> None:
    """Enter the faces that cover the centres of pixels of a band."""
    corners = [(projected.x[index], projected.y[index]) for index in (faces[:, 0], faces[:, 1], faces[:, 2])]
    (x0, y0), (x1, y1), (x2, y2) = corners
    half = np.float32(0.5)
    with np.errstate(invalid="ignore"):
        # The first and the last pixel whose centre lies in the box of the face; NaN compares as outside.
        left = np.maximum(np.ceil(np.minimum(np.minimum(x0, x1), x2) - half), 0)
        right = np.minimum(np.floor(np.maximum(np.maximum(x0, x1), x2) - half), width - 1)
        upper = np.maximum(np.ceil(np.minimum(np.minimum(y0, y1), y2) - half), top)
        lower = np.minimum(np.floor(np.maximum(np.maximum(y0, y1), y2) - half), bottom - 1)
        kept = np.flatnonzero((right >= left) & (lower >= upper))
    if not len(kept):
        return
    faces = faces[kept]
    left, upper = left[kept].astype(np.int32), upper[kept].astype(np.int32)
    columns = right[kept].astype(np.int32) - left + 1
    counts = (columns * (lower[kept].astype(np.int32) - upper + 1)).astype(np.int64)
    boxes = _Boxes(faces, kept.astype(np.int32) + np.int32(first), left, upper, columns, counts)
    order: npt.NDArray[np.intp] | None = None
    if int(counts.sum()) > 4 * MAX_CANDIDATES:
        # Many layers of large faces: from the front on, layers behind a full picture need no test.
        nearest = np.maximum.reduce([projected.nearness[faces[:, corner]] for corner in range(3)])
        order = np.argsort(-nearest, kind="stable")
    ends = np.cumsum(counts if order is None else counts[order])
    for begin, end in _portions(ends):
        some = np.arange(begin, end, dtype=np.int32) if order is None else order[begin:end].astype(np.int32)
        if order is not None and best.all() and _nearness_of(best.min()) > nearest[some[0]]:
            return
        _test_portion(best, projected, boxes, some, width, top)


@frozen(eq=False)
class _Boxes:
    """The boxes of pixels of k faces in a band."""

    faces: Faces
    numbers: Indices
    left: Indices
    upper: Indices
    columns: Indices
    counts: npt.NDArray[np.int64]
    """Pixels in each box."""


def _nearness_of(key: np.int64) -> float:
    return float((np.array([key >> 32], np.int64)).astype(np.int32).view(np.float32)[0])


def _portions(ends: npt.NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Yield ranges of items whose counts add up to at most `MAX_CANDIDATES`; one item may have more."""
    begin, done = 0, 0
    while begin < len(ends):
        end = max(int(np.searchsorted(ends, done + MAX_CANDIDATES, "right")), begin + 1)
        yield begin, end
        begin, done = end, int(ends[end - 1])


def _test_portion(best: Keys, projected: Projection, boxes: _Boxes, some: Indices, width: int, top: int) -> None:
    """Test each pixel in the boxes of some faces: three edge functions, then the depth."""
    count = boxes.counts[some]
    total = int(count.sum())
    each = np.repeat(some, count)
    number = np.arange(total, dtype=np.int32) - np.repeat((np.cumsum(count) - count).astype(np.int32), count)
    columns = boxes.columns[each]
    row = number // columns
    column = boxes.left[each] + (number - row * columns)
    row += boxes.upper[each]
    across, down = column.astype(np.float32), row.astype(np.float32)
    across += np.float32(0.5)
    down += np.float32(0.5)
    # Distances to the corners; of two faces with a common edge, both find the same number with another sign.
    one, two, three = (boxes.faces[:, corner][each] for corner in range(3))
    x0, y0 = projected.x[one] - across, projected.y[one] - down
    x1, y1 = projected.x[two] - across, projected.y[two] - down
    x2, y2 = projected.x[three] - across, projected.y[three] - down
    first_edge, second_edge, third_edge = x1 * y2 - x2 * y1, x2 * y0 - x0 * y2, x0 * y1 - x1 * y0
    inside = np.flatnonzero(
        ((first_edge >= 0) & (second_edge >= 0) & (third_edge >= 0))
        | ((first_edge <= 0) & (second_edge <= 0) & (third_edge <= 0))
    )
    first_edge, second_edge, third_edge = first_edge[inside], second_edge[inside], third_edge[inside]
    # 1 / depth is linear on the screen, which depth is not.
    found = first_edge * projected.nearness[one[inside]]
    found += second_edge * projected.nearness[two[inside]]
    found += third_edge * projected.nearness[three[inside]]
    with np.errstate(invalid="ignore"):
        found /= first_edge + second_edge + third_edge
    each = each[inside]
    is_found = found > 0  # NaN where a face is seen exactly from its side
    if not is_found.all():
        inside, each, found = inside[is_found], each[is_found], found[is_found]
    _win(best, (row[inside] - top) * width + column[inside], found, boxes.numbers[each])


def _shares(projected: Projection, triangles: Faces, pixels: npt.NDArray[np.intp], width: int) -> Floats:
    """Return the shares of the corners at the centre of each pixel, on the screen, float32[k, 3]; their sum is 1."""
    across = (pixels % width).astype(np.float32) + np.float32(0.5)
    down = (pixels // width).astype(np.float32) + np.float32(0.5)
    x, y = projected.x[triangles] - across[:, None], projected.y[triangles] - down[:, None]
    edges = np.stack([x[:, one] * y[:, two] - x[:, two] * y[:, one] for one, two in ((1, 2), (2, 0), (0, 1))], 1)
    total = edges.sum(1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares: Floats = np.nan_to_num(edges / total, nan=1 / 3, posinf=1 / 3, neginf=1 / 3)
    return shares


# Faces that reach behind the camera


@frozen(eq=False)
class _CutFaces:
    seen: Floats
    faces: Faces
    owners: Indices | None = None
    """The original face of each; None: they are the original ones."""

    mixes: tuple[Indices, Indices, Floats] | None = None
    """Ends of the edge that each added corner lies on, and the share of the second one."""


def _clip(seen: Floats, faces: Faces, near: np.float32) -> _CutFaces:
    """Cut off the parts of faces that are behind the camera."""
    is_front = seen[:, 2] > near
    is_behind = seen[:, 2] <= near  # NaN is neither, and no face has it
    if not is_behind.any():
        return _CutFaces(seen, faces)
    in_front = is_front[faces]
    count = in_front.sum(1)
    whole = np.flatnonzero(count == 3)
    parts, owners, ends = [faces[whole]], [whole.astype(np.int32)], []
    added = len(seen)
    for wanted in (1, 2):
        some = np.flatnonzero(count == wanted)
        if not len(some):
            continue
        lone = (in_front[some] if wanted == 1 else ~in_front[some]).argmax(1)
        corners = faces[some][np.arange(len(some))[:, None], (lone[:, None] + np.arange(3)) % 3]
        one, two, three = corners.T
        ends += [np.stack([one, two], 1), np.stack([one, three], 1)]
        to_second = added + np.arange(len(some), dtype=np.int32)
        to_third = to_second + np.int32(len(some))
        added += 2 * len(some)
        if wanted == 1:
            parts.append(np.stack([one, to_second, to_third], 1))
            owners.append(some.astype(np.int32))
        else:
            parts += [np.stack([to_second, two, three], 1), np.stack([to_second, three, to_third], 1)]
            owners += [some.astype(np.int32)] * 2
    if not ends:
        return _CutFaces(seen, faces[whole], whole.astype(np.int32))
    pairs = np.concatenate(ends)
    start, end = seen[pairs[:, 0]], seen[pairs[:, 1]]
    share = ((near * np.float32(1.001) - start[:, 2]) / (end[:, 2] - start[:, 2])).astype(np.float32)
    corners = start + share[:, None] * (end - start)
    return _CutFaces(
        np.concatenate([seen, corners]),
        np.concatenate(parts).astype(np.int32),
        np.concatenate(owners),
        (pairs[:, 0].astype(np.int32), pairs[:, 1].astype(np.int32), share),
    )


# Colours


def _face_colours(
    colours: Colours | None,
    cut: _CutFaces,
    projected: Projection,
    triangles: Faces,
    shares: Floats,
    base: tuple[int, int, int],
) -> Floats:
    """Return the colour at each pixel without light, mixed of the colours of the corners, float32[k or 1, 3]."""
    if colours is None:
        return np.array([base], np.float32)
    shaded = colours.astype(np.float32)
    if cut.mixes is not None:
        start, end, share = cut.mixes
        shaded = np.concatenate([shaded, shaded[start] + share[:, None] * (shaded[end] - shaded[start])])
    weights = shares * projected.nearness[triangles]
    weights /= weights.sum(1, keepdims=True)
    mixed: Floats = np.einsum("kc,kcj->kj", weights, shaded[triangles])
    return mixed


def _shaded(colours: Floats, facing: Floats, lights: tuple[Light, ...], rotation: Floats) -> npt.NDArray[np.uint8]:
    """Return lit colours; both sides of a face are lit, since writers differ in their order of corners."""
    if not lights:
        shade = AMBIENT + (1 - AMBIENT) * np.abs(facing @ HEADLIGHT)[:, None]
    else:
        shade = np.zeros((len(facing), 3), np.float32)
        for light in lights:
            strength = np.ones((len(facing), 1), np.float32)
            if light.direction is not None:
                direction = rotation @ np.asarray(light.direction, np.float32)
                strength = np.abs(facing @ (direction / max(float(np.linalg.norm(direction)), 1e-30)))[:, None]
            shade += strength * np.asarray(light.colour, np.float32)
    lit: npt.NDArray[np.uint8] = np.clip(colours * shade, 0, 255).astype(np.uint8)
    return lit


def _normal_colours(facing: Floats) -> npt.NDArray[np.uint8]:
    """Return red for right, green for up and blue for towards the camera."""
    towards = np.where(facing[:, 2:] < 0, -facing, facing)
    return np.clip((towards + 1) * 127.5, 0, 255).astype(np.uint8)


_MAP = np.array(
    [[68, 1, 84], [71, 44, 122], [59, 81, 139], [44, 113, 142], [33, 144, 141], [39, 173, 129], [92, 200, 99],
     [170, 220, 50], [253, 231, 37]]
)  # fmt: skip
"""Nine colours of viridis, from matplotlib (CC0): even steps of brightness, also for the colour-blind."""


def map_colours(shares: npt.NDArray[np.floating]) -> npt.NDArray[np.uint8]:
    """Return the colours of numbers from 0 (dark) to 1 (bright), uint8[k, 3]; NaN is grey."""
    known = np.nan_to_num(shares, nan=0.0)
    at = np.clip(known, 0, 1) * (len(_MAP) - 1)
    channels = np.stack([np.interp(at, np.arange(len(_MAP)), _MAP[:, channel]) for channel in range(3)], 1)
    channels[np.isnan(shares)] = GREY
    return channels.astype(np.uint8)


def depth_colours(depths: npt.NDArray[np.floating]) -> npt.NDArray[np.uint8]:
    """Return bright colours for what is near, dark ones for what is far."""
    near, far = float(depths.min()), float(depths.max())
    return map_colours((far - depths) / max(far - near, 1e-30))


def _faded(colours: Floats, nearness: Floats) -> npt.NDArray[np.uint8]:
    """Return colours that are darker with depth."""
    depths = 1 / nearness
    near, far = float(depths.min()), float(depths.max())
    fog = 1 - FOG * (depths - near) / max(far - near, 1e-30) if far > near else np.ones_like(depths)
    return np.clip(colours * fog[:, None], 0, 255).astype(np.uint8)


# Points and edges


def _draw_points(
    model: MeshModel, projector: Projector, seen: Floats, width: int, height: int, style: MeshStyle
) -> MeshDrawing:
    projected = projector.project(seen)
    with np.errstate(invalid="ignore"):
        x, y = np.floor(projected.x), np.floor(projected.y)
        inside = np.flatnonzero((x >= 0) & (x < width) & (y >= 0) & (y < height))
    most = max(MAX_POINT_SIZE, min(width, height) // POINT_SIDE_DIVISOR)
    size = style.point_size or fitting_size(x[inside], y[inside], most)
    if style.point_side:
        size = max(1, min(round(style.point_side * float(projector.scale / projector.distance)), MAX_LOGGED_SIZE))
    column, row = x[inside].astype(np.int32), y[inside].astype(np.int32)
    best = np.zeros(width * height, np.int64)
    step = max(MAX_CANDIDATES // size**2, 1)
    offsets = np.arange(size, dtype=np.int32) - (size - 1) // 2
    for begin in range(0, len(inside), step):
        some = slice(begin, begin + step)
        for down in offsets:
            for across in offsets:
                at_row, at_column = row[some] + down, column[some] + across
                kept = np.flatnonzero((at_row >= 0) & (at_row < height) & (at_column >= 0) & (at_column < width))
                chosen = inside[some][kept]
                _win(best, at_row[kept] * width + at_column[kept], projected.nearness[chosen], chosen)
    return _dots_drawing(model, projected.nearness, _first_of(best), None, width, height, style)


def fitting_size(x: Floats, y: Floats, most: int = MAX_POINT_SIZE) -> int:
    """Return the side of points such that neighbours in a surface touch; otherwise the back shows through."""
    if not len(x):
        return 1
    box = (float(x.max() - x.min()) + 1) * (float(y.max() - y.min()) + 1)
    return max(1, min(round(math.sqrt(box / len(x))), most))


def _draw_edges(
    model: MeshModel, projector: Projector, seen: Floats, width: int, height: int, style: MeshStyle
) -> MeshDrawing:
    projected, edges = projector.project(seen), model.edges
    best = np.zeros(width * height, np.int64)
    for start in range(0, len(edges), MAX_FACES_AT_ONCE):
        some = edges[start : start + MAX_FACES_AT_ONCE]
        lines = _visible_lines(projected, some, width, height)
        ends = np.cumsum(lines.counts)
        for begin, end in _portions(ends):
            _test_lines(best, lines, begin, end, start, width, height)
    return _dots_drawing(model, projected.nearness, _first_of(best), edges, width, height, style)


@frozen(eq=False)
class _Lines:
    edges: npt.NDArray[np.intp]
    begins: Floats
    """float32[k, 3]: column, row and nearness at one end of the visible part."""

    changes: Floats
    """float32[k, 3]: from there to the other end."""

    counts: npt.NDArray[np.int64]
    """Dots along each line."""


def _visible_lines(projected: Projection, edges: Faces, width: int, height: int) -> _Lines:
    """Return the parts of edges in the picture (Liang and Barsky, 1984)."""
    ends = np.stack([projected.x, projected.y, projected.nearness], 1)
    begin, change = ends[edges[:, 0]], ends[edges[:, 1]] - ends[edges[:, 0]]
    enter, leave = np.zeros(len(edges), np.float32), np.ones(len(edges), np.float32)
    with np.errstate(invalid="ignore", divide="ignore"):
        for axis, most in ((0, width), (1, height)):
            low, high = -begin[:, axis] / change[:, axis], (most - begin[:, axis]) / change[:, axis]
            still = change[:, axis] == 0
            is_in = (begin[:, axis] >= 0) & (begin[:, axis] < most)
            low = np.where(still, np.where(is_in, 0, 2), low).astype(np.float32)
            high = np.where(still, np.where(is_in, 1, -1), high).astype(np.float32)
            enter = np.maximum(enter, np.minimum(low, high))
            leave = np.minimum(leave, np.maximum(low, high))
        kept = np.flatnonzero(enter <= leave)
    begin, change, enter, leave = begin[kept], change[kept], enter[kept], leave[kept]
    begin = begin + enter[:, None] * change
    change = (leave - enter)[:, None] * change
    counts = np.ceil(np.abs(change[:, :2]).max(1)).astype(np.int64) + 1 if len(kept) else np.zeros(0, np.int64)
    return _Lines(kept, begin, change, counts)


def _test_lines(best: Keys, lines: _Lines, begin: int, end: int, first: int, width: int, height: int) -> None:
    counts = lines.counts[begin:end]
    each = np.repeat(np.arange(begin, end), counts)
    number = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    along = (number / np.maximum(lines.counts[each] - 1, 1)).astype(np.float32)
    at = lines.begins[each] + along[:, None] * lines.changes[each]
    column = np.minimum(at[:, 0].astype(np.int32), width - 1)
    row = np.minimum(at[:, 1].astype(np.int32), height - 1)
    _win(best, row * width + column, at[:, 2].astype(np.float32), lines.edges[each] + first)


def _dots_drawing(
    model: MeshModel,
    nearness: Floats,
    shown: Indices,
    edges: Faces | None,
    width: int,
    height: int,
    style: MeshStyle,
) -> MeshDrawing:
    """Return the drawing of points, or of edges, from the one that each pixel shows."""
    pixels = np.zeros((height * width, 3), np.uint8)
    hit = np.flatnonzero(shown >= 0)
    if len(hit):
        vertices = shown[hit] if edges is None else edges[shown[hit], 0]
        if style.mode == "depth":
            pixels[hit] = depth_colours(1 / nearness[vertices])
        else:
            colours = np.array([style.base], np.float32) if model.colours is None else model.colours[vertices]
            pixels[hit] = _faded(colours.astype(np.float32), nearness[vertices])
    return MeshDrawing(pixels.reshape(height, width, 3), (shown >= 0).reshape(height, width))
