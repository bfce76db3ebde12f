"""The element types of tensors: how their bytes are stored and which field of `TensorProto` holds them otherwise.

Source: TensorFlow `types.proto` and `tensor.proto`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tbtui.events.float8 import FLOAT8_BITS, float8_table

if TYPE_CHECKING:
    import numpy.typing as npt

FLOAT, DOUBLE, STRING, COMPLEX64, BOOL, BFLOAT16, COMPLEX128, HALF = 1, 2, 7, 8, 10, 14, 18, 19


class Dtype(NamedTuple):
    """How elements of one type are stored."""

    name: str
    stored: str
    """Numpy dtype of the bytes in `tensor_content`."""

    field: str
    """The typed field that holds the values otherwise."""


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

UNSHOWN = {
    20: "resource", 21: "variant", 29: "int4", 30: "uint4", 31: "int2", 32: "uint2", 33: "float4_e2m1fn"
}  # fmt: skip
"""Types that hold no values, or several in one byte."""

TYPE_NAMES = {0: "invalid", **{number: dtype.name for number, dtype in DTYPES.items()}, **UNSHOWN}
"""What `types.proto` calls every type, in lower case and without its `DT_`."""

REFERENCE = 100
"""What the number of a type has on top when values may be changed in place."""

NO_NUMBER = frozenset({STRING, COMPLEX64, COMPLEX128})
"""Types whose values are not real numbers."""


def stored_bytes(dtype: int) -> int | None:
    """Bytes of one element of a real dtype in `tensor_content`; None for other dtypes."""
    known = DTYPES.get(dtype)
    return None if known is None or dtype in NO_NUMBER else np.dtype(known.stored).itemsize


def real_values(dtype: int, words: npt.NDArray[np.uint64]) -> npt.NDArray[np.float64]:
    """Elements of a real dtype, each given by 8 bytes of which the first are its own, as float64[n]."""
    stored = np.dtype(DTYPES[dtype].stored)
    raw = words.astype(f"<u{stored.itemsize}").view(stored)
    # Signalling NaNs become quiet ones; that is no news.
    with np.errstate(invalid="ignore"):
        return meaning(dtype, raw).astype(np.float64)


def meaning(number: int, raw: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Values of elements as they are stored: the kinds that numpy has no type for become float32."""
    if number == BFLOAT16:
        return np.asarray((raw.astype(np.uint32) << np.uint32(16)).view(np.float32))
    if number == BOOL:
        return np.asarray(raw != 0)
    return np.asarray(float8_table(number)[raw]) if number in FLOAT8_BITS else raw
