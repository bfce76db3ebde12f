"""Render the report of `tbtui inspect --json`: one strict JSON object whose keys scripts rely on."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from tbtui.export.formats import json_number
from tbtui.store.snapshot import ScalarSeries

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tbtui.cli.inspect.report import Extent, RunReport
    from tbtui.events.hparams import HParamValue
    from tbtui.loading.hparams import RunHParams
    from tbtui.store.snapshot import EventFile, Series
    from tbtui.viewstate.history import Gap, Restart


def json_pieces(logdir: str, reports: Iterable[RunReport]) -> Iterator[str]:
    """Yield the text of the object, one run at a time.

    Args:
        logdir: The paths as the user gave them.
        reports: Reports of the runs, consumed one by one.
    """
    # The lines of indented JSON would take most of the time for runs of many tags.
    yield f'{{"logdir": {json.dumps(logdir)}, "runs": {{'
    for number, report in enumerate(reports):
        name = json.dumps(report.run.name)
        yield f"{', ' if number else ''}{name}: {json.dumps(_run(report), allow_nan=False)}"
    yield "}}\n"


def _run(report: RunReport) -> dict[str, Any]:
    run, facts, history = report.run, report.facts, report.history
    trouble = facts.trouble
    return {
        "state": report.state,
        "trouble": None if trouble is None else {"kind": trouble.kind, "tag": trouble.tag, "step": trouble.step},
        "last_step": run.last_step,
        "first_wall_time": json_number(run.first_wall_time),
        "last_wall_time": json_number(run.last_wall_time),
        "steps_per_second": None if facts.pace is None else json_number(facts.pace.rate),
        "restart_count": history.restart_count,
        "restarts": [_restart(restart) for restart in history.restarts],
        "gap_count": history.gap_count,
        "gaps": [_gap(gap) for gap in history.gaps],
        "hparams": _hparams(report.hparams),
        "plugins": {plugin: asdict(share) for plugin, share in report.plugins.items()},
        "files": [_file(file) for file in run.files],
        "tags": {
            tag: _series(series, report.superseded.get(tag, 0), report.extents.get(tag))
            for tag, series in run.series.items()
        },
    }


def _restart(restart: Restart) -> dict[str, Any]:
    return {
        "from_step": restart.from_step,
        "to_step": restart.to_step,
        "wall_time": json_number(restart.wall_time),
        "tags": restart.tags,
    }


def _gap(gap: Gap) -> dict[str, Any]:
    return {
        "kind": gap.kind,
        "after_step": gap.after_step,
        "before_step": gap.before_step,
        "after_wall_time": json_number(gap.after_wall_time),
        "before_wall_time": json_number(gap.before_wall_time),
    }


def _hparams(held: RunHParams) -> dict[str, Any] | None:
    if held.start is None:
        return None
    return {
        "values": {name: plain(value) for name, value in held.values.items()},
        "status": held.status,
        "group": held.start.group_name,
        "sessions": held.sessions,
        "changed": list(held.changed),
        "problems": list(held.problems),
    }


def plain(value: HParamValue) -> bool | float | str:
    """Return a hyperparameter as a JSON value."""
    return json_number(value) if isinstance(value, float) else value  # type: ignore[return-value]


def _file(file: EventFile) -> dict[str, Any]:
    return asdict(file) | {
        "first_wall_time": json_number(file.first_wall_time),
        "last_wall_time": json_number(file.last_wall_time),
    }


def _series(series: Series, superseded: int, extent: Extent | None) -> dict[str, Any]:
    described = {
        "plugin": series.metadata.plugin_name,
        "count": series.steps.size,
        "superseded": superseded,
        "first_step": series.steps.item(0),
        "last_step": series.steps.item(-1),
        "first_wall_time": json_number(series.wall_times.item(0)),
        "last_wall_time": json_number(series.wall_times.item(-1)),
    }
    if isinstance(series, ScalarSeries) and extent is not None:
        described["first"] = json_number(series.values.item(0))
        described["last"] = json_number(series.values.item(-1))
        described["min"], described["max"], described["nan"], described["inf"] = extent
    return described
