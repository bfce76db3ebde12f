"""Shapes and counts in the words of a label."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tbtui.graphs.written import Shape

SCALAR = "scalar"


def shape_text(shape: Shape | None) -> str:
    """`32×10`, `?×10` where a length is not known, `scalar`; empty for a shape that is not known."""
    if shape is None:
        return ""
    return "×".join("?" if length < 0 else str(length) for length in shape) or SCALAR


def elements(shape: Shape | None) -> float:
    """How many numbers a tensor holds, as far as its lengths are known; 1 of one that is not known at all."""
    count = 1.0
    for length in shape or ():
        count *= length if length >= 0 else 1
    return count


def tensors_text(count: int, shape: Shape | None) -> str:
    """What flows: the shape of one tensor, the number of several; empty for none."""
    return shape_text(shape) if count == 1 else counted(count, "tensor") if count else ""


def counted(count: int, what: str) -> str:
    """`1 op`, `1,234 ops`."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"
