"""What only the keys of the Audio tab change: each a function of the choices as they are by then."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tbtui.viewstate.chart_choices import WHOLE
from tbtui.viewstate.options import AUDIO_LOOKS, following

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
