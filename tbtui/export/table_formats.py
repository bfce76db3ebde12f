"""Every format that tables are written in: texts here, Parquet and Arrow by way of pyarrow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from tbtui.export.formats import FORMATS, Format, format_of, text_of
from tbtui.export.table import LEADS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from tbtui.export.arrow import ArrowFormat
    from tbtui.export.table import Table

TableFormat: TypeAlias = Format | Literal["parquet", "arrow"]

TABLE_FORMATS: tuple[TableFormat, ...] = (*FORMATS, "parquet", "arrow")
ARROW_ENDINGS: dict[str, ArrowFormat] = {".parquet": "parquet", ".arrow": "arrow", ".feather": "arrow"}


def table_format(path: Path | None) -> TableFormat:
    """The format that the name of a file asks for; CSV when it asks for none, and for None, which is stdout."""
    ending = path.suffix.lower() if path is not None else ""
    return ARROW_ENDINGS[ending] if ending in ARROW_ENDINGS else format_of(path)


def is_text(form: TableFormat) -> bool:
    """Whether a format can be shown on a terminal."""
    return form in FORMATS


def check_format(form: TableFormat) -> None:
    """See whether a format can be written here.

    Raises:
        OutputError: It needs pyarrow, which is not installed.
    """
    if not is_text(form):
        from tbtui.export.arrow import check_arrow

        check_arrow(form)


def pieces_of(
    tables: Iterable[Table],
    form: TableFormat,
    columns: Sequence[str],
    leads: Sequence[str] = LEADS,
    *,
    folder: Path | None = None,
) -> Iterator[str] | Iterator[bytes]:
    """All rows of the tables in one format; see `text_of` and `arrow_pieces`.

    Args:
        tables: Taken one by one.
        form: The format.
        columns: Names of those that are written, in this order; every table must have them.
        leads: What stands in front of them in every row: `run`, `tag`, both or neither.
        folder: Where the file will be; None: it is no file.

    Raises:
        OutputError: The format needs pyarrow, which is not installed.
        ValueError: Columns of a table differ in length, or one is missing.
    """
    if form == "parquet" or form == "arrow":  # noqa: PLR1714 - so the types are known
        from tbtui.export.arrow import arrow_pieces

        return arrow_pieces(tables, form, columns, leads, folder=folder)
    return text_of(tables, form, columns, leads)
