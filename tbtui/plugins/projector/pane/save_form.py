"""The form that writes the points to a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.charts.numbers import counted
from tbtui.charts.text import safe
from tbtui.export.table import Table
from tbtui.plugins.projector.bookmarks import encode_bookmarks, save_state
from tbtui.plugins.projector.export import POINT_COLUMNS, build_point_table, name_metadata_columns
from tbtui.widgets.file_saver import FileSaver, create_file_fields, propose_name
from tbtui.widgets.form_fields import Choice

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tbtui.export.output import SavedFile
    from tbtui.plugins.projector.pane.pane import ProjectorPane
    from tbtui.plugins.projector.scene import Scene


PICTURE_SUFFIXES = frozenset({".svg", ".png"})


class NoPointError(Exception):
    """There is no point to write."""


class PointSaver(FileSaver):
    """Writes points with their coordinates on the map and their metadata."""

    no_data_error = NoPointError
    no_data_field = "points"

    def __init__(self, scene: Scene) -> None:
        super().__init__()
        self._scene = scene

    def pieces(self, entered: dict[str, Any]) -> Iterator[str | bytes]:
        """Yield the map as a picture, the view as a bookmark of TensorBoard, or the points as a table."""
        scene, path = self._scene, entered["path"]
        if path.suffix.lower() in PICTURE_SUFFIXES:
            self._rows = int(scene.visible.sum())
            yield from iter_picture(scene, path.suffix.lower())
        elif entered["content"] == "view":
            self._rows = 1
            yield encode_bookmarks([save_state(scene.session, scene.points, scene.source.embedding.title)])
        else:
            yield from super().pieces(entered)

    def tables(self, entered: dict[str, Any]) -> tuple[Sequence[str], Iterable[Table]]:
        """Return the columns, and the chosen points."""
        scene = self._scene
        columns = name_metadata_columns(scene.points)
        table = build_point_table(scene.source, scene.version, scene.points, scene.state, columns)
        is_chosen = np.ones(len(table), np.bool_)
        if entered["points"] == "shown":
            is_chosen = scene.visible
        elif entered["points"] == "highlighted":
            is_chosen = np.zeros(len(table), np.bool_)
            is_chosen[scene.highlighted] = True
        if not bool(is_chosen.any()):
            raise NoPointError("there are none")
        columns_of_points = {name: column[is_chosen] for name, column in table.columns.items()}
        return (*POINT_COLUMNS, *columns), [Table(table.run, table.tag, columns_of_points)]


def iter_picture(scene: Scene, suffix: str) -> Iterator[str | bytes]:
    """Yield the present map as a picture on white."""
    from tbtui.charts.ink_colours import PAPER_THEME_COLOURS, InkTheme
    from tbtui.plugins.projector.map_drawing import draw_scene

    drawing = draw_scene(scene, InkTheme(PAPER_THEME_COLOURS), ground=PAPER_THEME_COLOURS.background)
    if suffix == ".png":
        from tbtui.export.drawing.png import encode_png

        yield encode_png(drawing)
        return
    from tbtui.export.drawing.svg import encode_svg

    yield from encode_svg(drawing)


def open_save_form(pane: ProjectorPane, scene: Scene) -> None:
    """Open the form that writes points."""
    from tbtui.widgets.form import FormScreen

    point_choices = (("all", "all"), ("shown", "shown"), ("highlighted", "selected and found"))
    contents = (("points", "points"), ("view", "this view, as a bookmark of TensorBoard (JSON)"))
    fields = create_file_fields(
        propose_name("points.csv", scene.source.run, scene.source.embedding.title),
        Choice("content", "content", contents, "points", "a file named *.svg or *.png is a picture of the map instead"),
        Choice("points", "points", point_choices, "all", "which points are written"),
    )
    saver = PointSaver(scene)

    def notify(written: SavedFile | None) -> None:
        if written is not None:
            noun = "point" if written.path.suffix.lower() in PICTURE_SUFFIXES else "row"
            pane.notify(safe(f"{counted(written.rows, noun)} in {written.path}"), title="written", markup=False)

    title = safe(f"write {scene.source.embedding.title}")
    pane.app.push_screen(FormScreen(title, fields, saver, slow=True, cancel=saver.stop), notify)
