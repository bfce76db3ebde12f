"""Texts made to take long: they are shown all the same, in a time that is bounded, with a word about what is not."""

from __future__ import annotations

import time

import pytest

from tbtui.plugins.text.document import MARKDOWN_BYTES, Document, make_documents
from tbtui.plugins.text.read import StoredText

MOST_SECONDS = 8.0
"""Of computing, a few times what each takes: what grows with the square of the length would take minutes."""

BOMBS = {
    "stars": ("*" * 10_000_000, "written"),
    "brackets": ("[" * 10_000_000, "written"),
    "brackets within the bound": ("[" * MARKDOWN_BYTES, "markdown"),
    "backticks": ("".join("`" * count + "x" for count in range(700))[:MARKDOWN_BYTES], "markdown"),
    "emphasis": ("*a_" * (MARKDOWN_BYTES // 3), "markdown"),
    "quotes in quotes": (">" * MARKDOWN_BYTES, "written"),
    "lists in lists": ("1. " * (MARKDOWN_BYTES // 3), "written"),
    "a table of 10,000 columns": ("|" + "a|" * 10_000 + "\n|" + "-|" * 10_000 + "\n|b|", "written"),
    "many tables": ("|a|b|\n|-|-|\n|c|d|\n\n" * 11_000, "written"),
    "headings": ("# a\n" * (MARKDOWN_BYTES // 4), "written"),
    "rulers": ("***\n" * (MARKDOWN_BYTES // 4), "written"),
    "lists": ("* \n" * (MARKDOWN_BYTES // 3), "written"),
    "addresses of links": ("# Links\n\n" + "[a]: <b>\n" * 10_000 + "[a]" * 3_000, "markdown"),
    "HTML": ("<!--" * (MARKDOWN_BYTES // 4), "markdown"),
}


@pytest.mark.parametrize("name", BOMBS)
def test_documents_of_hostile_text_end_in_time(name: str) -> None:
    text, form = BOMBS[name]
    began = time.thread_time()
    document = shown(text.encode())
    assert time.thread_time() - began < MOST_SECONDS
    assert document.whole
    assert document.form == form
    assert document.lines


def test_documents_of_too_many_lines_are_cut_with_note() -> None:
    assert "too many lines for Markdown" in shown(b"# a\n" * 30_000).lines[0].text
    assert shown(b"# a\n" * 1_000).form == "markdown"


def shown(data: bytes) -> Document:
    *_, document = make_documents(StoredText((), ((data,),), len(data)), 80, raw=False, wrap=True)
    return document
