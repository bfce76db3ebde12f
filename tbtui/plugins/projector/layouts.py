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
from tbtui.maths.components import axis_positions, group_axis
from tbtui.maths.layouts import MIN_DISTANCES, NeighbourLayout, Tsne, interpolate_positions, perplexity_edges
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
"""Points that t-SNE and the UMAP-like layout move; the others are placed by their neighbours among them."""

MIN_PERPLEXITY, MAX_PERPLEXITY = 2, 100
MIN_NEIGHBOURS, MAX_NEIGHBOURS = 2, 100
MIN_TSNE_POINTS = 4
"""Points without which a layout of neighbours has no meaning."""


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
        """The choice without what does not alter the computed positions."""
        blank = LayoutChoice()
        kept: dict[str, object] = {
            "kind": self.kind,
            "dimensions": self.dimensions,
            "is_sphereised": self.is_sphereised,
        }
        if self.is_iterative:
            kept |= {"metric": self.metric, "seed": self.seed}
        if self.kind == "tsne":
            kept |= {"perplexity": self.perplexity, "iterations": self.iterations}
        elif self.kind == "umap":
            kept |= {"neighbours": self.neighbours, "min_distance": self.min_distance, "epochs": self.epochs}
        elif self.kind == "axes":
            kept |= {"axes": self.axes}
        else:
            kept |= {"components": self.components}
        return replace(blank, **kept)  # type: ignore[arg-type]


@frozen(eq=False)
class LayoutState:
    """Positions of all points at one moment."""

    positions: Positions
    """float32[n, 2 or 3]; NaN for points that cannot be placed."""

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
    """Points that a layout of neighbours moves; the others are placed by their neighbours."""

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
    used = points.sphereised if choice.is_sphereised else points
    if choice.kind == "raw":
        yield _raw(used, choice)
    elif choice.kind == "axes":
        yield _custom(used, choice)
    elif choice.kind == "pca":
        yield from _components(used, choice, basis)
    else:
        yield from _neighbour_layout(used, choice, start)


def default_choice(points: Points) -> LayoutChoice:
    """Return the layout that is shown first: components, or the dimensions themselves if they are few."""
    if points.dimensions <= MAX_RAW_DIMENSIONS:
        return LayoutChoice("raw")
    return LayoutChoice()


def default_perplexity(points: int) -> int:
    """Return TensorBoard's default perplexity."""
    return int(np.clip(max(5, np.ceil(np.sqrt(points) / 4)), MIN_PERPLEXITY, MAX_PERPLEXITY))


def _raw(points: Points, choice: LayoutChoice) -> LayoutState:
    chosen = _chosen_axes(choice, points.dimensions)
    positions = np.full((points.count, choice.dimensions), 0, np.float32)
    for axis, dimension in enumerate(chosen):
        if dimension is not None:
            positions[:, axis] = points.values[:, dimension]
    positions[~points.finite] = np.nan
    return LayoutState(positions, tuple(f"dimension {d + 1}" if d is not None else "" for d in chosen))


def _chosen_axes(choice: LayoutChoice, available: int) -> list[int | None]:
    """Return the component or dimension of each axis; None if there are fewer."""
    return [index if index < available else None for index in choice.components[: choice.dimensions]]


def _components(points: Points, choice: LayoutChoice, basis: Components | None) -> Iterator[LayoutState]:
    if not bool(points.finite.any()):
        yield LayoutState(np.full((points.count, choice.dimensions), np.nan, np.float32))
        return
    if basis is None and not points.is_quickly_fitted and "components" not in vars(points):
        first = points.first_components
        yield replace(_scores(points, choice, first), phase="components of all points", part=0.5)
    if basis is None:
        yield _scores(points, choice, points.components)
        return
    measured = basis.measured_on(points.finite_values)
    yield replace(_scores(points, choice, measured), component_shares=tuple(measured.shares.tolist()))


def _scores(points: Points, choice: LayoutChoice, basis: Components) -> LayoutState:
    chosen = _chosen_axes(choice, len(basis.axes))
    positions = np.zeros((points.count, choice.dimensions), np.float32)
    rows = [index for index in chosen if index is not None]
    with np.errstate(all="ignore"):
        scores = points.values @ basis.axes[rows].T - basis.mean @ basis.axes[rows].T
    for axis, index in enumerate(chosen):
        if index is not None:
            positions[:, axis] = scores[:, rows.index(index)]
    positions[~points.finite] = np.nan
    note = "" if bool(basis.shares.any()) else "all points are equal: there is no variance"
    return LayoutState(
        positions,
        tuple(f"component {index + 1}" if index is not None else "" for index in chosen),
        tuple(float(basis.shares[index]) if index is not None else 0.0 for index in chosen),
        note=note,
    )


# Custom axes


def matches(points: Points, pattern: str, column: str | None) -> npt.NDArray[np.bool_]:
    """Return True for each point whose text matches a regular expression, ignoring case, bool[n].

    Raises:
        ValueError: The pattern is no regular expression; the text says why.
    """
    found = np.zeros(points.count, np.bool_)
    chosen = points.metadata.column(column) if column is not None else points.metadata.label
    compiled, error = compile_pattern(pattern)
    if error is not None or compiled is None:
        raise ValueError(error or "not a valid pattern")
    texts = chosen.texts if chosen is not None else tuple(map(str, range(points.count)))
    deadline = time.monotonic() + MAX_SEARCH_SECONDS
    try:
        for index, text in enumerate(texts):
            if text and compiled.search(text, timeout=1.0):
                found[index] = True
            if not index % 1024 and time.monotonic() > deadline:
                raise TimeoutError
    except (TimeoutError, RecursionError, MemoryError):
        raise ValueError("the search takes too long") from None
    return found


MAX_SEARCH_SECONDS = 2.0


def _custom(points: Points, choice: LayoutChoice) -> LayoutState:
    query = choice.axes
    positions = np.zeros((points.count, choice.dimensions), np.float32)
    names, notes = [], []
    rest: npt.NDArray[np.float64] | None = None
    with np.errstate(all="ignore"):
        for axis, (begin, end) in enumerate(((query.left, query.right), (query.down, query.up))):
            vector = None
            if begin and end:
                try:
                    ends = [matches(points, pattern, query.column) & points.finite for pattern in (begin, end)]
                    vector = group_axis(points.values, ends[0], ends[1])
                    empty = [pattern for pattern, found in zip((begin, end), ends, strict=True) if not found.any()]
                    notes += [f"nothing matches {pattern}" for pattern in empty]
                    if vector is None and not empty:
                        notes.append(f"{begin} and {end} have the same mean")
                except ValueError as error:
                    notes.append(str(error))
            if vector is not None:
                positions[:, axis] = axis_positions(points.values, vector)
                rest = vector.astype(np.float64)
                names.append(f"{begin} → {end}")
            else:
                names.append("")
        if rest is not None and "" in names[:2]:  # one axis alone: the other is what varies most beside it
            axis = names.index("")
            positions[:, axis] = _beside(points, rest)
            names[axis] = "component beside it"
    positions[~points.finite] = np.nan
    if not any(names):
        notes.insert(0, "no axis is defined: enter labels for its ends")
    return LayoutState(positions, tuple(names), note="; ".join(notes))


def _beside(points: Points, vector: npt.NDArray[np.float64]) -> Positions:
    """Return the first component of the points without what lies along a vector."""
    from tbtui.maths.components import principal_components

    unit = (vector / np.linalg.norm(vector)).astype(np.float32)
    rest = points.finite_values - np.outer(points.finite_values @ unit, unit)
    positions = np.full(points.count, np.nan, np.float32)
    positions[points.finite] = principal_components(rest, 1).scores(rest)[:, 0]
    return positions


# Layouts of neighbours


def _neighbour_layout(points: Points, choice: LayoutChoice, start: Positions | None) -> Iterator[LayoutState]:
    usable = np.flatnonzero(points.index.is_usable(choice.metric))
    if len(usable) < MIN_TSNE_POINTS:
        state = next(_components(points, choice, None))
        yield replace(state, note=f"{NAMES[choice.kind]} needs at least {MIN_TSNE_POINTS} points: components are shown")
        return
    begin = _start_positions(points, choice, start)
    rows = sample_rows(points, usable, choice.seed)
    total, name = choice.steps, "iteration" if choice.kind == "tsne" else "epoch"
    state = LayoutState(begin, phase="neighbours", part=0.0, laid_out=len(rows))
    yield state
    sample = points.values[rows]
    index = NeighbourIndex(sample, np.ones(len(rows), np.bool_))
    wanted = 3 * choice.perplexity if choice.kind == "tsne" else choice.neighbours
    for part, found, away in index.all_nearest(min(wanted, len(rows) - 1), choice.metric):
        nearest, distances = found, away
        yield replace(state, phase=f"neighbours {part:.0%}", part=part)
    if choice.metric == "cosine":
        distances = np.sqrt(np.maximum(2 * distances, 0))  # Euclidean distances of unit vectors
    layout: Tsne | NeighbourLayout
    if choice.kind == "tsne":
        layout = Tsne(perplexity_edges(nearest, distances, choice.perplexity), begin[rows])
    else:
        layout = NeighbourLayout(nearest, distances, begin[rows], total, choice.min_distance, choice.seed)
    spent = 0.0
    for step in range(1, total + 1):
        before = time.perf_counter()
        layout.step()
        spent += time.perf_counter() - before
        yield LayoutState(
            _spread(points.count, rows, layout.positions),
            phase=f"{name} {step:,} of {total:,}",
            part=step / total,
            step=step,
            milliseconds=1000 * spent / step,
            laid_out=len(rows),
        )
    yield from _placed(points, choice, usable, rows, layout.positions)


def _start_positions(points: Points, choice: LayoutChoice, start: Positions | None) -> Positions:
    if start is not None and start.shape == (points.count, choice.dimensions):
        return np.nan_to_num(start)
    *_, state = _components(points, replace(choice, components=(0, 1, 2)), None)
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
        places = np.flatnonzero(codes == code)
        ranks[places] = np.arange(len(places)) * len(order) // len(places)
    return np.sort(order[np.argsort(ranks, kind="stable")[:MAX_LAID_OUT]])


def _spread(count: int, rows: npt.NDArray[np.intp], positions: npt.NDArray[np.float64]) -> Positions:
    spread = np.full((count, positions.shape[1]), np.nan, np.float32)
    spread[rows] = positions
    return np.asarray(spread)


PLACED_ROWS = 4096
"""Points that are placed between two states."""


def _placed(
    points: Points,
    choice: LayoutChoice,
    usable: npt.NDArray[np.intp],
    rows: npt.NDArray[np.intp],
    positions: npt.NDArray[np.float64],
) -> Iterator[LayoutState]:
    """Yield states in which the points that were not laid out are placed by their neighbours."""
    placed = _spread(points.count, rows, positions)
    is_sampled = np.zeros(points.count, np.bool_)
    is_sampled[rows] = True
    others = usable[~is_sampled[usable]]
    values = points.values
    sample = values[rows]
    if choice.metric == "cosine":
        sample = np.asarray(sample / np.linalg.norm(sample, axis=1, keepdims=True), np.float32)
    for begin in range(0, len(others), PLACED_ROWS):
        block = others[begin : begin + PLACED_ROWS]
        placed[block] = interpolate_positions(sample, positions, values[block])
        part = (begin + len(block)) / len(others)
        yield LayoutState(
            placed.copy(), phase=f"placing further points {part:.0%}", part=part, step=choice.steps, laid_out=len(rows)
        )
    yield LayoutState(placed, step=choice.steps, laid_out=len(rows))


def valid_min_distance(wanted: float) -> float:
    """Return the available minimum distance nearest to a wanted one."""
    return min(MIN_DISTANCES, key=lambda each: abs(each - wanted))
