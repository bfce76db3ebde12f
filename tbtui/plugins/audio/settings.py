"""Settings of the Audio tab."""

from __future__ import annotations

from typing import Literal, TypeAlias

from tbtui.settings.declaration import Option, Setting
from tbtui.settings.kinds import String

AudioStyle: TypeAlias = Literal["auto", "waveform", "spectrogram"]

STYLE: Setting[AudioStyle] = Setting(
    "audio_look",
    "view",
    values=("auto", "waveform", "spectrogram"),
    hint="auto: the spectrogram where the waveform is a block",
)
"""View of a sound in a card; it is also the larger view of an opened sound."""

STEP_ROWS: Setting[bool] = Setting(
    "step_rows", "rows of steps", values=(False, True), hint="in the table of an opened sound"
)
"""Rows of steps instead of runs in the table of an opened sound."""

PLAYER: Setting[str] = Setting(
    "player",
    default="",
    kind=String(),
    is_kept=False,
    option=Option("command that plays sounds; {} stands for the file (default: appended)", "COMMAND"),
)
"""Command that plays a sound; empty: an installed one. Never kept: no program is run because a file says so."""

SETTINGS = (STYLE, STEP_ROWS, PLAYER)
