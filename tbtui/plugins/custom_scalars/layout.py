"""Layouts of custom scalars: categories of charts, as trainings log them and as JSON files hold them.

Two JSON forms are read. PyTorch's is the argument of `add_custom_scalars`:
`{category: {title: ["Multiline", [tags]]}}`, or `["Margin", [value, lower, upper]]`. TensorBoard's is the JSON of its
message `Layout`, which can also close a category and have several series in a margin chart.

Joined charts of Scalars are converted to layouts, and charts of layouts to joined charts.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from tbtui.frozen import frozen
from tbtui.plugins.custom_scalars.settings import MAX_LAYOUT_BYTES
from tbtui.settings.filters import escape, has_special_characters
from tbtui.settings.kinds import MAX_LINES
from tbtui.settings.settings import TagMerge

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from tbtui.plugins.scalars.cards import Cards
    from tbtui.settings.settings import Settings

PLUGIN_NAME = "custom_scalars"
"""Plugin name of layouts in event files."""

MAX_CHARTS = 10_000
"""Charts of one layout; more are a mistake, and would take seconds to list."""

ChartKind: TypeAlias = Literal["multiline", "margin", "empty"]


class LayoutError(ValueError):
    """Raised for bytes or text that are no layout; the message is one plain sentence without a location."""


@frozen
class BandTags:
    """Tags of one series of a margin chart: a value and its bounds; a missing name is empty."""

    value: str
    lower: str
    upper: str


@frozen
class LayoutChart:
    """One chart of a layout."""

    title: str
    kind: ChartKind
    """`empty`: the layout gives the chart no content."""

    tags: tuple[str, ...] = ()
    """Lines of a multi-line chart: names of tags, or regular expressions that match the beginning of a tag."""

    bands: tuple[BandTags, ...] = ()
    """Series of a margin chart."""


@frozen
class Category:
    """Charts under one heading."""

    title: str
    charts: tuple[LayoutChart, ...] = ()
    closed: bool = False
    """True if its charts are folded away at first."""


@frozen
class Layout:
    """An arrangement of charts."""

    categories: tuple[Category, ...] = ()

    @property
    def charts(self) -> tuple[LayoutChart, ...]:
        """All charts, in order."""
        return tuple(chart for category in self.categories for chart in category.charts)

    def to_json(self) -> str:
        """Return the layout as JSON that `--layout` reads: in PyTorch's form if that can hold it."""
        return json.dumps(_to_pytorch_document(self) or _to_message_document(self), indent=2, ensure_ascii=False) + "\n"


# Bytes of event files


def parse_layout(data: bytes) -> Layout:
    """Return the layout of a serialized `Layout` message; its version is ignored, as TensorBoard does.

    Raises:
        LayoutError: The bytes are no such message, or too many.
    """
    from tbtui.events.schema import PARSE_ERRORS, decode_text, get_message_class

    if len(data) > MAX_LAYOUT_BYTES:
        raise LayoutError(f"it has {len(data):,} bytes, more than {MAX_LAYOUT_BYTES:,}")
    try:
        parsed = get_message_class("Layout").FromString(data)
    except PARSE_ERRORS:
        raise LayoutError("its bytes are no layout") from None

    def chart_of(chart: Any) -> LayoutChart:
        kind = chart.WhichOneof("content")
        if kind == "multiline":
            return LayoutChart(decode_text(chart.title), "multiline", tuple(map(decode_text, chart.multiline.tag)))
        if kind == "margin":
            names = (
                tuple(map(decode_text, (series.value, series.lower, series.upper))) for series in chart.margin.series
            )
            return LayoutChart(decode_text(chart.title), "margin", bands=tuple(BandTags(*each) for each in names))
        return LayoutChart(decode_text(chart.title), "empty")

    return _check_size(
        Category(decode_text(category.title), tuple(map(chart_of, category.chart)), category.closed)
        for category in parsed.category
    )


def _check_size(categories: Iterable[Category]) -> Layout:
    layout = Layout(tuple(categories))
    if (count := len(layout.charts)) > MAX_CHARTS:
        raise LayoutError(f"it has {count:,} charts, more than {MAX_CHARTS:,}")
    return layout


# JSON


class _Pairs(list[tuple[str, Any]]):
    """An object of JSON as pairs, because titles may repeat."""


def read_layout_text(content: str) -> Layout:
    """Return the layout of a JSON text in either form.

    Raises:
        LayoutError: It is no JSON, or no layout.
    """
    if len(content) > MAX_LAYOUT_BYTES:
        raise LayoutError(f"it has {len(content):,} characters, more than {MAX_LAYOUT_BYTES:,}")
    try:
        document = json.loads(content.removeprefix("\ufeff"), object_pairs_hook=_Pairs)
    except json.JSONDecodeError as error:
        reason = f"{error.msg[:1].lower()}{error.msg[1:]}"
        raise LayoutError(f"line {error.lineno}, column {error.colno}: {reason}") from None
    except RecursionError:
        raise LayoutError("it is nested too deeply") from None
    if not isinstance(document, _Pairs):
        raise LayoutError("it must be an object of categories: {category: {title: [kind, tags]}}")
    is_message = all(name in {"category", "version"} and not isinstance(value, _Pairs) for name, value in document)
    if document and is_message:
        return _check_size(
            _read_message_category(each) for each in _read_list(dict(document).get("category"), "category")
        )
    return _check_size(_read_pytorch_category(title, charts) for title, charts in document)


def _read_pytorch_category(title: str, charts: Any) -> Category:
    if not isinstance(charts, _Pairs):
        raise LayoutError(f"category {title!r} must be an object of charts: {{title: [kind, tags]}}")
    return Category(title, tuple(_read_pytorch_chart(f"{title}/{name}", name, content) for name, content in charts))


def _read_pytorch_chart(path: str, title: str, content: Any) -> LayoutChart:
    if not isinstance(content, list) or len(content) != 2 or not isinstance(content[0], str):
        raise LayoutError(f'chart {path!r} must be ["Multiline", [tags]] or ["Margin", [value, lower, upper]]')
    kind, names = content[0].lower(), _read_strings(content[1], f"tags of chart {path!r}")
    if kind == "multiline":
        return LayoutChart(title, "multiline", names)
    if kind != "margin":
        raise LayoutError(f'chart {path!r} is a {content[0]!r}; it must be "Multiline" or "Margin"')
    if len(names) != 3:
        raise LayoutError(f"chart {path!r} has {len(names)} tags; a margin chart has three: value, lower, upper")
    return LayoutChart(title, "margin", bands=(BandTags(*names),))


def _read_message_category(document: Any) -> Category:
    fields = _read_fields(document, "category", {"title", "chart", "closed"})
    title = _read_string(fields.get("title", ""), "the title of a category")
    charts = _read_list(fields.get("chart"), f"chart of category {title!r}")
    if not isinstance(fields.get("closed", False), bool):
        raise LayoutError(f"closed of category {title!r} must be true or false")
    return Category(title, tuple(_read_message_chart(title, each) for each in charts), fields.get("closed", False))


def _read_message_chart(category: str, document: Any) -> LayoutChart:
    fields = _read_fields(document, f"chart of category {category!r}", {"title", "multiline", "margin"})
    title = _read_string(fields.get("title", ""), "the title of a chart")
    noun = f"chart {f'{category}/{title}'!r}"
    if "multiline" in fields and "margin" in fields:
        raise LayoutError(f"{noun} is both multiline and margin")
    if "multiline" in fields:
        content = _read_fields(fields["multiline"], f"multiline of {noun}", {"tag"})
        return LayoutChart(title, "multiline", _read_strings(content.get("tag", []), f"tag of {noun}"))
    if "margin" not in fields:
        return LayoutChart(title, "empty")
    content = _read_fields(fields["margin"], f"margin of {noun}", {"series"})
    bands = []
    for series in _read_list(content.get("series"), f"series of {noun}"):
        names = _read_fields(series, f"series of {noun}", {"value", "lower", "upper"})
        bands.append(
            BandTags(*(_read_string(names.get(role, ""), f"{role} of {noun}") for role in ("value", "lower", "upper")))
        )
    return LayoutChart(title, "margin", bands=tuple(bands))


def _read_fields(value: Any, noun: str, known_names: set[str]) -> dict[str, Any]:
    if not isinstance(value, _Pairs):
        raise LayoutError(f"{noun} must be an object")
    fields = dict(value)
    if unknown := sorted(fields.keys() - known_names):
        raise LayoutError(f"{noun} has the unknown field {unknown[0]!r}; known are {', '.join(sorted(known_names))}")
    return fields


def _read_list(value: Any, noun: str) -> list[Any]:
    if value is None:
        return []
    if not isinstance(value, list) or isinstance(value, _Pairs):
        raise LayoutError(f"{noun} must be a list")
    return value


def _read_strings(value: Any, noun: str) -> tuple[str, ...]:
    return tuple(_read_string(each, f"each of the {noun}") for each in _read_list(value, noun))


def _read_string(value: Any, noun: str) -> str:
    if not isinstance(value, str):
        raise LayoutError(f"{noun} must be a text")
    return value


def _to_pytorch_document(layout: Layout) -> dict[str, Any] | None:
    """Return the layout in PyTorch's form; None if that cannot hold it."""
    document: dict[str, dict[str, Any]] = {}
    for category in layout.categories:
        charts = document.setdefault(category.title, {})
        if charts or category.closed:
            return None
        for chart in category.charts:
            content = _to_pytorch_content(chart)
            if content is None or chart.title in charts:
                return None
            charts[chart.title] = content
    names_a_message = bool(document) and document.keys() <= {"category", "version"}
    return None if len(document) < len(layout.categories) or names_a_message else document


def _to_pytorch_content(chart: LayoutChart) -> list[Any] | None:
    if chart.kind == "multiline":
        return ["Multiline", list(chart.tags)]
    if chart.kind == "margin" and len(chart.bands) == 1:
        return ["Margin", [chart.bands[0].value, chart.bands[0].lower, chart.bands[0].upper]]
    return None


def _to_message_document(layout: Layout) -> dict[str, Any]:
    def chart_of(chart: LayoutChart) -> dict[str, Any]:
        document: dict[str, Any] = {"title": chart.title}
        if chart.kind == "multiline":
            document["multiline"] = {"tag": list(chart.tags)}
        elif chart.kind == "margin":
            series = [{"value": each.value, "lower": each.lower, "upper": each.upper} for each in chart.bands]
            document["margin"] = {"series": series}
        return document

    return {
        "category": [
            {
                "title": category.title,
                "chart": [chart_of(chart) for chart in category.charts],
                **({"closed": True} if category.closed else {}),
            }
            for category in layout.categories
        ]
    }


# Several layouts


def merge_layouts(layouts: Sequence[Layout]) -> Layout:
    """Return one layout of several, in their order.

    Categories of one title are merged over layouts; equal charts count once, and charts that have only the title in
    common remain both. A category is closed if it is so where it comes first. A title that one layout has twice stays
    twice. TensorBoard loses charts that a third layout adds to a category of the second.
    """
    categories: list[Category] = []
    index_of: dict[tuple[str, int], int] = {}
    for layout in dict.fromkeys(layouts):
        seen: Counter[str] = Counter()
        for category in layout.categories:
            key = category.title, seen[category.title]
            seen[category.title] += 1
            if key in index_of:
                first = categories[index_of[key]]
                charts = tuple(dict.fromkeys((*first.charts, *category.charts)))
                categories[index_of[key]] = Category(first.title, charts, first.closed)
            else:
                index_of[key] = len(categories)
                categories.append(category)
    return Layout(tuple(categories))


def build_exact_pattern(tag: str, tags: Iterable[str]) -> str:
    """Return a name or pattern that selects one tag alone, in TensorBoard too: there all names are patterns.

    Args:
        tag: The tag to select.
        tags: All tags; a longer one that begins with `tag` would be selected too.
    """
    is_prefix = any(other != tag and other.startswith(tag) for other in tags)
    return f"{escape(tag)}$" if is_prefix or has_special_characters(tag) else tag


def build_scalars_layout(cards: Cards, pinned: Sequence[str], tags: Collection[str]) -> Layout:
    """Return a layout of the pinned and the merged charts of Scalars, in their order.

    Args:
        cards: The cards of Scalars.
        pinned: Keys of pinned cards; those that do not exist now are left out.
        tags: All tags.
    """

    def chart_of(key: str) -> LayoutChart:
        patterns = tuple(build_exact_pattern(tag, tags) for tag in cards.list_tags(key))
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
