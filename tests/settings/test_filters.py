from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.settings.filters import (
    FREE_SECONDS_PER_NAME,
    MAX_PATTERN_CHARS,
    MAX_SEARCH_SECONDS,
    TOO_SLOW,
    NameFilter,
    compile_pattern,
    make_pattern,
)

NAMES = ("loss/train", "Loss/val", "acc.1", "grad/norm")


@pytest.mark.parametrize(
    ("pattern", "passing"),
    [
        ("", NAMES),
        ("loss", ("loss/train", "Loss/val")),
        ("LOSS", ("loss/train", "Loss/val")),
        ("n$", ("loss/train",)),
        ("^l", ("loss/train", "Loss/val")),
        ("train|norm", ("loss/train", "grad/norm")),
        (r"\.", ("acc.1",)),
        ("nothing", ()),
    ],
)
def test_matches_anywhere_whatever_the_case(pattern: str, passing: tuple[str, ...]) -> None:
    wanted = NameFilter(pattern)
    assert tuple(filter(wanted.matches, NAMES)) == passing
    assert wanted.check(NAMES) is None


@pytest.mark.parametrize(
    ("pattern", "error"),
    [
        ("(", "missing )"),
        ("[a", "missing ]"),
        ("a)", "missing ("),
        ("a\\", "ends in a \\"),
        ("[z-a]", "range backwards"),
        ("*", "nothing to repeat"),
        ("a" * (MAX_PATTERN_CHARS + 1), "too long"),
    ],
)
def test_an_invalid_pattern_hides_nothing_and_says_why(pattern: str, error: str) -> None:
    wanted = NameFilter(pattern)
    assert wanted.error == error
    assert all(map(wanted.matches, NAMES))
    assert wanted.check(NAMES) == error


# Patterns whose search takes for ever, each in its own way.
@pytest.mark.parametrize(
    "pattern", ["(a|aa)+$", "(?R)?(a+)+b(?R)", "(x+x+)+y|(a|b|ab)*(?=c)", "(.*)(.*)(.*)(.*)(.*)[yz]"]
)
def test_a_pattern_that_would_hang_is_given_up_and_says_so(pattern: str) -> None:
    names = ["a" * 2000 + "b" * 2000 + str(i) for i in range(5000)]
    wanted = NameFilter(pattern, seconds=0.02)
    assert wanted.check(names) == TOO_SLOW
    assert all(map(wanted.matches, names))


def test_a_pattern_is_given_up_before_the_screen_has_to_wait_long() -> None:
    names = [f"layer_{number}/" + "a" * 30 + "!" for number in range(5000)]
    for pattern in ("(a+)+$", "(?b)(?:layerxyzkernelweights){e<=8}", "(.*a){20}b", "(?R)?(a|aa)+$"):
        began = time.thread_time()
        assert NameFilter(pattern).check(names) == TOO_SLOW
        assert time.thread_time() - began < 3 * (MAX_SEARCH_SECONDS + len(names) * FREE_SECONDS_PER_NAME)


def test_a_pattern_that_needs_little_for_each_name_is_never_too_slow() -> None:
    wanted = NameFilter("loss", seconds=0.02)
    assert wanted.check(f"loss{number}" for number in range(20_000)) is None


@pytest.mark.parametrize(
    ("pattern", "names", "passing"),
    [
        ("mAP50(B)", ("mAP50(B)", "mAP50(M)"), ("mAP50(B)",)),
        ("C++/time", ("C++/time", "C/time"), ("C++/time", "C/time")),
        ("aug[v2", ("lr=1+aug[v2]", "aug"), ("lr=1+aug[v2]",)),
        ("a+b|c[1]", ("a+b", "c[1]", "aab", "c1", "c"), ("a+b", "c[1]", "aab", "c1")),
        ("^a(b)$", ("a(b)", "xa(b)", "a(b)x"), ("a(b)",)),
        ("(a|b)/c", ("a/c", "b)/c"), ("a/c",)),
        ("*", ("2*x", "x"), ("2*x",)),
    ],
)
def test_filter_pasted_text_selects_names_that_contain_it(
    pattern: str, names: tuple[str, ...], passing: tuple[str, ...]
) -> None:
    name_filter = NameFilter(pattern)
    assert name_filter.check(names) is None
    assert tuple(filter(name_filter.matches, names)) == passing


@pytest.mark.parametrize(
    ("pattern", "names", "note"),
    [
        ("a.b", ["a.b"], ""),
        ("a(b", ["a(b"], "--tags 'a(b' is read as plain text: it is not a regular expression (missing ))"),
        ("(c)x", ["(c)x"], "--tags '(c)x' is read as plain text: as a regular expression it matches nothing"),
        ("a+b", ["aab", "a+b"], "--tags 'a+b' is also read as plain text, which selects 1 more name"),
    ],
)
def test_filter_note_says_why_a_pattern_is_plain_text(pattern: str, names: list[str], note: str) -> None:
    name_filter = NameFilter(pattern)
    name_filter.check(names)
    assert name_filter.explain_plain_text("--tags") == note


@pytest.mark.parametrize(
    "name", ["loss", "v1.2", "mAP50(B)", "lr=1e-3+aug[v2]", "C++/time", "a|b", "back\\slash", "x{2}"]
)
def test_pattern_of_a_name_matches_it_as_an_expression(name: str) -> None:
    compiled, error = compile_pattern(make_pattern(name))
    assert error is None
    assert compiled.fullmatch(name)


def test_each_name_is_searched_once() -> None:
    wanted = NameFilter("loss", seconds=0.0)
    assert wanted.check(NAMES) == TOO_SLOW  # the first search finds no time left

    wanted = NameFilter("loss")
    wanted.check(NAMES)
    wanted._seconds_left = 0.0  # a second search of any name would give up
    assert tuple(filter(wanted.matches, NAMES)) == ("loss/train", "Loss/val")


@pytest.mark.parametrize(
    ("pattern", "name", "words"),
    [
        ("(adam|sgd)_lr(.*)_", "exp/Adam_lr0.1_s0", ("Adam", "0.1")),
        ("loss", "loss/train", ()),
        ("(loss)|(acc)", "acc", ("", "acc")),
        ("(loss)", "acc", None),
    ],
)
def test_words_are_what_the_groups_of_a_pattern_found(pattern: str, name: str, words: tuple[str, ...] | None) -> None:
    assert NameFilter(pattern).words(name) == words


@pytest.mark.parametrize("pattern", ["(", "", "(.*)(.*)(.*)(.*)(.*)z"])
def test_a_pattern_that_is_not_applied_has_no_words(pattern: str) -> None:
    names = ["a" * 2000 + str(i) for i in range(5000)]
    wanted = NameFilter(pattern, seconds=0.02)
    wanted.check(names)
    assert not any(wanted.words(name) is not None for name in names[:10])


@given(st.text(max_size=30), st.lists(st.text(max_size=20), max_size=5))
def test_no_pattern_raises(pattern: str, names: list[str]) -> None:
    wanted = NameFilter(pattern, seconds=0.05)
    error = wanted.check(names)
    assert error is None or all(map(wanted.matches, names))


@given(st.text("ab()[]{}*+?|\\^$.,:<>=!PR&'#-1", max_size=20), st.text("ab", max_size=30))
def test_no_pattern_of_many_operators_raises(pattern: str, name: str) -> None:
    NameFilter(pattern, seconds=0.05).check([name])


def test_a_pattern_nested_too_deep_is_an_error() -> None:
    assert NameFilter("(" * 900).error is not None
