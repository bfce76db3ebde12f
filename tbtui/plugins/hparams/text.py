"""Print hyperparameters: one row for each session, with the last values of its metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.cells import Ink
from tbtui.charts.numbers import counted
from tbtui.charts.text import safe, shorten
from tbtui.plugins.comparison.comparison import last_point
from tbtui.plugins.hparams.sessions import differing_hparams, hparams_of
from tbtui.plugins.hparams.table import format_hparam, sessions_label
from tbtui.report.blocks import MISSING, Column, Heading, Notes, Piece, Table, number_pieces
from tbtui.report.options import MAX_ROWS, left_out_note
from tbtui.store.snapshot import ScalarSeries

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tbtui.plugins.hparams.decode import HParamValue
    from tbtui.plugins.hparams.sessions import RunHParams
    from tbtui.report.blocks import Block
    from tbtui.report.options import PrintOptions
    from tbtui.view.view import View

TITLE_WIDTH = 20
VALUE_WIDTH = 24
"""Maximum width of a column title, and of a text value."""


def hparam_blocks(view: View, options: PrintOptions) -> Iterator[Block]:
    """Yield one table of all sessions; hyperparameters that differ come first."""
    found = {run.name: hparams_of(run, options.cache.payloads) for run in view.runs}
    sessions = [name for name, hparams in found.items() if hparams.values]
    problems = [f"{safe(name)}: {safe(reason)}" for name, hparams in found.items() for reason in hparams.problems]
    if not sessions:
        yield Heading("hparams", "no session is among the runs that match")
        if problems:
            yield Notes(tuple(problems), Ink.WARN)
        return
    most = options.runs(len(sessions), MAX_ROWS)
    shown = sessions[:most]
    differing, same = differing_hparams([found[name].values for name in shown])
    if len(shown) == 1:  # a single session has no common values
        differing, same = tuple(same), {}
    metrics = _metrics(view, found)
    columns: list[tuple[Column, Sequence[Piece]]] = [
        (Column("run", "left"), [Piece(name, view.inks[name]) for name in shown])
    ]
    for name in differing:
        hparams = [found[run].values.get(name) for run in shown]
        is_number = any(isinstance(value, float) for value in hparams)
        column = Column(shorten(name, TITLE_WIDTH), "number" if is_number else "left")
        columns.append((column, [_spelled(value) for value in hparams]))
    for (tag, group), title in metrics.items():
        columns.append((Column(shorten(title, TITLE_WIDTH)), _values(view, shown, tag, group)))
    yield Heading("hparams", f"{counted(len(sessions), 'session')}, last values of metrics")
    yield Table(
        tuple(column for column, _ in columns),
        tuple(zip(*(cells for _, cells in columns), strict=True)),
        continues_below=True,
    )
    alike = ", ".join(f"{safe(name)}={shorten(format_hparam(value), VALUE_WIDTH)}" for name, value in same.items())
    notes = [f"the same in all: {alike}"] if alike else []
    if view.settings.tag_filter and not metrics:
        notes.append("no metric matches --tags")
    notes += [f"{safe(name)}: {words}" for name in shown if (words := sessions_label(found[name]))]
    notes.append(left_out_note(sessions, most, "run", options.target.width))
    yield Notes(tuple(filter(None, notes)))
    if problems:
        yield Notes(tuple(problems), Ink.WARN)


def _spelled(value: HParamValue | None) -> Piece:
    return MISSING if value is None else Piece(shorten(format_hparam(value), VALUE_WIDTH))


def _metrics(view: View, found: Mapping[str, RunHParams]) -> Mapping[tuple[str, str], str]:
    """Return titles by tag and group of the declared metrics; without any, of the scalars of the sessions."""
    metrics: dict[tuple[str, str], str] = {}
    for hparams in found.values():
        for info in hparams.experiment.metric_infos if hparams.experiment else ():
            if view.tag_matches(info.tag):
                metrics[info.tag, info.group] = info.display_name or "/".join(filter(None, (info.group, info.tag)))
    if metrics:
        return metrics
    sessions = (run for run in view.runs if found[run.name].values)
    tags = {tag for run in sessions for tag, series in run.series.items() if isinstance(series, ScalarSeries)}
    return {(tag, ""): tag for tag in sorted(filter(view.tag_matches, tags))[:MAX_ROWS]}


def _values(view: View, sessions: Sequence[str], tag: str, group: str) -> list[Piece]:
    values: list[float | None] = []
    for session in sessions:
        run = view.snapshot.runs.get(f"{session}/{group}" if group else session)
        series = None if run is None else run.series.get(tag)
        point = last_point(series) if isinstance(series, ScalarSeries) else None
        values.append(None if point is None else point.value)
    return number_pieces(values)
