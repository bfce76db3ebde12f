"""How two texts differ."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tbtui.charts.cells import Ink
from tbtui.plugins.text import diff as difference_module
from tbtui.plugins.text.diff import compare
from tbtui.plugins.text.document import build_diff_documents
from tests.helpers.text_logs import stored, table

if TYPE_CHECKING:
    from tbtui.plugins.text.document import Document
    from tbtui.plugins.text.read import StoredText


def made(before: StoredText | str, after: StoredText | str, width: int = 40) -> Document:
    one, other = (stored(text) if isinstance(text, str) else text for text in (before, after))
    *_, document = build_diff_documents(one, other, width, wrap=True)
    return document


def shown(before: StoredText | str, after: StoredText | str, width: int = 40) -> list[str]:
    """The lines below how many differ."""
    return [line.text.rstrip() for line in made(before, after, width).lines[2:]]


def told(before: StoredText | str, after: StoredText | str) -> str:
    return made(before, after, 100).lines[0].text


def test_diff_marks_removed_and_added_lines() -> None:
    assert shown("lr: 0.1\nseed: 3\nname: x", "lr: 0.1\nname: x\nmore: 1") == [
        "  lr: 0.1",
        "- seed: 3",
        "  name: x",
        "+ more: 1",
    ]
    assert told("a\nb", "a\nc\nd") == "1 line removed, 2 lines added"


def test_diff_signs_are_bad_and_good_colours() -> None:
    _, _, removed, added = made("one", "two").lines
    assert {style.ink for _, style in removed.fragments} == {Ink.BAD}
    assert {style.ink for _, style in added.fragments} == {Ink.GOOD}


def test_diff_changed_words_are_emphasised() -> None:
    _, _, removed, added = made("the loss fell to 0.31 today", "the loss rose to 0.42 today").lines
    set_off = [[text for text, style in line.fragments if style.underline] for line in (removed, added)]
    assert set_off == [["fell", "31"], ["rose", "42"]]


def test_diff_unrelated_lines_are_not_emphasised() -> None:
    _, _, removed, added = made("the loss fell", "0.42").lines
    assert not any(style.underline for line in (removed, added) for _, style in line.fragments)


def test_diff_pairs_each_line_with_its_version() -> None:
    before, after = "lr: 0.1\nseed: 3\nname: x", "extra\nlr: 0.2\nseed: 4\nname: y"
    set_off = [text for line in made(before, after).lines for text, style in line.fragments if style.underline]
    assert set_off == ["1", "3", "x", "2", "4", "y"]


def test_diff_folds_equal_lines_far_from_changes() -> None:
    lines = [f"line {number}" for number in range(20)]
    assert shown("\n".join(lines), "\n".join([*lines[:10], "new", *lines[10:]])) == [
        "⋯ 7 lines alike",
        "  line 7",
        "  line 8",
        "  line 9",
        "+ new",
        "  line 10",
        "  line 11",
        "  line 12",
        "⋯ 7 lines alike",
    ]


def test_diff_single_equal_line_is_not_folded() -> None:
    assert "  a" in shown("a\nb\nc\nd\nx", "a\nb\nc\nd\ny")


def test_diff_long_lines_continue_without_sign() -> None:
    assert shown("", "some words that go on to the very end of it", 30) == [
        "+ some words that go on to",
        "  ↳ the very end of it",
    ]


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("same\ntext", "same\ntext", "no difference"),
        ("same\r\ntext", "same\ntext", "the only differences are characters that are not shown, such as line ends"),
        ("same\0", "same", "the only differences are characters that are not shown, such as line ends"),
    ],
)
def test_diff_of_equal_texts_says_no_difference(before: str, after: str, words: str) -> None:
    assert told(before, after).startswith(words)


def test_diff_compares_tables_by_row() -> None:
    assert shown(table(("lr", "0.1"), ("seed", "3")), table(("lr", "0.2"), ("seed", "3"))) == [
        "- lr | 0.1",
        "+ lr | 0.2",
        "  seed | 3",
    ]


LINES = st.lists(st.sampled_from(["a", "b", "c 1", "c 2", ""]), max_size=30)


@settings(deadline=None)
@given(LINES, LINES)
def test_diff_holds_both_texts(before: list[str], after: list[str]) -> None:
    found = compare(before, after)
    folded = iter(before)
    old, new = [], []
    for line in found.lines:
        if line.kind == "folded":
            same = [next(folded) for _ in range(line.count)]
            old += same
            new += same
            continue
        if line.kind != "added":
            assert next(folded) == line.text
            old.append(line.text)
        if line.kind != "removed":
            new.append(line.text)
    assert (old, new) == (before, after)
    assert found.removed - found.added == len(before) - len(after)


def test_diff_of_many_lines_ends_in_time() -> None:
    numbers = random.Random(1)
    before, after = ([str(numbers.randrange(50)) for _ in range(3000)] for _ in range(2))
    started = time.monotonic()
    found = compare(before, after, seconds=0.01)
    assert time.monotonic() - started < 20
    assert found.is_rough
    assert found.removed - found.added == 0


def test_diff_reports_lines_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(difference_module, "MAX_LINES", 3)
    lines = [line.text for line in made("a\nb\nc\nd\ne", "a\nx\nc\nd", 100).lines]
    assert "⚠ 2 lines at the end are not compared" in lines


def test_diff_reports_rough_comparison(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(difference_module, "SECONDS", -1.0)
    assert compare(["a", "b"], ["c", "b"], seconds=-1).is_rough
