"""Read the points of an embedding with their metadata, and cache them."""

from __future__ import annotations

import os
from functools import cached_property
from math import ceil, sqrt
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.charts.numbers import format_count
from tbtui.charts.text import safe
from tbtui.frozen import frozen
from tbtui.loading.payloads import ByteCache
from tbtui.maths.components import (
    MAX_COMPONENTS,
    Components,
    compute_principal_components,
    estimate_components,
    find_finite_rows,
    sphereise,
)
from tbtui.maths.neighbours import NeighbourIndex
from tbtui.plugins.projector.files.checkpoint import Checkpoint
from tbtui.plugins.projector.files.checkpoint_table import CheckpointError
from tbtui.plugins.projector.files.config import MissingFileError
from tbtui.plugins.projector.files.hdf5 import Hdf5Error, read_datasets
from tbtui.plugins.projector.files.metadata import Metadata, read_metadata
from tbtui.plugins.projector.files.sprite import Sprite, SpriteError, read_sprite
from tbtui.plugins.projector.files.tensor_file import Tensor, TensorFileError, read_tensor

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from tbtui.plugins.projector.catalog import Version

    Matrix: TypeAlias = npt.NDArray[np.float32]

MAX_CACHE_BYTES = 1 << 30
"""Bytes of points in the cache; the least recently used are dropped first."""

KERAS_SUFFIX = ".weights.h5"

FITTED_FIRST = 8192
"""Points of a sample whose components are shown while those of all are computed."""


@frozen(eq=False, slots=False)
class Points:
    """The points of one version of an embedding, with their metadata, components and neighbours."""

    values: Matrix
    """float32[n, d], as stored."""

    metadata: Metadata
    problems: tuple[str, ...] = ()
    is_complete: bool = True
    """False if these are a sample of a file that is still being read."""

    version: Version | None = None

    @property
    def count(self) -> int:
        """Number of points."""
        return int(self.values.shape[0])

    @property
    def dimensions(self) -> int:
        """Number of dimensions."""
        return int(self.values.shape[1])

    @cached_property
    def finite(self) -> npt.NDArray[np.bool_]:
        """True for each point without NaN and infinity; only those are drawn."""
        return find_finite_rows(self.values)

    @cached_property
    def finite_values(self) -> Matrix:
        """The finite points alone."""
        return self.values if bool(self.finite.all()) else self.values[self.finite]

    @cached_property
    def index(self) -> NeighbourIndex:
        """Finds nearest points among the values as stored."""
        return NeighbourIndex(self.values, self.finite)

    @cached_property
    def components(self) -> Components:
        """Principal components of the finite points."""
        return compute_principal_components(self.finite_values)

    @cached_property
    def first_components(self) -> Components:
        """Components of a sample of many points, which take a fraction of the time."""
        stride = max(1, len(self.finite_values) // FITTED_FIRST)
        return estimate_components(np.ascontiguousarray(self.finite_values[::stride]), MAX_COMPONENTS)

    @property
    def is_quickly_fitted(self) -> bool:
        """Return True if the components of all points take no longer than a frame or two."""
        return len(self.finite_values) * self.dimensions**2 < 1 << 29

    @cached_property
    def sphereised(self) -> Points:
        """The same points moved to a mean of zero and scaled to length 1."""
        values = np.full_like(self.values, np.nan)
        if bool(self.finite.any()):
            values[self.finite] = sphereise(self.finite_values)
        return Points(values, self.metadata, self.problems, self.is_complete, self.version)

    def label(self, point: int, column: str | None = None) -> str:
        """Return the label of a point, made safe: its cell of a column, else its number."""
        labels = self.metadata.column(column) if column is not None else self.metadata.label
        text = "" if labels is None else labels.texts[point]
        return safe(text) if text else str(point)


def read_points(version: Version) -> Iterator[Points]:
    """Yield a sample of the points if the file is large, then all of them.

    Raises:
        TensorFileError: The points cannot be read; the text is the reason.
    """
    if version.problem:
        raise TensorFileError(version.problem)
    try:
        for tensor in _read_tensors(version):
            metadata, problems = _read_metadata(version, len(tensor.values)) if tensor.is_complete else (Metadata(), ())
            yield Points(tensor.values, metadata, (*tensor.problems, *problems), tensor.is_complete, version)
    except MissingFileError as error:
        raise TensorFileError(str(error)) from error
    except Hdf5Error as error:
        raise TensorFileError(f"{safe(os.path.basename(version.entry.tensor_path))} {error}") from error  # noqa: PTH119
    except CheckpointError as error:
        raise TensorFileError(f"the checkpoint {safe(os.path.basename(version.checkpoint))} {error}") from error  # noqa: PTH119
    except OSError as error:
        name = safe(os.path.basename(version.entry.tensor_path or version.checkpoint))  # noqa: PTH119
        raise TensorFileError(f"{name} cannot be read: {error.strerror or error}") from error
    except MemoryError as error:
        raise TensorFileError("there is not enough memory for these points") from error


def _read_tensors(version: Version) -> Iterator[Tensor]:
    entry = version.entry
    if version.checkpoint:
        values = Checkpoint(version.checkpoint).read(entry.tensor_name)
        yield Tensor(values.astype(np.float32, copy=False))
        return
    path = version.locator.find(entry.tensor_path, "tensor")
    if path.endswith(KERAS_SUFFIX):
        dataset = next((dataset for dataset in read_datasets(path) if dataset.name == entry.tensor_name), None)
        if dataset is None or dataset.values.ndim != 2:
            raise TensorFileError(f"{safe(os.path.basename(path))} has no matrix {safe(entry.tensor_name)}")  # noqa: PTH119
        yield Tensor(dataset.values.astype(np.float32))
        return
    yield from read_tensor(path, entry.tensor_shape)


def _read_metadata(version: Version, points: int) -> tuple[Metadata, tuple[str, ...]]:
    if not version.entry.metadata_path:
        return Metadata(), ()
    try:
        metadata = read_metadata(version.locator.find(version.entry.metadata_path, "metadata"), points)
    except MissingFileError as error:
        return Metadata(), (str(error),)
    except OSError as error:
        name = safe(version.entry.metadata_path)
        return Metadata(), (f"the metadata {name} cannot be read: {error.strerror or error}",)
    return metadata, metadata.problems


def load_sprite(version: Version, points: int) -> Sprite | None:
    """Return the sprite of a version; None without one.

    Raises:
        SpriteError: It cannot be read; the text is the reason.
    """
    entry = version.entry
    if not entry.image_path:
        return None
    try:
        path = version.locator.find(entry.image_path, "sprite")
        return read_sprite(path, entry.image_size or _guess_picture_size(path, points))
    except MissingFileError as error:
        raise SpriteError(str(error)) from error
    except OSError as error:
        raise SpriteError(f"the sprite {safe(entry.image_path)} cannot be read: {error.strerror or error}") from error


def _guess_picture_size(path: str, points: int) -> tuple[int, int] | None:
    """Return the size of a picture in a sprite of PyTorch that no configuration names: a square of square pictures."""
    from PIL import Image

    try:
        with Image.open(path) as image:
            side = image.width // ceil(sqrt(points))
    except Exception:  # noqa: BLE001 - Pillow raises errors of many kinds; the sprite is then not shown
        return None
    return (side, side) if side else None


def list_data_notes(points: Points) -> tuple[str, ...]:
    """Return notes about the files of the points: vectors that are not finite, metadata, missing files."""
    left_out = points.count - int(points.finite.sum())
    noun = format_count(left_out, "point")
    verb = "has" if left_out == 1 else "have"
    not_finite = (f"{noun} with NaN or infinity {verb} no place on the map",) if left_out else ()
    return (*not_finite, *points.problems)


def find_point(points: Points, name: str) -> int | None:
    """Return the point of a label or number: the first with the label, whatever the case, else that of the number."""
    columns = points.metadata.columns
    label = points.metadata.label
    for column in (*([label] if label is not None else []), *columns):
        for fold in (str, str.casefold):
            folded_name = fold(name)
            point = next((row for row, text in enumerate(column.texts) if fold(text) == folded_name), None)
            if point is not None:
                return point
    return int(name) if name.isdecimal() and int(name) < points.count else None


class PointCache:
    """Points that were read, up to a limit of bytes."""

    def __init__(self, max_bytes: int = MAX_CACHE_BYTES) -> None:
        self._points: ByteCache[Points] = ByteCache(max_bytes)

    def get(self, version: Version, fingerprint: object) -> Points | None:
        """Return cached points of a version whose files have not changed."""
        return self._points.get((version, fingerprint))

    def read(self, version: Version, fingerprint: object) -> Iterator[Points]:
        """Yield cached points, or read them.

        Raises:
            TensorFileError: They cannot be read.
        """
        cached = self.get(version, fingerprint)
        if cached is not None:
            yield cached
            return
        for points in read_points(version):
            if points.is_complete:
                self._points.put((version, fingerprint), points, 2 * points.values.nbytes)
            yield points
