"""Texts on demand: read from their files and made into documents when they are looked at, a few of both kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.frozen import frozen
from tbtui.loading.byte_cache import ByteCache
from tbtui.loading.texts import read_text
from tbtui.plugins.text.comparing import differences
from tbtui.plugins.text.document import documents

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from tbtui.loading.payloads import Payloads
    from tbtui.loading.texts import StoredText, TextPoint
    from tbtui.plugins.text.document import Document

MOST_BYTES = 32 << 20
"""Of texts, and of documents, that are kept."""

LINE_BYTES = 500
"""What a line of a document takes in memory, about."""


@frozen
class Wanted:
    """What shall be on the screen."""

    text: TextPoint
    before: TextPoint | None
    """The text that it is compared with."""

    raw: bool
    wrap: bool
    width: int
    """Columns."""

    @property
    def texts(self) -> Hashable:
        """Which texts, however they are shown."""
        return self.text.place, self.before and self.before.place

    @property
    def key(self) -> Hashable:
        """What tells it from anything else."""
        return self.texts, self.raw and self.before is None, self.wrap, self.width


class Texts:
    """Reads texts and makes documents of them. One thread asks it.

    Args:
        payloads: Reads files.
    """

    def __init__(self, payloads: Payloads) -> None:
        self._payloads = payloads
        self._texts: ByteCache[StoredText | None] = ByteCache(MOST_BYTES)
        self._documents: ByteCache[Document | None] = ByteCache(MOST_BYTES)

    def text(self, wanted: TextPoint) -> StoredText:
        """What is stored.

        Raises:
            TextRefused: It cannot be read, or is none.
        """
        stored = self._texts.get(wanted.place, _nothing)
        if stored is None:
            stored = read_text(self._payloads, wanted)
            self._texts.put(wanted.place, stored, stored.nbytes)
        return stored

    def documents(self, wanted: Wanted) -> Iterator[Document]:
        """A document, as far as it is made; the last one is whole.

        Raises:
            TextRefused: Of a text that it needs.
        """
        document = self._documents.get(wanted.key, _nothing)
        if document is not None:
            yield document
            return
        for document in self._made(wanted):
            yield document
        if document is not None:
            self._documents.put(wanted.key, document, LINE_BYTES * len(document.lines))

    def _made(self, wanted: Wanted) -> Iterator[Document]:
        if wanted.before is not None:
            return differences(self.text(wanted.before), self.text(wanted.text), wanted.width, wrap=wanted.wrap)
        return documents(self.text(wanted.text), wanted.width, raw=wanted.raw, wrap=wanted.wrap)


def _nothing() -> None:
    return None
