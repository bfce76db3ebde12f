"""What only the keys and forms of the Audio tab change: each a function of the choices as they are by then."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tbtui.viewstate.changes import following
from tbtui.viewstate.choices import AUDIO_LOOKS, WHOLE, on_x_axis

if TYPE_CHECKING:
    from tbtui.viewstate.choices import Choices


def next_look(choices: Choices) -> Choices:
    """Waveform or spectrogram."""
    return replace(choices, audio_look=following(AUDIO_LOOKS, choices.audio_look))


def step_rows_switched(choices: Choices) -> Choices:
    """Have a row a step in the table of an opened sound, or a row a run."""
    return replace(choices, step_rows=not choices.step_rows)


def whole(choices: Choices, key: str) -> Choices:
    """Show all of a sound."""
    return replace(choices, charts=choices.with_chart(key, y_range=WHOLE))


def with_options(choices: Choices, entered: dict[str, Any]) -> Choices:
    """The choices with everything that was entered for all sounds."""
    fields = dict(entered)
    x_axis = fields.pop("x_axis")
    return replace(choices if x_axis == choices.x_axis else on_x_axis(choices, x_axis), **fields)
