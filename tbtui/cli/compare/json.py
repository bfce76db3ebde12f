"""Render a comparison as strict JSON: one object whose keys scripts rely on. Numbers read back to the same float64."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tbtui.cli.inspect.json import plain
from tbtui.export.formats import json_number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tbtui.cli.compare.data import Comparison, Entry
    from tbtui.events.hparams import HParamValue
    from tbtui.plugins.comparison.points import Point


def json_pieces(comparison: Comparison, label: str) -> Iterator[str]:
    """Yield the text of the object, one run at a time.

    Args:
        comparison: The comparison, with all points.
        label: The paths as the user gave them.
    """
    order = comparison.order
    head = {
        "logdir": label,
        "figure": comparison.figure,
        "baseline": comparison.baseline,
        "sort": None if order is None else {"by": order.name, "of": order.of, "descending": order.descending},
        "left_out": comparison.others,
        "hparams": {"same": _values(comparison.constant), "differ": list(comparison.differing)},
        "tags": {
            tag.tag: {"best": tag.best, "best_runs": [run for run, entry in tag.entries.items() if entry.is_best]}
            for tag in comparison.tags
        },
    }
    yield json.dumps(head, allow_nan=False)[:-1] + ', "runs": ['
    for number, run in enumerate(comparison.runs):
        session = comparison.sessions[run]
        row = {
            "run": run,
            "hparams": _values(session.values),
            "hparams_from": session.source,
            "tags": {tag.tag: _entry(tag.entries[run]) for tag in comparison.tags if run in tag.entries},
        }
        yield (", " if number else "") + json.dumps(row, allow_nan=False)
    yield "]}\n"


def _entry(entry: Entry) -> dict[str, Any]:
    points = entry.points
    told = {"value": json_number(entry.told.value), "step": entry.told.step}
    if points is not None:
        for name, point in (("last", points.last), ("min", points.least), ("max", points.greatest)):
            told |= _point(name, point)
    return told | {"delta": json_number(entry.delta), "is_best": entry.is_best}


def _point(name: str, point: Point | None) -> dict[str, Any]:
    return {
        name: None if point is None else json_number(point.value),
        f"{name}_step": None if point is None else point.step,
    }


def _values(values: Mapping[str, HParamValue]) -> dict[str, Any]:
    return {name: plain(value) for name, value in values.items()}
