"""Texts of one tag of one run."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from tbtui.api.values import Value, Values
from tbtui.plugins.text.read import texts_in

if TYPE_CHECKING:
    from typing import TypeAlias

    from tbtui.api.values import Place
    from tbtui.plugins.text.read import StoredText

    Raw: TypeAlias = bytes


class Text(Value):
    """The text of a step: a document, or a table of texts. Raises `PayloadError` where it cannot be read."""

    @property
    def text(self) -> str:
        """What was logged, Markdown mostly; bytes that are no UTF-8 are U+FFFD.

        Of a table its rows are lines, with tabs between the cells.
        """
        return "\n".join("\t".join(row) for row in self.cells)

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the tensor that was logged; `()` or `(1,)` is a document."""
        return self._stored.shape

    @property
    def cells(self) -> tuple[tuple[str, ...], ...]:
        """The texts of a table row by row; of a tensor of a higher rank its tables stand below one another."""
        return tuple(tuple(cell.decode("utf-8", "replace") for cell in row) for row in self._stored.cells)

    @property
    def bytes(self) -> Raw:
        """The document as it was written; of a table its cells as in `text`."""
        return b"\n".join(b"\t".join(row) for row in self._stored.cells)

    @cached_property
    def _stored(self) -> StoredText:
        place = self._place
        found = texts_in(place.block(), place.series)[place.point]
        if isinstance(found, str):
            raise place.refused(found)
        return found


class Texts(Values[Text]):
    """The texts of a tag: `print(texts[-1].text)`."""

    plugin = "text"

    def _value(self, place: Place) -> Text:
        return Text(place)
