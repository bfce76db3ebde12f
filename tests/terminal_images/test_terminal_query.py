"""Answers of terminals, told from keys."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.terminal_images.terminal_query import (
    ANSWER_WAIT_SECONDS,
    KEY_WAIT_SECONDS,
    MAX_HELD_CHARS,
    QUERIES,
    TMUX_QUERIES,
    AnswerParser,
    Answers,
    BackgroundParser,
    CellSize,
)

KITTY = "\x1b_Gi=31;OK\x1b\\\x1bP>|kitty(0.41.1)\x1b\\\x1b[6;20;10t\x1b[4;800;1200t\x1b[?62;c"
XTERM = "\x1bP>|XTerm(379)\x1b\\\x1b[6;17;9t\x1b[4;700;1090t\x1b[?63;1;2;4;6;9;15;16;22;28;29c"
VS_CODE = "\x1bP>|xterm.js(5.5.0)\x1b\\\x1b[6;18;9t\x1b[?62;4;9;22c"
ALACRITTY = "\x1b[4;600;1000t\x1b[?6c"
TMUX = "\x1b[6;20;10t\x1b[?1;2;4c"


def heard(*parts: str) -> tuple[Answers, str]:
    ear = AnswerParser()
    keys = "".join(ear.feed(part) for part in parts)
    return ear.answers, keys + ear.release()


@pytest.mark.parametrize(
    ("said", "answers"),
    [
        (KITTY, Answers(True, False, "kitty(0.41.1)", CellSize(10, 20), (1200, 800), True)),
        (XTERM, Answers(False, True, "XTerm(379)", CellSize(9, 17), (1090, 700), True)),
        (VS_CODE, Answers(False, True, "xterm.js(5.5.0)", CellSize(9, 18), None, True)),
        (ALACRITTY, Answers(False, False, "", None, (1000, 600), True)),
        (TMUX, Answers(False, True, "", CellSize(10, 20), None, True)),
        ("\x1b_Gi=31;ENOTSUPPORTED:no graphics\x1b\\\x1b[?62;22c", Answers(complete=True)),
        ("\x1b[?4;6c", Answers(complete=True)),  # the first is the terminal's class, and no attribute
        ("\x1b[?64;14c", Answers(complete=True)),  # nor is part of a number one
        ("\x1b[6;0;0t\x1b[?62c", Answers(complete=True)),
        ("\x1b[6;99999;99999t\x1b[?62c", Answers(complete=True)),
        ("\x1bP>|with a bell\x07\x1b[?62c", Answers(name="with a bell", complete=True)),
        ("", Answers()),
    ],
)
def test_answers_are_understood_and_none_becomes_a_key(said: str, answers: Answers) -> None:
    assert heard(said) == (answers, "")


@given(st.sampled_from([KITTY, XTERM, VS_CODE, ALACRITTY, TMUX]), st.data())
def test_answers_may_come_in_pieces(said: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(said)), max_size=6)))
    parts = [said[start:end] for start, end in zip([0, *cuts], [*cuts, len(said)], strict=True)]
    assert heard(*parts) == heard(said)


MOUSE, RESIZED, PASTED, MODE = "\x1b[<64;10;20M", "\x1b[48;40;120;800;1200t", "\x1b[200~p\x1b[201~", "\x1b[?2026;2$y"
KEYS = st.sampled_from(
    [
        "q",
        "jj",
        "\r",
        "\x1b[A",
        "\x1b[1;5C",
        "\x1b[4~",
        "\x1bOP",
        MOUSE,
        "世",
        MODE,
        "\x1b[I",
        RESIZED,
        PASTED,
        "\x1b[27u",
    ]
)


@given(st.lists(KEYS, max_size=8), st.sampled_from([KITTY, XTERM, ALACRITTY]), st.data())
def test_keys_between_answers_stay_as_they_were(keys: list[str], said: str, data: st.DataObject) -> None:
    pieces = [piece + "\x1b\\" if piece.startswith(("\x1b_", "\x1bP")) else piece for piece in said.split("\x1b\\")]
    stream = list(pieces)
    for key in keys:
        stream.insert(data.draw(st.integers(0, len(stream))), key)
    left = [piece for piece in stream if piece not in pieces]
    text = "".join(stream)
    cut = data.draw(st.integers(0, len(text)))
    answers, found = heard(text[:cut], text[cut:])
    assert found == "".join(left)
    assert answers.complete


@given(st.lists(st.one_of(KEYS, st.text(max_size=5)), max_size=10))
def test_what_is_no_answer_passes_unchanged(parts: list[str]) -> None:
    assert heard(*parts) == (Answers(), "".join(parts))


def test_the_escape_key_is_kept_back_only_until_it_is_asked_for() -> None:
    ear = AnswerParser()
    assert ear.feed("a\x1b") == "a"
    assert ear.release() == "\x1b"
    assert ear.release() == ""
    assert ear.feed("\x1b") == ""
    assert ear.feed("b") == "\x1bb"


def test_once_all_is_answered_nothing_is_kept_back() -> None:
    ear = AnswerParser()
    ear.feed(ALACRITTY)
    assert ear.feed("\x1b") == "\x1b"


def test_late_answers_are_taken_out_however_late() -> None:
    ear = AnswerParser()
    assert ear.feed("j") == "j"
    assert ear.answers == Answers()
    assert ear.feed("k" + XTERM + "l") == "kl"
    assert ear.answers.sixel


def test_what_begins_like_an_answer_and_never_ends_is_let_go() -> None:
    assert heard("\x1b_G" + "x" * MAX_HELD_CHARS) == (Answers(), "\x1b_G" + "x" * MAX_HELD_CHARS)
    ear = AnswerParser()
    assert len(ear.feed("\x1b_G" + "x" * MAX_HELD_CHARS)) == MAX_HELD_CHARS + 3


def test_the_question_that_all_answer_comes_last() -> None:
    assert QUERIES.endswith("\x1b[c")
    assert TMUX_QUERIES.endswith("\x1b[c")
    assert "\x1b_G" not in TMUX_QUERIES


@pytest.mark.parametrize(
    ("answers", "pixels", "cell"),
    [
        (Answers(cell=CellSize(9, 18)), (1200, 800), CellSize(9, 18)),
        (Answers(area=(1200, 800)), None, CellSize(10, 20)),
        (Answers(), (1200, 800), CellSize(10, 20)),
        (Answers(area=(0, 0)), (1200, 800), CellSize(10, 20)),
        (Answers(), (0, 0), None),
        (Answers(), None, None),
        (Answers(area=(9, 9)), None, None),
    ],
)
def test_the_size_of_a_cell_is_taken_from_whatever_tells_it(
    answers: Answers, pixels: tuple[int, int] | None, cell: CellSize | None
) -> None:
    assert answers.cell_of(120, 40, pixels) == cell
    assert answers.cell_of(0, 0, pixels) == answers.cell


def test_release_escape_is_sooner_than_other_held_text() -> None:
    ear = AnswerParser()
    assert ear.feed("\x1b") == ear.release(KEY_WAIT_SECONDS / 2) == ""
    assert ear.release(KEY_WAIT_SECONDS) == "\x1b"
    assert ear.feed("\x1b_Gi=31") == ear.release(KEY_WAIT_SECONDS) == ""
    assert ear.feed(";OK\x1b\\q") == "q"
    assert ear.answers.kitty
    assert ear.feed("\x1b[6;2") == ""
    assert ear.release(ANSWER_WAIT_SECONDS) == "\x1b[6;2"
    assert ear.release() == ""


# The background


@pytest.mark.parametrize(
    ("answer", "is_light"),
    [
        ("\x1b]11;rgb:0000/0000/0000\x1b\\", False),
        ("\x1b]11;rgb:ffff/ffff/ffff\x07", True),
        ("\x1b]11;rgb:fd/f6/e3\x1b\\", True),
        ("\x1b]11;rgba:2828/2c2c/3434/ffff\x1b\\", False),
        ("\x1b]11;rgb:0/0/f\x07", False),
        ("\x1b]11;rgb:0000/ffff/0000\x9c", True),
    ],
)
def test_background_answer_tells_light_from_dark(answer: str, is_light: bool) -> None:
    parser = BackgroundParser()
    assert parser.feed(f"a{answer}b") == "ab"
    assert parser.is_light is is_light
    assert parser.feed("\x1b") == "\x1b"


@given(st.data())
def test_background_answer_in_pieces_leaves_the_keys(data: st.DataObject) -> None:
    parser = BackgroundParser()
    text = "j\x1b[A\x1b]11;rgb:ffff/ffff/ffff\x1b\\k"
    keys = ""
    while text:
        size = data.draw(st.integers(1, len(text)))
        keys += parser.feed(text[:size])
        text = text[size:]
    assert (keys, parser.is_light) == ("j\x1b[Ak", True)


@given(st.lists(st.one_of(KEYS, st.text(max_size=5)), max_size=10))
def test_background_parser_passes_all_other_input(parts: list[str]) -> None:
    parser = BackgroundParser()
    assert "".join(map(parser.feed, parts)) + parser.release() == "".join(parts)
    assert parser.is_light is None


def test_background_answer_that_never_ends_is_released() -> None:
    parser = BackgroundParser()
    text = "\x1b]11;" + "x" * 600
    assert parser.feed(text) + parser.release() == text
