"""What is written of one tag of one run: columns under names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Rows of one tag of one run."""

    run: str
    tag: str
    columns: Mapping[str, npt.NDArray[Any]]
    """By name: int64[n], float64[n], or an object array of n strings, or of numbers where some rows have None; n is the
    same for all."""

    def __len__(self) -> int:
        return max(map(len, self.columns.values()), default=0)
