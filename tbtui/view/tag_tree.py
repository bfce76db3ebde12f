"""Rows of the tag tree: groups and their tags, in natural order."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from typing import overload

from tbtui.frozen import frozen
from tbtui.view.natural_order import sort_naturally

TF1_SUFFIX = "/scalar_summary"
"""Suffix that the `summary` op of TensorFlow 1 appends to the name of the user; TensorBoard hides it too."""


def make_group_key(group: str) -> str:
    """Return the key of the line of a group."""
    return f"g{group}"


def make_tag_key(tag: str) -> str:
    """Return the key of the line of a tag."""
    return f"t{tag}"


@frozen
class TagRow:
    """A line of the tag tree: a group or a tag."""

    key: str
    """From `make_group_key` or `make_tag_key`."""

    depth: int
    label: str
    """Not yet safe for a terminal."""

    group: str
    tag: str | None = None
    """None for a group."""

    count: int = 0
    """Number of tags in the group; 0 for a tag."""

    folded: bool = False


def get_group(tag: str) -> str:
    """Return the text before the first `/`; a tag without one is its own group."""
    return tag.partition("/")[0]


def cut_group(tag: str) -> str:
    """Return the part of a tag that its group does not show."""
    _, slash, rest = tag.partition("/")
    title = rest if slash else tag
    return title.removesuffix(TF1_SUFFIX) or title or tag


def cut_heading(title: str, heading: str) -> str:
    """Return the title of a card without the name of the group in the heading above it.

    Args:
        title: A tag, the common name of joined tags, or a display name, which has no group.
        heading: Name of the group; empty without a heading.
    """
    return title.removeprefix(f"{heading}/") or title if heading else title


@lru_cache(maxsize=4)
def group_tags(tags: frozenset[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return groups and their tags in natural order."""
    groups: dict[str, list[str]] = {}
    for tag in sort_naturally(tags):
        groups.setdefault(get_group(tag), []).append(tag)
    return tuple((group, tuple(tags)) for group, tags in groups.items())


@lru_cache(maxsize=4)
def count_unfolded(tags: frozenset[str], folded: frozenset[str]) -> int:
    """Return the number of tags outside the folded groups."""
    return sum(get_group(tag) not in folded for tag in tags) if folded else len(tags)


class TagTree(Sequence[TagRow]):
    """The lines of the tag tree, which are created when they are read.

    Args:
        groups: Groups and their tags, in order.
        folded: Groups whose tags are hidden.
    """

    def __init__(self, groups: Sequence[tuple[str, tuple[str, ...]]], folded: frozenset[str]) -> None:
        self._groups, self._folded = groups, folded
        self.outer: list[int] = []
        """Indices of the lines outside groups: the groups themselves, and tags without a group."""

        keys: list[str] = []
        for group, members in groups:
            self.outer.append(len(keys))
            if members == (group,):
                keys.append(make_tag_key(group))
                continue
            keys.append(make_group_key(group))
            if group not in folded:
                keys += [make_tag_key(tag) for tag in members]
        self.keys = tuple(keys)
        """Keys of all lines."""

    def __len__(self) -> int:
        return len(self.keys)

    @overload
    def __getitem__(self, index: int) -> TagRow: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[TagRow]: ...
    def __getitem__(self, index: int | slice) -> TagRow | Sequence[TagRow]:
        if isinstance(index, slice):
            return [self[each] for each in range(len(self))[index]]
        index = range(len(self))[index]
        group, members, row_in_group = self._line(index)
        label = self.label_of(index)
        if row_in_group:
            return TagRow(make_tag_key(members[row_in_group - 1]), 1, label, group, members[row_in_group - 1])
        if members == (group,):
            return TagRow(make_tag_key(group), 0, label, group, group)
        return TagRow(make_group_key(group), 0, label, group, None, len(members), group in self._folded)

    def label_of(self, index: int) -> str:
        """Return the label of a line, not yet safe for a terminal."""
        group, members, row_in_group = self._line(index)
        return (
            cut_group(members[row_in_group - 1])
            if row_in_group
            else group or ("(no name)" if members == (group,) else "/")
        )

    def _line(self, index: int) -> tuple[str, tuple[str, ...], int]:
        """Return the group of a line, its tags, and the number of lines after that of the group."""
        number = bisect_right(self.outer, index) - 1
        return *self._groups[number], index - self.outer[number]

    def list_siblings(self, index: int) -> Sequence[int]:
        """Return the lines of the group of a tag; for a line outside groups, all such lines."""
        next_outer = bisect_right(self.outer, index)
        if self.outer[next_outer - 1] == index:
            return self.outer
        return range(
            self.outer[next_outer - 1] + 1, self.outer[next_outer] if next_outer < len(self.outer) else len(self)
        )


@lru_cache(maxsize=4)
def list_tag_rows(tags: frozenset[str], folded: frozenset[str]) -> TagTree:
    """Return the lines of the tag tree.

    Args:
        tags: Tags that pass the filter.
        folded: Groups whose tags are hidden.
    """
    return TagTree(group_tags(tags), folded)


@lru_cache(maxsize=4)
def find_foldable_groups(tags: frozenset[str]) -> frozenset[str]:
    """Return the groups that can be folded: not those of a tag without a group."""
    return frozenset(group for group, members in group_tags(tags) if members != (group,))
