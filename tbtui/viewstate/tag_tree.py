"""Rows of the tag tree: tags under the text before their first `/`, in the order of the cards."""

from __future__ import annotations

from functools import lru_cache

from tbtui.frozen import frozen
from tbtui.viewstate.order import natural_key

TF1_SUFFIX = "/scalar_summary"
"""Appended by TensorFlow 1's `summary` op to the name the user gave; TensorBoard does not show it either."""


@frozen
class TagRow:
    """A line of the tag tree: a group, or a tag."""

    key: str
    """`g` and the group, or `t` and the tag."""

    depth: int
    label: str
    """Not yet made safe for a terminal."""

    group: str
    tag: str | None = None
    """None for a group."""

    count: int = 0
    """Tags in the group; 0 for a tag."""

    folded: bool = False


def group_of(tag: str) -> str:
    """The text before the first `/`; a tag without one is its own group."""
    return tag.partition("/")[0]


def title_of(tag: str) -> str:
    """What the group does not say of a tag already."""
    _, slash, rest = tag.partition("/")
    title = rest if slash else tag
    return title.removesuffix(TF1_SUFFIX) or title or tag


@lru_cache(maxsize=4)
def grouped(tags: frozenset[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Groups and their tags in natural order."""
    groups: dict[str, list[str]] = {}
    for tag in sorted(tags, key=natural_key):
        groups.setdefault(group_of(tag), []).append(tag)
    return tuple((group, tuple(held)) for group, held in groups.items())


@lru_cache(maxsize=4)
def unfolded(tags: frozenset[str], folded: frozenset[str]) -> int:
    """How many of the tags are in none of the folded groups."""
    return sum(group_of(tag) not in folded for tag in tags) if folded else len(tags)


@lru_cache(maxsize=4)
def tag_rows(tags: frozenset[str], folded: frozenset[str]) -> tuple[TagRow, ...]:
    """The lines of the tag tree.

    Args:
        tags: The tags that pass the filter.
        folded: Groups whose tags are not listed.
    """
    rows: list[TagRow] = []
    for group, held in grouped(tags):
        if held == (group,):
            rows.append(TagRow(f"t{group}", 0, group or "(no name)", group, group))
            continue
        rows.append(TagRow(f"g{group}", 0, group or "/", group, None, len(held), group in folded))
        if group not in folded:
            rows += [TagRow(f"t{tag}", 1, title_of(tag), group, tag) for tag in held]
    return tuple(rows)
