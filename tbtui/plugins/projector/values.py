"""Embeddings in Python: `run.embeddings["layer"].at(step).vectors`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, overload

import numpy as np

from tbtui.maths.neighbours import METRICS
from tbtui.plugins.projector.agreement import find_agreement
from tbtui.plugins.projector.layouts import KINDS, LayoutChoice, run_layout
from tbtui.plugins.projector.points import load_sprite, read_points
from tbtui.plugins.projector.sources import Catalogs

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from tbtui.maths.neighbours import LabelAgreement, Metric
    from tbtui.plugins.projector.layouts import LayoutKind
    from tbtui.plugins.projector.points import Points
    from tbtui.plugins.projector.sources import EmbeddingSource
    from tbtui.store.snapshot import RunSnapshot

    Floats = npt.NDArray[np.float32]


class EmbeddedPoints:
    """The points of an embedding at one step."""

    def __init__(self, points: Points, step: int | None) -> None:
        self._points = points
        self.step = step
        """Training step; None if the embedding names none."""

    def __len__(self) -> int:
        return self._points.count

    def __repr__(self) -> str:
        step = "" if self.step is None else f" at step {self.step}"
        return f"<EmbeddedPoints {len(self)} x {self._points.dimensions}{step}>"

    @property
    def problems(self) -> tuple[str, ...]:
        """Parts that cannot be read or do not fit, one sentence each."""
        return self._points.problems

    @property
    def vectors(self) -> Floats:
        """All points as stored, float32[n, d], read-only."""
        view: Floats = self._points.values.view()
        view.flags.writeable = False
        return view

    @property
    def metadata(self) -> dict[str, tuple[str, ...]]:
        """Columns of the metadata by name, one text per point."""
        return {column.name: column.texts for column in self._points.metadata.columns}

    @property
    def labels(self) -> tuple[str, ...]:
        """One label per point: the first column that is not numeric, else the numbers of the points."""
        column = self._points.metadata.label
        return tuple(map(str, range(len(self)))) if column is None else column.texts

    @cached_property
    def variance(self) -> npt.NDArray[np.float64]:
        """Share of the variance of each principal component, float64[at most 10]."""
        return self._points.components.shares

    def pca(self, components: int = 2) -> Floats:
        """Return the first principal components of the points, float32[n, components]; NaN for points with NaN."""
        positions = self._points.components.project(self._points.values)[:, :components]
        positions[~self._points.finite] = np.nan
        return positions

    def layout(self, kind: LayoutKind, **parameters: object) -> Floats:
        """Return the positions of a finished layout, float32[n, 2 or 3].

        Args:
            kind: `pca`, `tsne`, `umap` or `raw`.
            parameters: Fields of `LayoutChoice`: `dimensions`, `perplexity`, `neighbours`, `iterations`, `seed`, …

        Raises:
            ValueError: There is no such layout.
        """
        if kind not in KINDS:
            raise ValueError(f"no layout {kind!r}; there are {', '.join(KINDS)}")
        *_, state = run_layout(self._points, LayoutChoice(kind, **parameters))  # type: ignore[arg-type]
        return state.positions

    def nearest(self, point: int, count: int = 10, metric: Metric = "cosine") -> tuple[npt.NDArray[np.int32], Floats]:
        """Return the nearest points of a point and their distances, the nearest first.

        Args:
            point: Number of the point.
            count: Maximum number of neighbours.
            metric: `cosine` or `euclidean`.

        Raises:
            ValueError: There is no such metric.
        """
        if metric not in METRICS:
            raise ValueError(f"no metric {metric!r}; there are {', '.join(METRICS)}")
        return self._points.index.find_nearest(range(len(self))[point], count, metric)

    def agreement(self, column: str) -> LabelAgreement | None:
        """Return the agreement of a column of categories with nearest neighbours; None if it is no such column."""
        labels = self._points.metadata.column(column)
        if labels is None or not labels.is_categorical:
            return None
        return find_agreement(self._points, labels)

    def picture(self, point: int) -> npt.NDArray[np.uint8] | None:
        """Return the picture of a point, uint8[height, width, 3]; None without a sprite."""
        version = self._points.version
        sprite = None if version is None else load_sprite(version, len(self))
        return None if sprite is None else sprite.picture(range(len(self))[point])


class Embedding(Sequence[EmbeddedPoints]):
    """One embedding at all its steps; points are read from the file on access."""

    def __init__(self, source: EmbeddingSource) -> None:
        self._source = source

    @property
    def name(self) -> str:
        """Name of the tensor."""
        return self._source.embedding.name

    @property
    def steps(self) -> tuple[int, ...]:
        """Training steps; empty if there is one version without step."""
        return self._source.embedding.steps

    def __len__(self) -> int:
        return len(self._source.embedding.versions)

    def __repr__(self) -> str:
        return f"<Embedding {self.name!r} of {self._source.run!r}: {len(self)} versions>"

    @overload
    def __getitem__(self, index: int) -> EmbeddedPoints: ...
    @overload
    def __getitem__(self, index: slice) -> list[EmbeddedPoints]: ...
    def __getitem__(self, index: int | slice) -> EmbeddedPoints | list[EmbeddedPoints]:
        if isinstance(index, slice):
            return [self[number] for number in range(len(self))[index]]
        version = self._source.embedding.versions[index]
        *_, points = read_points(version)
        return EmbeddedPoints(points, version.step)

    def at(self, step: int) -> EmbeddedPoints:
        """Return the points of the version nearest to a step."""
        return self[self._source.find_version(step)]


class Embeddings(Mapping[str, Embedding]):
    """The embeddings of one run by name."""

    def __init__(self, run: RunSnapshot) -> None:
        listed = Catalogs().list_sources([run])
        self._embeddings = {source.embedding.name: Embedding(source) for source in listed.sources}
        self.problems = tuple(problem for _, problem in listed.problems)
        """Errors in the configurations, one sentence each."""

    def __getitem__(self, name: str) -> Embedding:
        if name not in self._embeddings:
            names = ", ".join(self._embeddings) or "none"
            raise KeyError(f"no embedding {name!r}; there are {names}")
        return self._embeddings[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._embeddings)

    def __len__(self) -> int:
        return len(self._embeddings)
