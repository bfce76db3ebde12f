"""Facts about layouts for `tbtui inspect`, and their problems for the damage list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.plugins.base import ValueProblem
from tbtui.plugins.custom_scalars.options import LAYOUT
from tbtui.plugins.custom_scalars.read import layout_series, layouts_by_run, read_run_layout
from tbtui.plugins.custom_scalars.tag_patterns import TagPatterns
from tbtui.store.snapshot import ScalarSeries

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.settings.settings import Settings
    from tbtui.store.snapshot import RunSnapshot, StoreSnapshot


def layout_problems(snapshot: StoreSnapshot, settings: Settings) -> Iterator[ValueProblem]:
    """Yield the layouts that cannot be read: those that runs log, and the file that an option names."""
    file = LAYOUT.value(settings)
    if file is not None and file.problem:
        yield ValueProblem("", file.name, f"{file.problem}; its last good content is shown")
    for source in layouts_by_run(snapshot.runs):
        tag = next(series.tag for series in layout_series(snapshot.runs[source.run]))
        for problem in source.problems:
            yield ValueProblem(source.run, tag, problem)


def layout_cells(run: RunSnapshot) -> tuple[str, ...] | None:
    """Return the number of charts, and the names that select no tag of the run and those that are no pattern.

    A run without scalars, which only arranges those of others, has no matches to count.
    """
    layout = read_run_layout(run)
    if layout is None:
        return None
    if layout.problems and not layout.layout.categories:
        raise ValueError(layout.problems[0])
    tags = [tag for tag, series in run.series.items() if isinstance(series, ScalarSeries)]
    patterns = TagPatterns(tags)
    charts = layout.layout.charts
    matches = [patterns.match(name) for chart in charts for name in dict.fromkeys(chart.tags)]
    bounds = [
        name
        for chart in charts
        for band in chart.bands
        for name in (band.value, band.lower, band.upper)
        if name not in tags
    ]
    bad = sum(bool(match.error) for match in matches)
    missing = sum(not match.tags and not match.error for match in matches) + len(bounds)
    return f"{len(charts):,}", f"{missing:,}" if tags else "–", f"{bad:,}"
