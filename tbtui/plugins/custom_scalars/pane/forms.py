"""Forms and pages of the cards of layouts. Imports no Textual."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tbtui.charts.numbers import format_count
from tbtui.plugins.custom_scalars.arrangement import Arrangement, ArrangementCache, describe_file_problem
from tbtui.plugins.custom_scalars.settings import LAYOUT
from tbtui.plugins.scalars.chart import ScalarData
from tbtui.plugins.scalars.pane.forms import ScalarForms
from tbtui.plugins.scalars.pane.forms import format_about_lines as about_tags
from tbtui.widgets.form_fields import CardForms

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from tbtui.plugins.custom_scalars.arrangement import ArrangedChart
    from tbtui.plugins.custom_scalars.read import RunLayout
    from tbtui.plugins.custom_scalars.tag_patterns import TagMatch
    from tbtui.settings.settings import Settings
    from tbtui.view.view import View
    from tbtui.widgets.form_fields import Field, FileForm

MAX_LISTED_TAGS = 20
"""Tags of a pattern that the page of a chart lists."""


class CustomForms(CardForms[Arrangement]):
    """Forms of Scalars; the page of a chart lists matches and the source of its layout."""

    def __init__(self) -> None:
        self._scalars = ScalarForms(lambda: ScalarData(cards=ArrangementCache()))

    def options_fields(self, view: View) -> Sequence[Field]:
        return self._scalars.options_fields(view)

    def chart_fields(self, settings: Settings, key: str) -> Sequence[Field]:
        return self._scalars.chart_fields(settings, key)

    def with_chart(self, settings: Settings, key: str, entered: dict[str, Any]) -> Settings:
        return self._scalars.with_chart(settings, key, entered)

    def about_lines(self, view: View, cards: Arrangement, key: str) -> Sequence[str]:
        chart = cards.find_chart(key)
        if chart is None:
            return ()
        lines = [*format_chart_lines(chart), "", *format_source_lines(view, cards.sources)]
        bounds = (name for band in chart.chart.bands for name in (band.lower, band.upper) if name)
        tags = tuple(dict.fromkeys((*chart.card.tags, *bounds)))
        return (*lines, "", *about_tags(view, tags)) if tags else tuple(lines)

    def file_form(self, view: View, cards: Arrangement, key: str) -> FileForm:
        return self._scalars.file_form(view, cards.cards, key)


def format_chart_lines(chart: ArrangedChart) -> Iterator[str]:
    """Yield the content of a chart in the layout, and the tags that it selects."""
    yield {"multiline": "multi-line chart", "margin": "margin chart", "empty": "chart without content"}[
        chart.chart.kind
    ]
    for match in chart.matches:
        yield _match_line(match)
    seen: set[str] = set()
    for band in chart.chart.bands:
        suffix = " (its edges, dotted)" if band.value in seen else ""
        seen.add(band.value)
        yield f"  value {band.value!r}, lower bound {band.lower!r}, upper bound {band.upper!r}{suffix}"
    if chart.card.notes:
        yield ""
        yield from (f"⚠ {note}" for note in chart.card.notes)


def _match_line(match: TagMatch) -> str:
    if match.error:
        return f"  {match.pattern!r}: no pattern ({match.error})"
    if match.is_name:
        return f"  {match.pattern!r}: a tag"
    if not match.tags:
        return f"  {match.pattern!r} → nothing"
    more = len(match.tags) - MAX_LISTED_TAGS
    return f"  {match.pattern!r} → {', '.join(match.tags[:MAX_LISTED_TAGS])}{f' and {more:,} more' if more > 0 else ''}"


def format_source_lines(view: View, sources: Sequence[RunLayout]) -> Iterator[str]:
    """Yield the sources of the layouts, and the layouts that were left out."""
    file = LAYOUT.value(view.settings)
    if file is not None:
        yield f"arranged by the file {file.name}"
        if file.problem:
            yield f"⚠ {describe_file_problem(file)}"
        return
    if len(sources) > 1:
        yield f"merged from the layouts of {format_count(len(sources), 'run')}, in the order of their names:"
    for source in sources:
        run = "the log directory" if source.run == os.curdir else source.run
        texts = [f"layout of {run}, step {source.step}"]
        if source.merged > 1:
            texts.append(f"{source.merged:,} layouts merged")
        if source.replaced:
            texts.append(f"{format_count(source.replaced, 'layout')} of older files replaced")
        yield "  " + ", ".join([*texts, *source.problems])
