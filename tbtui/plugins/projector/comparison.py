"""Compare two versions of an embedding: the distance that each point moved, and the neighbours that it kept.

Versions of one run are compared as they are. Embeddings of different runs have unrelated axes: one is rotated, scaled
and moved onto the other first (Procrustes).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tbtui.maths.components import align, compute_principal_components
from tbtui.maths.layouts import interpolate_positions
from tbtui.maths.neighbours import NeighbourIndex, measure_overlap
from tbtui.plugins.projector.scene import Comparison

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from tbtui.maths.components import Components
    from tbtui.plugins.projector.layouts import LayoutChoice, LayoutState
    from tbtui.plugins.projector.points import Points
    from tbtui.plugins.projector.sources import EmbeddingSource

COMPARED_NEIGHBOURS = 15
MAX_POINTS_WITH_NEIGHBOURS = 10_000
MAX_ALIGNED_DIMENSIONS = 512
"""Maximum number of dimensions that are aligned; with more, components are aligned instead."""

ALIGNED_COMPONENTS = 32
INTERPOLATED_ROWS = 4096
MAX_PATH_STEPS = 24
"""Maximum of steps of a path; of more steps, evenly spaced ones are read."""


def compare(
    points: Points,
    state: LayoutState,
    choice: LayoutChoice,
    basis: Components | None,
    source: EmbeddingSource,
    version: int,
    others: Points,
    *,
    is_aligned: bool,
) -> Iterator[Comparison]:
    """Yield the comparison, first without shares of kept neighbours.

    Args:
        points: The points on the map.
        state: Their positions.
        choice: Their layout.
        basis: Components of the map, if they are not those of the points.
        source: Embedding that is compared.
        version: Version of it.
        others: Its points.
        is_aligned: Rotate the other points onto these first.
    """
    rows = match_rows(points, others)
    both = np.flatnonzero(rows >= 0)
    both = both[points.finite[both] & others.finite[rows[both]]]
    distances, kept_shares = np.full(points.count, np.nan), np.full(points.count, np.nan)
    positions = np.full_like(state.positions, np.nan)
    missing = points.count - len(both)
    note = f"{missing:,} of {points.count:,} points are only in one of both" if missing else ""
    if len(both) < 2:
        yield Comparison(
            source,
            version,
            others,
            positions,
            distances,
            kept_shares,
            1.0,
            "the compared embedding has no common points",
        )
        return
    space = _move_to_common_space(points.values[both], others.values[rows[both]], is_aligned=is_aligned)
    distances[both] = np.linalg.norm(space.values.astype(np.float64) - space.other_values, axis=1)
    positions[both] = _place_others(points, state, choice, basis, both, space.values, space.other_values)
    yield Comparison(source, version, others, positions, distances, kept_shares, space.unexplained, note)
    if len(both) > MAX_POINTS_WITH_NEIGHBOURS:
        return
    count = min(COMPARED_NEIGHBOURS, len(both) - 1)
    kept_shares = kept_shares.copy()
    kept_shares[both] = measure_overlap(
        _find_all_nearest(points.values[both], count), _find_all_nearest(others.values[rows[both]], count)
    )
    yield Comparison(source, version, others, positions, distances, kept_shares, space.unexplained, note)


def compare_steps(
    points: Points,
    state: LayoutState,
    choice: LayoutChoice,
    basis: Components | None,
    source: EmbeddingSource,
    shown: int,
    versions: Sequence[tuple[int, Points]],
) -> Iterator[Comparison]:
    """Yield the paths of all points through the steps of an embedding, first without shares of kept neighbours.

    A point moved by the length of its path through the original space. Its kept neighbours are those of the first step
    that it still has at the last.

    Args:
        points: The points on the map.
        state: Their positions.
        choice: Their layout.
        basis: Components of the map, if they are not those of the points.
        source: The embedding.
        shown: Version of it on the map.
        versions: Versions and their points, in the order of the steps; at least two.
    """
    matched = [np.arange(points.count) if index == shown else match_rows(points, other) for index, other in versions]
    common = points.finite & np.logical_and.reduce([rows >= 0 for rows in matched])
    both = np.flatnonzero(common)
    for (_, other), rows in zip(versions, matched, strict=True):
        is_usable = other.dimensions == points.dimensions
        both = both[other.finite[rows[both]]] if is_usable else both[:0]
    distances, kept_shares = np.full(points.count, np.nan), np.full(points.count, np.nan)
    missing = points.count - len(both)
    note = f"{missing:,} of {points.count:,} points are not in all steps" if missing else ""
    paths = []
    length = np.zeros(len(both))
    previous: npt.NDArray[np.float32] | None = None
    for (index, other), rows in zip(versions, matched, strict=True):
        values = other.values[rows[both]]
        if previous is not None:
            length += np.linalg.norm(values.astype(np.float64) - previous, axis=1)
        previous = values
        positions = np.full_like(state.positions, np.nan)
        if index == shown:
            positions[both] = state.positions[both]
        elif len(both):
            positions[both] = _place_others(points, state, choice, basis, both, points.values[both], values)
        paths.append(positions)
    distances[both] = length
    steps = tuple(source.embedding.versions[index].step for index, _ in versions)
    first, last = versions[0], versions[-1]

    def result(kept_shares: npt.NDArray[np.float64]) -> Comparison:
        return Comparison(source, first[0], first[1], paths[0], distances, kept_shares, 0.0, note, tuple(paths), steps)

    yield result(kept_shares)
    if not 2 <= len(both) <= MAX_POINTS_WITH_NEIGHBOURS:
        return
    count = min(COMPARED_NEIGHBOURS, len(both) - 1)
    ends = [other.values[rows[both]] for (_, other), rows in ((first, matched[0]), (last, matched[-1]))]
    kept_shares = kept_shares.copy()
    kept_shares[both] = measure_overlap(_find_all_nearest(ends[0], count), _find_all_nearest(ends[1], count))
    yield result(kept_shares)


def choose_path_versions(count: int, shown: int) -> list[int]:
    """Return the versions on paths: all, or evenly spaced ones with the first, the last and the shown one."""
    if count <= MAX_PATH_STEPS:
        return list(range(count))
    spaced = np.unique(np.linspace(0, count - 1, MAX_PATH_STEPS - 1).round().astype(int)).tolist()
    return sorted({*spaced, shown})


def match_rows(points: Points, others: Points) -> npt.NDArray[np.intp]:
    """Return the row of each point among others, intp[n]; -1 without one.

    Points are the same by their label if labels are unique in both, otherwise by their number.
    """
    label, other_label = points.metadata.label, others.metadata.label
    if label is not None and other_label is not None and _is_unique(label.texts) and _is_unique(other_label.texts):
        row_by_text = {text: row for row, text in enumerate(other_label.texts)}
        return np.array([row_by_text.get(text, -1) for text in label.texts], np.intp)
    rows = np.arange(points.count, dtype=np.intp)
    rows[rows >= others.count] = -1
    return rows


def _is_unique(texts: tuple[str, ...]) -> bool:
    return "" not in texts and len(set(texts)) == len(texts)


class _CommonSpace(NamedTuple):
    """Two sets of points with the same axes."""

    values: npt.NDArray[np.float32]
    other_values: npt.NDArray[np.float32]
    unexplained: float
    """Share of the variance that rotation, scale and shift do not explain."""


def _move_to_common_space(
    values: npt.NDArray[np.float32], other_values: npt.NDArray[np.float32], *, is_aligned: bool
) -> _CommonSpace:
    """Return both sets of points in the space of the first."""
    has_same_dimensions = values.shape[1] == other_values.shape[1]
    if not is_aligned and has_same_dimensions:
        return _CommonSpace(values, other_values, 0.0)
    if has_same_dimensions and values.shape[1] <= MAX_ALIGNED_DIMENSIONS:
        alignment = align(other_values, values)
        return _CommonSpace(values, alignment.apply(other_values), alignment.unexplained)
    count = min(ALIGNED_COMPONENTS, values.shape[1], other_values.shape[1])
    first, second = compute_principal_components(values, count), compute_principal_components(other_values, count)
    alignment = align(second.project(other_values), first.project(values))
    scores = alignment.apply(second.project(other_values))
    return _CommonSpace(values, scores @ first.axes + first.mean, alignment.unexplained)


def _place_others(
    points: Points,
    state: LayoutState,
    choice: LayoutChoice,
    basis: Components | None,
    both: npt.NDArray[np.intp],
    values: npt.NDArray[np.float32],
    other_values: npt.NDArray[np.float32],
) -> npt.NDArray[np.float32]:
    """Return the positions of the other points on the map of these."""
    if choice.kind in ("pca", "raw") and not choice.is_sphereised:
        dimensions = state.positions.shape[1]
        positions = np.zeros((len(both), dimensions), np.float32)
        components = basis if basis is not None else points.components
        for axis, index in enumerate(choice.components[:dimensions]):
            if choice.kind == "raw":
                positions[:, axis] = other_values[:, index] if index < other_values.shape[1] else 0
            elif index < len(components.axes):
                positions[:, axis] = (other_values - components.mean) @ components.axes[index]
        return positions
    positions = np.full((len(both), state.positions.shape[1]), np.nan, np.float32)
    has_position = np.flatnonzero(~np.isnan(state.positions[both, 0]))
    for begin in range(0, len(both), INTERPOLATED_ROWS):
        block = slice(begin, begin + INTERPOLATED_ROWS)
        positions[block] = interpolate_positions(
            values[has_position], state.positions[both][has_position], other_values[block]
        )
    return positions


def _find_all_nearest(values: npt.NDArray[np.float32], count: int) -> npt.NDArray[np.int32]:
    index = NeighbourIndex(values, np.ones(len(values), np.bool_))
    nearest = np.empty((0, 0), np.int32)
    for _, neighbours, _ in index.iter_nearest(count, "euclidean"):
        nearest = neighbours
    return nearest
