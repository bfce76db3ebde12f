"""Documents that a dashboard exports: each in its own format rather than as rows of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@frozen(eq=False)
class DocumentText:
    """The text of a document in one format."""

    pieces: Iterator[str]
    losses: tuple[str, ...] = ()
    """Descriptions of the parts that could not be read."""


@frozen(eq=False)
class Document:
    """A document of one tag of a run."""

    run: str
    tag: str
    step: int
    text: Callable[[str], DocumentText | None]
    """Reads the document and returns it in a format. Returns None if it cannot be read, and adds the reason to
    `ExportRequest.skipped`."""

    is_superseded: bool = False
    """True if a later document of the tag superseded it; a single file contains only current documents."""
