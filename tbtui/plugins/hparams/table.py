"""Hyperparameters as text."""

from __future__ import annotations

import math
import struct
from contextlib import suppress
from typing import TYPE_CHECKING

from tbtui.charts import numbers
from tbtui.charts.text import safe
from tbtui.export.formats import format_exact
from tbtui.plugins.hparams.sessions import are_same

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.plugins.hparams.decode import HParamValue
    from tbtui.plugins.hparams.sessions import RunHParams


MAX_WRITTEN_DIGITS = 9
"""Significant digits that people write; a double with more of them may be a float32, or the result of a calculation."""


PLAIN_FROM = 1e-4
"""Least magnitude without an exponent: learning rates and weight decays are written so."""


def restore_written_number(value: float) -> float:
    """Return the number that a program was given: 0.1 for the float32 0.10000000149011612, 0.3 for 0.1 * 3.

    A number in at most `MAX_WRITTEN_DIGITS` digits is returned unchanged, others are rounded to `numbers.MAX_DIGITS`.
    """
    if not math.isfinite(value) or float(f"{value:.{MAX_WRITTEN_DIGITS}g}") == value:
        return value
    with suppress(OverflowError):
        if _as_float32(value) == value:
            candidates = (float(f"{value:.{digits}g}") for digits in range(1, MAX_WRITTEN_DIGITS + 1))
            return next((number for number in candidates if _as_float32(number) == value), value)
    return float(f"{value:.{numbers.MAX_DIGITS}g}")


def _as_float32(value: float) -> float:
    """Return the nearest float32.

    Raises:
        OverflowError: A float32 cannot be as large.
    """
    return float(struct.unpack("f", struct.pack("f", value))[0])


def are_alike(values: Sequence[HParamValue | None]) -> bool:
    """Return True if no value is missing and all are equal, but for rounding errors."""
    written = (restore_written_number(value) if isinstance(value, float) else value for value in values)
    first = next(written, None)
    # Most columns differ in their first rows.
    return (first is not None or not values) and all(value is not None and are_same(value, first) for value in written)


def format_hparam(value: HParamValue) -> str:
    """Return a value with all digits that were written: `64`, `0.001`, `true`, `adam`; an invisible text is quoted."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _number_text(restore_written_number(value), digits=numbers.MAX_DIGITS)
    shown = safe(value)
    return shown if shown.strip() else f"'{shown}'"


def format_hparams(values: Sequence[HParamValue | None], missing: str = "") -> list[str]:
    """Return the texts of a column: numbers like metrics, with more digits if different ones look equal.

    Args:
        values: Values of one hyperparameter; None is missing.
        missing: Text of a missing value.
    """
    written = [restore_written_number(value) for value in values if isinstance(value, float)]
    texts = iter(numbers.format_distinct(written, _number_text))
    return [
        missing if value is None else next(texts) if isinstance(value, float) else format_hparam(value)
        for value in values
    ]


def _number_text(value: float, /, *, digits: int) -> str:
    """Return a number; an integer has all its digits."""
    if value.is_integer() and abs(value) < 1e15:
        return f"{value:.0f}"
    if PLAIN_FROM <= abs(value) < numbers.PLAIN_FROM:
        decimals = digits - 1 - math.floor(math.log10(abs(value)))
        return numbers.trim_zeros(f"{value:.{decimals}f}")
    return numbers.format_number(value, digits=digits)


def format_hparam_lines(hparams: RunHParams) -> list[str]:
    """Return one line for each hyperparameter, then the status, the sessions and the problems."""
    width = max(map(len, hparams.values), default=0)
    lines = [f"{name:<{width}}  {format_hparam(value)}" for name, value in hparams.values.items()]
    if hparams.status is not None:
        lines.append(f"session: {hparams.status}")
    return [*lines, *filter(None, [format_session_count(hparams)]), *hparams.problems]


def format_session_count(hparams: RunHParams) -> str:
    """Return the number of sessions in a run, and the changes between them; empty for one session."""
    return "" if hparams.sessions < 2 else format_sessions(hparams.sessions, hparams.changed)


def format_sessions(sessions: int, changed: Sequence[str]) -> str:
    """Return the number of sessions in a run, and the hyperparameters that changed between them."""
    names = ", ".join(map(safe, changed)) or "none of them"
    return f"the last of {sessions:,} sessions in this run; between them changed {names}"


def format_full_value(value: HParamValue | None) -> str:
    """Return a value as text with all digits: truths as `true` and `false`; empty if it is missing."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else format_exact(value)
