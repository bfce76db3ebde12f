"""A scene: the points of one embedding, their layout, and all results that are shown."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.cells import HEAT_LEVELS, Ink, to_heat_inks
from tbtui.charts.point_cloud import Frame, PointColours
from tbtui.charts.series_colours import PALETTE_SIZE, get_ink, get_series_marker
from tbtui.frozen import frozen
from tbtui.plugins.projector.files.metadata import to_natural_key

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.charts.styled_text import Piece
    from tbtui.maths.neighbours import LabelAgreement
    from tbtui.plugins.projector.agreement import NearestPoints
    from tbtui.plugins.projector.files.metadata import Column
    from tbtui.plugins.projector.layouts import LayoutState
    from tbtui.plugins.projector.points import Points
    from tbtui.plugins.projector.session import MapSession
    from tbtui.plugins.projector.sources import EmbeddingSource

MIN_LEVEL = 8
"""Level of the colour map of the minimum: lower levels are hardly visible as dots."""


@frozen(eq=False)
class Neighbours:
    """The nearest points of one point."""

    point: int
    indices: npt.NDArray[np.int32]
    distances: npt.NDArray[np.float32]
    """Nearest first."""


@frozen(eq=False)
class Comparison:
    """The same points at another step or in another run, in the layout of these."""

    source: EmbeddingSource
    version: int
    points: Points
    positions: npt.NDArray[np.float32]
    """Positions in the present layout, float32[n, k]; NaN for points that only one of the versions has."""

    distances: npt.NDArray[np.float64]
    """Distance that each point moved in the original space after alignment, float64[n]; NaN if not known."""

    kept_shares: npt.NDArray[np.float64]
    """Share of the nearest neighbours that each point kept, float64[n]; NaN if not computed."""

    unexplained: float
    """Share of the variance that rotation, scale and shift do not explain."""

    note: str = ""
    paths: tuple[npt.NDArray[np.float32], ...] = ()
    """Positions at each step from the first to the shown one, float32[n, k] each; empty: two versions are compared."""

    steps: tuple[int | None, ...] = ()
    """The steps of `paths`."""


@frozen(eq=False, slots=False)
class Scene:
    """All data of one picture."""

    source: EmbeddingSource
    version: int
    points: Points
    state: LayoutState
    session: MapSession
    run_ink: int = 0
    neighbours: Neighbours | None = None
    """Nearest points of the highlighted point; None while they are computed, or without one."""

    matches: tuple[int, ...] = ()
    """Points that the search finds, in their order."""

    agreement: LabelAgreement | None = None
    """Agreement of neighbours with the colour column; None if that is no category, or not computed yet."""

    comparison: Comparison | None = None
    nearest: NearestPoints | None = None
    """Nearest points of all points; None while they are computed."""

    others: tuple[EmbeddingSource, ...] = ()
    """Embeddings from which names in titles must differ if they are cut."""

    distinct_colours: int = PALETTE_SIZE
    """Number of different series colours of the theme."""

    def reuse_caches(self, previous: Scene | None) -> Scene:
        """Copy the cached results of the previous scene that are valid for this one; return this scene.

        A key that only rotates 88,588 points would otherwise find their extent again, in 8 ms.
        """
        if previous is None or previous.points is not self.points:
            return self
        cached, results = vars(previous), vars(self)
        if previous.state.positions is self.state.positions and previous.session.isolated == self.session.isolated:
            results.update({name: cached[name] for name in ("visible", "frame") if name in cached})
        colouring = self.session.colour, self.distinct_colours
        if (previous.session.colour, previous.distinct_colours) == colouring and "colours" in cached:
            results["colours"] = cached["colours"]
        return self

    @cached_property
    def visible(self) -> npt.NDArray[np.bool_]:
        """True for each point that is drawn."""
        is_visible = self.session.visible(self.points)
        return np.asarray(is_visible & ~np.isnan(self.state.positions[:, 0]))

    @cached_property
    def frame(self) -> Frame:
        """Enclosure of the drawn points."""
        return Frame.of(self.state.positions[self.visible])

    @property
    def colour_column(self) -> Column | None:
        """The column by which points are coloured."""
        return None if self.session.colour is None else self.points.metadata.column(self.session.colour)

    @cached_property
    def colours(self) -> PointColours | None:
        """Colours of the points; None if all are alike."""
        column = self.colour_column
        return None if column is None else colour_by_column(column, self.distinct_colours)

    @property
    def highlighted(self) -> list[int]:
        """Points that stand out: the highlighted one with its neighbours, else matches, else selected ones."""
        session = self.session
        if session.centre is not None:
            neighbours = () if self.neighbours is None else self.neighbours.indices.tolist()
            return [session.centre, *neighbours, *session.selected]
        if session.query:
            return [*self.matches, *session.selected]
        return sorted(session.selected)

    def label(self, point: int) -> str:
        """Return the label of a point, safe for a terminal."""
        return self.points.label(point, self.session.label)


def mark_point(scene: Scene, point: int) -> Piece:
    """Return the sign of a point in the colour of its category or value; `·` without one."""
    ink = find_point_ink(scene, point)
    if ink is None:
        return "· ", Ink.FAINT
    is_gradient = scene.colours is not None and scene.colours.is_gradient
    return f"{get_series_marker(0 if is_gradient else ink)} ", ink


def mark_category(scene: Scene, code: int) -> Piece:
    """Return the sign of a category in its colour; categories that share a colour have different signs."""
    ink = choose_category_ink(scene, code)
    return f"{get_series_marker(ink)} ", ink


def colour_by_column(column: Column, distinct: int = PALETTE_SIZE) -> PointColours | None:
    """Return colours by a column: one for each category, or levels of the colour map for numbers.

    Args:
        column: The column.
        distinct: Number of different series colours of the theme.
    """
    if column.is_categorical:
        order = sorted(range(len(column.categories)), key=lambda code: to_natural_key(column.categories[code]))
        inks = [0] * len(order)
        for number, code in enumerate(order):
            inks[code] = get_ink(number, distinct)
        return PointColours(column.codes, tuple(inks))
    numbers = column.numbers
    if numbers is None:
        return None
    finite = np.isfinite(numbers)
    if not bool(finite.any()):
        return None
    low, high = float(numbers[finite].min()), float(numbers[finite].max())
    shares = np.where(finite, (numbers - low) / ((high - low) or 1.0), 0)
    levels = MIN_LEVEL + np.rint(shares * (HEAT_LEVELS - 1 - MIN_LEVEL)).astype(np.int32)
    return PointColours(np.where(finite, levels, -1).astype(np.int32))


def colour_columns(points: Points) -> list[str]:
    """Return the names of the columns that points can be coloured by."""
    names = [column.name for column in points.metadata.columns if column.is_categorical or column.numbers is not None]
    return list(dict.fromkeys(names))


def choose_default_colour(points: Points) -> str | None:
    """Return the first categorical column; None without one."""
    return next((column.name for column in points.metadata.columns if column.is_categorical), None)


def find_point_ink(scene: Scene, point: int) -> int | None:
    """Return the ink of the category or value of a point; None if it has no colour."""
    colours = scene.colours
    code = -1 if colours is None else int(colours.codes[point])
    if colours is None or code < 0:
        return None
    return int(to_heat_inks(code, 0)) if colours.is_gradient else colours.inks[code]


def choose_category_ink(scene: Scene, code: int) -> int:
    """Return the ink of a category of the colour column; that of dim text for a missing value."""
    colours = scene.colours
    return int(Ink.DIM) if colours is None or code < 0 or colours.is_gradient else colours.inks[code]
