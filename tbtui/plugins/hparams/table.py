"""Hyperparameters as text and as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts import numbers
from tbtui.charts.text import safe
from tbtui.export.formats import number_text
from tbtui.export.table import Table, object_column
from tbtui.loading.payloads import Payloads
from tbtui.plugins.hparams.sessions import hparams_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.export.table import SkippedValues
    from tbtui.plugins.hparams.decode import HParamValue
    from tbtui.plugins.hparams.sessions import RunHParams
    from tbtui.store.snapshot import RunSnapshot


def format_hparam(value: HParamValue) -> str:
    """Return a value in full: `64`, `0.001`, `true`, `adam`; an invisible text is quoted."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return numbers.nonfinite_word(value) or (
            f"{value:.0f}" if value.is_integer() and abs(value) < 1e15 else repr(value)
        )
    shown = safe(value)
    return shown if shown.strip() else f"'{shown}'"


def sessions_label(hparams: RunHParams) -> str:
    """Return the number of sessions in a run, and what changed between them; empty for one session."""
    if hparams.sessions < 2:
        return ""
    changed = ", ".join(map(safe, hparams.changed)) or "none of them"
    return f"the last of {hparams.sessions:,} sessions in this run; between them changed {changed}"


HPARAM_COLUMNS = ("name", "value", "number")
"""Columns of every table of hyperparameters, which have no tag: `value` is what was logged as text, truths as `true`
and `false`; `number` is the same as a number where it is one. Of several sessions in one run the last one counts."""


def hparams_table(run: RunSnapshot, refusals: SkippedValues) -> Table:
    """Return the hyperparameters of a run, in the order of their declaration.

    Args:
        run: The run, with all its series.
        refusals: Receives the reason for each value that cannot be read.
    """
    found = hparams_of(run, Payloads(most_bytes=0))
    refusals.add_reasons(run.name, "hyperparameters", len(found.values), found.problems)
    cells: dict[str, Sequence[str | float | None]] = {
        "name": list(found.values),
        "value": [_text(value) for value in found.values.values()],
        "number": [float(value) if _is_number(value) else None for value in found.values.values()],
    }
    return Table(run.name, "", {name: object_column(cells[name]) for name in HPARAM_COLUMNS})


def _is_number(value: HParamValue) -> bool:
    return isinstance(value, float | int) and not isinstance(value, bool)


def _text(value: HParamValue) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else number_text(value)
