"""Names and patterns of multi-line charts: TensorBoard's `re.match`, except for names that are tags."""

from __future__ import annotations

import re
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.plugins.custom_scalars import tag_patterns
from tbtui.plugins.custom_scalars.tag_patterns import TagPatterns

TAGS = ("acc(top1)", "acc+ema", "loss/top", "loss/train", "loss/val", "loss")

pieces = st.sampled_from(
    (
        "a",
        "b",
        "/",
        ".",
        ".*",
        "^",
        "$",
        "(",
        ")",
        "(?:",
        "|",
        "[ab]",
        "[^a]",
        "[a-c]+",
        r"\d",
        r"\w+",
        r"\s",
        r"\.",
        "?",
    )
)
patterns = st.lists(pieces, min_size=1, max_size=5).map("".join)
tag_lists = st.lists(st.text("ab/1.", min_size=1, max_size=4), unique=True, max_size=6)


@given(patterns, tag_lists)
def test_pattern_selects_what_re_match_selects(pattern: str, tags: list[str]) -> None:
    found = TagPatterns(tags).match(pattern)
    if pattern in tags:
        assert found.tags == (pattern,)
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compiled = re.compile(pattern)
    except re.error:
        return
    if not found.error:  # the regex package refuses some patterns that repeat nothing
        assert found.tags == tuple(tag for tag in tags if compiled.match(tag))


@pytest.mark.parametrize(
    ("pattern", "tags"),
    [
        ("loss", ("loss",)),
        ("acc(top1)", ("acc(top1)",)),
        ("loss/t", ("loss/top", "loss/train")),
        ("LOSS", ()),
        ("(?i)LOSS/v", ("loss/val",)),
        ("loss/(?!t)", ("loss/val",)),
        (".*a", ("acc(top1)", "acc+ema", "loss/train", "loss/val")),
        (r"loss\Z", ("loss",)),
    ],
)
def test_pattern_of_a_layout_selects_tags(pattern: str, tags: tuple[str, ...]) -> None:
    assert TagPatterns(TAGS).match(pattern).tags == tags


@pytest.mark.parametrize(("pattern", "error"), [("a(", "missing )"), ("b[", "missing ]"), ("", "empty")])
def test_bad_pattern_selects_nothing_and_says_why(pattern: str, error: str) -> None:
    found = TagPatterns(TAGS).match(pattern)
    assert (found.tags, found.error) == ((), error)


@pytest.mark.parametrize("pattern", ["(a|aa)+$", "(?:(a|aa)+)(?!x)$"])
def test_pattern_that_backtracks_is_given_up(pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tag_patterns, "MAX_MATCH_SECONDS", 0.01)
    found = TagPatterns(["a" * 60 + "b"]).match(pattern)
    assert (found.tags, found.error) == ((), "too slow")


def test_tags_with_line_ends_are_matched_one_by_one() -> None:
    assert TagPatterns(["a\nb", "b"]).match("b").tags == ("b",)
    assert TagPatterns(["a\nb", "bc"]).match("b.*").tags == ("bc",)
