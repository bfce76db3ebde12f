"""Changes of settings by keys of the Histograms tab."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tbtui.settings.settings import HEAT_SCALES, HISTOGRAM_STYLES, next_in_cycle

if TYPE_CHECKING:
    from tbtui.settings.settings import Settings


def next_style(choices: Settings) -> Settings:
    """Switch between heat map, ridges and overlay."""
    return replace(choices, histogram_look=next_in_cycle(HISTOGRAM_STYLES, choices.histogram_look))


def next_heat_scale(choices: Settings) -> Settings:
    """Change the scale of the colours of heat maps."""
    return replace(choices, heat_scale=next_in_cycle(HEAT_SCALES, choices.heat_scale))


def toggle_bucket_rows(choices: Settings) -> Settings:
    """Show one row per bucket in the table of an opened chart, or one row per run."""
    return replace(choices, bucket_rows=not choices.bucket_rows)
