"""Changes of settings by keys of the Scalars tab."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tbtui.settings.settings import TagMerge

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.plugins.scalars.cards import Cards
    from tbtui.settings.settings import Settings


def toggle_extremes(choices: Settings) -> Settings:
    """Mark the min, max and best points, or stop marking them."""
    return replace(choices, extremes=not choices.extremes)


def join_cards(choices: Settings, cards: Cards, keys: Sequence[str]) -> Settings:
    """Join several cards in one; cards that were joined by hand become part of it."""
    tags = tags_of(cards, keys)
    former = {joint for key in keys if (joint := cards.joint_of(key)) is not None and joint.tags}
    other_joints = tuple(joint for joint in choices.joints if joint not in former)
    return replace(choices, joints=(*other_joints, TagMerge(tags=tags)))


def join_by_pattern(choices: Settings, pattern: str) -> Settings:
    """Join the tags that a pattern matches."""
    joint = TagMerge(pattern=pattern)
    return choices if joint in choices.joints else replace(choices, joints=(*choices.joints, joint))


def split_card(choices: Settings, joint: TagMerge) -> Settings:
    """Show each tag of a joined card on its own card again."""
    return replace(choices, joints=tuple(each for each in choices.joints if each != joint))


def tags_of(cards: Cards, keys: Sequence[str]) -> tuple[str, ...]:
    """Return the tags of several cards, each once."""
    return tuple(dict.fromkeys(tag for key in keys for tag in cards.tags_of(key)))
