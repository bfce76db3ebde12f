"""Areas of colour told by glyphs alone."""

from __future__ import annotations

import numpy as np
import pytest

from tbtui.charts.cells import (
    HEAT_LEVELS,
    SHADE_FROM,
    SHADES,
    WARM_FROM,
    Cells,
    Ink,
    to_heat_inks,
    to_shade_inks,
    to_warm_inks,
)
from tbtui.charts.monochrome import DENSITY_GLYPHS, shade_monochrome
from tbtui.charts.text import write

MOST = HEAT_LEVELS - 1


def cells(text: str, *inks: object) -> Cells:
    picture = Cells.blank(1, len(text))
    write(picture, 0, 0, text, Ink.TEXT)
    picture.inks[0] = [int(np.asarray(ink)) for ink in inks]
    return picture


def test_a_picture_without_pairs_is_left_alone() -> None:
    plain = cells("a▀ ", Ink.BOLD, 3, Ink.NONE)
    assert shade_monochrome(plain) is plain


def test_more_is_denser_and_anything_is_seen() -> None:
    seen = shade_monochrome(
        cells(" " * HEAT_LEVELS, *(to_heat_inks(level, level) for level in range(HEAT_LEVELS)))
    ).text()
    assert seen[0] == " "
    assert " " not in seen[1:]
    assert list(seen) == sorted(seen, key=DENSITY_GLYPHS.index)
    assert set(seen) == set(DENSITY_GLYPHS)


@pytest.mark.parametrize(
    ("glyph", "over", "under", "dense"),
    [
        ("▀", MOST, MOST, "█"),
        ("▀", MOST, 0, "▒"),
        ("▄", MOST, 0, "▒"),
        ("▀", 0, MOST, "▒"),
        ("▀", 1, 0, "·"),
        ("█", MOST, 0, "█"),
        ("▂", MOST, 0, "░"),
        ("▆", MOST, 0, "▓"),
        (" ", MOST, 0, " "),
    ],
)
def test_both_halves_of_a_cell_count_as_much_as_they_cover(glyph: str, over: int, under: int, dense: str) -> None:
    seen = shade_monochrome(cells(glyph, to_heat_inks(over, under)))
    assert seen.text() == dense
    assert seen.inks[0, 0] == Ink.TEXT


def test_shades_keep_their_series_and_lines_over_them_stay() -> None:
    seen = shade_monochrome(
        cells(" ▄⠤a", to_shade_inks(7, 0, SHADES - 1), to_shade_inks(7, 2, 0), to_shade_inks(3, 7, 2), Ink.BAD)
    )
    assert seen.text() == "█·⠤a"
    assert seen.inks[0].tolist() == [7, 7, int(to_shade_inks(3, 0, SHADES - 1)), Ink.BAD]


def test_shade_monochrome_name_beside_an_area_keeps_the_ground_of_the_chart() -> None:
    assert shade_monochrome(cells("a", to_shade_inks(3, SHADES - 1, 0))).inks[0].tolist() == [3]


def test_what_is_under_the_cursor_is_a_line() -> None:
    seen = shade_monochrome(cells(" ▀", to_warm_inks(to_heat_inks(9, 9)), to_warm_inks(to_heat_inks(1, 0))))
    assert seen.text() == "││"
    assert seen.inks[0].tolist() == [Ink.ACCENT] * 2


def test_only_the_families_asked_for_are_told_so() -> None:
    both = cells("▀▀ ", to_heat_inks(9, 5), to_warm_inks(to_heat_inks(9, 5)), to_shade_inks(0, 3, 3))
    assert shade_monochrome(both, WARM_FROM, SHADE_FROM).text() == "▀│ "
    assert shade_monochrome(both, WARM_FROM).text() == "▀│▒"
    assert both.text() == "▀▀ "


def test_shade_monochrome_keeps_thin_lines_but_not_thin_areas() -> None:
    full = SHADES - 1
    seen = shade_monochrome(
        cells(
            "▁▔▁▂",
            to_shade_inks(7, full, 3),
            to_shade_inks(7, full, 0),
            to_shade_inks(7, 2, 0),
            to_shade_inks(7, full, 0),
        )
    )
    assert seen.text() == "▁▔·░"


def test_blanks_of_a_labelled_bar_have_the_ground_of_its_letters() -> None:
    bar, other = to_shade_inks(2, 0, 5), to_shade_inks(3, 0, 5)
    shaded = shade_monochrome(cells("a b   ", bar, bar, bar, bar, other, other))
    assert shaded.text() == "a b ▓▓"
    full = int(to_shade_inks(2, 0, SHADES - 1))
    assert shaded.inks[0].tolist() == [full] * 4 + [3, 3]
