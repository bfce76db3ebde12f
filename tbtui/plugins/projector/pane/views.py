"""Saved views: a list to choose one, and a form to save the present one."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

from tbtui.charts.cells import Ink
from tbtui.charts.styled_text import Row
from tbtui.charts.text import safe
from tbtui.plugins.projector.bookmarks import Bookmark, parse_bookmarks, read_bookmarks, restored_session, view_state
from tbtui.plugins.projector.settings import VIEWS
from tbtui.settings.kinds import MAX_TEXT_CHARS
from tbtui.widgets.form_fields import FieldError, Text
from tbtui.widgets.pane import Choose

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tbtui.plugins.projector.pane.pane import ProjectorPane
    from tbtui.plugins.projector.scene import Scene
    from tbtui.settings.settings import Settings

_SEPARATOR = "\n"
SAVE = "save"
NOTES = {"settings": "saved here", "file": "in the bookmarks of the log"}


def open_views(pane: ProjectorPane, scene: Scene) -> None:
    """Open the list of views; the first row saves the present one."""
    from tbtui.widgets.chooser import open_chooser

    version = scene.points.version
    file_views, problem = ([], "") if version is None else read_bookmarks(version)
    if problem:
        pane.notify(safe(problem), severity="warning", markup=False)
    texts = {} if pane.view is None else VIEWS.value(pane.view.settings)
    saved = saved_views(texts, scene.source.embedding.name)
    views = [*((view, "settings") for view in saved), *((view, "file") for view in file_views)]
    rows = [Row(SAVE, ((" + ", Ink.ACCENT),), "save this view", Ink.TEXT)]
    for number, (view, origin) in enumerate(views):
        rows.append(Row(str(number), (("   ", Ink.NONE),), safe(view.label), right=((NOTES[origin], Ink.DIM),)))

    def show(key: str) -> None:
        if key == SAVE:
            _open_form(pane, scene)
        else:
            view, _ = views[int(key)]
            pane.change(restored_session(view.state, scene.points, pane.session))

    open_chooser(pane.app, "saved views", lambda _: rows, "0" if views else SAVE, "W", show)


def saved_views(texts: Mapping[str, str], embedding: str) -> list[Bookmark]:
    """Return the saved views of an embedding, in the order of their names."""
    bookmarks = []
    for key in sorted(texts):
        name, _, label = key.partition(_SEPARATOR)
        if name == embedding:
            try:
                views = parse_bookmarks(f"[{texts[key]}]")
            except ValueError:
                continue  # the settings file was edited by hand
            bookmarks += [Bookmark(label, view.state) for view in views]
    return bookmarks


def _open_form(pane: ProjectorPane, scene: Scene) -> None:
    from tbtui.widgets.form import FormScreen

    def save(name: str | None) -> None:
        if name is not None:
            pane.notify(safe(f"saved as {name}; W lists all views"), markup=False)

    field = Text("name", "name", "", str, "an empty name is refused; an equal one is replaced")
    pane.app.push_screen(FormScreen("save this view", (field,), partial(_save, pane, scene)), save)


def _save(pane: ProjectorPane, scene: Scene, entered: dict[str, Any]) -> str:
    name: str = entered["name"].strip()
    if not name:
        raise FieldError("name", "which name?")
    state = view_state(scene.session, scene.points, name)
    state.pop("tbtuiSelectedLabels")
    text = json.dumps(state, separators=(",", ":"))
    if len(text) > MAX_TEXT_CHARS:
        raise FieldError("name", "too many points are selected to keep the view: write it to a file (w)")
    key = f"{scene.source.embedding.name}{_SEPARATOR}{name}"

    def change(settings: Settings) -> Settings:
        return VIEWS.with_value(settings, {**VIEWS.value(settings), key: text})

    pane.post_message(Choose(change))
    return name
