"""Forms, lists and pages that the keys of the projector open."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tbtui.charts.cells import Ink
from tbtui.charts.styled_text import Row
from tbtui.plugins.projector import strings
from tbtui.plugins.projector.pane.forms import (
    axes_fields,
    axes_reader,
    columns_fields,
    layout_fields,
    source_rows,
    version_rows,
    with_parameters,
)
from tbtui.plugins.projector.scene import colour_columns
from tbtui.plugins.projector.session import ALL_STEPS

if TYPE_CHECKING:
    from collections.abc import Callable

    from tbtui.plugins.projector.pane.pane import ProjectorPane
    from tbtui.plugins.projector.session import MapSession

_ALL = "all"


def open_layout_form(pane: ProjectorPane) -> None:
    """Open the form of parameters."""
    open_form(
        pane, "layout", layout_fields(pane.session.layout), lambda entered: with_parameters(pane.session, entered)
    )


def open_axes_form(pane: ProjectorPane) -> None:
    """Open the form of custom axes."""
    points = pane.loader.points
    if points is None:
        return
    if not points.metadata.columns:
        pane.toast(strings.NO_METADATA)
        return
    open_form(pane, "axes between labels", axes_fields(points, pane.session), axes_reader(points, pane.session))


def open_form(
    pane: ProjectorPane,
    title: str,
    fields: Any,
    read_entries: Callable[[dict[str, Any]], MapSession],
    *,
    is_live: bool = False,
) -> None:
    """Open a form whose entries change the session; `is_live`: after each change."""
    from tbtui.widgets.form import FormScreen

    def apply(session: MapSession | None) -> None:
        if session is not None:
            pane.change(session)

    pane.app.push_screen(FormScreen(title, fields, read_entries, live=apply if is_live else None), apply)


def open_columns_form(pane: ProjectorPane) -> None:
    """Open the form of columns."""
    points = pane.loader.points
    if points is None:
        return
    if not points.metadata.columns:
        pane.toast(strings.NO_METADATA)
        return
    fields = columns_fields(points, pane.session, colour_columns(points))
    open_form(pane, "columns", fields, lambda entered: replace(pane.session, **entered), is_live=True)


def open_source_list(pane: ProjectorPane) -> None:
    """Open the list of all embeddings."""
    from tbtui.widgets.chooser import open_chooser

    listed = pane.loader.listed
    if listed is None or len(listed.sources) < 2:
        pane.toast(strings.NO_OTHER)
        return
    sources = listed.sources
    rows = source_rows(sources, dict(pane.view.inks) if pane.view is not None else {})
    shown = pane.loader.source
    selected = next((str(index) for index, other in enumerate(sources) if shown and other.key == shown.key), "0")

    def show(key: str) -> None:
        pane.navigator.choose(sources[int(key)])

    open_chooser(pane.app, "choose an embedding", lambda _: rows, selected, "I", show)


def open_comparison_list(pane: ProjectorPane) -> None:
    """Choose a step or a run to compare with, or end the comparison."""
    from tbtui.widgets.chooser import open_chooser

    listed, source = pane.loader.listed, pane.loader.source
    if listed is None or source is None:
        return
    inks = dict(pane.view.inks) if pane.view is not None else {}
    rows, choices = version_rows(listed.sources, (source, pane.loader.version), inks)
    steps = len(source.embedding.versions)
    if steps > 2:
        text = f"all {steps:,} steps: the paths of the points"
        rows.insert(0, Row(_ALL, ((" ↝ ", Ink.ACCENT),), text))
    if not rows:
        pane.toast("there is no other step and no other embedding to compare with")
        return

    def show(key: str) -> None:
        other, version = (source, ALL_STEPS) if key == _ALL else choices[int(key)]
        pane.loader.comparison = None
        pane.change(replace(pane.session, baseline=(other.key, version), listed="moved"))

    open_chooser(pane.app, "compare with", lambda _: rows, rows[0].key, "d", show)


def open_about_page(pane: ProjectorPane) -> None:
    """Open a page about the embedding."""
    from tbtui.widgets.text_page import open_text_page

    scene, listed, source = pane.scene, pane.loader.listed, pane.loader.source
    if source is None or listed is None:
        return
    if scene is None:
        lines = strings.about_source(source, pane.loader.version, listed)
        open_text_page(pane.app, pane.worker, "embedding", lambda: lines)
        return
    open_text_page(pane.app, pane.worker, "embedding", lambda: strings.about(scene, listed))
