"""Settings of the Text tab."""

from __future__ import annotations

from tbtui.settings.declaration import Setting

RAW: Setting[bool] = Setting(
    "text_raw", values=(False, True), value_labels=("Markdown", "as written"), action="switch_raw"
)
"""Show the source of texts instead of rendered Markdown."""

WRAP: Setting[bool] = Setting("text_wrap", values=(False, True), default=True, action="switch_wrap")
"""Wrap long lines of source text."""

SETTINGS = (RAW, WRAP)
