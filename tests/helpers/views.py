"""Make views of scalars without files."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.charts.text import cell_width
from tbtui.run_health.summaries import SummaryCache
from tbtui.view.run_names import RunColours
from tbtui.view.view import build_view
from tests.helpers.settings import settings_of
from tests.helpers.snapshots import run, scalars, store

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tbtui.charts.cells import Cells
    from tbtui.store.snapshot import RunSnapshot, ScalarSeries
    from tbtui.view.view import View

FALLING = (4.0, 3.0, 2.0, 1.0)


def series(
    tag: str,
    values: Sequence[float],
    *,
    steps: Sequence[int] | None = None,
    wall_times: Sequence[float] | None = None,
    revision: int = 1,
    run_name: str = "a",
    display_name: str = "",
    description: str = "",
) -> ScalarSeries:
    """One scalar series, point by point."""
    made = scalars(run_name, tag, values, revision=revision)
    changes: dict[str, Any] = {"metadata": replace(made.metadata, display_name=display_name, description=description)}
    if steps is not None:
        changes["steps"] = np.array(steps, np.int64)
    if wall_times is not None:
        changes["wall_times"] = np.array(wall_times, np.float64)
    return replace(made, **changes)


def run_of(*held: ScalarSeries) -> RunSnapshot:
    """A run of these series, named as they say."""
    return run(held[0].run, others=held)


def view(*runs: RunSnapshot, colours: RunColours | None = None, **settings: Any) -> View:
    """These runs, seen through settings given by name."""
    return build_view(store(*runs), settings_of(**settings), colours or RunColours(), SummaryCache())


def plain_view(runs: Mapping[str, Mapping[str, Sequence[float]]], **settings: Any) -> View:
    """Run name to tag to values at steps 0, 1, 2 …"""
    return view(*(run(name, tags) for name, tags in runs.items()), **settings)


def picture(cells: Cells) -> str:
    """Cells as text, with a check that every row has the width it claims."""
    assert all(cell_width(cells.get_row_text(y)) == cells.width for y in range(cells.height))
    return "\n".join(cells.get_row_text(y).rstrip() for y in range(cells.height))
