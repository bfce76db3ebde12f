"""The forms of the PR curves tab: what is chosen as fields, what was entered as changes. Imports no Textual."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tbtui.viewstate.entries import NUMBER, check_range, optional, read_number, read_whole, shown_number
from tbtui.viewstate.options import X_AXES
from tbtui.viewstate.saved_fields import MOST_STEPS
from tbtui.widgets.chart_forms import columns_field, plain, row_order_field, yes_no
from tbtui.widgets.form_fields import Choice, RefusedError, Text

if TYPE_CHECKING:
    from tbtui.viewstate.choices import Choices
    from tbtui.widgets.form_fields import Field


def options_fields(choices: Choices) -> tuple[Field, ...]:
    """Everything that can be set for all charts; the fields have the names of those of `Choices`."""
    return (
        Text(
            "threshold",
            "threshold",
            "" if choices.threshold is None else shown_number(choices.threshold),
            _read_threshold,
            "0 to 1, where the table reads all curves; empty: each where its F1 is best",
        ),
        Choice("x_axis", "steps by", plain(X_AXES), choices.x_axis, "what the cursor that all tabs share stands on"),
        Text(
            "skip_steps",
            "skip steps below",
            str(choices.skip_steps),
            lambda text: read_whole(text, 0, MOST_STEPS),
            "curves of steps before this one cannot be chosen",
        ),
        yes_no("superseded", "superseded", choices.superseded, "curves that a restart superseded can be chosen too"),
        yes_no("overview", "overview", choices.overview, "many small cards, in the order in which tags were written"),
        columns_field(choices),
        replace(row_order_field(choices), hint="in an opened chart's table, by the area under the curve"),
    )


def _read_threshold(text: str) -> float | None:
    if not text.strip():
        return None
    value = read_number(text)
    if not 0 <= value <= 1:
        raise ValueError("between 0 and 1")
    return value


def chart_fields(choices: Choices, key: str) -> tuple[Field, ...]:
    """What can be set for the chart of card `key` alone."""
    own, entry = choices.chart(key), optional(NUMBER, "0 to 1, or as the data has it")
    ends = (("recall", own.across_range), ("precision", own.y_range))
    return tuple(
        Text(f"{name}_{word}", f"{name} {word}", entry.shown(end), entry.read, entry.hint)
        for name, chosen in ends
        for word, end in zip(("from", "to"), chosen, strict=True)
    )


def check_chart(_choices: Choices, entered: dict[str, Any]) -> dict[str, Any]:
    """What was entered for one chart, once its ranges can be axes.

    Raises:
        RefusedError: They cannot.
    """
    for name in ("recall", "precision"):
        _check_ends(entered, f"{name}_from", f"{name}_to")
    return entered


def _check_ends(entered: dict[str, Any], low: str, high: str) -> None:
    try:
        check_range((entered[low], entered[high]), "linear")
    except ValueError as error:
        raise RefusedError(low, str(error)) from None


def with_chart(choices: Choices, key: str, entered: dict[str, Any]) -> Choices:
    """The choices with everything that was entered for the chart of card `key`."""
    across, down = ((entered[f"{name}_from"], entered[f"{name}_to"]) for name in ("recall", "precision"))
    return replace(choices, charts=choices.with_chart(key, across_range=across, y_range=down))
