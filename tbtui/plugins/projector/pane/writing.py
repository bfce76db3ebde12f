"""The form that writes the points to a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.charts.numbers import counted
from tbtui.charts.text import safe
from tbtui.export.table import Table
from tbtui.plugins.projector.bookmarks import bookmarks_text, view_of
from tbtui.plugins.projector.table import POINT_COLUMNS, metadata_columns, point_table
from tbtui.widgets.form_fields import Choice
from tbtui.widgets.save_dialog import FileSaver, file_fields

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tbtui.export.output import SavedFile
    from tbtui.plugins.projector.pane.pane import ProjectorPane
    from tbtui.plugins.projector.scene import Scene


class NoPointError(Exception):
    """There is no point to write."""


class PointWriting(FileSaver):
    """Writes points with their coordinates on the map and their metadata."""

    nothing = NoPointError, "points"

    def __init__(self, scene: Scene) -> None:
        super().__init__()
        self._scene = scene

    def pieces(self, entered: dict[str, Any]) -> Iterator[str]:
        """Yield the view as a bookmark of TensorBoard, or the points as a table."""
        if entered["content"] != "view":
            yield from super().pieces(entered)
            return
        scene = self._scene
        self._rows = 1
        yield bookmarks_text([view_of(scene.session, scene.points, scene.source.embedding.title)])

    def tables(self, entered: dict[str, Any]) -> tuple[Sequence[str], Iterable[Table]]:
        """Return the columns, and the chosen points."""
        scene = self._scene
        columns = metadata_columns(scene.points)
        whole = point_table(scene.source, scene.version, scene.points, scene.state, columns)
        chosen = np.ones(len(whole), np.bool_)
        if entered["points"] == "shown":
            chosen = scene.visible
        elif entered["points"] == "highlighted":
            chosen = np.zeros(len(whole), np.bool_)
            chosen[scene.highlighted] = True
        if not bool(chosen.any()):
            raise NoPointError("there are none")
        part = {name: column[chosen] for name, column in whole.columns.items()}
        return (*POINT_COLUMNS, *columns), [Table(whole.run, whole.tag, part)]


def open_write_form(pane: ProjectorPane, scene: Scene) -> None:
    """Open the form that writes points."""
    from tbtui.widgets.form import FormScreen

    which = (("all", "all"), ("shown", "shown"), ("highlighted", "selected and found"))
    what = (("points", "points"), ("view", "this view, as a bookmark of TensorBoard (JSON)"))
    fields = file_fields(
        "points.csv",
        Choice("content", "content", what, "points", "coordinates with metadata, or what is shown and selected"),
        Choice("points", "points", which, "all", "which points are written"),
    )
    writing = PointWriting(scene)

    def show(written: SavedFile | None) -> None:
        if written is not None:
            pane.notify(safe(f"{counted(written.rows, 'row')} in {written.path}"), title="written", markup=False)

    title = safe(f"write {scene.source.embedding.title}")
    pane.app.push_screen(FormScreen(title, fields, writing, slow=True, cancel=writing.stop), show)
