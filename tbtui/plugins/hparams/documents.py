"""The table of sessions as CSV, JSON, Markdown and LaTeX: the rows and columns that are shown, in their order."""

from __future__ import annotations

import csv
import io
import json
import math
from typing import TYPE_CHECKING

from tbtui.charts import numbers
from tbtui.export.formats import format_exact, to_json_number
from tbtui.plugins.hparams import labels
from tbtui.plugins.hparams.rows import ENDED
from tbtui.plugins.hparams.table import format_full_value, format_hparams

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tbtui.plugins.hparams.rows import GridColumn, SessionRows

TABLE_FORMATS = ("csv", "json", "markdown", "latex")
_ENDINGS = {".csv": "csv", ".json": "json", ".md": "markdown", ".markdown": "markdown", ".tex": "latex"}

_LATEX = {
    "\\": r"\textbackslash{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
}


def choose_table_format(path: Path) -> str:
    """Return the format that a file name asks for; CSV for unknown endings."""
    return _ENDINGS.get(path.suffix.lower(), "csv")


def format_table(rows: SessionRows, form: str) -> Iterator[str]:
    """Yield the table in one of `TABLE_FORMATS`; CSV and JSON have all digits."""
    if form == "json":
        yield json.dumps(_build_documents(rows), ensure_ascii=False, indent=1) + "\n"
    elif form == "csv":
        yield from _write_csv(rows)
    else:
        yield from (_write_markdown(rows) if form == "markdown" else _write_latex(rows))


def _format_column_titles(rows: SessionRows) -> list[str]:
    titles = ["group" if rows.is_grouped else "session"]
    for key in rows.keys:
        column = rows.column(key)
        titles.append("seconds" if key == ENDED else column.title)
        if column.spread is not None:
            titles.append(f"{column.title} std")
    return titles


def _get_exact_value(column: GridColumn, row: int) -> str | float | None:
    """Return a cell with all digits; None if it is missing or differs within a group."""
    if column.distinct is not None and column.distinct[row] > 1:
        return None
    value = column.values.value(row)
    return format_full_value(value) if isinstance(value, bool) else value


def _list_row_values(rows: SessionRows, row: int) -> list[str | float | None]:
    values: list[str | float | None] = [rows.names[row]]
    for key in rows.keys:
        column = rows.column(key)
        values.append(_get_exact_value(column, row))
        if column.spread is not None:
            spread = float(column.spread[row])
            values.append(None if math.isnan(spread) else spread)
    return values


def _build_documents(rows: SessionRows) -> list[dict[str, str | float | None]]:
    titles = _format_column_titles(rows)
    return [
        {
            title: to_json_number(value) if isinstance(value, float) else value
            for title, value in zip(titles, _list_row_values(rows, row), strict=True)
        }
        for row in rows.order.tolist()
    ]


def _write_csv(rows: SessionRows) -> Iterator[str]:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_format_column_titles(rows))
    for row in rows.order.tolist():
        cells = _list_row_values(rows, row)
        writer.writerow(
            ["" if each is None else format_exact(each) if isinstance(each, float) else each for each in cells]
        )
        yield out.getvalue()
        out.seek(0)
        out.truncate()


def _format_cells(rows: SessionRows) -> tuple[list[str], list[list[str]], list[bool]]:
    """Return titles, rows of short texts, and True for each column of numbers."""
    order = rows.order.tolist()
    titles = ["group" if rows.is_grouped else "session"]
    columns = [[rows.names[row] for row in order]]
    are_numbers = [False]
    for key in rows.keys:
        column = rows.column(key)
        titles.append(column.title)
        columns.append(
            [
                _format_cell(rows, column, text, row)
                for row, text in zip(order, _format_values(column, order), strict=True)
            ]
        )
        are_numbers.append(column.values.is_numeric)
    return titles, [list(cells) for cells in zip(*columns, strict=True)], are_numbers


def _format_values(column: GridColumn, order: list[int]) -> list[str]:
    values = column.values.values(order)
    if column.kind == "metric":
        return [numbers.format_number(value) if isinstance(value, float) else labels.MISSING_SIGN for value in values]
    return format_hparams(values, labels.MISSING_SIGN)


def _format_cell(rows: SessionRows, column: GridColumn, text: str, row: int) -> str:
    if column.key == ENDED:
        members = rows.members[row]
        return labels.end_text(rows.table.sessions[members[0]], str(rows.table.statuses.value(members[0])))
    if column.distinct is not None and column.distinct[row] > 1:
        return f"{column.distinct[row]} values"
    if column.spread is not None and not math.isnan(column.spread[row]):
        return f"{text} ± {labels.format_brief_number(float(f'{column.spread[row]:.2g}'))}"
    return text


def _write_markdown(rows: SessionRows) -> Iterator[str]:
    titles, lines, are_numbers = _format_cells(rows)
    yield "| " + " | ".join(map(_escape_markdown, titles)) + " |\n"
    yield "| " + " | ".join("---:" if is_number else "---" for is_number in are_numbers) + " |\n"
    for cells in lines:
        yield "| " + " | ".join(map(_escape_markdown, cells)) + " |\n"


def _escape_markdown(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ")


def _write_latex(rows: SessionRows) -> Iterator[str]:
    titles, lines, are_numbers = _format_cells(rows)
    yield "\\begin{tabular}{" + "".join("r" if is_number else "l" for is_number in are_numbers) + "}\n\\hline\n"
    yield " & ".join(map(_escape_latex, titles)) + " \\\\\n\\hline\n"
    for cells in lines:
        yield " & ".join(map(_format_latex_cell, cells)) + " \\\\\n"
    yield "\\hline\n\\end{tabular}\n"


def _format_latex_cell(text: str) -> str:
    mantissa, e, exponent = text.partition("e")
    try:
        is_scientific = bool(e) and math.isfinite(float(text))
    except ValueError:
        is_scientific = False
    if is_scientific:
        return f"${mantissa}\\cdot 10^{{{int(exponent)}}}$"
    return _escape_latex(text)


def _escape_latex(text: str) -> str:
    return "".join(_LATEX.get(letter, letter) for letter in text.replace("\n", " ").replace("±", "$\\pm$")).replace(
        r"\$\textbackslash{}pm\$", r"$\pm$"
    )
