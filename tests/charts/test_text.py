from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tbtui.charts.cells import Cells, Ink
from tbtui.charts.text import cell_width, fit, format_run_name, pad, safe, shorten, write

ANY_TEXT = st.text(st.characters(), max_size=60)  # surrogates and unassigned code points too
NASTY = st.text(
    st.sampled_from("ab漢字é\u0301\u200d\ufe0f👩🏽🇩🇪\x1b\x9b\n\u202e\u2066\ue000\ud800\u1100\u1161\u11a8\U000e0041·…"),
    max_size=40,
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("loss/train", "loss/train"),
        ("", ""),
        ("a\x1b[31mb\x1b]0;title\x07", "a·[31mb·]0;title·"),
        ("two\nlines\r\n\tand a tab", "two␣lines␣␣␣and a tab"),
        ("c1 \x9b2J \x85", "c1 ·2J ␣"),
        ("delete\x7f", "delete·"),
        ("\u202ereversed\u202c \u2066isolated\u2069 \u200e\u200f\u061c", "reversed isolated "),
        ("zero\u200bwidth\u200c\u200d\ufeff\u2060", "zerowidth"),
        ("line\u2028paragraph\u2029", "line␣paragraph␣"),
        ("no\u00a0break\u3000wide\u2003em", "no break wide em"),
        ("e\u0301te\u0301", "été"),
        ("x\u0336y\u0336", "xy"),
        ("❤\ufe0f", "❤"),
        ("👩\u200d🚀 👍🏽", "👩🚀 👍"),
        ("🇩🇪", "DE"),
        ("tags \U000e0041\U000e007f", "tags "),
        ("run \udcff\ud800", "run ··"),
        ("private \ue000 \U0010fffd unassigned \U000378ff", "private · · unassigned ·"),
        ("soft\u00adhyphen", "softhyphen"),
        ("\u115f\u3164\uffa0filled", "filled"),
        ("\u1112\u1161\u11ab", "한"),
        ("עברית", "עברית"),
        ("[bold]markup[/]", "[bold]markup[/]"),
    ],
)
def test_safe(text: str, shown: str) -> None:
    assert safe(text) == shown


@given(ANY_TEXT | NASTY)
def test_safe_characters_are_printable_with_their_own_columns(text: str) -> None:
    shown = safe(text)
    assert all(char == " " or unicodedata.category(char)[0] not in "CMZ" for char in shown)
    assert cell_width(shown) == cell_len(shown) == sum(cell_len(char) for char in shown)
    assert all(cell_len(char) in (1, 2) for char in shown)


@pytest.mark.parametrize(
    ("name", "shown"), [("loss", "loss"), (" a ", " a "), ("", "␣"), ("  ", "␣"), ("\u200b\u3164", "␣"), ("\n", "\n")]
)
def test_a_name_shows_something(name: str, shown: str) -> None:
    assert format_run_name(name) == shown


@given(ANY_TEXT | NASTY)
def test_safe_twice_is_safe_once(text: str) -> None:
    assert safe(safe(text)) == safe(text)


@given(ANY_TEXT | NASTY, st.integers(-3, 70))
def test_fitted_text_never_exceeds_its_width(text: str, width: int) -> None:
    for fitted in (fit(text, width), shorten(text, width)):
        assert cell_width(fitted) <= max(width, 0)
        if cell_width(safe(text)) <= width:
            assert fitted == safe(text)
        elif width > 0:
            assert "…" in fitted
            assert cell_width(fitted) >= width - 2  # a wide glyph at a cut leaves a column on each side
    assert cell_width(pad(text, max(width, 0))) == max(width, 0)


@pytest.mark.parametrize(
    ("text", "width", "fitted", "shortened"),
    [
        ("adam_lr1e-3_seed0", 17, "adam_lr1e-3_seed0", "adam_lr1e-3_seed0"),
        ("adam_lr1e-3_seed0", 12, "adam_lr1e-3…", "adam_l…seed0"),
        ("adam_lr1e-3_seed0", 1, "…", "…"),
        ("adam_lr1e-3_seed0", 2, "a…", "a…"),
        ("adam_lr1e-3_seed0", 0, "", ""),
        ("漢字漢字漢字", 7, "漢字漢…", "漢字…字"),
        ("漢字漢字漢字", 6, "漢字…", "漢…字"),
    ],
)
def test_fit_and_shorten(text: str, width: int, fitted: str, shortened: str) -> None:
    assert fit(text, width) == fitted
    assert shorten(text, width) == shortened


def test_write_clips_at_every_side() -> None:
    cells = Cells.blank(1, 5)
    assert write(cells, 0, -2, "abcdefghij", 3) == 8
    assert cells.text() == "cdefg"
    assert cells.inks.tolist() == [[3] * 5]
    for y, x in ((-1, 0), (1, 0), (0, 5), (0, -10)):
        assert write(cells, y, x, "XXXXXXXXXX", 1) == x + 10
    assert cells.text() == "cdefg"


@pytest.mark.parametrize(
    ("x", "text", "glyphs"),
    [
        (0, "漢字a", "漢0字0a"),
        (1, "漢字", " 漢0字0"),
        (2, "漢字", "  漢0 "),
        (-1, "漢字a", " 字0a "),
    ],
)
def test_write_keeps_wide_glyphs_whole(x: int, text: str, glyphs: str) -> None:
    cells = Cells.blank(1, 5)
    write(cells, 0, x, text, Ink.TEXT)
    assert "".join(chr(code) if code else "0" for code in cells.glyphs[0]) == glyphs


def test_write_blanks_the_other_half_of_a_wide_glyph_it_covers() -> None:
    cells = Cells.blank(1, 6)
    write(cells, 0, 0, "漢字漢", Ink.TEXT)
    write(cells, 0, 1, "abc", Ink.TEXT)
    assert cells.text() == " abc漢"


@given(st.lists(st.tuples(st.integers(-5, 14), ANY_TEXT | NASTY), max_size=6))
def test_rows_written_on_keep_their_width(texts: list[tuple[int, str]]) -> None:
    cells = Cells.blank(1, 10)
    for x, text in texts:
        write(cells, 0, x, text, 0)
    assert cell_len(cells.get_row_text(0)) == 10


def test_a_text_of_a_hundred_thousand_marks_is_only_its_letters() -> None:
    marks = "\u0301\u0316" * 25_000
    assert safe(f"a{marks}b{marks}c") == "ábc"
    assert shorten("x" * 1_000_000 + marks + "end", 9) == "xxxx…xend"


def test_row_text_and_text_show_what_was_written() -> None:
    cells = Cells.blank(2, 4)
    write(cells, 1, 0, "漢ab", Ink.DIM)
    assert cells.get_row_text(1) == "漢ab"
    assert cells.text() == "    \n漢ab"
