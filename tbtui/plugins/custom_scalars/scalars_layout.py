"""Convert joined charts of Scalars to layouts, and charts of layouts to joined charts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tbtui.plugins.custom_scalars.layout import Category, Layout, LayoutChart
from tbtui.settings.filters import escape, has_special_characters
from tbtui.settings.kinds import MAX_LINES
from tbtui.settings.settings import TagMerge

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from tbtui.plugins.scalars.cards import Cards
    from tbtui.settings.settings import Settings


def exact_pattern(tag: str, tags: Iterable[str]) -> str:
    """Return a name or pattern that selects one tag alone, in TensorBoard too: there all names are patterns.

    Args:
        tag: The tag to select.
        tags: All tags; a longer one that begins with `tag` would be selected too.
    """
    is_prefix = any(other != tag and other.startswith(tag) for other in tags)
    return f"{escape(tag)}$" if is_prefix or has_special_characters(tag) else tag


def scalars_layout(cards: Cards, pinned: Sequence[str], tags: Collection[str]) -> Layout:
    """Return a layout of the pinned and the merged charts of Scalars, in their order.

    Args:
        cards: The cards of Scalars.
        pinned: Keys of pinned cards; those that do not exist now are left out.
        tags: All tags.
    """

    def chart_of(key: str) -> LayoutChart:
        patterns = tuple(exact_pattern(tag, tags) for tag in cards.tags_of(key))
        return LayoutChart(cards.title_of(key), "multiline", patterns)

    first = [key for key in dict.fromkeys(pinned) if key in cards.keys]
    merged = [key for key in cards.keys if key in cards.joined and key not in first]
    categories = (("pinned", first), ("merged", merged))
    return Layout(tuple(Category(title, tuple(map(chart_of, keys))) for title, keys in categories if keys))


def merge_in_scalars(settings: Settings, charts: Sequence[tuple[str, ...]]) -> Settings:
    """Merge the tags of charts in Scalars too, up to the maximum number of merged charts.

    Args:
        settings: Present settings.
        charts: Tags of each chart; a chart of one tag is left as it is.
    """
    new = [TagMerge(tags=tags) for tags in dict.fromkeys(charts) if len(tags) > 1]
    joints = (*settings.joints, *(joint for joint in new if joint not in settings.joints))
    return replace(settings, joints=joints[:MAX_LINES])
