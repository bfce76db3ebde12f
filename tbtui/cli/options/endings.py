"""What the name of a file promises to hold, where nobody says in which format it is to be written."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from tbtui.plugins.base import DocumentExport
from tbtui.plugins.registry import exports

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tbtui.cli.options.parser import OneLineParser

TABLES: Mapping[str, Sequence[str]] = {
    "csv": ("csv",),
    "json": ("json",),
    "jsonl": ("jsonl",),
    "parquet": ("parquet",),
    "arrow": ("arrow", "feather"),
}
PRINTS: Mapping[str, Sequence[str]] = {
    "text": ("txt",),
    "ansi": ("ansi",),
    "markdown": ("md", "markdown"),
    "svg": ("svg",),
    "png": ("png",),
}
COMPARISONS: Mapping[str, Sequence[str]] = {"text": ("txt",), "markdown": ("md", "markdown"), "json": ("json",)}
INSPECTIONS: Mapping[str, Sequence[str]] = {"text": ("txt",), "json": ("json",)}
"""What the names of files end in, by the format that each of these asks for."""

OTHERS = frozenset(
    (
        *("avif", "bmp", "eps", "gif", "htm", "html", "jpeg", "jpg", "pdf", "pgf", "ps", "tex", "tif", "tiff", "webp"),
        *("doc", "docx", "odt", "ods", "rst", "tsv", "xls", "xlsx", "xml", "yaml", "yml"),
        *("db", "h5", "hdf5", "npy", "npz", "orc", "pickle", "pkl", "pt", "sqlite"),
        *("bz2", "gz", "tar", "tgz", "xz", "zip", "zst"),
    )
)
"""Endings of formats that nothing here is written in."""


def promised(name: str | None, formats: Mapping[str, Sequence[str]]) -> str | None:
    """The format that the name of a file asks for; None where it asks for none, and for None.

    Args:
        name: The file; None, and `-`: stdout.
        formats: Endings by format, as above.
    """
    ending = _ending(name)
    return next((form for form, endings in formats.items() if ending in endings), None)


def refuse_ending(
    parser: OneLineParser, name: str | None, formats: Mapping[str, Sequence[str]], says: str = "--format says which"
) -> None:
    """See to it that a file does not promise what is not in it, such as a `loss.pdf` of plain text.

    Endings that promise nothing, as in `report.log`, `all.txt` or `run.2`, are fine: it is written as where there is
    none.

    Args:
        parser: That of the command, which is ended with 2 where the ending is one of another format.
        name: The file; None, and `-`: stdout.
        formats: Endings by format, as above.
        says: By which options it can be said.
    """
    ending = _ending(name)
    known = {known for endings in formats.values() for known in endings}
    documents = [export.formats for export in exports().values() if isinstance(export, DocumentExport)]
    foreign = OTHERS.union(*(endings for those in (TABLES, PRINTS, *documents) for endings in those.values()))
    if ending in foreign - known - {"txt"}:
        *most, last = formats
        parser.error(f"{name}: written as {', '.join(most)} or {last}, not as {ending} ({says})")


def _ending(name: str | None) -> str:
    return PurePath(name).suffix[1:].lower() if name else ""
