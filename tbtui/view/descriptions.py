"""Descriptions: details of a tag from its metadata and runs, and short labels of axes, ranges and the cursor."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from tbtui.charts import numbers
from tbtui.charts.numbers import format_count
from tbtui.charts.text import format_run_name
from tbtui.loading.sources import EVENT_FILE_MARK
from tbtui.maths.stops import stop_x
from tbtui.maths.x_values import STEP_AXES
from tbtui.settings.settings import FULL_RANGE
from tbtui.view.cards import shorten_tag

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from tbtui.loading.state import Searched
    from tbtui.settings.settings import Range, Settings, XAxis
    from tbtui.store.snapshot import Metadata, RunSnapshot, Series
    from tbtui.view.view import View


def format_searched(searched: Searched) -> str:
    """Return `searched 41,000 directories and 310,000 files, 14 levels deep`."""
    text = f"searched {format_count(searched.directories, 'directory')} and {format_count(searched.files, 'file')}"
    return f"{text}, {format_count(searched.depth, 'level')} deep" if searched.depth else text


SOUGHT = f"for names with {EVENT_FILE_MARK}, profiles and embeddings"
"""Kinds of files that a walk through log directories searches for."""


AnySeries = TypeVar("AnySeries", bound="Series")

DATA_CLASSES = {1: "scalar", 2: "tensor", 3: "blob sequence"}
"""`SummaryMetadata.data_class` by number; 0 is unknown."""


def describe_tag(
    view: View, plugin: str, tag: str, all_series: Sequence[AnySeries], lines_of: Callable[[AnySeries], Iterable[str]]
) -> Iterator[str]:
    """Yield lines about a tag of the drawn runs: plain text, descriptions as Markdown.

    Names, paths and descriptions are as written: not yet safe for a terminal, of any length, and a description may hold
    line breaks.

    Args:
        view: The view.
        plugin: Plugin name of the series.
        tag: Tag of the series.
        all_series: Series of the drawn runs with values.
        lines_of: Returns lines about one series; the first follows the name of the run.
    """
    yield f"tag {format_run_name(tag)}"
    yield from dict.fromkeys(_format_metadata(series.metadata) for series in all_series)
    for name, description in dict.fromkeys((s.metadata.display_name, s.metadata.description) for s in all_series):
        yield from _describe_name(name, description, tag)
    yield ""
    if not all_series:
        yield "no visible run has a value of it"
    for series in all_series:
        first, *more = lines_of(series)
        yield f"{format_run_name(series.run)}: {first}"
        yield from (f"    {line}" for line in (*more, *_list_files(view.snapshot.runs[series.run])))
    others = _count_others(view, plugin, tag)
    if others:
        yield f"and {others} run{'s' if others > 1 else ''} that {'are' if others > 1 else 'is'} not shown"


def summarize_points(series: Series, noun: str) -> str:
    """Return `440 points at steps 0–439, 12 superseded`."""
    steps = series.current.steps
    ends = f"step {steps[0]}" if len(steps) == 1 else f"steps {steps[0]}–{steps[-1]}"
    text = f"{len(series):,} {noun}{'' if len(series) == 1 else 's'} at {ends}"
    return f"{text}, {series.superseded:,} superseded" if series.superseded else text


def format_left_out(series: Series, step: int, *, with_key: bool = True) -> str:
    """Return `4 more at this step (u)` or `12 superseded (u)`: points of a series that the step axis leaves out.

    Args:
        series: All points of the series.
        step: The step that is shown.
        with_key: Name the key that shows them.
    """
    if not series.superseded:
        return ""
    more = int((series.steps == step).sum() - (series.current.steps == step).sum())
    text = f"{more:,} more at this step" if more else f"{series.superseded:,} superseded"
    return f"{text} (u)" if with_key else text


def _format_metadata(metadata: Metadata) -> str:
    """Return `plugin scalars, data class scalar, 2 bytes of plugin data`."""
    text = (
        f"plugin {format_run_name(metadata.plugin_name)}, data class {DATA_CLASSES.get(metadata.data_class, 'unknown')}"
    )
    count = len(metadata.content)
    return f"{text}, {count:,} byte{'' if count == 1 else 's'} of plugin data" if count else text


def _describe_name(name: str, description: str, tag: str) -> Iterator[str]:
    """Yield the name and the description of a tag; different writers may have stored different ones."""
    if name and name != shorten_tag(tag):
        yield f"called {name}"
    if description:
        yield ""
        yield from description.splitlines()


def _list_files(run: RunSnapshot) -> Iterator[str]:
    """Yield the files of the run; logs do not record which of them hold the tag."""
    for file in run.files:
        yield file.path + ("" if file.state == "ok" else f" ({file.state})")


def _count_others(view: View, plugin: str, tag: str) -> int:
    """Return the number of runs with the tag that are not drawn."""
    visible = {run.name for run in view.runs}
    return sum(tag in summary.tags.get(plugin, ()) for run, summary in view.summaries.items() if run not in visible)


def format_y_axis(settings: Settings, key: str | None = None) -> str:
    """Return `y log 0.1–1`; empty for a linear axis without a range. Without a key the label is about all charts."""
    scale = settings.y_scale if key is None else settings.get_y_scale(key)
    y_range = FULL_RANGE if key is None else settings.chart(key).y_range
    return "" if (scale, y_range) == ("linear", FULL_RANGE) else _name_axis("y", scale, format_range(y_range))


def name_x_axis(settings: Settings) -> str:
    """Return `step`, or the name of the tag that is the x axis."""
    return format_run_name(settings.x_tag) if settings.x_axis == "tag" and settings.x_tag else settings.x_axis


def list_x_axis_labels(settings: Settings, key: str | None = None) -> tuple[str, ...]:
    """Return `x step log 120–400` and labels of skipped steps and linked charts; some are empty.

    Args:
        settings: The settings.
        key: Key of the card of one chart; None: all charts.
    """
    x_range = settings.x_range if key is None else settings.get_x_range(key)
    scale = "linear" if settings.x_axis == "wall" else settings.x_scale
    return (
        _name_axis(f"x {name_x_axis(settings)}", scale, format_range(x_range, settings.x_axis)),
        f"from step {settings.skip_steps:,} on" if settings.skip_steps else "",
        "linked" if settings.linked else "",
    )


def _name_axis(name: str, scale: str, ends: str) -> str:
    return " ".join(filter(None, (name, "" if scale == "linear" else scale, ends)))


def format_cursor(settings: Settings, *, brief: bool = False) -> str:
    """Return `@ step 312`, `@ 3m12s`, or both ends of a range; empty without a cursor. If `brief`, `@ 312`."""
    ends = (
        sorted({end for end in (settings.cursor, settings.mark) if end is not None})
        if settings.cursor is not None
        else []
    )
    if not ends:
        return ""
    unit = f"{name_x_axis(settings)} " if settings.x_axis in STEP_AXES and not brief else ""
    return f"@ {unit}{'–'.join(format_x_value(settings.x_axis, end) for end in ends)}"


def format_range(ends: Range, x_axis: XAxis | None = None) -> str:
    """Return a range set by hand: `120–400`, `from 120`, `to 400`; empty for an axis without a range.

    Args:
        ends: The range.
        x_axis: Its x axis; None: the y axis.
    """
    low, high = (None if end is None else _format_end(x_axis, end) for end in ends)
    if low is None or high is None:
        return f"from {low}" if low is not None else "" if high is None else f"to {high}"
    return f"{low} – {high}" if "-" in low + high else f"{low}–{high}"


def _format_end(x_axis: XAxis | None, end: float) -> str:
    return numbers.format_number(end) if x_axis is None else format_x_value(x_axis, end)


def format_x_value(x_axis: XAxis, x: float) -> str:
    """Return an x value in few columns: a step, a duration, a time of day."""
    x = stop_x(x)
    if x_axis == "wall":
        return numbers.format_clock(x)
    if x_axis == "relative":
        return numbers.format_duration(x)
    return str(int(x)) if float(x).is_integer() else numbers.format_number(x)


def describe_range(low: float | None, high: float | None, x_axis: XAxis) -> str:
    """Return `between step 5 and 9`, `from step 5`, `up to 1m30s`."""
    unit = "step " if x_axis == "step" else ""
    if low is None or high is None:
        end = low if high is None else high
        return f"{'up to' if low is None else 'from'} {unit}{'' if end is None else format_x_value(x_axis, end)}"
    return f"between {unit}{format_x_value(x_axis, low)} and {format_x_value(x_axis, high)}"
