"""Settings of the comparison table."""

from __future__ import annotations

from typing import Literal, TypeAlias

from tbtui.settings.column_choice import CHOICE_KIND, NO_CHOICE, ColumnChoice
from tbtui.settings.declaration import Setting
from tbtui.settings.kinds import OrNone, String

Statistic: TypeAlias = Literal["last", "best", "min", "max"]

STATISTIC: Setting[Statistic] = Setting("figure", values=("last", "best", "min", "max"))
"""Value of a run in the cells."""

DELTAS: Setting[bool] = Setting("deltas", values=(False, True), default=True)
"""Show the difference from the baseline, if there is one."""

SORT_TAG: Setting[str | None] = Setting("sort_tag", kind=OrNone(String()))
"""Column that sorts the table; None: order of the run tree."""

SORT_DESCENDING: Setting[bool] = Setting("sort_descending", values=(False, True))

COLUMNS: Setting[ColumnChoice] = Setting("comparison.columns", default=NO_CHOICE, kind=CHOICE_KIND)
"""Columns that the user moved, pinned, hid or shows."""

SETTINGS = (STATISTIC, DELTAS, SORT_TAG, SORT_DESCENDING, COLUMNS)
