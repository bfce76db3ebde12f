"""What is known of a tag beside its picture: what writers say of it, and what each run holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from tbtui.charts.text import nameable
from tbtui.viewstate.run_cards import plain_title

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from tbtui.store.snapshot import Metadata, RunSnapshot, Series
    from tbtui.viewstate.view import View

AnySeries = TypeVar("AnySeries", bound="Series")

DATA_CLASSES = {1: "scalar", 2: "tensor", 3: "blob sequence"}
"""Of `SummaryMetadata.data_class`, by number; 0 is unknown."""


def about_tag(
    view: View, plugin: str, tag: str, all_series: Sequence[AnySeries], told: Callable[[AnySeries], Iterable[str]]
) -> Iterator[str]:
    """Lines about a tag of the drawn runs: plain text, descriptions as the Markdown they are.

    Names, paths and descriptions are as they were written: not yet made safe for a terminal, of any length, and a
    description may hold line breaks.

    Args:
        view: What is shown.
        plugin: Plugin name of the series.
        tag: Of the series.
        all_series: Those of the drawn runs that hold something.
        told: What there is to say of one of them; the first line stands beside the run's name.
    """
    yield f"tag {nameable(tag)}"
    yield from dict.fromkeys(_metadata(series.metadata) for series in all_series)
    for name, description in dict.fromkeys((s.metadata.display_name, s.metadata.description) for s in all_series):
        yield from _words(name, description, tag)
    yield ""
    if not all_series:
        yield "no run that is shown holds a value of it"
    for series in all_series:
        first, *more = told(series)
        yield f"{nameable(series.run)}: {first}"
        yield from (f"    {line}" for line in (*more, *_files(view.snapshot.runs[series.run])))
    others = _others(view, plugin, tag)
    if others:
        yield f"and {others} run{'s' if others > 1 else ''} that {'are' if others > 1 else 'is'} not shown"


def counted(series: Series, what: str) -> str:
    """`440 points at steps 0–439, 12 superseded`."""
    steps = series.current.steps
    ends = f"step {steps[0]}" if len(steps) == 1 else f"steps {steps[0]}–{steps[-1]}"
    told = f"{len(series):,} {what}{'' if len(series) == 1 else 's'} at {ends}"
    return f"{told}, {series.superseded:,} superseded" if series.superseded else told


def _metadata(metadata: Metadata) -> str:
    """`plugin scalars, data class scalar, 2 bytes of the plugin's own`."""
    told = f"plugin {nameable(metadata.plugin_name)}, data class {DATA_CLASSES.get(metadata.data_class, 'unknown')}"
    count = len(metadata.content)
    return f"{told}, {count:,} byte{'' if count == 1 else 's'} of the plugin's own" if count else told


def _words(name: str, description: str, tag: str) -> Iterator[str]:
    """What a writer said of its tag; each may have said something else."""
    if name and name != plain_title(tag):
        yield f"called {name}"
    if description:
        yield ""
        yield from description.splitlines()


def _files(run: RunSnapshot) -> Iterator[str]:
    """The run's files; which of them hold the tag nobody has written down."""
    for file in run.files:
        yield file.path + ("" if file.state == "ok" else f" ({file.state})")


def _others(view: View, plugin: str, tag: str) -> int:
    """How many runs hold the tag that are not drawn."""
    drawn = {run.name for run in view.runs}
    return sum(tag in facts.tags.get(plugin, ()) for run, facts in view.facts.items() if run not in drawn)
