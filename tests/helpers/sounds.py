"""Make WAV files: valid ones, and ones with every kind of wrong header."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

RATE = 8000


def sine(
    hertz: float = 440.0, seconds: float = 0.5, rate: int = RATE, loudness: float = 0.5
) -> npt.NDArray[np.float64]:
    return loudness * np.sin(2 * np.pi * hertz * np.arange(round(seconds * rate)) / rate)


def chunk(name: bytes, body: bytes, size: int | None = None, order: str = "<") -> bytes:
    return name + struct.pack(order + "I", len(body) if size is None else size) + body + b"\0" * (len(body) % 2)


def stored(samples: npt.ArrayLike, code: str) -> bytes:
    """Return samples of -1 to 1 as bytes of `u8`, `s16`, `s24`, `s32`, `f32` or `f64`; with `>` big-endian."""
    values = np.asarray(samples, np.float64)
    order = ">" if code.endswith(">") else "<"
    kind, bits = code[0], int(code[1:].rstrip(">"))
    if kind == "f":
        return values.astype(f"{order}f{bits // 8}").tobytes()
    if kind == "u":
        return np.clip(np.round(values * 128 + 128), 0, 255).astype(np.uint8).tobytes()
    most = 2 ** (bits - 1)
    whole = np.clip(np.round(values * most), -most, most - 1).astype(np.int64)
    if bits == 24:
        three = (whole & 0xFFFFFF).astype(f"{order}u4").reshape(-1, 1).view(np.uint8)
        return three[:, 1:].tobytes() if order == ">" else three[:, :3].tobytes()
    return whole.astype(f"{order}i{bits // 8}").tobytes()


def fmt(code: str, channels: int = 1, rate: int = RATE, *, extensible: bool = False, **wrong: int) -> bytes:
    order = ">" if code.endswith(">") else "<"
    bits = int(code[1:].rstrip(">"))
    number = 3 if code[0] == "f" else 1
    block = channels * bits // 8
    held = {"number": number, "channels": channels, "rate": rate, "block": block, "bits": bits, **wrong}
    head = [0xFFFE if extensible else held["number"], held["channels"], held["rate"], rate * block, held["block"]]
    body = struct.pack(order + "HHIIHH", *head, held["bits"])
    if extensible:
        guid = struct.pack(order + "H", held["number"]) + bytes.fromhex("000000001000800000aa00389b71")
        body += struct.pack(order + "HHI", 22, held["bits"], 0) + guid
    return chunk(b"fmt ", body, order=order)


def riff(*chunks: bytes, form: bytes = b"RIFF", size: int | None = None) -> bytes:
    body = b"WAVE" + b"".join(chunks)
    order = ">" if form == b"RIFX" else "<"
    return form + struct.pack(order + "I", len(body) if size is None else size) + body


def wav(samples: npt.ArrayLike, code: str = "s16", rate: int = RATE, *, extensible: bool = False) -> bytes:
    """Return a valid file of samples, float64[n] or float64[n, channels]."""
    values = np.asarray(samples, np.float64)
    channels = 1 if values.ndim == 1 else values.shape[1]
    form, order = (b"RIFX", ">") if code.endswith(">") else (b"RIFF", "<")
    data = chunk(b"data", stored(values.ravel(), code), order=order)
    return riff(fmt(code, channels, rate, extensible=extensible), data, form=form)
