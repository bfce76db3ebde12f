"""What is wrong with a file, listed so that a badly damaged one cannot fill the memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.store.snapshot import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tbtui.records.damage import Damage

LISTED = 100
"""Damaged places of a file that are listed one by one; the others are summed up in one line."""


class DamageList:
    """The damaged places of one file in the order they were found."""

    def __init__(
        self, listed: Iterable[Problem] = (), others: int = 0, others_offset: int = 0, others_bytes: int = 0
    ) -> None:
        """Begin, or go on with what another has `listed`, and with its `others`."""
        self._listed = list(listed)
        self._others = others
        self._others_offset = others_offset
        self._others_bytes = others_bytes

    def __bool__(self) -> bool:
        return bool(self._listed)

    def add(self, damage: Iterable[Damage]) -> None:
        """Add places found since the last call."""
        for place in damage:
            if len(self._listed) < LISTED:
                self._listed.append(Problem(place.kind, place.offset, place.bytes_skipped, place.message))
                continue
            self._others_offset = self._others_offset or place.offset
            self._others += 1
            self._others_bytes += place.bytes_skipped

    @property
    def listed(self) -> tuple[Problem, ...]:
        """Those that are listed one by one."""
        return tuple(self._listed)

    @property
    def others(self) -> tuple[int, int, int]:
        """How many are not listed, the offset of the first of them, and how many bytes they are."""
        return self._others, self._others_offset, self._others_bytes

    def problems(self) -> tuple[Problem, ...]:
        """All of them; the last one stands for those that are not listed."""
        if not self._others:
            return tuple(self._listed)
        places = "place" if self._others == 1 else "places"
        message = f"and {self._others:,} more damaged {places} from here on"
        return (*self._listed, Problem("more", self._others_offset, self._others_bytes, message))


def unreadable(reason: str) -> Problem:
    """A file or directory that cannot be read now; it is tried again."""
    return Problem("unreadable", 0, 0, f"cannot be read: {reason}")


def truncated(offset: int, size: int) -> Problem:
    """A file of `size` bytes whose last record begins at `offset` and is not all there."""
    waiting = max(0, size - offset)
    what = "1 byte waits" if waiting == 1 else f"{waiting:,} bytes wait"
    return Problem("truncated", offset, waiting, f"ends in the middle of a record; {what} for the rest")


def empty() -> Problem:
    """A file without a byte."""
    return Problem("empty", 0, 0, "is empty: nothing has been written yet")
