"""Forms, lists and pages that the keys of the projector open; imported when the first of them is opened."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.charts.cells import Ink
from tbtui.charts.numbers import format_count, format_step
from tbtui.charts.series_colours import get_series_marker
from tbtui.charts.styled_text import Row
from tbtui.charts.text import format_run_name, safe
from tbtui.export.table import Table
from tbtui.maths.layouts import MIN_DISTANCES
from tbtui.plugins.projector import strings
from tbtui.plugins.projector.bookmarks import (
    Bookmark,
    encode_bookmarks,
    parse_bookmarks,
    read_bookmarks,
    restore_session,
    save_state,
)
from tbtui.plugins.projector.export import POINT_COLUMNS, build_point_table, name_metadata_columns
from tbtui.plugins.projector.layouts import (
    KINDS,
    MAX_NEIGHBOURS,
    MAX_PERPLEXITY,
    MIN_NEIGHBOURS,
    MIN_PERPLEXITY,
    NAMES,
    AxisQuery,
    LayoutChoice,
    create_default_choice,
    match_points,
)
from tbtui.plugins.projector.scene import colour_columns
from tbtui.plugins.projector.session import ALL_STEPS, MapSession, with_layout
from tbtui.plugins.projector.settings import VIEWS
from tbtui.settings.kinds import MAX_TEXT_CHARS
from tbtui.widgets.file_saver import FileSaver, create_file_fields, propose_name
from tbtui.widgets.form_fields import Choice, FieldError, Text, create_switch_field, group_fields
from tbtui.widgets.pane import Choose

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tbtui.export.output import SavedFile
    from tbtui.plugins.projector.pane.pane import ProjectorPane
    from tbtui.plugins.projector.points import Points
    from tbtui.plugins.projector.scene import Scene
    from tbtui.plugins.projector.session import MapSession
    from tbtui.plugins.projector.sources import EmbeddingSource
    from tbtui.settings.settings import Settings
    from tbtui.widgets.form_fields import Field


def open_layout_form(pane: ProjectorPane) -> None:
    """Open the form of parameters."""
    choice, points = pane.session.layout, pane.loader.points
    fields = _build_layout_fields(choice, choice if points is None else create_default_choice(points))
    _open_form(pane, "layout", fields, partial(_apply_parameters, pane.session))


MAX_ITERATIONS = 100_000
MAX_SEED = (1 << 31) - 1

SPHEREISE_HINT = (
    "move points to a mean of zero and length 1 first; lists of neighbours stay those of the original vectors"
)
DISTANCE_HINT = "UMAP-like: how near points may lie"


def _build_layout_fields(choice: LayoutChoice, default: LayoutChoice) -> tuple[Field, ...]:
    """Return the fields of all parameters of layouts.

    Args:
        choice: The present parameters.
        default: Those that the points get without a choice.
    """
    metrics = (("euclidean", "Euclidean"), ("cosine", "cosine"))
    distances = tuple((distance, f"{distance:g}") for distance in MIN_DISTANCES)
    kinds = tuple((kind, NAMES[kind]) for kind in KINDS)
    return (
        *group_fields(
            "Layout",
            Choice("kind", "layout", kinds, choice.kind, "how points are placed", default.kind),
            Choice("dimensions", "dimensions", ((2, "2"), (3, "3")), choice.dimensions, "", default.dimensions),
            create_switch_field(
                "is_sphereised", "sphereise", choice.is_sphereised, SPHEREISE_HINT, default=default.is_sphereised
            ),
            Choice("metric", "distance", metrics, choice.metric, "of t-SNE and the UMAP-like layout", default.metric),
            _number_field("seed", choice, default, (0, MAX_SEED), "equal seeds give equal pictures"),
        ),
        *group_fields(
            "t-SNE",
            _number_field("perplexity", choice, default, (MIN_PERPLEXITY, MAX_PERPLEXITY), "of t-SNE"),
            _number_field("iterations", choice, default, (1, MAX_ITERATIONS), "of t-SNE"),
        ),
        *group_fields(
            "UMAP-like",
            _number_field("neighbours", choice, default, (MIN_NEIGHBOURS, MAX_NEIGHBOURS), "UMAP-like"),
            Choice("min_distance", "min distance", distances, choice.min_distance, DISTANCE_HINT, default.min_distance),
            _number_field("epochs", choice, default, (1, MAX_ITERATIONS), "of the UMAP-like layout"),
        ),
    )


def _number_field(name: str, choice: LayoutChoice, default: LayoutChoice, limits: tuple[int, int], hint: str) -> Text:
    """Return the field of a whole number."""
    shown, default_text = (str(getattr(parameters, name)) for parameters in (choice, default))
    return Text(name, name, shown, _create_integer_parser(*limits), hint, default_text)


def _create_integer_parser(low: int, high: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            raise ValueError("a whole number") from None
        if not low <= number <= high:
            raise ValueError(f"from {low:,} to {high:,}")
        return number

    return read


def _apply_parameters(session: MapSession, entered: dict[str, Any]) -> MapSession:
    """Return the session with the entries of `_build_layout_fields`."""
    return with_layout(session, replace(session.layout, **entered))


def open_axes_form(pane: ProjectorPane) -> None:
    """Open the form of custom axes."""
    points = pane.loader.points
    if points is None:
        return
    if not points.metadata.columns:
        pane.toast(strings.NO_METADATA)
        return
    _open_form(
        pane,
        "axes between labels",
        _build_axes_fields(points, pane.session),
        partial(_apply_axes, points, pane.session),
    )


def _build_axes_fields(points: Points, session: MapSession) -> tuple[Field, ...]:
    """Return the fields of custom axes."""
    query = session.layout.axes
    columns = ((None, "labels"), *((column.name, safe(column.name)) for column in points.metadata.columns))
    hint = "a regular expression; the axis leads from the mean of its matches"
    return (
        Text("left", "left", query.left, str, f"{hint} …", ""),
        Text("right", "right", query.right, str, "… to the mean of these", ""),
        Text("down", "down", query.down, str, "empty: what varies most beside the other axis", ""),
        Text("up", "up", query.up, str, "… upwards to the mean of these", ""),
        Choice("column", "column", columns, query.column, "column that is searched", None),
    )


def _apply_axes(points: Points, session: MapSession, entered: dict[str, Any]) -> MapSession:
    """Return the session with the entries of `_build_axes_fields`.

    Raises:
        FieldError: An entry is missing or matches no point.
    """
    if not any(entered[name] for name in ("left", "right", "down", "up")):
        raise FieldError("left", "which labels?")
    for name, other in (("left", "right"), ("right", "left"), ("down", "up"), ("up", "down")):
        if entered[other] and not entered[name]:
            raise FieldError(name, "an axis needs both ends")
        if not entered[name]:
            continue
        try:
            is_match = match_points(points, entered[name], entered["column"])
        except ValueError as error:
            raise FieldError(name, str(error)) from None
        if not bool((is_match & points.finite).any()):
            raise FieldError(name, "nothing matches")
    return with_layout(session, replace(session.layout, kind="axes", axes=AxisQuery(**entered)))


def open_columns_form(pane: ProjectorPane) -> None:
    """Open the form of columns."""
    points = pane.loader.points
    if points is None:
        return
    if not points.metadata.columns:
        pane.toast(strings.NO_METADATA)
        return
    fields = _build_columns_fields(points, pane.session, colour_columns(points))
    _open_form(pane, "columns", fields, lambda entered: replace(pane.session, **entered), is_live=True)


def _build_columns_fields(points: Points, session: MapSession, colour_names: Sequence[str]) -> tuple[Field, ...]:
    """Return the fields of the columns for colours, labels and the search."""
    names = tuple((column.name, safe(column.name)) for column in points.metadata.columns)
    colours = ((None, "none"), *((name, safe(name)) for name in colour_names))
    return (
        Choice("colour", "colour", colours, session.colour, "column by which points are coloured", None),
        Choice("label", "label", ((None, "auto"), *names), session.label, "column of the labels", None),
        Choice(
            "search_column", "search", ((None, "labels"), *names), session.search_column, "column that / searches", None
        ),
    )


def _open_form(
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


def open_source_list(pane: ProjectorPane) -> None:
    """Open the list of all embeddings."""
    from tbtui.widgets.chooser import open_chooser

    listed = pane.loader.listed
    if listed is None or len(listed.sources) < 2:
        pane.toast(strings.NO_OTHER)
        return
    sources = listed.sources
    rows = _build_source_rows(sources, dict(pane.view.inks) if pane.view is not None else {})
    shown = pane.loader.source
    selected = next((str(index) for index, other in enumerate(sources) if shown and other.key == shown.key), "0")

    def show(key: str) -> None:
        pane.navigator.choose(sources[int(key)])

    open_chooser(pane.app, "choose an embedding", lambda _: rows, selected, "I", show)


def _build_source_rows(sources: Sequence[EmbeddingSource], inks: dict[str, int]) -> list[Row]:
    """Return a row for each embedding."""
    rows = []
    for number, (source, text) in enumerate(zip(sources, strings.list_source_texts(sources), strict=True)):
        ink = inks.get(source.run, 0)
        label = f"{format_run_name(source.run)}  {safe(source.embedding.title)}"
        marker = ((f" {get_series_marker(ink)} ", ink),)
        rows.append(Row(str(number), marker, label, right=((f"{text} ", Ink.DIM),)))
    return rows


_ALL_STEPS_KEY = "all"


def open_comparison_list(pane: ProjectorPane) -> None:
    """Choose a step or a run to compare with, or end the comparison."""
    from tbtui.widgets.chooser import open_chooser

    listed, source = pane.loader.listed, pane.loader.source
    if listed is None or source is None:
        return
    inks = dict(pane.view.inks) if pane.view is not None else {}
    rows, choices = _build_version_rows(listed.sources, (source, pane.loader.version), inks)
    steps = len(source.embedding.versions)
    if steps > 2:
        text = f"all {steps:,} steps: the paths of the points"
        rows.insert(0, Row(_ALL_STEPS_KEY, ((" ↝ ", Ink.ACCENT),), text))
    if not rows:
        pane.toast("there is no other step and no other embedding to compare with")
        return

    def show(key: str) -> None:
        other, version = (source, ALL_STEPS) if key == _ALL_STEPS_KEY else choices[int(key)]
        pane.loader.comparison = None
        pane.change(replace(pane.session, baseline=(other.key, version), listed="moved"))

    open_chooser(pane.app, "compare with", lambda _: rows, rows[0].key, "d", show)


def _build_version_rows(
    sources: Sequence[EmbeddingSource], shown: tuple[EmbeddingSource, int], inks: dict[str, int]
) -> tuple[list[Row], list[tuple[EmbeddingSource, int]]]:
    """Return a row for each version that the shown one can be compared with, and these versions.

    The other steps come first, then embeddings of the same name in other runs, then all others.
    """
    source, version = shown
    choices = [(source, index) for index in range(len(source.embedding.versions)) if index != version]
    others = [other for other in sources if other.key != source.key]
    others.sort(key=lambda other: other.embedding.name != source.embedding.name)
    shown_step = source.embedding.versions[version].step
    choices += [(other, other.find_version(shown_step)) for other in others]
    rows = []
    for number, (other, index) in enumerate(choices):
        ink = inks.get(other.run, 0)
        other_step = other.embedding.versions[index].step
        step_text = "" if other_step is None else f"step {format_step(other_step)} "
        label = f"{format_run_name(other.run)}  {safe(other.embedding.title)}"
        rows.append(Row(str(number), ((f" {get_series_marker(ink)} ", ink),), label, right=((step_text, Ink.DIM),)))
    return rows, choices


def open_about_page(pane: ProjectorPane) -> None:
    """Open a page about the embedding."""
    from tbtui.widgets.text_page import open_text_page

    scene, listed, source = pane.scene, pane.loader.listed, pane.loader.source
    if source is None or listed is None:
        return
    if scene is None:
        lines = strings.describe_source(source, pane.loader.version, listed)
        open_text_page(pane.app, pane.worker, "embedding", lambda: lines)
        return
    open_text_page(pane.app, pane.worker, "embedding", lambda: strings.describe_embedding(scene, listed))


_SEPARATOR = "\n"
_SAVE_KEY = "save"
_ORIGIN_NOTES = {"settings": "saved here", "file": "in the bookmarks of the log"}


def open_views(pane: ProjectorPane, scene: Scene) -> None:
    """Open the list of views; the first row saves the present one."""
    from tbtui.widgets.chooser import open_chooser

    version = scene.points.version
    file_views, problem = ([], "") if version is None else read_bookmarks(version)
    if problem:
        pane.notify(safe(problem), severity="warning", markup=False)
    texts = {} if pane.view is None else VIEWS.value(pane.view.settings)
    saved = _list_saved_views(texts, scene.source.embedding.name)
    views = [*((view, "settings") for view in saved), *((view, "file") for view in file_views)]
    rows = [Row(_SAVE_KEY, ((" + ", Ink.ACCENT),), "save this view", Ink.TEXT)]
    for number, (view, origin) in enumerate(views):
        rows.append(Row(str(number), (("   ", Ink.NONE),), safe(view.label), right=((_ORIGIN_NOTES[origin], Ink.DIM),)))

    def show(key: str) -> None:
        if key == _SAVE_KEY:
            _open_view_form(pane, scene)
        else:
            view, _ = views[int(key)]
            pane.change(restore_session(view.state, scene.points, pane.session))

    open_chooser(pane.app, "saved views", lambda _: rows, "0" if views else _SAVE_KEY, "W", show)


def _list_saved_views(texts: Mapping[str, str], embedding: str) -> list[Bookmark]:
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


def _open_view_form(pane: ProjectorPane, scene: Scene) -> None:
    from tbtui.widgets.form import FormScreen

    def save(name: str | None) -> None:
        if name is not None:
            pane.notify(safe(f"saved as {name}; W lists all views"), markup=False)

    field = Text("name", "name", "", str, "an empty name is refused; an equal one is replaced")
    pane.app.push_screen(FormScreen("save this view", (field,), partial(_save_view, pane, scene)), save)


def _save_view(pane: ProjectorPane, scene: Scene, entered: dict[str, Any]) -> str:
    name: str = entered["name"].strip()
    if not name:
        raise FieldError("name", "which name?")
    state = save_state(scene.session, scene.points, name)
    state.pop("tbtuiSelectedLabels")
    text = json.dumps(state, separators=(",", ":"))
    if len(text) > MAX_TEXT_CHARS:
        raise FieldError("name", "too many points are selected to keep the view: write it to a file (w)")
    key = f"{scene.source.embedding.name}{_SEPARATOR}{name}"

    def change(settings: Settings) -> Settings:
        return VIEWS.with_value(settings, {**VIEWS.value(settings), key: text})

    pane.post_message(Choose(change))
    return name


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
            pane.notify(safe(f"{format_count(written.rows, noun)} in {written.path}"), title="written", markup=False)

    title = safe(f"write {scene.source.embedding.title}")
    pane.app.push_screen(FormScreen(title, fields, saver, slow=True, cancel=saver.stop), notify)
