"""Arrange the scalars of a view by layouts: categories, and the cards of their charts.

A chart becomes a joined card of the Scalars dashboard, whose chart data, renderer and painter then draw it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from tbtui.charts.numbers import format_count
from tbtui.export.table import match_all
from tbtui.frozen import frozen
from tbtui.plugins.custom_scalars.layout import PLUGIN_NAME, BandTags, LayoutChart, merge_layouts, read_layout_text
from tbtui.plugins.custom_scalars.read import LayoutReader, RunLayout
from tbtui.plugins.custom_scalars.settings import LAYOUT, TOGGLED
from tbtui.plugins.custom_scalars.tag_patterns import TagMatch, TagPatterns
from tbtui.plugins.scalars.cards import MAX_JOINED_TAGS, BoundTags, Cards, JoinedCard, build_joined_key
from tbtui.view.cards import ShownTags

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tbtui.plugins.custom_scalars.layout import Category, Layout
    from tbtui.settings.kinds import TextFile
    from tbtui.settings.settings import Settings
    from tbtui.view.view import View

UNREADABLE = "unreadable layouts"
"""Title of the category with a card for each run whose layout cannot be read."""

PINNED = "pinned"
"""Title of the category of the cards that the user pinned."""

NO_TITLE = "(no title)"


@frozen
class ArrangedChart:
    """A chart of a layout with the tags it selects."""

    card: JoinedCard
    chart: LayoutChart
    matches: tuple[TagMatch, ...] = ()
    """Tags of each name or pattern of a multi-line chart."""

    has_problem: bool = False
    """True if the layout requests something that does not exist, or cannot be done."""


@frozen
class ArrangedCategory:
    """A category with the charts that pass the tag filter."""

    key: str
    title: str
    """Never empty; not yet safe for a terminal."""

    charts: tuple[ArrangedChart, ...] = ()
    is_folded: bool = False


@frozen(slots=False, eq=False)
class Arrangement:
    """All charts of one view. Its cards and their titles are those of `Cards`, for panes and painters."""

    categories: tuple[ArrangedCategory, ...] = ()
    cards: Cards = field(default_factory=Cards)
    """Cards outside folded categories, in order; `joined` holds the others too."""

    sources: tuple[RunLayout, ...] = ()
    """The layouts that were merged, in order; that of a file has no run."""

    names: tuple[str, ...] = ()
    """Category and title of every chart, hidden or not: `losses/train and val`."""

    hidden: int = 0
    """Number of charts that the tag filter hides."""

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """Keys of headings and cards, in order."""
        return tuple(
            key
            for category in self.categories
            for key in (category.key, *(() if category.is_folded else (chart.card.key for chart in category.charts)))
        )

    @cached_property
    def headings(self) -> Mapping[str, ArrangedCategory]:
        """Categories by key."""
        return {category.key: category for category in self.categories}

    def find_category(self, key: str) -> ArrangedCategory | None:
        """Return the category of a heading or card; None for an unknown key."""
        if key in self.headings:
            return self.headings[key]
        return next((each for each in self.categories if any(chart.card.key == key for chart in each.charts)), None)

    def tag_of(self, key: str) -> str:
        """Return the first tag of a card; a heading has its key."""
        return self.cards.tag_of(key)

    def key_of(self, tag: str) -> str:
        """Return the key of the first card that shows `tag`; a key is returned unchanged."""
        return tag if tag in self.headings or tag in self.cards.joined else self.cards.key_of(tag)

    def title_of(self, key: str) -> str:
        """Return the title of a card or category; not yet safe for a terminal."""
        return self.headings[key].title if key in self.headings else self.cards.title_of(key)

    def name_of(self, key: str) -> str:
        """Return the title of a card: it shows all runs."""
        return self.title_of(key)

    def find_chart(self, key: str) -> ArrangedChart | None:
        """Return the chart of a card; None for an unknown key."""
        return self._by_key.get(key)

    _by_key: Mapping[str, ArrangedChart] = field(default_factory=dict)


@lru_cache(maxsize=2)
def _get_file_layout(content: str) -> Layout:
    return read_layout_text(content)


def create_file_source(file: TextFile) -> RunLayout:
    """Return the layout of a file, which belongs to no run; one that was good before, if the file is not now."""
    problems = (describe_file_problem(file),) if file.problem else ()
    return RunLayout("", _get_file_layout(file.content), 0, problems=problems)


def describe_file_problem(file: TextFile) -> str:
    """Return the reason for which the content of a layout file is not used."""
    return f"{file.name}: {file.problem}; its last good content is shown"


class ArrangementCache:
    """Arrangements of views; rebuilt only if layouts, tags or settings changed.

    It is the `CardSource` of the chart data. Used by one thread.

    Args:
        unfolds: Unfold all categories, for outputs without keys.
    """

    def __init__(self, *, unfolds: bool = False) -> None:
        self._unfolds = unfolds
        self._reader = LayoutReader()
        self._tags = ShownTags("scalars")
        self._patterns = TagPatterns(())
        self._view: View | None = None
        self._inputs: tuple[object, ...] = ()
        self._arrangement = Arrangement()

    def of(self, view: View) -> Cards:
        """Return the cards of a view; the same object as long as nothing changes."""
        return self.get_arrangement(view).cards

    def get_arrangement(self, view: View) -> Arrangement:
        """Return the arrangement of a view; the same object as long as nothing changes."""
        if view is self._view:
            return self._arrangement
        settings = view.settings
        # Tags of hidden runs are included: the selection of a name does not depend on hidden runs.
        tags = self._tags.ordered(view, everywhere=True)
        if tags is not self._patterns.tags:
            self._patterns = TagPatterns(tags)
        sources = self._read_sources(view, LAYOUT.value(settings))
        inputs = (sources, tags, settings.tag_filter, settings.pinned, TOGGLED.value(settings))
        if inputs != self._inputs:
            self._arrangement = arrange(sources, self._patterns, settings, view.tag_matches, unfolds=self._unfolds)
        self._inputs, self._view = inputs, view
        return self._arrangement

    def _read_sources(self, view: View, file: TextFile | None) -> tuple[RunLayout, ...]:
        """Return the layouts in the order of run names, as TensorBoard merges them; a file replaces them all."""
        if file is not None:
            return (create_file_source(file),)
        tags = {name: facts.tags[PLUGIN_NAME] for name, facts in view.summaries.items() if PLUGIN_NAME in facts.tags}
        return self._reader.of((view.snapshot.runs[name] for name in sorted(tags)), tags.get)


def arrange(
    sources: tuple[RunLayout, ...],
    patterns: TagPatterns,
    settings: Settings,
    tag_matches: Callable[[str], bool] = match_all,
    *,
    unfolds: bool = False,
) -> Arrangement:
    """Return the charts of layouts.

    Args:
        sources: The layouts to merge, in order.
        patterns: Matches patterns with all tags of scalars.
        settings: Pinned cards, folded categories, and whether a tag filter is set.
        tag_matches: The tag filter.
        unfolds: No category is folded.
    """
    layout = merge_layouts([source.layout for source in sources])
    used: Counter[tuple[str, str]] = Counter()
    arranged = [
        (category, [_arrange_chart(category.title, chart, used, patterns) for chart in category.charts])
        for category in layout.categories
    ]
    chart_by_key = {chart.card.key: chart for _, charts in arranged for chart in charts}
    pinned = [chart_by_key[key] for key in dict.fromkeys(settings.pinned) if key in chart_by_key]
    is_pinned = {chart.card.key for chart in pinned}
    categories = []
    titles: Counter[str] = Counter()
    for category, charts in arranged:
        titles[category.title] += 1
        key = build_joined_key("category", category.title, str(titles[category.title]))
        shown = tuple(
            chart
            for chart in charts
            if chart.card.key not in is_pinned and _matches_filter(tag_matches, category.title, chart)
        )
        if shown or not (category.charts and settings.tag_filter):
            is_folded = not unfolds and is_category_folded(settings, key, category)
            categories.append(ArrangedCategory(key, category.title or NO_TITLE, shown, is_folded))
    if shown_pins := tuple(chart for chart in pinned if _matches_filter(tag_matches, "", chart)):
        categories.insert(0, ArrangedCategory(build_joined_key("category", PINNED, "0"), PINNED, shown_pins))
    broken = tuple(_build_broken_chart(source) for source in sources if source.problems)
    if broken:
        categories.append(ArrangedCategory(build_joined_key("category", UNREADABLE, "0"), UNREADABLE, broken))
        chart_by_key.update({chart.card.key: chart for chart in broken})
    keys = tuple(chart.card.key for each in categories if not each.is_folded for chart in each.charts)
    cards = Cards(keys, {key: chart.card for key, chart in chart_by_key.items()})
    hidden = len(chart_by_key) - sum(len(each.charts) for each in categories)
    names = tuple(f"{category.title}/{chart.card.title}" for category, charts in arranged for chart in charts)
    return Arrangement(tuple(categories), cards, sources, names, hidden, chart_by_key)


def is_category_folded(settings: Settings, key: str, category: Category) -> bool:
    """Return True if a category is folded; while a tag filter is set none is, so that all matches are visible."""
    return not settings.tag_filter and category.closed != (key in TOGGLED.value(settings))


def _matches_filter(tag_matches: Callable[[str], bool], category: str, chart: ArrangedChart) -> bool:
    """Return True if the tag filter matches the title of a chart, with its category before it, or one of its tags."""
    card = chart.card
    return tag_matches(f"{category}/{card.title}") or any(map(tag_matches, card.tags))


def _arrange_chart(
    category: str, chart: LayoutChart, used: Counter[tuple[str, str]], patterns: TagPatterns
) -> ArrangedChart:
    used[category, chart.title] += 1
    key = build_joined_key("layout", category, chart.title, str(used[category, chart.title]))
    if chart.kind == "multiline":
        return _arrange_multiline(key, chart, tuple(map(patterns.match, dict.fromkeys(chart.tags))))
    if chart.kind == "margin":
        return _arrange_margin(key, chart, frozenset(patterns.tags))
    notes = ("the layout gives this chart no content",)
    return ArrangedChart(JoinedCard(key, (), None, chart.title or NO_TITLE, notes=notes), chart, has_problem=True)


def _arrange_multiline(key: str, chart: LayoutChart, matches: tuple[TagMatch, ...]) -> ArrangedChart:
    tags = tuple(dict.fromkeys(tag for match in matches for tag in match.tags))
    notes = tuple(_match_notes(matches, len(tags)))
    title = chart.title or ("" if tags else NO_TITLE)
    card = JoinedCard(key, tags[:MAX_JOINED_TAGS], None, title, notes=notes)
    return ArrangedChart(card, chart, matches, bool(notes))


def _match_notes(matches: Sequence[TagMatch], count: int) -> Iterator[str]:
    """Yield the problems of the names and patterns of a chart, one sentence each."""
    if not matches:
        yield "the layout names no tags for this chart"
    for match in matches:
        if match.error == "empty":
            yield "an empty name selects nothing"
        elif match.error:
            yield f"{match.pattern!r} is neither a tag nor a pattern: {match.error}"
    missing = [repr(match.pattern) for match in matches if not match.tags and not match.error]
    if missing:
        yield f"no tag matches {_join_names(missing)}"
    if count > MAX_JOINED_TAGS:
        yield f"{MAX_JOINED_TAGS} of {count:,} tags are drawn"


def _arrange_margin(key: str, chart: LayoutChart, tags: frozenset[str]) -> ArrangedChart:
    bounds: dict[str, dict[BoundTags, None]] = {}
    notes: list[str] = [] if chart.bands else ["the layout gives this margin chart no series"]
    for band in chart.bands:
        lower, upper = (name if name in tags else "" for name in (band.lower, band.upper))
        if not band.value:
            notes.append("a series has no name of its value")
            continue
        if band.value not in tags:
            notes.append(_describe_missing_value(band, tags))
        else:
            notes += _bound_notes(band.lower, band.upper, lower, upper)
        bounds.setdefault(band.value, {})[BoundTags(lower, upper)] = None
    bands = {value: tuple(of_value) for value, of_value in bounds.items()}
    card = JoinedCard(key, tuple(bands), None, chart.title or NO_TITLE, bands, tuple(dict.fromkeys(notes)))
    return ArrangedChart(card, chart, has_problem=bool(notes))


def _describe_missing_value(band: BandTags, tags: frozenset[str]) -> str:
    missing = [repr(name) for name in (band.value, band.lower, band.upper) if name and name not in tags]
    return f"no {' or '.join(filter(None, (', '.join(missing[:-1]), missing[-1])))}"


def _bound_notes(lower: str, upper: str, lower_tag: str, upper_tag: str) -> Iterator[str]:
    """Yield the missing bounds of a series; `lower_tag` and `upper_tag` are empty if no run has them."""
    missing = [
        repr(name) if name else f"{role} bound"
        for role, name, tags in (("lower", lower, lower_tag), ("upper", upper, upper_tag))
        if not tags
    ]
    if missing:
        remaining = "lower bound" if lower_tag else "upper bound" if upper_tag else "value"
        yield f"no {' and no '.join(missing)}: {remaining} alone"


def _build_broken_chart(source: RunLayout) -> ArrangedChart:
    key = build_joined_key("broken", source.run)
    title = f"layout of {source.run}" if source.run else "layout file"
    card = JoinedCard(key, (), None, title, notes=source.problems)
    return ArrangedChart(card, LayoutChart(card.title, "empty"), has_problem=True)


MAX_LISTED = 4
"""Names in a sentence; of more, the number of the others."""


def _join_names(names: Iterable[str]) -> str:
    shown = [*names]
    more = len(shown) - MAX_LISTED
    return ", ".join(shown[:MAX_LISTED]) + (f" and {format_count(more, 'other')}" if more > 0 else "")
