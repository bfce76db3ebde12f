"""Pictures that a simulated training would log: they get clearer as it learns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

SIDE = 64
"""Width and height of a generated sample, in pixels."""

CLASSES = 8
CELL = 10
"""Width and height of one field of the confusion matrix, in pixels."""


def waves(seed: int, tick: int, blur: float) -> npt.NDArray[np.uint8]:
    """Interfering waves that turn slowly, under noise.

    Args:
        seed: Decides colours and directions.
        tick: Decides the phase and the noise.
        blur: From 0, clear, to 1, noise alone.

    Returns:
        uint8[64, 64, 3], RGB.
    """
    random = np.random.default_rng((seed, tick, SIDE))
    y, x = np.mgrid[0:SIDE, 0:SIDE] / SIDE * 2 * np.pi
    angles = np.random.default_rng(seed).uniform(0, np.pi, 3) + tick / 400
    phases = np.cos(angles)[:, None, None] * x * 2 + np.sin(angles)[:, None, None] * y * 2
    clear = np.moveaxis(np.sin(phases + np.arange(3)[:, None, None]), 0, -1)
    mixed = (1 - blur) * clear + blur * random.normal(0, 0.7, clear.shape)
    return np.asarray(np.clip((mixed + 1) * 127.5, 0, 255), np.uint8)


def confusion(seed: int, accuracy: float) -> npt.NDArray[np.uint8]:
    """A confusion matrix whose diagonal brightens with the accuracy.

    Args:
        seed: Decides which classes are mixed up.
        accuracy: From 0 to 1.

    Returns:
        uint8[80, 80, 3], RGB.
    """
    wrong = np.random.default_rng(seed).random((CLASSES, CLASSES)) ** 3
    share = accuracy * np.eye(CLASSES) + (1 - accuracy) * wrong
    levels = np.kron(np.clip(share, 0, 1), np.ones((CELL, CELL)))
    tint = np.array([90, 200, 250])
    return np.asarray(levels[:, :, None] * tint, np.uint8)
