"""Patterns that would fill the memory are told before they are compiled."""

from __future__ import annotations

import pytest

from tbtui.settings.filters import MAX_PATTERN_PARTS, compile_pattern, estimate_compiled_size

UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"


@pytest.mark.parametrize(
    ("pattern", "parts"),
    [
        ("", 0),
        ("loss", 4),
        ("a{20}", 20),
        ("a{20,}b", 21),
        ("a{0}b{1}", 2),
        ("ab{2,1000000}", 3),
        (r"\d{4}-\d{2}", 7),
        (r"a\{9000}", 7),
        (r"[a{9000}({]{3}", 3),
        ("[]a]{5}", 5),
        (UUID, 36),
    ],
)
def test_what_is_repeated_counts_as_often_as_it_has_to_be_there(pattern: str, parts: int) -> None:
    assert estimate_compiled_size(pattern) == parts


def test_groups_multiply() -> None:
    assert estimate_compiled_size("(a{10}){10}") == 10 * (10 + 1)
    assert estimate_compiled_size("(?:a{10}(bc){3,9}){10}x") == 10 * (10 + 3 * 3 + 3) + 1


# Where brackets are none, each in another way: the repetition of the outer group must not be taken for that of a piece.
@pytest.mark.parametrize(
    "pattern",
    [
        "(((a{999}){999}){999}){999}",
        "a{100000000}",
        "(?:ab){10000000,}?",
        "(?V1)(?:a{9999}[[a](]){9999}[[b])]",
        "(?:a{9999}[[:alpha:](]){9999}[[:alpha:])]",
        "(?#()(?:a{9999}){9999}(?#))",
        "(?x)(?:a{9999} #(\n){9999} #)",
        "(?i-x:(?:a{9999}[(]){9999})",
        "(?:a{ 9999 }){9999}",
        "(a{9999}" * 2,
    ],
)
def test_a_pattern_that_would_fill_the_memory_is_not_compiled(pattern: str) -> None:
    assert estimate_compiled_size(pattern) > MAX_PATTERN_PARTS
    compiled, error = compile_pattern(pattern)
    assert compiled is None
    assert error is not None


@pytest.mark.parametrize("pattern", [UUID, "a{19999}", "(?:[a-z]{1,100}/){20}", r"^(?!.*val).*\{100000\}$"])
def test_patterns_that_people_write_are_searched_for(pattern: str) -> None:
    assert compile_pattern(pattern)[1] is None


def test_what_is_no_pattern_for_its_size_can_be_searched_for_as_it_is() -> None:
    compiled, error = compile_pattern("a{100000000}", plain=True)
    assert error is None
    assert compiled.search("an a{100000000} here") is not None
