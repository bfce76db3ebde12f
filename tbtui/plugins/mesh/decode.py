"""Decode the tensors of a mesh: vertices, faces and colours of one step.

Source: TensorBoard `plugins/mesh/{metadata,summary_v2,plugin_data.proto}`, PyTorch `mesh` in `summary.py`. Writers
store [samples, points, 3] in any dtype; PyTorch and tensorboardX all three as FLOAT. TensorBoard casts colours to
uint8, so that PyTorch's colours from 0 to 1 are black there, and reads other numbers of channels out of step.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tbtui.charts.mesh_shading import GREY
from tbtui.charts.numbers import format_count
from tbtui.events.event_prefix import Span, find_field
from tbtui.events.schema import PARSE_ERRORS, get_message_class
from tbtui.events.tensors import FLOAT, TensorError, format_shape, to_array
from tbtui.frozen import frozen

if TYPE_CHECKING:
    import numpy.typing as npt

    Array: TypeAlias = npt.NDArray[Any]

VERTICES, FACES, COLOURS = 1, 2, 3
"""Content types of `MeshPluginData`."""

CONTENT_NAMES = {VERTICES: "vertices", FACES: "faces", COLOURS: "colours"}

KNOWN_VERSION = 0

MAX_EXACT_FLOAT_INDEX = 1 << 24
"""float32 holds every whole number up to this one; writers that store faces as FLOAT round greater indices."""

MIN_PACKED_VALUES = 1024
"""Minimum number of floats that are viewed in their bytes: this saves 48 ms for 1.2 million of them."""

_FLOAT_VALUES = 5
"""Field `float_val` of `TensorProto`."""


class MeshError(ValueError):
    """A value is no mesh, or no tensor of one; the message is one plain sentence."""


@frozen
class MeshContent:
    """The metadata of one tensor of a mesh."""

    name: str
    """Name of the mesh, which joins its tensors; it may differ from their tags."""

    content_type: int
    """`VERTICES`, `FACES` or `COLOURS`; any other number is unknown."""

    config: str = ""
    version: int = KNOWN_VERSION


@lru_cache(maxsize=4096)
def read_content(content: bytes) -> MeshContent | None:
    """Return the metadata of a tensor; None if they are no `MeshPluginData`."""
    try:
        content_message = get_message_class("MeshPluginData").FromString(content)
    except PARSE_ERRORS:
        return None
    return MeshContent(
        content_message.name, content_message.content_type, content_message.json_config, content_message.version
    )


def read_array(value: Any) -> Array:
    """Return the tensor of a `SummaryValue`.

    Raises:
        MeshError: It holds no tensor of numbers.
    """
    if value.WhichOneof("value") != "tensor":
        raise MeshError("this value holds no tensor")
    tensor = value.tensor
    numbers = _unpack_floats(tensor)
    if numbers is None:
        try:
            numbers = to_array(tensor)
        except TensorError as error:
            raise MeshError(str(error)) from error
    if numbers.dtype.kind not in "biuf":
        raise MeshError(f"a tensor of {numbers.dtype.name} holds no numbers")
    return numbers


def _unpack_floats(tensor: Any) -> Array | None:
    """Return a FLOAT tensor from the bytes of its packed values; None where it is stored in another way."""
    count = len(tensor.float_val)
    if tensor.dtype != FLOAT or tensor.tensor_content or count < MIN_PACKED_VALUES:
        return None
    shape = tuple(int(dim.size) for dim in tensor.tensor_shape.dim)
    if len(shape) > 8 or min(shape, default=0) < 0 or int(np.prod(shape, dtype=object)) != count:
        return None
    data = tensor.SerializeToString()
    try:
        span = find_field(data, Span(0, len(data)), _FLOAT_VALUES)
    except LookupError:
        return None
    if span.end - span.begin != 4 * count:
        return None
    return np.frombuffer(data, "<f4", count, span.begin).reshape(shape)


def count_samples(array: Array) -> int:
    """Return the number of samples of a tensor."""
    return len(array) if array.ndim == 3 else 1


def select_sample(array: Array, sample: int, content_type: int) -> Array:
    """Return one sample of a tensor, [points, coordinates].

    Raises:
        MeshError: The tensor has another shape, or fewer samples.
    """
    if array.ndim == 2:
        array = array[None]
    if array.ndim != 3:
        name = CONTENT_NAMES[content_type]
        raise MeshError(
            f"{name} of shape {format_shape(array.shape) or 'of no dimension'} are not [samples, points, 3]"
        )
    if not 0 <= sample < len(array):
        raise MeshError(f"this step has {format_count(len(array), 'sample')} only")
    return np.asarray(array[sample])


@frozen(eq=False)
class Converted:
    """A tensor of a mesh in the form that drawings and files use."""

    values: Array
    notes: tuple[str, ...] = ()
    """Changes to the logged arrays, one short sentence each."""


def convert_vertices(array: Array) -> Converted:
    """Return float32 or float64 [n, 3] from two or more coordinates: z is 0 if there are two, and only three are used.

    Raises:
        MeshError: There are fewer than two coordinates.
    """
    count = array.shape[1]
    if count < 2:
        raise MeshError(f"vertices of {format_count(count, 'coordinate')} are no points")
    floats = array.astype(np.float64 if array.dtype.itemsize > 4 else np.float32, copy=False)
    if count == 2:
        return Converted(np.pad(floats, ((0, 0), (0, 1))), ("two coordinates: z is 0",))
    note = () if count == 3 else (f"the first three of {count} coordinates",)
    return Converted(np.ascontiguousarray(floats[:, :3]), note)


def convert_faces(array: Array) -> Converted:
    """Return int64[m, 3]; faces of more corners are cut into triangles, and what is no index becomes -1.

    Raises:
        MeshError: There are fewer than three corners.
    """
    corners = array.shape[1]
    if corners < 3:
        raise MeshError(f"faces of {format_count(corners, 'corner')} are no areas")
    notes = []
    if array.dtype.kind == "f":
        with np.errstate(invalid="ignore"):
            is_index = (array >= 0) & (array < 2**53)
            if array.dtype.itemsize <= 4 and bool((array > MAX_EXACT_FLOAT_INDEX).any()):
                notes.append("indices above 16,777,216 were rounded by the writer")
        indices = np.where(is_index, array, -1).astype(np.int64)
    elif array.dtype == np.uint64:
        indices = np.where(array < 2**53, array, 0).astype(np.int64)
        indices[array >= 2**53] = -1
    else:
        indices = array.astype(np.int64, copy=False)
    if corners > 3:
        notes.append(f"faces of {corners} corners are cut into triangles")
        indices = np.concatenate([indices[:, [0, corner, corner + 1]] for corner in range(1, corners - 1)])
    return Converted(indices, tuple(notes))


def convert_colours(array: Array, count: int) -> Converted:
    """Return uint8[count, 3], one colour for each vertex.

    Args:
        array: [k, channels]: whole numbers to 255, or floats to 1.
        count: Number of vertices.

    Raises:
        MeshError: There are two channels, or none.
    """
    channels, notes = array.shape[1], []
    if channels not in (1, 3, 4):
        raise MeshError(f"colours of {format_count(channels, 'channel')} are no colours")
    if channels == 4:
        notes.append("the first three of 4 channels")
    rgb = array[:, :3].astype(np.float64)
    if channels == 1:
        rgb = np.repeat(rgb, 3, axis=1)
    is_known = np.isfinite(rgb)
    if not is_known.all():
        notes.append(f"{format_count(int((~is_known.all(1)).sum()), 'colour')} not a number: grey")
    known = rgb[is_known]
    if array.dtype.kind == "b" or (array.dtype.kind == "f" and len(known) and known.max() <= 1 and known.min() >= 0):
        rgb *= 255
        notes.append("colours from 0 to 1")
    elif len(known) and (known.max() > 255 or known.min() < 0):
        limit = "above 255" if known.max() > 255 else "below 0"
        notes.append(f"colours {limit} are cut off")
    with np.errstate(invalid="ignore"):
        rounded = np.clip(np.rint(rgb), 0, 255)
    colours = np.where(is_known, rounded, np.array(GREY, np.float64)).astype(np.uint8)
    if len(colours) < count:
        notes.append(f"{len(colours):,} of {count:,} vertices have a colour")
        missing_colours = np.tile(np.array([GREY], np.uint8), (count - len(colours), 1))
        colours = np.concatenate([colours, missing_colours])
    elif len(colours) > count:
        notes.append(f"{len(colours):,} colours for {count:,} vertices")
        colours = colours[:count]
    return Converted(colours, tuple(notes))
