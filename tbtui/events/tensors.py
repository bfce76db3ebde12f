"""Tensors: `TensorProto` to numpy arrays, for every dtype that can be shown.

Source: TensorFlow `tensor.proto`, `types.proto`, `tensor.cc` (`FromProto`); TensorBoard `tensor_util.make_ndarray`.
"""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.events.dtypes import (
    BFLOAT16,
    BOOL,
    COMPLEX64,
    COMPLEX128,
    DOUBLE,
    DTYPES,
    FLOAT,
    HALF,
    NO_NUMBER,
    STRING,
    UNSHOWN,
    Dtype,
    meaning,
)
from tbtui.events.float8 import FLOAT8_BITS
from tbtui.events.messages import message

if TYPE_CHECKING:
    import numpy.typing as npt

_TYPED_FIELDS = tuple(dict.fromkeys(dtype.field for dtype in DTYPES.values()))
_FIELD_TYPES = {
    "float_val": np.float32,
    "double_val": np.float64,
    "int_val": np.int32,
    "int64_val": np.int64,
    "bool_val": np.bool_,
    "uint32_val": np.uint32,
    "uint64_val": np.uint64,
}
MOST_EXPANDED = 1 << 22
"""Elements that a tensor may have when it does not store each: a shape is only a claim."""

MOST_DIMENSIONS = 254
"""`TensorShape::MaxDimensions`; the product of a million lengths would take minutes."""


class TensorError(ValueError):
    """A tensor that cannot be shown; the message is one plain sentence."""


def to_array(tensor: Any) -> npt.NDArray[Any]:
    """The values of a `TensorProto`.

    Returns:
        An array of the tensor's shape. bfloat16 and the 8-bit floats become float32; strings become an object array of
        `bytes`. A tensor without a shape is of rank 0, or flat when it stores several values. Stored values that are
        fewer than the shape asks for are followed by repeats of the last one.

    Raises:
        TensorError: The dtype cannot be shown, or shape and values do not fit together.
    """
    number = _dtype_number(tensor)
    shape = _shape(tensor)
    dtype = DTYPES[number]
    if tensor.tensor_content:
        return _shaped(_from_content(number, dtype, tensor.tensor_content), shape, exact=True)
    # A field of a wider type may hold what the dtype cannot: that becomes infinite, which is no news.
    with np.errstate(invalid="ignore", over="ignore"):
        values = _from_fields(number, dtype, tensor)
    if not len(values) and number == STRING:
        values = np.array([b""], object)[: _elements(shape)]
    return _shaped(values, shape, exact=False)


def scalar_of(tensor: Any) -> float | None:
    """The value of a tensor that is one real number, else None."""
    if tensor.dtype == FLOAT and not tensor.tensor_shape.dim:
        content, floats = tensor.tensor_content, tensor.float_val
        if len(content) == 4:
            value: float = struct.unpack("<f", content)[0]
            return value
        if not content and len(floats) == 1:
            return float(floats[0])
    if tensor.dtype % 100 in NO_NUMBER:
        return None
    try:
        if math.prod(lengths_of(tensor)) != 1:
            return None
        array = to_array(tensor)
    except TensorError:
        return None
    return float(array.reshape(-1)[0]) if array.size == 1 else None


def lengths_of(tensor: Any) -> tuple[int, ...]:
    """The lengths that a tensor claims to have; below 0 where one is not known.

    Raises:
        TensorError: They are more than there can be.
    """
    dims = tensor.tensor_shape.dim
    if len(dims) > MOST_DIMENSIONS:
        raise TensorError(f"a tensor of {len(dims):,} dimensions is too large to show")
    return tuple([int(dim.size) for dim in dims])


def make_tensor(array: npt.NDArray[Any]) -> Any:
    """A `TensorProto` of dtype FLOAT, DOUBLE or, for an object array of `bytes`, STRING."""
    tensor = message("TensorProto")()
    for size in array.shape:
        tensor.tensor_shape.dim.add(size=size)
    tensor.tensor_shape.SetInParent()
    if array.dtype == object:
        tensor.dtype = STRING
        tensor.string_val.extend(array.reshape(-1).tolist())
    else:
        tensor.dtype = FLOAT if array.dtype == np.float32 else DOUBLE
        tensor.tensor_content = array.astype("<f4" if tensor.dtype == FLOAT else "<f8").tobytes()
    return tensor


def _dtype_number(tensor: Any) -> int:
    number = int(tensor.dtype) % 100
    if number == 0 and not tensor.tensor_content and not any(len(getattr(tensor, name)) for name in _TYPED_FIELDS):
        return FLOAT
    if number in DTYPES:
        return number
    raise TensorError(f"tensors of type {UNSHOWN.get(number, f'number {tensor.dtype}')} cannot be shown")


def _shape(tensor: Any) -> tuple[int, ...] | None:
    """The shape, or None when the tensor does not say."""
    if not tensor.HasField("tensor_shape"):
        return None
    sizes = lengths_of(tensor)
    return None if tensor.tensor_shape.unknown_rank or min(sizes, default=0) < 0 else sizes


def _elements(shape: tuple[int, ...] | None) -> int:
    return 1 if shape is None else math.prod(shape)


def _shaped(values: npt.NDArray[Any], shape: tuple[int, ...] | None, *, exact: bool) -> npt.NDArray[Any]:
    """Give values their shape; unless `exact`, the last one is repeated where some are missing."""
    if shape is None:
        return values.reshape(()) if len(values) == 1 else values
    count = _elements(shape)
    if len(values) < count:
        if exact:
            raise TensorError(f"a tensor of shape {spelled(shape)} holds only {len(values)} values")
        if count > MOST_EXPANDED:
            raise TensorError(f"a tensor of shape {spelled(shape)} is too large to show")
        last = values[-1:] if len(values) else np.zeros(1, values.dtype)
        values = np.concatenate([values, np.repeat(last, count - len(values))])
    elif len(values) > count and exact:
        raise TensorError(f"a tensor of shape {spelled(shape)} holds {len(values)} values")
    try:
        return values[:count].reshape(shape)
    except ValueError as error:
        # More dimensions than numpy has, or so long that their product overflows though one of them is 0.
        raise TensorError(f"a tensor of shape {spelled(shape)} is too large to show") from error


def spelled(shape: tuple[int, ...]) -> str:
    """A shape for people: `30x3`."""
    return "x".join(map(str, shape[:8])) + ("x…" if len(shape) > 8 else "")


def _from_content(number: int, dtype: Dtype, content: bytes) -> npt.NDArray[Any]:
    if number == STRING:
        raise TensorError("a tensor of strings holds raw bytes")
    if len(content) % np.dtype(dtype.stored).itemsize:
        raise TensorError(f"{len(content)} bytes are no whole number of {dtype.name} values")
    return meaning(number, np.frombuffer(content, dtype.stored))


def _from_fields(number: int, dtype: Dtype, tensor: Any) -> npt.NDArray[Any]:
    """The values of the typed field that belongs to the dtype, or else of whichever writers filled by mistake."""
    name = next((n for n in (dtype.field, *_TYPED_FIELDS) if len(getattr(tensor, n))), dtype.field)
    field = getattr(tensor, name)
    if number == STRING or name == "string_val":
        return _strings(number, field)
    if name == "half_val":
        return _halves(number, field)
    if name == "float8_val":
        raw = np.frombuffer(field, np.uint8)
        return meaning(number, raw) if number in FLOAT8_BITS else raw
    if name in {"scomplex_val", "dcomplex_val"}:
        return _complexes(number, dtype, field)
    return _cast(np.fromiter(field, _FIELD_TYPES[name], len(field)), number, dtype)


def _strings(number: int, field: Any) -> npt.NDArray[Any]:
    if number != STRING:
        raise TensorError(f"a tensor of type {DTYPES[number].name} holds strings")
    strings = np.empty(len(field), object)
    strings[:] = [item if isinstance(item, bytes) else str(item).encode() for item in field]
    return strings


def _complexes(number: int, dtype: Dtype, field: Any) -> npt.NDArray[Any]:
    """Values of `scomplex_val` or `dcomplex_val`: the real and the imaginary part of each in turn."""
    if number not in {COMPLEX64, COMPLEX128}:
        raise TensorError(f"a tensor of type {dtype.name} holds complex numbers")
    pairs = np.array(field, np.float64)
    return pairs[: len(pairs) // 2 * 2].view(np.complex128).astype(dtype.stored)


def _halves(number: int, field: Any) -> npt.NDArray[Any]:
    """Values of `half_val`: the low 16 bits of each are the number's.

    PyTorch's `add_tensor` stores the 32 bits of a float there instead. No 16-bit pattern is below 0 or above 65535.
    """
    bits = np.array(field, np.int64)
    if len(bits) and (bits.min() < 0 or bits.max() > 0xFFFF):
        floats = bits.astype(np.uint32).view(np.float32)
        return floats.astype(np.float16) if number == HALF else floats
    low = bits.astype(np.uint16)
    return low.view(np.float16) if number == HALF else meaning(BFLOAT16, low)


def _cast(values: npt.NDArray[Any], number: int, dtype: Dtype) -> npt.NDArray[Any]:
    floats = number in FLOAT8_BITS or number == BFLOAT16
    wanted = np.dtype(np.float32 if floats else np.bool_ if number == BOOL else dtype.stored)
    return values.astype(wanted)
