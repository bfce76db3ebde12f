"""Hyperparameters as commands tell of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts import numbers
from tbtui.charts.text import safe

if TYPE_CHECKING:
    from tbtui.events.hparams import HParamValue
    from tbtui.loading.hparams import RunHParams


def hparam_words(value: HParamValue) -> str:
    """A hyperparameter's value in full: `64`, `0.001`, `true`, `adam`; a text that has no look in quotes."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return numbers.spelled(value) or (f"{value:.0f}" if value.is_integer() and abs(value) < 1e15 else repr(value))
    shown = safe(value)
    return shown if shown.strip() else f"'{shown}'"


def sessions_words(held: RunHParams) -> str:
    """Of how many sessions in a run the values are the last, and what changed between them; empty where of one."""
    if held.sessions < 2:
        return ""
    changed = ", ".join(map(safe, held.changed)) or "none of them"
    return f"the last of {held.sessions:,} sessions in this run; between them changed {changed}"
