"""Read the layouts that runs log.

PyTorch's and tensorboardX's short calls write a complete layout each, under one tag. TensorBoard only shows the last
one: of three calls one chart remains. tbtui merges all layouts of the newest file with layouts. It ignores those of
older files, because a resumed training logs its layout again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.frozen import frozen
from tbtui.loading.payloads import decode_block, read_payloads
from tbtui.plugins.base import ValueProblem
from tbtui.plugins.custom_scalars.layout import (
    PLUGIN_NAME,
    Layout,
    LayoutError,
    merge_layouts,
    parse_layout,
)
from tbtui.plugins.custom_scalars.settings import LAYOUT, MAX_LAYOUT_BYTES
from tbtui.plugins.custom_scalars.tag_patterns import TagPatterns
from tbtui.store.snapshot import ReferenceSeries, ScalarSeries

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tbtui.settings.settings import Settings
    from tbtui.store.snapshot import RunSnapshot, StoreSnapshot

MAX_LAYOUTS = 1000
"""Layouts that are read of one tag, the newest; a training may log its layout at every step."""

NO_TEXT = "it holds no text"


@frozen
class RunLayout:
    """Layouts of one run, and their problems."""

    run: str
    layout: Layout
    """All layouts of its newest file, merged."""

    step: int
    """Step of the last one."""

    merged: int = 1
    """Number of layouts that were merged."""

    replaced: int = 0
    """Number of layouts of older files, which do not count."""

    problems: tuple[str, ...] = ()
    """Reasons why layouts cannot be read, one sentence each."""


def parse_layout_value(value: Any) -> Layout:
    """Return the layout of a stored `SummaryValue`.

    Raises:
        LayoutError: It holds none.
    """
    texts: Sequence[bytes] = value.tensor.string_val if value.WhichOneof("value") == "tensor" else ()
    if len(texts) != 1:
        raise LayoutError(NO_TEXT)
    return parse_layout(texts[0])


def list_layout_series(run: RunSnapshot, tags: Iterable[str] | None = None) -> Iterator[ReferenceSeries]:
    """Yield the series of layouts of a run; writers use one tag.

    Args:
        run: The run.
        tags: Its tags with layouts, as far as they are known; None: all tags are searched.
    """
    for series in run.series.values() if tags is None else (run.series[tag] for tag in tags if tag in run.series):
        if isinstance(series, ReferenceSeries) and series.metadata.plugin_name == PLUGIN_NAME and len(series):
            yield series


def read_run_layout(run: RunSnapshot) -> RunLayout | None:
    """Read the layouts of a run; None if it logs none."""
    layouts: list[tuple[int, Layout]] = []
    problems: list[str] = []
    step = merged = replaced = 0
    for series in list_layout_series(run):
        newest = np.flatnonzero(series.files == series.files[-1])
        replaced += len(series) - len(newest)
        points = newest[-MAX_LAYOUTS:].astype(np.int64)
        step = int(series.steps[points[-1]])
        for block in read_payloads(run, series, points, largest=MAX_LAYOUT_BYTES + 4096):
            decoded, errors = decode_block(block, series, parse_layout_value)
            layouts += decoded.items()
            merged += len(decoded)
            for point, reason in errors.items():
                problems.append(f"the layout at step {int(series.steps[point])} cannot be read: {reason}")
    if not layouts and not problems:
        return None
    layout = merge_layouts([layout for _, layout in layouts])
    return RunLayout(run.name, layout, step, merged, replaced, tuple(dict.fromkeys(problems)))


class LayoutReader:
    """Reads the layouts of all runs, and keeps them until a run logs another one. Used by one thread."""

    def __init__(self) -> None:
        self._layout_of_run: dict[str, tuple[tuple[int, ...], RunLayout | None]] = {}

    def of(
        self, runs: Iterable[RunSnapshot], tags_of: Callable[[str], Iterable[str] | None] = lambda _: None
    ) -> tuple[RunLayout, ...]:
        """Return the layouts of the runs that log one, in the given order.

        Args:
            runs: The runs.
            tags_of: Returns the tags of a run with layouts, so that thousands of others need not be searched.
        """
        former, self._layout_of_run = self._layout_of_run, {}
        for run in runs:
            revisions = tuple(series.revision for series in list_layout_series(run, tags_of(run.name)))
            if not revisions:
                continue
            entry = former.get(run.name)
            if entry is None or entry[0] != revisions:
                entry = revisions, read_run_layout(run)
            self._layout_of_run[run.name] = entry
        return tuple(layout for _, layout in self._layout_of_run.values() if layout is not None)


def read_layouts_by_run(runs: Mapping[str, RunSnapshot]) -> tuple[RunLayout, ...]:
    """Read the layouts of runs in the order of their names, as TensorBoard merges them."""
    return LayoutReader().of(runs[name] for name in sorted(runs))


def find_layout_problems(snapshot: StoreSnapshot, settings: Settings) -> Iterator[ValueProblem]:
    """Yield the layouts that cannot be read: those that runs log, and the file that an option names."""
    file = LAYOUT.value(settings)
    if file is not None and file.problem:
        yield ValueProblem("", file.name, f"{file.problem}; its last good content is shown")
    for source in read_layouts_by_run(snapshot.runs):
        tag = next(series.tag for series in list_layout_series(snapshot.runs[source.run]))
        for problem in source.problems:
            yield ValueProblem(source.run, tag, problem)


def describe_layouts(run: RunSnapshot) -> tuple[str, ...] | None:
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
