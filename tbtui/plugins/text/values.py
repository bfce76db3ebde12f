"""Texts of one tag of one run, for the Python API."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from tbtui.api.values import Value, Values
from tbtui.plugins.text.read import read_whole_text

if TYPE_CHECKING:
    from typing import TypeAlias

    from tbtui.api.values import ValueLocation
    from tbtui.plugins.text.read import StoredText

    Raw: TypeAlias = bytes


class Text(Value):
    """Text of a step: a document or a table of texts.

    Raises:
        PayloadError: The value cannot be read.
    """

    @property
    def text(self) -> str:
        """Text as it was logged, mostly Markdown; U+FFFD replaces bytes that are not UTF-8.

        A table gives one line per row, with tabs between the cells.
        """
        return "\n".join("\t".join(row) for row in self.cells)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the tensor that was logged; `()` or `(1,)` is a document."""
        return self._stored.shape

    @property
    def cells(self) -> tuple[tuple[str, ...], ...]:
        """Texts of a table, row by row; a tensor of a higher rank gives its tables one below the other."""
        return tuple(tuple(cell.decode("utf-8", "replace") for cell in row) for row in self._stored.cells)

    @property
    def bytes(self) -> Raw:
        """Document as it was written; a table gives its cells as in `text`."""
        return b"\n".join(b"\t".join(row) for row in self._stored.cells)

    @cached_property
    def _stored(self) -> StoredText:
        return self._location.decode(read_whole_text)


class Texts(Values[Text]):
    """Texts of a tag: `print(texts[-1].text)`."""

    plugin = "text"

    def _value(self, location: ValueLocation) -> Text:
        return Text(location)
