"""Which records are to be believed that could do harm if some of their bytes are wrong.

Most records are shown as they were found, as TensorBoard does: to compare all of them with their checksums would take
longer than to read them, and one that says a little more of what is known does little harm. Those that would change
what is shown of others are compared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.records.belief import LONGEST_COMPARED
from tbtui.records.checksum import is_native
from tbtui.records.framing import LONG_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    import numpy.typing as npt

    from tbtui.records.block import RecordBlock

_SHORT_BYTES = 4096
"""Payloads up to here are compared where checksums are computed slowly; elsewhere all but long ones, which need not
even have been read."""


class Trust:
    """Judges records of one block."""

    def __init__(self, block: RecordBlock, *, has_right: bool, is_right: Callable[[int], bool] | None = None) -> None:
        """Begin with a block.

        Args:
            block: The records.
            has_right: A payload of the run was compared before and is right, so whoever wrote it knows checksums.
            is_right: Reads a record of which only an outline was, and compares it.
        """
        self._block = block
        self._is_right = is_right
        self._native = is_native()
        self._since = -1 if has_right else len(block)
        """The record from which on it is known that the writer knows checksums."""

        self._short: npt.NDArray[np.bool_] = block.lengths < (LONG_BYTES if self._native else _SHORT_BYTES + 1)
        self._long_ones: dict[int, bool] = {}
        """Those that were compared, and whether they are right."""

        self.repeats = self._short & self._native
        """bool[records]: those that are compared also when they only repeat the step that was reached.

        That hides one value at most. Every record of a writer that counts no steps does it, and to compare them all
        costs too much where they are long or checksums are slow.
        """

    @property
    def has_right(self) -> bool:
        """A payload of the run was compared and is right.

        Until then none is refused for being wrong: a writer may not know how checksums are made, and TensorBoard shows
        what it has written.
        """
        return self._since < len(self._block)

    def may_say(self, row: int) -> bool:
        """Whether a record may say what no other one has: a new tag and what kind of values it has, who wrote the file.

        It would stay for ever. To be asked of records in their order.
        """
        if not self._short[row]:
            return True
        if self._block.verify(row):
            self._since = min(self._since, row)
            return True
        return not self.has_right

    def may_hide(self, row: int) -> bool:
        """Whether a record may take the place of others, going back to a step that was reached.

        To be asked when all that is new in the block has been judged.
        """
        if row <= self._since:
            return True
        if self._short[row]:
            return self._block.verify(row)
        if not self._native or self._block.lengths[row] > LONGEST_COMPARED:
            return True
        if row not in self._long_ones:
            self._long_ones[row] = self._compares(row)
        return self._long_ones[row]

    def may_all_hide(self, rows: npt.NDArray[np.int64]) -> bool:
        """Whether all of some records may."""
        rows = rows[rows > self._since]
        short = self._short[rows]
        return not len(self._block.mismatches(rows[short])) and all(map(self.may_hide, rows[~short].tolist()))

    def _compares(self, row: int) -> bool:
        if row not in self._block.outlines:
            return self._block.verify(row)
        return self._is_right is None or self._is_right(row)
