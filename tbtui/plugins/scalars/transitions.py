"""Changes of settings by keys of the Scalars tab."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tbtui.settings.settings import TagMerge

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.plugins.scalars.cards import Cards
    from tbtui.settings.settings import Settings


def toggle_extremes(settings: Settings) -> Settings:
    """Mark the min, max and best points, or stop marking them."""
    return replace(settings, extremes=not settings.extremes)


def join_cards(settings: Settings, cards: Cards, keys: Sequence[str]) -> Settings:
    """Join several cards in one; cards that were joined by hand become part of it."""
    tags = list_tags(cards, keys)
    former = {joint for key in keys if (joint := cards.find_merge(key)) is not None and joint.tags}
    other_joints = tuple(joint for joint in settings.joints if joint not in former)
    return replace(settings, joints=(*other_joints, TagMerge(tags=tags)))


def join_by_pattern(settings: Settings, pattern: str) -> Settings:
    """Join the tags that a pattern matches."""
    joint = TagMerge(pattern=pattern)
    return settings if joint in settings.joints else replace(settings, joints=(*settings.joints, joint))


def join_instead(settings: Settings, pattern: str, joints: tuple[TagMerge, ...]) -> Settings:
    """Join the tags that a pattern matches, beside `joints` and no others; an empty pattern joins none."""
    settings = replace(settings, joints=joints)
    return join_by_pattern(settings, pattern) if pattern else settings


def split_card(settings: Settings, joint: TagMerge) -> Settings:
    """Show each tag of a joined card on its own card again."""
    return replace(settings, joints=tuple(each for each in settings.joints if each != joint))


def list_tags(cards: Cards, keys: Sequence[str]) -> tuple[str, ...]:
    """Return the tags of several cards, each once."""
    return tuple(dict.fromkeys(tag for key in keys for tag in cards.list_tags(key)))
