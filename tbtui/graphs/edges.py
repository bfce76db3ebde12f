"""Edges of a graph as columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

Ints: TypeAlias = "npt.NDArray[np.int32]"
Flags: TypeAlias = "npt.NDArray[np.bool_]"


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """One entry for each edge, in the order of the nodes that they lead to and of these nodes' inputs."""

    source: Ints
    target: Ints
    output: Ints
    """Which output of the source it comes from; -1 where that cannot be told."""

    control: Flags
    """Only waited for."""

    reference: Flags
    """The source is changed in place, as by an assignment."""
