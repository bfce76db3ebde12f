"""The tags that one run has shown, numbered in order of appearance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tbtui.events.compat import tag_info, tag_of

if TYPE_CHECKING:
    from tbtui.events.block import TagInfo

SCALARS = "scalars"
"""The plugin whose values are kept as numbers."""


class RunTags:
    """What the first value of each tag said; later values of the tag are read by it, whatever metadata they carry."""

    def __init__(self) -> None:
        self.infos: list[TagInfo] = []
        self._numbers: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self.infos)

    def get(self, tag: str) -> int:
        """The number of a tag, -1 when the run has not shown it."""
        return self._numbers.get(tag, -1)

    def is_scalar(self, number: int) -> bool:
        """Whether values of a tag are numbers."""
        return self.infos[number].plugin_name == SCALARS

    def of_value(self, value: Any) -> int:
        """The number of a `SummaryValue`'s tag, which becomes known by it if it is new."""
        number = self._numbers.get(tag_of(value))
        return self._add(tag_info(value)) if number is None else number

    def of_info(self, info: TagInfo) -> int:
        """The number of a tag that an event itself is a value of."""
        number = self._numbers.get(info.tag)
        return self._add(info) if number is None else number

    def _add(self, info: TagInfo) -> int:
        self._numbers[info.tag] = len(self.infos)
        self.infos.append(info)
        return len(self.infos) - 1
