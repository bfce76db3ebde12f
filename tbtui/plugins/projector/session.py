"""State of the map: layout, colours, selection and lists. Each key replaces it by another one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from tbtui.charts.point_cloud import Camera
from tbtui.frozen import frozen
from tbtui.plugins.projector.layouts import KINDS, LayoutChoice

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    from tbtui.maths.neighbours import Metric
    from tbtui.plugins.projector.points import Points

    Mask: TypeAlias = npt.NDArray[np.bool_]

ListKind: TypeAlias = Literal["neighbours", "matches", "labels", "mixed", "odd", "moved"]
LIST_KINDS: tuple[ListKind, ...] = ("neighbours", "labels", "mixed", "odd", "moved", "matches")

Density: TypeAlias = Literal["auto", "on", "off"]
DENSITIES: tuple[Density, ...] = ("auto", "on", "off")

ALL_STEPS = -1
"""Version of a baseline that stands for all steps: each point has a path through them."""

DEFAULT_NEIGHBOURS = 100
MAX_LISTED_NEIGHBOURS = 1000
NEIGHBOUR_COUNTS = (5, 10, 20, 50, 100, 200, 500, 1000)

ORBIT_RADIANS = np.pi / 36
"""A key turns the points by 5 degrees."""

PAN_FRACTION = 0.25
ZOOM_FACTOR = 1.25


@frozen
class MapSession:
    """The part of one embedding that the map shows."""

    layout: LayoutChoice = LayoutChoice()
    camera: Camera = Camera()
    colour: str | None = None
    """Column by which points are coloured; None: all alike."""

    label: str | None = None
    """Column of the labels; None: the first that is not numeric."""

    density: Density = "auto"
    metric: Metric = "cosine"
    count: int = DEFAULT_NEIGHBOURS
    """Neighbours that are listed."""

    cursor: int | None = None
    """Point under the cursor."""

    centre: int | None = None
    """Point whose neighbours are highlighted; None: none are."""

    selected: frozenset[int] = frozenset()
    isolated: frozenset[int] | None = None
    """Points that are shown alone; None: all."""

    query: str = ""
    search_column: str | None = None
    corner: int | None = None
    """Point at which a rectangle begins; None: no rectangle is being drawn."""

    listed: ListKind = "neighbours"
    is_table: bool = False
    """True: the table of all points is shown instead of the map."""

    sort: str = ""
    """Key of the column by which the table is sorted; empty: by number."""

    is_descending: bool = False
    baseline: tuple[tuple[str, str], int] | None = None
    """Embedding and version that are compared with, `ALL_STEPS` for all; None: none."""

    is_beside: bool = False
    """True: the baseline has a map of its own next to this one."""

    def visible(self, points: Points) -> Mask:
        """Return True for each point that is shown, bool[n]."""
        if self.isolated is None:
            return points.finite
        is_isolated = np.zeros(points.count, np.bool_)
        is_isolated[[point for point in self.isolated if point < points.count]] = True
        return np.asarray(is_isolated & points.finite)

    def with_points(self, count: int) -> MapSession:
        """Return the session for another number of points, without points that do not exist any more."""
        isolated = self.isolated and frozenset(point for point in self.isolated if point < count)
        return replace(
            self,
            cursor=self.cursor if self.cursor is not None and self.cursor < count else None,
            centre=self.centre if self.centre is not None and self.centre < count else None,
            corner=None,
            selected=frozenset(point for point in self.selected if point < count),
            isolated=isolated or None,
        )


def cycle_kind(session: MapSession, dimensions: int) -> MapSession:
    """Return the session with the next kind of layout; the camera is reset."""
    kinds = [kind for kind in KINDS if kind != "pca" or dimensions > 1]
    kind = kinds[(kinds.index(session.layout.kind) + 1) % len(kinds)] if session.layout.kind in kinds else kinds[0]
    return with_layout(session, replace(session.layout, kind=kind))


def with_layout(session: MapSession, layout: LayoutChoice) -> MapSession:
    """Return the session with another layout; a camera of another picture makes no sense."""
    is_same = layout.identity == session.layout.identity and layout.dimensions == session.layout.dimensions
    return replace(session, layout=layout, camera=session.camera if is_same else choose_first_camera(layout))


def switch_dimensions(session: MapSession) -> MapSession:
    """Return the session in three dimensions instead of two, or back."""
    return with_layout(session, replace(session.layout, dimensions=5 - session.layout.dimensions))


def cycle_component(session: MapSession, axis: int, available: int) -> MapSession:
    """Return the session with the next component along an axis; one that another axis shows is skipped."""
    components = list(session.layout.components)
    others = {components[other] for other in range(session.layout.dimensions) if other != axis}
    candidates = [index for index in range(max(available, 1)) if index not in others] or [components[axis]]
    later = [index for index in candidates if index > components[axis]]
    components[axis] = later[0] if later else candidates[0]
    return with_layout(session, replace(session.layout, components=(components[0], components[1], components[2])))


def cycle_column(session: MapSession, columns: Sequence[str]) -> MapSession:
    """Return the session with the next column as colour; after the last comes no colour."""
    choices = [*columns, None]
    index = choices.index(session.colour) if session.colour in choices else -1
    return replace(session, colour=choices[(index + 1) % len(choices)])


def cycle_density(session: MapSession) -> MapSession:
    """Return the session with the next choice of dots or density."""
    return replace(session, density=DENSITIES[(DENSITIES.index(session.density) + 1) % len(DENSITIES)])


def cycle_metric(session: MapSession) -> MapSession:
    """Return the session with the other distance of neighbours."""
    return replace(session, metric="euclidean" if session.metric == "cosine" else "cosine")


def change_count(session: MapSession, steps: int) -> MapSession:
    """Return the session with more or fewer neighbours."""
    nearest = min(range(len(NEIGHBOUR_COUNTS)), key=lambda index: abs(NEIGHBOUR_COUNTS[index] - session.count))
    index = max(0, min(nearest + steps, len(NEIGHBOUR_COUNTS) - 1))
    return replace(session, count=NEIGHBOUR_COUNTS[index])


def toggle_selected(session: MapSession) -> MapSession:
    """Return the session with the point under the cursor selected, or no longer."""
    if session.cursor is None:
        return session
    return replace(session, selected=session.selected ^ {session.cursor})


def isolate(session: MapSession, neighbours: Sequence[int]) -> MapSession:
    """Return the session with the selected points alone, or with the highlighted neighbours.

    Coordinates stay as they are. TensorBoard computes them again, so that distances change.
    """
    points = set(session.selected)
    if session.centre is not None:
        points |= {session.centre, *neighbours}
    return (
        replace(session, isolated=frozenset(points), camera=Camera(session.camera.yaw, session.camera.pitch))
        if points
        else session
    )


def switch_table(session: MapSession) -> MapSession:
    """Return the session with the table of all points instead of the map, or back."""
    return replace(session, is_table=not session.is_table)


def sort_by(session: MapSession, column: str) -> MapSession:
    """Return the session with the table sorted by a column; again: in descending order, then by number."""
    if session.sort != column:
        return replace(session, sort=column, is_descending=False)
    if not session.is_descending:
        return replace(session, is_descending=True)
    return replace(session, sort="", is_descending=False)


def cycle_list(session: MapSession) -> MapSession:
    """Return the session with the next list; those without content are skipped."""
    kinds = [kind for kind in LIST_KINDS if kind != "matches" or session.query]
    kinds = [kind for kind in kinds if kind != "moved" or session.baseline is not None]
    index = kinds.index(session.listed) if session.listed in kinds else -1
    return replace(session, listed=kinds[(index + 1) % len(kinds)])


def switch_neighbours(session: MapSession) -> MapSession:
    """Return the session with the neighbours of the point under the cursor highlighted, or no longer."""
    if session.cursor is None:
        return session
    centre = None if session.centre == session.cursor else session.cursor
    return replace(session, centre=centre, listed="neighbours")


def move_to_listed(session: MapSession, point: int) -> MapSession:
    """Return the session with the cursor on a point of the list, which stays that of its point."""
    centre = session.cursor if session.listed == "neighbours" and session.centre is None else session.centre
    return replace(session, cursor=point, centre=centre)


def select(session: MapSession, points: Iterable[int]) -> MapSession:
    """Return the session with further selected points; a rectangle is done."""
    return replace(session, corner=None, selected=session.selected | frozenset(points))


def go_to_match(session: MapSession, matches: Sequence[int], count: int) -> MapSession:
    """Return the session with the cursor on another match; after the last comes the first."""
    if not matches:
        return session
    index = matches.index(session.cursor) if session.cursor in matches else -1 if count > 0 else 0
    return replace(session, cursor=matches[(index + count) % len(matches)])


def with_query(session: MapSession, query: str) -> MapSession:
    """Return the session with another search, whose matches stand out instead of neighbours."""
    if query:
        return replace(session, query=query, listed="matches", centre=None)
    return replace(session, query="", listed="neighbours")


def choose_first_camera(layout: LayoutChoice) -> Camera:
    """Return the camera of the first view: of three dimensions from the side and above, so that depth shows."""
    return Camera(0.6, 0.35) if layout.dimensions == 3 else Camera()


def get_top_layer(session: MapSession) -> str | None:
    """Return the layer that escape removes first; None without layers."""
    layers = (
        ("rectangle", session.corner is not None),
        ("search", bool(session.query)),
        ("neighbours", session.centre is not None),
        ("selection", bool(session.selected)),
        ("isolation", session.isolated is not None),
        ("table", session.is_table),
        ("comparison", session.baseline is not None),
    )
    return next((name for name, is_present in layers if is_present), None)


def remove_layer(session: MapSession) -> MapSession:
    """Return the session without its topmost layer."""
    layer = get_top_layer(session)
    if layer == "rectangle":
        return replace(session, corner=None)
    if layer == "search":
        return _reset_list(replace(session, query=""), "matches")
    if layer == "neighbours":
        return replace(session, centre=None)
    if layer == "selection":
        return replace(session, selected=frozenset())
    if layer == "isolation":
        return replace(session, isolated=None)
    if layer == "table":
        return replace(session, is_table=False)
    if layer == "comparison":
        return _reset_list(replace(session, baseline=None, is_beside=False), "moved")
    return session


def _reset_list(session: MapSession, listed: ListKind) -> MapSession:
    """Return the session with the list of neighbours instead of a list that has no content any more."""
    return replace(session, listed="neighbours") if session.listed == listed else session
