"""Draw the pictures of one view: thumbnails in the grid, and one picture in full size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.card import (
    SEPARATOR,
    choose_note,
    compute_body_size,
    draw_card,
    draw_error_card,
    draw_placeholder_card,
    draw_title_line,
    stack_cells,
)
from tbtui.charts.cells import Cells, Ink
from tbtui.charts.numbers import format_count
from tbtui.plugins.images.detail import (
    IMAGE_ERRORS,
    DetailDrawing,
    DetailImage,
    OpenedImage,
    RenderStyle,
    draw_strip,
    find_picture_part,
    format_pixel_values,
    strip_layout,
)
from tbtui.plugins.images.read import find_compared_step
from tbtui.plugins.images.settings import (
    BRIGHTNESS,
    COMPARISON,
    CONTRAST,
    FILMS,
    GROUND,
    MARGINS,
    VALUES,
    VIEWPORTS,
)
from tbtui.plugins.images.table import format_frames, format_header, format_settings_label
from tbtui.plugins.images.transitions import CARD_STEPS
from tbtui.plugins.shown_steps import NoValueError
from tbtui.plugins.step_cards import (
    NO_PLOT,
    build_card_legend,
    choose_table_height,
    draw_error,
    draw_lines,
    step_bar,
    step_table,
    step_text,
)
from tbtui.terminal_images.frame_selection import is_scanned
from tbtui.view.card_painter import format_error
from tbtui.view.image_renderer import NO_CELLS, RenderedImage, centre_image
from tbtui.view.painted_cards import OpenedCard, PaintedCard
from tbtui.view.run_names import fit_run_name
from tbtui.view.tag_tree import cut_heading

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from tbtui.plugins.images.pixels import PixelCache
    from tbtui.plugins.images.read import ImageData, Stored
    from tbtui.plugins.images.viewport import VisiblePart
    from tbtui.plugins.sample_cards import CardSample, SampleCards
    from tbtui.plugins.shown_steps import ShownStep
    from tbtui.settings.settings import Settings
    from tbtui.terminal_images.header import Header
    from tbtui.view.image_renderer import ImageRenderer, RenderTarget
    from tbtui.view.painted_cards import CardRequest
    from tbtui.view.view import View


RUN_WIDTH_DIVISOR = 3
"""The name of a run takes at most the width of the line above an opened picture divided by this number."""

NO_PICTURE = "✗ no image"


class ImagesPainter:
    """Draw the pictures of one view as cells; implements `CardPainter` and `OpenPainter`.

    Args:
        data: Reads the stored images.
        pixels: Decodes the images.
        renderer: Draws the images as cells or pixels.
        view: The view to draw.
        cards: Cards of the view.
        screen: Capabilities of the terminal.
        frame: Frame of an animation in full size; cards show the first one.
    """

    def __init__(
        self,
        data: ImageData,
        pixels: PixelCache,
        renderer: ImageRenderer,
        view: View,
        cards: SampleCards,
        screen: RenderTarget,
        frame: int = 0,
    ) -> None:
        self._data = data
        self._pixels = pixels
        self._renderer = renderer
        self._view = view
        self._cards = cards
        self._screen = screen
        self._frame = frame
        settings = view.settings
        self._style = RenderStyle(
            screen,
            BRIGHTNESS.value(settings),
            CONTRAST.value(settings),
            VALUES.value(settings),
            GROUND.value(settings),
            MARGINS.value(settings) == "trimmed",
        )

    @property
    def _settings(self) -> Settings:
        return self._view.settings

    def _sample(self, key: str) -> CardSample:
        """Return the sample that a card shows. Raises NoValueError if its run is no longer shown."""
        sample = self._cards.samples.get(key)
        if sample is None:
            raise NoValueError("no visible run has this image")
        return sample

    def with_frame(self, frame: int) -> ImagesPainter:
        """Return a painter that shows another frame of the opened animation."""
        return ImagesPainter(self._data, self._pixels, self._renderer, self._view, self._cards, self._screen, frame)

    def paint_key(self, key: str) -> Hashable:
        settings, sample = self._settings, self._sample(key)
        run_keys = tuple(
            (run.name, self._data.steps.paint_key(self._view, run.name, sample.tag)) for run in self._view.runs
        )
        appearance = self._style, VIEWPORTS.value(settings).get(key), self._frame, FILMS.value(settings)
        compared = COMPARISON.value(settings), settings.mark, settings.focus, settings.baseline
        step = CARD_STEPS.position(settings, key), CARD_STEPS.has(settings, key)
        return sample, run_keys, step, appearance, compared

    # Cards

    def prefetch(self, cards: Sequence[CardRequest]) -> None:
        self._pixels.expect(self._list_upcoming_images(cards), self._style.tone)

    def _list_upcoming_images(self, cards: Sequence[CardRequest]) -> Iterator[tuple[Stored, VisiblePart]]:
        """Yield the pictures of cards. Errors are skipped here: they are shown when the card is painted."""
        for card in cards:
            columns, rows = compute_body_size(card.width, card.height)
            if columns < 1 or rows < 1 or self._style.target.is_off:
                continue
            try:
                sample = self._cards.samples[card.key]
                stored = self._data.load(self._data.find_shown_step(self._view, card.key, sample), sample.index)
                coming = stored, self._find_visible_part(stored, columns, rows)
            except Exception:  # noqa: BLE001, S112 - see above
                continue
            yield coming

    def _find_visible_part(self, stored: Stored, columns: int, rows: int) -> VisiblePart:
        """Return the visible part of a picture on a card."""
        style = self._style.small
        return find_picture_part(self._pixels, stored, style.target.count_dots(columns, rows), style)[1]

    def paint(self, key: str, width: int, height: int, *, focused: bool, heading: str = "") -> PaintedCard:
        sample = self._sample(key)
        shown = self._data.find_shown_step(self._view, key, sample)
        notes, body = self._draw_thumbnail(shown, sample.index, *compute_body_size(width, height))
        title = cut_heading(self._cards.title_of(key), heading)
        note = choose_note(notes, title, width)
        insets = tuple(inset.translate(1, 1) for inset in body.insets)
        cells = draw_card(
            title,
            body.cells,
            width,
            height,
            focused=focused,
            note=note,
            note_ink=Ink.WARN if note.startswith(("✗", "⚠")) else Ink.DIM,
            legend=build_card_legend(
                shown,
                self._settings.x_axis,
                self._run_names,
                width,
                has_own_step=CARD_STEPS.has(self._settings, key),
            ),
        )
        return PaintedCard(cells, NO_PLOT, shown.steps.stops, insets)

    def _draw_thumbnail(
        self, shown: ShownStep, sample: int, columns: int, rows: int
    ) -> tuple[Sequence[str], RenderedImage]:
        """Return ever shorter notes about a picture and its cells; where there is no picture, the reason."""
        if columns < 1 or rows < 1:
            return [""], RenderedImage(NO_CELLS)
        try:
            stored = self._data.load(shown, sample)
            header = self._pixels.header(stored)
            if self._style.target.is_off:
                return [""], RenderedImage(draw_lines(format_header(header, stored), columns, rows))
            if self._has_strip(header) and (layout := strip_layout(columns, rows, header.frames)) > (1, 1):
                height = rows // layout[1] - 1
                style = self._style.small
                strip = draw_strip(self._pixels, self._renderer, style, stored, layout, columns, height)
                return [format_frames(header), format_count(header.frames, "frame")], strip
            image = self._pixels.scale(stored, self._find_visible_part(stored, columns, rows), None, self._style.tone)
        except IMAGE_ERRORS as error:
            return [NO_PICTURE], RenderedImage(draw_error(str(error), columns, rows))
        values = format_pixel_values(image.values, self._style.tone)
        note = f"⚠ {image.note}" if image.note else ""
        words = [*filter(None, (note, values, format_frames(header), f"{header.width}×{header.height}"))]
        notes = [SEPARATOR.join(words[:count]) for count in range(len(words), 0, -1)]
        if values and not note:
            notes.append(values.removeprefix("values "))
        return notes, centre_image(self._style.small.draw(image, self._renderer), columns, rows)

    def _has_strip(self, header: Header) -> bool:
        return FILMS.value(self._settings) == "strip" and is_scanned(header)

    def paint_outline(self, key: str, width: int, height: int, *, focused: bool, heading: str = "") -> Cells:
        return draw_placeholder_card(cut_heading(self._cards.title_of(key), heading), width, height, focused=focused)

    def paint_error(
        self, key: str, width: int, height: int, error: Exception, *, focused: bool, heading: str = ""
    ) -> Cells:
        title = cut_heading(self._cards.title_of(key), heading)
        return draw_error_card(title, format_error(error), width, height, focused=focused)

    # In full size

    def open(self, key: str, width: int, height: int) -> OpenedImage:
        view, settings, sample = self._view, self._settings, self._sample(key)
        shown = self._data.find_shown_step(view, key, sample)
        steps_of_runs = self._data.steps.get_by_tag(view, sample.tag)
        position = CARD_STEPS.position(settings, key)
        header, rows, runs = step_table(steps_of_runs, width, position, settings.focus)
        rows_below = choose_table_height(rows.height, height)
        other = find_compared_step(self._data, view, key, sample, shown)
        picture = self._draw_detail(key, sample, shown, other, width, height - rows_below - 2)
        marked = other if other is not None and other.steps is shown.steps else None
        bar = step_bar(shown, settings.x_axis, width, marked, has_own_step=CARD_STEPS.has(settings, key))
        words = (
            *self._title_words(sample, shown, other, width // RUN_WIDTH_DIVISOR),
            shown.left_out,
            *picture.details,
            format_settings_label(settings),
        )
        title = draw_title_line(
            self._cards.title_of(key), SEPARATOR.join(filter(None, words)), width, prefer_side_text=rows_below == 1
        )
        cells = stack_cells(title, Cells.blank(picture.cells.height + 1, width, coloured=True))
        cells.put(1, 0, picture.cells)
        cells.put(cells.height - 1, 0, bar.cells)
        plot = NO_PLOT if bar.plot is None else bar.plot.translate(cells.height - 1, 0)
        return OpenedImage(
            key,
            cells,
            header if rows_below > 1 else Cells.blank(0, width),
            rows,
            plot,
            bar.stops,
            runs,
            None,
            picture.size,
            picture.room,
            self._style.target.dots,
            1 + picture.above,
            picture.frames,
            picture.seconds,
            tuple(inset.translate(1, 0) for inset in picture.insets),
        )

    def _draw_detail(
        self, key: str, sample: CardSample, shown: ShownStep, other: ShownStep | None, columns: int, rows: int
    ) -> DetailImage:
        full = DetailDrawing(
            self._data, self._pixels, self._renderer, self._style, self._settings, key, sample.index, self._frame
        )
        if other is None:
            return full.draw_alone(shown, columns, rows)
        if COMPARISON.value(self._settings) == "difference" and not self._style.target.is_off:
            return full.draw_difference(shown, other, columns, rows)
        return full.draw_side_by_side(shown, other, columns, rows)

    @property
    def _run_names(self) -> list[str]:
        """Names of the drawn runs."""
        return [run.name for run in self._view.runs]

    def _title_words(self, sample: CardSample, shown: ShownStep, other: ShownStep | None, width: int) -> Iterator[str]:
        """Yield run and step, unless a caption names them."""
        if other is None:
            yield fit_run_name(sample.run, self._run_names, width)
            yield step_text(shown, self._settings.x_axis)
            if COMPARISON.value(self._settings) != "off":
                yield "nothing to compare with"

    def open_error(self, key: str, width: int, height: int, error: Exception) -> OpenedImage:
        body = draw_error(format_error(error), max(width, 0), max(height - 1, 0))
        title = draw_title_line(self._cards.title_of(key), "", width)
        return OpenedImage(key, stack_cells(title, body), Cells.blank(0, width), Cells.blank(0, width))

    def pick(self, _opened: OpenedCard, _column: int, _row: int) -> str | None:
        """Return None: no cell of a picture belongs to another run."""
        return None
