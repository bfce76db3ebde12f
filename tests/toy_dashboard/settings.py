"""Settings of the toy dashboard; the command line imports them, so the module imports no numpy."""

from __future__ import annotations

from typing import Literal, TypeAlias

from tbtui.settings.declaration import Option, Setting

NAME = "levels"
"""Plugin name in event files, and name of the dashboard."""

Column: TypeAlias = Literal["level", "temperature"]
COLUMNS: tuple[Column, ...] = ("level", "temperature")
"""Names of the numbers of a value, in their order: for settings, tables, printed text and Python."""

COLUMN: Setting[Column] = Setting(
    "levels.column",
    "number",
    "m",
    COLUMNS,
    option=Option("number of each value that is drawn (default: level)", commands=("print",)),
)
