"""Settings of the PR curves tab."""

from __future__ import annotations

from tbtui.settings.declaration import Setting
from tbtui.settings.kinds import Number, OrNone

THRESHOLD: Setting[float | None] = Setting(
    "threshold",
    "threshold",
    kind=OrNone(Number(0, 1)),
    hint="0 to 1, threshold of all curves; empty = best F1 of each curve",
    is_kept=False,
)
"""Threshold at which all PR curves are read; None: each where its F1 is best."""

SETTINGS = (THRESHOLD,)
