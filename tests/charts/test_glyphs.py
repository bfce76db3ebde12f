from __future__ import annotations

import pytest

from tbtui.charts.glyphs import ASCII, build_glyph_table, choose_glyphs
from tbtui.charts.text import cell_width


@pytest.mark.parametrize(
    ("setting", "environ", "glyphs"),
    [
        ("auto", {"TERM": "xterm-256color"}, "braille"),
        ("auto", {"TERM": "linux"}, "ascii"),
        ("auto", {"TERM": "xterm-256color", "MLTERM": "3.9.3"}, "blocks"),
        ("braille", {"TERM": "linux"}, "braille"),
        ("ascii", {"TERM": "xterm-kitty"}, "ascii"),
    ],
)
def test_choose_glyphs_prefers_the_setting_to_the_terminal(setting: str, environ: dict[str, str], glyphs: str) -> None:
    assert choose_glyphs(setting, environ) == glyphs  # type: ignore[arg-type]


def test_glyph_table_replaces_all_braille_by_glyphs_of_one_column() -> None:
    braille = "".join(map(chr, range(0x2800, 0x2900)))
    for glyphs in ("blocks", "ascii"):
        text = braille.translate(build_glyph_table(glyphs))  # type: ignore[arg-type]
        assert not set(text) & set(braille)
        assert [cell_width(char) for char in text] == [1] * 256
        assert len(set(text)) > 8
    assert braille.translate(build_glyph_table("ascii")).isascii()
    assert build_glyph_table("braille") == {}


@pytest.mark.parametrize(
    ("drawn", "blocks", "ascii_text"),
    [("⠉⠒⠤⣀", "▔──▁", "'--_"), ("⣿⡇⢸", "█▌▐", "#||"), ("⠑⠊", "▀▀", "''"), ("⠁⠠⠀", "▘▗ ", "'. ")],
)
def test_glyph_table_keeps_the_shape_of_lines(drawn: str, blocks: str, ascii_text: str) -> None:
    assert drawn.translate(build_glyph_table("blocks")) == blocks
    assert drawn.translate(build_glyph_table("ascii")) == ascii_text


def test_ascii_has_one_character_for_each_sign() -> None:
    assert all(len(plain) == 1 and plain.isascii() for plain in ASCII.values())
    assert "╭ loss ─ ✗ NaN ╮ ▾ ⏎ ● ⋯+5".translate(build_glyph_table("ascii")) == "+ loss - ! NaN + v < * ~+5"
