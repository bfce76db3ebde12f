"""Strings of the projector: title, legend, status, details of a point and of an embedding."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.cells import HEAT_LEVELS, Ink, to_heat_inks
from tbtui.charts.numbers import format_count, format_number, format_size, format_step
from tbtui.charts.series_colours import get_series_marker
from tbtui.charts.styled_text import cut_pieces, pieces_width, spread_pieces
from tbtui.charts.text import cell_width, fit, format_run_name, safe
from tbtui.plugins.projector.files.metadata import to_natural_key
from tbtui.plugins.projector.layouts import NAMES
from tbtui.plugins.projector.point_lists import format_agreement
from tbtui.plugins.projector.points import MAX_CACHE_BYTES, list_data_notes
from tbtui.plugins.projector.scene import MIN_LEVEL, mark_category
from tbtui.view.run_names import fit_run_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from tbtui.charts.styled_text import Piece
    from tbtui.plugins.projector.files.metadata import Column
    from tbtui.plugins.projector.layouts import LayoutState
    from tbtui.plugins.projector.scene import Scene
    from tbtui.plugins.projector.sources import EmbeddingSource, SourceList

READING = "reading the points …"
NO_EMBEDDING = "no embedding in the visible runs", "the filter of tags also applies to embeddings"
UNREADABLE = "this embedding cannot be shown"
OTHERS = "[ ] step   c chooses another embedding"
NO_OTHER = "there is no other embedding"
ONE_STEP = "this embedding has one step"
NO_COLUMNS = "the metadata have no column to colour by"
NO_PIXELS = "this terminal draws no pixels"
NO_METADATA = "these points have no metadata: colours and labels need some"
NOTHING_ISOLATED = "select points first (space), or highlight neighbours (⏎)"

GRADIENT_CELLS = 12

MAX_SOURCE_COLUMNS = 10_000
"""Columns that suffice for the names of an embedding, however long."""


def format_title(scene: Scene, width: int, *, position: str = "", has_layout: bool = True) -> tuple[Piece, ...]:
    """Return the title: run, embedding and step at the left, shape and layout at the right."""
    if not has_layout:
        return tuple(cut_pieces(_format_scene_source(scene, width, position), width))
    source_width = pieces_width(_format_scene_source(scene, MAX_SOURCE_COLUMNS, position))
    right = fit_layout(scene, max(width - source_width - 2, width // 4))
    left_width = width - pieces_width(right) - 2
    return spread_pieces(_format_scene_source(scene, left_width, position), right, width)


def format_compact_title(scene: Scene, width: int, progress: Sequence[Piece], point: str) -> tuple[Piece, ...]:
    """Return the title of a low pane, which has no other line: embedding, layout, and its progress or the point."""
    source_width = pieces_width(_format_scene_source(scene, MAX_SOURCE_COLUMNS))
    right = tuple(progress) or fit_layout(scene, max(width - source_width - 2, width // 4))
    if pieces_width(right) > width * 2 // 3:
        right = right[:1]
    left_width = width - pieces_width(right) - 2
    left = _format_scene_source(scene, left_width)
    return spread_pieces((*left, (f"  {point}", Ink.ACCENT)) if point else left, right, width)


def _format_scene_source(scene: Scene, width: int, position: str = "") -> tuple[Piece, ...]:
    return format_source(scene.source, scene.version, scene.run_ink, width, position, others=scene.others)


def format_source(
    source: EmbeddingSource,
    version: int,
    ink: int,
    width: int,
    position: str = "",
    *,
    others: Sequence[EmbeddingSource] = (),
) -> tuple[Piece, ...]:
    """Return the names of an embedding in some columns: `● run  tag · step 20  3 of 3`.

    The number among all embeddings is left out first, then the number of the step, then the parts of the names that do
    not distinguish them from those of `others`.
    """
    run, name = format_run_name(source.run), safe(source.embedding.title)
    version_step = source.embedding.versions[version].step
    step_text = f" · step {format_step(version_step)}" if version_step is not None else ""
    count = len(source.embedding.versions)
    version_text = f"  {version + 1} of {count} [ ]" if count > 1 else ""
    bullet: tuple[Piece, ...] = ((f"{get_series_marker(ink)} ", ink),)
    needed = 2 + cell_width(run) + 2 + cell_width(name) + cell_width(step_text)
    if needed + cell_width(version_text) + cell_width(position) + 1 > width:
        position = ""
    if needed + cell_width(version_text) > width:
        version_text = ""
    prefix: tuple[Piece, ...] = ((f"{position} ", Ink.DIM), *bullet) if position else bullet
    names_width = max(width - 4 - cell_width(step_text), 8)
    if cell_width(run) + cell_width(name) > names_width:
        runs = tuple(dict.fromkeys(other.run for other in others))
        titles = tuple(dict.fromkeys(other.embedding.title for other in others))
        run = fit_run_name(source.run, runs, max(names_width - cell_width(name), names_width // 4))
        name = fit_run_name(source.embedding.title, titles, max(names_width - cell_width(run), 4))
    return (*prefix, (run, Ink.DIM), (f"  {name}", Ink.BOLD), (step_text, Ink.TEXT), (version_text, Ink.DIM))


def format_layout(scene: Scene) -> tuple[Piece, ...]:
    """Return shape and layout: `300 points, 16 dimensions · PCA, axes 1 2 · 74.7 % of variance`."""
    return next(_iter_layout_texts(scene))


def fit_layout(scene: Scene, width: int) -> tuple[Piece, ...]:
    """Return the first text of shape and layout that fits into some columns, or else the name of the layout alone.

    The variance is left out before the shape: the components beside the map have it as well.
    """
    texts = list(_iter_layout_texts(scene))
    return next((text for text in texts if pieces_width(text) <= width), texts[-1])


def _iter_layout_texts(scene: Scene) -> Iterator[tuple[Piece, ...]]:
    """Yield ever shorter texts of the shape, the layout and its variance."""
    points, state, choice = scene.points, scene.state, scene.session.layout
    sample = "" if points.is_complete else "sample of "
    point_count = sample + format_count(points.count, "point")
    shape: Piece = (f"{point_count}, {format_count(points.dimensions, 'dimension')} · ", Ink.DIM)
    brief_shape: Piece = (f"{point_count}, {points.dimensions:,}D · ", Ink.DIM)
    name, axes = NAMES[choice.kind], ""
    if choice.kind in ("pca", "raw"):
        axes = ", axes " + " ".join(str(index + 1) for index in choice.components[: choice.dimensions])
    elif choice.dimensions == 3:
        name += " 3D"
    if choice.is_sphereised:
        axes += " sphereised"
    layout: Piece = (name + axes, Ink.TEXT)
    if state.shares and choice.kind == "pca":  # another layout may begin with the picture of components
        variance: Piece = (f" · {sum(state.shares):.1%} of variance", Ink.DIM)
        yield shape, layout, variance
        yield brief_shape, layout, variance
    yield shape, layout
    yield brief_shape, layout
    yield (layout,)
    yield ((name, Ink.TEXT),)


def format_progress(state: LayoutState, width: int, *, paused: bool) -> tuple[Piece, ...]:
    """Return the progress of a layout: `t-SNE iteration 212 of 750 ▇▇▎   37 ms  P pause`."""
    if state.is_done:
        return ()
    from tbtui.plugins.projector.point_lists import draw_bar

    speed = f" {state.milliseconds:.0f} ms" if state.milliseconds else ""
    pieces: list[Piece] = [(state.phase, Ink.ACCENT), (f" ▕{draw_bar(state.part, 8)}▏", Ink.DIM)]
    if width > 50:
        pieces.append((speed, Ink.DIM))
    return (*pieces, ("  P ", Ink.ACCENT), ("go on" if paused else "pause", Ink.DIM))


def format_legend(scene: Scene, width: int) -> tuple[Piece, ...]:
    """Return the meaning of colours, in one line: `by class ● cat 62  ● dog 60  ⋯3`."""
    column, colours = scene.colour_column, scene.colours
    if column is None or colours is None:
        text = "all points alike" if not scene.points.metadata.columns else "no colour (c)"
        return ((text, Ink.FAINT),)
    name = fit(column.name, 20)
    if colours.is_gradient:
        numbers = column.numbers
        if numbers is None:
            return ()
        finite = numbers[np.isfinite(numbers)]
        ramp = np.linspace(MIN_LEVEL, HEAT_LEVELS - 1, GRADIENT_CELLS).astype(int)
        low, high = format_number(float(finite.min())), format_number(float(finite.max()))
        shades: tuple[Piece, ...] = tuple(("█", int(to_heat_inks(level, 0))) for level in ramp.tolist())
        missing = len(numbers) - len(finite)
        rest: tuple[Piece, ...] = ((f"  none {missing:,}", Ink.DIM),) if missing else ()
        return ((f"by {name} ", Ink.DIM), (f"{low} ", Ink.TEXT), *shades, (f" {high}", Ink.TEXT), *rest)
    pieces: list[Piece] = [(f"by {name}", Ink.DIM)]
    counts = np.bincount(column.codes[column.codes >= 0], minlength=len(column.categories))
    entries = [
        (
            ("  ", Ink.TEXT),
            mark_category(scene, code),
            (fit(safe(category), 16), Ink.TEXT),
            (f" {counts[code]:,}", Ink.DIM),
        )
        for code, category in enumerate(column.categories)
    ]
    used, left = pieces_width(pieces), len(entries)
    if used + sum(map(pieces_width, entries)) <= width:  # in natural order, else the most frequent that fit
        entries.sort(key=lambda entry: to_natural_key(entry[2][0]))
    for entry in entries:
        available_width = width - used - (5 if left > 1 else 0)
        if pieces_width(entry) > available_width:
            break
        pieces += entry
        used += pieces_width(entry)
        left -= 1
    if left:
        pieces.append((f"  ⋯{left}", Ink.DIM))
    return tuple(pieces)


def list_notes(scene: Scene) -> tuple[str, ...]:
    """Return notes about the scene for the user, the most important first."""
    points, state = scene.points, scene.state
    scene_notes = [state.note] if state.note else []
    if scene.comparison is not None and scene.comparison.note:
        scene_notes.append(scene.comparison.note)
    if state.laid_out and state.laid_out < int(points.finite.sum()):
        scene_notes.append(f"{state.laid_out:,} of {points.count:,} laid out, the others placed by their neighbours")
    return (*scene_notes, *list_data_notes(points))


def format_status(scene: Scene, width: int) -> str:
    """Return the status line: numbers of points that are shown, selected and found."""
    points, session = scene.points, scene.session
    shown = int(scene.visible.sum())
    total = f"{points.count:,}"
    parts = [f"{shown:,} of {total} points" if shown != points.count else format_count(points.count, "point")]
    if session.isolated is not None:
        parts[0] += " isolated"
    if session.selected:
        parts.append(f"{len(session.selected):,} selected")
    if session.query:
        parts.append(f"{len(scene.matches):,} found")
    if text := format_agreement(scene):
        parts.append(text)
    problems = list_notes(scene)
    if problems:
        parts.append(f"⚠ {problems[0]}" + (f" (+{len(problems) - 1}, i)" if len(problems) > 1 else ""))
    while len(parts) > 1 and cell_width(" · ".join(parts)) > width and not parts[-1].startswith("⚠"):
        parts.pop()
    while len(parts) > 1 and cell_width(" · ".join(parts)) > width:
        parts.pop(-2) if len(parts) > 2 else parts.pop(0)
    return fit(" · ".join(parts), width)


def format_overview(scene: Scene, width: int) -> list[str]:
    """Return lines about all points in `width` columns, while the cursor is on none."""
    lines = []
    agreement = scene.agreement
    if agreement is not None and not np.isnan(agreement.accuracy):
        column = fit(scene.session.colour or "", 16)
        text = f"{agreement.accuracy:.1%} {agreement.neighbours}-NN accuracy"
        full_text = f"{text} by {column}"
        lines.append(full_text if cell_width(full_text) <= width else text)
    elif scene.points.metadata.columns:
        lines.append("arrows go to a point")
    else:
        lines.append("no metadata: points bear numbers")
    return lines


def _measure_component_shares(scene: Scene) -> npt.NDArray[np.float64]:
    """Return the shares of the variance of the shown points that the drawn components have."""
    if scene.state.component_shares:
        return np.asarray(scene.state.component_shares)
    return scene.points.components.shares if scene.points.is_quickly_fitted else np.asarray(scene.state.shares)


def draw_component_bars(scene: Scene, width: int) -> list[tuple[Piece, ...]]:
    """Return one row for each component: its number, a bar and its share of the variance."""
    from tbtui.plugins.projector.point_lists import draw_bar

    shares = _measure_component_shares(scene)
    shown = set(scene.session.layout.components[: scene.session.layout.dimensions])
    rows: list[tuple[Piece, ...]] = []
    max_share = float(shares.max(initial=0)) or 1.0
    for index, share in enumerate(shares.tolist()):
        ink = Ink.ACCENT if index in shown else Ink.DIM
        rows.append(
            (
                (f"{index + 1:>2} ", ink),
                (draw_bar(share / max_share, max(width - 12, 4)), ink),
                (f" {share:6.1%}", Ink.TEXT),
            )
        )
    return rows


def list_point_properties(scene: Scene, point: int) -> list[tuple[str, str]]:
    """Return names and values of the properties of a point: number, metadata and length."""
    points = scene.points
    properties = [("point", str(point))]
    properties += [(safe(column.name), safe(column.texts[point]) or "–") for column in points.metadata.columns]
    length = float(points.index.lengths[point])
    properties.append(("norm", format_number(length)))
    return properties


def describe_embedding(scene: Scene, listed: SourceList) -> list[str]:
    """Return lines about an embedding, its files and its problems."""
    from tbtui.plugins.projector.description import describe_version

    points, source = scene.points, scene.source
    version = source.embedding.versions[scene.version]
    lines = [f"{source.embedding.name} of {source.run}", ""]
    lines += describe_version(version)
    memory = format_size(points.values.nbytes)
    lines.append(f"points      {points.count:,} of {points.dimensions:,} dimensions")
    lines.append(
        f"memory      {memory} for these points;"
        f" those shown before are kept up to {format_size(MAX_CACHE_BYTES)} in all"
    )
    if points.metadata.columns:
        kinds = [f"{column.name} ({_format_kind(column)})" for column in points.metadata.columns[:50]]
        lines.append(f"metadata    {format_count(points.metadata.rows, 'row')}: {', '.join(kinds)}")
    if scene.session.layout.kind == "pca":
        components = scene.state.component_shares or tuple(points.components.shares.tolist())
        shares = ", ".join(f"{share:.1%}" for share in components)
        basis = " of the last step" if scene.state.component_shares else ""
        lines.append(f"variance    {shares} of components 1 to {len(components)}{basis}")
    if text := format_agreement(scene):
        lines.append(f"labels      {text} by {scene.session.colour}")
    if scene_notes := list_notes(scene):
        lines += ["", "What to know", *(f"  {note}" for note in scene_notes)]
    others = [f"  {safe(run)}: {problem}" for run, problem in listed.problems]
    if others:
        lines += ["", "Problems of configurations", *others]
    return lines


def describe_source(source: EmbeddingSource, version: int, listed: SourceList) -> list[str]:
    """Return lines about an embedding whose points cannot be read."""
    from tbtui.plugins.projector.description import describe_version

    lines = [f"{source.embedding.name} of {source.run}", ""]
    lines += describe_version(source.embedding.versions[version])
    others = [f"  {safe(run)}: {problem}" for run, problem in listed.problems]
    return [*lines, "", "Problems of configurations", *others] if others else lines


def _format_kind(column: Column) -> str:
    if column.is_categorical:
        return f"{len(column.categories)} categories"
    return "numbers" if column.numbers is not None else "text"


def list_source_texts(sources: Sequence[EmbeddingSource]) -> list[str]:
    """Return one description per source for a list: number of steps, and origin."""
    texts = []
    for source in sources:
        embedding = source.embedding
        parts = [format_count(len(embedding.versions), "step")] if len(embedding.versions) > 1 else []
        version = embedding.versions[-1]
        if version.checkpoint:
            parts.append("checkpoint")
        if not embedding.is_configured:
            parts.append("not in the configuration")
        if version.problem:
            parts.append("missing")
        texts.append(" · ".join(parts))
    return texts
