"""Bytes of texts as characters."""

from __future__ import annotations

from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.plugins.text.read import decode_text, reads_as_configuration

PLENTY = 1 << 20


def test_decode_text_utf8_is_unchanged() -> None:
    source = decode_text("Größe 训练\nend".encode(), PLENTY)
    assert (source.text, source.notes) == ("Größe 训练\nend", ())
    assert source.shown == source.nbytes == 18


def test_decode_text_nulls_are_dropped_with_note() -> None:
    source = decode_text(b"a\0b\0\0c", PLENTY)
    assert (source.text, source.notes) == ("abc", ("3 null characters left out",))
    assert decode_text(b"\0", PLENTY).notes == ("1 null character left out",)


def test_decode_text_invalid_utf8_is_kept_with_note() -> None:
    source = decode_text(b"caf\xe9 \xff!", PLENTY)
    assert source.text.encode("utf-8", "surrogateescape") == b"caf\xe9 \xff!"
    assert source.notes == ("2 bytes that are no UTF-8 stand as ·",)


def test_decode_text_normalises_line_ends() -> None:
    assert decode_text(b"a\r\nb\rc\nd", PLENTY).text == "a\nb\nc\nd"
    assert decode_text(b"\xef\xbb\xbf# head", PLENTY).text == "# head"


def test_decode_text_long_text_is_cut_after_a_line() -> None:
    source = decode_text(b"first line\nsecond line\nthird", 25)
    assert (source.text, source.shown, source.nbytes) == ("first line\nsecond line\n", 23, 28)


def test_decode_text_long_line_is_cut_between_characters() -> None:
    source = decode_text("训练".encode() * 3000, 8000)
    assert (source.notes, source.shown, len(source.text)) == ((), 7998, 2666)
    assert decode_text(b"\x80" * 9000, 8000).shown in range(7997, 8001)


@given(st.binary(max_size=200), st.integers(1, 200))
def test_decode_text_accepts_any_bytes(data: bytes, most: int) -> None:
    source = decode_text(data, most)
    assert source.shown <= most
    assert source.nbytes == len(data)
    assert "\r" not in source.text
    assert "\0" not in source.text


CONFIGURATIONS = {
    "yaml": """\
        lr: 0.1
        model:
          name: adam
          layers:
          - 64
          - 10
        # how it begins
        seed: 3
        """,
    "json": '{"lr": 0.1,\n "layers": [64, 10]}',
    "part of json": '{"lr": 0.1,\n "layers": [64, 10],\n "seed": ...',
    "assignments": "lr = 0.1\nbatch_size = 64\n",
    "toml": "[model]\nlr = 0.1\nlayers = [64, 10]\n",
    "dict": "{'lr': 0.1,\n 'layers': 3,\n}",
    "ends of documents": "lr: 0.1\n---\nlr: 0.2\nseed: 1\n",
}

NO_CONFIGURATIONS = {
    "nothing": "",
    "one line": "note: all is well",
    "prose": "The loss: it fell.\nNobody knows why, but it did\nand it may fall further.",
    "table": "| lr | 0.1 |\n|--|--|\n| seed | 3 |",
    "bare table": "lr | value\n--|--\nseed | 3",
    "list": "- first\n- second\n- third: and last",
    "title": "# Training\n\nlr: 0.1\nseed: 3",
    "link": "see: [the paper](http://a.b)\nlr: 0.1\nseed: 3",
    "emphasis": "lr: **0.1**\nseed: 3\nname: x",
    "code": "```\nlr: 0.1\nseed: 3\n```",
    "broken json": "{not json",
}


@pytest.mark.parametrize("text", CONFIGURATIONS.values(), ids=CONFIGURATIONS)
def test_reads_as_configuration_accepts_configurations(text: str) -> None:
    assert reads_as_configuration(dedent(text))


@pytest.mark.parametrize("text", NO_CONFIGURATIONS.values(), ids=NO_CONFIGURATIONS)
def test_reads_as_configuration_rejects_markdown(text: str) -> None:
    assert not reads_as_configuration(text)


@pytest.mark.parametrize("text", ["[" * 100_000, "{" * 200_000 + "\n", "a:" * 100_000 + "\n" * 1000, '"' * 100_000])
def test_reads_as_configuration_is_fast_for_any_text(text: str) -> None:
    assert reads_as_configuration(text) in (True, False)
