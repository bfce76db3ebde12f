"""Lists next to the map: nearest points, mixed labels, points among other labels, matches, points that moved."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.cells import Ink
from tbtui.charts.numbers import format_count
from tbtui.charts.styled_text import Row, pieces_width
from tbtui.charts.text import cell_width, fit, safe
from tbtui.frozen import frozen
from tbtui.plugins.projector.agreement import MAX_AGREEMENT_POINTS
from tbtui.plugins.projector.scene import mark_category, mark_point

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.plugins.projector.scene import Scene

BAR_COLUMNS = 6
MAX_ROWS = 1000
MIN_BAR_WIDTH = 34
"""Columns of a list from which on rows have bars."""

_EIGHTHS = " ▏▎▍▌▋▊▉█"


@frozen
class PointList:
    """Rows of a list; the key of a row is the number of its point, or of a pair of labels."""

    heading: str
    rows: tuple[Row, ...] = ()
    empty: str = ""
    summary: str = ""
    """A further line, such as the number of neighbours with the same label."""


def draw_bar(share: float, columns: int = BAR_COLUMNS) -> str:
    """Return a bar for a share from 0 to 1."""
    eighths = round(float(np.clip(share, 0, 1)) * columns * 8)
    full, rest = divmod(eighths, 8)
    return ("█" * full + (_EIGHTHS[rest] if rest else "")).ljust(columns)


def build_point_list(scene: Scene, width: int) -> PointList:
    """Return the list that the session selects.

    Args:
        scene: The scene.
        width: Columns of a row.
    """
    kind = scene.session.listed
    if kind == "neighbours":
        if scene.session.cursor is None and scene.agreement is not None:
            return _list_confusions(scene, width)
        return _list_nearest(scene, width)
    if kind == "matches":
        return _list_matches(scene)
    if kind == "labels":
        return _label_accuracies(scene)
    if kind == "mixed":
        return _list_confusions(scene, width)
    if kind == "odd":
        return _list_odd_points(scene)
    return _list_moved_points(scene)


def format_distance(value: float) -> str:
    """Return a distance in at most six characters."""
    if not np.isfinite(value):
        return "–"
    if value == 0:
        return "0"
    if value < 0.0005:
        return f"{value:.0e}".replace("e-0", "e-")
    if value < 1:
        return f"{value:.3f}".lstrip("0")
    return f"{value:.2f}" if value < 100 else f"{value:,.0f}" if value < 1e5 else f"{value:.1e}"


def _build_row(scene: Scene, point: int, value: str, extra: str = "") -> Row:
    mark = "✓" if point in scene.session.selected else " "
    number = f" {point}" if scene.points.metadata.columns else ""
    prefix = (
        (f"{mark}{value:>6} ", Ink.DIM),
        *((((extra + " "), Ink.FAINT),) if extra else ()),
        mark_point(scene, point),
    )
    return Row(str(point), prefix, scene.label(point), right=((number, Ink.FAINT),), cut_end=True)


def _list_nearest(scene: Scene, width: int) -> PointList:
    session = scene.session
    metric = "cosine" if session.metric == "cosine" else "Euclidean"
    point = session.centre if session.centre is not None else session.cursor
    if point is None:
        return PointList(f"nearest, {metric}", empty="arrows go to a point")
    neighbours = scene.neighbours
    if neighbours is None or neighbours.point != point:
        return PointList(f"nearest, {metric}", empty="computing …")
    if not scene.points.index.is_usable(session.metric)[point]:
        reason = "NaN or infinite values" if not scene.points.finite[point] else "a zero vector has no direction"
        return PointList(f"nearest, {metric}", empty=reason)
    distances = neighbours.distances
    if not len(distances):
        return PointList(f"nearest, {metric}", empty="no other point")
    smallest = float(distances[distances > 0].min()) if bool((distances > 0).any()) else 1.0
    rows = []
    for index, distance in zip(neighbours.indices.tolist(), distances.tolist(), strict=True):
        nearness = 1 - distance if session.metric == "cosine" else smallest / max(distance, smallest)
        rows.append(
            _build_row(scene, index, format_distance(distance), draw_bar(nearness) if width >= MIN_BAR_WIDTH else "")
        )
    return PointList(f"{len(rows):,} nearest, {metric}", tuple(rows), summary=_format_same_label(scene, point))


def _format_same_label(scene: Scene, point: int) -> str:
    column, neighbours = scene.colour_column, scene.neighbours
    if column is None or not column.is_categorical or neighbours is None or column.codes[point] < 0:
        return ""
    codes = column.codes[neighbours.indices]
    same_count = int((codes == column.codes[point]).sum())
    return f"{same_count:,} of {len(codes):,} are {fit(safe(column.texts[point]), 20)}"


def _list_matches(scene: Scene) -> PointList:
    if not scene.session.query:
        return PointList("found", empty="/ searches the metadata")
    rows = tuple(_build_row(scene, point, "") for point in scene.matches[:MAX_ROWS])
    heading = f"{format_count(len(scene.matches), 'point')} found"
    return PointList(
        heading, rows, "nothing matches", f"the first {MAX_ROWS:,}" if len(scene.matches) > MAX_ROWS else ""
    )


ROW_EDGES = 2
"""Columns of a row beside its texts: a blank before the number, and the scroll bar."""

NO_CATEGORY = "colour by a column of categories (c)"


def _list_confusions(scene: Scene, width: int) -> PointList:
    """Return the pairs of labels whose second one is among the neighbours of the first."""
    column, agreement = scene.colour_column, scene.agreement
    if column is None or not column.is_categorical:
        return PointList("labels that are mixed", empty=NO_CATEGORY)
    if agreement is None:
        return PointList("labels that are mixed", empty="computing …")
    rows = []
    for label, other, share in agreement.list_confusions()[:MAX_ROWS]:
        first, second = (fit(safe(column.categories[code]), max(width // 3, 6)) for code in (label, other))
        prefix = (
            (f" {share:>4.0%} ", Ink.DIM),
            mark_category(scene, label),
            (first, Ink.TEXT),
            (" near ", Ink.DIM),
        )
        lead = (*prefix, mark_category(scene, other))
        count, total = int(agreement.counts[label, other]), int(agreement.counts[label].sum())
        room = width - pieces_width(lead) - cell_width(second) - ROW_EDGES
        texts = (f"{count:,} of {total:,}", f"{count:,}", "")
        right = next((text for text in texts if cell_width(text) <= room), "")
        rows.append(Row(f"{label}:{other}", lead, second, right=((right, Ink.DIM),)))
    return PointList("labels that are mixed", tuple(rows), "no label is mixed with another", format_agreement(scene))


def _label_accuracies(scene: Scene) -> PointList:
    """Return the accuracy of each label in ascending order; the key of a row pairs the label with itself."""
    column, agreement = scene.colour_column, scene.agreement
    heading = "accuracy by label"
    if column is None or not column.is_categorical:
        return PointList(heading, empty=NO_CATEGORY)
    if agreement is None:
        return PointList(heading, empty="computing …")
    purity = agreement.label_purity()
    rated = [code for code in range(len(column.categories)) if np.isfinite(agreement.accuracies[code])]
    rows = []
    for code in sorted(rated, key=lambda code: (agreement.accuracies[code], code)):
        prefix = ((f" {agreement.accuracies[code]:>6.1%} ", Ink.TEXT), mark_category(scene, code))
        right = ((f"{purity[code]:>5.0%}", Ink.DIM), (f" {agreement.rated[code]:>5,}", Ink.FAINT))
        rows.append(Row(f"{code}:{code}", prefix, safe(column.categories[code]), right=right, cut_end=True))
    summary = f"{agreement.neighbours}-NN accuracy · purity · points"
    return PointList(heading, tuple(rows), "no label has neighbours", summary)


def format_agreement(scene: Scene) -> str:
    """Return the agreement of labels with neighbours: `10-NN accuracy 98.2 % · purity .97`."""
    agreement = scene.agreement
    if agreement is None or np.isnan(agreement.accuracy):
        return ""
    rated = int(agreement.rated.sum())
    sampled = f" of {rated:,} points" if scene.points.count > MAX_AGREEMENT_POINTS else ""
    return f"{agreement.neighbours}-NN accuracy {agreement.accuracy:.1%} · purity {agreement.purity:.1%}{sampled}"


def _list_odd_points(scene: Scene) -> PointList:
    """Return the points whose neighbours have other labels, those with most of them first."""
    column, agreement = scene.colour_column, scene.agreement
    heading = "points among other labels"
    if column is None or not column.is_categorical:
        return PointList(heading, empty=NO_CATEGORY)
    if agreement is None:
        return PointList(heading, empty="computing …")
    shares = np.where(np.isnan(agreement.shares), 2, agreement.shares)
    order = np.argsort(shares, kind="stable")[:MAX_ROWS]
    rows = [_build_row(scene, int(point), f"{shares[point]:.0%}") for point in order if shares[point] < 0.5]
    return PointList(heading, tuple(rows), "all points are among their own label", "share of 10 nearest with its label")


def _list_moved_points(scene: Scene) -> PointList:
    """Return the points that moved most against the compared version."""
    comparison = scene.comparison
    if comparison is None:
        return PointList("points that moved", empty="d compares with another step or run")
    in_both = np.flatnonzero(np.isfinite(comparison.distances))
    order = in_both[np.argsort(-comparison.distances[in_both], kind="stable")][:MAX_ROWS]
    rows = []
    for point in order.tolist():
        kept_share = comparison.kept_shares[point]
        row = _build_row(scene, point, format_distance(float(comparison.distances[point])))
        if np.isfinite(kept_share):
            row = Row(
                row.key, row.prefix, row.label, right=((f"{kept_share:>4.0%}", Ink.DIM), *row.right), cut_end=True
            )
        rows.append(row)
    kept_shares = comparison.kept_shares[np.isfinite(comparison.kept_shares)]
    summary = f"{float(kept_shares.mean()):.0%} of 15 neighbours kept" if len(kept_shares) else ""
    if comparison.paths:
        heading = f"moved over {len(comparison.paths)} steps"
        return PointList(heading, tuple(rows), "no point is in all steps", summary)
    return PointList("points that moved", tuple(rows), "no point is in both", summary)


def label_lines(scene: Scene, points: Sequence[int]) -> str:
    """Return the labels of points, one per line, for the clipboard."""
    return "\n".join(scene.label(point) for point in points)
