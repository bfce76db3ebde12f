"""Layouts of points: positions in two or three dimensions, computed step by step.

`run_layout` is a generator of states that can be drawn at any time, so that the caller draws while it runs, stops it
and resumes it. Components, axes and raw dimensions are done with the first state.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from tbtui.frozen import frozen
from tbtui.maths.components import group_axis, project_on_axis
from tbtui.maths.layouts import MIN_DISTANCES, NeighbourLayout, Tsne, compute_perplexity_edges, interpolate_positions
from tbtui.maths.neighbours import NeighbourIndex
from tbtui.settings.filters import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from tbtui.maths.components import Components
    from tbtui.maths.neighbours import Metric
    from tbtui.plugins.projector.points import Points

    Positions: TypeAlias = npt.NDArray[np.float32]

LayoutKind: TypeAlias = Literal["pca", "tsne", "umap", "axes", "raw"]
KINDS: tuple[LayoutKind, ...] = ("pca", "tsne", "umap", "axes", "raw")
NAMES = {"pca": "PCA", "tsne": "t-SNE", "umap": "UMAP-like", "axes": "axes", "raw": "dimensions"}

MAX_RAW_DIMENSIONS = 3
"""Points of at most this many dimensions are shown as they are, not as components."""

MAX_LAID_OUT = 10_000
"""Points that t-SNE and the UMAP-like layout move; the positions of others are interpolated between them."""

MIN_PERPLEXITY, MAX_PERPLEXITY = 2, 100
MIN_NEIGHBOURS, MAX_NEIGHBOURS = 2, 100
MIN_TSNE_POINTS = 4
"""Minimum of points for a layout of neighbours."""


@frozen
class AxisQuery:
    """Regular expressions whose matches are the ends of custom axes, in one column."""

    left: str = ""
    right: str = ""
    down: str = ""
    up: str = ""
    column: str | None = None
    """Name of the column; None: that of the labels."""


@frozen
class LayoutChoice:
    """Kind and parameters of a layout."""

    kind: LayoutKind = "pca"
    dimensions: int = 2
    components: tuple[int, int, int] = (0, 1, 2)
    """Components or raw dimensions along x, y and z, from 0."""

    metric: Metric = "euclidean"
    """Distance of t-SNE and of the UMAP-like layout."""

    is_sphereised: bool = False
    perplexity: int = 30
    neighbours: int = 15
    min_distance: float = 0.1
    iterations: int = 750
    epochs: int = 200
    seed: int = 0
    axes: AxisQuery = AxisQuery()

    @property
    def steps(self) -> int:
        """Iterations or epochs until the layout is done."""
        return self.iterations if self.kind == "tsne" else self.epochs

    @property
    def is_iterative(self) -> bool:
        """Return True for layouts that take many steps."""
        return self.kind in ("tsne", "umap")

    @property
    def identity(self) -> LayoutChoice:
        """The choice with defaults for all parameters that do not alter the computed positions."""
        relevant: dict[str, object] = {
            "kind": self.kind,
            "dimensions": self.dimensions,
            "is_sphereised": self.is_sphereised,
        }
        if self.is_iterative:
            relevant |= {"metric": self.metric, "seed": self.seed}
        if self.kind == "tsne":
            relevant |= {"perplexity": self.perplexity, "iterations": self.iterations}
        elif self.kind == "umap":
            relevant |= {"neighbours": self.neighbours, "min_distance": self.min_distance, "epochs": self.epochs}
        elif self.kind == "axes":
            relevant |= {"axes": self.axes}
        else:
            relevant |= {"components": self.components}
        return replace(LayoutChoice(), **relevant)  # type: ignore[arg-type]


@frozen(eq=False)
class LayoutState:
    """Positions of all points at one moment."""

    positions: Positions
    """float32[n, 2 or 3]; NaN for points without a position."""

    names: tuple[str, ...] = ()
    """Meaning of the axes: `component 1`; empty if they have none."""

    shares: tuple[float, ...] = ()
    """Share of the variance along each axis; empty if not known."""

    component_shares: tuple[float, ...] = ()
    """Share of the variance of each component, if these are the components of another step; else empty."""

    phase: str = ""
    """Name of the present computation; empty when it is done."""

    part: float = 1.0
    """Progress from 0 to 1."""

    step: int = 0
    milliseconds: float = 0.0
    """Time of one iteration."""

    laid_out: int = 0
    """Points that a layout of neighbours moves; the positions of others are interpolated."""

    note: str = ""
    """Note for the user."""

    @property
    def is_done(self) -> bool:
        """Return True if nothing is computed any more."""
        return not self.phase


def run_layout(
    points: Points,
    choice: LayoutChoice,
    *,
    basis: Components | None = None,
    start: Positions | None = None,
) -> Iterator[LayoutState]:
    """Yield states of a layout until it is done.

    Args:
        points: The points.
        choice: Kind and parameters.
        basis: Components to use instead of those of the points, so that steps of training are comparable.
        start: Positions to start from, float32[n, k], those of the step before; None: components.
    """
    vectors = points.sphereised if choice.is_sphereised else points
    if choice.kind == "raw":
        yield _lay_out_dimensions(vectors, choice)
    elif choice.kind == "axes":
        yield _lay_out_axes(vectors, choice)
    elif choice.kind == "pca":
        yield from _lay_out_components(vectors, choice, basis)
    else:
        yield from _lay_out_neighbours(vectors, choice, start)


def choose_default(points: Points) -> LayoutChoice:
    """Return the layout that is shown first: components, or the dimensions themselves if they are few."""
    if points.dimensions <= MAX_RAW_DIMENSIONS:
        return LayoutChoice("raw")
    return LayoutChoice()


def create_default_choice(points: Points) -> LayoutChoice:
    """Return the layout that is shown first, with the perplexity that suits the number of points."""
    return replace(choose_default(points), perplexity=choose_default_perplexity(points.count))


def choose_default_perplexity(points: int) -> int:
    """Return TensorBoard's default perplexity."""
    return int(np.clip(max(5, np.ceil(np.sqrt(points) / 4)), MIN_PERPLEXITY, MAX_PERPLEXITY))


def _lay_out_dimensions(points: Points, choice: LayoutChoice) -> LayoutState:
    dimensions = _choose_axes(choice, points.dimensions)
    positions = np.full((points.count, choice.dimensions), 0, np.float32)
    for axis, dimension in enumerate(dimensions):
        if dimension is not None:
            positions[:, axis] = points.values[:, dimension]
    positions[~points.finite] = np.nan
    return LayoutState(positions, tuple(f"dimension {d + 1}" if d is not None else "" for d in dimensions))


def _choose_axes(choice: LayoutChoice, available: int) -> list[int | None]:
    """Return the component or dimension of each axis; None if there are fewer."""
    return [index if index < available else None for index in choice.components[: choice.dimensions]]


def _lay_out_components(points: Points, choice: LayoutChoice, basis: Components | None) -> Iterator[LayoutState]:
    if not bool(points.finite.any()):
        yield LayoutState(np.full((points.count, choice.dimensions), np.nan, np.float32))
        return
    if basis is None and not points.is_quickly_fitted and "components" not in vars(points):
        first = points.first_components
        yield replace(_project_on_components(points, choice, first), phase="components of all points", part=0.5)
    if basis is None:
        yield _project_on_components(points, choice, points.components)
        return
    measured = basis.measure_on(points.finite_values)
    yield replace(_project_on_components(points, choice, measured), component_shares=tuple(measured.shares.tolist()))


def _project_on_components(points: Points, choice: LayoutChoice, basis: Components) -> LayoutState:
    components = _choose_axes(choice, len(basis.axes))
    positions = np.zeros((points.count, choice.dimensions), np.float32)
    rows = [index for index in components if index is not None]
    with np.errstate(all="ignore"):
        scores = points.values @ basis.axes[rows].T - basis.mean @ basis.axes[rows].T
    for axis, index in enumerate(components):
        if index is not None:
            positions[:, axis] = scores[:, rows.index(index)]
    positions[~points.finite] = np.nan
    note = "" if bool(basis.shares.any()) else "all points are equal: there is no variance"
    return LayoutState(
        positions,
        tuple(f"component {index + 1}" if index is not None else "" for index in components),
        tuple(float(basis.shares[index]) if index is not None else 0.0 for index in components),
        note=note,
    )


# Custom axes


def match_points(points: Points, pattern: str, column: str | None) -> npt.NDArray[np.bool_]:
    """Return True for each point whose text matches a regular expression, ignoring case, bool[n].

    Raises:
        ValueError: The pattern is not a regular expression; the text is the reason.
    """
    is_match = np.zeros(points.count, np.bool_)
    searched = points.metadata.column(column) if column is not None else points.metadata.label
    compiled, error = compile_pattern(pattern)
    if error is not None or compiled is None:
        raise ValueError(error or "not a valid pattern")
    texts = searched.texts if searched is not None else tuple(map(str, range(points.count)))
    deadline = time.monotonic() + MAX_SEARCH_SECONDS
    try:
        for index, text in enumerate(texts):
            if text and compiled.search(text, timeout=1.0):
                is_match[index] = True
            if not index % 1024 and time.monotonic() > deadline:
                raise TimeoutError
    except (TimeoutError, RecursionError, MemoryError):
        raise ValueError("the search takes too long") from None
    return is_match


MAX_SEARCH_SECONDS = 2.0


def _lay_out_axes(points: Points, choice: LayoutChoice) -> LayoutState:
    query = choice.axes
    positions = np.zeros((points.count, choice.dimensions), np.float32)
    names, notes = [], []
    other_axis: npt.NDArray[np.float64] | None = None
    with np.errstate(all="ignore"):
        for axis, (begin, end) in enumerate(((query.left, query.right), (query.down, query.up))):
            vector = None
            if begin and end:
                try:
                    ends = [match_points(points, pattern, query.column) & points.finite for pattern in (begin, end)]
                    vector = group_axis(points.values, ends[0], ends[1])
                    empty = [
                        pattern for pattern, is_match in zip((begin, end), ends, strict=True) if not is_match.any()
                    ]
                    notes += [f"nothing matches {pattern}" for pattern in empty]
                    if vector is None and not empty:
                        notes.append(f"{begin} and {end} have the same mean")
                except ValueError as error:
                    notes.append(str(error))
            if vector is not None:
                positions[:, axis] = project_on_axis(points.values, vector)
                other_axis = vector.astype(np.float64)
                names.append(f"{begin} → {end}")
            else:
                names.append("")
        if other_axis is not None and "" in names[:2]:  # the missing axis is the first component without the other one
            axis = names.index("")
            positions[:, axis] = _find_other_component(points, other_axis)
            names[axis] = "component beside it"
    positions[~points.finite] = np.nan
    if not any(names):
        notes.insert(0, "no axis is defined: enter labels for its ends")
    return LayoutState(positions, tuple(names), note="; ".join(notes))


def _find_other_component(points: Points, vector: npt.NDArray[np.float64]) -> Positions:
    """Return the first component of the points after removal of the direction of a vector."""
    from tbtui.maths.components import compute_principal_components

    unit = (vector / np.linalg.norm(vector)).astype(np.float32)
    rest = points.finite_values - np.outer(points.finite_values @ unit, unit)
    positions = np.full(points.count, np.nan, np.float32)
    positions[points.finite] = compute_principal_components(rest, 1).project(rest)[:, 0]
    return positions


# Layouts of neighbours


def _lay_out_neighbours(points: Points, choice: LayoutChoice, start: Positions | None) -> Iterator[LayoutState]:
    usable = np.flatnonzero(points.index.is_usable(choice.metric))
    if len(usable) < MIN_TSNE_POINTS:
        state = next(_lay_out_components(points, choice, None))
        yield replace(state, note=f"{NAMES[choice.kind]} needs at least {MIN_TSNE_POINTS} points: components are shown")
        return
    begin = _start_positions(points, choice, start)
    rows = sample_rows(points, usable, choice.seed)
    total, name = choice.steps, "iteration" if choice.kind == "tsne" else "epoch"
    state = LayoutState(begin, phase="neighbours", part=0.0, laid_out=len(rows))
    yield state
    sample = points.values[rows]
    index = NeighbourIndex(sample, np.ones(len(rows), np.bool_))
    neighbour_count = 3 * choice.perplexity if choice.kind == "tsne" else choice.neighbours
    for part, nearest, distances in index.iter_nearest(  # noqa: B007 - the last ones count
        min(neighbour_count, len(rows) - 1), choice.metric
    ):
        yield replace(state, phase=f"neighbours {part:.0%}", part=part)
    if choice.metric == "cosine":
        distances = np.sqrt(np.maximum(2 * distances, 0))  # Euclidean distances of unit vectors
    layout: Tsne | NeighbourLayout
    if choice.kind == "tsne":
        layout = Tsne(compute_perplexity_edges(nearest, distances, choice.perplexity), begin[rows])
    else:
        layout = NeighbourLayout(nearest, distances, begin[rows], total, choice.min_distance, choice.seed)
    seconds = 0.0
    for step in range(1, total + 1):
        start_time = time.perf_counter()
        layout.step()
        seconds += time.perf_counter() - start_time
        yield LayoutState(
            _expand_positions(points.count, rows, layout.positions),
            phase=f"{name} {step:,} of {total:,}",
            part=step / total,
            step=step,
            milliseconds=1000 * seconds / step,
            laid_out=len(rows),
        )
    yield from _interpolate_others(points, choice, usable, rows, layout.positions)


def _start_positions(points: Points, choice: LayoutChoice, start: Positions | None) -> Positions:
    if start is not None and start.shape == (points.count, choice.dimensions):
        return np.nan_to_num(start)
    *_, state = _lay_out_components(points, replace(choice, components=(0, 1, 2)), None)
    positions: Positions = state.positions
    return positions


def sample_rows(points: Points, usable: npt.NDArray[np.intp], seed: int) -> npt.NDArray[np.intp]:
    """Return the points that are laid out: all, or a sample with the same share of each label.

    A label with few points keeps at least one.
    """
    if len(usable) <= MAX_LAID_OUT:
        return usable
    random = np.random.default_rng(seed)
    column = next((column for column in points.metadata.columns if column.is_categorical), None)
    order = random.permutation(usable)
    if column is None:
        return np.sort(order[:MAX_LAID_OUT])
    codes = column.codes[order]
    ranks = np.empty(len(order), np.int64)
    for code in np.unique(codes):
        members = np.flatnonzero(codes == code)
        ranks[members] = np.arange(len(members)) * len(order) // len(members)
    return np.sort(order[np.argsort(ranks, kind="stable")[:MAX_LAID_OUT]])


def _expand_positions(count: int, rows: npt.NDArray[np.intp], positions: npt.NDArray[np.float64]) -> Positions:
    """Return the positions of all points; NaN for those without one."""
    all_positions = np.full((count, positions.shape[1]), np.nan, np.float32)
    all_positions[rows] = positions
    return np.asarray(all_positions)


INTERPOLATED_ROWS = 4096
"""Points whose positions are interpolated between two states."""


def _interpolate_others(
    points: Points,
    choice: LayoutChoice,
    usable: npt.NDArray[np.intp],
    rows: npt.NDArray[np.intp],
    positions: npt.NDArray[np.float64],
) -> Iterator[LayoutState]:
    """Yield states with interpolated positions of more and more of the points that were not laid out."""
    all_positions = _expand_positions(points.count, rows, positions)
    is_sampled = np.zeros(points.count, np.bool_)
    is_sampled[rows] = True
    others = usable[~is_sampled[usable]]
    values = points.values
    sample = values[rows]
    if choice.metric == "cosine":
        sample = np.asarray(sample / np.linalg.norm(sample, axis=1, keepdims=True), np.float32)
    for begin in range(0, len(others), INTERPOLATED_ROWS):
        block = others[begin : begin + INTERPOLATED_ROWS]
        all_positions[block] = interpolate_positions(sample, positions, values[block])
        part = (begin + len(block)) / len(others)
        yield LayoutState(
            all_positions.copy(),
            phase=f"placing further points {part:.0%}",
            part=part,
            step=choice.steps,
            laid_out=len(rows),
        )
    yield LayoutState(all_positions, step=choice.steps, laid_out=len(rows))


def round_min_distance(distance: float) -> float:
    """Return the available minimum distance that is nearest to another one."""
    return min(MIN_DISTANCES, key=lambda available: abs(available - distance))
