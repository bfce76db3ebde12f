"""Settings of the Histograms tab."""

from __future__ import annotations

from typing import Literal, TypeAlias

from tbtui.settings.declaration import Setting

HistogramStyle: TypeAlias = Literal["heat", "ridges", "overlay"]
HeatScale: TypeAlias = Literal["log", "linear"]

STYLE: Setting[HistogramStyle] = Setting(
    "histogram_look",
    "view",
    values=("heat", "ridges", "overlay"),
    value_labels=("heat map", "ridges", "overlay"),
    hint="colour = density / ridgeline / overlaid lines",
    action="next_histogram_look",
)

HEAT_SCALE: Setting[HeatScale] = Setting(
    "heat_scale", "colours", values=("log", "linear"), hint="scale from density to colour", action="next_heat_scale"
)

BUCKET_ROWS: Setting[bool] = Setting(
    "bucket_rows",
    "table",
    values=(False, True),
    value_labels=("runs", "buckets"),
    hint="below an opened chart: one row per run, or per bucket",
    action="switch_bucket_rows",
)

SETTINGS = (STYLE, HEAT_SCALE, BUCKET_ROWS)
