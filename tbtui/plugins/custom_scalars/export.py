"""Custom scalars as a table of points, and layouts as documents."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from tbtui.export.request import Document, DocumentText
from tbtui.export.table import Table, build_object_column, select_current
from tbtui.plugins.custom_scalars.arrangement import PINNED, UNREADABLE, arrange, create_file_source
from tbtui.plugins.custom_scalars.layout import PLUGIN_NAME, merge_layouts
from tbtui.plugins.custom_scalars.read import list_layout_series, read_layouts_by_run
from tbtui.plugins.custom_scalars.settings import LAYOUT
from tbtui.plugins.custom_scalars.tag_patterns import TagPatterns
from tbtui.settings.settings import Settings
from tbtui.store.snapshot import ScalarSeries
from tbtui.view.natural_order import make_natural_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from tbtui.export.request import ExportRequest
    from tbtui.plugins.custom_scalars.arrangement import ArrangedChart
    from tbtui.plugins.custom_scalars.read import RunLayout
    from tbtui.store.snapshot import RunSnapshot

CUSTOM_COLUMNS = ("step", "wall_time", "value", "category", "chart", "kind", "series", "role")
"""Columns of the table. `series` counts the lines of a chart from 1; `role` is `line`, `value`, `lower` or `upper`."""


def build_custom_tables(request: ExportRequest) -> Iterator[Table]:
    """Yield the points of all charts of the layouts: a point is repeated for each chart that shows it.

    All runs are held at once: the layout of any of them may arrange the scalars of all.
    """
    runs = {run.name: run for run in request.runs}
    sources = _read_sources(request, runs)
    tags = {series.tag for run in runs.values() for series in run.series.values() if isinstance(series, ScalarSeries)}
    patterns = TagPatterns(sorted(tags, key=make_natural_key))
    for category in arrange(sources, patterns, Settings()).categories:
        if category.title in (PINNED, UNREADABLE) and not category.charts:
            continue
        for chart in category.charts:
            yield from _build_chart_tables(request, runs, category.title, chart)


def _read_sources(request: ExportRequest, runs: Mapping[str, RunSnapshot]) -> tuple[RunLayout, ...]:
    file = request.options.get(LAYOUT.name)
    if file is not None:
        return (create_file_source(file),)
    sources = read_layouts_by_run(runs)
    for source in sources:
        request.skipped.add_reasons(source.run, PLUGIN_NAME, source.merged, source.problems)
    return sources


def _build_chart_tables(
    request: ExportRequest, runs: Mapping[str, RunSnapshot], category: str, chart: ArrangedChart
) -> Iterator[Table]:
    matches_chart = request.tag_matches(f"{category}/{chart.card.title}")
    for number, (tag, role, series_number) in enumerate(_list_roles(chart), 1):
        if not (matches_chart or request.tag_matches(tag)):
            continue
        for run in runs.values():
            series = run.series.get(tag)
            if isinstance(series, ScalarSeries) and len(series):
                points = select_current(series, request.skipped) if request.current else series
                texts = (category, chart.chart.title, chart.chart.kind)
                count = len(points)
                columns = {
                    "step": points.steps,
                    "wall_time": points.wall_times,
                    "value": points.values,
                    **{
                        name: build_object_column([text] * count)
                        for name, text in zip(("category", "chart", "kind"), texts, strict=True)
                    },
                    "series": np.full(count, series_number or number, np.int64),
                    "role": build_object_column([role] * count),
                }
                yield Table(run.name, tag, columns)


def _list_roles(chart: ArrangedChart) -> Iterator[tuple[str, str, int]]:
    """Yield tag, role and number of the series of a margin chart, else of each line with 0 for its number."""
    if chart.chart.kind != "margin":
        yield from ((tag, "line", 0) for tag in chart.card.tags)
        return
    for number, band in enumerate(chart.chart.bands, 1):
        roles = ((band.value, "value"), (band.lower, "lower"), (band.upper, "upper"))
        yield from ((tag, role, number) for tag, role in roles if tag)


def build_layout_documents(request: ExportRequest) -> list[Document]:
    """Return one document: all layouts merged, as JSON that `--layout` and PyTorch's `add_custom_scalars` take."""
    runs = {run.name: run for run in request.runs_without_scalars}
    sources = _read_sources(request, runs)
    layout = merge_layouts([source.layout for source in sources])
    if not layout.categories:
        return []
    problems = tuple(f"{source.run}: {problem}" for source in sources for problem in source.problems)
    step = max(source.step for source in sources)
    tag = next(_list_layout_tags(runs.values()), "layout")
    return [Document(os.curdir, tag, step, lambda _form: DocumentText(iter([layout.to_json()]), problems))]


def _list_layout_tags(runs: Iterable[RunSnapshot]) -> Iterator[str]:
    return (series.tag for run in runs for series in list_layout_series(run))
