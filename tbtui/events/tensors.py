"""Convert `TensorProto` to numpy arrays, for every dtype that can be shown.

Source: TensorFlow `tensor.proto`, `types.proto`, `tensor.cc` (`FromProto`); TensorBoard `tensor_util.make_ndarray`.
"""

from __future__ import annotations

import math
import struct
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tbtui.events.schema import VALUE_KINDS, get_message_class

if TYPE_CHECKING:
    import numpy.typing as npt


FLOAT8_BITS = {
    24: "float8_e5m2",
    25: "float8_e4m3fn",
    26: "float8_e4m3fnuz",
    27: "float8_e4m3b11fnuz",
    28: "float8_e5m2fnuz",
}
"""Names of the 8-bit floating-point formats, by dtype number.

`FN`: finite, no infinities. `UZ`: no negative zero; its pattern is the only NaN. `B11`: an exponent bias of 11. Source:
TensorFlow `types.proto` for the numbers, the `ml_dtypes` documentation for the formats.
"""

_FORMATS = {24: (2, 15), 25: (3, 7), 26: (3, 8), 27: (3, 11), 28: (2, 16)}
"""Bits of the mantissa and bias of the exponent, by dtype number."""


@cache
def compute_float8_table(dtype: int) -> npt.NDArray[np.float32]:
    """Return the value of every byte in the format of `dtype`, float32[256]."""
    mantissa_bits, bias = _FORMATS[dtype]
    byte = np.arange(256)
    exponent = (byte & 0x7F) >> mantissa_bits
    fraction = (byte & ((1 << mantissa_bits) - 1)) / (1 << mantissa_bits)
    size = np.where(exponent == 0, np.ldexp(fraction, 1 - bias), np.ldexp(1 + fraction, exponent - bias))
    values = np.where(byte & 0x80, -size, size)
    if dtype == 24:
        values[exponent == 31] = np.nan
        values[[0x7C, 0xFC]] = np.inf, -np.inf
    elif dtype == 25:
        values[[0x7F, 0xFF]] = np.nan
    else:
        values[0x80] = np.nan
    return np.asarray(values, np.float32)


FLOAT, DOUBLE, STRING, COMPLEX64, BOOL, BFLOAT16, COMPLEX128, HALF = 1, 2, 7, 8, 10, 14, 18, 19


class Dtype(NamedTuple):
    """The storage of elements of one type. Source: TensorFlow `types.proto`, `tensor.proto`."""

    name: str
    stored: str
    """Numpy dtype of the bytes in `tensor_content`."""

    field: str
    """The field of `TensorProto` that holds the values if `tensor_content` is empty."""


DTYPES = {
    FLOAT: Dtype("float", "<f4", "float_val"),
    DOUBLE: Dtype("double", "<f8", "double_val"),
    3: Dtype("int32", "<i4", "int_val"),
    4: Dtype("uint8", "u1", "int_val"),
    5: Dtype("int16", "<i2", "int_val"),
    6: Dtype("int8", "i1", "int_val"),
    STRING: Dtype("string", "O", "string_val"),
    COMPLEX64: Dtype("complex64", "<c8", "scomplex_val"),
    9: Dtype("int64", "<i8", "int64_val"),
    BOOL: Dtype("bool", "u1", "bool_val"),
    11: Dtype("qint8", "i1", "int_val"),
    12: Dtype("quint8", "u1", "int_val"),
    13: Dtype("qint32", "<i4", "int_val"),
    BFLOAT16: Dtype("bfloat16", "<u2", "half_val"),
    15: Dtype("qint16", "<i2", "int_val"),
    16: Dtype("quint16", "<u2", "int_val"),
    17: Dtype("uint16", "<u2", "int_val"),
    COMPLEX128: Dtype("complex128", "<c16", "dcomplex_val"),
    HALF: Dtype("half", "<f2", "half_val"),
    22: Dtype("uint32", "<u4", "uint32_val"),
    23: Dtype("uint64", "<u8", "uint64_val"),
    **{number: Dtype(name, "u1", "float8_val") for number, name in FLOAT8_BITS.items()},
}
"""Every type that can be shown, by its number in `types.proto`."""

UNSUPPORTED_TYPES = {
    20: "resource", 21: "variant", 29: "int4", 30: "uint4", 31: "int2", 32: "uint2", 33: "float4_e2m1fn"
}  # fmt: skip
"""Types without values, or with several values in one byte."""

TYPE_NAMES = {0: "invalid", **{number: dtype.name for number, dtype in DTYPES.items()}, **UNSUPPORTED_TYPES}
"""Names of all types in `types.proto`, in lower case, without `DT_`."""

REFERENCE_OFFSET = 100
"""Offset of the numbers of reference types, whose values may change in place."""

NON_REAL_TYPES = frozenset({STRING, COMPLEX64, COMPLEX128})
"""Types whose values are not real numbers."""


def get_element_bytes(dtype: int) -> int | None:
    """Return the bytes of one element of a real dtype in `tensor_content`; None for other dtypes."""
    known = DTYPES.get(dtype)
    return None if known is None or dtype in NON_REAL_TYPES else np.dtype(known.stored).itemsize


def decode_real(dtype: int, words: npt.NDArray[np.uint64]) -> npt.NDArray[np.float64]:
    """Return elements of a real dtype, each in the first bytes of a word, as float64[n]."""
    stored = np.dtype(DTYPES[dtype].stored)
    raw = words.astype(f"<u{stored.itemsize}").view(stored)
    # Signalling NaNs become quiet ones.
    with np.errstate(invalid="ignore"):
        return decode_elements(dtype, raw).astype(np.float64)


def decode_elements(number: int, raw: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the values of stored elements; types that numpy does not have become float32."""
    if number == BFLOAT16:
        return np.asarray((raw.astype(np.uint32) << np.uint32(16)).view(np.float32))
    if number == BOOL:
        return np.asarray(raw != 0)
    return np.asarray(compute_float8_table(number)[raw]) if number in FLOAT8_BITS else raw


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
MAX_EXPANDED_ELEMENTS = 1 << 22
"""Maximum number of elements of a tensor that stores fewer values than its shape claims and repeats the last one."""

MAX_DIMENSIONS = 254
"""`TensorShape::MaxDimensions`; the product of a million lengths would take minutes."""


class TensorError(ValueError):
    """A tensor cannot be shown; the message is one sentence for the user."""


def to_array(tensor: Any) -> npt.NDArray[Any]:
    """Return the values of a `TensorProto`.

    Returns:
        An array of the tensor's shape. bfloat16 and the 8-bit floats become float32; strings become an object array of
        `bytes`. A tensor without a shape is of rank 0, or flat if it stores several values. If fewer values are
        stored than the shape has, the last one is repeated.

    Raises:
        TensorError: The dtype cannot be shown, or shape and values do not fit together.
    """
    number = _read_dtype(tensor)
    shape = _read_shape(tensor)
    dtype = DTYPES[number]
    if tensor.tensor_content:
        return _reshape(_decode_content(number, dtype, tensor.tensor_content), shape, exact=True)
    # A field of a wider type may hold a value outside the range of the dtype, which becomes infinite.
    with np.errstate(invalid="ignore", over="ignore"):
        values = _decode_fields(number, dtype, tensor)
    if not len(values) and number == STRING:
        values = np.array([b""], object)[: _count_elements(shape)]
    return _reshape(values, shape, exact=False)


def read_scalar(tensor: Any) -> float | None:
    """Return the value of a tensor that is one real number; None for other tensors."""
    if tensor.dtype == FLOAT and not tensor.tensor_shape.dim:
        content, floats = tensor.tensor_content, tensor.float_val
        if len(content) == 4:
            value: float = struct.unpack("<f", content)[0]
            return value
        if not content and len(floats) == 1:
            return float(floats[0])
    if tensor.dtype % REFERENCE_OFFSET in NON_REAL_TYPES:
        return None
    try:
        if math.prod(read_claimed_shape(tensor)) != 1:
            return None
        array = to_array(tensor)
    except TensorError:
        return None
    return float(array.reshape(-1)[0]) if array.size == 1 else None


def read_claimed_shape(tensor: Any) -> tuple[int, ...]:
    """Return the lengths of the dimensions that a tensor claims; an unknown one is negative.

    Raises:
        TensorError: It claims too many dimensions.
    """
    dims = tensor.tensor_shape.dim
    if len(dims) > MAX_DIMENSIONS:
        raise TensorError(f"a tensor of {len(dims):,} dimensions is too large to show")
    return tuple([int(dim.size) for dim in dims])


def make_tensor(array: npt.NDArray[Any]) -> Any:
    """Return a `TensorProto` of dtype FLOAT, DOUBLE or, for an object array of `bytes`, STRING."""
    tensor = get_message_class("TensorProto")()
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


def _read_dtype(tensor: Any) -> int:
    number = int(tensor.dtype) % REFERENCE_OFFSET
    if number == 0 and not tensor.tensor_content and not any(len(getattr(tensor, name)) for name in _TYPED_FIELDS):
        return FLOAT
    if number in DTYPES:
        return number
    raise TensorError(f"tensors of type {UNSUPPORTED_TYPES.get(number, f'number {tensor.dtype}')} cannot be shown")


def _read_shape(tensor: Any) -> tuple[int, ...] | None:
    """Return the shape; None if it is unknown."""
    if not tensor.HasField("tensor_shape"):
        return None
    sizes = read_claimed_shape(tensor)
    return None if tensor.tensor_shape.unknown_rank or min(sizes, default=0) < 0 else sizes


def _count_elements(shape: tuple[int, ...] | None) -> int:
    return 1 if shape is None else math.prod(shape)


def _reshape(values: npt.NDArray[Any], shape: tuple[int, ...] | None, *, exact: bool) -> npt.NDArray[Any]:
    """Return values in their shape; unless `exact`, repeat the last one in place of missing values."""
    if shape is None:
        return values.reshape(()) if len(values) == 1 else values
    count = _count_elements(shape)
    if len(values) < count:
        if exact:
            raise TensorError(f"a tensor of shape {format_shape(shape)} holds only {len(values)} values")
        if count > MAX_EXPANDED_ELEMENTS:
            raise TensorError(f"a tensor of shape {format_shape(shape)} is too large to show")
        last = values[-1:] if len(values) else np.zeros(1, values.dtype)
        values = np.concatenate([values, np.repeat(last, count - len(values))])
    elif len(values) > count and exact:
        raise TensorError(f"a tensor of shape {format_shape(shape)} holds {len(values)} values")
    try:
        return values[:count].reshape(shape)
    except ValueError as error:
        # More dimensions than numpy supports, or lengths whose product overflows although one of them is 0.
        raise TensorError(f"a tensor of shape {format_shape(shape)} is too large to show") from error


def format_shape(shape: tuple[int, ...]) -> str:
    """Return a shape as text: `30x3`; of one dimension `[3]`, which no reader takes for a number."""
    if len(shape) == 1:
        return f"[{shape[0]}]"
    return "x".join(map(str, shape[:8])) + ("x…" if len(shape) > 8 else "")


def describe_tensor(shape: tuple[int, ...]) -> str:
    """Return `a tensor of shape 30x3`, or `a single number`."""
    return f"a tensor of shape {format_shape(shape)}" if shape else "a single number"


def read_real_array(value: Any, noun: str) -> npt.NDArray[Any]:
    """Return the tensor of real numbers that a `SummaryValue` holds, as `to_array` does.

    Args:
        value: The value.
        noun: What the value should be, for the message: `a PR curve`.

    Raises:
        TensorError: It holds no tensor, or one of texts or complex numbers.
    """
    kind = value.WhichOneof("value")
    if kind != "tensor":
        raise TensorError(f"{VALUE_KINDS[kind]} instead of {noun}")
    array = to_array(value.tensor)
    if array.dtype.kind in "Oc":
        raise TensorError(f"a tensor without real numbers instead of {noun}")
    return array


MAX_CLAIMED_STRINGS = 10_000
"""Maximum number of strings of a tensor that does not store each of them: its shape is only a claim."""


def read_strings(value: Any, noun: str) -> npt.NDArray[Any]:
    """Return the tensor of strings that a `SummaryValue` holds: an object array of bytes, UTF-8 or not.

    Args:
        value: The value.
        noun: What the value should be, for the message: `a checklist`.

    Raises:
        TensorError: It holds no tensor, or one of numbers.
    """
    kind = value.WhichOneof("value")
    if kind != "tensor":
        raise TensorError(f"{VALUE_KINDS[kind]} instead of {noun}")
    tensor = value.tensor
    lengths, count = read_claimed_shape(tensor), len(tensor.string_val)
    if math.prod(max(length, 0) for length in lengths) > max(MAX_CLAIMED_STRINGS, count):
        raise TensorError(f"a tensor of shape {format_shape(lengths)} that stores {count:,} texts is too large to show")
    number = tensor.dtype % REFERENCE_OFFSET
    if number != STRING:
        name = DTYPES[number].name if number in DTYPES else f"number {tensor.dtype}"
        raise TensorError(f"a tensor of type {name} instead of {noun}")
    return to_array(tensor)


def read_numbers(value: Any, count: int, noun: str) -> list[float]:
    """Return the numbers of a tensor of shape [count] that a `SummaryValue` holds.

    Args:
        value: The value.
        count: How many numbers it should have.
        noun: What it should be, for the message: `a weather report`.

    Raises:
        TensorError: It holds something else.
    """
    array = read_real_array(value, noun)
    if array.shape != (count,):
        raise TensorError(
            f"{describe_tensor(array.shape)} instead of {noun}, which has {count} number{'' if count == 1 else 's'}"
        )
    numbers: list[float] = array.astype(np.float64).tolist()
    return numbers


def _decode_content(number: int, dtype: Dtype, content: bytes) -> npt.NDArray[Any]:
    if number == STRING:
        raise TensorError("a tensor of strings holds raw bytes")
    if len(content) % np.dtype(dtype.stored).itemsize:
        raise TensorError(f"{len(content)} bytes are no whole number of {dtype.name} values")
    return decode_elements(number, np.frombuffer(content, dtype.stored))


def _decode_fields(number: int, dtype: Dtype, tensor: Any) -> npt.NDArray[Any]:
    """Return the values of the field of the dtype, or of another field that the writer filled by mistake."""
    name = next((n for n in (dtype.field, *_TYPED_FIELDS) if len(getattr(tensor, n))), dtype.field)
    field = getattr(tensor, name)
    if number == STRING or name == "string_val":
        return _decode_strings(number, field)
    if name == "half_val":
        return _decode_halves(number, field)
    if name == "float8_val":
        raw = np.frombuffer(field, np.uint8)
        return decode_elements(number, raw) if number in FLOAT8_BITS else raw
    if name in {"scomplex_val", "dcomplex_val"}:
        return _decode_complexes(number, dtype, field)
    return _cast(np.fromiter(field, _FIELD_TYPES[name], len(field)), number, dtype)


def _decode_strings(number: int, field: Any) -> npt.NDArray[Any]:
    if number != STRING:
        raise TensorError(f"a tensor of type {DTYPES[number].name} holds strings")
    strings = np.empty(len(field), object)
    strings[:] = [item if isinstance(item, bytes) else str(item).encode() for item in field]
    return strings


def _decode_complexes(number: int, dtype: Dtype, field: Any) -> npt.NDArray[Any]:
    """Return the values of `scomplex_val` or `dcomplex_val`, which alternate real and imaginary parts."""
    if number not in {COMPLEX64, COMPLEX128}:
        raise TensorError(f"a tensor of type {dtype.name} holds complex numbers")
    pairs = np.array(field, np.float64)
    return pairs[: len(pairs) // 2 * 2].view(np.complex128).astype(dtype.stored)


def _decode_halves(number: int, field: Any) -> npt.NDArray[Any]:
    """Return the values of `half_val`: the low 16 bits of each element.

    PyTorch's `add_tensor` stores the 32 bits of a float there instead. No 16-bit pattern is below 0 or above 65535.
    """
    bits = np.array(field, np.int64)
    if len(bits) and (bits.min() < 0 or bits.max() > 0xFFFF):
        floats = bits.astype(np.uint32).view(np.float32)
        return floats.astype(np.float16) if number == HALF else floats
    low = bits.astype(np.uint16)
    return low.view(np.float16) if number == HALF else decode_elements(BFLOAT16, low)


def _cast(values: npt.NDArray[Any], number: int, dtype: Dtype) -> npt.NDArray[Any]:
    floats = number in FLOAT8_BITS or number == BFLOAT16
    result_dtype = np.dtype(np.float32 if floats else np.bool_ if number == BOOL else dtype.stored)
    return values.astype(result_dtype)
