"""Inks in each kind of theme, and rows of cells as segments."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pytest
from rich.color import ColorSystem
from rich.console import Console
from rich.style import Style
from textual.app import App
from textual.color import Color

from tbtui.app.themes import THEMES
from tbtui.charts.cells import (
    BUNDLE_INKS,
    HEAT_LEVELS,
    MAX_PLACEHOLDERS,
    NO_COLOUR,
    NUMBERED,
    SHADE_COLOURS,
    SHADES,
    Cells,
    Ink,
    build_placeholders,
    colour_pairs,
    to_faint_ink,
    to_heat_inks,
    to_shade_inks,
    to_warm_inks,
)
from tbtui.charts.colours import ensure_contrast
from tbtui.charts.ink_colours import MIN_LINE_CONTRAST
from tbtui.charts.series_colours import PALETTE_SIZE, get_series_colour
from tbtui.charts.text import write
from tbtui.charts.xterm_colours import choose_fixed_shades, find_nearest_colours, find_nearest_of_hue
from tbtui.widgets import ink_styles as inks

if TYPE_CHECKING:
    from textual.theme import Theme


async def themed(theme: str) -> inks.InkStyles:
    app: App[None] = App()
    async with app.run_test() as pilot:
        app.theme = theme
        await pilot.pause()
        assert inks.get_ink_styles(app) is inks.get_ink_styles(app)
        return inks.get_ink_styles(app)


def triplet(styles: inks.InkStyles, ink: int) -> str:
    colour = styles.of(ink).color
    assert colour is not None
    return colour.get_truecolor().hex


NORD_GROUND = "#2e3440"
"""Background of the theme nord, on which one blue of the palette is made lighter."""


@pytest.mark.parametrize(("theme", "dark"), [("textual-dark", True), ("textual-light", False), ("nord", True)])
async def test_series_use_the_palette_of_the_background_and_faint_twins(theme: str, dark: bool) -> None:
    styles = await themed(theme)
    background = 0.0 if dark else 1.0
    for ink in range(PALETTE_SIZE):
        colour = get_series_colour(ink, dark=dark)
        assert triplet(styles, ink) in (colour, ensure_contrast(colour, NORD_GROUND, MIN_LINE_CONTRAST))
    distances = [_distance(triplet(styles, ink), background) for ink in (Ink.TEXT, Ink.DIM, Ink.FAINT)]
    assert distances == sorted(distances, reverse=True)
    assert len(set(distances)) == 3
    assert triplet(styles, to_faint_ink(0)) != triplet(styles, 0)


def _distance(colour: str, background: float) -> float:
    """Lightness away from black or white."""
    return abs(sum(int(colour[i : i + 2], 16) for i in (1, 3, 5)) / 765 - background)


async def test_a_series_beyond_the_palette_begins_it_again() -> None:
    styles = await themed("textual-dark")
    assert triplet(styles, PALETTE_SIZE + 3) == triplet(styles, 3)
    assert triplet(styles, to_faint_ink(PALETTE_SIZE + 3)) == triplet(styles, to_faint_ink(3))


async def test_ansi_themes_use_the_terminals_own_colours_alone() -> None:
    styles = await themed("ansi-dark")
    for ink in (*Ink, *range(20), *(to_faint_ink(series) for series in range(20))):
        colour = styles.of(ink).color
        assert colour is None or colour.triplet is None, ink
    assert styles.of(to_faint_ink(0)).dim


async def test_on_blue_of_a_plain_terminal_nothing_is_written_in_black() -> None:
    styles = await themed("ansi-light")
    for level, ground in ((HEAT_LEVELS - 1, 0), (2 * HEAT_LEVELS // 3, 4)):
        hot = styles.of(int(to_heat_inks(0, level)))
        assert (hot.color.number, hot.bgcolor.number) == (15, ground)
    assert styles.of(int(to_heat_inks(0, 1))).color.number == 0


async def test_another_theme_is_another_object() -> None:
    assert await themed("textual-dark") is not await themed("nord")


async def test_runs_of_equal_ink_are_one_segment() -> None:
    styles = await themed("textual-dark")
    cells = Cells.blank(1, 8)
    write(cells, 0, 0, "ab", Ink.BOLD)
    write(cells, 0, 2, "世", 3)
    strip = inks.render_cells(cells, 0, styles)
    assert [segment.text for segment in strip] == ["ab", "世    "]
    assert [segment.style for segment in strip] == [styles.of(Ink.BOLD), styles.of(3)]
    assert strip.cell_length == 8


async def test_a_row_lies_on_its_base() -> None:
    styles = await themed("textual-dark")
    cells = Cells.blank(1, 4)
    write(cells, 0, 2, "x", 3)
    strip = inks.render_cells(cells, 0, styles, Style(bgcolor="#123456"))
    assert [segment.text for segment in strip] == ["  ", "x "]
    assert all(segment.style is not None and segment.style.bgcolor is not None for segment in strip)


async def test_a_row_without_cells_is_empty() -> None:
    styles = await themed("textual-dark")
    assert inks.render_cells(Cells(np.zeros((1, 0), np.uint32), np.zeros((1, 0), np.int16)), 0, styles).cell_length == 0


async def test_blanks_join_what_stands_before_them_on_one_ground_alone() -> None:
    styles = await themed("textual-dark")
    cells = Cells.blank(1, 9)
    write(cells, 0, 0, "▀", int(to_heat_inks(30, 7)))
    cells.inks[0, 1:3] = to_heat_inks(7, 7)  # blanks on the ground of the glyph before
    cells.inks[0, 3:5] = to_heat_inks(20, 20)
    write(cells, 0, 6, "▀", int(to_shade_inks(2, 5, 0)))
    cells.inks[0, 8] = to_shade_inks(2, 3, 3)
    strip = inks.render_cells(cells, 0, styles)
    assert [segment.text for segment in strip] == ["▀  ", "  ", " ", "▀ ", " "]
    wanted = [
        int(to_heat_inks(30, 7)),
        int(to_heat_inks(20, 20)),
        Ink.NONE,
        int(to_shade_inks(2, 5, 0)),
        int(to_shade_inks(2, 3, 3)),
    ]
    assert [segment.style for segment in strip] == [styles.of(ink) for ink in wanted]


@pytest.mark.parametrize("theme", ["textual-dark", "textual-light", "nord", "ansi-dark", "ansi-light"])
async def test_pairs_colour_glyph_and_ground_with_level_0_as_background(theme: str) -> None:
    styles = await themed(theme)
    for pair, last in ((to_heat_inks, HEAT_LEVELS - 1), (partial(to_shade_inks, 4), SHADES - 1)):
        both = styles.of(int(pair(last, 1)))
        assert both.color is not None
        assert both.bgcolor is not None
        assert styles.of(int(pair(1, last))) == Style(color=both.bgcolor, bgcolor=both.color)
        assert styles.of(int(pair(last, 0))) == Style(color=both.color)


async def test_the_last_shade_is_the_colour_of_the_series() -> None:
    styles = await themed("textual-dark")
    for ink in range(PALETTE_SIZE):
        assert triplet(styles, int(to_shade_inks(ink, SHADES - 1, 0))) == get_series_colour(ink)
    assert triplet(styles, int(to_shade_inks(SHADE_COLOURS + 3, 2, 0))) == triplet(styles, int(to_shade_inks(3, 2, 0)))


@pytest.mark.parametrize("theme", THEMES[:2], ids=lambda theme: theme.name)
async def test_nothing_fades_into_the_ground_of_a_terminal_of_sixteen_colours(theme: Theme) -> None:
    app: App[None] = App()
    async with app.run_test() as pilot:
        app.console._color_system = ColorSystem.STANDARD
        app.register_theme(theme)
        app.theme = theme.name
        await pilot.pause()
        grounds = {0} if theme.dark else {7, 15}  # black; whites, of which one is hardly seen on the other
        for ink in (Ink.TEXT, Ink.DIM, Ink.FAINT, Ink.ACCENT, Ink.WARN, Ink.BAD, Ink.GOOD):
            colour = inks.get_ink_styles(app).of(ink).color
            assert colour is not None
            assert colour.downgrade(ColorSystem.STANDARD).number not in grounds, ink


async def test_areas_in_256_colours_use_the_nearest_fixed_colours() -> None:
    app: App[None] = App()
    async with app.run_test() as pilot:
        app.theme = "textual-dark"
        await pilot.pause()
        many = inks.get_ink_styles(app)
        app.console._color_system = ColorSystem.EIGHT_BIT
        few = inks.get_ink_styles(app)
    for pair, last in ((to_heat_inks, HEAT_LEVELS - 1), (partial(to_shade_inks, 0), SHADES - 1)):
        meant = [triplet(many, int(pair(level, 0))) for level in range(last + 1)]
        told = [triplet(few, int(pair(level, 0))) for level in range(last + 1)]
        full = triplet(few, 0)
        nearest = (
            find_nearest_colours(meant[1:])
            if pair is to_heat_inks
            else choose_fixed_shades(tuple(meant[1:]), full, meant[0])
        )
        assert told == [meant[0], *nearest]
    assert (triplet(few, 3),) == find_nearest_of_hue((triplet(many, 3),), triplet(many, 3))


async def shown(theme: str, monkeypatch: pytest.MonkeyPatch, *, no_color: bool) -> tuple[inks.InkStyles, str]:
    """Heat, what is under a cursor, and shades, as they are told in a theme."""
    if no_color:
        monkeypatch.setenv("NO_COLOR", "1")
    else:
        monkeypatch.delenv("NO_COLOR", raising=False)
    styles = await themed(theme)
    cells = Cells.blank(1, 3)
    write(cells, 0, 0, "▀▀▀", Ink.NONE)
    cells.inks[0] = [to_heat_inks(40, 20), to_warm_inks(to_heat_inks(40, 20)), to_shade_inks(3, 6, 4)]
    return styles, inks.render_cells(cells, 0, styles).text


@pytest.mark.parametrize(
    ("theme", "no_color", "told"),
    [
        ("textual-dark", False, "▀▀▀"),
        ("textual-light", True, "▀│▀"),  # greys: hues do not tell the cursor from what is beside it
        ("ansi-dark", False, "▀│▓"),  # no shades of one colour
        ("ansi-light", True, "▓│▓"),
    ],
)
async def test_what_colours_cannot_tell_is_told_by_glyphs(
    theme: str, no_color: bool, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, text = await shown(theme, monkeypatch, no_color=no_color)
    assert text == told


async def test_what_is_under_the_cursor_has_other_colours() -> None:
    styles = await themed("textual-dark")
    for level in (1, HEAT_LEVELS // 2, HEAT_LEVELS - 1):
        assert triplet(styles, int(to_heat_inks(level, 0))) != triplet(
            styles, int(to_warm_inks(to_heat_inks(level, 0)))
        )
    assert (
        styles.of(int(to_warm_inks(to_heat_inks(5, 9)))).bgcolor
        == styles.of(int(to_warm_inks(to_heat_inks(9, 0)))).color
    )


async def test_true_colours_stand_in_place_of_inks() -> None:
    cells = Cells.blank(1, 7, coloured=True)
    write(cells, 0, 0, "▀▀ x   ", Ink.BAD)
    assert cells.colours is not None
    cells.colours[0, :3] = colour_pairs([0x102030, 0x102030, NO_COLOUR], [0x405060, 0x405060, 0x405060])
    cells.colours[0, 4:6] = colour_pairs(NO_COLOUR, [0x708090, NO_COLOUR])
    styles = await themed("textual-dark")
    base = Style.parse("#eeeeee on #111111")
    found = [
        (text, style.color.get_truecolor().hex, style.bgcolor.get_truecolor().hex)
        for text, style, _ in inks.render_cells(cells, 0, styles, base)
        if style and style.color and style.bgcolor
    ]
    assert found == [
        ("▀▀ ", "#102030", "#405060"),
        ("x", triplet(styles, Ink.BAD), "#111111"),
        (" ", "#eeeeee", "#708090"),
        ("  ", "#eeeeee", "#111111"),
    ]


@pytest.mark.parametrize("theme", ["textual-dark", "ansi-dark"])
@pytest.mark.parametrize("number", [16, 145, 255])
async def test_a_numbered_colour_reaches_the_terminal_by_its_number(theme: str, number: int) -> None:
    app: App[None] = App()
    async with app.run_test():
        app.theme = theme
        cells = Cells.blank(1, 1, coloured=True)
        assert cells.colours is not None
        cells.glyphs[:], cells.colours[:] = ord("x"), colour_pairs(NUMBERED + number, NO_COLOUR)
        drawn = inks.render_cells(cells, 0, inks.get_ink_styles(app), Style.parse("bold on #102030"))
        for line_filter in app.get_line_filters():
            drawn = drawn.apply_filter(line_filter, Color.parse("#102030"))
        for system in ("truecolor", "256"):
            console = Console(color_system=system, force_terminal=True)  # type: ignore[arg-type]
            (segment,) = drawn
            assert segment.style is not None
            assert f"38;5;{number};" in segment.style.render("x", color_system=console._color_system) + ";"


async def test_text_that_the_terminal_draws_over_can_be_cut_at_every_cell() -> None:
    cells = Cells.blank(1, MAX_PLACEHOLDERS + 2, coloured=True)
    assert cells.colours is not None
    cells.glyphs[0, 1:-1] = build_placeholders(1, MAX_PLACEHOLDERS, 77)[0]
    cells.colours[0, 1:-1] = colour_pairs(NUMBERED + 200, NO_COLOUR)
    whole = inks.render_cells(cells, 0, await themed("textual-dark"))
    assert whole.text == cells.get_row_text(0)
    assert {style.color.number for text, style, _ in whole if style and style.color and text.strip()} == {200}
    for cut in range(1, MAX_PLACEHOLDERS + 2):
        first, second = whole.crop(0, cut), whole.crop(cut, MAX_PLACEHOLDERS + 2)
        assert first.text == cells.crop(slice(None), slice(cut)).get_row_text(0)
        assert second.text == cells.crop(slice(None), slice(cut, None)).get_row_text(0)


@pytest.mark.parametrize("theme", ["textual-dark", "textual-light", "ansi-dark"])
async def test_cursor_ink_is_visible_without_colours(theme: str) -> None:
    styles = await themed(theme)
    style, text = styles.of(Ink.CURSOR), styles.of(Ink.ACCENT)
    assert text.color in ((style.color,) if style.reverse else (style.bgcolor,))
    cells = Cells.blank(1, 6)
    write(cells, 0, 0, "ab", Ink.TEXT)
    write(cells, 0, 2, "   ", Ink.CURSOR)
    assert [(part.text, part.style) for part in inks.render_cells(cells, 0, styles)] == [
        ("ab", styles.of(Ink.TEXT)),
        ("   ", style),
        (" ", styles.of(Ink.NONE)),
    ]


@pytest.mark.parametrize("theme", ["ansi-dark", "ansi-light"])
async def test_bundle_in_16_colours_is_seen_but_quieter_than_lines(theme: str) -> None:
    styles = [(await themed(theme)).of(ink) for ink in BUNDLE_INKS]
    numbers = [style.color.number for style in styles if style.color is not None]
    assert numbers[0] == numbers[1] == 8
    assert all(style.dim for style in styles[: 4 if theme == "ansi-dark" else 2])
    assert numbers[2:] == ([7, 7] if theme == "ansi-dark" else [8, 8])
