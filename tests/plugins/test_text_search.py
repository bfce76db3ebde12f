"""Finding words in documents."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tbtui.plugins.text import search as search_module
from tbtui.plugins.text.document import documents
from tests.plugins.text_logs import stored

if TYPE_CHECKING:
    from tbtui.plugins.text.document import Document
    from tbtui.plugins.text.search import Found


def made(text: str, width: int = 40, *, raw: bool = False) -> Document:
    *_, document = documents(stored(text), width, raw=raw, wrap=True)
    return document


def found_words(document: Document, found: Found) -> list[str]:
    """What is set off, match by match; parts in different lines are joined by a bar."""
    words: dict[int, list[str]] = {}
    for line, span in found.spans:
        words.setdefault(span.match, []).append(document.lines[line].text[span.start : span.end])
    return ["|".join(parts) for parts in words.values()]


def finds(text: str, pattern: str, width: int = 40, *, raw: bool = False) -> list[str]:
    document = made(text, width, raw=raw)
    return found_words(document, document.searchable.find(pattern))


def test_words_are_found_whatever_their_case() -> None:
    assert finds("Loss and LOSS\n\nno\n\nloss", "loss") == ["Loss", "LOSS", "loss"]


def test_a_pattern_is_a_regular_expression() -> None:
    assert finds("lr: 0.1\n\nlr: 0.01", r"0\.0?1$") == ["0.1", "0.01"]
    assert finds("one\ntwo", "^t.o$") == ["two"]


def test_what_is_broken_over_lines_is_found_as_one() -> None:
    assert finds("some words that go on and on", "words that go", 16) == ["words that|go"]
    assert finds("  x: abcdefghijklmnop", "cdefghijkl", 10, raw=True) == ["cdef|ghijkl"]


def test_what_is_broken_in_a_cell_is_found_as_one() -> None:
    text = "|a|b|\n|-|-|\n|x|some words that need more room|\n|y|few|\n"
    assert finds(text, "that need", 20) == ["that|need"]
    assert finds(text, "x some") == []


def test_signs_that_the_screen_adds_are_not_found() -> None:
    assert finds("- one\n- two\n", "•") == []
    assert finds("> said", "▌") == []


def test_what_is_no_regular_expression_is_searched_for_as_it_is() -> None:
    document = made("f(x and f(y")
    found = document.searchable.find("f(")
    assert found_words(document, found) == ["f(", "f("]
    assert found.is_plain
    assert not document.searchable.find("f.x").is_plain


def test_matches_know_the_line_they_begin_in() -> None:
    document = made("a\n\nb a\n\na")
    found = document.searchable.find("a")
    assert (len(found), list(found.firsts)) == (3, [0, 2, 4])
    assert [span.match for span in found.by_line[2]] == [1]


@pytest.mark.parametrize("pattern", ["", "z*", "nothing like it"])
def test_nothing_found_is_an_answer(pattern: str) -> None:
    found = made("some text").searchable.find(pattern)
    assert (len(found), found.error, found.by_line) == (0, None, {})


def test_a_pattern_too_long_says_so() -> None:
    assert made("text").searchable.find("x" * 5000).error == "too long"


def test_a_pattern_that_would_hang_is_given_up() -> None:
    searchable = made("a" * 5000).searchable
    started = time.monotonic()
    assert searchable.find(r"(a|a)+(a|a)+b|(.*)*c", seconds=0.05).error == "too slow"
    assert time.monotonic() - started < 20


def test_more_matches_than_anybody_looks_at_are_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_module, "MAX_MATCHES", 10)
    found = made("a" * 100, raw=True).searchable.find("a")
    assert (len(found), found.error) == (10, "only the first 10")


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(["loss ", "acc ", "中文 ", "x" * 30 + " "]), max_size=30).map("".join), st.integers(8, 40)
)
def test_each_word_is_found_wherever_lines_are_broken(text: str, width: int) -> None:
    assert len(finds(text, "loss", width, raw=True)) == text.count("loss")
    assert len(finds(text, "loss acc", width, raw=True)) == text.count("loss acc")
