"""Weights and gradients of a simulated network: what its histograms are made of."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    Floats: TypeAlias = npt.NDArray[np.float64]

VALUES = 400
"""Weights of a layer."""

DEAD = 1e-9
"""Spread of the gradients of a layer behind which every rectifier has shut."""


@frozen
class Layer:
    """One layer of the network."""

    name: str
    flow: float
    """Which part of the gradient comes back to it from the output."""

    dies: bool
    """Whether it gets no gradient any more once the training has diverged; otherwise it gets NaN."""

    shape: Callable[[Floats, Floats, float], Floats]
    """Weights from normal and uniform noise and how much the layer has learned, 0 at first."""


def weights(layer: Layer, learned: float, random: np.random.Generator) -> Floats:
    """Weights, float64[VALUES].

    Args:
        layer: Of which layer.
        learned: How far they are from where they began: 0 at first, grows slowly.
        random: The same for the same weights.
    """
    return layer.shape(random.standard_normal(VALUES), random.random(VALUES), learned)


def gradients(layer: Layer, loss: float, random: np.random.Generator) -> Floats:
    """Gradients, float64[VALUES]; as large as the loss."""
    if math.isfinite(loss):
        return random.laplace(0, layer.flow * (1e-3 + 0.05 * loss), VALUES)
    return random.normal(0, DEAD, VALUES) if layer.dies else np.full(VALUES, np.nan)


def _parting(noise: Floats, uniform: Floats, learned: float) -> Floats:
    """One heap becomes two."""
    return 0.3 * noise + 0.35 * learned * np.where(uniform < 0.5, -1, 1)


def _thinning(noise: Floats, uniform: Floats, learned: float) -> Floats:
    """Most shrink, some grow."""
    return np.asarray(0.4 * noise * np.exp(learned * (uniform**3 - 0.7)))


def _widening(noise: Floats, _uniform: Floats, learned: float) -> Floats:
    return (0.3 + 0.2 * learned) * noise


def _drifting(noise: Floats, uniform: Floats, learned: float) -> Floats:
    """All move, some further than others."""
    return 0.25 * noise - 0.5 * learned * uniform**2


LAYERS = (
    Layer("stem", 0.3, dies=True, shape=_parting),
    Layer("block1", 0.5, dies=True, shape=_thinning),
    Layer("block2", 0.7, dies=False, shape=_widening),
    Layer("head", 1.0, dies=False, shape=_drifting),
)
"""From the input to the output."""
