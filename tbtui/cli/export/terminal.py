"""Tables as a terminal is given them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.export.rows import Rows

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tbtui.export.table import Table


def for_terminal(rows: Rows) -> Rows:
    """For a terminal and the person before it: names and texts that it does not obey."""
    from tbtui.charts.text import safe

    names = [safe(name) for name in rows.columns]
    if len(set(names)) < len(names):
        names = [f"{name} ({number})" if names.count(name) > 1 else name for number, name in enumerate(names)]
    renamed = dict(zip(rows.columns, names, strict=True))
    return Rows(names, (_safe(table, renamed) for table in rows.tables), rows.leads)


def _safe(table: Table, renamed: Mapping[str, str]) -> Table:
    import numpy as np

    from tbtui.charts.text import safe
    from tbtui.export.table import Table

    made_safe = np.frompyfunc(lambda value: safe(value) if isinstance(value, str) else value, 1, 1)
    columns = {
        renamed[name]: made_safe(column) if column.dtype.kind == "O" else column
        for name, column in table.columns.items()
    }
    return Table(safe(table.run), safe(table.tag), columns)
