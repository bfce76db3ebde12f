"""What is known of a chart beside its picture: what its tags say of themselves, and what each run holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.text import nameable
from tbtui.plugins.scalars.cards import plain_title
from tbtui.plugins.scalars.data import scalar_series

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tbtui.store.snapshot import Metadata, RunSnapshot, ScalarSeries
    from tbtui.viewstate.view import View

DATA_CLASSES = {1: "scalar", 2: "tensor", 3: "blob sequence"}
"""Of `SummaryMetadata.data_class`, by number; 0 is unknown."""


def about(view: View, tags: Sequence[str]) -> tuple[str, ...]:
    """Lines about tags of the drawn runs: plain text, descriptions as the Markdown they are.

    Names, paths and descriptions are as they were written: not yet made safe for a terminal, of any length, and a
    description may hold line breaks.
    """
    return tuple(line for tag in tags for line in (*_about_tag(view, tag), ""))[:-1]


def _about_tag(view: View, tag: str) -> Iterator[str]:
    all_series = list(scalar_series(view, [tag]))
    yield f"tag {nameable(tag)}"
    yield from dict.fromkeys(_metadata(series.metadata) for series in all_series)
    for name, description in dict.fromkeys((s.metadata.display_name, s.metadata.description) for s in all_series):
        yield from _told(name, description, tag)
    yield ""
    if not all_series:
        yield "no run that is shown holds a value of it"
    for series in all_series:
        yield f"{nameable(series.run)}: {_counts(series)}"
        yield from (f"    {path}" for path in _files(view.snapshot.runs[series.run]))
    others = _others(view, tag, {series.run for series in all_series})
    if others:
        yield f"and {others} run{'s' if others > 1 else ''} that {'are' if others > 1 else 'is'} not shown"


def _metadata(metadata: Metadata) -> str:
    """`plugin scalars, data class scalar, 2 bytes of the plugin's own`."""
    told = f"plugin {nameable(metadata.plugin_name)}, data class {DATA_CLASSES.get(metadata.data_class, 'unknown')}"
    count = len(metadata.content)
    return f"{told}, {count:,} byte{'' if count == 1 else 's'} of the plugin's own" if count else told


def _told(name: str, description: str, tag: str) -> Iterator[str]:
    """What a writer said of its tag; each may have said something else."""
    if name and name != plain_title(tag):
        yield f"called {name}"
    if description:
        yield ""
        yield from description.splitlines()


def _counts(series: ScalarSeries) -> str:
    """`440 points at steps 0–439, 12 superseded, 3 NaN`."""
    steps, values = series.current.steps, series.values
    ends = f"step {steps[0]}" if len(steps) == 1 else f"steps {steps[0]}–{steps[-1]}"
    counted = (
        (series.superseded, "superseded"),
        (int(np.count_nonzero(np.isnan(values))), "NaN"),
        (int(np.count_nonzero(np.isinf(values))), "infinite"),
    )
    told = (f"{count:,} {what}" for count, what in counted if count)
    return ", ".join((f"{len(series):,} point{'' if len(series) == 1 else 's'} at {ends}", *told))


def _files(run: RunSnapshot) -> Iterator[str]:
    """The run's files; which of them hold the tag nobody has written down."""
    for file in run.files:
        yield file.path + ("" if file.state == "ok" else f" ({file.state})")


def _others(view: View, tag: str, shown: set[str]) -> int:
    """How many runs hold the tag that are not drawn."""
    return sum(tag in facts.tags.get("scalars", ()) for run, facts in view.facts.items() if run not in shown)
