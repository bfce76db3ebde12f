"""Finding words in documents."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tbtui.plugins.text import search as search_module
from tbtui.plugins.text.document import make_documents
from tests.helpers.text_logs import stored

if TYPE_CHECKING:
    from tbtui.plugins.text.document import Document
    from tbtui.plugins.text.search import SearchResult


def made(text: str, width: int = 40, *, raw: bool = False) -> Document:
    *_, document = make_documents(stored(text), width, raw=raw, wrap=True)
    return document


def found_words(document: Document, found: SearchResult) -> list[str]:
    """What is set off, match by match; parts in different lines are joined by a bar."""
    words: dict[int, list[str]] = {}
    for line, span in found.spans:
        words.setdefault(span.match, []).append(document.lines[line].text[span.start : span.end])
    return ["|".join(parts) for parts in words.values()]


def finds(text: str, pattern: str, width: int = 40, *, raw: bool = False) -> list[str]:
    document = made(text, width, raw=raw)
    return found_words(document, document.searchable.find(pattern))


def test_search_ignores_case() -> None:
    assert finds("Loss and LOSS\n\nno\n\nloss", "loss") == ["Loss", "LOSS", "loss"]


def test_search_pattern_is_regular_expression() -> None:
    assert finds("lr: 0.1\n\nlr: 0.01", r"0\.0?1$") == ["0.1", "0.01"]
    assert finds("one\ntwo", "^t.o$") == ["two"]


def test_search_finds_match_broken_over_lines() -> None:
    assert finds("some words that go on and on", "words that go", 16) == ["words that|go"]
    assert finds("  x: abcdefghijklmnop", "cdefghijkl", 10, raw=True) == ["cdef|ghijkl"]


def test_search_finds_match_broken_in_cell() -> None:
    text = "|a|b|\n|-|-|\n|x|some words that need more room|\n|y|few|\n"
    assert finds(text, "that need", 20) == ["that|need"]
    assert finds(text, "x some") == []


def test_search_skips_signs_added_by_layout() -> None:
    assert finds("- one\n- two\n", "•") == []
    assert finds("> said", "▌") == []


def test_search_invalid_expression_is_literal() -> None:
    document = made("f(x and f(y")
    found = document.searchable.find("f(")
    assert found_words(document, found) == ["f(", "f("]
    assert found.is_plain
    assert not document.searchable.find("f.x").is_plain


def test_search_expression_without_matches_is_literal() -> None:
    document = made("call f(x) of C++ code")
    for pattern in ("f(x)", "C++ code"):
        found = document.searchable.find(pattern)
        assert found_words(document, found) == [pattern]
        assert found.is_plain
    assert not document.searchable.find("g(x)").is_plain


def test_search_matches_know_first_line() -> None:
    document = made("a\n\nb a\n\na")
    found = document.searchable.find("a")
    assert (len(found), list(found.firsts)) == (3, [0, 2, 4])
    assert [span.match for span in found.by_line[2]] == [1]


@pytest.mark.parametrize("pattern", ["", "z*", "nothing like it"])
def test_search_without_match_is_empty(pattern: str) -> None:
    found = made("some text").searchable.find(pattern)
    assert (len(found), found.error, found.by_line) == (0, None, {})


def test_search_too_long_pattern_gives_error() -> None:
    assert made("text").searchable.find("x" * 5000).error == "too long"


def test_search_catastrophic_pattern_is_aborted() -> None:
    searchable = made("a" * 5000).searchable
    started = time.monotonic()
    assert searchable.find(r"(a|a)+(a|a)+b|(.*)*c", seconds=0.05).error == "too slow"
    assert time.monotonic() - started < 20


def test_search_too_many_matches_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_module, "MAX_MATCHES", 10)
    found = made("a" * 100, raw=True).searchable.find("a")
    assert (len(found), found.error) == (10, "only the first 10")


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(["loss ", "acc ", "中文 ", "x" * 30 + " "]), max_size=30).map("".join), st.integers(8, 40)
)
def test_search_finds_every_word_at_any_width(text: str, width: int) -> None:
    assert len(finds(text, "loss", width, raw=True)) == text.count("loss")
    assert len(finds(text, "loss acc", width, raw=True)) == text.count("loss acc")
