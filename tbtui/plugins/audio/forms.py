"""The forms of the Audio tab: what is chosen as fields, what was entered as changes. Imports no Textual."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tbtui.viewstate.changes import on_x_axis
from tbtui.viewstate.entries import Entry, check_range, optional, read_duration, shown_duration
from tbtui.viewstate.options import AUDIO_LOOKS
from tbtui.widgets.chart_forms import axes_fields, columns_field, plain, yes_no
from tbtui.widgets.form_fields import Choice, RefusedError, Text

if TYPE_CHECKING:
    from tbtui.viewstate.choices import Choices
    from tbtui.widgets.form_fields import Field

TIME = optional(Entry(read_duration, shown_duration, "a time within the sound, such as 0.25s or 1m30s"), "its end")


def options_fields(choices: Choices) -> tuple[Field, ...]:
    """Everything that can be set for all sounds; the fields have the names of those of `Choices`."""
    return (
        Choice("audio_look", "look", plain(AUDIO_LOOKS), choices.audio_look, "an opened sound shows both"),
        *(field for field in axes_fields(choices) if field.name in ("x_axis", "skip_steps")),
        yes_no("superseded", "superseded", choices.superseded, "show the sounds that a restart superseded"),
        yes_no("step_rows", "rows of steps", choices.step_rows, "in the table of an opened sound"),
        columns_field(choices),
    )


def with_options(choices: Choices, entered: dict[str, Any]) -> Choices:
    """The choices with everything that was entered for all sounds."""
    fields = dict(entered)
    x_axis = fields.pop("x_axis")
    return replace(choices if x_axis == choices.x_axis else on_x_axis(choices, x_axis), **fields)


def time_fields(choices: Choices, key: str) -> tuple[Field, ...]:
    """What part of the sound of card `key` is shown."""
    ends = zip(("from", "to"), choices.chart(key).y_range, strict=True)
    return tuple(Text(word, word, TIME.shown(end), TIME.read, TIME.hint) for word, end in ends)


def check_time(entered: dict[str, Any]) -> dict[str, Any]:
    """What was entered for one sound, once it can be an axis.

    Raises:
        RefusedError: It cannot.
    """
    for name in ("from", "to"):
        if entered[name] is not None and entered[name] < 0:
            raise RefusedError(name, "a sound begins at 0")
    try:
        check_range((entered["from"] or 0.0, entered["to"]), "linear")
    except ValueError as error:
        raise RefusedError("from", str(error)) from None
    return entered


def with_time(choices: Choices, key: str, entered: dict[str, Any]) -> Choices:
    """The choices with the part that was entered for the sound of card `key`."""
    return replace(choices, charts=choices.with_chart(key, y_range=(entered["from"], entered["to"])))
