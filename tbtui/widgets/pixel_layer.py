"""Pictures in pixels on the screen: what the terminal is sent so that it shows them, and shows no others.

A widget keeps its cells blank where its insets are. What happens there is one of three: kitty draws pictures in place
of cells that say which; where it is not known to do that it lays them over the text, where they stay until they are
taken away; sixels lie over the text, too, but are gone where text is written, and drawn again. All of it belongs to the
UI thread.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tbtui.graphics.kitty import MOST_PICTURES, KittyImage, KittyImageCache, image_ids
from tbtui.graphics.placing import Area, Placed, moves
from tbtui.graphics.sixel import sixels_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from textual.geometry import Region

    from tbtui.charts.cells import Cells
    from tbtui.graphics.capabilities import ImageProtocol
    from tbtui.graphics.insets import Encoded, Inset
    from tbtui.widgets.inset_picture import ImageLayer
    from tbtui.widgets.textual_patches.minimal_repaint import MinimalRepaintScreen


class InsetSight:
    """The insets of some widgets of a screen, as far as they can be seen.

    Args:
        screen: The screen.
        widgets: The widgets; those that do not show count for nothing.
    """

    def __init__(self, screen: MinimalRepaintScreen, *widgets: ImageLayer) -> None:
        self._screen = screen
        self._widgets = widgets

    @property
    def keys(self) -> set[object]:
        """Of the pictures that widgets show, or would if they were displayed."""
        return {inset.picture.key for widget in self._widgets for inset in widget.insets}

    def placed(self) -> Iterator[tuple[Placed, Encoded]]:
        """Those of which all is seen, and their places on the screen.

        The last row of the screen does not count: some terminals scroll where sixels touch it.
        """
        height = self._screen.size.height
        for widget in self._widgets:
            found = self._screen.place_of(widget.view)
            if found is None:
                continue
            content, in_front = found
            room, covers = _area(content), [_area(region) for region in in_front]
            for inset in widget.insets:
                picture = inset.picture
                area = Area(room.row + inset.row, room.column + inset.column, picture.rows, picture.columns)
                if room.holds(area) and area.row + area.rows < height and not any(map(area.meets, covers)):
                    yield Placed(picture.key, area), picture


def _area(region: Region) -> Area:
    return Area(region.y, region.x, region.height, region.width)


class PixelLayer:
    """Shows nothing: in any other way pictures are text.

    Args:
        sight: What there is to be shown.
        write: Sends something to the terminal.
    """

    lies_over = False
    """Whether pictures lie over cells, and have to be drawn and taken away with them."""

    def __init__(self, sight: InsetSight, write: Callable[[str], object]) -> None:
        self._sight = sight
        self._write = write

    def in_place(self, cells: Cells, _insets: Sequence[Inset]) -> Cells:
        """Cells with those in place of which the terminal draws pictures, which it is sent before."""
        return cells

    def over(self, _painted: Sequence[Region]) -> str:
        """See `Overlay`."""
        return ""

    def leave(self) -> None:
        """See `Overlay`."""

    def forget(self) -> str:
        """What has the terminal forget all pictures; those that still show are to be drawn again."""
        return ""


class KittyPlaceholderLayer(PixelLayer):
    """Of kitty, in place of cells: whoever moves, covers or removes cells does so with the picture."""

    def __init__(self, sight: InsetSight, write: Callable[[str], object], *, tmux: bool) -> None:
        super().__init__(sight, write)
        self._shelf = KittyImageCache(image_ids(os.getpid()), tmux=tmux)

    def in_place(self, cells: Cells, insets: Sequence[Inset]) -> Cells:
        """See `PixelLayer`."""
        held = [inset for inset in insets if self._hold(inset.picture)]
        if held:
            cells = cells.copy()
            for inset in held:
                cells.put(inset.row, inset.column, self._shelf.cells(inset.picture.key))
        return cells

    def _hold(self, picture: Encoded) -> bool:
        """Have the terminal hold a picture; whether it does."""
        if picture.key not in self._shelf:
            shown = self._sight.keys
            if not isinstance(picture.data, KittyImage) or len(shown) > MOST_PICTURES:
                return False  # of another way, and gone soon; or more than can be told apart
            self._write(self._shelf.put(picture.key, picture.data, picture.columns, picture.rows, shown))
        return True

    def forget(self) -> str:
        """See `PixelLayer`."""
        return self._shelf.clear()


class KittyOverlayLayer(PixelLayer):
    """Of kitty, over the text."""

    lies_over = True

    def __init__(self, sight: InsetSight, write: Callable[[str], object]) -> None:
        super().__init__(sight, write)
        self._shelf = KittyImageCache(image_ids(os.getpid()), placeholders=False)
        self._laid: tuple[Placed, ...] = ()

    def over(self, _painted: Sequence[Region]) -> str:
        """See `Overlay`."""
        shown = {placed: each.data for placed, each in self._sight.placed() if isinstance(each.data, KittyImage)}
        found, self._laid = moves(self._laid, shown), tuple(shown)
        parts = [self._shelf.lift(placed.key) for placed in found.gone]
        for placed in found.come:
            area = placed.area
            if placed.key not in self._shelf:
                parts.append(self._shelf.put(placed.key, shown[placed], area.columns, area.rows, self._sight.keys))
            parts.append(self._shelf.place(placed.key, area.row, area.column))
        return "".join(parts)

    def leave(self) -> None:
        """See `Overlay`."""
        self._write("".join([self._shelf.lift(placed.key) for placed in self._laid]))
        self._laid = ()

    def forget(self) -> str:
        """See `PixelLayer`."""
        self._laid = ()
        return self._shelf.clear()


class SixelLayer(PixelLayer):
    """Sixels over the text, drawn again wherever text was written."""

    lies_over = True

    def over(self, painted: Sequence[Region]) -> str:
        """See `Overlay`."""
        shown = {placed: each.data for placed, each in self._sight.placed() if isinstance(each.data, str)}
        come = moves(shown, shown, map(_area, painted)).come
        return "".join(sixels_at(placed.area.row, placed.area.column, shown[placed]) for placed in come)


def layer_of(way: ImageProtocol, sight: InsetSight, write: Callable[[str], object]) -> PixelLayer:
    """What shows pictures in a way."""
    if way.kind == "kitty":
        return (
            KittyPlaceholderLayer(sight, write, tmux=way.tmux) if way.placeholders else KittyOverlayLayer(sight, write)
        )
    return (SixelLayer if way.kind == "sixel" else PixelLayer)(sight, write)
