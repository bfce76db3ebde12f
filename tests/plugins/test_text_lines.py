"""Text broken into lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.charts.text import cell_width, safe
from tbtui.plugins.text.lines import (
    BOLD,
    PLAIN,
    DocumentLine,
    SourceRange,
    break_lines,
    create_safe_fragment,
    cut_fragments,
    expand_tabs,
    join_side_by_side,
    join_text,
    wrap_fragments,
)

TEXTS = st.text(st.sampled_from("ab  c-，中文ｶ ")).map(safe)


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("", 5, [""]),
        ("short", 5, ["short"]),
        ("two words", 5, ["two", "words"]),
        ("two words", 4, ["two", "word", "s"]),
        ("a  gap   here", 5, ["a", "gap", "here"]),
        ("ends in blanks     ", 8, ["ends in", "blanks"]),
        ("unbreakable", 4, ["unbr", "eaka", "ble"]),
        ("    indented words", 10, ["    indent", "ed words"]),
        ("中文文本", 5, ["中文", "文本"]),
        ("中文", 1, ["中", "文"]),
        ("word", 0, ["w", "o", "r", "d"]),
    ],
)
def test_broken_splits_at_blanks_and_in_long_words(text: str, width: int, lines: list[str]) -> None:
    assert [text[start:end] for start, end in break_lines(text, width)] == lines


@given(TEXTS, st.integers(2, 12))
def test_set_in_keeps_every_character_and_width(text: str, width: int) -> None:
    places = list(break_lines(text, width))
    assert all(cell_width(text[start:end]) <= width for start, end in places)
    ends = [0, *(end for _, end in places)]
    gaps = [text[end:start] for end, (start, _) in zip(ends, places, strict=False)]
    assert "".join(gap + text[start:end] for gap, (start, end) in zip(gaps, places, strict=True)) == text[: ends[-1]]
    assert all(not gap.strip(" ") for gap in (*gaps, text[ends[-1] :]))


@given(TEXTS, st.integers(2, 12))
def test_set_in_parts_name_their_text(text: str, width: int) -> None:
    lines = list(wrap_fragments((create_safe_fragment(text),), width, 7, ((">>", PLAIN),), (("..", PLAIN),)))
    assert [line.text[:2] for line in lines] == [">>", *[".."] * (len(lines) - 1)]
    told = "".join(part.separator + line.text[part.start : part.end] for line in lines for part in line.ranges)
    assert told.rstrip(" ") == text.rstrip(" ")
    assert {part.paragraph for line in lines for part in line.ranges} == {7}


def test_set_in_keeps_styles_of_characters() -> None:
    fragments = (create_safe_fragment("plain "), create_safe_fragment("bold", BOLD), create_safe_fragment(" end"))
    assert cut_fragments(fragments, 3, 8) == (("in ", PLAIN), ("bo", BOLD))
    assert cut_fragments(fragments, 4, 4) == ()
    assert [line.fragments for line in wrap_fragments(fragments, 8, 0)] == [
        (("plain", PLAIN),),
        (("bold", BOLD), (" end", PLAIN)),
    ]


def test_side_by_side_keeps_parts() -> None:
    one = DocumentLine((("abc", PLAIN),), (SourceRange(0, 3, 1, ""),))
    line = join_side_by_side([one.pad(5), DocumentLine(((" | ", PLAIN),)), one.indent(1)])
    assert line.text == "abc   |  abc"
    assert [line.text[part.start : part.end] for part in line.ranges] == ["abc", "abc"]


@pytest.mark.parametrize(
    ("text", "shown"), [("\ta", "    a"), ("ab\tc", "ab  c"), ("中\tc", "中  c"), ("abcd\te", "abcd    e"), ("a", "a")]
)
def test_without_tabs_fills_to_tab_stops(text: str, shown: str) -> None:
    assert expand_tabs(text) == shown
    assert join_text((create_safe_fragment(text),)) == shown


def test_without_tabs_very_long_line_is_fast() -> None:
    assert len(expand_tabs("中\t" * 100_000)) >= 200_000
