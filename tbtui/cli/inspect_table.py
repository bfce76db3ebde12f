"""The report of `tbtui inspect` for people: plain text, one block a run."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts import numbers
from tbtui.charts.text import cell_width, pad, safe, shorten
from tbtui.store.snapshot import ScalarSeries

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TextIO

    from tbtui.store.snapshot import EventFile, RunSnapshot, Series

_WIDEST_TAG = 48
_WIDEST_FILE = 72
_HEADINGS = ("values", "steps", "first", "last", "least", "greatest", "")


def write_report(logdir: str, runs: Sequence[RunSnapshot], out: TextIO) -> None:
    """Write what the files of some runs hold.

    Args:
        logdir: The paths as the user gave them.
        runs: What to report.
        out: Where it goes.
    """
    out.write(f"{safe(logdir)}: {_summary(runs)}\n")
    for run in runs:
        out.write(f"\n{safe(run.name)}\n")
        out.writelines(f"  {line}\n" for line in (*_file_lines(run.files), *_tag_lines(run)))


def _summary(runs: Sequence[RunSnapshot]) -> str:
    files = [file for run in runs for file in run.files]
    tags = {tag for run in runs for tag in run.series}
    values = sum(len(series) for run in runs for series in run.series.values())
    parts = [
        _count(len(runs), "run"),
        _count(len(tags), "tag"),
        _count(values, "value"),
        f"{_count(len(files), 'file')} of {_count(sum(file.bytes for file in files), 'byte')}",
    ]
    unhealthy = sum(file.state in {"corrupt", "unreadable"} for file in files)
    return ", ".join(parts) + (f", {unhealthy:,} of them damaged" if unhealthy else "")


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _file_lines(files: Iterable[EventFile]) -> Iterator[str]:
    for file in files:
        parts = [
            shorten(Path(file.path).name, _WIDEST_FILE),
            _count(file.bytes, "byte"),
            _count(file.records, "record"),
            file.state,
        ]
        if file.first_wall_time is not None:
            parts.append(numbers.clock(file.first_wall_time))
            lasted = (file.last_wall_time or file.first_wall_time) - file.first_wall_time
            parts += [f"for {numbers.duration(lasted)}"] if lasted > 0 else []
        if file.writer:
            parts.append(f"by {safe(file.writer)}")
        yield ", ".join(parts)
        for problem in file.problems:
            place = "" if problem.of_file else f"at byte {problem.offset:,}: "
            yield f"  ! {place}{safe(problem.message)}"


def _tag_lines(run: RunSnapshot) -> Iterator[str]:
    """One line a tag, under the name of its plugin."""
    ordered = sorted(run.series.values(), key=lambda series: series.metadata.plugin_name)
    rows: list[tuple[str, ...]] = []
    for plugin, group in groupby(ordered, key=lambda series: series.metadata.plugin_name):
        rows.append((safe(plugin) or "(no plugin)", *_HEADINGS[:2], *(_HEADINGS[2:] if plugin == "scalars" else ())))
        rows += [(f"  {shorten(series.tag, _WIDEST_TAG)}", *_cells(series)) for series in group]
    yield from _align(rows)


def _cells(series: Series) -> Iterator[str]:
    yield f"{len(series):,}"
    first, last = int(series.steps[0]), int(series.steps[-1])
    yield numbers.step(first) if first == last else f"{numbers.step(first)}…{numbers.step(last)}"
    notes = [f"{series.superseded:,} superseded"] if series.superseded else []
    if isinstance(series, ScalarSeries):
        values = series.values
        finite = values[np.isfinite(values)]
        yield from (numbers.short(float(value)) for value in (values[0], values[-1]))
        yield from (numbers.short(float(value)) for value in (finite.min(), finite.max())) if len(finite) else ("", "")
        notes += [
            f"{count:,} {word}"
            for word, count in (
                ("NaN", np.count_nonzero(np.isnan(values))),
                ("Inf", np.count_nonzero(np.isinf(values))),
            )
            if count
        ]
    yield ", ".join(notes)


def _align(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Rows of cells as lines: the first column to the left, the others to the right."""
    columns = max(map(len, rows), default=0)
    widths = [max(cell_width(row[column]) for row in rows if column < len(row)) for column in range(columns)]
    for row in rows:
        cells = [pad(row[0], widths[0])] if row else []
        cells += [" " * (width - cell_width(cell)) + cell for cell, width in zip(row[1:], widths[1:], strict=False)]
        yield "  ".join(cells).rstrip()
