"""Zoom levels of the diagram, its layout at the largest one that fits, and the first expansion of a graph."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from tbtui.charts.text import ELLIPSIS, cell_width, format_run_name, safe, shorten
from tbtui.frozen import frozen
from tbtui.plugins.graphs.diagram import BoxFace, ZoomLevel
from tbtui.plugins.graphs.layout.layout import lay_out
from tbtui.plugins.graphs.navigation import MAX_DOMINANT_BOXES
from tbtui.plugins.graphs.scope_diagram import build_diagram, count_excess_boxes

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from tbtui.plugins.graphs.diagram import Box, PlacedDiagram
    from tbtui.plugins.graphs.hierarchy import Hierarchy
    from tbtui.plugins.graphs.navigation import Navigation


MAX_TEXT_WIDTH = 32
"""Maximum columns of a line in a box; longer lines are cut in the middle."""


MAX_JOINED_WIDTH = 32
"""Maximum columns of short lines that share a row."""


MAX_NAME_WIDTH = 20
"""Maximum columns of a name in boxes that show only names."""


_MARKS = {"scope": "▸ ", "series": "▸ ", "function": "ƒ "}


_FRAME = 4
"""Columns of a frame with a blank at each side; boxes have an odd width, so that they have a middle column."""


def _build_face(lines: tuple[str, ...], box: Box, max_width: int) -> BoxFace:
    # Tools put prefixes before names of functions, so that their ends differ.
    name = shorten(format_run_name("".join(lines[:1])), max_width, max_width - 1 if box.kind == "function" else None)
    texts = [_get_mark(box) + name, *(shorten(line, max_width) for line in lines[1:])]
    width = max(map(cell_width, texts)) + _FRAME
    return BoxFace(tuple(texts), width | 1, len(texts) + 2, is_framed=True)


def _get_mark(box: Box) -> str:
    return "▾ " if box.content is not None else _MARKS.get(box.kind, "")


def _build_full_face(box: Box, max_width: int) -> BoxFace:
    """Return a box with all lines."""
    count = len(box.aside_names)
    aside_texts = (f"+ {box.aside_names[0]}",) if count == 1 else (f"+ {count} aside",) if count else ()
    return _build_face(
        (*box.lines[:1], *_join_lines((*box.lines[1:], *aside_texts))), box, max(max_width, MAX_TEXT_WIDTH)
    )


def _join_lines(lines: tuple[str, ...]) -> list[str]:
    """Return the lines in as few rows as possible, short ones side by side."""
    rows: list[str] = []
    for line in filter(None, lines):
        if rows and cell_width(safe(rows[-1] + line)) + 3 <= MAX_JOINED_WIDTH:
            rows[-1] += f" · {line}"
        else:
            rows.append(line)
    return rows


def _build_name_face(box: Box, max_width: int) -> BoxFace:
    """Return a box with the name only."""
    return _build_face(box.lines[:1], box, max_width)


def _build_tiny_face(box: Box, max_width: int) -> BoxFace:
    """Return the name without a frame; an open box keeps its frame."""
    face = _build_name_face(box, max_width)
    return face if box.content is not None else BoxFace(face.lines, cell_width(face.lines[0]))


def _build_label_face(text: str) -> BoxFace:
    label = shorten(text, MAX_NAME_WIDTH)
    return BoxFace((label,), cell_width(label))


def _build_blank_face(_text: str) -> BoxFace:
    return BoxFace(("",), 0)


def build_zoom_levels(max_name_width: int = MAX_NAME_WIDTH) -> tuple[ZoomLevel, ZoomLevel, ZoomLevel]:
    """Return the zoom levels, from the largest boxes to the smallest.

    Args:
        max_name_width: Maximum columns of a name; boxes that show more than names get at least `MAX_TEXT_WIDTH`.
    """
    full, name, tiny = (
        partial(face, max_width=max_name_width) for face in (_build_full_face, _build_name_face, _build_tiny_face)
    )
    return ZoomLevel(full, _build_label_face), ZoomLevel(name, _build_label_face), ZoomLevel(tiny, _build_blank_face)


FULL, NAMES, TINY = build_zoom_levels()
"""Zoom levels: all lines and labels; names and labels; names without frames."""


def list_zoom_levels(max_name_width: int = MAX_NAME_WIDTH) -> tuple[ZoomLevel, ...]:
    """Return the zoom levels, from the largest boxes to the smallest; the third has labels of edges but no frames."""
    full, names, tiny = build_zoom_levels(max_name_width)
    return full, names, ZoomLevel(tiny.box, names.label), tiny


ZOOMS = list_zoom_levels()
LONGER_NAME_WIDTHS = 60, 30
"""Maximum columns of names that are tried if names are cut and the diagram does not become higher."""

MAX_LAYOUTS = 12
"""Maximum number of cached layouts."""

DEFAULT_ZOOM, DEFAULT_ACROSS_ZOOM = 2, 1
"""Zoom levels (down, across) if the diagram fits at none. Boxes without frames have no border for routes across."""

MAX_BOXES_FOR_ZOOM_TRIALS = 400
"""Maximum number of boxes of a diagram that is laid out at several zoom levels."""


class TooManyBoxesError(Exception):
    """The diagram has too many boxes for a layout; the text names other views of the same items."""


class DiagramKey(NamedTuple):
    """Everything that a layout depends on: equal keys give equal layouts."""

    graph: Hashable
    inside: int
    across: bool
    """True if the diagram flows from left to right."""

    opened: frozenset[int]
    ungrouped: frozenset[int]
    hubs_aside: bool
    zoom: int | None
    """Index into `ZOOMS`; None: the largest level at which everything fits, or the default one."""

    width: int
    height: int
    """Cells of the screen; 0 in a direction that the layout does not depend on."""

    @property
    def view(self) -> Hashable:
        """Part of the key that stays equal when a scope is opened or closed."""
        return self[:3]


@frozen(eq=False)
class LaidOutDiagram:
    """A layout with its key and its zoom level."""

    key: DiagramKey
    layout: PlacedDiagram
    zoom: int


class LayoutCache:
    """Lays out diagrams and caches the latest ones. For one thread."""

    def __init__(self) -> None:
        self._cache: OrderedDict[DiagramKey, LaidOutDiagram] = OrderedDict()

    def get(self, hierarchy: Hierarchy, key: DiagramKey) -> LaidOutDiagram:
        """Return the layout of a key, from the cache if possible.

        Raises:
            TooManyBoxesError: The diagram has too many boxes.
        """
        cached = self._cache.get(key)
        if cached is None:
            if boxes := count_excess_boxes(hierarchy, key.inside, key.opened, key.ungrouped):
                raise TooManyBoxesError(f"it has {boxes:,} boxes: s and o list them, f finds one of them")
            cached = self._cache[key] = self._lay_out(hierarchy, key)
            cached.layout.crossings  # noqa: B018 - computed here, off the UI thread
            if len(self._cache) > MAX_LAYOUTS:
                self._cache.popitem(last=False)
        self._cache.move_to_end(key)
        return cached

    def _lay_out(self, hierarchy: Hierarchy, key: DiagramKey) -> LaidOutDiagram:
        diagram = build_diagram(hierarchy, key.inside, key.opened, ungrouped=key.ungrouped, hubs_aside=key.hubs_aside)
        breadth = max(key.height if key.across else key.width, 1)

        def lay_out_at(zoom: int) -> LaidOutDiagram:
            layout = lay_out(diagram, ZOOMS[zoom], across=key.across, breadth=breadth)
            if not key.across and layout.width < key.width and _has_cut_names(layout):
                for name_width in LONGER_NAME_WIDTHS:
                    longer = lay_out(diagram, list_zoom_levels(name_width)[zoom], breadth=breadth)
                    if longer.width <= key.width and longer.height <= layout.height:
                        return LaidOutDiagram(key, longer, zoom)
            return LaidOutDiagram(key, layout, zoom)

        if key.zoom is not None:
            return lay_out_at(key.zoom)
        default, end = (DEFAULT_ACROSS_ZOOM, DEFAULT_ACROSS_ZOOM + 1) if key.across else (DEFAULT_ZOOM, len(ZOOMS))
        at_default = lay_out_at(default)
        if len(at_default.layout.boxes) > MAX_BOXES_FOR_ZOOM_TRIALS:
            return at_default
        # Larger boxes can fit only if the default ones do, smaller ones are tried only if they do not.
        others = range(default) if _has_few_cells(at_default) else range(default + 1, end)
        return next(filter(_has_few_cells, map(lay_out_at, others)), at_default)


def _has_cut_names(layout: PlacedDiagram) -> bool:
    """Return True if a name is cut; large diagrams are not checked."""
    is_small = len(layout.boxes) <= MAX_BOXES_FOR_ZOOM_TRIALS
    return is_small and any(ELLIPSIS in box.lines[0] for box in layout.boxes)


def _has_few_cells(diagram: LaidOutDiagram) -> bool:
    layout, key = diagram.layout, diagram.key
    return layout.width <= key.width and layout.height <= key.height


MAX_INITIAL_BOXES = 4
"""Scopes are opened while at most this many boxes are visible, and their contents fit."""

MIN_SCOPE_BOXES = 2
"""A scope is opened only if it holds at least this many boxes."""


class DiagramSize(NamedTuple):
    """The size and the settings of a diagram."""

    width: int
    height: int
    """Cells."""

    across: bool = False
    hubs_aside: bool = True


def expand_initially(hierarchy: Hierarchy, navigation: Navigation, size: DiagramSize) -> Navigation:
    """Open scopes level by level, as long as few boxes are visible and all of them fit with frames.

    A longer flow stays closed: the modules of a model describe it better than the operations in them.
    """
    while True:
        boxes = list(islice(_iter_closed_items(hierarchy, navigation, navigation.inside), MAX_INITIAL_BOXES + 1))
        if len(boxes) > MAX_INITIAL_BOXES:
            return navigation
        scopes = [box for box in boxes if hierarchy.kind(box) == "scope"]
        opening = frozenset(box for box in scopes if len(hierarchy.children(box)) >= MIN_SCOPE_BOXES)
        if not 0 < sum(len(hierarchy.children(box)) for box in opening) <= MAX_DOMINANT_BOXES:
            return navigation
        opened = replace(navigation, opened=navigation.opened | opening)
        if not _fits_size(hierarchy, opened, size):
            return navigation
        navigation = opened


def _iter_closed_items(hierarchy: Hierarchy, navigation: Navigation, scope: int) -> Iterator[int]:
    """Yield the visible items of a scope that are closed."""
    for item in hierarchy.children(scope).tolist():
        if item in navigation.opened:
            yield from _iter_closed_items(hierarchy, navigation, item)
        else:
            yield item


def _fits_size(hierarchy: Hierarchy, navigation: Navigation, size: DiagramSize) -> bool:
    diagram = build_diagram(
        hierarchy, navigation.inside, navigation.opened, ungrouped=navigation.ungrouped, hubs_aside=size.hubs_aside
    )
    breadth = max(size.height if size.across else size.width, 1)
    layout = lay_out(diagram, NAMES, across=size.across, breadth=breadth)
    return layout.width <= size.width and layout.height <= size.height
