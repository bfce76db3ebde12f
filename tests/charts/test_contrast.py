"""Contrast of every text and line of every theme, by the formula of WCAG 2.2."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from textual.color import Color
from textual.theme import BUILTIN_THEMES

from tbtui.app.theme_names import ANSI_DARK, ANSI_LIGHT
from tbtui.app.themes import THEMES as THEMES_OF_APP
from tbtui.charts.cells import BUNDLE_INKS, SHADES, Ink, to_faint_ink, to_shade_inks
from tbtui.charts.colours import contrast, ensure_contrast, to_oklab
from tbtui.charts.ink_colours import (
    DARK_THEME_COLOURS,
    LIGHT_THEME_COLOURS,
    PAPER_THEME_COLOURS,
    InkTheme,
    ThemeColours,
)
from tbtui.charts.series_colours import PALETTE_SIZE, count_distinct_colours, get_ansi_colour
from tbtui.charts.xterm_colours import MAX_GREY_CHROMA, find_nearest_of_hue

THEMES = [
    pytest.param(tones, is_256, id=f"{name}, {256 if is_256 else 'true'} colours")
    for name, tones in (("dark", DARK_THEME_COLOURS), ("light", LIGHT_THEME_COLOURS), ("paper", PAPER_THEME_COLOURS))
    for is_256 in (False, True)
]
LEAST = {
    **dict.fromkeys((Ink.TEXT, Ink.BOLD), 7.0),
    **dict.fromkeys((Ink.ACCENT, Ink.GOOD, Ink.WARN, Ink.BAD), 4.5),
    Ink.DIM: 4.3,
    Ink.FAINT: 1.6,
    **dict(zip(BUNDLE_INKS, (1.85, 2.2, 2.9, 4.3), strict=True)),
}


@pytest.mark.parametrize(("tones", "is_256"), THEMES)
def test_every_role_stands_out_from_the_background(tones: ThemeColours, is_256: bool) -> None:
    theme = InkTheme(tones, is_256=is_256)
    found = {ink: contrast(theme.of(ink).colour, tones.background) for ink in LEAST}
    assert {ink: value for ink, value in found.items() if value < LEAST[ink]} == {}
    cursor = theme.of(Ink.CURSOR)
    assert contrast(cursor.colour, cursor.ground or "") >= 4.5


@pytest.mark.parametrize(("tones", "is_256"), THEMES)
def test_every_line_stands_out_from_the_background_and_its_twin(tones: ThemeColours, is_256: bool) -> None:
    theme = InkTheme(tones, is_256=is_256)
    for ink in range(PALETTE_SIZE):
        line, twin = theme.of(ink).colour, theme.of(to_faint_ink(ink)).colour
        assert contrast(line, tones.background) >= 3
        assert 1.35 <= contrast(twin, tones.background) < contrast(line, tones.background)


@pytest.mark.parametrize(("tones", "is_256"), THEMES)
def test_accent_is_the_colour_of_no_run_and_no_warning(tones: ThemeColours, is_256: bool) -> None:
    theme = InkTheme(tones, is_256=is_256)
    accent, *others = to_oklab([theme.of(ink).colour for ink in (Ink.ACCENT, Ink.WARN, Ink.BAD, *range(PALETTE_SIZE))])
    assert min(float(np.linalg.norm(accent - other)) for other in others) > 0.09


@pytest.mark.parametrize("tones", [DARK_THEME_COLOURS, LIGHT_THEME_COLOURS])
def test_series_keep_hue_and_distance_in_256_colours(tones: ThemeColours) -> None:
    true, fixed = (
        to_oklab([InkTheme(tones, is_256=is_256).of(ink).colour for ink in range(PALETTE_SIZE)])
        for is_256 in (False, True)
    )
    hues = [np.degrees(np.arctan2(lab[:, 2], lab[:, 1])) for lab in (true, fixed)]
    assert float(np.abs((hues[0] - hues[1] + 180) % 360 - 180).max()) <= 32
    assert min(float(np.linalg.norm(a - b)) for a, b in combinations(fixed, 2)) > 0.05


@pytest.mark.parametrize("tones", [DARK_THEME_COLOURS, LIGHT_THEME_COLOURS])
def test_shades_of_a_series_keep_hue_and_order_in_256_colours(tones: ThemeColours) -> None:
    true, fixed = InkTheme(tones), InkTheme(tones, is_256=True)
    away = np.sign(to_oklab([tones.foreground])[0, 0] - to_oklab([tones.background])[0, 0])
    for ink in range(PALETTE_SIZE):
        wanted, found = (
            to_oklab([theme.of(int(to_shade_inks(ink, level, 0))).colour for level in range(1, SHADES)])
            for theme in (true, fixed)
        )
        chroma, wanted_chroma = np.hypot(found[:, 1], found[:, 2]), np.hypot(wanted[:, 1], wanted[:, 2])
        assert (chroma[wanted_chroma >= MAX_GREY_CHROMA] >= 0.025).all()
        assert (np.diff(away * found[:, 0]) >= 0).all()
        assert len({tuple(each) for each in found.tolist()}) >= SHADES - 3
        assert fixed.of(int(to_shade_inks(ink, SHADES - 1, 0))).colour == fixed.of(ink).colour
        assert (chroma - wanted_chroma)[:2].max() < 0.12, "the outer bands of a fan are no signal"


@pytest.mark.parametrize("is_256", [False, True])
@pytest.mark.parametrize("name", [name for name in BUILTIN_THEMES if not name.startswith("ansi")])
def test_themes_of_textual_can_be_read(name: str, is_256: bool) -> None:
    known = BUILTIN_THEMES[name].to_color_system().generate()
    roles = ("foreground", "background", "accent", "success", "warning", "error")
    tones = ThemeColours(*(Color.parse(known[role]).hex6 for role in roles), dark=BUILTIN_THEMES[name].dark)
    theme = InkTheme(tones, is_256=is_256)
    least = {Ink.DIM: 3.4, Ink.FAINT: 1.4, **dict.fromkeys(range(PALETTE_SIZE), 2.8)}
    least |= dict.fromkeys((Ink.TEXT, Ink.BOLD, Ink.ACCENT, Ink.GOOD, Ink.WARN, Ink.BAD), 4.3)
    found = {ink: contrast(theme.of(ink).colour, tones.background) for ink in least}
    assert {ink: value for ink, value in found.items() if value < least[ink]} == {}


def test_legible_colours_keep_their_hue() -> None:
    found = ensure_contrast("#ffa62b", "#e0e0e0", 4.5)
    lab = to_oklab([found, "#ffa62b"])
    hues = np.degrees(np.arctan2(lab[:, 2], lab[:, 1]))
    assert contrast(found, "#e0e0e0") >= 4.5
    assert abs(hues[0] - hues[1]) < 15
    assert ensure_contrast("#000000", "#e0e0e0", 4.5) == "#000000"
    assert ensure_contrast("#808080", "#808080", 30) in ("#ffffff", "#000000")


def test_nearest_of_hue_of_a_grey_is_the_nearest_colour() -> None:
    assert find_nearest_of_hue(("#808080",), "#808080") == ("#808080",)
    assert find_nearest_of_hue(("#0a1a2a",), "#0072b2") != find_nearest_of_hue(("#0a1a2a",), "#0a0a0a")


def test_contrast_of_black_and_white_is_the_greatest() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#777777") == 1


ANSI_PALETTES = {
    "xterm": "000000 cd0000 00cd00 cdcd00 0000ee cd00cd 00cdcd e5e5e5 "
    "7f7f7f ff0000 00ff00 ffff00 5c5cff ff00ff 00ffff ffffff",
    "VGA": "000000 aa0000 00aa00 aa5500 0000aa aa00aa 00aaaa aaaaaa "
    "555555 ff5555 55ff55 ffff55 5555ff ff55ff 55ffff ffffff",
    "Tango": "000000 cc0000 4e9a06 c4a000 3465a4 75507b 06989a d3d7cf "
    "555753 ef2929 8ae234 fce94f 729fcf ad7fa8 34e2e2 eeeeec",
}
"""The sixteen colours of common terminals."""


def ansi_contrasts(number: int, background: str) -> list[float]:
    return [contrast(f"#{colours.split()[number]}", background) for colours in ANSI_PALETTES.values()]


@pytest.mark.parametrize("name", [ANSI_DARK, ANSI_LIGHT])
def test_roles_of_the_sixteen_colours_can_be_read(name: str) -> None:
    theme = next(theme for theme in THEMES_OF_APP if theme.name == name)
    background = "#000000" if theme.dark else "#ffffff"
    names = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"]
    numbers = {f"ansi_{word}": number for number, word in enumerate(names)}
    numbers |= {f"ansi_bright_{word}": number + 8 for number, word in enumerate(names)}
    for role in (theme.accent, theme.success, theme.warning, theme.error):
        assert min(ansi_contrasts(numbers[str(role)], background)) >= 3, role


@pytest.mark.parametrize("dark", [True, False])
def test_series_of_the_sixteen_colours_stand_out(dark: bool) -> None:
    background = "#000000" if dark else "#ffffff"
    for number in range(count_distinct_colours(is_ansi=True, dark=dark)):
        found = ansi_contrasts(get_ansi_colour(number, dark=dark), background)
        assert min(found) >= 2.1
        assert sorted(found)[1] >= 2.8, "in two of three terminals"
