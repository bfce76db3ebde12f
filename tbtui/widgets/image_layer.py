"""Images in pixels among the cells of a widget, and the protocols that show them.

A widget keeps its cells blank where its insets are. Kitty draws an image in place of placeholder cells; without
placeholders it lays the image over the text until it is removed. Sixels lie over the text, too, and must be drawn again
wherever text is written. Everything runs on the UI thread except two methods of `ProtocolDetector`.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
from contextlib import suppress
from typing import TYPE_CHECKING

from textual.geometry import Region

from tbtui.terminal_images.capabilities import (
    TMUX_COMMAND,
    choose_protocol,
    choose_queries,
    parse_tmux_state,
    should_ask_tmux,
)
from tbtui.terminal_images.encode import Area, PlacedImage, diff_placements, get_cell_size
from tbtui.terminal_images.half_blocks import choose_depth
from tbtui.terminal_images.kitty import MAX_IMAGES, KittyImage, KittyImageCache, list_image_ids
from tbtui.terminal_images.sixel import position_sixels
from tbtui.terminal_images.terminal_query import MAX_WAIT_SECONDS, AnswerParser, CellSize
from tbtui.widgets.textual_patches.driver import PatchedLinuxDriver

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from textual.widget import Widget

    from tbtui.charts.cells import Cells
    from tbtui.terminal_images.capabilities import ImageProtocol, ImageSetting, TmuxState
    from tbtui.terminal_images.encode import EncodedImage, ImagePlacement
    from tbtui.terminal_images.half_blocks import Depth
    from tbtui.widgets.textual_patches.minimal_repaint import MinimalRepaintScreen


class ImageLayer:
    """Repaints the cells of a widget where its images appear or disappear. Belongs to the UI thread.

    Args:
        view: The widget; it keeps its cells blank where images are.
        insets: Returns the images that the widget shows now, from the upper left cell of its content on.
        redraw: Draws the widget again.
        repaint: Puts the cells of the same drawing again; None: `redraw` does.
    """

    def __init__(
        self,
        view: Widget,
        insets: Callable[[], Sequence[ImagePlacement]],
        redraw: Callable[[], object],
        repaint: Callable[[], object] | None = None,
    ) -> None:
        self.view = view
        self.redraw = redraw
        """Called when the terminal has forgotten its images, too."""

        self._repaint = repaint or redraw
        self._hidden: frozenset[object] = frozenset()
        """Keys of images that do not show, as something is in front of them or they do not fit."""

        self._is_covered = False
        """Another screen is in front: no image that lies over text shows."""

        self.pixels: PixelLayer | None = None
        """Sends images to the terminal; None until its protocol is known."""

        self._insets = insets
        self._placed: dict[PlacedImage, tuple[int, int]] = {}
        """Images that were on the screen last, with their width and height in pixels."""

    @property
    def insets(self) -> Sequence[ImagePlacement]:
        """Return the images that the widget shows now."""
        return self._insets()

    def with_placeholders(self, cells: Cells, insets: Sequence[ImagePlacement]) -> Cells:
        """Return the cells with those that the terminal replaces by images, or that stand in for hidden ones."""
        if self.pixels is None:
            return cells
        cells = self.pixels.with_placeholders(cells, insets)
        if not self.pixels.lies_over or not (self._hidden or self._is_covered):
            return cells
        cells = cells.copy()
        for inset in insets:
            picture = inset.picture
            if picture.stand_in is not None and (self._is_covered or picture.key in self._hidden):
                cells.put(inset.row, inset.column, picture.stand_in)
        return cells

    def hide(self, hidden: frozenset[object]) -> None:
        """Show cells in place of some images, whose keys are given, and only of them."""
        if hidden != self._hidden:
            self._hidden = hidden
            self.view.call_later(self._repaint)

    def set_covered(self, *, is_covered: bool) -> None:
        """Show cells in place of all images while another screen is in front."""
        if is_covered != self._is_covered:
            self._is_covered = is_covered
            if self.view.is_attached and self.insets:
                self._repaint()

    def update(self) -> None:
        """Repaint where images appeared or disappeared; call it after all cells are put.

        An image over cells is drawn again when one of its cells is repainted, and is gone when all of them are.
        """
        before, self._placed = self._placed, dict(map(_locate, self.insets))
        if self.pixels is None or not self.pixels.lies_over:
            return
        changes = diff_placements(before, self._placed)
        covered = {(placed.area, self._placed[placed]) for placed in changes.added}
        for placed in changes.removed:
            area = placed.area
            if (area, before[placed]) not in covered:  # otherwise the newer image covers it to the last pixel
                self.view.refresh(Region(area.column, area.row, area.columns, area.rows))
        for placed in changes.added:
            self.view.refresh(Region(placed.area.column, placed.area.row, 1, 1))


def _locate(inset: ImagePlacement) -> tuple[PlacedImage, tuple[int, int]]:
    picture = inset.picture
    return PlacedImage(picture.key, Area(inset.row, inset.column, picture.rows, picture.columns)), picture.size


TMUX_TIME_LIMIT = 1.0
"""Seconds to wait for an answer of tmux."""


class ProtocolDetector:
    """Detects the image protocol of the terminal, and of tmux if the app runs in it.

    The terminal is queried when images are first shown; nothing waits for its answers. All methods but `hear` and
    `release` belong to the UI thread.

    Args:
        widget: A widget of the app; not mounted yet.
        changed: Called when the protocol changes, unless `want` itself found it.
        announce: Called on the thread that reads keys when answers have arrived; it must make the UI thread call
            `decide` soon.
    """

    def __init__(self, widget: Widget, changed: Callable[[], object], announce: Callable[[], object]) -> None:
        self.way: ImageProtocol | None = None
        """The protocol; None while answers of the terminal are pending."""

        self._widget = widget
        self._changed = changed
        self._announce = announce
        self.depth: Depth = "true"
        """Colours of the terminal."""

        self._setting: ImageSetting | None = None
        self._ear = AnswerParser()
        self._sent_queries = ""
        self._tmux: TmuxState | None = None
        self._tmux_query: asyncio.Task[None] | None = None
        self._is_tmux_answered = False
        self._waiting = 0
        self._first_cell: CellSize | None = None

    def want(self, setting: ImageSetting) -> None:
        """Request a protocol; while answers are pending, the present one stays."""
        app = self._widget.app
        depth = choose_depth(app.console.color_system, no_color=app.no_color, native=app.native_ansi_color)
        if (setting, depth) != (self._setting, self.depth):
            self._setting, self.depth = setting, depth
            if self._ask_terminal(setting, depth) | self._ask_tmux(setting, depth):
                self._waiting += 1
                app.set_timer(MAX_WAIT_SECONDS, self._stop_waiting)
            self._choose()

    # Queries

    @property
    def _driver(self) -> PatchedLinuxDriver | None:
        """The driver of the terminal; None in tests and in a browser."""
        driver = self._widget.app._driver  # noqa: SLF001 - Textual has no public access
        return driver if isinstance(driver, PatchedLinuxDriver) else None

    def _ask_terminal(self, setting: ImageSetting, depth: Depth) -> bool:
        """Send the queries unless they were sent before; return True if they are sent now."""
        driver, queries = self._driver, choose_queries(setting, os.environ, depth)
        if driver is None or not queries or self._sent_queries:
            return False
        self._sent_queries, self._first_cell = queries, self._query_cell_size()
        driver.add_listener(self)
        driver.write(queries)
        return True

    def _ask_tmux(self, setting: ImageSetting, depth: Depth) -> bool:
        if self._driver is None or self._tmux_query is not None or not should_ask_tmux(setting, os.environ, depth):
            return False
        self._tmux_query = asyncio.create_task(self._query_tmux())
        return True

    async def _query_tmux(self) -> None:
        with suppress(OSError, subprocess.TimeoutExpired):
            result = await asyncio.to_thread(
                subprocess.run,
                TMUX_COMMAND,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                timeout=TMUX_TIME_LIMIT,
                check=False,
            )
            self._tmux = parse_tmux_state(result.stdout.decode(errors="replace"))
        self._is_tmux_answered = True
        self.decide()

    def feed(self, data: str) -> str:
        before = self._ear.answers
        keys = self._ear.feed(data)
        if self._ear.answers != before:
            self._announce()
        return keys

    def release(self, waited: float) -> str:
        return self._ear.release(waited)

    # Decision

    @property
    def _is_answered(self) -> bool:
        """True if all queries are answered."""
        by_terminal = not self._sent_queries or self._ear.answers.complete
        return by_terminal and (self._tmux_query is None or self._is_tmux_answered)

    def _stop_waiting(self) -> None:
        self._waiting -= 1
        self.decide()

    def decide(self) -> None:
        """Choose a protocol by all answers so far. Also called after a resize, which may come with another font."""
        before = self.way
        self._choose()
        if self.way != before:
            self._changed()

    def _choose(self) -> None:
        if self._setting is not None and (self._is_answered or not self._waiting):
            self.way = choose_protocol(
                self._setting, os.environ, self.depth, self._ear.answers, self._tmux, self._cell()
            )

    def _cell(self) -> CellSize | None:
        """Return the size of a cell: the terminal's answer, unless the system has reported another font since."""
        by_system = self._query_cell_size()
        if by_system is not None and by_system != self._first_cell:
            return by_system
        return self._ear.answers.cell_of(*self._widget.app.size) or by_system

    def _query_cell_size(self) -> CellSize | None:
        (columns, rows), pixels = self._widget.app.size, self._driver and self._driver.pixels
        return CellSize.of(pixels[0] / columns, pixels[1] / rows) if pixels and columns and rows else None


class VisibleInsets:
    """The visible insets of some widgets of a screen.

    Args:
        screen: The screen.
        widgets: The widgets; hidden ones have no visible insets.
    """

    def __init__(self, screen: MinimalRepaintScreen, *widgets: ImageLayer) -> None:
        self._screen = screen
        self._widgets = [*widgets]

    def add(self, *widgets: ImageLayer) -> None:
        """Show the insets of other widgets too."""
        self._widgets += widgets

    @property
    def keys(self) -> set[object]:
        """Keys of the images that the widgets show, or would show if they were displayed."""
        return {inset.picture.key for widget in self._widgets for inset in widget.insets}

    def set_covered(self, *, is_covered: bool) -> None:
        """Tell the widgets whether another screen is in front of theirs."""
        for widget in self._widgets:
            widget.set_covered(is_covered=is_covered)

    def place(self) -> Iterator[tuple[PlacedImage, EncodedImage]]:
        """Yield the images that are visible in full, with their areas on the screen, and hide the others.

        The last row of the screen does not count: some terminals scroll where sixels touch it.
        """
        height = self._screen.size.height
        for widget in self._widgets:
            regions = self._screen.get_regions(widget.view)
            if regions is None:
                continue
            content, in_front = regions
            content_area, covering_areas = _measure_area(content), [_measure_area(region) for region in in_front]
            hidden = set()
            for inset in widget.insets:
                picture = inset.picture
                area = Area(
                    content_area.row + inset.row, content_area.column + inset.column, picture.rows, picture.columns
                )
                if (
                    content_area.contains(area)
                    and area.row + area.rows < height
                    and not any(map(area.is_overlapping, covering_areas))
                ):
                    yield PlacedImage(picture.key, area), picture
                else:
                    hidden.add(picture.key)
            widget.hide(frozenset(hidden))


def _measure_area(region: Region) -> Area:
    return Area(region.y, region.x, region.height, region.width)


class PixelLayer:
    """Base class of layers. It sends nothing: all other protocols draw images as text.

    Args:
        sight: The visible images.
        write: Sends a sequence to the terminal.
    """

    lies_over = False
    """True if images lie over cells, and must be drawn and removed together with them."""

    def __init__(self, sight: VisibleInsets, write: Callable[[str], object]) -> None:
        self._sight = sight
        self._write = write

    def with_placeholders(self, cells: Cells, _insets: Sequence[ImagePlacement]) -> Cells:
        """Return the cells with placeholders for the images; sends the images first."""
        return cells

    @property
    def is_erased_by_text(self) -> bool:
        """Return True if the terminal shows images of this layer that text written over them erases."""
        return False

    def output_after(self, _painted: Sequence[Region]) -> str:
        """Return the output that follows an update which painted these regions."""
        return ""

    def leave(self) -> None:
        """React to another screen that covers this one."""

    def enter(self) -> None:
        """React to the end of the screen that covered this one, before this one is painted."""

    def forget(self) -> str:
        """Return a sequence that makes the terminal drop all images; the visible ones must be drawn again."""
        return ""


class KittyPlaceholderLayer(PixelLayer):
    """Kitty images in place of placeholder cells: an image is moved, covered and removed together with its cells."""

    def __init__(self, sight: VisibleInsets, write: Callable[[str], object], *, tmux: bool) -> None:
        super().__init__(sight, write)
        self._cache = KittyImageCache(list_image_ids(os.getpid()), tmux=tmux)

    def with_placeholders(self, cells: Cells, insets: Sequence[ImagePlacement]) -> Cells:
        transmitted = [inset for inset in insets if self._transmit(inset.picture)]
        if transmitted:
            cells = cells.copy()
            for inset in transmitted:
                cells.put(inset.row, inset.column, self._cache.cells(inset.picture.key))
        return cells

    def _transmit(self, picture: EncodedImage) -> bool:
        """Send an image unless the terminal has it; return True if it has it now."""
        if picture.key not in self._cache:
            shown = self._sight.keys
            if not isinstance(picture.data, KittyImage) or len(shown) > MAX_IMAGES:
                return False  # encoded for another protocol, and gone soon; or more images than ids
            self._write(self._cache.put(picture.key, picture.data, picture.columns, picture.rows, shown))
        return True

    def forget(self) -> str:
        return self._cache.clear()


class KittyOverlayLayer(PixelLayer):
    """Kitty images over the text."""

    lies_over = True

    def __init__(self, sight: VisibleInsets, write: Callable[[str], object]) -> None:
        super().__init__(sight, write)
        self._cache = KittyImageCache(list_image_ids(os.getpid()), placeholders=False)
        self._on_screen: tuple[PlacedImage, ...] = ()

    def output_after(self, _painted: Sequence[Region]) -> str:
        shown = {placed: each.data for placed, each in self._sight.place() if isinstance(each.data, KittyImage)}
        changes, self._on_screen = diff_placements(self._on_screen, shown), tuple(shown)
        parts = [self._cache.hide(placed.key) for placed in changes.removed]
        for placed in changes.added:
            area = placed.area
            if placed.key not in self._cache:
                parts.append(self._cache.put(placed.key, shown[placed], area.columns, area.rows, self._sight.keys))
            parts.append(self._cache.place(placed.key, area.row, area.column))
        return "".join(parts)

    def leave(self) -> None:
        self._sight.set_covered(is_covered=True)
        self._write("".join([self._cache.hide(placed.key) for placed in self._on_screen]))
        self._on_screen = ()

    def enter(self) -> None:
        self._sight.set_covered(is_covered=False)

    def forget(self) -> str:
        self._on_screen = ()
        return self._cache.clear()


class SixelLayer(PixelLayer):
    """Sixels over the text, drawn again wherever text was written.

    An image that was encoded for cells of another size is not drawn: it would cover the text beside its area.
    """

    lies_over = True

    def __init__(self, sight: VisibleInsets, write: Callable[[str], object], cell: CellSize) -> None:
        super().__init__(sight, write)
        self._cell = cell
        self._on_screen: tuple[PlacedImage, ...] = ()

    @property
    def is_erased_by_text(self) -> bool:
        return bool(self._on_screen)

    def output_after(self, painted: Sequence[Region]) -> str:
        shown = {
            placed: each.data
            for placed, each in self._sight.place()
            if isinstance(each.data, str) and each.fills_cells_of(self._cell)
        }
        redrawn = diff_placements(self._on_screen, shown, map(_measure_area, painted)).added
        self._on_screen = tuple(shown)
        return "".join(position_sixels(placed.area.row, placed.area.column, shown[placed]) for placed in redrawn)

    def leave(self) -> None:
        self._sight.set_covered(is_covered=True)
        self._on_screen = ()

    def enter(self) -> None:
        self._sight.set_covered(is_covered=False)

    def forget(self) -> str:
        self._on_screen = ()
        return ""


def make_layer(protocol: ImageProtocol, sight: VisibleInsets, write: Callable[[str], object]) -> PixelLayer:
    """Return the layer of a protocol."""
    if protocol.kind == "kitty":
        return (
            KittyPlaceholderLayer(sight, write, tmux=protocol.tmux)
            if protocol.placeholders
            else KittyOverlayLayer(sight, write)
        )
    if protocol.kind == "sixel":
        return SixelLayer(sight, write, get_cell_size(protocol))
    return PixelLayer(sight, write)
