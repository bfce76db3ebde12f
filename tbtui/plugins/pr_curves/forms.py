"""Forms and pages of the cards of PR curves. Imports no Textual."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tbtui.plugins.pr_curves.about import about
from tbtui.plugins.pr_curves.writing import FIELDS, Writing, written_word
from tbtui.viewstate.entries import NUMBER, check_range, optional, read_number, read_whole, shown_number
from tbtui.viewstate.options import X_AXES
from tbtui.viewstate.run_cards import RunCards
from tbtui.viewstate.saved_fields import MOST_STEPS
from tbtui.widgets.chart_forms import CardForms, FileForm, columns_field, plain, row_order_field, yes_no
from tbtui.widgets.form_fields import Choice, RefusedError, Text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.plugins.pr_curves.data import CurveData
    from tbtui.viewstate.choices import Choices
    from tbtui.viewstate.view import View
    from tbtui.widgets.form_fields import Field


class CurveForms(CardForms[RunCards]):
    """Forms and pages of PR curves: a chart has a range of recall and one of precision.

    Args:
        data: Charts of the views; used by one thread.
    """

    def __init__(self, data: CurveData) -> None:
        self._data = data

    def options_fields(self, view: View) -> Sequence[Field]:
        return options_fields(view.choices)

    def chart_fields(self, choices: Choices, key: str) -> Sequence[Field]:
        return chart_fields(choices, key)

    def check_chart(self, choices: Choices, entered: dict[str, Any]) -> dict[str, Any]:
        return check_chart(choices, entered)

    def with_chart(self, choices: Choices, key: str, entered: dict[str, Any]) -> Choices:
        return with_chart(choices, key, entered)

    def about(self, view: View, cards: RunCards, key: str) -> Sequence[str]:
        return about(self._data, view, cards.tag_of(key))

    def file_form(self, view: View, cards: RunCards, key: str) -> FileForm:
        writing = Writing(view, key)
        return FileForm(
            f"write the curves of {cards.name_of(key)}",
            FIELDS,
            writing,
            writing.stop,
            lambda written: written_word(written, writing.refusals),
        )


def options_fields(choices: Choices) -> tuple[Field, ...]:
    """Return the fields of all charts; they have the names of the fields of `Choices`."""
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
    """Return the fields of the chart of card `key`."""
    own, entry = choices.chart(key), optional(NUMBER, "0 to 1, or as the data has it")
    ends = (("recall", own.across_range), ("precision", own.y_range))
    return tuple(
        Text(f"{name}_{word}", f"{name} {word}", entry.shown(end), entry.read, entry.hint)
        for name, chosen in ends
        for word, end in zip(("from", "to"), chosen, strict=True)
    )


def check_chart(_choices: Choices, entered: dict[str, Any]) -> dict[str, Any]:
    """Return the entries for one chart if its ranges can be axes.

    Raises:
        RefusedError: A range cannot be an axis.
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
    """Return the choices with the entries for the chart of card `key`."""
    across, down = ((entered[f"{name}_from"], entered[f"{name}_to"]) for name in ("recall", "precision"))
    return replace(choices, charts=choices.with_chart(key, across_range=across, y_range=down))
