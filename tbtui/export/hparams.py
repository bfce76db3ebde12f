"""Hyperparameters as a table: a run's value of one of them a row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.export.formats import number_text
from tbtui.export.table import Table, objects
from tbtui.loading.hparams import hparams_of
from tbtui.loading.payloads import Payloads

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.events.hparams import HParamValue
    from tbtui.export.refusals import Refusals
    from tbtui.store.snapshot import RunSnapshot

HPARAMS = ("name", "value", "number")
"""Columns of every table of hyperparameters, which have no tag: `value` is what was logged as text, truths as `true`
and `false`; `number` is the same as a number where it is one. Of several sessions in one run the last one counts."""


def hparams_table(run: RunSnapshot, refusals: Refusals) -> Table:
    """The hyperparameters of a run, in the order in which they were declared.

    Args:
        run: Which, with all its series.
        refusals: Told of what cannot be read.
    """
    found = hparams_of(run, Payloads(most_bytes=0))
    refusals.add_reasons(run.name, "hyperparameters", len(found.values), found.problems)
    cells: dict[str, Sequence[str | float | None]] = {
        "name": list(found.values),
        "value": [_text(value) for value in found.values.values()],
        "number": [float(value) if _is_number(value) else None for value in found.values.values()],
    }
    return Table(run.name, "", {name: objects(cells[name]) for name in HPARAMS})


def _is_number(value: HParamValue) -> bool:
    return isinstance(value, float | int) and not isinstance(value, bool)


def _text(value: HParamValue) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else number_text(value)
