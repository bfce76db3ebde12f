"""Print hyperparameters: one row for each session, with the last values of its metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.cells import Ink
from tbtui.charts.numbers import counted
from tbtui.charts.text import safe, shorten
from tbtui.frozen import frozen
from tbtui.plugins.comparison.comparison import last_point
from tbtui.plugins.hparams.sessions import hparams_of
from tbtui.plugins.hparams.table import are_alike, format_hparams, sessions_label
from tbtui.report.blocks import MISSING, Column, Heading, Notes, Piece, Table, number_pieces
from tbtui.report.options import MAX_ROWS, left_out_note
from tbtui.store.snapshot import ScalarSeries
from tbtui.view.run_tree import natural_key

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tbtui.plugins.hparams.sessions import RunHParams
    from tbtui.report.blocks import Block
    from tbtui.report.options import PrintOptions
    from tbtui.store.snapshot import RunSnapshot
    from tbtui.view.view import View

TITLE_WIDTH = 32
VALUE_WIDTH = 24
"""Maximum width of a column title, and of a text value."""


@frozen
class Metric:
    """A metric of sessions: the scalar `tag` of the run `group` below each session, or of the session itself."""

    tag: str
    group: str
    title: str

    def series(self, view: View, session: str) -> ScalarSeries | None:
        """Return the series of the metric in a session; None if it has none."""
        run = view.snapshot.runs.get("/".join(filter(None, ("" if session == "." else session, self.group))) or ".")
        series = None if run is None else run.series.get(self.tag)
        return series if isinstance(series, ScalarSeries) and len(series) else None


def hparam_blocks(view: View, options: PrintOptions) -> Iterator[Block]:
    """Yield one table of all sessions; hyperparameters that differ come first."""
    hparams_by_run = {run.name: hparams_of(run, options.cache.payloads) for run in view.runs}
    sessions = [name for name, hparams in hparams_by_run.items() if hparams.starts]
    problems = [
        f"{safe(name)}: {safe(reason)}" for name, hparams in hparams_by_run.items() for reason in hparams.problems
    ]
    if not sessions:
        yield Heading("hparams", "no session is among the runs that match")
        if problems:
            yield Notes(tuple(problems), Ink.WARN)
        return
    max_runs = options.runs(len(sessions), MAX_ROWS)
    shown = sessions[:max_runs]
    metrics = _metrics(view, hparams_by_run, sessions)
    max_metrics = options.tags(len(metrics), MAX_ROWS)
    columns: list[tuple[Column, Sequence[Piece]]] = [
        (Column("run", "left"), [Piece(name, view.inks[name]) for name in shown])
    ]
    shared: list[str] = []
    for name in dict.fromkeys(name for run in shown for name in hparams_by_run[run].values):
        values = [hparams_by_run[run].values.get(name) for run in shown]
        texts = format_hparams(values)
        if len(shown) > 1 and are_alike(values):  # a single session shares nothing
            shared.append(f"{safe(name)}={shorten(texts[0], VALUE_WIDTH)}")
            continue
        is_number = any(isinstance(value, float) for value in values)
        cells = [
            MISSING if value is None else Piece(shorten(text, VALUE_WIDTH))
            for value, text in zip(values, texts, strict=True)
        ]
        columns.append((Column(shorten(name, TITLE_WIDTH), "number" if is_number else "left"), cells))
    for metric in metrics[:max_metrics]:
        points = [last_point(series) if (series := metric.series(view, run)) else None for run in shown]
        cells = number_pieces([None if point is None else point.value for point in points])
        columns.append((Column(shorten(metric.title, TITLE_WIDTH)), cells))
    yield Heading("hparams", f"{counted(len(sessions), 'session')}, last values of metrics")
    yield Table(
        tuple(column for column, _ in columns),
        tuple(zip(*(cells for _, cells in columns), strict=True)),
        continues_below=True,
    )
    notes = [f"the same in all: {', '.join(shared)}"] if shared else []
    if not metrics:
        notes.append("no metric matches --tags" if view.settings.tag_filter else "no metrics")
    notes += [f"{safe(name)}: {words}" for name in shown if (words := sessions_label(hparams_by_run[name]))]
    notes.append(left_out_note(sessions, max_runs, "run", options.target.width))
    notes.append(left_out_note([metric.title for metric in metrics], max_metrics, "tag", options.target.width))
    yield Notes(tuple(filter(None, notes)))
    if problems:
        yield Notes(tuple(problems), Ink.WARN)


def _metrics(view: View, hparams_by_run: Mapping[str, RunHParams], sessions: Sequence[str]) -> list[Metric]:
    """Return the declared metrics, and all scalars of sessions that have none of the declared ones.

    As TensorBoard does where nothing is declared, the scalars of a session are those of its run and of the runs below
    it: Keras writes the runs `train` and `validation` there.
    """
    metrics: dict[tuple[str, str], Metric] = {}
    for hparams in hparams_by_run.values():
        for info in hparams.experiment.metric_infos if hparams.experiment else ():
            if view.tag_matches(info.tag):
                title = info.display_name or "/".join(filter(None, (info.group, info.tag)))
                metrics[info.tag, info.group] = Metric(info.tag, info.group, title)
    declared = list(metrics.values())
    for session in sessions:
        if any(metric.series(view, session) is not None for metric in declared):
            continue
        for group, run in _runs_of_session(view, session, sessions):
            for tag, series in run.series.items():
                if isinstance(series, ScalarSeries) and len(series) and view.tag_matches(tag):
                    title = "/".join(filter(None, (group, tag)))
                    metrics.setdefault((tag, group), Metric(tag, group, title))
    others = [metric for key, metric in metrics.items() if metric not in declared]
    return [*declared, *sorted(others, key=lambda metric: natural_key(metric.title))]


def _runs_of_session(view: View, session: str, sessions: Sequence[str]) -> Iterator[tuple[str, RunSnapshot]]:
    """Yield the run of a session and those below it, each with its path below the session."""
    start = "" if session == "." else f"{session}/"
    for name, run in view.snapshot.runs.items():
        if name == session:
            yield "", run
        elif name.startswith(start) and not any(
            other != session and other.startswith(start) and f"{name}/".startswith(f"{other}/") for other in sessions
        ):
            yield name[len(start) :], run
