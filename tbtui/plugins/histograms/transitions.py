"""Changes of settings by keys of the Histograms tab."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tbtui.settings.settings import HEAT_SCALES, HISTOGRAM_STYLES, next_in_cycle

if TYPE_CHECKING:
    from tbtui.settings.settings import Settings


def next_style(settings: Settings) -> Settings:
    """Switch between heat map, ridges and overlay."""
    return replace(settings, histogram_look=next_in_cycle(HISTOGRAM_STYLES, settings.histogram_look))


def next_heat_scale(settings: Settings) -> Settings:
    """Change the scale of the colours of heat maps."""
    return replace(settings, heat_scale=next_in_cycle(HEAT_SCALES, settings.heat_scale))


def toggle_bucket_rows(settings: Settings) -> Settings:
    """Show one row per bucket in the table of an opened chart, or one row per run."""
    return replace(settings, bucket_rows=not settings.bucket_rows)
