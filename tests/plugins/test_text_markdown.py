"""Texts as the lines that a user reads."""

from __future__ import annotations

import unicodedata
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tbtui.charts.cells import Ink
from tbtui.charts.text import cell_width
from tbtui.plugins.text import document as document_module
from tbtui.plugins.text import markdown as markdown_module
from tbtui.plugins.text.document import FIRST_LINES, make_documents
from tbtui.plugins.text.layout import Typesetter
from tbtui.plugins.text.markdown import MarkdownReader
from tests.helpers.property_examples import examples
from tests.helpers.text_logs import stored, table

if TYPE_CHECKING:
    from tbtui.plugins.text.document import Document
    from tbtui.plugins.text.lines import CharacterStyle
    from tbtui.plugins.text.read import StoredText


def made(what: StoredText | str | bytes, width: int = 40, *, raw: bool = False, wrap: bool = True) -> Document:
    """The whole document."""
    held = stored(what) if isinstance(what, (str, bytes)) else what
    *_, document = make_documents(held, width, raw=raw, wrap=wrap)
    assert document.whole
    return document


def shown(what: StoredText | str | bytes, width: int = 40, *, raw: bool = False, wrap: bool = True) -> str:
    """What is on the screen."""
    return "\n".join(line.text.rstrip() for line in made(what, width, raw=raw, wrap=wrap).lines)


def block(text: str) -> str:
    """A drawing in a test."""
    return dedent(text).strip("\n")


def looks(text: str) -> dict[str, CharacterStyle]:
    """What each fragment of a text looks like."""
    return {fragment.strip(): style for line in made(text).lines for fragment, style in line.fragments}


def test_markdown_headings_are_underlined_and_lists_indented() -> None:
    text = "# One\n## Two\n### Three\ntext\n\n- a\n- b\n  - c\n\n7. x\n8. y\n"
    assert shown(text) == block("""
        One
        ━━━
        Two
        ───
        Three
        text

        • a
        • b
          • c

        7. x
        8. y
        """)


def test_markdown_loose_list_has_blank_lines() -> None:
    text = "- one\n\n  more of one\n\n- two\n\n9. nine\n10. ten long enough to go on below\n"
    assert shown(text, 20) == block("""
        • one

          more of one

        • two

         9. nine
        10. ten long enough
            to go on below
        """)


def test_markdown_quotes_rules_and_code() -> None:
    text = "> quoted\n> > deeper\n\n---\n\n```python\ndef f():\n\treturn 1\n\n    x\n```\n\n    indented\n"
    assert shown(text, 20) == "\n".join(
        [
            "▌ quoted",
            "▌",
            "▌ ▌ deeper",
            "",
            "─" * 20,
            "",
            "  def f():",
            "      return 1",
            "",
            "      x",
            "",
            "  indented",
        ]
    )


def test_markdown_code_has_a_background_of_one_width() -> None:
    lines = made("```\nshort\na longer line\n```").lines
    assert [line.text for line in lines] == ["  short        ", "  a longer line"]
    assert all(style.code for line in lines for text, style in line.fragments if text.strip())


def test_markdown_emphasis_is_a_style_without_signs() -> None:
    text = "plain *em* **strong** ***both*** ~~gone~~ `code` end"
    assert shown(text, 60) == "plain em strong both gone code end"
    found = looks(text)
    assert found["em"].italic
    assert found["strong"].bold
    assert found["both"].italic
    assert found["both"].bold
    assert found["gone"].strike
    assert found["code"].code


def test_markdown_links_and_images_show_addresses() -> None:
    assert shown("see [the paper](http://a.b/c 'title') now", 80) == "see the paper (http://a.b/c) now"
    assert shown("[数据](训练/步 (1).md)", 80) == "[数据](训练/步 (1).md)"
    assert shown("[数据](训练/步.md)", 80) == "数据 (训练/步.md)"
    assert shown("<http://a.b/c>", 80) == "http://a.b/c"
    assert shown("![a *plot*](http://a.b/c.png)", 80) == "image a plot (http://a.b/c.png)"
    assert shown("![](plot.png)", 80) == "image (plot.png)"
    assert shown("[run](javascript:alert(1))", 80) == "[run](javascript:alert(1))"


def test_markdown_data_address_is_cut() -> None:
    told = shown(f"![plot](data:image/png;base64,{'A' * 50_000})", 80)
    assert told == "image plot (data:image/png;base64,AAAAAAAAAAAAA…)"


def test_markdown_html_is_shown_literally() -> None:
    text = "<script>alert(1)</script>\n\na <b>bold</b> claim <!-- hidden? -->\n\n<pre>\nlr: 1\n  x: 2\n</pre>\n"
    told = shown(text, 60)
    assert "<script>alert(1)</script>" in told
    assert "a <b>bold</b> claim <!-- hidden? -->" in told
    assert "  lr: 1\n    x: 2" in told
    assert looks("a <b>bold</b>")["<b>"].ink == Ink.DIM


def test_markdown_html_break_is_a_line_break() -> None:
    assert shown("one<br>two<BR/>three") == "one\ntwo\nthree"


def test_markdown_log_lines_and_indents_are_kept() -> None:
    assert shown("epoch 1\n  loss 0.3\n  *acc* 0.9\n") == "epoch 1\n  loss 0.3\n  acc 0.9"


FILLED = (
    "The loss fell as soon as the learning rate had been lowered, which nobody\n"
    "had expected. It stayed there until the end of the training, and all\n"
    "metrics with it.\n"
)
EQUALLY_LONG = "\n".join(f"2026-11-20 18:23:0{n} INFO step {n} loss 0.312 accuracy 0.945 rate 1e-3" for n in range(4))


def test_markdown_lines_filled_by_an_editor_are_refilled() -> None:
    assert shown(FILLED, 200).count("\n") == 0
    assert shown(f"- {FILLED}".replace("\n", "\n  "), 200).count("\n") == 0


@pytest.mark.parametrize(
    "text",
    [EQUALLY_LONG, FILLED.replace("had", "  had"), FILLED.replace("nobody", "nobody  "), "short\nlines\nof text"],
)
def test_markdown_short_lines_are_kept(text: str) -> None:
    assert shown(text, 200).count("\n") == text.rstrip().count("\n")


def test_markdown_long_line_continues_at_its_indent() -> None:
    assert shown("head\n  indented words that go on", 18) == "head\n  indented words\n  that go on"


def test_markdown_link_definitions_are_shown() -> None:
    assert shown("[INFO]: started\n\ntext", 60) == "[INFO]: started\n\ntext"


def test_markdown_entities_become_safe_characters() -> None:
    assert shown("&lt;a&gt; &amp; &#27;[2J &#x202e;x", 60) == "<a> & �[2J x"


# Tables


def test_markdown_table_columns_fit_their_content() -> None:
    text = "|param|value|\n|:--|--:|\n|lr|0.1|\n|batch size|64|\n"
    assert shown(text) == block("""
        param      │ value
        ───────────┼──────
        lr         │   0.1
        batch size │    64
        """)


def test_markdown_long_cells_wrap_in_their_column() -> None:
    text = "|a|b|\n|-|-|\n|x|some words that need more room|\n|y|few|\n"
    assert shown(text, 20) == block("""
        a │ b
        ──┼─────────────────
        x │ some words that
          │ need more room
        y │ few
        """)


def test_markdown_cells_beyond_the_header_are_kept() -> None:
    assert "cos|linear" in shown("|param|value|\n|-|-|\n|schedule|cos|linear|\n")
    assert "left out" not in shown("|a|b|\n|-|-|\n|1|\n")


def test_markdown_wide_characters_stay_aligned() -> None:
    lines = made("|键|值|\n|-|-|\n|学习率|0.1|\n|优化器|Adam|\n").lines
    assert len({line.width for line in lines}) == 1
    bars = [cell_width(line.text.split("│")[0]) for line in lines if "│" in line.text]
    assert set(bars) == {7}


def test_markdown_table_with_many_columns_exceeds_the_screen() -> None:
    names = [f"a long name {n}" for n in range(10)]
    text = f"|{'|'.join(names)}|\n|{'-|' * 10}\n|{'1|' * 10}\n"
    document = made(text, 40)
    assert document.width > 40
    assert all(len(line.text.split("│")[0]) >= 8 for line in document.lines if "│" in line.text)


# TensorBoard's tables of tensors


def test_tensor_of_rank_2_is_a_table_without_header() -> None:
    assert shown(table(("a", "**b**"), ("- c\n- d", "e"))) == block("""
        a   │ b
        ┈┈┈┈┈┈┈
        • c │ e
        • d │
        """)


def test_raw_tensor_cells_keep_their_signs() -> None:
    assert shown(table(("a", "**b**")), raw=True) == "a │ **b**"


def test_tensor_overlong_cell_is_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document_module, "MARKDOWN_BYTES", 100)
    told = shown(table(("x" * 150,), ("never shown",)), 200)
    assert "⋯ 50 B more" in told
    assert "⚠ 1 of 2 rows are shown; w writes all to a file" in told


# As written


def test_raw_text_interprets_no_signs() -> None:
    assert shown("# head\n\n| a | b |\n*x*", raw=True) == "# head\n\n| a | b |\n*x*"


def test_raw_long_lines_wrap_with_a_sign_or_scroll() -> None:
    text = "  one two three four five"
    assert shown(text, 14, raw=True) == "  one two\n  ↳ three four\n  ↳ five"
    assert shown(text, 14, raw=True, wrap=False) == text


def test_configurations_are_shown_as_written() -> None:
    text = "lr: 0.1\nmodel:\n  # deep\n  layers:\n  - 64\n"
    document = made(text)
    assert (document.form, shown(text)) == ("configuration", text.rstrip("\n"))
    assert looks(text)["lr:"].ink == Ink.DIM
    assert looks(text)["0.1"].ink == Ink.TEXT
    assert made(text, raw=True).form == "written"


# What is wrong


def test_changes_of_a_text_are_noted_above_it() -> None:
    assert shown(b"caf\xe9\0 ok") == "⚠ 1 byte that are no UTF-8 stand as ·\n⚠ 1 null character left out\n\ncaf· ok"


@pytest.mark.parametrize(("data", "words"), [(b"", "the text is empty"), (b" \n\t\n", "4 bytes, all of them blanks")])
def test_empty_text_is_reported(data: bytes, words: str) -> None:
    assert shown(data) == words


def test_markdown_overlong_text_is_shown_raw(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document_module, "MARKDOWN_BYTES", 50)
    monkeypatch.setattr(document_module, "WRITTEN_BYTES", 80)
    text = "\n".join(f"*line* {number}" for number in range(20))
    told = shown(text, 70).split("\n")
    assert told[0] == "⚠ too long for Markdown (189 B): shown as written"
    assert told[2] == "*line* 0"
    assert told[-1] == "⚠ the first 72 B of 189 B are shown; w writes all to a file"


def test_markdown_oversized_tables_are_shown_raw(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document_module, "MAX_TABLE_BARS", 5)
    assert shown("|a|b|\n|-|-|\n|1|2|\n", 70).startswith("⚠ its tables are too large for Markdown")


def test_markdown_deeply_nested_blocks_are_shown_raw() -> None:
    told = shown("> " * 100 + "deep", 70)
    assert told.startswith("⚠ quotes and lists are nested too deep for Markdown: shown as written\n\n> > >")
    assert "deep" in told
    assert "still fine" in shown("> " * 30 + "still fine", 100)


def test_markdown_slow_paragraphs_stay_plain() -> None:
    text = "*a " * 5000
    assert made(text).lines[0].text.startswith("*a *a")
    late = MarkdownReader(seconds=-1)
    assert [line.text for line in Typesetter(40, wrap=True).lines(late.blocks("a *late* one"))] == ["a *late* one"]
    assert len(text) > markdown_module.LONGEST


def test_markdown_long_document_shows_first_lines_early() -> None:
    first, *_, last = make_documents(stored("\n\n".join(f"line *{n}*" for n in range(3000))), 40, raw=False, wrap=True)
    assert (len(first.lines), first.whole) == (FIRST_LINES, False)
    assert (len(last.lines), last.whole) == (5999, True)
    assert last.continues(first)


# Whatever a text holds

MARKS = st.sampled_from(["# ", "- ", "> ", "|", "\n", "\n\n", "```", "`", "*", "**", "[a](", ")", "<b>", "    ", "~~"])
ANY = st.lists(
    MARKS | st.text(max_size=6) | st.sampled_from(["中文", "\t", "\x1b[2J", "\u202e", "a\u0301", "🏳️‍🌈", "ﷺ", "\ud800"])
)


@settings(max_examples=examples(200), deadline=None)
@given(ANY.map("".join), st.integers(1, 50), st.booleans(), st.booleans())
def test_output_contains_only_printable_aligned_characters(text: str, width: int, raw: bool, wrap: bool) -> None:
    document = made(text.encode("utf-8", "surrogatepass"), width, raw=raw, wrap=wrap)
    for line in document.lines:
        for char in line.text:
            assert unicodedata.category(char)[0] not in "CM"
            assert char == " " or unicodedata.category(char)[0] != "Z"
        assert line.width == sum(map(cell_width, line.text)) <= document.width
        assert all(0 <= part.start <= part.end <= len(line.text) for part in line.ranges)


@settings(deadline=None)
@given(st.binary(max_size=300), st.integers(2, 40))
def test_raw_lines_of_any_bytes_fit_the_width(data: bytes, width: int) -> None:
    assert all(line.width <= max(width, 5) for line in made(data, width, raw=True).lines)


WORDS = st.text(st.sampled_from("abc 中ｶé\u0301|"), max_size=12).map(lambda word: word.replace("|", "x").strip())


@settings(deadline=None)
@given(st.lists(st.tuples(WORDS, WORDS, WORDS), min_size=1, max_size=6), st.integers(10, 60))
def test_table_columns_of_any_text_are_aligned(rows: list[tuple[str, str, str]], width: int) -> None:
    text = "|a|b|c|\n|-|:-:|-:|\n" + "\n".join(f"|{'|'.join(row)}|" for row in rows)
    lines = made(text, width).lines
    assert len({line.width for line in lines}) == 1
    bars = {tuple(cell_width(line.text[:at]) for at, char in enumerate(line.text) if char in "│┼") for line in lines}
    assert len([places for places in bars if places]) == 1
