"""Layouts of neighbours in two or three dimensions, one iteration at a time: t-SNE, and one like UMAP.

Both start from given positions and a seed of random numbers, so that equal data give equal layouts.
t-SNE follows van der Maaten and Hinton (2008); repulsion is interpolated on a grid as in FIt-SNE (Linderman et al.
2019). The other one has UMAP's graph and loss (McInnes et al. 2018), with all edges of an epoch applied at once.

Measured on 10,000 points, one core: t-SNE with 75 neighbours 4 ms an iteration for the edges, and 2 to 25 ms for the
repulsion, by the size of the grid; the other layout 25 ms an epoch.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.frozen import frozen

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats: TypeAlias = npt.NDArray[np.float64]
    Indices: TypeAlias = npt.NDArray[np.int32]
    Spectrum: TypeAlias = npt.NDArray[np.complexfloating]

BISECTIONS = 40
TINY = 1e-12

EXAGGERATION = 12.0
EXAGGERATED_ITERATIONS = 250
MIN_LEARNING_RATE = 50.0
"""As in scikit-learn; a larger one makes maps of few points take three times as many iterations."""

MAX_STEP = 5.0
"""Longest move of a point in one iteration."""

MAX_EXACT_POINTS = 1000
"""Points up to which all pairs take less time than the grid."""

GRID = {2: 192, 3: 40}
"""Maximum cells of the grid per side, by dimensions."""

MIN_GRID = {2: 64, 3: 24}
SPAN_STEP = 1.15
"""The span of the grid grows in steps of this factor, so that its kernel is computed rarely."""


@frozen(eq=False)
class Edges:
    """Weighted edges between points, in both directions, sorted by their starts."""

    starts: Indices
    ends: Indices
    weights: npt.NDArray[np.float32]


def compute_perplexity_edges(nearest: Indices, distances: npt.NDArray[np.floating], perplexity: float) -> Edges:
    """Return the joint probabilities of t-SNE.

    Args:
        nearest: Neighbours of each point, int32[n, k].
        distances: Their distances, float[n, k].
        perplexity: Effective number of neighbours; at most k is possible.
    """
    rows, count = nearest.shape
    squares = distances.astype(np.float64) ** 2
    squares -= squares[:, :1]
    target_entropy = np.log(max(min(perplexity, count / 1.01), 1.0))
    # Bandwidths of all rows by bisection at once, starting from the scale of the data.
    scale = max(float(squares.mean()), TINY)
    beta, low, high = np.full(rows, 1 / scale), np.zeros(rows), np.full(rows, np.inf)
    for _ in range(BISECTIONS + 20):
        weights = np.exp(-squares * beta[:, None])
        sums = weights.sum(axis=1)
        entropy = np.log(sums) + beta * (squares * weights).sum(axis=1) / sums
        too_wide = entropy > target_entropy
        low, high = np.where(too_wide, beta, low), np.where(too_wide, high, beta)
        beta = np.where(np.isinf(high), beta * 2, (low + high) / 2)
    return _symmetrise(nearest, weights / sums[:, None], 1 / (2 * rows))


def _symmetrise(nearest: Indices, weights: Floats, factor: float) -> Edges:
    """Return edges whose weights are the sums of both directions."""
    rows, count = nearest.shape
    starts, ends = np.repeat(np.arange(rows), count), nearest.ravel().astype(np.int64)
    keys, key_indices = np.unique(np.concatenate([starts * rows + ends, ends * rows + starts]), return_inverse=True)
    sums = np.bincount(key_indices.ravel(), np.concatenate([weights.ravel(), weights.ravel()])) * factor
    return Edges((keys // rows).astype(np.int32), (keys % rows).astype(np.int32), sums.astype(np.float32))


class Tsne:
    """A t-SNE layout; `step` computes one iteration, and `positions` can always be drawn.

    Args:
        edges: Joint probabilities.
        start: Initial positions, float[n, 2 or 3]; only their directions count.
    """

    def __init__(self, edges: Edges, start: npt.NDArray[np.floating]) -> None:
        self._edges = edges
        initial = start.astype(np.float64)
        initial -= initial.mean(axis=0)
        self.positions: Floats = initial / max(float(initial[:, 0].std()), TINY) * 1e-4
        rows, self._dimensions = initial.shape
        self._ends = edges.ends.astype(np.intp)
        self._counts = np.bincount(edges.starts, minlength=rows)
        firsts = np.cumsum(self._counts) - self._counts
        self._linked = np.flatnonzero(self._counts)
        self._firsts = firsts[self._linked]
        self._velocity = np.zeros_like(initial)
        self._gains = np.ones_like(initial)
        self._kernel: tuple[tuple[int, float], Spectrum, Spectrum] | None = None
        self._rates = max(rows / EXAGGERATION, MIN_LEARNING_RATE), max(rows, MIN_LEARNING_RATE)
        self.iteration = 0

    def step(self) -> None:
        """Compute one iteration."""
        y = self.positions
        early = self.iteration < EXAGGERATED_ITERATIONS
        gradient = self._compute_attraction(y)
        if early:
            gradient *= EXAGGERATION
        gradient -= self._compute_repulsion(y)
        gradient *= 4
        turned = np.sign(gradient) != np.sign(self._velocity)
        self._gains = np.maximum(np.where(turned, self._gains + 0.2, self._gains * 0.8), 0.01)
        self._velocity *= 0.5 if early else 0.8
        self._velocity -= self._rates[0 if early else 1] * self._gains * gradient
        lengths = np.linalg.norm(self._velocity, axis=1, keepdims=True)
        self._velocity *= np.minimum(1, MAX_STEP / np.maximum(lengths, TINY))
        moved = y + self._velocity
        self.positions = moved - moved.mean(axis=0)
        self.iteration += 1

    def _compute_attraction(self, y: Floats) -> Floats:
        """Return the attractive part of the gradient: sums over the edges.

        Columns of float32 and sums over sorted edges take a tenth of the time of rows of float64 and `bincount`.
        """
        differences = []
        for axis in range(self._dimensions):
            column = y[:, axis].astype(np.float32)
            differences.append(np.repeat(column, self._counts) - column.take(self._ends))
        factors = differences[0] * differences[0]
        for each in differences[1:]:
            factors += each * each
        factors += 1
        np.divide(self._edges.weights, factors, out=factors)
        gradient = np.zeros_like(y)
        for axis in range(self._dimensions):
            differences[axis] *= factors
            gradient[self._linked, axis] = np.add.reduceat(differences[axis], self._firsts)
        return gradient

    def _compute_repulsion(self, y: Floats) -> Floats:
        """Return the repulsive part of the gradient: sums over all pairs, of many points as convolutions on a grid."""
        if len(y) <= MAX_EXACT_POINTS:
            return _compute_exact_repulsion(y)
        axes = range(self._dimensions)
        low = y.min(axis=0)
        span = max(float((y.max(axis=0) - low).max()), 1e-9)
        span = SPAN_STEP ** float(np.ceil(np.log(span) / np.log(SPAN_STEP)))
        side = int(np.clip(span * 2, MIN_GRID[self._dimensions], GRID[self._dimensions]))
        width = span / (side - 3)
        padded = 2 * side
        shape = (padded,) * self._dimensions
        square_kernel, cube_kernel = self._compute_kernels(padded, width)
        grid = (y - low) / width + 1
        base = grid.astype(np.int64)
        fractions = grid - base
        strides = [padded ** (self._dimensions - 1 - axis) for axis in axes]
        first_cells = base @ np.array(strides)
        corners = []
        for corner in product((0, 1), repeat=self._dimensions):
            weight = np.ones(len(y))
            for axis in axes:
                weight *= fractions[:, axis] if corner[axis] else 1 - fractions[:, axis]
            corners.append((first_cells + sum(c * s for c, s in zip(corner, strides, strict=True)), weight))

        def spread(charge: Floats | float) -> Spectrum:
            total = np.zeros(padded**self._dimensions)
            for cell_indices, weight in corners:
                total += np.bincount(cell_indices, weight * charge, len(total))
            return np.asarray(np.fft.rfftn(total.reshape(shape).astype(np.float32)))

        def gather(spectrum: Spectrum) -> Floats:
            field = np.fft.irfftn(spectrum, shape, axes=tuple(axes)).ravel()
            return np.asarray(sum(field[cell_indices] * weight for cell_indices, weight in corners))

        ones = spread(1.0)
        total = float(gather(ones * square_kernel).sum()) - len(y)
        near = gather(ones * cube_kernel)
        force = np.empty_like(y)
        for axis in axes:
            force[:, axis] = y[:, axis] * near - gather(spread(y[:, axis]) * cube_kernel)
        return force / max(total, TINY)

    def _compute_kernels(self, padded: int, width: float) -> tuple[Spectrum, Spectrum]:
        """Return the spectra of 1 / (1 + d²) and of its square."""
        key = padded, width
        cached = self._kernel
        if cached is None or cached[0] != key:
            line = np.minimum(np.arange(padded), padded - np.arange(padded)) * width
            squares = np.zeros((padded,) * self._dimensions)
            for axis in range(self._dimensions):
                squares += (line**2).reshape([-1 if other == axis else 1 for other in range(self._dimensions)])
            kernel = (1 / (1 + squares)).astype(np.float32)
            cached = self._kernel = key, np.fft.rfftn(kernel), np.fft.rfftn(kernel * kernel)
        return cached[1], cached[2]


def _compute_exact_repulsion(y: Floats) -> Floats:
    """Return the repulsive part of the gradient, pair by pair."""
    squares = np.einsum("ij,ij->i", y, y)
    kernel = 1 / (1 + np.maximum(squares[:, None] + squares - 2 * (y @ y.T), 0))
    total = float(kernel.sum()) - len(y)
    kernel *= kernel
    return np.asarray((y * kernel.sum(axis=1)[:, None] - kernel @ y) / max(total, TINY))


MIN_DISTANCES = {
    0.0: (1.929, 0.7915),
    0.1: (1.577, 0.8951),
    0.25: (1.121, 1.057),
    0.5: (0.583, 1.334),
    0.8: (0.292, 1.769),
}
"""Parameters a and b of UMAP's curve by `min_dist`, fitted with spread 1 (umap-learn `find_ab_params`)."""

NEGATIVE_SAMPLES = 3
MAX_FORCE = 4.0


class NeighbourLayout:
    """A layout with UMAP's graph and loss; `step` computes one epoch, and `positions` can always be drawn.

    It is not UMAP itself: all edges of an epoch move points at once, and negative samples are fewer.

    Args:
        nearest: Neighbours of each point, int32[n, k].
        distances: Their distances, float[n, k].
        start: Initial positions, float[n, 2 or 3].
        epochs: Number of epochs of the layout; moves get smaller from epoch to epoch.
        min_distance: Minimum distance of points, one of `MIN_DISTANCES`.
        seed: Seed of all random numbers.
    """

    def __init__(
        self,
        nearest: Indices,
        distances: npt.NDArray[np.floating],
        start: npt.NDArray[np.floating],
        epochs: int = 200,
        min_distance: float = 0.1,
        seed: int = 0,
    ) -> None:
        rows, count = nearest.shape
        self._a, self._b = MIN_DISTANCES[min_distance]
        self._epochs = epochs
        self._random = np.random.default_rng(seed)
        weights = _compute_fuzzy_weights(distances.astype(np.float64), np.log2(max(count, 2)))
        starts, ends = np.repeat(np.arange(rows), count), nearest.ravel().astype(np.int64)
        keys, key_indices = np.unique(np.concatenate([starts * rows + ends, ends * rows + starts]), return_inverse=True)
        key_indices = key_indices.ravel()
        forward = np.bincount(key_indices[: rows * count], weights.ravel(), len(keys))
        back = np.bincount(key_indices[rows * count :], weights.ravel(), len(keys))
        union = forward + back - forward * back
        self._begins, self._ends = keys // rows, keys % rows
        self._weights = union / max(float(union.max()), TINY)
        initial = start.astype(np.float64)
        scaled = 10 * initial / max(float(np.abs(initial).max()), TINY)
        self.positions: Floats = scaled + self._random.normal(scale=1e-4, size=initial.shape)
        self.iteration = 0

    def step(self) -> None:
        """Compute one epoch."""
        y, a, b, rows = self.positions, self._a, self._b, len(self.positions)
        rate = max(1 - self.iteration / self._epochs, 0.0)
        is_sampled = self._random.random(len(self._weights)) < self._weights
        starts, ends = self._begins[is_sampled], self._ends[is_sampled]
        differences = y[starts] - y[ends]
        squares = np.einsum("ij,ij->i", differences, differences)
        powers = squares**b
        factor = np.where(squares > 0, -2 * a * b * powers / np.maximum(squares, TINY) / (1 + a * powers), 0)
        forces = [np.clip(factor[:, None] * differences, -MAX_FORCE, MAX_FORCE)]
        for _ in range(NEGATIVE_SAMPLES):
            others = self._random.integers(0, rows, len(starts))
            differences = y[starts] - y[others]
            squares = np.einsum("ij,ij->i", differences, differences)
            factor = 2 * b / ((0.001 + squares) * (1 + a * squares**b))
            force = np.clip(factor[:, None] * differences, -MAX_FORCE, MAX_FORCE)
            force[others == starts] = 0
            forces.append(force)
        total = sum(forces)
        moves = np.stack([np.bincount(starts, total[:, axis], rows) for axis in range(y.shape[1])], axis=1)
        self.positions = y + rate * 0.5 * np.clip(moves, -2 * MAX_FORCE, 2 * MAX_FORCE)
        self.iteration += 1


def _compute_fuzzy_weights(distances: Floats, target_sum: float) -> Floats:
    """Return the weight of each neighbour: 1 for the nearest, and bandwidths so that each row has the target sum."""
    offsets = np.maximum(distances - distances[:, :1], 0)
    rows = len(distances)
    low, high = np.zeros(rows), np.full(rows, np.inf)
    widths = np.full(rows, max(float(offsets.mean()), TINY))
    for _ in range(BISECTIONS):
        sums = np.exp(-offsets / np.maximum(widths, TINY)[:, None]).sum(axis=1)
        is_wide = sums > target_sum
        high, low = np.where(is_wide, widths, high), np.where(is_wide, low, widths)
        widths = np.where(np.isinf(high), widths * 2, (low + high) / 2)
    return np.asarray(np.exp(-offsets / np.maximum(widths, TINY)[:, None]))


INTERPOLATION_POINTS = 3
"""Number of nearest points of a sample whose mean is the position of another point."""


def interpolate_positions(
    sample: npt.NDArray[np.float32], positions: npt.NDArray[np.floating], others: npt.NDArray[np.float32]
) -> npt.NDArray[np.float32]:
    """Return positions of points outside the layout: the mean of their nearest points of the sample.

    Args:
        sample: Vectors of the points of the layout, float32[m, d].
        positions: Their positions, float[m, k].
        others: Vectors of further points, float32[n, d].
    """
    count = min(INTERPOLATION_POINTS, len(sample))
    squared_distances = others @ sample.T
    squared_distances *= -2
    squared_distances += np.einsum("ij,ij->i", sample, sample)
    nearest = np.argpartition(squared_distances, count - 1, axis=1)[:, :count]
    return np.asarray(positions[nearest].mean(axis=1), np.float32)
