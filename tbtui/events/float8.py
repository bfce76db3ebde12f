"""The five 8-bit floating-point formats, each as a table of its 256 values.

Source: TensorFlow `types.proto` for the numbers, the `ml_dtypes` documentation for the formats. `FN`: finite, no
infinities. `UZ`: no negative zero; its pattern is the only NaN. `B11`: an exponent bias of 11.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

FLOAT8_BITS = {
    24: "float8_e5m2",
    25: "float8_e4m3fn",
    26: "float8_e4m3fnuz",
    27: "float8_e4m3b11fnuz",
    28: "float8_e5m2fnuz",
}
"""dtype number to name."""

_FORMATS = {24: (2, 15), 25: (3, 7), 26: (3, 8), 27: (3, 11), 28: (2, 16)}
"""dtype number to bits of the mantissa and bias of the exponent."""


@cache
def float8_table(dtype: int) -> npt.NDArray[np.float32]:
    """The value of every byte in the format that `dtype` numbers, float32[256]."""
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
