"""What the user has chosen, as one frozen value: every pane reads it, none changes it in place."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

XAxis: TypeAlias = Literal["step", "relative", "wall"]
X_AXES: tuple[XAxis, ...] = ("step", "relative", "wall")
"""In the order in which the key walks through them."""

MOST_SMOOTHING = 0.999
"""TensorBoard's upper end; with 1 no line would ever leave its first value."""

SMOOTHINGS = (*(step / 20 for step in range(20)), 0.99, MOST_SMOOTHING)
"""The weights that the keys walk through: steps of .05, and finer near the end, where each counts for more."""


def next_smoothing(weight: float, steps: int) -> float:
    """The weight `steps` further up (or down, where negative) from the one nearest to `weight`."""
    nearest = min(range(len(SMOOTHINGS)), key=lambda index: abs(SMOOTHINGS[index] - weight))
    return SMOOTHINGS[max(0, min(nearest + steps, len(SMOOTHINGS) - 1))]


def next_x_axis(axis: XAxis) -> XAxis:
    """The x axis that the key leads to."""
    return X_AXES[(X_AXES.index(axis) + 1) % len(X_AXES)]


@dataclass(frozen=True, slots=True)
class Choices:
    """Everything that decides what is shown, beside the data. A change makes a new value (`dataclasses.replace`)."""

    run_filter: str = ""
    """Applied regular expression over run names, case-insensitive, unanchored; empty: all."""

    tag_filter: str = ""
    """Applied regular expression over tags, likewise."""

    hidden_runs: frozenset[str] = field(default_factory=frozenset)
    """Runs switched off by hand."""

    solo: str | None = None
    """When set, only this run (or, where it ends in `/`, the runs in this folder) is drawn, whatever is hidden."""

    hidden_groups: frozenset[str] = field(default_factory=frozenset)
    """Tag groups (text before the first `/`) that are folded away."""

    x_axis: XAxis = "step"
    smoothing: float = 0.6
    """Weight of TensorBoard's debiased moving average, 0 to 0.999; 0 is off."""

    log_all: bool = False
    """Log y on every chart."""

    log_tags: frozenset[str] = field(default_factory=frozenset)
    """Tags whose chart has the other y scale than `log_all` says."""

    tab: str = ""
    """Name of the plugin whose tab is open; empty: the first that has data."""

    def log_y(self, tag: str) -> bool:
        """Whether the chart of `tag` has a logarithmic y axis."""
        return self.log_all != (tag in self.log_tags)
